use std::collections::HashSet;

use crate::closure::Lesson;
use crate::{Cached, Knowledge, Outcome, Stop, Subset, Tester};

/// A branch that is smaller than this share of the rest is not worth a test of its own.
const SMALL: f64 = 0.02;
/// After so many refused branches in a row no more are tried.
const REFUSALS: usize = 5;

/// A smaller failing subset, by leaving out whole branches, the heaviest first: a delta and all that need it.
/// `failing` fails and has all it needs.
///
/// Where a feature hangs on one delta this leaves it out in one test, for which [`peel`](crate::peel()) would need one for
/// each layer. It is no search for a minimum: small branches are not tried.
pub fn lop<T: Tester + ?Sized>(
    tester: &mut T,
    knowledge: &mut Knowledge,
    failing: &Subset,
    weight: &dyn Fn(usize) -> u64,
    learn: &mut dyn FnMut(&Subset, Option<String>) -> Lesson,
) -> Result<Subset, Stop> {
    let mut tester = Cached::new(tester);
    let mut failing = failing.clone();
    let mut refused: HashSet<Vec<usize>> = HashSet::new();
    let mut refusals = 0;
    let total = |subset: &Subset| subset.iter().map(weight).sum::<u64>() as f64;
    while refusals < REFUSALS {
        let all = total(&failing);
        let branches = failing.iter().map(|delta| {
            let rest = knowledge.interior(&failing.without(&[delta]));
            let branch = failing.difference(&rest);
            (total(&branch), branch.iter().collect::<Vec<_>>())
        });
        // What more than half hangs on rather stays.
        let open = branches.filter(|(weight, branch)| {
            *weight >= SMALL * all && *weight <= 0.5 * all && !refused.contains(branch)
        });
        let heaviest = open.reduce(|one, other| if other.0 > one.0 { other } else { one });
        let Some((_, branch)) = heaviest else {
            break;
        };
        let rest = failing.without(&branch);
        let outcome = tester.test(&rest)?;
        if outcome == Outcome::Fail {
            failing = rest;
            refusals = 0;
            continue;
        }
        refusals += 1;
        if outcome == Outcome::Unresolved {
            let output = tester.output_of(&rest);
            for (delta, needed) in learn(&rest, output).needs {
                if failing.contains(delta) && failing.contains(needed) {
                    knowledge.need(delta, needed);
                }
            }
        }
        refused.insert(branch);
    }
    Ok(failing)
}
