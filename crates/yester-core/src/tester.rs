use std::error::Error;

use crate::{Outcome, Space, Subset};

/// Why a search ended before it had its answer. What was accepted until then stays valid.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// A limit on trials or time was reached.
    #[error("the limit of {0} is reached")]
    Limit(&'static str),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The trial could not be carried out at all.
    #[error(transparent)]
    Broken(Box<dyn Error + Send + Sync>),
}

/// Answers what happens when a subset of the deltas is applied.
pub trait Tester {
    /// The outcome for one subset.
    fn test(&mut self, subset: &Subset) -> Result<Outcome, Stop>;

    /// The lowest index among `candidates` whose outcome is `wanted`.
    ///
    /// An implementation may test several candidates at once and later ones before earlier ones, but the answer is
    /// the one that testing them in order would give. Candidates are made only when they are needed.
    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        for (index, candidate) in candidates.enumerate() {
            if self.test(&candidate)? == wanted {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// A hint: these subsets are likely to be asked for right after the next question, likeliest first.
    ///
    /// It replaces the previous hint and never changes an answer. A tester with idle jobs may test them ahead.
    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        let _ = subsets;
    }

    /// What the run of a subset has printed that came out Unresolved, for whoever can read it.
    fn output_of(&mut self, subset: &Subset) -> Option<String> {
        let _ = subset;
        None
    }
}

/// Makes testers, for searches that go through one space after the other.
pub trait Lab {
    /// A tester for the deltas of a space.
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a>;
}

impl<T: Tester + ?Sized> Tester for &mut T {
    fn test(&mut self, subset: &Subset) -> Result<Outcome, Stop> {
        (**self).test(subset)
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        (**self).first(candidates, wanted)
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        (**self).foresee(subsets);
    }

    fn output_of(&mut self, subset: &Subset) -> Option<String> {
        (**self).output_of(subset)
    }
}
