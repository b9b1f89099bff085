use crate::{Cached, Grouping, Outcome, Stop, Subset, Tester};

/// A passing and a failing subset, the first one inside the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IsolatedDifference {
    /// Passes.
    pub passing: Subset,
    /// Fails.
    pub failing: Subset,
}

impl IsolatedDifference {
    /// What makes the difference.
    pub fn deltas(&self) -> Subset {
        self.failing.difference(&self.passing)
    }
}

/// The general dd of Zeller and Hildebrandt: from a passing and a failing subset to two that differ minimally, by
/// adding to the one and taking from the other.
///
/// Whatever is resolved in between moves one of the two sides, so n deltas cost log n tests when nothing is unresolved,
/// whatever the number of causes. In the end no single delta of the difference can be added to the passing or left out
/// of the failing side with a resolved outcome.
///
/// The paper tests all parts of one size before it halves the size. Here each unresolved part halves the size of the
/// next one and each resolved part makes it larger again, so the parts soon are as large as the space allows. On
/// simulated change sets with many inconsistencies that saves half of the tests.
pub fn isolate<T: Tester + ?Sized>(
    tester: &mut T,
    grouping: &Grouping,
    passing: &Subset,
    failing: &Subset,
) -> Result<IsolatedDifference, Stop> {
    let mut tester = Cached::new(tester);
    let mut sides = IsolatedDifference {
        passing: passing.clone(),
        failing: failing.clone(),
    };
    let mut at = 0;
    let mut size = failing.len();
    let mut stuck = 0;
    loop {
        let row = grouping.row(&sides.deltas());
        let len = row.members.len();
        if len < 2 || stuck == len {
            return Ok(sides);
        }
        size = size.clamp(1, len.div_ceil(2));
        let cuts = row.cut(0..len, len.div_ceil(size));
        let part = cuts.partition_point(|cut| *cut < at) % (cuts.len() - 1);
        let (start, end) = (cuts[part], cuts[part + 1]);
        match step(&mut tester, &mut sides, &row.members[start..end])? {
            None => {
                stuck = if size == 1 { stuck + 1 } else { 0 };
                size /= 2;
                at = end;
            }
            Some(holds_the_difference) => {
                stuck = 0;
                size += size.div_ceil(2);
                at = if holds_the_difference { 0 } else { start };
            }
        }
    }
}

/// Tries to move one part to either side. Says, if that was resolved, whether the part holds the difference.
fn step<T: Tester>(
    tester: &mut T,
    sides: &mut IsolatedDifference,
    part: &[usize],
) -> Result<Option<bool>, Stop> {
    let added = sides.passing.with(part);
    let left = sides.failing.without(part);
    tester.foresee(&mut std::iter::once(left.clone()));
    match tester.test(&added)?.outcome {
        Outcome::Fail => {
            sides.failing = added;
            return Ok(Some(true));
        }
        Outcome::Pass => {
            sides.passing = added;
            return Ok(Some(false));
        }
        Outcome::Unresolved => {}
    }
    match tester.test(&left)?.outcome {
        Outcome::Pass => {
            sides.passing = left;
            Ok(Some(true))
        }
        Outcome::Fail => {
            sides.failing = left;
            Ok(Some(false))
        }
        Outcome::Unresolved => Ok(None),
    }
}
