use crate::{Outcome, Stop, Subset, Tester};

/// Hands on only those candidates whose answer is not known yet, so that one call of [`Tester::first`] on the inner
/// tester covers them all: what is known in between does not cut the list into small calls.
struct Sieve<'a, J> {
    candidates: std::iter::Enumerate<&'a mut dyn Iterator<Item = Subset>>,
    judge: J,
    asked: Vec<usize>,
    hit: Option<usize>,
}

impl<J: FnMut(&Subset) -> Option<bool>> Iterator for Sieve<'_, J> {
    type Item = Subset;

    fn next(&mut self) -> Option<Subset> {
        // Nothing behind a hit can be the lowest one.
        while self.hit.is_none() {
            let (index, candidate) = self.candidates.next()?;
            match (self.judge)(&candidate) {
                Some(true) => self.hit = Some(index),
                Some(false) => {}
                None => {
                    self.asked.push(index);
                    return Some(candidate);
                }
            }
        }
        None
    }
}

/// What came out of a sieved call.
pub(crate) struct Sieved {
    /// The lowest index that fits.
    pub index: Option<usize>,
    /// How many candidates the inner tester answered, in the order in which the judge let them through.
    pub answered: usize,
    /// Whether the last of the answered ones is the one that fits.
    pub hit: bool,
}

/// [`Tester::first`] where `judge` already knows for some candidates whether they fit.
pub(crate) fn first<T: Tester + ?Sized>(
    inner: &mut T,
    candidates: &mut dyn Iterator<Item = Subset>,
    wanted: Outcome,
    judge: impl FnMut(&Subset) -> Option<bool>,
) -> Result<Sieved, Stop> {
    let mut sieve = Sieve {
        candidates: candidates.enumerate(),
        judge,
        asked: Vec::new(),
        hit: None,
    };
    Ok(match inner.first(&mut sieve, wanted)? {
        Some(place) => Sieved {
            index: Some(sieve.asked[place]),
            answered: place + 1,
            hit: true,
        },
        None => Sieved {
            index: sieve.hit,
            answered: sieve.asked.len(),
            hit: false,
        },
    })
}
