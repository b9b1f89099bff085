//! `yester history`: from a revision that fails, back through the history to one that was right, and the fix.

mod answer;
mod complaint;
mod doubt;
mod job;
mod range;
mod search;
mod walker;

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use yester_core::{Candidate, Outcome};
use yester_patch::Entries;
use yester_patch::idd::Origin;
use yester_report::{HistoryResult, HistoryTrials, HistoryVerified, Sure, count, quote};
use yester_run::{
    Baseline, CommandLab, Consumer, Events, Expectation, FailingBaseline, FailingError, Repeat,
    RunDirectory, Runner, file,
};
use yester_screen::REVISIONS;

use self::answer::Finding;
use self::job::HistoryJob;
use self::walker::HowFar;
use crate::call::Call;
use crate::cli::HistoryArguments;
use crate::driver::{
    self, Halt, Presentation, Problem, RunTarget, Scope, Search, SharedArguments, Standing,
    TrialSetup, Words,
};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::runs::Extent;
use crate::versions::{ALWAYS_CLEAN, SECOND_LOOK, has_ccache, save, set_up};

pub fn run(arguments: HistoryArguments, call: &Call, events: &Events) -> Result<Finished, Failure> {
    events.step(HistoryJob::WORDS.introduction, None);
    driver::drive(&mut HistoryJob::new(arguments, &call.start)?, call, events)
}

/// The plain copy of the newest revision in the run's directory that all trials start from.
fn copy_of_newest(run: &RunDirectory) -> PathBuf {
    run.path().join("newest")
}

/// The newest revision as a candidate: nothing differs from it.
fn newest() -> Candidate {
    Candidate::Tree(Entries::new())
}

impl Problem for HistoryJob {
    const WORDS: Words = Words {
        unit: REVISIONS,
        introduction: "reading the history",
        preparation: "copying the newest revision",
        baseline: "running the command on the newest revision",
    };

    type Baseline = FailingBaseline;

    fn arguments(&self) -> SharedArguments<'_> {
        let HistoryArguments { trial, run, .. } = &self.arguments;
        SharedArguments {
            name: &self.run,
            trial,
            run,
        }
    }

    fn scope(&self) -> Scope {
        Scope {
            target: RunTarget {
                words: self.arguments.from.clone(),
                test: quote::command(self.test.command.words.iter().map(|word| word.as_os_str())),
            },
            size: self.history.revisions.len() as u64,
            whole: None,
            failing_side: self.arguments.from.clone(),
        }
    }

    fn introduce(&mut self, events: &Events) -> Result<(), Failure> {
        let (newest, oldest) = (
            &self.history.revisions[0],
            &self.history.revisions[self.history.revisions.len() - 1],
        );
        let day = |date: &str| date.split('T').next().unwrap_or_default().to_owned();
        events.say(&format!(
            "{} is {} {}; {} down to {} of {}",
            self.arguments.from,
            newest.short(),
            newest.subject,
            count(self.history.revisions.len() as u64, "revision"),
            oldest.short(),
            day(&oldest.date),
        ));
        for note in self.history.today.notes() {
            events.say(note);
        }
        if self.history.repository.is_shallow() && oldest.parents.is_empty() {
            events.say(job::SHALLOW);
        }
        if let Some(path) = &self.test.program_in_tree {
            events.say(&format!("test: {path} in the tree of each revision"));
        }
        for note in &self.notes {
            events.say(note);
        }
        for path in &self.named_tests {
            events.say(&format!(
                "{path} is the same in all revisions, as in {}, since the command names it and it is a test",
                self.arguments.from
            ));
            let (work, here) = (
                self.history.repository.directory().join(path),
                self.history.today.state(path),
            );
            if let (Ok(content), Ok(Some(state))) = (file::read(&work, file::BIGGEST_INPUT), here)
                && *content != *state.content
            {
                events.say(&format!(
                    "your changes to {path} are not used; --carry {path} uses them"
                ));
            }
        }
        for (glob, word) in self.history.pinned.iter().zip(&self.arguments.pin) {
            if !self
                .history
                .today
                .paths()
                .any(|(path, _)| glob.matches(path))
            {
                events.say(&format!(
                    "--pin {word} matches no file of {}",
                    self.arguments.from
                ));
            }
        }
        if has_ccache(&self.arguments.trial) && self.arguments.output_style.verbose > 0 {
            events.say("compilers are called through ccache");
        }
        Ok(())
    }

    fn nothing_to_search(&self) -> Option<Failure> {
        None
    }

    fn prepare(&self, run: &RunDirectory) -> Result<TrialSetup, Failure> {
        let (trial, build) = (&self.arguments.trial, &self.arguments.build);
        set_up(
            &self.run,
            (&self.history.today, &copy_of_newest(run)),
            &self.test,
            trial,
            build,
        )
    }

    fn expectation(&self) -> Expectation {
        self.expectation()
    }

    fn establish(
        &self,
        runner: &mut Runner,
        expectation: &Expectation,
        run: &RunDirectory,
    ) -> Result<FailingBaseline, Halt> {
        let established = FailingBaseline::establish(runner, &newest(), expectation);
        established.map_err(|error| match error {
            FailingError::Stop(stop) => Halt::Stop(stop),
            FailingError::Mismatch(mismatch, trial) => {
                let copy = copy_of_newest(run);
                Halt::Nothing(complaint::about(mismatch, &trial, self, &copy))
            }
        })
    }

    fn baseline(baseline: &FailingBaseline) -> &Baseline {
        &baseline.baseline
    }

    fn remarks(&self, baseline: &FailingBaseline) -> Vec<String> {
        let is_clean = !baseline.warm;
        is_clean
            .then(|| ALWAYS_CLEAN.to_owned())
            .into_iter()
            .collect()
    }

    fn needs_clean_trees(&self, baseline: &FailingBaseline) -> bool {
        !baseline.warm
    }
}

impl Search for HistoryJob {
    const KEEPS_OUTPUTS: bool = true;
    const STARTS_CLEAN_JOURNAL: bool = true;
    const LOOKS: usize = 1;
    type Best = HowFar;
    type Finding = Finding;

    fn best(&self, _: &Rc<RunDirectory>) -> Result<HowFar, Failure> {
        Ok(HowFar::default())
    }

    fn teach(&self, lab: &mut CommandLab<HowFar>, _: &FailingBaseline) {
        lab.remember(&newest(), Outcome::Fail);
    }

    fn search(
        &self,
        lab: &mut CommandLab<HowFar>,
        baseline: &FailingBaseline,
        _: &[Finding],
    ) -> Result<Finding, Halt> {
        self.find(lab, baseline)
    }

    fn prove(
        &self,
        lab: &mut CommandLab<HowFar>,
        baseline: &FailingBaseline,
        finding: &mut Finding,
        _: &[Finding],
    ) -> Result<bool, Halt> {
        self.verify(lab, baseline, finding)
    }

    fn is_proved(finding: &Finding) -> bool {
        finding.verified.good_plus_culprit.is_some()
    }

    fn is_complete(&self, _: &[Finding]) -> bool {
        true
    }

    fn unfinished(&self, best: &HowFar) -> Option<Finding> {
        let oldest = self.history.revisions[best.oldest.unwrap_or_default()].clone();
        Some(Finding {
            origin: Origin::unknown(oldest),
            reason: None,
            trials: HistoryTrials::default(),
            fixes: None,
            notes: Vec::new(),
            borders: best.borders.clone(),
            verified: HistoryVerified::default(),
        })
    }

    fn second_look(&self, _: &Repeat) -> Option<&'static str> {
        Some(SECOND_LOOK)
    }

    fn refuted(&self) -> &'static str {
        "the revision that was found does not pass in a clean tree, or does not fail with the culprit"
    }
}

impl Presentation for HistoryJob {
    type Result = HistoryResult;

    fn extent(&self, left: u64) -> Extent {
        Extent::Revisions {
            left,
            revisions: self.history.revisions.len() as u64,
        }
    }

    fn consumers(&self, _: &Rc<RunDirectory>) -> Vec<Box<dyn Consumer>> {
        Vec::new()
    }

    fn standing(findings: &[Finding]) -> Standing {
        match findings {
            [finding, ..] if finding.origin.broken.is_none() => Standing::Nothing,
            findings if findings.iter().all(Finding::is_certain) => Standing::Found,
            _ => Standing::Unproved,
        }
    }

    fn write(&self, run: &RunDirectory, findings: &[Finding]) -> Result<HistoryResult, Failure> {
        self.write_answer(run, &findings[0])
    }

    fn left(result: &HistoryResult) -> u64 {
        match result.good {
            Some(_) => result.suspects.len().max(1) as u64,
            None => result.revisions,
        }
    }

    fn sure(_: &Finding) -> Option<Sure> {
        None
    }

    fn next(&self, _: &RunDirectory, result: Option<&HistoryResult>) -> String {
        self.how_to_look(result)
    }

    fn save(&self, run: &RunDirectory, place: &Path, candidate: &Candidate) -> io::Result<PathBuf> {
        save(run, place, candidate)
    }

    fn clean_up(&self, run: &RunDirectory, exit: Exit) {
        // A complaint shows it to the user.
        if exit != Exit::Nothing && !self.arguments.trial.keep {
            driver::discard(&copy_of_newest(run));
        }
    }
}
