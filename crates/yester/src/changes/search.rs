//! The search for the culprit, and what is said about it.

use yester_core::Outcome;
use yester_patch::Effort;
use yester_patch::regression::RegressionSearch;
use yester_run::{CommandLab, Reading, Signature, TwoSidedBaseline};

use super::answer::CulpritChanges;
use super::best::FewestChanges;
use super::job::ChangesJob;
use super::reader::StepReader;
use crate::driver::Halt;
use crate::failure::Failure;
use crate::versions::{FollowedLab, halt};

/// So many trials that fail nearly as BAD does are no coincidence.
const NEAR_MISSES: u64 = 4;

impl ChangesJob {
    /// Says when many trials have failed as BAD does but for numbers or for lines beside the one that says most.
    pub fn tell_near_misses(&self, lab: &CommandLab<FewestChanges>, baseline: &TwoSidedBaseline) {
        let judge = &baseline.baseline.judge;
        let (Reading::Reproducing(..), Some(bad)) = (&judge.reading, &baseline.bad.observation)
        else {
            return;
        };
        let bad = Signature::of(bad, &judge.names);
        let others = lab.others();
        let near = others.iter().find(|(signature, _)| **signature == bad);
        if let Some((_, near)) = near.filter(|(_, near)| near.seen >= NEAR_MISSES) {
            lab.events().say(&format!(
                "{} versions fail as {} does but for numbers or other lines, and count as another failure; \
                 if it is the same one, use --same-failure message",
                near.seen, self.bad.word
            ));
        }
    }

    /// Sees that GOOD with the changes that `--only` names fails as BAD does.
    pub fn check_limited(&self, lab: &mut CommandLab<FewestChanges>) -> Result<(), Halt> {
        if !self.is_limited() {
            return Ok(());
        }
        let (_, limited) = self.searched_versions().map_err(Halt::Nothing)?;
        let trials = lab.test_clean(&[&limited])?;
        if trials
            .iter()
            .all(|trial| trial.outcome == Some(Outcome::Fail))
        {
            return Ok(());
        }
        let message = format!(
            "{} with the changes that --only names does not fail as {} does",
            self.good.word, self.bad.word
        );
        Err(Halt::Nothing(Failure::nothing(message).hint(
            "the failure needs other changes too: name them or leave out --only",
        )))
    }

    /// A culprit beside those that were found.
    pub fn find(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        found: &[CulpritChanges],
    ) -> Result<CulpritChanges, Halt> {
        let answer = &self.arguments.answer;
        let search = RegressionSearch {
            versions: self.compared(),
            read: baseline.read.as_ref(),
            effort: if answer.thorough {
                Effort::EveryLine
            } else {
                Effort::Lines
            },
            algorithm: self.arguments.algorithm.map(Into::into),
            is_for_all: answer.all,
        };
        let found = self.all_found(found);
        if !found.is_empty() {
            lab.events().say(&format!(
                "without it {} still fails; searching the other {} changed lines",
                self.bad.word,
                self.space.lines(&search.versions.without(&found))
            ));
        }
        let follower = StepReader::new(baseline, lab.judge());
        let lab = &mut FollowedLab { lab, follower };
        let changes = if answer.isolate {
            search.isolate(lab)
        } else {
            search.culprit(lab, &found)
        };
        Ok(CulpritChanges::unproved(changes.map_err(halt)?))
    }
}
