//! The proof of an answer, as it is reported.

use yester_core::Outcome;
use yester_patch::regression::{Fix, Proof};
use yester_report::{TestOutcome, Verified};
use yester_run::{CommandLab, OutputDifference, Reading, Trial, TwoSidedBaseline};

use super::answer::CulpritChanges;
use super::best::FewestChanges;
use super::job::ChangesJob;
use super::reader::StepReader;
use crate::driver::Halt;
use crate::versions::{Fixes, FollowedLab, ProvedFix, ending, halt, reported, unreadable};

impl ChangesJob {
    /// Whether BAD still fails without all that was found, and something else is left to blame.
    pub fn is_more_to_find(&self, found: &[CulpritChanges]) -> bool {
        let last = found.last();
        let outcome = last.and_then(|last| last.verified.bad_minus_culprit);
        let all = self.all_found(found);
        outcome == Some(TestOutcome::Fail) && !self.compared().without(&all).is_empty()
    }

    /// Runs an answer and what is left of BAD without it in clean trees. Says whether the answer fails there.
    pub fn verify(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        finding: &mut CulpritChanges,
        found: &[CulpritChanges],
    ) -> Result<bool, Halt> {
        let compared = self.compared();
        let follower = StepReader::new(baseline, lab.judge());
        let lab = &mut FollowedLab { lab, follower };
        let mut proof = Proof::default();
        let holds = compared.prove(lab, &finding.changes, &self.all_found(found), &mut proof);
        finding.carried = proof.carried;
        if !holds.map_err(halt)? {
            return Ok(false);
        }
        let commit = finding.changes.commit.as_ref();
        let commit = commit.map(|commit| commit.short().to_owned());
        let taken_out_lines = proof.fix.as_ref().map(|fix| fix.step.lines());
        finding.fixes = match proof.fix {
            Some(fix) => Some(Fixes {
                minimal: proved(fix)?,
                whole: proof.whole.try_map(proved)?,
                commit: commit.unwrap_or_default(),
                objection: None,
                also: Vec::new(),
            }),
            None => None,
        };
        let without = proof.without.as_ref();
        finding.verified = Verified {
            good_plus_culprit: proof
                .failing
                .as_ref()
                .map(|(outcome, _)| reported(*outcome)),
            bad_minus_culprit: without.map(|(outcome, _)| reported(*outcome)),
            bad_minus_culprit_ending: match without {
                Some((Outcome::Pass, _)) => None,
                Some((_, trial)) => Some(ending(trial)),
                None => Some("later changes touch the same lines".to_owned()),
            },
            taken_out_lines,
            passing: proof.passing.map(reported),
            missing_output: match &proof.failing {
                Some((_, trial)) => missing_output(trial, baseline),
                None => Vec::new(),
            },
        };
        finding.relapse = compared.relapse(lab, &finding.changes)?;
        let arguments = &self.arguments;
        if let (Some(line), Some(fixes)) = (&arguments.also, &mut finding.fixes) {
            let test = self.test.invocation(&arguments.trial, &arguments.build);
            let (_, bad) = self.versions().map_err(Halt::Nothing)?;
            fixes.ask_also(lab.lab, line, test, &bad)?;
        }
        Ok(true)
    }
}

/// A fix with its patch.
fn proved(fix: Fix) -> Result<ProvedFix, Halt> {
    let patch = fix.step.patch();
    Ok(ProvedFix {
        patch: patch.map_err(|error| Halt::Nothing(unreadable(&error)))?,
        lines: fix.step.lines(),
        candidate: fix.candidate,
    })
}

/// The lines that BAD always prints, GOOD does not, and this run does not either.
fn missing_output(trial: &Trial, baseline: &TwoSidedBaseline) -> Vec<String> {
    let judge = &baseline.baseline.judge;
    match (&judge.reading, &trial.observation) {
        (Reading::Reproducing(_, output), Some(observation)) => {
            match output.difference(observation, &judge.names) {
                Some(OutputDifference::Missing(lines)) => lines,
                Some(OutputDifference::Foreign(_)) | None => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}
