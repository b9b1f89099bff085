//! The commit that broke it: each commit implies the earlier ones, so that this is a binary search.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use yester_core::{Candidate, Infeasible, Lab, Outcome, Phase, Space, Stop, Subset, Tester};

use crate::{BrokenMerge, Commit, CommitTrees, MergeCause, PatchError};

/// Some commits one after the other, as deltas that are applied in their order.
struct CommitLine<'a> {
    commits: &'a [Commit],
    space: &'a CommitTrees,
    /// Why a version could not be read.
    broken: Mutex<Option<PatchError>>,
}

impl<'a> CommitLine<'a> {
    fn new(commits: &'a [Commit], space: &'a CommitTrees) -> Self {
        CommitLine {
            commits,
            space,
            broken: Mutex::default(),
        }
    }

    /// The outcome of the version after so many commits. One that cannot be read because git cannot be run has none and
    /// will have one: the search must not go on without it.
    fn test(&self, tester: &mut dyn Tester, count: usize) -> Result<Outcome, Stop> {
        let outcome = tester.test(&self.version(count))?.outcome;
        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        match broken.take() {
            Some(error @ (PatchError::Start(_) | PatchError::Read { .. }))
                if outcome == Outcome::Unresolved =>
            {
                Err(error.into())
            }
            _ => Ok(outcome),
        }
    }

    fn version(&self, count: usize) -> Subset {
        Subset::of(self.commits.len(), 0..count)
    }
}

impl Space for CommitLine<'_> {
    fn len(&self) -> usize {
        self.commits.len()
    }

    fn label(&self, delta: usize) -> String {
        self.commits[delta].label()
    }

    fn describe(&self, subset: &Subset) -> String {
        let last = subset.iter().last();
        last.map_or_else(String::new, |last| self.label(last))
    }

    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible> {
        let last = subset.iter().last();
        let entries = last.map(|last| self.space.entries(&self.commits[last].id));
        let entries = entries.transpose().map_err(|error: PatchError| {
            let reason = format!("failed to {error}");
            let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
            *broken = Some(error);
            Infeasible { reason }
        })?;
        Ok(Candidate::Tree(entries.unwrap_or_default()))
    }
}

/// Where in a history it broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstFailure {
    /// The id of the last version that passes.
    pub passing: String,
    /// The commits of which one broke it, oldest first: more than one only where those between have no outcome, as far as
    /// they were tried. The last one fails.
    pub suspects: Vec<Commit>,
    /// The merges that lead there, the outermost first.
    pub merges: Vec<BrokenMerge>,
}

/// Finds where a history broke, after a version that passes: GOOD, unless another one is given. BAD fails. Nothing if there
/// is no commit between them. `tested` gets every version that was tested on the way, also if that has to stop.
pub fn first_failure(
    lab: &mut dyn Lab,
    space: &CommitTrees,
    since: Option<&Commit>,
    tested: &mut Vec<(Commit, Outcome)>,
) -> Result<Option<FirstFailure>, Stop> {
    let history = space.history();
    lab.enter(Phase {
        what: "looking for the commit",
        deltas: history.commits.len(),
    });
    let mut commits = history.commits.clone();
    let mut before = history.good.clone();
    if let Some(since) = since {
        let place = commits.iter().position(|commit| commit.id == since.id);
        commits.drain(..place.map_or(0, |place| place + 1));
        before.clone_from(&since.id);
    }
    let Some(gap) = bisect(lab, space, &commits, Gap::new(commits.len()), tested)? else {
        return Ok(None);
    };
    let mut found = gap.step(&before, &commits);
    while let [merge] = &found.suspects[..]
        && merge.parents.len() > 1
    {
        let (seen, inside) = look_into(lab, space, merge, &found.passing, tested)?;
        found.merges.push(seen);
        let Some(inside) = inside else { break };
        found = FirstFailure {
            merges: found.merges,
            ..inside
        };
    }
    Ok(Some(found))
}

/// Looks for the step that broke it in the branches of a merge that fails. Each is followed along its first parents, since
/// versions of different branches do not imply each other. A branch whose last version passes is not to blame, nor is one
/// that failed before it branched off.
fn look_into(
    lab: &mut dyn Lab,
    space: &CommitTrees,
    merge: &Commit,
    passing: &str,
    tested: &mut Vec<(Commit, Outcome)>,
) -> Result<(BrokenMerge, Option<FirstFailure>), Stop> {
    let mut seen = BrokenMerge::new(merge);
    let history = space.history();
    let sides = match history.sides(merge, passing) {
        Err(error @ PatchError::Start(_)) => return Err(error.into()),
        Err(_) => {
            seen.cause = MergeCause::Unknown;
            return Ok((seen, None));
        }
        Ok(sides) => sides,
    };
    for side in sides {
        let (tip, Some(fork)) = (&side[side.len() - 1], side[0].parents.first()) else {
            // It has a beginning of its own: no version before it could pass.
            seen.cause = MergeCause::Unknown;
            continue;
        };
        let count = side.len();
        let outcome = commit_outcome(lab, space, tip)?;
        tested.push((tip.clone(), outcome));
        let (line, gap) = match outcome {
            Outcome::Pass => {
                seen.add(tip, Outcome::Pass);
                continue;
            }
            Outcome::Fail => (side.clone(), Gap::new(count)),
            // The merge is the next version that is known to fail.
            Outcome::Unresolved => (
                [&side[..], std::slice::from_ref(merge)].concat(),
                Gap::before_silent(count),
            ),
        };
        let gap = bisect(lab, space, &line, gap, tested)?.filter(|gap| gap.high <= count);
        let Some(gap) = gap else {
            seen.add(tip, outcome);
            continue;
        };
        let is_known = *fork == passing || *fork == history.good;
        if gap.low == 0 && !is_known {
            let before = match history.commit(fork) {
                Err(error @ PatchError::Start(_)) => return Err(error.into()),
                Err(_) => Outcome::Unresolved,
                Ok(fork) => commit_outcome(lab, space, &fork)?,
            };
            if before != Outcome::Pass {
                let outcome = match before {
                    Outcome::Fail => outcome,
                    _ => Outcome::Unresolved,
                };
                seen.add(tip, outcome);
                continue;
            }
        }
        seen.blame(tip, outcome);
        return Ok((seen, Some(gap.step(fork, &side))));
    }
    Ok((seen, None))
}

/// The outcome of the version of a commit.
pub fn commit_outcome(
    lab: &mut dyn Lab,
    space: &CommitTrees,
    commit: &Commit,
) -> Result<Outcome, Stop> {
    outcome(lab, space, std::slice::from_ref(commit), 1)
}

/// The outcome of the version after so many commits.
fn outcome(
    lab: &mut dyn Lab,
    space: &CommitTrees,
    commits: &[Commit],
    count: usize,
) -> Result<Outcome, Stop> {
    let line = CommitLine::new(commits, space);
    line.test(&mut *lab.tester(&line), count)
}

/// Closes a gap between the last version that passes and the first that fails. Nothing if there is no commit.
fn bisect(
    lab: &mut dyn Lab,
    space: &CommitTrees,
    commits: &[Commit],
    mut gap: Gap,
    tested: &mut Vec<(Commit, Outcome)>,
) -> Result<Option<Gap>, Stop> {
    let line = CommitLine::new(commits, space);
    if commits.is_empty() {
        return Ok(None);
    }
    let mut tester = lab.tester(&line);
    while let Some(probe) = gap.next() {
        let outcomes = [Outcome::Fail, Outcome::Pass, Outcome::Unresolved];
        let ahead = outcomes.map(|outcome| gap.clone().after(probe, outcome).next());
        tester.foresee(&mut ahead.into_iter().flatten().map(|count| line.version(count)));
        let outcome = line.test(&mut *tester, probe)?;
        tested.push((commits[probe - 1].clone(), outcome));
        gap = gap.after(probe, outcome);
    }
    Ok(Some(gap))
}

/// After how many commits it passes last and fails first, next to each other unless versions between have no outcome.
#[derive(Clone)]
struct Gap {
    low: usize,
    high: usize,
    /// Versions without an outcome.
    silent: BTreeSet<usize>,
    /// How many of these are met before those between are left as they are.
    most_silent: usize,
}

/// A history can have long stretches that do not build.
const SILENT_VERSIONS: usize = 16;

/// A branch whose last version has no outcome seldom has one at all.
const SILENT_ON_BRANCH: usize = 4;

impl Gap {
    /// Between the first of so many commits and the last.
    fn new(count: usize) -> Gap {
        Gap {
            low: 0,
            high: count,
            silent: BTreeSet::new(),
            most_silent: SILENT_VERSIONS,
        }
    }

    /// Between the first of so many commits and one more, where the last of them has no outcome.
    fn before_silent(count: usize) -> Gap {
        Gap {
            silent: BTreeSet::from([count]),
            most_silent: SILENT_ON_BRANCH,
            ..Gap::new(count + 1)
        }
    }

    /// The step that is left of a line of commits after a version that passes.
    fn step(&self, before: &str, commits: &[Commit]) -> FirstFailure {
        let last = self.low.checked_sub(1);
        FirstFailure {
            passing: last.map_or(before, |last| &commits[last].id).to_owned(),
            suspects: commits[self.low..self.high].to_vec(),
            merges: Vec::new(),
        }
    }

    /// The version to try next, if it is worth it: the middle, or else its neighbour, or else the middle of the longest
    /// stretch that no version without an outcome is in.
    fn next(&self) -> Option<usize> {
        let inside = || self.silent.range(self.low + 1..self.high).copied();
        let Some(first) = inside().next() else {
            return (self.high - self.low > 1).then(|| self.low.midpoint(self.high));
        };
        if self.silent.len() >= self.most_silent {
            return None;
        }
        // Mostly it is a single one.
        if inside().count() == 1 && first + 1 < self.high {
            return Some(first + 1);
        }
        let starts = std::iter::once(self.low).chain(inside());
        let ends = inside().chain([self.high]);
        let stretches = starts.zip(ends).filter(|(from, to)| to - from > 1);
        let longest = stretches.max_by_key(|(from, to)| (to - from, usize::MAX - from));
        longest.map(|(from, to)| from.midpoint(to))
    }

    fn after(mut self, probe: usize, outcome: Outcome) -> Gap {
        match outcome {
            Outcome::Fail => self.high = probe,
            Outcome::Pass => self.low = probe,
            Outcome::Unresolved => drop(self.silent.insert(probe)),
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left between versions, and how many were tried.
    fn narrow(count: usize, outcome: impl Fn(usize) -> Outcome) -> ((usize, usize), usize) {
        let mut gap = Gap::new(count);
        let mut tried = 0;
        while let Some(probe) = gap.next() {
            assert!(gap.low < probe && probe < gap.high && !gap.silent.contains(&probe));
            gap = gap.after(probe, outcome(probe));
            tried += 1;
        }
        ((gap.low, gap.high), tried)
    }

    fn turn_at(turn: usize) -> impl Fn(usize) -> Outcome {
        move |version| {
            if version < turn {
                Outcome::Pass
            } else {
                Outcome::Fail
            }
        }
    }

    #[test]
    fn a_history_with_outcomes_is_halved() {
        for turn in 1..=1000 {
            let (found, tried) = narrow(1000, turn_at(turn));
            assert_eq!(found, (turn - 1, turn));
            assert!(tried <= 10);
        }
    }

    #[test]
    fn both_ends_of_a_stretch_without_outcomes_are_found() {
        for turn in 301..=700 {
            let at = turn_at(turn);
            let (found, tried) = narrow(1000, |version| match version {
                300..700 => Outcome::Unresolved,
                version => at(version),
            });
            assert!(found.0 >= 299 - 40 && found.1 <= 700 + 40, "{found:?}");
            assert!(tried <= SILENT_VERSIONS + 10);
        }
    }

    #[test]
    fn single_versions_without_an_outcome_cost_little() {
        for turn in 1..=1000 {
            let at = turn_at(turn);
            let (found, tried) = narrow(1000, |version| match version % 3 {
                0 => Outcome::Unresolved,
                _ => at(version),
            });
            assert!(
                found.0 < turn && turn <= found.1 && found.1 - found.0 <= 2,
                "{found:?}"
            );
            assert!(tried <= 22, "{tried}");
        }
    }
}
