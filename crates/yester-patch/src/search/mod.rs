//! Which of the changes between two versions are to blame.

mod block;
mod commit;
mod lesson;
mod rendered_file;
mod small;
mod suspicion;
mod tuning;
mod zeller;

use std::collections::BTreeSet;

use yester_core::{
    BranchLimits, Cached, Knowledge, Lab, Outcome, Phase, Predicted, Reach, Space, Stop, Subset,
    Tester, binary_reduction, remove_unneeded, remove_with_dependents, sweep, try_alone,
};

use self::block::without_blocks;
pub use self::commit::{FirstFailure, commit_outcome, first_failure};
use self::lesson::lesson;
use self::small::small_sets;
use self::suspicion::{Suspicion, is_read};
use self::tuning::TUNING;
pub use self::zeller::ZellerAlgorithm;
use crate::{AtomSet, ChangeSpace, DeltaLevel};

/// What is searched, and what is known before the first trial.
pub struct CulpritSearch<'a> {
    /// The deltas between the two versions, at any level.
    pub space: &'a ChangeSpace,
    /// The atoms that are searched: together they are known to fail. None at all are known to pass.
    pub start: AtomSet,
    /// The atoms that are likely to be to blame, such as those of the commits of which one broke it. They are tried first.
    pub guilty: BTreeSet<usize>,
    /// The files that the build or the test of either version reads, where that is known.
    pub read: Option<&'a BTreeSet<String>>,
    /// How small the pieces are that are left out in the end.
    pub effort: Effort,
}

/// How small the pieces of an answer are that are tried one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Hunks, for a patch that is only a means to an end.
    Hunks,
    /// Single lines, unless there are very many.
    Lines,
    /// Single lines, however many there are.
    EveryLine,
}

/// Changes that make the good version fail as the bad one does.
pub struct Culprit {
    /// The changes.
    pub atoms: AtomSet,
    /// The same by hunks, with what happens without each.
    pub hunks: Vec<CulpritHunk>,
    /// Whether no single line can be left out. Otherwise there were too many to try each.
    pub is_minimal_by_line: bool,
}

/// Changed lines next to each other that are part of the answer.
#[derive(Clone, Debug)]
pub struct CulpritHunk {
    /// The changes.
    pub atoms: AtomSet,
    /// What the answer without them gives: Pass for a cause, Unresolved for what the rest cannot be built or run without.
    /// Nothing where there are too many hunks to try each: then the others are known to need it, or it is a cause.
    pub without: Option<Outcome>,
}

/// The smallest difference between a version that passes and one that fails.
pub struct Isolated {
    /// The changes of the version that passes.
    pub passing: AtomSet,
    /// The changes of the version that fails; it has all of the others.
    pub failing: AtomSet,
}

impl CulpritSearch<'_> {
    /// A minimal set of changes with which the good version fails.
    ///
    /// First the hunks are searched, the most suspicious first, together with what they need, and in the end the lines of
    /// those that are left.
    pub fn culprit(&self, lab: &mut dyn Lab) -> Result<Culprit, Stop> {
        // Of thousands of changed files, a test reads a few.
        self.space.parse_only(|change| is_read(self.read, change));
        let mut descent = Descent {
            lab,
            gave_up: false,
        };
        let mut atoms = self.entities(&mut descent)?;
        atoms = self.without_comments(&mut descent, atoms)?;
        for level in [DeltaLevel::Entity, DeltaLevel::Hunk] {
            let space = self.space.carefully().of(&atoms, level);
            atoms = self.finer(&mut descent, "looking for the hunks", &space)?;
        }
        if self.effort != Effort::Hunks {
            atoms = self.lines(&mut descent, atoms)?;
        }
        let is_minimal_by_line = match self.effort {
            Effort::Hunks => false,
            Effort::Lines => atoms.len() <= TUNING.few_lines,
            Effort::EveryLine => true,
        };
        let hunks = loop {
            if is_minimal_by_line {
                let lines = self.space.carefully().of(&atoms, DeltaLevel::Line);
                atoms = descent.search("trying each line", &lines, |tester| {
                    one_by_one(tester, &lines)
                })?;
                let lines = self.space.carefully().of(&atoms, DeltaLevel::Line);
                let all = Subset::full(lines.len());
                let mut fewer = without_blocks(&lines, &all);
                let mut tester = descent.lab.tester(&lines);
                if let Some(index) = tester.first(&mut fewer.iter().cloned(), Outcome::Fail)? {
                    atoms = lines.atoms(&fewer.swap_remove(index));
                    continue;
                }
            }
            match self.hunks(&mut descent, &atoms)? {
                Hunks::Needed(hunks) => break hunks,
                Hunks::Fewer(fewer) => atoms = fewer,
            }
        };
        Ok(Culprit {
            atoms,
            hunks,
            is_minimal_by_line,
        })
    }

    /// A small set of entities whose changes fail with all that they need.
    fn entities(&self, descent: &mut Descent<'_>) -> Result<AtomSet, Stop> {
        let space = self.space.carefully().of(&self.start, DeltaLevel::Entity);
        let suspicion = Suspicion::new(&space, self.read, &self.guilty);
        let mut knowledge = self.knowledge(&space);
        let all = Subset::full(space.len());
        descent.search("looking for the changes", &space, |tester| {
            let mut learn = |subset: &Subset, answer: &_| lesson(&space, subset, answer);
            let failing = binary_reduction(
                tester,
                &suspicion.grouping(&space),
                &|delta| suspicion.mass(delta),
                &mut knowledge,
                &all,
                &mut learn,
            )?;
            let known = &mut knowledge;
            let busy = failing.difference(suspicion.idle());
            let failing = try_alone(tester, known, &failing, [busy])?;
            let small = small_sets(&space, known, &suspicion, &self.guilty, &failing);
            let failing = try_alone(tester, known, &failing, small)?;
            let weight = |delta| space.weight(delta);
            let limits = BranchLimits {
                lightest: TUNING.lightest_branch,
                heaviest: TUNING.heaviest_branch,
                refusals: TUNING.refused_branches,
            };
            let failing = if failing.len() <= TUNING.few_deltas {
                failing
            } else {
                remove_with_dependents(tester, known, &failing, &weight, limits, &mut learn)?
            };
            let left = remove_unneeded(tester, known, &failing, usize::MAX, &mut learn)?;
            Ok(left.failing)
        })
    }

    /// What is left without the lines that change only comments and blanks, if that fails too.
    fn without_comments(&self, descent: &mut Descent<'_>, atoms: AtomSet) -> Result<AtomSet, Stop> {
        let space = self.space.of(&atoms, DeltaLevel::Line);
        let all = Subset::full(space.len());
        let comments = all.iter().filter(|line| space.is_insignificant(*line));
        let rest = all.without(&comments.collect::<Vec<_>>());
        if rest == all {
            return Ok(atoms);
        }
        let mut knowledge = Knowledge::none(space.len());
        descent.search("leaving out comments", &space, |tester| {
            try_alone(tester, &mut knowledge, &all, [rest])
        })
    }

    /// What is known of a space: what nothing reads is not needed by what is.
    fn knowledge(&self, space: &ChangeSpace) -> Knowledge {
        space.knowledge_of(|change| is_read(self.read, change))
    }

    /// Fewer lines: the hunks are cut into runs, and these into shorter ones as long as that brings something.
    fn lines(&self, descent: &mut Descent<'_>, hunks: AtomSet) -> Result<AtomSet, Stop> {
        let mut atoms = hunks;
        let mut pieces = TUNING.pieces;
        while atoms.len() > TUNING.few_lines {
            let runs = runs(
                &self.space.carefully(),
                &atoms,
                atoms.len().div_ceil(pieces),
            );
            let left = self.finer(descent, "looking for the lines", &runs)?;
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
        descent: &mut Descent<'_>,
        what: &'static str,
        space: &ChangeSpace,
    ) -> Result<AtomSet, Stop> {
        let all = Subset::full(space.len());
        let entities = self.space.of(&space.atoms(&all), DeltaLevel::Entity);
        if descent.gave_up || space.len() > TUNING.few_deltas && entities.len() == space.len() {
            return Ok(space.atoms(&all));
        }
        let unresolved_runs = match self.effort {
            Effort::EveryLine => usize::MAX,
            Effort::Hunks | Effort::Lines => {
                TUNING.unresolved_runs + space.atoms(&all).len() / TUNING.lines_per_run
            }
        };
        let mut gave_up = false;
        let found = descent.search(what, space, |tester| {
            if space.len() <= TUNING.few_deltas {
                return one_by_one(tester, space);
            }
            let holders = entities.holders();
            let holder = |delta: usize| holders[space.deltas[delta].atoms[0] as usize];
            let mut knowledge = self.knowledge(space);
            let mut learn = |subset: &Subset, answer: &_| {
                let mut lesson = lesson(space, subset, answer);
                let gone = all.difference(subset);
                let cut: BTreeSet<_> = gone.iter().map(holder).collect();
                if cut.len() == 1 {
                    let rest = subset.iter().filter(|delta| cut.contains(&holder(*delta)));
                    let needs = |one: usize| gone.iter().map(move |other| (one, other));
                    lesson.needs.extend(rest.flat_map(needs));
                }
                lesson
            };
            let mut tester = Cached::new(tester);
            let left = remove_unneeded(
                &mut tester,
                &mut knowledge,
                &all,
                unresolved_runs,
                &mut learn,
            )?;
            gave_up = left.gave_up;
            Ok(left.failing)
        })?;
        descent.gave_up = gave_up;
        Ok(found)
    }

    /// The hunks of the answer, and what happens without each if they are few.
    fn hunks(&self, descent: &mut Descent<'_>, atoms: &AtomSet) -> Result<Hunks, Stop> {
        let space = self.space.of(atoms, DeltaLevel::Hunk);
        let all = Subset::full(space.len());
        let without = |hunk: usize| all.without(&[hunk]);
        let mut tester = descent.lab.tester(&space);
        let mut hunks = Vec::new();
        for hunk in 0..space.len() {
            let mut outcome = None;
            if space.len() <= TUNING.few_deltas {
                tester.foresee(&mut (hunk + 1..space.len()).map(without));
                let answer = tester.test(&without(hunk))?;
                if answer.outcome == Outcome::Fail {
                    return Ok(Hunks::Fewer(space.atoms(&without(hunk))));
                }
                outcome = Some(answer.outcome);
            }
            hunks.push(CulpritHunk {
                atoms: space.atoms(&Subset::of(space.len(), [hunk])),
                without: outcome,
            });
        }
        // What the others cannot do without may all be there for each other.
        let is_cause = |hunk: &usize| hunks[*hunk].without == Some(Outcome::Pass);
        let causes = Subset::of(space.len(), (0..space.len()).filter(is_cause));
        if (1..space.len()).contains(&causes.len())
            && tester.test(&causes)?.outcome == Outcome::Fail
        {
            return Ok(Hunks::Fewer(space.atoms(&causes)));
        }
        Ok(Hunks::Needed(hunks))
    }

    /// The smallest difference between a passing and a failing set of changes, from both sides.
    pub fn isolate(&self, lab: &mut dyn Lab) -> Result<Isolated, Stop> {
        let mut passing = AtomSet::empty(self.start.universe());
        let mut failing = self.start.clone();
        for level in [DeltaLevel::Hunk, DeltaLevel::Line] {
            let space = self.space.of(&failing, level);
            let grouping = space.grouping(|_| 0);
            let (low, high) = (space.deltas_of(&passing), Subset::full(space.len()));
            let knowledge = self.knowledge(&space);
            lab.enter(Phase {
                what: "closing in from both sides",
                deltas: high.difference(&low).len(),
            });
            let mut tester = lab.tester(&space);
            let mut predicted = Predicted::new(&mut *tester, &knowledge);
            let found = yester_core::isolate(&mut predicted, &grouping, &low, &high)?;
            passing = space.atoms(&found.passing);
            failing = space.atoms(&found.failing);
        }
        Ok(Isolated { passing, failing })
    }
}

/// The way from entities to hunks to lines.
struct Descent<'a> {
    lab: &'a mut dyn Lab,
    /// Whether too many pieces in a row had no outcome, so that nothing is cut any finer.
    gave_up: bool,
}

impl Descent<'_> {
    /// Searches one space. Gives the atoms of what was found.
    fn search(
        &mut self,
        what: &'static str,
        space: &ChangeSpace,
        search: impl FnOnce(&mut dyn Tester) -> Result<Subset, Stop>,
    ) -> Result<AtomSet, Stop> {
        self.lab.enter(Phase {
            what,
            deltas: space.len(),
        });
        let found = search(&mut *self.lab.tester(space))?;
        Ok(space.atoms(&found))
    }
}

/// What the hunks of an answer turn out to be.
enum Hunks {
    /// Each is needed.
    Needed(Vec<CulpritHunk>),
    /// One is not; these are the others.
    Fewer(AtomSet),
}

/// Leaves out one delta after the other until none can be left out.
fn one_by_one(tester: &mut dyn Tester, space: &ChangeSpace) -> Result<Subset, Stop> {
    let mut cached = Cached::new(tester);
    let mut left = Subset::full(space.len());
    // Of many, most are expected to go.
    let mut reach = if space.len() <= TUNING.few_deltas {
        Reach::Single
    } else {
        Reach::Everything
    };
    loop {
        let less = sweep(&mut cached, &left, |delta| space.weight(delta), reach)?;
        reach = Reach::Single;
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
