//! Answers that hold for every candidate of which the same was built.

use std::collections::HashMap;
use std::sync::Arc;

use yester_core::Outcome;

use super::Known;
use crate::{Ending, Journal, Output, Repeat, Signature, Trial, Why};

/// What the test says of a product.
#[derive(Clone)]
pub(super) struct ProductAnswer {
    pub ending: Ending,
    pub outcome: Outcome,
    pub other: Option<Signature>,
    pub output: Option<Arc<Output>>,
}

/// The products that were tested, by their hash.
#[derive(Default)]
pub(super) struct Products(HashMap<String, ProductAnswer>);

impl Products {
    /// What an earlier session has found out, also about candidates that nobody asks for any more.
    pub fn recall(journal: &Journal, repeat: &Repeat) -> Products {
        let mut products = Products::default();
        let mut past: Vec<_> = journal.past(Why::Search).collect();
        // Of two trials of one product the first one counts, as it did then.
        past.sort_by_key(|trials| trials[0].trial);
        for trials in past {
            let mut known = Known::default();
            for trial in trials {
                known.add(trial, repeat);
                products.learn(trial, &known);
            }
        }
        products
    }

    pub fn get(&self, product: &str) -> Option<&ProductAnswer> {
        self.0.get(product)
    }

    /// Takes in what is known after this trial.
    pub fn learn(&mut self, trial: &Trial, known: &Known) {
        if let (Some(product), Some(outcome)) = (&trial.product, known.outcome) {
            self.0
                .entry(product.clone())
                .or_insert_with(|| ProductAnswer {
                    ending: trial.ending.clone(),
                    outcome,
                    other: known.other.clone(),
                    output: known.output.clone(),
                });
        }
    }

    /// Takes in what the baseline knows.
    pub fn remember(&mut self, product: &str, ending: Ending, outcome: Outcome) {
        let answer = ProductAnswer {
            ending,
            outcome,
            other: None,
            output: None,
        };
        self.0.insert(product.to_owned(), answer);
    }
}
