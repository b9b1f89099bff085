use crate::{Candidate, Subset};

/// Why a subset cannot be a candidate: it is Unresolved without a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// What is wrong with it, for the log.
    pub reason: String,
}

/// The deltas of one problem, and what applying some of them gives.
pub trait Space: Send + Sync {
    /// How many deltas there are.
    fn len(&self) -> usize;

    /// True when there is nothing to apply.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a person calls this delta.
    fn label(&self, delta: usize) -> String;

    /// How much of the whole this delta is, in bytes or lines.
    fn weight(&self, delta: usize) -> u64 {
        let _ = delta;
        1
    }

    /// The candidate with exactly the deltas of `subset` applied.
    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible>;

    /// The smallest units of the problem that a subset stands for, where this space is one of several views of them.
    ///
    /// Whoever keeps the best answer so far can then compare answers of different views.
    fn units(&self, subset: &Subset) -> Option<Subset> {
        let _ = subset;
        None
    }
}
