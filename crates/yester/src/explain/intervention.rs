//! Interventions in the new version: places at which one makes it do what the old one does. What differs between the versions may be
//! harmless; what makes the difference is here.

use std::path::Path;
use std::time::Duration;

use yester_path::explanation::{NEW, OLD, Suspect};
use yester_path::intervention::search::{
    ConfirmedLine, InterventionFindings, InterventionSearch, NearSearch, Right, RightExit,
    RightOutput, TimeLimit,
};
use yester_path::intervention::{Blame, Effect, in_words, kind};
use yester_path::{Printed, readable_words};
use yester_record::{
    Behaviour, BuiltVersion, Intervener, IntervenerSettings, ProgramSession, RunRequest,
    TargetProgram, Workshop,
};
use yester_run::{Ending, Events};

use super::job::ExplainJob;
use super::source::Sources;
use crate::failure::Failure;

/// So many interventions are tried.
const MOST_INTERVENTIONS: usize = 2000;
/// What the best place is worth, beside other evidence.
const WORTH: f64 = 2.0;

/// The places, and how many runs they took.
pub fn interventions(
    (job, session): (&ExplainJob, &ProgramSession),
    workshop: &mut Workshop,
    behaviours: &[Behaviour; 2],
    sources: &Sources,
    events: &Events,
) -> Result<(Vec<Suspect>, u64), Failure> {
    let Some(right) = right(&behaviours[OLD]) else {
        return Ok((Vec::new(), 0));
    };
    events.step("building the new version for interventions", None);
    let new = &job.versions[NEW];
    let recipe = job.recipe(vec![("YESTER_CC_MODE", "intervene")]);
    let built = workshop.build("interventions", &[new], &recipe)?;
    let BuiltVersion { root, tree } = &built[0];
    let mut intervener = Intervener::new(IntervenerSettings {
        session,
        program: &job.command.program,
        input: &job.input,
        tree: *tree,
        program_in_tree: job.program_in_tree.clone(),
    });
    let failing = intervener
        .run(RunRequest::None, job.arguments.timeout)?
        .observation;
    if right.holds(&failing) || !right.is_in_records() {
        return Ok((Vec::new(), 1));
    }
    let profiles = intervener
        .run(RunRequest::Profile, job.arguments.timeout)?
        .profiles;
    // A program that starts others gets no interventions: each intervention would be a run of all of them.
    if profiles.len() != 1 || profiles[0].log.is_empty() {
        return Ok((Vec::new(), 2));
    }
    let timeout = (failing.elapsed * 10).clamp(Duration::from_millis(200), job.arguments.timeout);
    let mut program = TargetProgram {
        session,
        intervener: &mut intervener,
        follower: None,
        judge: None,
        near: None,
        events,
    };
    let findings = InterventionSearch {
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
        most: Some(MOST_INTERVENTIONS),
        blame: Blame::default(),
        near: NearSearch::default(),
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
    findings: &InterventionFindings,
    confirmed: &ConfirmedLine,
    rank: usize,
    root: &Path,
    sources: &Sources,
) -> Suspect {
    let ConfirmedLine { intervention, .. } = confirmed;
    let place = &findings.profile.places[intervention.place];
    let (was, becomes) = in_words(&findings.profile, intervention);
    Suspect {
        version: NEW,
        line: sources.line_in(NEW, root, place),
        kind: match kind(&findings.profile, intervention) {
            "branch" => "branch",
            _ => "value",
        },
        name: readable_words(&place.text),
        was,
        becomes,
        alternate: None,
        is_intervention: true,
        partner: None,
        is_cause: false,
        score: WORTH / (1.0 + rank as f64),
        moment: intervention.moment,
    }
}
