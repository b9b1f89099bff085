//! Path generation, after Wang and Roychoudhury (2005): runs that differ from a failing run in as few and as late branches as
//! possible, until one of them succeeds.
//!
//! The last branch of the failing run is turned first, alone, then together with branches before it, and so on towards the
//! front. So runs come in the order of their distance (Theorem 1), and the first that succeeds is the nearest of those that
//! were made. A branch is not turned if something that is turned already depends on it: that would no longer happen.
//!
//! Loops are the paper's sore point: each round is a branch, so they drown everything else. Here the branches that leave loops
//! come last, in a search of their own over the sets that have one.

use std::collections::HashSet;

use crate::alignment::{Distance, Run, Statement};
use crate::site::Sites;

/// What is known of the program whose runs are made.
pub trait PathSpace {
    /// A run that is wanted.
    type Path: Clone;
    /// Why the search has to end early.
    type Stop;

    /// The runs that are like `path` except that this branch of the failing run goes another way. There are several if more branches
    /// are met there. What follows when all that depends on the branch is over stays as in `path`.
    ///
    /// # Errors
    /// If the search has to end.
    fn alternatives(
        &mut self,
        path: &Self::Path,
        branch: usize,
    ) -> Result<Vec<Self::Path>, Self::Stop>;

    /// Whether no input takes this path from a branch of the failing run on, whatever happens before it.
    ///
    /// # Errors
    /// If the search has to end.
    fn is_infeasible_from(&mut self, path: &Self::Path, branch: usize) -> Result<bool, Self::Stop>;

    /// Whether an input takes this path, and succeeds.
    ///
    /// # Errors
    /// If the search has to end.
    fn is_success(&mut self, path: &Self::Path) -> Result<bool, Self::Stop>;
}

/// Which branches may be turned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turnable {
    /// The branches, as places in the failing run, in order.
    pub branches: Vec<usize>,
    /// Those of them that leave a loop or go on with it.
    pub loops: HashSet<usize>,
    /// So many are turned together at most.
    pub most: usize,
}

/// What became of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated<P> {
    /// The run that succeeds.
    pub found: Option<NearestRun<P>>,
    /// Whether no set of branches was left out because it is too big.
    pub is_whole: bool,
}

/// A run that succeeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearestRun<P> {
    /// The run.
    pub path: P,
    /// Its distance from the failing run: the branches that were turned.
    pub distance: Distance,
}

/// Makes runs from near to far until one succeeds. `start` is the failing run itself.
///
/// # Errors
/// If the space ends the search.
pub fn generate_paths<S: PathSpace>(
    failing: &Run,
    turnable: &Turnable,
    start: S::Path,
    space: &mut S,
) -> Result<Generated<S::Path>, S::Stop> {
    let plain = turnable.branches.iter().copied();
    let plain: Vec<usize> = plain
        .filter(|branch| !turnable.loops.contains(branch))
        .collect();
    let mut generation = Generation {
        failing,
        loops: None,
        most: turnable.most,
        is_whole: true,
        space,
    };
    let mut found = generation.grow(&plain, vec![start.clone()], &[])?;
    if found.is_none() && plain.len() < turnable.branches.len() {
        generation.loops = Some(&turnable.loops);
        found = generation.grow(&turnable.branches, vec![start], &[])?;
    }
    Ok(Generated {
        found,
        is_whole: generation.is_whole,
    })
}

struct Generation<'a, S> {
    failing: &'a Run,
    /// If there are loops here, sets without any of them were tried before.
    loops: Option<&'a HashSet<usize>>,
    most: usize,
    is_whole: bool,
    space: &'a mut S,
}

impl<S: PathSpace> Generation<'_, S> {
    /// Turns one more branch in each of these paths, all of which have turned the same ones: the last of `branches` first.
    fn grow(
        &mut self,
        branches: &[usize],
        mut paths: Vec<S::Path>,
        turned: &[usize],
    ) -> Result<Option<NearestRun<S::Path>>, S::Stop> {
        let needed = self.failing.controlling(turned);
        for (index, &branch) in branches.iter().enumerate().rev() {
            if needed.contains(&branch) {
                // It stays as it is, and one more part of these paths is settled.
                let mut left = Vec::with_capacity(paths.len());
                for path in paths {
                    if !self.space.is_infeasible_from(&path, branch)? {
                        left.push(path);
                    }
                }
                if left.is_empty() {
                    return Ok(None);
                }
                paths = left;
                continue;
            }
            let mut more = vec![branch];
            more.extend_from_slice(turned);
            let is_new = self
                .loops
                .is_none_or(|loops| more.iter().any(|one| loops.contains(one)));
            let mut longer = Vec::new();
            for path in &paths {
                for alternative in self.space.alternatives(path, branch)? {
                    if self.space.is_infeasible_from(&alternative, branch)? {
                        continue;
                    }
                    if is_new && self.space.is_success(&alternative)? {
                        return Ok(Some(NearestRun {
                            path: alternative,
                            distance: Distance(more),
                        }));
                    }
                    longer.push(alternative);
                }
            }
            if longer.is_empty() || index == 0 {
                continue;
            }
            if more.len() == self.most {
                self.is_whole = false;
                continue;
            }
            if let Some(found) = self.grow(&branches[..index], longer, &more)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

impl Run {
    /// Everything that these events depend on, directly or through others.
    fn controlling(&self, events: &[usize]) -> HashSet<usize> {
        let mut found = HashSet::new();
        for &event in events {
            let mut above = self.events[event].dependence();
            // What is known already has brought everything above it.
            while let Some(one) = above.filter(|one| found.insert(*one)) {
                above = self.events[one].dependence();
            }
        }
        found
    }
}

impl Sites {
    /// Whether a branch decides if a loop goes on: with one outcome it is met again, and with another nothing of that round is.
    pub fn is_loop(&self, statement: Statement) -> bool {
        let Statement::Branch { function, site } = statement else {
            return false;
        };
        let Some(function) = self.function(function) else {
            return false;
        };
        let sites = &function.sites;
        let controlling = |one: u32| {
            reach(one, |one| {
                let on = sites[one as usize].dependence.iter();
                on.map(|dependence| dependence.site).collect()
            })
        };
        let above = controlling(site);
        if !above.contains(&site) {
            return false;
        }
        // What depends on it and decides about it too: the branches of the loop that it is in.
        let around: Vec<u32> = above
            .into_iter()
            .filter(|one| controlling(*one).contains(&site))
            .collect();
        let decides = |outcome: u32| {
            around.iter().any(|one| {
                let mut on = sites[*one as usize].dependence.iter();
                on.any(|dependence| (dependence.site, dependence.outcome) == (site, outcome))
            })
        };
        let outcomes = sites[site as usize].outcomes() as u32;
        (0..outcomes).any(|outcome| !decides(outcome))
    }
}

/// What is reached from a site in one step or more.
fn reach(from: u32, next: impl Fn(u32) -> Vec<u32>) -> HashSet<u32> {
    let mut found = HashSet::new();
    let mut open = next(from);
    while let Some(one) = open.pop() {
        if found.insert(one) {
            open.extend(next(one));
        }
    }
    found
}
