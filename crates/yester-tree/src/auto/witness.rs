use yester_core::{Answer, Outcome, Stop, Subset, Tester};

/// Tells of every subset that a search was told to fail. Those that are only tested ahead do not count, since which ones
/// are depends on the number of jobs.
pub(super) struct Witness<'a, T: ?Sized, F> {
    pub tester: &'a mut T,
    pub tell: F,
}

impl<T: Tester + ?Sized, F: FnMut(&Subset)> Tester for Witness<'_, T, F> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        let answer = self.tester.test(subset)?;
        if answer.outcome == Outcome::Fail {
            (self.tell)(subset);
        }
        Ok(answer)
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        let mut asked = Vec::new();
        let mut noted = candidates.inspect(|candidate| asked.push(candidate.clone()));
        let found = self.tester.first(&mut noted, wanted)?;
        if let Some(found) = found.filter(|_| wanted == Outcome::Fail) {
            (self.tell)(&asked[found]);
        }
        Ok(found)
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        self.tester.foresee(subsets);
    }
}
