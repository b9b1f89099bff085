//! `yester history`: from a revision that fails, back through the history to one that was right, and the fix.

mod also;
mod answer;
mod best;
mod complaint;
mod glob;
mod job;
mod line;
mod port;
mod range;
mod repair;
mod search;
mod suspect;
mod trace;
mod tree;

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use yester_core::{Candidate, Outcome};
use yester_patch::Entries;
use yester_report::{
    HistoryReport, HistoryResult, HistoryTrials, HistoryVerified, Report, Sure, count,
};
use yester_run::{
    Baseline, CommandLab, Consumer, Events, Expectation, FailingBaseline, FailingError, Repeat,
    RunDirectory, Runner, Subject, Survival, write_directory,
};

use self::answer::Finding;
use self::best::HowFar;
use self::job::HistoryJob;
use crate::cli::HistoryArguments;
use crate::driver::{self, Halt, Investigation, RunTarget, SharedArguments, Standing, TrialSetup};
use crate::failure::{Exit, Failure};
use crate::file;
use crate::progress::REVISIONS;
use crate::quote;
use crate::runs::Extent;
use crate::versions::{common_time, failed, has_ccache};

pub fn run(arguments: HistoryArguments, start: &Path, events: &Events) -> Result<Exit, Failure> {
    let begin = Instant::now();
    events.step(HistoryJob::INTRODUCTION, None);
    driver::drive(&mut HistoryJob::new(arguments, start)?, events, begin)
}

/// The plain copy of the newest revision in the run's directory that all trials start from.
fn copy_of_newest(run: &RunDirectory) -> PathBuf {
    run.path().join("newest")
}

/// The newest revision as a candidate: nothing differs from it.
fn newest() -> Candidate {
    Candidate::Tree(Entries::new())
}

impl Investigation for HistoryJob {
    const COMMAND: &'static str = "history";
    const UNIT: &'static str = REVISIONS;
    const INTRODUCTION: &'static str = "reading the history";
    const PREPARATION: &'static str = "copying the newest revision";
    const BASELINE: &'static str = "running the command on the newest revision";
    const KEEPS_OUTPUTS: bool = true;
    const STARTS_CLEAN_JOURNAL: bool = true;
    const LOOKS: usize = 1;

    type Baseline = FailingBaseline;
    type Best = HowFar;
    type Finding = Finding;
    type Result = HistoryResult;

    fn arguments(&self) -> SharedArguments<'_> {
        let HistoryArguments {
            trial,
            run,
            output_style,
            ..
        } = &self.arguments;
        SharedArguments {
            name: &self.run,
            trial,
            run,
            output_style,
        }
    }

    fn start(&self) -> &Path {
        &self.start
    }

    fn target(&self) -> RunTarget {
        RunTarget {
            words: self.arguments.from.clone(),
            test: quote::command(self.test.command.words.iter().map(|word| word.as_os_str())),
        }
    }

    fn size(&self) -> u64 {
        self.revisions.len() as u64
    }

    fn extent(&self, left: u64) -> Extent {
        Extent::Revisions {
            left,
            revisions: self.size(),
        }
    }

    fn consumers(&self, _: &Rc<RunDirectory>) -> Vec<Box<dyn Consumer>> {
        Vec::new()
    }

    fn introduce(&mut self, events: &Events) -> Result<(), Failure> {
        let (newest, oldest) = (
            &self.revisions[0],
            &self.revisions[self.revisions.len() - 1],
        );
        let day = |date: &str| date.split('T').next().unwrap_or_default().to_owned();
        events.say(&format!(
            "{} is {} {}; {} down to {} of {}",
            self.arguments.from,
            newest.short(),
            newest.subject,
            count(self.size(), "revision"),
            oldest.short(),
            day(&oldest.date),
        ));
        for note in self.today.notes() {
            events.say(note);
        }
        if self.repository.is_shallow() && oldest.parents.is_empty() {
            events.say(job::SHALLOW);
        }
        if let Some(path) = &self.test.program_in_tree {
            events.say(&format!("test: {path} in the tree of each revision"));
        }
        for note in &self.notes {
            events.say(note);
        }
        for path in &self.named {
            events.say(&format!(
                "{path} is the same in all revisions, as in {}, since the command names it and it is a test",
                self.arguments.from
            ));
            let (work, here) = (
                self.repository.directory().join(path),
                self.today.state(path),
            );
            if let (Ok(content), Ok(Some(state))) = (file::read(&work, file::BIGGEST_INPUT), here)
                && *content != *state.content
            {
                events.say(&format!(
                    "your changes to {path} are not used; --carry {path} uses them"
                ));
            }
        }
        for (glob, word) in self.pinned.iter().zip(&self.arguments.pin) {
            if !self.today.paths().any(|(path, _)| glob.matches(path)) {
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
        let copy = copy_of_newest(run);
        let _ = yester_run::remove(&copy);
        self.today
            .materialise_as_of(&copy, common_time())
            .map_err(|error| Failure {
                exit: Exit::Limit,
                ..failed(&error)
            })?;
        let base = copy
            .canonicalize()
            .map_err(|error| Failure::io(format!("write {}", copy.display()), &error))?;
        Ok(TrialSetup {
            invocation: self
                .test
                .invocation(&self.arguments.trial, &self.arguments.build),
            visible: self.test.visible(&base)?,
            subject: Subject::Tree { base },
        })
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

    fn failing_side(&self) -> String {
        self.arguments.from.clone()
    }

    fn remarks(&self, baseline: &FailingBaseline) -> Vec<String> {
        let remark = "a second build in the same tree gives other answers than a clean one; every trial gets a clean tree";
        match baseline.warm {
            true => Vec::new(),
            false => vec![remark.to_owned()],
        }
    }

    fn prints_result(&self) -> bool {
        false
    }

    fn needs_clean_trees(baseline: &FailingBaseline) -> bool {
        !baseline.warm
    }

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

    fn standing(findings: &[Finding]) -> Standing {
        match findings {
            [finding, ..] if finding.broken.is_none() => Standing::Nothing,
            findings if findings.iter().all(Finding::is_certain) => Standing::Found,
            _ => Standing::Unproved,
        }
    }

    fn is_complete(&self, _: &[Finding]) -> bool {
        true
    }

    fn unfinished(&self, best: &HowFar) -> Option<Finding> {
        let oldest = best.oldest.as_ref().map_or(0, |(revision, _)| *revision);
        Some(Finding {
            broken: None,
            reason: None,
            oldest: self.revisions[oldest].clone(),
            way: Vec::new(),
            skipped: Vec::new(),
            trials: HistoryTrials::default(),
            fix: None,
            also: None,
            notes: Vec::new(),
            borders: best.borders.clone(),
            verified: HistoryVerified::default(),
        })
    }

    fn second_look(&self, _: &Repeat) -> Option<&'static str> {
        Some(
            "the answer does not hold in a clean tree; searching again with a clean tree for every trial",
        )
    }

    fn refuted(&self) -> &'static str {
        "the revision that was found does not pass in a clean tree, or does not fail with the culprit"
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

    fn text(report: &Report<HistoryResult>) -> String {
        HistoryReport::text(report)
    }

    fn save(&self, run: &RunDirectory, place: &Path, candidate: &Candidate) -> io::Result<PathBuf> {
        let place = run.path().join(place);
        if let Candidate::Tree(entries) = candidate {
            write_directory(&place, entries, Survival::Kill)?;
        }
        Ok(place)
    }

    fn clean_up(&self, run: &RunDirectory, exit: Exit) {
        // A complaint shows it to the user.
        if exit != Exit::Nothing && !self.arguments.trial.keep {
            driver::discard(&copy_of_newest(run));
        }
    }
}
