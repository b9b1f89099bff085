//! The third question: what goes wrong inside the program? `explain` compares the two versions around the culprit, `flip`
//! looks at the failing one alone.

use std::ffi::OsString;
use std::path::PathBuf;

use yester_patch::Lines;

use super::blame::{Blame, version_of};
use super::job::WhyJob;
use super::pair::{Ground, Pair};
use crate::cli::StepChoice;
use crate::driver::Frame;
use crate::failure::Failure;
use crate::step::{StepCall, Steps};

/// Whether two versions are to be compared.
pub fn is_wanted(job: &WhyJob, blame: &Blame) -> bool {
    let has_pair = blame.pair.good.is_some();
    has_pair && job.cannot_look_inside().is_none() && !job.skips(StepChoice::Explain)
}

/// Looks for the branch or value to blame, on the smaller input if there is one.
pub fn search(
    job: &WhyJob,
    steps: &mut Steps<'_>,
    frame: &Frame,
    (blame, ground, smaller): (&Blame, &Ground, Option<PathBuf>),
) -> Result<(), Failure> {
    if let Some(reason) = job.cannot_look_inside() {
        steps.leave_out("explain", reason);
        return Ok(());
    }
    let mut test = job.test.clone();
    if let (Some(smaller), Some(input)) = (&smaller, &job.input)
        && let Some(word) = input.word
    {
        test[word] = smaller.clone().into_os_string();
    }
    // What is seen on another failure is no answer. The version that the user asks about has the right one.
    let head = Pair::of_bad(version_of(&job.bad));
    let (pair, reason) = match ground {
        Ground::Different(reason) => (&head, reason.as_str()),
        _ => (&blame.pair, "no version is known that passes"),
    };
    let lines = pair.bad.lines_of(job);
    let (good, bad) = match pair.words(job, frame) {
        Ok(words) => words,
        Err(failure) => {
            steps.leave_out("explain", &failure.message);
            return Ok(());
        }
    };
    match good {
        Some(_) if job.skips(StepChoice::Explain) => {
            steps.leave_out("explain", "--skip explain leaves it out");
        }
        None => steps.leave_out("explain", reason),
        Some(good) => {
            let why = "the two versions around the culprit differ in little else".to_owned();
            let words = vec![good, bad.clone()];
            steps.carry_out(call("explain", why, words, test.clone()))?;
            rank(steps, blame, &lines);
            let has_places = steps
                .done
                .last()
                .is_some_and(|step| step.is_answer() && !step.story.places.is_empty());
            if has_places {
                return Ok(());
            }
        }
    }
    if job.skips(StepChoice::Flip) {
        steps.leave_out("flip", "--skip flip leaves it out");
        return Ok(());
    }
    let why = "one run that fails is enough for it".to_owned();
    steps.carry_out(call("flip", why, vec![bad], test))?;
    rank(steps, blame, &lines);
    Ok(())
}

fn call(
    command: &'static str,
    why: String,
    words: Vec<OsString>,
    test: Vec<OsString>,
) -> StepCall<'static> {
    StepCall {
        command,
        why,
        words,
        without: &["timeout"],
        test,
        share: 1.0,
    }
}

/// Places on lines that the culprit changes come first.
fn rank(steps: &mut Steps<'_>, blame: &Blame, lines: &Lines) {
    if let Some(step) = steps.done.last_mut() {
        let is_changed = |place: &_| blame.changed.iter().any(|changed| changed.has(place));
        for place in &mut step.story.places {
            if place.version != "old" {
                let here = lines.of(&place.file, u64::from(place.line));
                place.here = here.and_then(|line| line.try_into().ok());
            }
        }
        step.story.places.sort_by_key(|place| !is_changed(place));
        if let Some(first) = step.story.places.first() {
            step.headline = format!("{}:{}: {}", first.file, first.shown_line(), first.title);
            step.story.headline = step.headline.clone();
        }
    }
}
