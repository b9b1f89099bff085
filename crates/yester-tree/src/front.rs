use crate::Extent;

/// The failing candidates that may still become the answer.
///
/// Of those that are at most a tenth longer than the shortest one, the best has the fewest tokens, then the fewest bytes,
/// then it is the one that comes first. So no answer is much longer than something that was seen to fail, and of those
/// that are about as long none has fewer tokens. What gets too long never comes back, since the shortest one only becomes
/// shorter: a search that always goes on with the best one ends.
#[derive(Clone, Debug)]
pub struct Front<T> {
    /// From the shortest one on, with fewer and fewer tokens.
    candidates: Vec<(Extent, T)>,
}

impl<T: Ord> Front<T> {
    /// Begins with a failing candidate.
    pub fn new(extent: Extent, candidate: T) -> Front<T> {
        Front {
            candidates: vec![(extent, candidate)],
        }
    }

    /// Takes in another failing candidate. True if it is the best one now.
    pub fn add(&mut self, extent: Extent, candidate: T) -> bool {
        let is_worse = |(other, held): &(Extent, T)| {
            let is_alike = (other.bytes, other.tokens) == (extent.bytes, extent.tokens);
            other.bytes <= extent.bytes
                && other.tokens <= extent.tokens
                && !(is_alike && candidate < *held)
        };
        if extent.bytes > self.longest() || self.candidates.iter().any(is_worse) {
            return false;
        }
        self.candidates
            .retain(|(other, _)| other.bytes < extent.bytes || other.tokens < extent.tokens);
        let place = self
            .candidates
            .partition_point(|(other, _)| other.bytes < extent.bytes);
        self.candidates.insert(place, (extent, candidate));
        let longest = self.longest();
        self.candidates
            .retain(|(extent, _)| extent.bytes <= longest);
        place + 1 == self.candidates.len()
    }

    /// The best one.
    pub fn best(&self) -> &T {
        let (_, best) = self.candidates.last().expect("there always is one");
        best
    }

    /// How long a candidate may be.
    fn longest(&self) -> usize {
        let shortest = self
            .candidates
            .first()
            .map_or(0, |(extent, _)| extent.bytes);
        shortest.saturating_add(shortest / 10)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_best_has_the_fewest_tokens_of_those_that_are_not_a_tenth_longer() {
        let extent = |tokens, bytes| Extent { tokens, bytes };
        let mut front = Front::new(extent(20, 1000), "first");
        assert!(!front.add(extent(20, 1001), "longer"));
        assert!(front.add(extent(19, 1050), "fewer tokens"));
        assert!(!front.add(extent(18, 1101), "too long"));
        assert!(front.add(extent(30, 900), "much shorter"));
        assert!(!front.add(extent(19, 991), "too long by now"));
        assert!(front.add(extent(29, 900), "much shorter, too"));
        assert!(front.add(extent(29, 900), "Much shorter, too"));
        assert_eq!(*front.best(), "Much shorter, too");
    }

    proptest! {
        #[test]
        fn the_best_is_the_one_that_all_together_make_the_best(
            seen in proptest::collection::vec((1usize..40, 1usize..200), 1..30),
        ) {
            let mut seen = seen.into_iter().map(|(tokens, bytes)| Extent { tokens, bytes });
            let first = seen.next().expect("at least one");
            let mut front = Front::new(first, first.tokens);
            let mut all = vec![first];
            for extent in seen {
                all.push(extent);
                front.add(extent, extent.tokens);
                let shortest = all.iter().map(|extent| extent.bytes).min().expect("some");
                let close = all.iter().filter(|extent| extent.bytes <= shortest + shortest / 10);
                let best = close.map(|extent| extent.tokens).min().expect("the shortest");
                prop_assert_eq!(*front.best(), best);
            }
        }
    }
}
