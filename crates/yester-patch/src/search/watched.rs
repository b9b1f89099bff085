use yester_core::{Outcome, Stop, Subset, Tester};

/// Remembers the smallest subset that was seen to fail, for when the search is stopped.
pub(super) struct Watched<'a, T> {
    pub inner: T,
    pub weight: &'a dyn Fn(&Subset) -> u64,
    /// Is told of each failing subset that is smaller than all before.
    pub better: &'a mut dyn FnMut(&Subset),
    pub least: u64,
}

impl<T> Watched<'_, T> {
    fn see(&mut self, subset: &Subset) {
        let weight = (self.weight)(subset);
        if weight < self.least {
            self.least = weight;
            (self.better)(subset);
        }
    }
}

impl<T: Tester> Tester for Watched<'_, T> {
    fn test(&mut self, subset: &Subset) -> Result<Outcome, Stop> {
        let outcome = self.inner.test(subset)?;
        if outcome == Outcome::Fail {
            self.see(subset);
        }
        Ok(outcome)
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        let mut asked = Vec::new();
        let mut candidates = candidates.inspect(|candidate| asked.push(candidate.clone()));
        let found = self.inner.first(&mut candidates, wanted)?;
        if let Some(index) = found.filter(|_| wanted == Outcome::Fail) {
            self.see(&asked[index]);
        }
        Ok(found)
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        self.inner.foresee(subsets);
    }

    fn output_of(&mut self, subset: &Subset) -> Option<String> {
        self.inner.output_of(subset)
    }
}
