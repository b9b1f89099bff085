//! Asking an external solver, by SMT-LIB over a pipe.
//!
//! A solver is a program that may hang, die or print nonsense. None of that may stop us: each question has a limit that
//! the solver knows and a second one after which it is killed, and what cannot be understood is [`Answer::Unknown`] with
//! the reason. A killed solver is started again for the next question.

mod answer;
mod process;
mod program;

use std::time::Duration;

pub use self::answer::{Answer, Model};
pub use self::program::{Program, SolverError};

use self::answer::values;
use self::process::{Broken, Process};
use crate::condition::Query;
use crate::expression::{Evaluator, Graph, Script};

/// How many earlier models are tried before the solver is asked.
const REMEMBERED: usize = 64;

/// A solver for questions about one graph.
pub struct Solver<'g> {
    graph: &'g Graph,
    /// The values of the input in the run.
    input: Vec<u8>,
    program: Program,
    limit: Duration,
    running: Option<Running<'g>>,
    evaluator: Evaluator<'g>,
    /// What answered earlier questions, the latest last.
    models: Vec<Model>,
    /// How many questions the solver itself was asked.
    asked: u64,
}

/// A solver that is running, and what it was told.
struct Running<'g> {
    process: Process,
    script: Script<'g>,
}

impl<'g> Solver<'g> {
    /// Prepares a solver, which is started with the first question that needs it. Each may take `limit`.
    pub fn new(graph: &'g Graph, input: Vec<u8>, program: Program, limit: Duration) -> Self {
        assert_eq!(input.len(), graph.inputs(), "each byte has a value");
        Solver {
            graph,
            input,
            program,
            limit,
            running: None,
            evaluator: Evaluator::new(graph),
            models: Vec::new(),
            asked: 0,
        }
    }

    /// How many questions the solver itself was asked.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// The whole input with the bytes of a model in place.
    pub fn apply(&self, model: &Model) -> Vec<u8> {
        let mut input = self.input.clone();
        for (byte, value) in model.bytes() {
            input[byte as usize] = value;
        }
        input
    }

    /// Looks for an input that fulfils the query. An error is a solver that cannot be started.
    pub fn solve(&mut self, query: &Query) -> Result<Answer, SolverError> {
        if let Some(model) = self.remembered(query) {
            return Ok(Answer::Satisfiable(model));
        }
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running {
                process: Process::start(&self.program, self.limit)?,
                script: Script::new(self.graph),
            },
        };
        self.asked += 1;
        match self.ask(&mut running, query) {
            Ok(answer) => {
                self.running = Some(running);
                Ok(answer)
            }
            // It is dropped, and killed with that.
            Err(Broken(reason)) => Ok(Answer::Unknown(reason)),
        }
    }

    /// An earlier model that answers this question too.
    fn remembered(&mut self, query: &Query) -> Option<Model> {
        for index in (0..self.models.len()).rev() {
            let model = self.models[index].only(&query.inputs);
            let input = self.apply(&model);
            if query.holds(self.graph, &mut self.evaluator, &input) {
                return Some(model);
            }
        }
        None
    }

    fn ask(&mut self, running: &mut Running<'g>, query: &Query) -> Result<Answer, Broken> {
        let Running { process, script } = running;
        let mut text = String::new();
        let nodes = query.terms.iter().map(|term| term.node);
        script.define(&self.graph.needed(nodes), &mut text);
        text.push_str("(push 1)\n");
        for term in &query.terms {
            let bit = if term.holds { "#b1" } else { "#b0" };
            text.push_str(&format!("(assert (= {} {bit}))\n", script.name(term.node)));
        }
        for byte in query
            .nonzero
            .iter()
            .filter(|byte| query.inputs.contains(byte))
        {
            text.push_str(&format!("(assert (distinct b{byte} #x00))\n"));
        }
        text.push_str("(check-sat)\n");
        let said = process.ask(text, self.limit)?;
        let answer = match said.trim() {
            "sat" => self.model(process, query)?,
            "unsat" => Answer::Unsatisfiable,
            "unknown" | "timeout" => {
                Answer::Unknown(format!("the solver gave up within {:?}", self.limit))
            }
            other => {
                let start: String = other.chars().take(200).collect();
                return Err(Broken(format!("the solver said '{start}'")));
            }
        };
        process.tell("(pop 1)\n".to_owned());
        Ok(answer)
    }

    fn model(&mut self, process: &mut Process, query: &Query) -> Result<Answer, Broken> {
        let names = query.inputs.iter().map(|byte| format!("b{byte}"));
        let names: Vec<String> = names.collect();
        let model = match names.is_empty() {
            true => Model::default(),
            false => {
                let said =
                    process.ask(format!("(get-value ({}))\n", names.join(" ")), self.limit)?;
                values(&said).ok_or_else(|| {
                    let start: String = said.chars().take(200).collect();
                    Broken(format!("the solver gave a model that is none: '{start}'"))
                })?
            }
        };
        let model = model.only(&query.inputs);
        let input = self.apply(&model);
        if !query.holds(self.graph, &mut self.evaluator, &input) {
            let reason = "the solver gave a model that does not hold";
            return Ok(Answer::Unknown(reason.to_owned()));
        }
        if self.models.len() == REMEMBERED {
            self.models.remove(0);
        }
        self.models.push(model.clone());
        Ok(Answer::Satisfiable(model))
    }
}
