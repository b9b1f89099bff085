use crate::{Cached, Grouping, Outcome, Stop, Subset, Tester};

/// Zeller and Hildebrandt's ddmin: a 1-minimal failing subset of `subset`, which fails.
///
/// Kept as the yardstick and for those who want the classic; [`minimise`](crate::minimise) gives the same promise for
/// far fewer tests. At most n² + 3n tests for n deltas.
pub fn ddmin<T: Tester + ?Sized>(
    tester: &mut T,
    grouping: &Grouping,
    subset: &Subset,
) -> Result<Subset, Stop> {
    let mut tester = Cached::new(tester);
    let nothing = Subset::empty(subset.universe());
    let mut current = subset.clone();
    let mut n = 2;
    loop {
        let size = current.len();
        if size < 2 {
            let mut smaller = (0..size).map(|_| nothing.clone());
            let fails = tester.first(&mut smaller, Outcome::Fail)?.is_some();
            return Ok(if fails { nothing } else { current });
        }
        let parts = grouping.partition(&current, n);
        let mut subsets = parts.iter().map(|part| nothing.with(part));
        if let Some(i) = tester.first(&mut subsets, Outcome::Fail)? {
            current = nothing.with(parts.part(i));
            n = 2;
            continue;
        }
        let mut complements = parts.iter().map(|part| current.without(part));
        if let Some(i) = tester.first(&mut complements, Outcome::Fail)? {
            current = current.without(parts.part(i));
            n = (n - 1).max(2);
        } else if n < size {
            n = size.min(2 * n);
        } else {
            return Ok(current);
        }
    }
}
