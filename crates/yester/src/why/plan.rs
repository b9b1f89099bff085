//! `--steps`: what would be called, and why, without running anything.

use std::ffi::OsString;

use yester_report::{Status, WhyReport, WhyResult, WhyStep};

use super::job::WhyJob;
use crate::call::Call;
use crate::cli::StepChoice;
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::step::{SharedFlags, StepCall, text};
use crate::versions::failed;

struct Plan<'a> {
    job: &'a WhyJob,
    flags: SharedFlags,
    steps: Vec<WhyStep>,
}

/// Shows the steps. What only an earlier step will know has a name in capitals.
pub fn show(job: &WhyJob, call: &Call) -> Result<Finished, Failure> {
    let mut plan = Plan {
        job,
        flags: SharedFlags::of(call)?,
        steps: Vec::new(),
    };
    plan.blame()?;
    plan.reduce();
    plan.look_inside();
    let report: WhyReport = call.report(Status::Found);
    let result = WhyResult {
        good: job.good.as_ref().map(|good| good.word.clone()),
        bad: job.bad.word.clone(),
        steps: plan.steps,
        is_plan: true,
        ..WhyResult::default()
    };
    Ok(Finished::new(
        Exit::Found,
        WhyReport {
            result: Some(result),
            ..report
        },
    ))
}

impl Plan<'_> {
    fn add(&mut self, choice: StepChoice, command: &'static str, why: &str, words: &[&str]) {
        let is_skipped = self.job.skips(choice);
        let mut test = self.job.test.clone();
        if command != "changes"
            && command != "history"
            && let Some(word) = self.job.input.as_ref().and_then(|input| input.word)
        {
            test[word] = "SMALLER".into();
        }
        let step = StepCall {
            command,
            why: String::new(),
            words: words.iter().map(OsString::from).collect(),
            without: &["timeout", "with"],
            test,
            share: 1.0,
        };
        let call = match command {
            // Its test is a script that is made for it.
            "reduce" => String::new(),
            _ if is_skipped => String::new(),
            _ => text(&self.flags.words(&step), &step.test),
        };
        let why = if is_skipped {
            format!("no: --skip {command} leaves it out")
        } else {
            why.to_owned()
        };
        self.steps.push(WhyStep {
            command: command.to_owned(),
            headline: why.clone(),
            why,
            call,
            ..WhyStep::default()
        });
    }

    fn blame(&mut self) -> Result<(), Failure> {
        let job = self.job;
        let bad = job.bad.word.as_str();
        if let Some(work) = &job.work {
            let why =
                format!("tracked files have uncommitted changes; does {bad} pass without them?");
            self.add(StepChoice::Changes, "changes", &why, &[bad, &work.word]);
        }
        if let Some(good) = &job.good {
            let why = format!("{} is said to pass", good.word);
            self.add(StepChoice::Changes, "changes", &why, &[&good.word, bad]);
            return Ok(());
        }
        let (Some(repository), Some(commit)) = (&job.repository, job.bad.commit()) else {
            return Ok(());
        };
        let tags = repository.tags_before(&commit.id);
        let tags = tags.map_err(|error| failed(&error))?;
        let why = match tags.split_first() {
            Some((tag, others)) => {
                let why = if others.is_empty() {
                    format!("if the tag {tag} passes")
                } else {
                    format!("if the tag {tag} passes, otherwise an older one")
                };
                self.add(StepChoice::Changes, "changes", &why, &[tag, bad]);
                "if no tag passes: it walks back to a revision that does"
            }
            None => "there is no tag, so it walks back to a revision that passes",
        };
        self.add(StepChoice::History, "history", why, &["--from", bad]);
        Ok(())
    }

    fn reduce(&mut self) {
        let why = match &self.job.input {
            Some(input) => format!(
                "{} must go on failing with the culprit and passing without it",
                input.path.display()
            ),
            None => "no: TEST names no input file; --input FILE names one".to_owned(),
        };
        self.add(StepChoice::Reduce, "reduce", &why, &[]);
    }

    fn look_inside(&mut self) {
        let reason = self.job.cannot_look_inside();
        if let Some(reason) = reason {
            self.steps.push(WhyStep {
                command: "explain".to_owned(),
                why: format!("no: {reason}"),
                ..WhyStep::default()
            });
            return;
        }
        let why = "the two versions around the culprit differ in little else";
        self.add(StepChoice::Explain, "explain", why, &["PASSING", "CULPRIT"]);
        let why = "if explain finds no place: one run that fails is enough for it";
        self.add(StepChoice::Flip, "flip", why, &["CULPRIT"]);
    }
}
