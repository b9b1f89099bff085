//! The proof of an answer: what it does in clean places, alone and taken out of BAD.

use std::collections::BTreeMap;

use yester_core::{Candidate, Outcome, Phase, ProvingLab};

use super::{BrokenBy, ComparedVersions, Home, SearchError};
use crate::whole_fix::{around, first_that_passes};
use crate::{
    AtomSet, ChangeSpace, CommitTrees, DeltaLevel, PatchError, PatchStep, Version, WholeFix, wider,
};

/// What runs in clean places have shown of a culprit.
pub struct Proof<R> {
    /// The version that passes, with the culprit.
    pub failing: Option<(Outcome, R)>,
    /// The version that passes, where that is not the one without any changes.
    pub passing: Option<Outcome>,
    /// The same changes on GOOD, where they were found at another version and GOOD fails with them too.
    pub carried: Option<PatchStep>,
    /// BAD without the culprit. Nothing if later changes touch the same lines.
    pub without: Option<(Outcome, R)>,
    /// Takes the changes out of BAD, which passes then.
    pub fix: Option<Fix>,
    /// Takes out all that the commit did where the culprit is.
    pub whole: WholeFix<Fix>,
}

impl<R> Default for Proof<R> {
    fn default() -> Self {
        Proof {
            failing: None,
            passing: None,
            carried: None,
            without: None,
            fix: None,
            whole: WholeFix::Unknown,
        }
    }
}

/// BAD without the culprit, or without more than that.
pub struct Fix {
    /// What makes it of BAD.
    pub step: PatchStep,
    /// The version then.
    pub candidate: Candidate,
    /// The changes that are taken out of those of the culprit's step.
    atoms: AtomSet,
}

impl ComparedVersions<'_> {
    /// Runs a culprit, and what is left of BAD without it and those that were found before, in clean places. Says whether
    /// it fails there. What is shown stays in the proof, should it be stopped.
    pub fn prove<L: ProvingLab>(
        &self,
        lab: &mut L,
        culprit: &BrokenBy,
        found: &AtomSet,
        proof: &mut Proof<L::Run>,
    ) -> Result<bool, SearchError> {
        lab.enter(Phase {
            what: "checking the answer in clean trees",
            deltas: 0,
        });
        let with_culprit = match &culprit.passing {
            Some(passing) => passing.union(&culprit.atoms),
            None => culprit.atoms.clone(),
        };
        let Ok(failing) = culprit.space.version(&with_culprit) else {
            return Ok(false);
        };
        let passing = culprit.passing.as_ref();
        let passing = passing.and_then(|atoms| culprit.space.version(atoms).ok());
        let carried = self.carried_to_good(culprit)?;
        let mut removals = self.removals(culprit, found)?.into_iter();
        let mut removal = removals.next();

        let mut versions = vec![&failing];
        versions.extend(&passing);
        versions.extend(carried.as_ref().map(|(_, candidate)| candidate));
        versions.extend(removal.as_ref().map(|removal| &removal.candidate));
        let mut seen = lab.test_clean(&versions)?.into_iter();
        let mut next = |is_there: bool| is_there.then(|| seen.next()).flatten();
        let failing = next(true).expect("it was run");
        let passing = next(passing.is_some()).map(|(outcome, _)| outcome);
        let on_good = next(carried.is_some());
        let mut without = next(removal.is_some());
        if failing.0 != Outcome::Fail || passing.is_some_and(|passing| passing != Outcome::Pass) {
            return Ok(false);
        }
        let holds_on_good = on_good.is_some_and(|(outcome, _)| outcome == Outcome::Fail);
        proof.carried = carried.filter(|_| holds_on_good).map(|(step, _)| step);
        // GOOD is known to pass in a clean tree, another version of the history is not.
        if culprit.home.is_some() && proof.carried.is_none() && culprit.passing.is_none() {
            let none = AtomSet::empty(culprit.atoms.universe());
            let base = culprit.space.version(&none).ok();
            let base = lab.test_clean(&base.iter().collect::<Vec<_>>())?;
            if base.iter().any(|(outcome, _)| *outcome != Outcome::Pass) {
                return Ok(false);
            }
        }
        // Taking out just these lines may leave a version that cannot be built; a little more may not.
        while let Some((Outcome::Unresolved, _)) = &without
            && let Some(wider) = removals.next()
        {
            let trial = lab.test_clean(&[&wider.candidate])?.pop();
            if let Some((Outcome::Pass, _)) = &trial {
                (removal, without) = (Some(wider), trial);
            }
        }
        let is_fixed = matches!(without, Some((Outcome::Pass, _)));
        proof.fix = removal.filter(|_| is_fixed);
        proof.failing = Some(failing);
        proof.passing = passing;
        proof.without = without;
        if let Some(fix) = &proof.fix {
            proof.whole = self.whole_fix(lab, culprit, found, fix)?;
        }
        Ok(true)
    }

    /// Takes all that the commit did where the culprit is out of BAD, if that is more than a fix does, and runs it.
    fn whole_fix<L: ProvingLab>(
        &self,
        lab: &mut L,
        culprit: &BrokenBy,
        found: &AtomSet,
        fix: &Fix,
    ) -> Result<WholeFix<Fix>, SearchError> {
        if !self.is_of_one_commit(culprit) {
            return Ok(WholeFix::Unknown);
        }
        let rest = self.without(found);
        let mut ways: Vec<Option<Fix>> = Vec::new();
        for atoms in around(&culprit.space, &culprit.atoms) {
            let is_more = atoms != fix.atoms && fix.atoms.difference(&atoms).is_empty();
            // That GOOD passes is known and proves nothing about a part of the changes.
            let is_good = culprit.home.is_none() && atoms == rest;
            let mut known = ways.iter().flatten();
            if is_more && !is_good && known.all(|known| known.atoms != atoms) {
                let removal = self.removal(culprit, &atoms, &rest)?;
                ways.push(removal.filter(|removal| removal.candidate != fix.candidate));
            }
        }
        let ways = ways.into_iter().map(|way| {
            way.map(|fix| {
                let candidate = fix.candidate.clone();
                (fix, candidate)
            })
        });
        Ok(first_that_passes(lab, ways)?)
    }

    /// Whether all changes of the step are those of one commit, which is no merge.
    fn is_of_one_commit(&self, culprit: &BrokenBy) -> bool {
        let is_plain = |parents: &[String]| parents.len() == 1;
        let commit = match (&culprit.home, self.commits.map(CommitTrees::history)) {
            (Some(home), _) => home.commit(),
            (None, Some(history)) if history.commits.len() == 1 => culprit.commit.as_ref(),
            _ => None,
        };
        culprit.passing.is_none() && commit.is_some_and(|commit| is_plain(&commit.parents))
    }

    /// GOOD with a culprit that was found at another version of the history.
    fn carried_to_good(
        &self,
        culprit: &BrokenBy,
    ) -> Result<Option<(PatchStep, Candidate)>, PatchError> {
        if culprit.home.is_none() || culprit.passing.is_some() {
            return Ok(None);
        }
        let none = AtomSet::empty(culprit.atoms.universe());
        let step = carried_step(&culprit.space, (&none, &culprit.atoms), self.good)?;
        Ok(step.and_then(|step| {
            let candidate = step.space.version(&step.to).ok()?;
            Some((step, candidate))
        }))
    }

    /// The ways to take a culprit out of BAD, the smallest first.
    fn removals(&self, culprit: &BrokenBy, found: &AtomSet) -> Result<Vec<Fix>, PatchError> {
        let mut removals: Vec<Fix> = Vec::new();
        let whole = self.without(found);
        for atoms in wider(&culprit.space, &culprit.atoms) {
            // That GOOD passes is known and proves nothing about a part of the changes.
            if culprit.home.is_none() && atoms == whole && culprit.atoms != whole {
                continue;
            }
            let removal = self.removal(culprit, &atoms, &whole)?;
            removals.extend(removal.filter(|removal| {
                let is_new = |other: &Fix| other.candidate != removal.candidate;
                removals.iter().all(is_new)
            }));
        }
        Ok(removals)
    }

    /// BAD without some changes of the step of a culprit.
    fn removal(
        &self,
        culprit: &BrokenBy,
        atoms: &AtomSet,
        from: &AtomSet,
    ) -> Result<Option<Fix>, PatchError> {
        match &culprit.home {
            Some(home) => self.removal_at(home, atoms),
            None => Ok(self.removal_of(atoms, from)),
        }
    }

    /// BAD without some of its changes.
    fn removal_of(&self, atoms: &AtomSet, from: &AtomSet) -> Option<Fix> {
        let to = from.difference(atoms);
        let rest = self.space.over(self.beyond.clone());
        let candidate = rest.version(&to).ok()?;
        let step = PatchStep {
            space: self.space.clone(),
            // The fix takes out all that was found so far.
            from: AtomSet::full(from.universe()),
            to,
        };
        Some(Fix {
            step,
            candidate,
            atoms: atoms.clone(),
        })
    }

    /// BAD without changes that were made at an earlier step of the history.
    fn removal_at(&self, home: &Home, atoms: &AtomSet) -> Result<Option<Fix>, PatchError> {
        let all = AtomSet::full(atoms.universe());
        let step = carried_step(&home.space, (&all, &all.difference(atoms)), self.bad)?;
        let Ok(Candidate::Tree(beneath)) = self.bad_candidate() else {
            return Ok(None);
        };
        Ok(step.and_then(|step| {
            let candidate = step.space.over(beneath).version(&step.to).ok()?;
            Some(Fix {
                step,
                candidate,
                atoms: atoms.clone(),
            })
        }))
    }
}

/// What the step from one set of changes to another does to another version.
fn carried_step(
    space: &ChangeSpace,
    step: (&AtomSet, &AtomSet),
    onto: &Version,
) -> Result<Option<PatchStep>, PatchError> {
    let difference = space.carry(step, onto, &BTreeMap::new())?.moved();
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
