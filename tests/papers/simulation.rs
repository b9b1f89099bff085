use std::collections::HashMap;
use std::sync::Arc;

use yester_core::{
    Answer, Candidate, Lab, Limit, Outcome, Phase, Sequential, Space, Stop, Subset, Tester,
};

/// Answers by a rule about the text of a candidate, and writes down each text that it is asked about. No text is asked
/// about twice.
pub struct Simulation<R> {
    rule: R,
    pub trials: Vec<Arc<[u8]>>,
    known: HashMap<Arc<[u8]>, Outcome>,
    limit: usize,
}

impl<R: Fn(&[u8]) -> bool> Simulation<R> {
    /// The rule says whether a text fails.
    pub fn new(rule: R) -> Self {
        Simulation {
            rule,
            trials: Vec::new(),
            known: HashMap::new(),
            limit: usize::MAX,
        }
    }

    /// The same that stops after some trials.
    pub fn with_limit(self, limit: usize) -> Self {
        Simulation { limit, ..self }
    }

    fn ask(&mut self, text: Arc<[u8]>) -> Result<Outcome, Stop> {
        if let Some(outcome) = self.known.get(&text) {
            return Ok(*outcome);
        }
        if self.trials.len() >= self.limit {
            return Err(Stop::Limit(Limit::Trials));
        }
        let outcome = if (self.rule)(&text) {
            Outcome::Fail
        } else {
            Outcome::Pass
        };
        self.trials.push(Arc::clone(&text));
        self.known.insert(text, outcome);
        Ok(outcome)
    }
}

impl<R: Fn(&[u8]) -> bool> Lab for Simulation<R> {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        Box::new(Sequential(|subset: &Subset| match space.render(subset) {
            Ok(Candidate::File(text)) => self.ask(text).map(Answer::known),
            Ok(Candidate::Tree(_)) => unreachable!("candidates are files"),
            Err(infeasible) => Ok(Answer::infeasible(infeasible)),
        }))
    }

    fn enter(&mut self, _: Phase) {}
}
