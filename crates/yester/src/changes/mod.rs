//! `yester changes`: from two versions to the changes that broke the second.

mod answer;
mod best;
mod complaint;
mod job;
mod proof;
mod reader;
mod search;

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use yester_core::Candidate;
use yester_patch::AtomSet;
use yester_patch::regression::BrokenBy;
use yester_report::{ChangesResult, Sure, count, quote};
use yester_run::{
    Baseline, CommandLab, Consumer, Events, Expectation, Repeat, RunDirectory, Runner,
    TwoSidedBaseline, TwoSidedError,
};

use self::answer::CulpritChanges;
use self::best::FewestChanges;
use self::job::{ChangesJob, CommitsBetween};
use crate::call::Call;
use crate::cli::ChangesArguments;
use crate::driver::{
    self, Halt, Presentation, Problem, RunTarget, Scope, Search, SharedArguments, Standing,
    TrialSetup, Words,
};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::runs::Extent;
use crate::versions::{ALWAYS_CLEAN, SECOND_LOOK, has_ccache, save, set_up};

pub fn run(arguments: ChangesArguments, call: &Call, events: &Events) -> Result<Finished, Failure> {
    events.step("reading GOOD and BAD", None);
    driver::drive(&mut ChangesJob::new(arguments, &call.start)?, call, events)
}

/// The plain copy of GOOD in the run's directory that all trials start from.
fn copy_of_good(run: &RunDirectory) -> PathBuf {
    run.path().join("good")
}

impl Problem for ChangesJob {
    const WORDS: Words = Words {
        unit: "changed lines",
        introduction: "reading the history",
        preparation: "copying GOOD",
        baseline: "running the command on GOOD and BAD",
    };

    type Baseline = TwoSidedBaseline;

    fn arguments(&self) -> SharedArguments<'_> {
        let ChangesArguments { trial, run, .. } = &self.arguments;
        SharedArguments {
            name: &self.run,
            trial,
            run,
        }
    }

    fn scope(&self) -> Scope {
        Scope {
            target: RunTarget {
                words: self.sides(),
                test: quote::command(self.test.command.words.iter().map(|word| word.as_os_str())),
            },
            size: self.lines(),
            whole: None,
            failing_side: self.bad.word.clone(),
        }
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
        let (trial, build) = (&self.arguments.trial, &self.arguments.build);
        set_up(
            &self.run,
            (&self.good.version, &copy_of_good(run)),
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

    fn remarks(&self, baseline: &TwoSidedBaseline) -> Vec<String> {
        let is_clean = !baseline.warm;
        is_clean
            .then(|| ALWAYS_CLEAN.to_owned())
            .into_iter()
            .collect()
    }

    fn needs_clean_trees(&self, baseline: &TwoSidedBaseline) -> bool {
        !baseline.warm
    }
}

impl Search for ChangesJob {
    const KEEPS_OUTPUTS: bool = true;
    const STARTS_CLEAN_JOURNAL: bool = true;
    const LOOKS: usize = 1;
    type Best = FewestChanges;
    type Finding = CulpritChanges;

    fn best(&self, _: &Rc<RunDirectory>) -> Result<FewestChanges, Failure> {
        let all = BrokenBy::changes(&self.space, self.space.all());
        Ok(FewestChanges::new(all))
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
        let finding = self.find(lab, baseline, found);
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

    fn is_complete(&self, found: &[CulpritChanges]) -> bool {
        !self.arguments.answer.all || !self.is_more_to_find(found)
    }

    fn unfinished(&self, best: &FewestChanges) -> Option<CulpritChanges> {
        // With --isolate, the version without any of these changes is the one that passes so far.
        let none = AtomSet::empty(best.changes.atoms.universe());
        let changes = BrokenBy {
            passing: self.arguments.answer.isolate.then_some(none),
            ..best.changes.clone()
        };
        Some(CulpritChanges::unproved(changes.with_hunks()))
    }

    fn second_look(&self, _: &Repeat) -> Option<&'static str> {
        Some(SECOND_LOOK)
    }

    fn refuted(&self) -> &'static str {
        "the changes that were found do not make the good version fail in a clean tree"
    }
}

impl Presentation for ChangesJob {
    type Result = ChangesResult;

    fn extent(&self, left: u64) -> Extent {
        Extent::Lines {
            lines: left,
            original_lines: self.lines(),
        }
    }

    fn consumers(&self, _: &Rc<RunDirectory>) -> Vec<Box<dyn Consumer>> {
        Vec::new()
    }

    fn standing(findings: &[CulpritChanges]) -> Standing {
        if findings.iter().all(CulpritChanges::is_certain) {
            Standing::Found
        } else {
            Standing::Unproved
        }
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

    fn save(&self, run: &RunDirectory, place: &Path, candidate: &Candidate) -> io::Result<PathBuf> {
        save(run, place, candidate)
    }

    fn clean_up(&self, run: &RunDirectory, exit: Exit) {
        // A complaint shows it to the user.
        if exit != Exit::Nothing && !self.arguments.trial.keep {
            driver::discard(&copy_of_good(run));
        }
    }
}
