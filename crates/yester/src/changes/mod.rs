//! `yester changes`: from two versions to the changes that broke the second.

mod answer;
mod best;
mod complaint;
mod home;
mod job;
mod place;
mod proof;
mod relapse;
mod search;

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use yester_core::Candidate;
use yester_patch::AtomSet;
use yester_report::{Changes, ChangesResult, Report, Sure, count};
use yester_run::{
    Baseline, CommandLab, Consumer, Events, Expectation, Repeat, RunDirectory, Runner, Subject,
    Survival, TwoSidedBaseline, TwoSidedError, write_directory,
};

use self::answer::CulpritChanges;
use self::best::FewestChanges;
use self::job::{ChangesJob, CommitsBetween};
use crate::cli::ChangesArguments;
use crate::driver::{self, Halt, Investigation, RunTarget, SharedArguments, Standing, TrialSetup};
use crate::failure::{Exit, Failure};
use crate::quote;
use crate::runs::Extent;
use crate::versions::{common_time, failed, has_ccache};

pub fn run(arguments: ChangesArguments, start: &Path, events: &Events) -> Result<Exit, Failure> {
    let begin = Instant::now();
    events.step("reading GOOD and BAD", None);
    driver::drive(&mut ChangesJob::new(arguments, start)?, events, begin)
}

/// The plain copy of GOOD in the run's directory that all trials start from.
fn copy_of_good(run: &RunDirectory) -> PathBuf {
    run.path().join("good")
}

impl Investigation for ChangesJob {
    const COMMAND: &'static str = "changes";
    const UNIT: &'static str = "changed lines";
    const INTRODUCTION: &'static str = "reading the history";
    const PREPARATION: &'static str = "copying GOOD";
    const BASELINE: &'static str = "running the command on GOOD and BAD";
    const KEEPS_OUTPUTS: bool = true;
    const STARTS_CLEAN_JOURNAL: bool = true;
    const LOOKS: usize = 1;

    type Baseline = TwoSidedBaseline;
    type Best = FewestChanges;
    type Finding = CulpritChanges;
    type Result = ChangesResult;

    fn arguments(&self) -> SharedArguments<'_> {
        let ChangesArguments {
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
            words: self.sides(),
            test: quote::command(self.test.command.words.iter().map(|word| word.as_os_str())),
        }
    }

    fn size(&self) -> u64 {
        self.lines()
    }

    fn extent(&self, left: u64) -> Extent {
        Extent::Lines {
            lines: left,
            original_lines: self.lines(),
        }
    }

    fn consumers(&self, _: &Rc<RunDirectory>) -> Vec<Box<dyn Consumer>> {
        Vec::new()
    }

    fn introduce(&mut self, events: &Events) -> Result<(), Failure> {
        for (name, side) in [("good", &self.good), ("bad", &self.bad)] {
            events.say(&format!("{name}: {} is {}", side.word, side.describe()));
            for note in side.version.notes() {
                events.say(&format!("{name}: {note}"));
            }
        }
        if let Some(path) = &self.test.program_in_tree {
            events.say(&format!("test: {path} in the tree of each version"));
        }
        for note in &self.companions.notes {
            events.say(note);
        }
        let files = self.space.difference().changes.len() as u64;
        let mut size = format!(
            "{} in {}",
            count(self.lines(), "changed line"),
            count(files, "file")
        );
        match self.find_commits()? {
            CommitsBetween::Found(commits) => {
                let number = commits.history().commits.len() as u64;
                size.push_str(&format!(", {}", count(number, "commit")));
                self.commits = Some(*commits);
            }
            CommitsBetween::None(reason) => events.say(&reason),
        }
        events.say(&size);
        if has_ccache(&self.arguments.trial) && self.arguments.output_style.verbose > 0 {
            events.say("compilers are called through ccache");
        }
        Ok(())
    }

    fn nothing_to_search(&self) -> Option<Failure> {
        let (good, bad) = (&self.good, &self.bad);
        let message = format!(
            "{} and {} are the same: there is no change to blame",
            good.word, bad.word
        );
        let hint = format!(
            "{} is {}, {} is {}",
            good.word,
            good.describe(),
            bad.word,
            bad.describe()
        );
        let is_same = self.space.difference().atoms() == 0;
        is_same.then(|| Failure::nothing(message).hint(hint))
    }

    fn prepare(&self, run: &RunDirectory) -> Result<TrialSetup, Failure> {
        let good = copy_of_good(run);
        let _ = yester_run::remove(&good);
        self.good
            .version
            .materialise_as_of(&good, common_time())
            .map_err(|error| Failure {
                exit: Exit::Limit,
                ..failed(&error)
            })?;
        let base = good
            .canonicalize()
            .map_err(|error| Failure::io(format!("write {}", good.display()), &error))?;
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
    ) -> Result<TwoSidedBaseline, Halt> {
        let (good, bad) = self.versions().map_err(Halt::Nothing)?;
        TwoSidedBaseline::establish(runner, &bad, &good, expectation).map_err(|error| match error {
            TwoSidedError::Stop(stop) => Halt::Stop(stop),
            TwoSidedError::Mismatch(mismatch) => {
                let bad = run.path().join("bad");
                let _ = yester_run::remove(&bad);
                // Without room for it the message still says what to look at.
                let _ = self.bad.version.materialise(&bad);
                let good = copy_of_good(run);
                Halt::Nothing(complaint::about(&mismatch, self, &good, &bad))
            }
        })
    }

    fn baseline(baseline: &TwoSidedBaseline) -> &Baseline {
        &baseline.baseline
    }

    fn failing_side(&self) -> String {
        self.bad.word.clone()
    }

    fn remarks(&self, baseline: &TwoSidedBaseline) -> Vec<String> {
        let remark = "a second build in the same tree gives other answers than a clean one; every trial gets a clean tree";
        match baseline.warm {
            true => Vec::new(),
            false => vec![remark.to_owned()],
        }
    }

    fn prints_result(&self) -> bool {
        false
    }

    fn needs_clean_trees(baseline: &TwoSidedBaseline) -> bool {
        !baseline.warm
    }

    fn best(&self, _: &Rc<RunDirectory>) -> Result<FewestChanges, Failure> {
        let all = AtomSet::full(self.space.difference().atoms());
        Ok(FewestChanges::new(&self.space, all))
    }

    fn teach(&self, lab: &mut CommandLab<FewestChanges>, baseline: &TwoSidedBaseline) {
        if let Ok((good, bad)) = self.versions() {
            baseline.teach(lab, &bad, &good);
        }
    }

    fn search(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        found: &[CulpritChanges],
    ) -> Result<CulpritChanges, Halt> {
        self.check_limited(lab)?;
        let finding = match self.arguments.answer.isolate {
            true => self.isolate(lab, baseline),
            false => self.culprit(lab, baseline, found),
        };
        self.tell_near_misses(lab, baseline);
        finding
    }

    fn prove(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        finding: &mut CulpritChanges,
        found: &[CulpritChanges],
    ) -> Result<bool, Halt> {
        self.verify(lab, baseline, finding, found)
    }

    fn is_proved(finding: &CulpritChanges) -> bool {
        finding.verified.good_plus_culprit.is_some()
    }

    fn standing(findings: &[CulpritChanges]) -> Standing {
        match findings.iter().all(CulpritChanges::is_certain) {
            true => Standing::Found,
            false => Standing::Unproved,
        }
    }

    fn is_complete(&self, found: &[CulpritChanges]) -> bool {
        !self.arguments.answer.all || !self.is_more_to_find(found)
    }

    fn unfinished(&self, best: &FewestChanges) -> Option<CulpritChanges> {
        // With --isolate, the version without any of these changes is the one that passes so far.
        let none = AtomSet::empty(best.atoms.universe());
        Some(CulpritChanges {
            home: best.home.clone(),
            commit: best.commit.clone(),
            passing: self.arguments.answer.isolate.then_some(none),
            ..CulpritChanges::unproved(&best.space, best.atoms.clone())
        })
    }

    fn second_look(&self, _: &Repeat) -> Option<&'static str> {
        Some(
            "the answer does not hold in a clean tree; searching again with a clean tree for every trial",
        )
    }

    fn refuted(&self) -> &'static str {
        "the changes that were found do not make the good version fail in a clean tree"
    }

    fn write(
        &self,
        run: &RunDirectory,
        findings: &[CulpritChanges],
    ) -> Result<ChangesResult, Failure> {
        self.write_patches(run, findings)
    }

    fn left(result: &ChangesResult) -> u64 {
        result.lines
    }

    fn sure(_: &CulpritChanges) -> Option<Sure> {
        None
    }

    fn next(&self, _: &RunDirectory, result: Option<&ChangesResult>) -> String {
        self.how_to_apply(result)
    }

    fn text(report: &Report<ChangesResult>) -> String {
        Changes::text(report)
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
            driver::discard(&copy_of_good(run));
        }
    }
}
