use crate::{Cached, Grouping, Outcome, Stop, Subset, Tester};

/// A passing and a failing subset, the first one inside the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Passes.
    pub passing: Subset,
    /// Fails.
    pub failing: Subset,
}

impl Difference {
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
/// The paper looks through all parts for the answer that gains most. Here the first resolved answer is taken and the
/// round goes on with the next part; only a round that moves nothing is followed by a finer one.
pub fn isolate<T: Tester + ?Sized>(
    tester: &mut T,
    grouping: &Grouping,
    passing: &Subset,
    failing: &Subset,
) -> Result<Difference, Stop> {
    let mut tester = Cached::new(tester);
    let mut sides = Difference {
        passing: passing.clone(),
        failing: failing.clone(),
    };
    let mut n = 2;
    loop {
        let deltas = sides.deltas();
        let size = deltas.len();
        if size < 2 {
            return Ok(sides);
        }
        n = n.min(size);
        if let Some(again) = round(&mut tester, grouping, &mut sides, n)? {
            n = again;
        } else if n < size {
            n *= 2;
        } else {
            return Ok(sides);
        }
    }
}

/// Goes through the parts of the difference. When that moved a side, says how many parts to make next.
fn round<T: Tester + ?Sized>(
    tester: &mut Cached<&mut T>,
    grouping: &Grouping,
    sides: &mut Difference,
    n: usize,
) -> Result<Option<usize>, Stop> {
    let parts = grouping.partition(&sides.deltas(), n);
    let mut unresolved = n;
    for i in 0..n {
        let added = sides.passing.with(parts.part(i));
        let left = sides.failing.without(parts.part(i));
        let ahead = (i + 1..n).map(|next| sides.passing.with(parts.part(next)));
        tester.foresee(&mut std::iter::once(left.clone()).chain(ahead));
        match tester.test(&added)? {
            Outcome::Fail => {
                sides.failing = added;
                return Ok(Some(2));
            }
            Outcome::Pass => {
                sides.passing = added;
                unresolved -= 1;
            }
            Outcome::Unresolved => match tester.test(&left)? {
                Outcome::Pass => {
                    sides.passing = left;
                    return Ok(Some(2));
                }
                Outcome::Fail => {
                    sides.failing = left;
                    unresolved -= 1;
                }
                Outcome::Unresolved => {}
            },
        }
        if i + 1 == n && unresolved == n {
            return Ok(None);
        }
        // With one part left, its outcome is that of the whole difference.
        if i + 2 == n && unresolved == 1 {
            break;
        }
    }
    Ok(Some(unresolved.max(2)))
}
