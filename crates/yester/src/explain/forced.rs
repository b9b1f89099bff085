//! The new version is forced: places at which it does what the old one does once one thing is done otherwise. What differs between the versions may be
//! harmless; what makes the difference is here.

use std::path::Path;
use std::time::Duration;

use yester_path::experiment::{
    ConfirmedLine, Experiments, ForcedFindings, Right, RightExit, RightOutput, TimeLimit,
};
use yester_path::explanation::{NEW, OLD, Suspect};
use yester_path::forced::{Effect, in_words, kind};
use yester_path::{Printed, readable_words};
use yester_run::Ending;

use super::job::ExplainJob;
use super::laboratory::Behaviour;
use super::source::Sources;
use crate::failure::Failure;
use crate::progress::Doing;
use crate::record::{
    BuiltVersion, ForcedProgram, Forcer, ForcerSettings, Forcing, ProgramSession, Workshop,
};

/// So many things are done otherwise.
const MOST_EXPERIMENTS: usize = 2000;
/// What the best place is worth, beside other evidence.
const WORTH: f64 = 2.0;

/// The places, and how many runs they took.
pub fn forced(
    (job, session): (&ExplainJob, &ProgramSession),
    workshop: &mut Workshop,
    behaviours: &[Behaviour; 2],
    sources: &Sources,
    doing: &Doing,
) -> Result<(Vec<Suspect>, u64), Failure> {
    let Some(right) = right(&behaviours[OLD]) else {
        return Ok((Vec::new(), 0));
    };
    doing.say("building the new version so that it can be forced");
    let new = &job.versions[NEW];
    let recipe = job.recipe(vec![("YESTER_CC_MODE", "force")]);
    let built = workshop.build("forced", &[new], &recipe)?;
    let BuiltVersion { root, tree } = &built[0];
    let mut forcer = Forcer::new(ForcerSettings {
        session,
        command: &job.command,
        arguments: &job.input.arguments,
        tree: *tree,
        program_in_tree: job.program_in_tree.clone(),
        stdin: job.input.stdin.as_ref().map(|stdin| stdin.as_slice()),
    });
    let failing = forcer
        .run(Forcing::None, job.arguments.timeout)?
        .observation;
    if right.holds(&failing) || !right.is_in_records() {
        return Ok((Vec::new(), 1));
    }
    let profiles = forcer
        .run(Forcing::Profile, job.arguments.timeout)?
        .profiles;
    // A program that starts others is not forced: each experiment would be a run of all of them.
    if profiles.len() != 1 || profiles[0].log.is_empty() {
        return Ok((Vec::new(), 2));
    }
    let timeout = (failing.elapsed * 10).clamp(Duration::from_millis(200), job.arguments.timeout);
    let mut program = ForcedProgram {
        session,
        forcer: &mut forcer,
        follower: None,
        judge: None,
        doing,
    };
    let findings = Experiments {
        program: &mut program,
        in_batches: true,
        guesses: true,
        solving: None,
        failing: &failing,
        right: &right,
        slice: None,
        nearer: None,
        common: right.common(&failing).unwrap_or_default(),
        is_endless: failing.ending == Ending::Timeout,
        timeout,
        time_limit: TimeLimit::default(),
        has_changed_tree: false,
        most: Some(MOST_EXPERIMENTS),
    }
    .carry_out(profiles)?;
    let lines = findings.lines.iter();
    let lines = lines.filter(|one| one.line.effect == Effect::Right);
    let suspects = lines
        .enumerate()
        .map(|(rank, line)| suspect(&findings, line, rank, root, sources));
    Ok((suspects.collect(), findings.runs + 2))
}

/// What the new version should do: what the old one does. Only standard output and the exit code are compared.
fn right(old: &Behaviour) -> Option<Right> {
    let Ending::Exit(code) = old.ending else {
        return None;
    };
    Some(Right {
        stdout: Some(RightOutput {
            printed: Printed {
                bytes: old.stdout.bytes,
                digest: old.stdout.digest.clone(),
            },
            whole: old.stdout.whole(),
        }),
        exit: RightExit::Code(code),
    })
}

fn suspect(
    findings: &ForcedFindings,
    confirmed: &ConfirmedLine,
    rank: usize,
    root: &Path,
    sources: &Sources,
) -> Suspect {
    let ConfirmedLine { experiment, .. } = confirmed;
    let place = &findings.profile.places[experiment.place];
    let (was, becomes) = in_words(&findings.profile, experiment);
    Suspect {
        version: NEW,
        line: sources.line_in(NEW, root, place),
        kind: match kind(&findings.profile, experiment) {
            "branch" => "branch",
            _ => "value",
        },
        name: readable_words(&place.text),
        was,
        becomes,
        alternate: None,
        is_forced: true,
        partner: None,
        score: WORTH / (1.0 + rank as f64),
        moment: experiment.moment,
    }
}
