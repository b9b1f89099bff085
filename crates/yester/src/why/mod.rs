//! `yester why`: the other commands one after the other, each with what those before have found.

mod blame;
mod inside;
mod job;
mod pair;
mod plan;
mod smaller;

use yester_core::{Limit, Outcome, Stop};
use yester_report::{Status, StoryPlace, WhyReport, WhyResult, WhyStep};
use yester_run::{Counts, Events};

use self::blame::Blame;
use self::job::WhyJob;
use self::pair::Ground;
use crate::call::Call;
use crate::cli::WhyArguments;
use crate::driver::{Frame, RunSubject, RunTarget, reason};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::runs::{Extent, RunStatus};
use crate::step::Steps;

/// Runs `yester why`.
pub fn run(arguments: WhyArguments, call: &Call, events: &Events) -> Result<Finished, Failure> {
    events.step("reading the versions", None);
    let mut job = WhyJob::new(arguments, &call.start)?;
    if job.arguments.steps {
        return plan::show(&job, call);
    }
    let subject = RunSubject {
        name: &job.run,
        target: RunTarget {
            words: job.sides(),
            test: job.test_text(),
        },
        size: None,
        extent: Extent::Trials { trials: 0 },
        baseline: "running the test",
        whole: None,
        wanted: Outcome::Fail,
    };
    let limits = job.arguments.run.clone();
    let state = (limits.state_dir.as_path(), limits.fresh);
    let mut frame = Frame::open(subject, state, (call, events), |_| Vec::new())?;
    let mut steps = Steps::new(&frame, call, &limits)?;
    let mut blame = None;
    let ended = search(&mut job, &mut steps, &frame, &mut blame);
    let Steps {
        done,
        trials,
        was_cut,
        ..
    } = steps;
    let is_cut_short = was_cut || done.iter().any(WhyStep::is_cut_short);
    let is_answered = done.iter().any(|step| step.is_answer());
    let mut result = WhyResult {
        good: blame.as_ref().and_then(|blame| blame.good.clone()),
        bad: blame
            .as_ref()
            .map_or_else(|| job.bad_text(), |blame| blame.bad.clone()),
        steps: done,
        ..WhyResult::default()
    };
    let changed = |place: &StoryPlace| {
        let changed = blame.iter().flat_map(|blame| &blame.changed);
        changed.into_iter().any(|changed| changed.has(place))
    };
    result.gather(&changed);
    // Only what was confirmed was seen in places that bear no traces of other trials.
    let is_confirmed =
        |step: &WhyStep| step.command == "reduce" && step.status == Some(Status::Found);
    let passes_without = blame
        .as_ref()
        .is_some_and(|blame| blame.pair.good.is_some())
        && result.steps.iter().any(is_confirmed);
    result.input_passes_without = result.input.as_ref().map(|_| passes_without);
    let status = match (is_answered, is_cut_short) {
        (true, false) => RunStatus::Found,
        _ => RunStatus::Stopped,
    };
    frame.finish(status, Extent::Trials { trials: trials.run });
    let report = WhyReport {
        trials,
        // Each step has its own.
        passes: Vec::new(),
        result: Some(result),
        ..frame.report(Counts::default(), Vec::new())
    };
    Ok(match ended {
        Err(failure) => Finished::failed(failure, report),
        Ok(()) if is_cut_short => {
            let limit = match limits.max_time {
                Some(_) => Limit::Time,
                None => Limit::Trials,
            };
            Finished::failed(reason(Stop::Limit(limit)), report)
        }
        Ok(()) if is_answered => {
            let status = Status::Found;
            Finished::new(Exit::Found, WhyReport { status, ..report })
        }
        Ok(()) => {
            let failure = Failure::nothing("no step has found anything")
                .hint("each step says above why; call it by itself to see more");
            Finished::failed(failure, report)
        }
    })
}

/// From the change to the smaller input to the place. An error ends the call: there is nothing to debug, or the user has
/// interrupted it.
fn search(
    job: &mut WhyJob,
    steps: &mut Steps<'_>,
    frame: &Frame,
    found: &mut Option<Blame>,
) -> Result<(), Failure> {
    let blame = found.insert(blame::search(job, steps)?);
    blame.tell_lines(job, steps);
    let is_wanted = smaller::is_wanted(job) || inside::is_wanted(job, blame);
    let ground = if is_wanted {
        let head = blame::version_of(&job.bad);
        blame.pair.prepare(job, frame, (&head, steps.deadline()))?
    } else {
        Ground::Unknown(Failure::nothing("no step needs it"))
    };
    steps.was_cut |= matches!(&ground, Ground::Unknown(failure) if failure.exit == Exit::Limit);
    let smaller = smaller::search(job, steps, (blame, &ground))?;
    inside::search(job, steps, frame, (blame, &ground, smaller))
}
