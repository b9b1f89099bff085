use crate::{Grouping, Outcome, Stop, Subset, Tester};

/// Zeller's Algorithm 1: the failure-inducing deltas of `subset`, which fails, where the empty set passes.
///
/// The answer is a minimal failing subset when the space is monotone (more deltas never undo a failure), unambiguous
/// (there is one cause) and consistent (no outcome is Unresolved). A single culprit is found in any space where no test
/// on the way is unresolved. At most 2n − 2 tests for n deltas, about log n for a single one.
///
/// No question comes up twice, so there is no cache: each branch of an interference keeps the other's part applied.
pub fn dd<T: Tester + ?Sized>(
    tester: &mut T,
    grouping: &Grouping,
    subset: &Subset,
) -> Result<Subset, Stop> {
    search(
        tester,
        grouping,
        subset.clone(),
        Subset::empty(subset.universe()),
    )
}

/// Searches `c` while `r` remains applied.
fn search<T: Tester + ?Sized>(
    tester: &mut T,
    grouping: &Grouping,
    mut c: Subset,
    r: Subset,
) -> Result<Subset, Stop> {
    while c.len() > 1 {
        let halves = grouping.partition(&c, 2);
        let mut applied = halves.iter().map(|half| r.with(half));
        let nothing = Subset::empty(c.universe());
        let [c1, c2] = [0, 1].map(|index| nothing.with(halves.part(index)));
        match tester.first(&mut applied, Outcome::Fail)? {
            Some(0) => c = c1,
            Some(_) => c = c2,
            None => {
                let in_c1 = search(tester, grouping, c1.clone(), r.union(&c2))?;
                let in_c2 = search(tester, grouping, c2, r.union(&c1))?;
                return Ok(in_c1.union(&in_c2));
            }
        }
    }
    Ok(c)
}
