use crate::{Answer, Infeasible, Outcome, Stop, Subset, Tester, sieve};

/// What is known of how deltas depend on each other, before any test.
#[derive(Clone, Debug)]
pub struct Knowledge {
    needs: Vec<Vec<usize>>,
    needed_by: Vec<Vec<usize>>,
    sequence: Option<Sequence>,
    conflicts: Vec<Vec<usize>>,
}

/// Deltas in the order in which they were made. Each needs all earlier ones, which is kept as ranks: n² implications
/// in 2n numbers.
#[derive(Clone, Debug)]
struct Sequence {
    ranks: Vec<usize>,
    /// The deltas by rank.
    order: Vec<usize>,
}

impl Knowledge {
    /// Nothing is known of `universe` deltas.
    pub fn none(universe: usize) -> Self {
        Knowledge {
            needs: vec![Vec::new(); universe],
            needed_by: vec![Vec::new(); universe],
            sequence: None,
            conflicts: Vec::new(),
        }
    }

    /// A delta cannot be applied without another one. Says whether this is news.
    pub fn need(&mut self, delta: usize, needed: usize) -> bool {
        let news = delta != needed && !self.needs[delta].contains(&needed);
        if news {
            self.needs[delta].push(needed);
            self.needed_by[needed].push(delta);
        }
        news
    }

    /// A subset had an outcome, so that its members do not need anything outside of it. An order is not touched.
    pub fn refute(&mut self, resolved: &Subset) {
        for delta in resolved.iter() {
            let is_there = |needed: &usize| resolved.contains(*needed);
            for needed in self.needs[delta].iter().filter(|needed| !is_there(needed)) {
                self.needed_by[*needed].retain(|other| *other != delta);
            }
            self.needs[delta].retain(is_there);
        }
    }

    /// Each delta needs all deltas of a lower rank; those of the same rank do not need each other. Replaces an earlier
    /// order.
    ///
    /// # Panics
    /// When there is not one rank for each delta.
    pub fn order(&mut self, ranks: Vec<usize>) {
        assert_eq!(ranks.len(), self.needs.len(), "one rank for each delta");
        let mut order: Vec<usize> = (0..ranks.len()).collect();
        order.sort_by_key(|delta| ranks[*delta]);
        self.sequence = Some(Sequence { ranks, order });
    }

    /// These deltas cannot all be applied together.
    pub fn conflict(&mut self, deltas: Vec<usize>) {
        self.conflicts.push(deltas);
    }

    /// Whether nothing that is known speaks against this subset.
    pub fn allows(&self, subset: &Subset) -> bool {
        self.in_sequence(subset)
            && subset.iter().all(|delta| {
                let mut needs = self.needs[delta].iter();
                needs.all(|needed| subset.contains(*needed))
            })
            && !self
                .conflicts
                .iter()
                .any(|deltas| deltas.iter().all(|delta| subset.contains(*delta)))
    }

    fn in_sequence(&self, subset: &Subset) -> bool {
        let Some(Sequence { ranks, order }) = &self.sequence else {
            return true;
        };
        let latest = subset.iter().map(|delta| ranks[delta]).max().unwrap_or(0);
        order
            .iter()
            .take_while(|delta| ranks[**delta] < latest)
            .all(|delta| subset.contains(*delta))
    }

    /// The subset and everything that its members need, directly or not.
    pub fn closure(&self, subset: &Subset) -> Subset {
        let mut closure = subset.clone();
        let mut open: Vec<usize> = subset.iter().collect();
        // Everything before this place of the sequence is in the closure.
        let mut earlier = 0;
        while let Some(delta) = open.pop() {
            let mut add = |needed: usize| {
                if !closure.contains(needed) {
                    closure.insert(needed);
                    open.push(needed);
                }
            };
            self.needs[delta].iter().for_each(|needed| add(*needed));
            if let Some(Sequence { ranks, order }) = &self.sequence {
                while ranks[order[earlier]] < ranks[delta] {
                    add(order[earlier]);
                    earlier += 1;
                }
            }
        }
        closure
    }

    /// The members of a subset that have in it all that they need, directly or not: its largest closed subset.
    pub fn interior(&self, subset: &Subset) -> Subset {
        let mut interior = subset.clone();
        let mut open: Vec<usize> = Subset::full(subset.universe())
            .difference(subset)
            .iter()
            .collect();
        // Everything from this place of the sequence on is not in the interior.
        let mut later = self.needs.len();
        while let Some(missing) = open.pop() {
            let mut drop = |delta: usize| {
                if interior.contains(delta) {
                    interior.remove(delta);
                    open.push(delta);
                }
            };
            self.needed_by[missing]
                .iter()
                .for_each(|delta| drop(*delta));
            if let Some(Sequence { ranks, order }) = &self.sequence {
                while later > 0 && ranks[order[later - 1]] > ranks[missing] {
                    later -= 1;
                    drop(order[later]);
                }
            }
        }
        interior
    }
}

/// Answers Unresolved without a test where what is known says so, and asks the inner tester otherwise.
pub struct Predicted<'a, T> {
    inner: T,
    knowledge: &'a Knowledge,
    predicted: u64,
}

impl<'a, T: Tester> Predicted<'a, T> {
    /// Predicts what `knowledge` can tell.
    pub fn new(inner: T, knowledge: &'a Knowledge) -> Self {
        Predicted {
            inner,
            knowledge,
            predicted: 0,
        }
    }

    /// How many questions were answered without a test.
    pub fn predicted(&self) -> u64 {
        self.predicted
    }
}

impl<T: Tester> Tester for Predicted<'_, T> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        if self.knowledge.allows(subset) {
            return self.inner.test(subset);
        }
        self.predicted += 1;
        Ok(Answer::infeasible(Infeasible {
            reason: "what is known rules it out".to_owned(),
        }))
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        let knowledge = self.knowledge;
        let mut seen = 0;
        let mut predicted = Vec::new();
        let sieved = sieve::first(&mut self.inner, candidates, wanted, |candidate| {
            seen += 1;
            let known = !knowledge.allows(candidate);
            predicted.extend(known.then_some(seen - 1));
            known.then_some(wanted == Outcome::Unresolved)
        })?;
        // The inner tester may have looked past the answer; how far must not show.
        let counted = |place: &&usize| sieved.index.is_none_or(|index| **place <= index);
        self.predicted += predicted.iter().filter(counted).count() as u64;
        Ok(sieved.index)
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        let knowledge = self.knowledge;
        self.inner
            .foresee(&mut subsets.filter(|subset| knowledge.allows(subset)));
    }
}
