//! Asks an external solver, in SMT-LIB over a pipe.
//!
//! A solver is a program that may hang, die or print nonsense, and none of that may stop us. The solver knows a time limit for
//! each query, and is killed some time after it. Output that makes no sense is [`SolverAnswer::Unknown`] with the reason. A
//! killed solver is started again for the next query.

mod answer;
mod core;
mod enumeration;
mod process;
mod program;

use std::time::Duration;

pub use self::answer::{Model, SolverAnswer};
use self::program::SolverLogic;
pub use self::program::{SolverError, SolverProgram};

use self::answer::values;
use self::process::{Broken, Process};
use crate::expression::{Evaluator, ExpressionGraph, Script};
use crate::query::Query;
use crate::recording::InputByte;

/// How many earlier models are tried before the solver is asked.
const REMEMBERED_MODELS: usize = 64;

/// A solver for queries about one graph.
pub struct Solver<'g> {
    graph: &'g ExpressionGraph,
    /// The value of each input byte in the run.
    input: Vec<u8>,
    program: SolverProgram,
    limit: Duration,
    /// One for bits, and one for numbers, which is slower.
    running: [Option<Running<'g>>; 2],
    /// Solvers that are asked for contradictions, which costs them time on every query.
    explaining: [Option<Running<'g>>; 2],
    evaluator: Evaluator<'g>,
    /// Models of earlier queries, the latest last.
    models: Vec<Model>,
    /// How many queries reached the solver program.
    asked: u64,
    /// Whether small questions go to the solver program too.
    always_asks: bool,
    /// Whether anything computes with floating point numbers.
    has_numbers: bool,
}

/// A running solver, and the definitions that it has.
struct Running<'g> {
    process: Process,
    script: Script<'g>,
}

impl<'g> Solver<'g> {
    /// Prepares a solver. It starts with the first query that needs it, and each query may take `limit`.
    pub fn new(
        graph: &'g ExpressionGraph,
        input: Vec<u8>,
        program: SolverProgram,
        limit: Duration,
    ) -> Self {
        assert_eq!(input.len(), graph.inputs(), "each byte has a value");
        Solver {
            graph,
            input,
            program,
            limit,
            running: [None, None],
            explaining: [None, None],
            evaluator: Evaluator::new(graph),
            models: Vec::new(),
            asked: 0,
            always_asks: false,
            has_numbers: graph.has_floats(),
        }
    }

    /// Asks the solver program even what could be answered by trying all values.
    #[must_use]
    pub fn always_asking(mut self) -> Self {
        self.always_asks = true;
        self
    }

    /// How many queries reached the solver program.
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

    /// A small change to the input of the run that fulfils a query, found without asking the solver.
    pub fn nearby(&mut self, query: &Query, known: &[InputByte]) -> Option<Model> {
        let model = query.nearby(self.graph, &mut self.evaluator, known, &self.input)?;
        self.remember(model.clone());
        Some(model)
    }

    /// A model that fulfils the same query and is nearer to the input of the run, see [`Query::length_ranges`]. `known` says what the bytes
    /// are; without it, they are bytes like any other.
    pub fn nearer(&mut self, query: &Query, model: &Model, known: &[InputByte]) -> Model {
        let input = (known, &self.input[..]);
        query.nearer(self.graph, &mut self.evaluator, model, input)
    }

    /// Searches an input that fulfils the query. Fails only if the solver cannot be started.
    pub fn solve(&mut self, query: &Query) -> Result<SolverAnswer, SolverError> {
        if let Some(model) = self.remembered(query) {
            return Ok(SolverAnswer::Satisfiable(model));
        }
        if let Some(answer) = self.enumerated(query) {
            if let SolverAnswer::Satisfiable(model) = &answer {
                self.remember(model.clone());
            }
            return Ok(answer);
        }
        let logic = self.logic(query);
        let mut running = match self.running[logic as usize].take() {
            Some(running) => running,
            None => Running {
                process: Process::start(&self.program, self.limit, &self.program.greeting(logic))?,
                script: Script::new(self.graph),
            },
        };
        self.asked += 1;
        match self.ask(&mut running, query, logic) {
            Ok(answer) => {
                self.running[logic as usize] = Some(running);
                Ok(answer)
            }
            // Dropping it kills it.
            Err(Broken(reason)) => Ok(SolverAnswer::Unknown(reason)),
        }
    }

    /// An earlier model that fulfils this query too.
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

    /// What a query is about.
    fn logic(&self, query: &Query) -> SolverLogic {
        if !self.has_numbers {
            return SolverLogic::Bits;
        }
        let needed = self.graph.needed(query.terms.iter().map(|term| term.node));
        if needed.iter().any(|node| self.graph.is_float(*node)) {
            SolverLogic::Numbers
        } else {
            SolverLogic::Bits
        }
    }

    fn ask(
        &mut self,
        running: &mut Running<'g>,
        query: &Query,
        logic: SolverLogic,
    ) -> Result<SolverAnswer, Broken> {
        let Running { process, script } = running;
        let mut text = String::new();
        let nodes = query.terms.iter().map(|term| term.node);
        let needed = self.graph.inputs_of(nodes.clone());
        let defined = self.graph.needed(nodes);
        script.define(&defined, &mut text);
        text.push_str("(push 1)\n");
        script.link(&defined, &mut text);
        for term in &query.terms {
            let bit = if term.holds { "#b1" } else { "#b0" };
            text.push_str(&format!("(assert (= {} {bit}))\n", script.name(term.node)));
        }
        text.push_str(&limits(query, &needed));
        text.push_str(self.program.question(logic));
        let said = process.ask(text)?;
        let answer = match said.trim() {
            "sat" => self.model(process, query)?,
            "unsat" => SolverAnswer::Unsatisfiable,
            "unknown" | "timeout" | "canceled" => {
                SolverAnswer::Unknown(format!("the solver gave up within {:?}", self.limit))
            }
            other => {
                let start: String = other.chars().take(200).collect();
                return Err(Broken(format!("the solver said '{start}'")));
            }
        };
        process.tell("(pop 1)\n".to_owned());
        Ok(answer)
    }

    fn model(&mut self, process: &mut Process, query: &Query) -> Result<SolverAnswer, Broken> {
        let names = query.inputs.iter().map(|byte| format!("b{byte}"));
        let names: Vec<String> = names.collect();
        let model = if names.is_empty() {
            Model::default()
        } else {
            let said = process.ask(format!("(get-value ({}))\n", names.join(" ")))?;
            values(&said).ok_or_else(|| {
                let start: String = said.chars().take(200).collect();
                Broken(format!("the solver gave a model that is none: '{start}'"))
            })?
        };
        let model = model.only(&query.inputs);
        let input = self.apply(&model);
        if !query.holds(self.graph, &mut self.evaluator, &input) {
            let reason = "the solver gave a model that does not hold";
            return Ok(SolverAnswer::Unknown(reason.to_owned()));
        }
        self.remember(model.clone());
        Ok(SolverAnswer::Satisfiable(model))
    }

    fn remember(&mut self, model: Model) {
        if self.models.len() == REMEMBERED_MODELS {
            self.models.remove(0);
        }
        self.models.push(model);
    }
}

/// The assertions that some bytes are not zero, and that numbers are within their limits. Bytes that no term needs have no name, and
/// keep their value.
fn limits(query: &Query, needed: &[u32]) -> String {
    let is_named = |byte: &u32| needed.binary_search(byte).is_ok();
    let bytes = query.nonzero.iter().filter(|byte| is_named(byte));
    let mut text: String = bytes
        .map(|byte| format!("(assert (distinct b{byte} #x00))\n"))
        .collect();
    for range in &query.ranges {
        if !range.bytes.iter().all(is_named) {
            continue;
        }
        let names = range.bytes.iter().rev().map(|byte| format!("b{byte}"));
        let number = match range.bytes.len() {
            1 => names.collect(),
            _ => format!("(concat {})", names.collect::<Vec<_>>().join(" ")),
        };
        let width = 8 * range.bytes.len();
        let (least, most) = (range.least, range.most);
        text.push_str(&format!(
            "(assert (bvule (_ bv{least} {width}) {number}))\n(assert (bvule {number} (_ bv{most} {width})))\n"
        ));
    }
    text
}
