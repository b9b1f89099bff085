use std::collections::BTreeSet;

use crate::{Outcome, Stop};

/// The revisions of a project from the newest (0, which fails) to the oldest, each tested with the patch that keeps the
/// test running.
pub trait Revisions {
    /// How many there are.
    fn len(&self) -> usize;

    /// True when there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a revision gives with the patch of now: Fail if it fails as the newest one does, Unresolved for anything
    /// that is neither that nor a pass.
    fn test(&mut self, revision: usize) -> Result<Outcome, Stop>;

    /// A hint: these are likely to be asked for after the next question. It never changes an answer.
    fn foresee(&mut self, revisions: &[usize]);

    /// The newest revision after `failing` that gives no answer, up to `silent`, which gives none: a guess from what it
    /// complains about, without a trial.
    fn guess(&mut self, silent: usize, failing: usize) -> Result<Option<usize>, Stop>;

    /// Replaces the patch by one with which `revision` fails too, made of what is different in the newer revision
    /// `failing`, which fails with the patch of now.
    fn repair(&mut self, revision: usize, failing: usize) -> Result<Repair, Stop>;
}

/// What came of making a new patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// The revision fails with it.
    Fails,
    /// The revision fails with it, and passes without a part of it: what came in with the next revision and lets the test
    /// run came together with what breaks it, or so it seems.
    FailsByItself,
    /// The revision passes with a patch that was made before.
    Passes,
    /// There is none that may be used.
    Impossible,
}

/// How far a walk came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// The oldest revision of those that fail one after the other, but for those that were passed over.
    pub failing: usize,
    /// The next older one, which passes.
    pub passing: Option<usize>,
    /// Revisions that give no answer though their neighbours do.
    pub skipped: BTreeSet<usize>,
    /// The revision that no patch gets past.
    pub stuck: Option<usize>,
}

/// Artho's iteration (Figure 2): one revision after the other, until one passes.
pub fn step_by_step(revisions: &mut dyn Revisions) -> Result<Walk, Stop> {
    let mut walk = Walk::default();
    for revision in 1..revisions.len() {
        let outcome = match revisions.test(revision)? {
            Outcome::Unresolved => match revisions.repair(revision, walk.failing)? {
                Repair::Fails | Repair::FailsByItself => Outcome::Fail,
                Repair::Passes => Outcome::Pass,
                Repair::Impossible => {
                    walk.stuck = Some(revision);
                    return Ok(walk);
                }
            },
            outcome => outcome,
        };
        if outcome == Outcome::Pass {
            walk.passing = Some(revision);
            return Ok(walk);
        }
        walk.failing = revision;
    }
    Ok(walk)
}

/// The same with strides that grow as long as nothing changes, and with halving to each border where something does.
///
/// `far_first` asks for the oldest revision before any other: if that passes, all that is left is to halve.
pub fn gallop(revisions: &mut dyn Revisions, far_first: bool) -> Result<Walk, Stop> {
    let mut gallop = Gallop {
        end: revisions.len(),
        revisions,
        walk: Walk::default(),
        stride: 1,
        unrepaired: BTreeSet::new(),
    };
    if far_first && gallop.end > 1 {
        let last = gallop.end - 1;
        match gallop.revisions.test(last)? {
            Outcome::Fail => gallop.walk.failing = last,
            Outcome::Pass => gallop.walk.passing = Some(last),
            Outcome::Unresolved => {}
        }
    }
    loop {
        while let Some(probe) = gallop.next() {
            gallop.probe(probe)?;
            if gallop.walk.stuck.is_some() {
                return Ok(gallop.walk);
            }
        }
        match gallop.close_gap()? {
            Gap::Moved => continue,
            Gap::Decided => return Ok(gallop.walk),
            Gap::None => {}
        }
        let Some(passing) = gallop.walk.passing else {
            return Ok(gallop.walk);
        };
        // It may have passed before something was put into the patch that makes it fail.
        if gallop.revisions.test(passing)? != Outcome::Fail {
            return Ok(gallop.walk);
        }
        gallop.walk.failing = passing;
        gallop.walk.passing = None;
        gallop.stride = 1;
    }
}

/// How fast strides grow: the faster, the fewer are needed to get far, and the more revisions a border may be among.
const GROWTH: usize = 4;

struct Gallop<'a> {
    revisions: &'a mut dyn Revisions,
    /// How many revisions there are.
    end: usize,
    walk: Walk,
    stride: usize,
    /// Those of the skipped revisions that nobody has tried to repair.
    unrepaired: BTreeSet<usize>,
}

impl Gallop<'_> {
    /// The revision to look at next, if there is one between the last that fails and the first that passes.
    fn next(&self) -> Option<usize> {
        let failing = self.walk.failing;
        let wanted = match self.walk.passing {
            Some(passing) => failing.midpoint(passing),
            None => failing.saturating_add(self.stride).min(self.end - 1),
        };
        self.nearest(wanted, failing, self.walk.passing.unwrap_or(self.end))
    }

    /// The revision nearest to one, of those strictly between two that were not passed over.
    fn nearest(&self, wanted: usize, after: usize, before: usize) -> Option<usize> {
        let open = |revision: &usize| !self.walk.skipped.contains(revision);
        let older = (wanted.max(after + 1)..before).find(open);
        let newer = (after + 1..wanted.min(before)).rev().find(open);
        match (newer, older) {
            (Some(newer), Some(older)) if wanted - newer < older - wanted => Some(newer),
            (newer, older) => older.or(newer),
        }
    }

    fn probe(&mut self, probe: usize) -> Result<(), Stop> {
        let Walk {
            failing, passing, ..
        } = self.walk;
        let ahead = match passing {
            Some(passing) => [failing.midpoint(probe), probe.midpoint(passing)],
            None => [(probe + GROWTH * self.stride).min(self.end - 1), probe + 1],
        };
        self.foresee(&ahead);
        match self.revisions.test(probe)? {
            Outcome::Fail => {
                self.walk.failing = probe;
                self.stride *= GROWTH;
            }
            Outcome::Pass => self.walk.passing = Some(probe),
            Outcome::Unresolved => self.border(probe)?,
        }
        Ok(())
    }

    fn foresee(&mut self, revisions: &[usize]) {
        let is_inside = |revision: &&usize| {
            **revision > self.walk.failing && **revision < self.walk.passing.unwrap_or(self.end)
        };
        let inside: Vec<usize> = revisions.iter().filter(is_inside).copied().collect();
        self.revisions.foresee(&inside);
    }

    /// Passes over a revision without an answer if the next older one has one.
    fn skip(&mut self, revision: usize) -> Result<bool, Stop> {
        let end = self.walk.passing.unwrap_or(self.end);
        match self.nearest(revision + 1, revision, end) {
            Some(neighbour) => match self.revisions.test(neighbour)? {
                Outcome::Fail => self.walk.failing = neighbour,
                Outcome::Pass => self.walk.passing = Some(neighbour),
                Outcome::Unresolved => return Ok(false),
            },
            // Only what passes comes after it.
            None if self.walk.passing.is_some() => {}
            None => return Ok(false),
        }
        self.walk.skipped.insert(revision);
        self.unrepaired.insert(revision);
        Ok(true)
    }

    /// Finds where the answers end, before a revision that has none, and makes a patch there.
    fn border(&mut self, silent: usize) -> Result<(), Stop> {
        let (mut low, mut high) = (self.walk.failing, silent);
        let mut guess = self.revisions.guess(high, low)?;
        loop {
            let is_open = |revision: &usize| {
                (low + 1..high).contains(revision) && !self.walk.skipped.contains(revision)
            };
            let guesses = guess.map(|guess| [guess, guess.saturating_sub(1)]);
            let middle = guesses.into_iter().flatten().find(is_open);
            let Some(middle) = middle.or_else(|| self.nearest(low.midpoint(high), low, high))
            else {
                break;
            };
            self.foresee(&[low.midpoint(middle), middle.midpoint(high)]);
            match self.revisions.test(middle)? {
                Outcome::Fail => low = middle,
                Outcome::Unresolved => {
                    high = middle;
                    if guess != Some(high) {
                        guess = self.revisions.guess(high, low)?;
                    }
                }
                Outcome::Pass => {
                    self.walk.failing = low;
                    self.walk.passing = Some(middle);
                    return Ok(());
                }
            }
        }
        self.walk.failing = low;
        // What it complains about came in with the next one, so that this is more than a single broken revision.
        if guess != Some(high) && self.skip(high)? {
            return Ok(());
        }
        match self.revisions.repair(high, low)? {
            Repair::Fails | Repair::FailsByItself => {
                self.walk.failing = high;
                // What gave no answer before is asked again with the new patch.
                self.stride = (silent - high).max(1);
            }
            Repair::Passes => self.walk.passing = Some(high),
            Repair::Impossible => self.walk.stuck = Some(high),
        }
        Ok(())
    }

    /// Tries to get an answer from a revision that was passed over, if only such ones are left before the one that passes.
    fn close_gap(&mut self) -> Result<Gap, Stop> {
        let Some(passing) = self.walk.passing else {
            return Ok(Gap::None);
        };
        let failing = self.walk.failing;
        let Some(gap) = self.unrepaired.range(failing + 1..passing).next().copied() else {
            return Ok(Gap::None);
        };
        self.unrepaired.remove(&gap);
        let repair = self.revisions.repair(gap, failing)?;
        match repair {
            Repair::Fails => self.walk.failing = gap,
            Repair::FailsByItself | Repair::Passes => self.walk.passing = Some(gap),
            Repair::Impossible => return Ok(Gap::Moved),
        }
        self.walk.skipped.remove(&gap);
        Ok(match repair {
            Repair::FailsByItself => Gap::Decided,
            _ => Gap::Moved,
        })
    }
}

/// What came of looking at the revisions that were passed over, before the one that passes.
enum Gap {
    /// There is nothing to look at.
    None,
    /// One of them was looked at.
    Moved,
    /// One of them passes, and fails with what its successor brings.
    Decided,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A history with borders at which the test needs a new patch, broken revisions, and a bug.
    #[derive(Clone, Debug)]
    struct Story {
        count: usize,
        /// The oldest revision that has the bug.
        bug: usize,
        /// From these revisions on, older ones need one patch more.
        borders: BTreeSet<usize>,
        broken: BTreeSet<usize>,
        /// Whether a revision that needs a patch says what it lacks.
        tells: bool,
        /// Up to which border the patch of now goes.
        patched: usize,
        /// Whether the bug is part of the patch of now.
        carries_bug: bool,
        tests: usize,
        asked: BTreeSet<(usize, usize)>,
        repairs: Vec<usize>,
    }

    impl Story {
        fn new(count: usize, bug: usize, borders: &[usize], broken: &[usize]) -> Story {
            Story {
                count,
                bug,
                borders: borders.iter().copied().collect(),
                broken: broken.iter().copied().collect(),
                tells: false,
                patched: 0,
                carries_bug: false,
                tests: 0,
                asked: BTreeSet::new(),
                repairs: Vec::new(),
            }
        }

        fn outcome(&self, revision: usize) -> Outcome {
            let needed = self.borders.range(..=revision).next_back();
            match revision {
                _ if self.broken.contains(&revision) => Outcome::Unresolved,
                _ if needed.is_some_and(|border| *border > self.patched) => Outcome::Unresolved,
                revision if revision <= self.bug || self.carries_bug => Outcome::Fail,
                _ => Outcome::Pass,
            }
        }
    }

    impl Revisions for Story {
        fn len(&self) -> usize {
            self.count
        }

        fn test(&mut self, revision: usize) -> Result<Outcome, Stop> {
            assert!(revision < self.count);
            if self.asked.insert((revision, self.patched)) {
                self.tests += 1;
            }
            Ok(self.outcome(revision))
        }

        fn foresee(&mut self, revisions: &[usize]) {
            assert!(revisions.iter().all(|revision| *revision < self.count));
        }

        fn guess(&mut self, silent: usize, failing: usize) -> Result<Option<usize>, Stop> {
            let border = self.borders.range(failing + 1..=silent).next();
            Ok(border.filter(|_| self.tells).copied())
        }

        fn repair(&mut self, revision: usize, failing: usize) -> Result<Repair, Stop> {
            assert!(failing < revision);
            assert_eq!(self.outcome(revision), Outcome::Unresolved);
            assert!((failing + 1..revision).all(|between| self.broken.contains(&between)));
            self.repairs.push(revision);
            self.patched = self.patched.max(revision);
            self.broken.remove(&revision);
            // What the newer revision has and this one does not may be the bug.
            self.carries_bug |= revision > self.bug;
            Ok(if self.carries_bug {
                Repair::FailsByItself
            } else {
                Repair::Fails
            })
        }
    }

    fn stories() -> impl Strategy<Value = Story> {
        (2..600usize).prop_flat_map(|count| {
            let bug = 0..count - 1;
            let borders = proptest::collection::vec(1..count, 0..3);
            (Just(count), bug, borders).prop_flat_map(|(count, bug, borders)| {
                // A border and a broken revision next to the bug would have two right answers.
                let borders: Vec<usize> = borders.into_iter().filter(|at| *at <= bug).collect();
                let broken = proptest::collection::vec(1..count, 0..4);
                (Just(count), Just(bug), Just(borders), broken).prop_map(
                    |(count, bug, borders, broken)| Story::new(count, bug, &borders, &broken),
                )
            })
        })
    }

    proptest! {
        #[test]
        fn the_last_revision_that_passes_is_found(mut story in stories(), tells: bool) {
            story.tells = tells;
            let bug = story.bug;
            let broken = story.broken.clone();
            let walk = gallop(&mut story, false).unwrap();
            match walk.passing {
                Some(passing) => {
                    prop_assert!(walk.failing <= bug && bug < passing);
                    let mut between = walk.failing + 1..passing;
                    prop_assert!(between.all(|revision| broken.contains(&revision)));
                }
                // The revision before the bug had to be repaired, and the patch has the bug in it.
                None => prop_assert!(broken.contains(&(bug + 1)) && story.carries_bug),
            }
        }

        #[test]
        fn both_walks_agree_where_every_revision_can_be_tested(
            count in 2..300usize,
            bug in 0..300usize,
            borders in proptest::collection::vec(1..300usize, 0..4),
        ) {
            let bug = bug.min(count - 2);
            let borders: Vec<usize> = borders.into_iter().filter(|border| *border <= bug).collect();
            let story = Story::new(count, bug, &borders, &[]);
            let (mut one, mut other) = (story.clone(), story);
            let (fast, plain) = (gallop(&mut one, false).unwrap(), step_by_step(&mut other).unwrap());
            prop_assert_eq!((fast.failing, fast.passing), (plain.failing, plain.passing));
            prop_assert_eq!(&one.repairs, &other.repairs);
        }
    }

    #[test]
    fn a_border_and_a_bug_cost_at_most_three_logarithms() {
        for count in [50usize, 200, 500, 2000] {
            let most = 3.0 * f64::from(count as u32).log2();
            for bug in 1..count - 1 {
                for border in [1, bug.div_ceil(4), bug] {
                    let mut story = Story::new(count, bug, &[border], &[]);
                    let walk = gallop(&mut story, false).unwrap();
                    assert_eq!((walk.failing, walk.passing), (bug, Some(bug + 1)));
                    assert_eq!(story.repairs, [border]);
                    let tests = story.tests;
                    assert!(
                        tests as f64 <= most,
                        "{count} {bug} {border}: {tests} tests"
                    );
                }
            }
        }
    }

    #[test]
    fn borders_that_are_told_cost_a_handful_of_tests_each() {
        for count in [500usize, 2000] {
            for bug in (20..count - 1).step_by(7) {
                let borders = [bug / 5, bug / 3, bug / 2];
                let mut story = Story::new(count, bug, &borders, &[]);
                story.tells = true;
                let walk = gallop(&mut story, false).unwrap();
                assert_eq!((walk.failing, walk.passing), (bug, Some(bug + 1)));
                let most = 3.0 * f64::from(count as u32).log2();
                assert!(story.tests as f64 <= most, "{count} {bug}: {}", story.tests);
            }
        }
    }

    #[test]
    fn a_good_revision_that_is_known_makes_it_a_binary_search() {
        for bug in 0..999 {
            let mut story = Story::new(1000, bug, &[], &[]);
            let walk = gallop(&mut story, true).unwrap();
            assert_eq!((walk.failing, walk.passing), (bug, Some(bug + 1)));
            assert!(story.tests <= 11, "{}", story.tests);
        }
    }

    #[test]
    fn where_nothing_passes_the_walk_ends_with_the_oldest_revision() {
        let mut story = Story::new(1000, 999, &[300], &[17]);
        let walk = gallop(&mut story, false).unwrap();
        assert_eq!((walk.failing, walk.passing), (999, None));
    }
}
