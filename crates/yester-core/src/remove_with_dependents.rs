use std::collections::HashSet;

use crate::closure::Lesson;
use crate::{Answer, Cached, Knowledge, Outcome, Stop, Subset, Tester};

/// When [`remove_with_dependents`] tries a branch and when it stops.
#[derive(Clone, Copy, Debug)]
pub struct BranchLimits {
    /// A branch lighter than this share of the rest is left to searches that try many deltas at once.
    pub lightest: f64,
    /// A branch heavier than this share rather stays: most of the answer would hang on it.
    pub heaviest: f64,
    /// The search ends after this many refusals in a row.
    pub refusals: usize,
}

/// A smaller failing subset, by leaving out whole branches, the heaviest first: a delta and all that need it.
/// `failing` fails and has all it needs.
///
/// Where a feature hangs on one delta this removes the feature in one test.
/// [`remove_unneeded`](crate::remove_unneeded()) would need one for each layer. It is not a search for a minimum: it
/// does not try small branches.
pub fn remove_with_dependents<T: Tester + ?Sized>(
    tester: &mut T,
    knowledge: &mut Knowledge,
    failing: &Subset,
    weight: &dyn Fn(usize) -> u64,
    limits: BranchLimits,
    learn: &mut dyn FnMut(&Subset, &Answer) -> Lesson,
) -> Result<Subset, Stop> {
    let mut tester = Cached::new(tester);
    let mut failing = failing.clone();
    let mut refused: HashSet<Vec<usize>> = HashSet::new();
    let mut refusals = 0;
    while refusals < limits.refusals {
        let branches = branches(knowledge, &failing, weight, limits);
        let mut open = branches.iter().filter(|branch| !refused.contains(*branch));
        let Some(branch) = open.next() else {
            break;
        };
        let rest = failing.without(branch);
        // Most branches are refused. Then the next one is asked for, otherwise the next one too is left out.
        let next: Vec<Subset> = open
            .flat_map(|next| [failing.without(next), rest.without(next)])
            .take(limits.refusals)
            .collect();
        tester.foresee(&mut next.into_iter());
        let answer = tester.test(&rest)?;
        if answer.outcome == Outcome::Fail {
            failing = rest;
            refusals = 0;
            continue;
        }
        refusals += 1;
        refused.insert(branch.clone());
        if answer.outcome == Outcome::Unresolved {
            for (delta, needed) in learn(&rest, &answer).needs {
                if failing.contains(delta) && failing.contains(needed) {
                    knowledge.need(delta, needed);
                }
            }
        }
    }
    Ok(failing)
}

/// The branches within the limits, the heaviest first.
fn branches(
    knowledge: &Knowledge,
    failing: &Subset,
    weight: &dyn Fn(usize) -> u64,
    limits: BranchLimits,
) -> Vec<Vec<usize>> {
    let total = |subset: &Subset| subset.iter().map(weight).sum::<u64>() as f64;
    let all = total(failing);
    let mut branches: Vec<(f64, Vec<usize>)> = failing
        .iter()
        .map(|delta| {
            let rest = knowledge.interior(&failing.without(&[delta]));
            let branch = failing.difference(&rest);
            (total(&branch), branch.iter().collect())
        })
        .filter(|(weight, _)| *weight >= limits.lightest * all && *weight <= limits.heaviest * all)
        .collect();
    branches.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    branches.into_iter().map(|(_, branch)| branch).collect()
}
