//! The proof of an answer: what it does in clean trees, alone and taken out of BAD.

use std::collections::BTreeMap;

use yester_core::{Candidate, Lab, Outcome, Phase, Stop};
use yester_patch::{AtomSet, ChangeSpace, DeltaLevel, PatchError, Version};
use yester_report::{TestOutcome, Verified};
use yester_run::{CommandLab, OutputDifference, Reading, Trial, TwoSidedBaseline};

use super::answer::{CulpritChanges, union};
use super::best::FewestChanges;
use super::home::Home;
use super::job::ChangesJob;
use crate::driver::Halt;
use crate::failure::{Exit, Failure};
use crate::versions::{
    PatchStep, ending, failed, outcome, reported, version, wider, with_all_of_created,
};

/// BAD without the culprit, or without a little more where that makes no sense.
struct Removal {
    step: PatchStep,
    candidate: Candidate,
}

impl ChangesJob {
    /// The changes of BAD without those of some culprits.
    pub fn without(&self, found: &[CulpritChanges]) -> AtomSet {
        let universe = self.space.difference().atoms();
        let all = AtomSet::full(universe);
        all.difference(&with_all_of_created(&self.space, &union(universe, found)))
    }

    /// Whether BAD still fails without all that was found, and something else is left to blame.
    pub fn is_more_to_find(&self, found: &[CulpritChanges]) -> bool {
        let last = found.last();
        let outcome = last.and_then(|last| last.verified.bad_minus_culprit);
        outcome == Some(TestOutcome::Fail) && !self.without(found).is_empty()
    }

    /// Runs an answer and what is left of BAD without it in clean trees. Says whether the answer fails there.
    pub fn verify(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        finding: &mut CulpritChanges,
        found: &[CulpritChanges],
    ) -> Result<bool, Halt> {
        lab.enter(Phase {
            what: "checking the answer in clean trees",
            deltas: 0,
        });
        let with_culprit = match &finding.passing {
            Some(passing) => passing.union(&finding.atoms),
            None => finding.atoms.clone(),
        };
        let Ok(failing) = version(&finding.space, &with_culprit) else {
            return Ok(false);
        };
        let mut versions = vec![failing];
        let passing = finding.passing.as_ref();
        let passing = passing.and_then(|atoms| version(&finding.space, atoms).ok());
        let has_passing = passing.is_some();
        versions.extend(passing);
        let carried = self.carried_to_good(finding)?;
        let has_carried = carried.is_some();
        versions.extend(carried.as_ref().map(|(_, candidate)| candidate.clone()));
        let mut removals = self.removals(finding, found)?.into_iter();
        let mut removal = removals.next();
        versions.extend(removal.as_ref().map(|removal| removal.candidate.clone()));

        let mut seen = run_clean(lab, &versions)?.into_iter();
        let mut next = |is_there: bool| is_there.then(|| seen.next()).flatten();
        let failing = next(true).expect("it was run");
        let passing = next(has_passing).map(|trial| outcome(&trial));
        let on_good = next(has_carried);
        let mut without = next(removal.is_some());
        if outcome(&failing) != Outcome::Fail
            || passing.is_some_and(|passing| passing != Outcome::Pass)
        {
            return Ok(false);
        }
        let holds_on_good = on_good.is_some_and(|trial| outcome(&trial) == Outcome::Fail);
        finding.carried = carried.filter(|_| holds_on_good).map(|(step, _)| step);
        // GOOD is known to pass in a clean tree, another version of the history is not.
        if finding.home.is_some() && finding.carried.is_none() && finding.passing.is_none() {
            let none = AtomSet::empty(finding.atoms.universe());
            let base = version(&finding.space, &none).ok();
            let base = run_clean(lab, base.as_slice())?;
            if base.iter().any(|trial| outcome(trial) != Outcome::Pass) {
                return Ok(false);
            }
        }
        // Taking out just these lines may leave a version that cannot be built; a little more may not.
        while without
            .as_ref()
            .is_some_and(|trial| outcome(trial) == Outcome::Unresolved)
            && let Some(wider) = removals.next()
        {
            let trial = run_clean(lab, std::slice::from_ref(&wider.candidate))?.pop();
            if trial
                .as_ref()
                .is_some_and(|trial| outcome(trial) == Outcome::Pass)
            {
                (removal, without) = (Some(wider), trial);
            }
        }
        let bad_minus_culprit = without.as_ref().map(outcome);
        finding.fix = removal
            .filter(|_| bad_minus_culprit == Some(Outcome::Pass))
            .map(|removal| removal.step);
        finding.verified = Verified {
            good_plus_culprit: Some(reported(outcome(&failing))),
            bad_minus_culprit: bad_minus_culprit.map(reported),
            bad_minus_culprit_ending: match &without {
                Some(trial) if outcome(trial) != Outcome::Pass => Some(ending(trial)),
                Some(_) => None,
                None => Some("later changes touch the same lines".to_owned()),
            },
            taken_out_lines: finding.fix.as_ref().map(PatchStep::lines),
            passing: passing.map(reported),
            missing_output: missing_output(&failing, baseline),
        };
        finding.relapse = self.relapse(lab, finding)?;
        Ok(true)
    }

    /// GOOD with a culprit that was found at another version of the history.
    fn carried_to_good(
        &self,
        finding: &CulpritChanges,
    ) -> Result<Option<(PatchStep, Candidate)>, Halt> {
        if finding.home.is_none() || finding.passing.is_some() {
            return Ok(None);
        }
        let none = AtomSet::empty(finding.atoms.universe());
        let step = self.carry_step(&finding.space, (&none, &finding.atoms), &self.good.version)?;
        Ok(step.and_then(|step| {
            let candidate = version(&step.space, &step.to).ok()?;
            Some((step, candidate))
        }))
    }

    /// The ways to take a culprit out of BAD, the smallest first.
    fn removals(
        &self,
        finding: &CulpritChanges,
        found: &[CulpritChanges],
    ) -> Result<Vec<Removal>, Halt> {
        let mut removals: Vec<Removal> = Vec::new();
        let whole = self.without(found);
        for atoms in wider(&finding.space, &finding.atoms) {
            // That GOOD passes is known and proves nothing about a part of the changes.
            if finding.home.is_none() && atoms == whole && finding.atoms != whole {
                continue;
            }
            let removal = match &finding.home {
                Some(home) => self.removal_at(home, &atoms)?,
                None => self.removal_of(&atoms, found),
            };
            removals.extend(removal.filter(|removal| {
                let is_new = |other: &Removal| other.candidate != removal.candidate;
                removals.iter().all(is_new)
            }));
        }
        Ok(removals)
    }

    /// BAD without some of its changes.
    fn removal_of(&self, atoms: &AtomSet, found: &[CulpritChanges]) -> Option<Removal> {
        let from = self.without(found);
        let to = from.difference(atoms);
        let rest = self.space.over(self.beyond.clone());
        let candidate = version(&rest, &to).ok()?;
        let step = PatchStep {
            space: self.space.clone(),
            // The fix takes out all that was found so far.
            from: AtomSet::full(from.universe()),
            to,
        };
        Some(Removal { step, candidate })
    }

    /// BAD without changes that were made at an earlier step of the history.
    fn removal_at(&self, home: &Home, atoms: &AtomSet) -> Result<Option<Removal>, Halt> {
        let all = AtomSet::full(atoms.universe());
        let step = (&all, &all.difference(atoms));
        let step = self.carry_step(&home.space, step, &self.bad.version)?;
        let (_, bad) = self.versions().map_err(Halt::Nothing)?;
        let Candidate::Tree(beneath) = bad else {
            return Ok(None);
        };
        Ok(step.and_then(|step| {
            let candidate = version(&step.space.over(beneath), &step.to).ok()?;
            Some(Removal { step, candidate })
        }))
    }

    /// What the step from one set of changes to another does to another version.
    fn carry_step(
        &self,
        space: &ChangeSpace,
        step: (&AtomSet, &AtomSet),
        onto: &Version,
    ) -> Result<Option<PatchStep>, Halt> {
        let unreadable = |error: PatchError| {
            Halt::Nothing(Failure {
                exit: Exit::Limit,
                ..failed(&error)
            })
        };
        let carriage = space.carry(step, onto, &BTreeMap::new());
        let difference = carriage.map_err(unreadable)?.moved();
        Ok(difference.map(|difference| {
            let atoms = difference.atoms();
            PatchStep {
                // Whatever is merged is tried, whether it parses or not.
                space: ChangeSpace::new(difference, DeltaLevel::Hunk, None),
                from: AtomSet::empty(atoms),
                to: AtomSet::full(atoms),
            }
        }))
    }
}

/// What versions give in clean trees with clean builds.
fn run_clean(
    lab: &mut CommandLab<FewestChanges>,
    versions: &[Candidate],
) -> Result<Vec<Trial>, Stop> {
    lab.test_clean(&versions.iter().collect::<Vec<_>>())
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
