use std::fmt;

use crate::Hash;

/// Which deltas of a space are applied. The papers call it a configuration or a change set.
///
/// A bit per delta: set operations on 100,000 deltas touch 12 KB.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subset {
    universe: usize,
    words: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl Subset {
    /// No delta out of `universe`.
    pub fn empty(universe: usize) -> Self {
        Subset {
            universe,
            words: vec![0; universe.div_ceil(BITS)],
        }
    }

    /// Every delta out of `universe`.
    pub fn full(universe: usize) -> Self {
        let mut subset = Subset {
            universe,
            words: vec![u64::MAX; universe.div_ceil(BITS)],
        };
        if !universe.is_multiple_of(BITS) {
            subset.words[universe / BITS] = (1 << (universe % BITS)) - 1;
        }
        subset
    }

    /// Exactly these deltas out of `universe`.
    pub fn of(universe: usize, deltas: impl IntoIterator<Item = usize>) -> Self {
        let mut subset = Self::empty(universe);
        deltas.into_iter().for_each(|delta| subset.insert(delta));
        subset
    }

    /// How many deltas there are to choose from.
    pub fn universe(&self) -> usize {
        self.universe
    }

    /// How many deltas are applied.
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// True when nothing is applied.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Whether this delta is applied.
    pub fn contains(&self, delta: usize) -> bool {
        delta < self.universe && self.words[delta / BITS] >> (delta % BITS) & 1 == 1
    }

    /// Applies one delta.
    ///
    /// # Panics
    /// When the delta is not in the universe.
    pub fn insert(&mut self, delta: usize) {
        assert!(
            delta < self.universe,
            "delta {delta} of a universe of {}",
            self.universe
        );
        self.words[delta / BITS] |= 1 << (delta % BITS);
    }

    /// Leaves one delta out.
    pub fn remove(&mut self, delta: usize) {
        if delta < self.universe {
            self.words[delta / BITS] &= !(1 << (delta % BITS));
        }
    }

    /// This one with some more deltas applied.
    pub fn with(&self, deltas: &[usize]) -> Subset {
        let mut subset = self.clone();
        deltas.iter().for_each(|delta| subset.insert(*delta));
        subset
    }

    /// This one with some deltas left out.
    pub fn without(&self, deltas: &[usize]) -> Subset {
        let mut subset = self.clone();
        deltas.iter().for_each(|delta| subset.remove(*delta));
        subset
    }

    /// What is in either.
    pub fn union(&self, other: &Subset) -> Subset {
        self.combine(other, |a, b| a | b)
    }

    /// What is in both.
    pub fn intersection(&self, other: &Subset) -> Subset {
        self.combine(other, |a, b| a & b)
    }

    /// What is in this one but not in the other.
    pub fn difference(&self, other: &Subset) -> Subset {
        self.combine(other, |a, b| a & !b)
    }

    /// Whether everything in this one is in the other too.
    pub fn is_subset(&self, other: &Subset) -> bool {
        self.words
            .iter()
            .zip(&other.words)
            .all(|(a, b)| a & !b == 0)
    }

    /// The applied deltas, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    index * BITS + bit
                })
            })
        })
    }

    /// The applied deltas as maximal runs of neighbours.
    pub fn runs(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = self.next(at, true)?;
            let end = self.next(start, false).unwrap_or(self.universe);
            at = end;
            Some(start..end)
        })
    }

    /// A short name for this subset, for caches: two subsets with one key are the same.
    pub fn key(&self) -> Hash {
        let bytes: Vec<u8> = self
            .words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        Hash::of(&bytes)
    }

    /// The next delta at or after `from` that is applied or, for `applied == false`, is not.
    fn next(&self, from: usize, applied: bool) -> Option<usize> {
        let flip = if applied { 0 } else { u64::MAX };
        let mut index = from / BITS;
        let mut mask = u64::MAX << (from % BITS);
        while index < self.words.len() {
            let word = (self.words[index] ^ flip) & mask;
            if word != 0 {
                let delta = index * BITS + word.trailing_zeros() as usize;
                return (delta < self.universe).then_some(delta);
            }
            mask = u64::MAX;
            index += 1;
        }
        None
    }

    fn combine(&self, other: &Subset, operation: impl Fn(u64, u64) -> u64) -> Subset {
        assert_eq!(
            self.universe, other.universe,
            "subsets of different universes"
        );
        let words = self
            .words
            .iter()
            .zip(&other.words)
            .map(|(a, b)| operation(*a, *b))
            .collect();
        Subset {
            universe: self.universe,
            words,
        }
    }
}

impl fmt::Debug for Subset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

/// One character a delta, as in the papers' tables: its number when applied, a dot when not.
impl fmt::Display for Subset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for delta in 0..self.universe {
            if delta > 0 {
                formatter.write_str(" ")?;
            }
            if self.contains(delta) {
                write!(formatter, "{}", delta + 1)?;
            } else {
                formatter.write_str(".")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reference(subset: &Subset) -> Vec<usize> {
        (0..subset.universe())
            .filter(|delta| subset.contains(*delta))
            .collect()
    }

    proptest! {
        #[test]
        fn set_operations_agree_with_membership(
            universe in 1usize..300,
            left in prop::collection::vec(any::<prop::sample::Index>(), 0..50),
            right in prop::collection::vec(any::<prop::sample::Index>(), 0..50),
        ) {
            let left = Subset::of(universe, left.iter().map(|index| index.index(universe)));
            let right = Subset::of(universe, right.iter().map(|index| index.index(universe)));
            for delta in 0..universe {
                let (a, b) = (left.contains(delta), right.contains(delta));
                prop_assert_eq!(left.union(&right).contains(delta), a || b);
                prop_assert_eq!(left.intersection(&right).contains(delta), a && b);
                prop_assert_eq!(left.difference(&right).contains(delta), a && !b);
            }
            prop_assert_eq!(left.is_subset(&right), reference(&left).iter().all(|delta| right.contains(*delta)));
            prop_assert_eq!(left.iter().collect::<Vec<_>>(), reference(&left));
            prop_assert_eq!(left.runs().flatten().collect::<Vec<_>>(), reference(&left));
            prop_assert!(left.runs().zip(left.runs().skip(1)).all(|(one, next)| one.end < next.start));
            prop_assert_eq!(left.len(), reference(&left).len());
        }
    }

    #[test]
    fn the_full_subset_holds_nothing_outside_its_universe() {
        for universe in [0, 1, 63, 64, 65, 128, 1000] {
            assert_eq!(Subset::full(universe).len(), universe);
            assert_eq!(
                Subset::full(universe)
                    .runs()
                    .map(|run| run.len())
                    .sum::<usize>(),
                universe
            );
        }
    }
}
