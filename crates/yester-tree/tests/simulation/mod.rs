//! A test that looks at the text, for the reduction engine.

use std::sync::Arc;

use yester_core::{Answer, Candidate, Lab, Outcome, Phase, Sequential, Space, Subset, Tester};
use yester_tree::{Auto, Grammar, ReduceTuning};

/// Answers by looking at the text, and remembers what it was asked.
pub struct Simulation<'a> {
    fails: &'a dyn Fn(&str) -> bool,
    /// The candidates, each once.
    pub asked: Vec<String>,
    /// What the engine said that it does.
    #[allow(dead_code, reason = "not every test looks at it")]
    pub phases: Vec<&'static str>,
}

impl Lab for Simulation<'_> {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        Box::new(Sequential(|subset: &Subset| {
            let text = match space.render(subset) {
                Ok(Candidate::File(text)) => String::from_utf8_lossy(&text).into_owned(),
                Ok(Candidate::Tree(_)) => unreachable!("candidates are files"),
                Err(infeasible) => return Ok(Answer::infeasible(infeasible)),
            };
            let outcome = if (self.fails)(&text) {
                Outcome::Fail
            } else {
                Outcome::Pass
            };
            if !self.asked.contains(&text) {
                self.asked.push(text);
            }
            Ok(Answer::known(outcome))
        }))
    }

    fn enter(&mut self, phase: Phase) {
        self.phases.push(phase.what);
    }
}

/// The answer, and what was asked for it.
pub fn reduce(
    grammar: Arc<dyn Grammar>,
    text: &str,
    fails: &dyn Fn(&str) -> bool,
) -> (String, Vec<String>) {
    let mut simulation = Simulation::new(fails);
    let answer = simulation.reduce(grammar, text);
    (answer, simulation.asked)
}

impl<'a> Simulation<'a> {
    pub fn new(fails: &'a dyn Fn(&str) -> bool) -> Simulation<'a> {
        Simulation {
            fails,
            asked: Vec::new(),
            phases: Vec::new(),
        }
    }

    pub fn reduce(&mut self, grammar: Arc<dyn Grammar>, text: &str) -> String {
        let auto = Auto {
            valid: grammar.is_strict(),
            grammar,
            wrap: &Candidate::File,
            enough: 0,
            tuning: ReduceTuning::default(),
        };
        let answer = auto.reduce(self, text.as_bytes().into()).expect("no stop");
        String::from_utf8(answer.to_vec()).expect("text")
    }
}
