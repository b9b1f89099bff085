//! Which of the changes between two versions are to blame.

mod commit;
mod lesson;
mod patient;
mod rendering;
mod suspicion;
mod watched;

use std::collections::BTreeSet;

use yester_core::{
    Cached, Knowledge, Lab, Outcome, Predicted, Reach, Space, Stop, Subset, Tester,
    binary_reduction, lop, peel, sweep,
};

use self::lesson::lesson;
use self::patient::{Patience, Patient};
use self::suspicion::{Suspicion, is_read};
use self::watched::Watched;
use crate::{AtomSet, ChangeSpace, Commit, CommitTrees, DeltaLevel};

/// So many lines are tried one by one, unless every single one is asked for.
const FEW_LINES: usize = 24;
/// In how many runs more lines are cut at first.
const PIECES: usize = 24;
/// So many are tried one by one.
const FEW: usize = 12;
/// After so many pieces in a row that make no sense no more are tried.
const PATIENCE: usize = 10;

/// What is searched, and what is known before the first trial.
pub struct Search<'a> {
    /// The deltas between the two versions, at any level.
    pub space: &'a ChangeSpace,
    /// The atoms that are searched: together they are known to fail. None at all are known to pass.
    pub start: AtomSet,
    /// The commits between the versions, where there is a history.
    pub commits: Option<&'a CommitTrees>,
    /// The files that the build or the test of either version reads, where that is known.
    pub read: Option<&'a BTreeSet<String>>,
    /// Whether every single line of the answer is tried, however many there are.
    pub thorough: bool,
}

/// What the search is about to do.
pub struct Step {
    /// What it looks at.
    pub what: &'static str,
    /// How many changed lines are left.
    pub lines: u64,
}

/// Changes that make the good version fail as the bad one does.
pub struct Culprit {
    /// The changes.
    pub atoms: AtomSet,
    /// The same by hunks, with what happens without each.
    pub parts: Vec<Part>,
    /// The first commit with which the history fails, where it was searched.
    pub commit: Option<Commit>,
    /// Whether no single line can be left out. Otherwise there were too many to try each.
    pub is_minimal_by_line: bool,
}

/// Changed lines next to each other that are part of the answer.
pub struct Part {
    /// The changes.
    pub atoms: AtomSet,
    /// What the answer without them gives: Pass for a cause, Unresolved for what the rest cannot be built or run without.
    /// Nothing where there are too many parts to try each: then the others are known to need it, or it is a cause.
    pub without: Option<Outcome>,
}

/// The smallest difference between a version that passes and one that fails.
pub struct Isolated {
    /// The changes of the version that passes.
    pub passing: AtomSet,
    /// The changes of the version that fails; it has all of the others.
    pub failing: AtomSet,
}

impl Search<'_> {
    /// A minimal set of changes with which the good version fails. `best` is the smallest one so far at any moment, for
    /// when the search is stopped.
    ///
    /// First the history is searched for the commit that broke it, then the hunks, the most suspicious first, together
    /// with what they need, and in the end the lines of those that are left.
    pub fn culprit(
        &self,
        lab: &mut dyn Lab,
        best: &mut AtomSet,
        watch: &mut dyn FnMut(&Step),
    ) -> Result<Culprit, Stop> {
        *best = self.start.clone();
        let suspects = self.suspects(lab, watch)?;
        let mut stage = Stage {
            lab,
            best,
            watch,
            is_senseless: false,
        };
        let mut atoms = self.entities(&mut stage, &suspects)?;
        for level in [DeltaLevel::Entity, DeltaLevel::Hunk] {
            let space = self.space.of(&atoms, level);
            atoms = self.finer(&mut stage, "looking for the hunks", &space)?;
        }
        let mut atoms = self.lines(&mut stage, atoms)?;
        let is_minimal_by_line = self.thorough || atoms.len() <= FEW_LINES;
        let parts = loop {
            if is_minimal_by_line {
                let lines = self.space.of(&atoms, DeltaLevel::Line);
                atoms = stage.search("trying each line", &lines, |tester| {
                    one_by_one(tester, &lines)
                })?;
            }
            match self.parts(&mut stage, &atoms)? {
                Parts::Needed(parts) => break parts,
                Parts::Less(less) => atoms = less,
            }
        };
        *stage.best = atoms.clone();
        Ok(Culprit {
            atoms,
            parts,
            commit: (suspects.len() == 1).then(|| suspects[0].clone()),
            is_minimal_by_line,
        })
    }

    /// The commits of which one broke it, as far as the history tells.
    fn suspects(
        &self,
        lab: &mut dyn Lab,
        watch: &mut dyn FnMut(&Step),
    ) -> Result<Vec<Commit>, Stop> {
        let Some(commits) = self.commits else {
            return Ok(Vec::new());
        };
        watch(&Step {
            what: "looking for the commit",
            lines: self.lines_of(&self.start),
        });
        commit::turn(lab, commits)
    }

    fn lines_of(&self, atoms: &AtomSet) -> u64 {
        let difference = self.space.difference();
        atoms.iter().map(|atom| difference.weight(atom)).sum()
    }

    /// A small set of entities whose changes fail with all that they need.
    fn entities(&self, stage: &mut Stage<'_>, suspects: &[Commit]) -> Result<AtomSet, Stop> {
        let space = self.space.of(&self.start, DeltaLevel::Entity);
        let suspicion = Suspicion::new(&space, self.read, &self.guilty(suspects));
        let mut knowledge = self.knowledge(&space);
        let all = Subset::full(space.len());
        stage.search("looking for the changes", &space, |tester| {
            let mut learn = |subset: &Subset, output| lesson(&space, subset, output);
            let failing = binary_reduction(
                tester,
                &suspicion.grouping(&space),
                &|delta| suspicion.mass(delta),
                &mut knowledge,
                &all,
                &mut learn,
            )?;
            let weight = |delta| space.weight(delta);
            let failing = match failing.len() <= FEW {
                true => failing,
                false => lop(tester, &mut knowledge, &failing, &weight, &mut learn)?,
            };
            peel(tester, &mut knowledge, &failing, &mut learn)
        })
    }

    /// What is known of a space: what nothing reads is not needed by what is.
    fn knowledge(&self, space: &ChangeSpace) -> Knowledge {
        space.knowledge_of(|change| is_read(self.read, change))
    }

    /// The atoms that come from one of these commits.
    fn guilty(&self, suspects: &[Commit]) -> BTreeSet<usize> {
        let Some(commits) = self.commits.filter(|_| !suspects.is_empty()) else {
            return BTreeSet::new();
        };
        // Without an answer of git all commits are as likely as before.
        let blame = commits
            .history()
            .blame(self.space.difference(), &self.start)
            .unwrap_or_default();
        let is_guilty = |id: &String| suspects.iter().any(|commit| commit.id == *id);
        let guilty = blame.into_iter().filter(|(_, id)| is_guilty(id));
        guilty.map(|(atom, _)| atom).collect()
    }

    /// Fewer lines: the hunks are cut into runs, and these into shorter ones as long as that brings something.
    fn lines(&self, stage: &mut Stage<'_>, hunks: AtomSet) -> Result<AtomSet, Stop> {
        let mut atoms = hunks;
        let mut pieces = PIECES;
        while atoms.len() > FEW_LINES {
            let runs = runs(self.space, &atoms, atoms.len().div_ceil(pieces));
            let left = self.finer(stage, "looking for the lines", &runs)?;
            let few_went = 10 * left.len() > 9 * atoms.len();
            atoms = left;
            if few_went {
                break;
            }
            pieces *= 2;
        }
        Ok(atoms)
    }

    /// What has to stay of some changes that are now cut finer.
    ///
    /// A few are tried one by one. Of many only those are tried that nothing else needs, and where an entity cannot be cut
    /// in one place it is not cut in others. When little of it makes sense in pieces, that is all.
    fn finer(
        &self,
        stage: &mut Stage<'_>,
        what: &'static str,
        space: &ChangeSpace,
    ) -> Result<AtomSet, Stop> {
        let all = Subset::full(space.len());
        let entities = self.space.of(&space.atoms(&all), DeltaLevel::Entity);
        if stage.is_senseless || space.len() > FEW && entities.len() == space.len() {
            return Ok(space.atoms(&all));
        }
        let mut patience = Patience {
            most: if self.thorough { usize::MAX } else { PATIENCE },
            used: 0,
        };
        let found = stage.search(what, space, |tester| {
            if space.len() <= FEW {
                return one_by_one(tester, space);
            }
            let holders = entities.holders();
            let holder = |delta: usize| holders[space.deltas[delta].atoms[0] as usize];
            let mut patient = Patient {
                inner: tester,
                patience: &mut patience,
            };
            let mut knowledge = self.knowledge(space);
            peel(&mut patient, &mut knowledge, &all, &mut |subset, output| {
                let mut lesson = lesson(space, subset, output);
                let gone = all.difference(subset);
                let cut: BTreeSet<_> = gone.iter().map(holder).collect();
                if cut.len() == 1 {
                    let rest = subset.iter().filter(|delta| cut.contains(&holder(*delta)));
                    let needs = |one: usize| gone.iter().map(move |other| (one, other));
                    lesson.needs.extend(rest.flat_map(needs));
                }
                lesson
            })
        })?;
        stage.is_senseless = patience.is_over();
        Ok(found)
    }

    /// The hunks of the answer, and what happens without each if they are few.
    fn parts(&self, stage: &mut Stage<'_>, atoms: &AtomSet) -> Result<Parts, Stop> {
        let space = self.space.of(atoms, DeltaLevel::Hunk);
        let all = Subset::full(space.len());
        let mut tester = stage.lab.tester(&space);
        let mut parts = Vec::new();
        for delta in 0..space.len() {
            let mut without = None;
            if space.len() <= FEW {
                let rest = all.without(&[delta]);
                let outcome = tester.test(&rest)?;
                if outcome == Outcome::Fail {
                    return Ok(Parts::Less(space.atoms(&rest)));
                }
                without = Some(outcome);
            }
            parts.push(Part {
                atoms: space.atoms(&Subset::of(space.len(), [delta])),
                without,
            });
        }
        // What the others cannot do without may all be there for each other.
        let is_cause = |delta: &usize| parts[*delta].without == Some(Outcome::Pass);
        let causes = Subset::of(space.len(), (0..space.len()).filter(is_cause));
        if (1..space.len()).contains(&causes.len()) && tester.test(&causes)? == Outcome::Fail {
            return Ok(Parts::Less(space.atoms(&causes)));
        }
        Ok(Parts::Needed(parts))
    }

    /// The smallest difference between a passing and a failing set of changes, from both sides.
    pub fn isolate(
        &self,
        lab: &mut dyn Lab,
        watch: &mut dyn FnMut(&Step),
    ) -> Result<Isolated, Stop> {
        let mut passing = AtomSet::empty(self.start.universe());
        let mut failing = self.start.clone();
        for level in [DeltaLevel::Hunk, DeltaLevel::Line] {
            let between = failing.difference(&passing);
            watch(&Step {
                what: "closing in from both sides",
                lines: self.lines_of(&between),
            });
            let space = self.space.of(&failing, level);
            let grouping = space.grouping(|_| 0);
            let (low, high) = (space.deltas_of(&passing), Subset::full(space.len()));
            let knowledge = self.knowledge(&space);
            let mut tester = lab.tester(&space);
            let mut predicted = Predicted::new(&mut *tester, &knowledge);
            let found = yester_core::isolate(&mut predicted, &grouping, &low, &high)?;
            passing = space.atoms(&found.passing);
            failing = space.atoms(&found.failing);
        }
        Ok(Isolated { passing, failing })
    }
}

/// What the stages of a search share.
struct Stage<'a> {
    lab: &'a mut dyn Lab,
    best: &'a mut AtomSet,
    watch: &'a mut dyn FnMut(&Step),
    /// Whether too many pieces in a row made no sense.
    is_senseless: bool,
}

impl Stage<'_> {
    /// Searches one space, and keeps the best of it. Gives the atoms of what was found.
    fn search(
        &mut self,
        what: &'static str,
        space: &ChangeSpace,
        search: impl FnOnce(&mut dyn Tester) -> Result<Subset, Stop>,
    ) -> Result<AtomSet, Stop> {
        let weight = |subset: &Subset| subset.iter().map(|delta| space.weight(delta)).sum();
        let lines: u64 = weight(&Subset::full(space.len()));
        (self.watch)(&Step { what, lines });
        let mut tester = self.lab.tester(space);
        let mut watched = Watched {
            inner: &mut *tester,
            weight: &weight,
            better: &mut |subset| {
                *self.best = space.atoms(subset);
                (self.watch)(&Step {
                    what,
                    lines: weight(subset),
                });
            },
            least: lines,
        };
        let found = search(&mut watched)?;
        *self.best = space.atoms(&found);
        Ok(self.best.clone())
    }
}

/// What the hunks of an answer turn out to be.
enum Parts {
    /// Each is needed.
    Needed(Vec<Part>),
    /// One is not; these are the others.
    Less(AtomSet),
}

/// Leaves out one delta after the other until none can be left out.
fn one_by_one(tester: &mut dyn Tester, space: &ChangeSpace) -> Result<Subset, Stop> {
    let mut cached = Cached::new(tester);
    let mut left = Subset::full(space.len());
    loop {
        let less = sweep(
            &mut cached,
            &left,
            |delta| space.weight(delta),
            Reach::Single,
        )?;
        if less == left {
            return Ok(left);
        }
        left = less;
    }
}

/// Runs of at most so many lines of one hunk.
fn runs(space: &ChangeSpace, atoms: &AtomSet, most: usize) -> ChangeSpace {
    let hunks = space.of(atoms, DeltaLevel::Hunk);
    let mut groups = Vec::new();
    for delta in 0..hunks.len() {
        let of_hunk = hunks.atoms(&Subset::of(hunks.len(), [delta]));
        let of_hunk: Vec<u32> = of_hunk.iter().map(|atom| atom as u32).collect();
        for run in of_hunk.chunks(most) {
            groups.push((hunks.label(delta), run.to_vec()));
        }
    }
    space.of_groups(groups)
}
