//! The new version is forced: places at which it does what the old one does once one thing is done otherwise. What differs between the versions may be
//! harmless; what makes the difference is here.

use std::path::Path;
use std::time::Duration;

use yester_path::forced::Effect;
use yester_path::readable_words;
use yester_run::Ending;

use super::job::ExplainJob;
use super::laboratory::{Behaviour, NEW, OLD};
use super::source::Sources;
use super::suspect::Suspect;
use crate::experiment::{
    ConfirmedLine, Experiments, ForcedFindings, Right, RightExit, TimeLimit, in_words, kind,
};
use crate::failure::Failure;
use crate::interrupt::START_OVER;
use crate::progress::Doing;
use crate::record::{Forcer, ForcerSettings, Forcing, Workshop};

/// So many things are done otherwise.
const MOST_EXPERIMENTS: usize = 2000;
/// What the best place is worth, beside other evidence.
const WORTH: f64 = 2.0;

/// The places, and how many runs they took.
pub fn forced(
    job: &ExplainJob,
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
    let recipe = job.recipe(vec![("YESTER_CC_FORCE", "1")]);
    let roots = workshop.build("forced", &[new], &recipe)?;
    let root = &roots[0];
    let mut forcer = Forcer::open(ForcerSettings {
        label: "explain-forced",
        command: &job.command,
        arguments: &job.input.arguments,
        number: 0,
        root: root.clone(),
        program_in_tree: job.program_in_tree.clone(),
        stdin: job.input.stdin.as_ref().map(|stdin| stdin.as_slice()),
        environment: Vec::new(),
        jobs: job.arguments.trial.jobs(),
        confinement: job.confinement.clone(),
        hint: START_OVER,
    })?;
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
    let findings = Experiments {
        test: 0,
        memory: None,
        forcer: &mut forcer,
        guesses: true,
        solving: None,
        failing: &failing,
        right: &right,
        judge: None,
        slice: None,
        nearer: None,
        common: right.common(&failing).unwrap_or_default(),
        is_endless: failing.ending == Ending::Timeout,
        timeout,
        time_limit: TimeLimit::default(),
        has_changed_tree: false,
        most: Some(MOST_EXPERIMENTS),
        doing,
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
        stdout: Some(old.stdout.clone().into()),
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
