//! What is known of a candidate.

use std::sync::Arc;

use yester_core::Outcome;

use crate::{Ending, Output, Repeat, Signature, Trial};

/// What runs of a candidate have shown, in this session or an earlier one.
#[derive(Default)]
pub(super) struct Known {
    pub runs: Vec<Outcome>,
    pub outcome: Option<Outcome>,
    pub other: Option<Signature>,
    /// Whether the search was given this answer before.
    pub used: bool,
    /// Whether an earlier session has run it.
    pub replayed: bool,
    /// How often its worker was lost in the middle of it.
    pub lost: u8,
    pub output: Option<Arc<Output>>,
    /// How its first run ended.
    pub ending: Option<Ending>,
}

impl Known {
    /// Takes in one more run.
    pub fn add(&mut self, trial: &Trial, repeat: &Repeat) {
        self.runs.push(trial.outcome.unwrap_or(Outcome::Unresolved));
        self.replayed |= trial.replayed;
        if self.other.is_none() {
            self.other.clone_from(&trial.other);
        }
        if self.output.is_none() {
            self.output.clone_from(&trial.output);
        }
        self.ending.get_or_insert_with(|| trial.ending.clone());
        self.outcome = self.outcome.or_else(|| match trial.outcome {
            // As many runs as it takes were made of the product.
            Some(outcome) if trial.same_product => Some(outcome),
            _ => repeat.decide(&self.runs),
        });
    }
}
