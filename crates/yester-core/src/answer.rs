use std::sync::Arc;

use crate::{Infeasible, Outcome};

/// What a tester says of a subset, and how it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The outcome.
    pub outcome: Outcome,
    /// What it rests on.
    pub evidence: Evidence,
}

/// What an outcome rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The subset is not a candidate, for this reason. Nothing was run.
    Infeasible(Infeasible),
    /// The user's command ran on the candidate, now or before the search was resumed. Holds what it printed, where the
    /// tester keeps that.
    Ran(Option<Arc<str>>),
    /// The outcome was known before anybody asked, or follows from other answers.
    Known,
}

impl Answer {
    /// An answer that follows from what is known.
    pub fn known(outcome: Outcome) -> Self {
        Answer {
            outcome,
            evidence: Evidence::Known,
        }
    }

    /// An answer without a trial: the subset is not a candidate.
    pub fn infeasible(infeasible: Infeasible) -> Self {
        Answer {
            outcome: Outcome::Unresolved,
            evidence: Evidence::Infeasible(infeasible),
        }
    }

    /// What the command printed, where that was kept.
    pub fn output(&self) -> Option<&str> {
        match &self.evidence {
            Evidence::Ran(output) => output.as_deref(),
            Evidence::Infeasible(_) | Evidence::Known => None,
        }
    }

    /// What was said against the subset: by the command, where that was kept, or by whoever knew without a run.
    pub fn complaint(&self) -> Option<&str> {
        match &self.evidence {
            Evidence::Ran(output) => output.as_deref(),
            Evidence::Infeasible(infeasible) => Some(&infeasible.reason),
            Evidence::Known => None,
        }
    }

    /// Whether the command ran to find this out.
    pub fn is_from_a_run(&self) -> bool {
        matches!(self.evidence, Evidence::Ran(_))
    }
}
