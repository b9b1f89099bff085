//! The commit that broke it: each commit implies the earlier ones, so that this is a binary search.

use std::sync::{Mutex, PoisonError};

use yester_core::{
    Breakage, BreakageKind, Candidate, Infeasible, Lab, Outcome, Phase, Space, Stop, Subset, Tester,
};

use crate::{Commit, CommitTrees, PatchError};

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
                Err(unreadable_now(&error))
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
    /// The commits of which one broke it, oldest first: more than one only where those between have no outcome. The last
    /// one fails.
    pub suspects: Vec<Commit>,
}

/// Finds where a history broke. GOOD passes, BAD fails. Nothing if there is no commit between them.
pub fn first_failure(lab: &mut dyn Lab, space: &CommitTrees) -> Result<Option<FirstFailure>, Stop> {
    let history = space.history();
    lab.enter(Phase {
        what: "looking for the commit",
        deltas: history.commits.len(),
    });
    let mut commits = history.commits.clone();
    let mut before = history.good.clone();
    loop {
        let Some((low, high)) = bisect(lab, space, &commits)? else {
            return Ok(None);
        };
        let suspects = commits[low..high].to_vec();
        let passing = match low.checked_sub(1) {
            Some(last) => commits[last].id.clone(),
            None => before,
        };
        let [merge] = &suspects[..] else {
            return Ok(Some(FirstFailure { passing, suspects }));
        };
        // A merge is broken by what it brings in if that is broken by itself.
        let sides = match history.sides(merge) {
            Err(error @ PatchError::Start(_)) => return Err(unreadable_now(&error)),
            sides => sides.unwrap_or_default(),
        };
        let mut broken = None;
        for side in sides {
            let parent = side.first().and_then(|first| first.parents.first());
            if let Some(parent) = parent
                && outcome(lab, space, &side, side.len())? == Outcome::Fail
            {
                broken = Some((parent.clone(), side));
                break;
            }
        }
        match broken {
            Some((parent, side)) => (before, commits) = (parent, side),
            None => return Ok(Some(FirstFailure { passing, suspects })),
        }
    }
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

/// After how many commits it passes last and fails first, next to each other but for versions without an outcome.
fn bisect(
    lab: &mut dyn Lab,
    space: &CommitTrees,
    commits: &[Commit],
) -> Result<Option<(usize, usize)>, Stop> {
    let count = commits.len();
    let line = CommitLine::new(commits, space);
    if count == 0 {
        return Ok(None);
    }
    let mut tester = lab.tester(&line);
    let (mut low, mut high) = (0, count);
    'narrowing: while high - low > 1 {
        let middle = low.midpoint(high);
        let ahead = [low.midpoint(middle), middle.midpoint(high)];
        tester.foresee(&mut ahead.into_iter().map(|count| line.version(count)));
        // The nearest version with an outcome.
        for distance in 0..high - low {
            let near = [middle.checked_sub(distance), middle.checked_add(distance)];
            let near = near
                .into_iter()
                .flatten()
                .take(1 + usize::from(distance > 0));
            for version_count in near.filter(|near| low < *near && *near < high) {
                match line.test(&mut *tester, version_count)? {
                    Outcome::Fail => high = version_count,
                    Outcome::Pass => low = version_count,
                    Outcome::Unresolved => continue,
                }
                continue 'narrowing;
            }
        }
        break;
    }
    Ok(Some((low, high)))
}

/// A version that cannot be read now may be readable later.
fn unreadable_now(error: &PatchError) -> Stop {
    Stop::Broken(Breakage {
        kind: BreakageKind::Other,
        message: format!("failed to {error}"),
    })
}
