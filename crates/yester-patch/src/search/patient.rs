use yester_core::{Outcome, Stop, Subset, Tester};

/// How many trials in a row may be unresolved.
pub(super) struct Patience {
    pub most: usize,
    pub used: usize,
}

impl Patience {
    pub fn is_over(&self) -> bool {
        self.used >= self.most
    }
}

/// Says Unresolved without a trial when too many in a row were.
pub(super) struct Patient<'a> {
    pub inner: &'a mut dyn Tester,
    pub patience: &'a mut Patience,
}

impl Tester for Patient<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Outcome, Stop> {
        if self.patience.is_over() {
            return Ok(Outcome::Unresolved);
        }
        let outcome = self.inner.test(subset)?;
        if outcome != Outcome::Unresolved {
            self.patience.used = 0;
        } else if self.inner.output_of(subset).is_some() {
            // What is infeasible costs nothing.
            self.patience.used += 1;
        }
        Ok(outcome)
    }

    fn output_of(&mut self, subset: &Subset) -> Option<String> {
        if self.patience.is_over() {
            return None;
        }
        self.inner.output_of(subset)
    }
}
