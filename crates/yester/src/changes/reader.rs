//! How versions of the history are read, each by what tells it from those that pass.

use yester_core::{Candidate, Outcome};
use yester_patch::Commit;
use yester_patch::regression::{BrokenBy, Home, StepLab};
use yester_report::count;
use yester_run::{FailureOutput, Judge, Printed, Reading, TwoSidedBaseline};

use super::best::FewestChanges;
use super::job::changed_names;
use crate::versions::{FollowedLab, tell_version};

/// Knows what GOOD and BAD print, and how versions are read.
pub struct StepReader<'a> {
    baseline: &'a TwoSidedBaseline,
    /// How versions were read before the search.
    before: Judge,
    /// How versions between GOOD and BAD are read.
    whole: Judge,
}

impl StepReader<'_> {
    pub fn new<'a>(baseline: &'a TwoSidedBaseline, judge: &Judge) -> StepReader<'a> {
        StepReader {
            baseline,
            before: judge.clone(),
            whole: judge.clone(),
        }
    }
}

impl StepLab for FollowedLab<'_, FewestChanges, StepReader<'_>> {
    fn read_any_step(&mut self) {
        self.lab.read_by(at_any_step(&self.follower.whole));
        self.lab.keep_all_outputs(true);
    }

    fn learn_passing(&mut self, passing: &Candidate) -> bool {
        let Some(wiser) = self.wiser(passing) else {
            return false;
        };
        self.lab.read_by(at_any_step(&wiser));
        self.lab.reconsider();
        self.follower.whole = wiser;
        true
    }

    fn read_all(&mut self) {
        self.lab.keep_all_outputs(false);
        self.lab.read_by(self.follower.whole.clone());
    }

    fn read_step(&mut self, home: &Home) {
        let Some(judge) = self.judge_of(home) else {
            return;
        };
        self.lab.read_by(judge);
        let files = home.space.difference().changes.len() as u64;
        self.lab.events().say(&format!(
            "{} fails and {} passes: {} in {}",
            home.suspects.last().map_or("", Commit::short),
            home.base_word(),
            count(home.space.lines(&home.space.all()), "changed line"),
            count(files, "file"),
        ));
    }

    fn leave_step(&mut self, later: &Commit) {
        self.lab.events().say(&format!(
            "{} is without it and passes; searching after that",
            later.short()
        ));
        self.follower.whole = self.follower.before.clone();
        self.lab.read_by(self.follower.whole.clone());
    }

    fn tell(&mut self, tested: &[(Commit, Outcome)], history: &[Commit]) {
        for (commit, outcome) in tested {
            tell_version(self.lab.events(), commit, history, *outcome);
        }
    }

    fn start_with(&mut self, best: &BrokenBy) {
        *self.lab.best_mut() = FewestChanges::new(best.clone());
    }
}

impl FollowedLab<'_, FewestChanges, StepReader<'_>> {
    /// The judge that has also seen what another version prints that passes, if that makes a difference.
    fn wiser(&self, passing: &Candidate) -> Option<Judge> {
        let StepReader {
            baseline, whole, ..
        } = &self.follower;
        let good = baseline.good.observation.as_ref()?;
        let other = self.lab.output_of(passing)?;
        let mut wiser = whole.clone();
        let Reading::Reproducing(_, output) = &mut wiser.reading else {
            return None;
        };
        let before = output.clone();
        *output = output.with_passing(&[good, &*other], &whole.names);
        (*output != before).then_some(wiser)
    }

    /// How versions between the two of a step are read: by what tells these apart.
    fn judge_of(&self, home: &Home) -> Option<Judge> {
        let StepReader {
            baseline, whole, ..
        } = &self.follower;
        let all = home.space.all();
        let failing = home.space.version(&all).ok()?;
        let passing = home.space.version(&all.difference(&all)).ok()?;
        let closer = |names: &[String], output: &FailureOutput| {
            let bad: &dyn Printed = baseline.bad.observation.as_ref()?;
            let good: &dyn Printed = baseline.good.observation.as_ref()?;
            // A step may begin with GOOD or end with BAD, which the search has not run.
            let (after, before) = (self.lab.output_of(&failing), self.lab.output_of(&passing));
            let after = after
                .as_deref()
                .map_or(bad, |output| output as &dyn Printed);
            let before = before
                .as_deref()
                .map_or(good, |output| output as &dyn Printed);
            let closer = FailureOutput::between(&[after], &[before], names);
            Some(output.narrowed(closer, bad, names))
        };
        let mut judge = whole.clone();
        for name in changed_names(&home.space) {
            if !judge.names.contains(&name) {
                judge.names.push(name);
            }
        }
        if let Reading::Reproducing(_, output) = &mut judge.reading {
            *output = closer(&judge.names, output).unwrap_or_else(|| output.at_any_step());
        }
        Some(judge)
    }
}

/// How any version of the history is read.
fn at_any_step(judge: &Judge) -> Judge {
    let mut judge = judge.clone();
    if let Reading::Reproducing(_, output) = &mut judge.reading {
        *output = output.at_any_step();
    }
    judge
}
