//! Why a query has no answer: the terms that contradict each other.

use super::process::{Broken, Process};
use super::{Running, Solver, SolverAnswer, SolverError};
use crate::expression::Script;
use crate::query::Query;

/// Of so many terms at most each one is left out in turn, to see whether it is needed.
const MOST_TRIED: usize = 64;

impl<'g> Solver<'g> {
    /// The terms, as indices into [`Query::terms`], that no input fulfils together. Where there are few, none of them can be left
    /// out, as far as the solver can tell. None if it is not proved that the query has no answer.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn core(&mut self, query: &Query) -> Result<Option<Vec<usize>>, SolverError> {
        let all: Vec<usize> = (0..query.terms.len()).collect();
        let mut core = match self.enumerated(query) {
            Some(SolverAnswer::Unsatisfiable) => all,
            Some(_) => return Ok(None),
            None => match self.ask_for_core(query)? {
                Some(core) => core,
                None => return Ok(None),
            },
        };
        if core.len() > MOST_TRIED {
            return Ok(Some(core));
        }
        let mut tried = 0;
        while tried < core.len() {
            let fewer: Vec<usize> = core
                .iter()
                .copied()
                .filter(|term| *term != core[tried])
                .collect();
            let smaller = query.without(self.graph, |index| !fewer.contains(&index));
            match self.solve(&smaller)? {
                SolverAnswer::Unsatisfiable => core = fewer,
                _ => tried += 1,
            }
        }
        Ok(Some(core))
    }

    fn ask_for_core(&mut self, query: &Query) -> Result<Option<Vec<usize>>, SolverError> {
        let logic = self.logic(query);
        let mut running = match self.explaining[logic as usize].take() {
            Some(running) => running,
            None => {
                let greeting = self.program.explaining_greeting(logic);
                let process = Process::start(&self.program, self.limit, &greeting)?;
                Running {
                    process,
                    script: Script::new(self.graph),
                }
            }
        };
        self.asked += 1;
        let number = self.asked;
        match self.named(&mut running, query, number) {
            Ok(core) => {
                self.explaining[logic as usize] = Some(running);
                Ok(core)
            }
            // Dropping it kills it.
            Err(Broken(_)) => Ok(None),
        }
    }

    /// Asks with a name for each term.
    fn named(
        &self,
        running: &mut Running<'g>,
        query: &Query,
        number: u64,
    ) -> Result<Option<Vec<usize>>, Broken> {
        let Running { process, script } = running;
        let mut text = String::new();
        let nodes = query.terms.iter().map(|term| term.node);
        let needed = self.graph.inputs_of(nodes.clone());
        let defined = self.graph.needed(nodes);
        script.define(&defined, &mut text);
        text.push_str("(push 1)\n");
        script.link(&defined, &mut text);
        for (index, term) in query.terms.iter().enumerate() {
            let bit = if term.holds { "#b1" } else { "#b0" };
            let name = script.name(term.node);
            text.push_str(&format!(
                "(assert (! (= {name} {bit}) :named q{number}t{index}))\n"
            ));
        }
        text.push_str(&super::limits(query, &needed));
        text.push_str("(check-sat)\n");
        let core = match process.ask(text)?.trim() {
            "unsat" => Some(read_core(
                &process.ask("(get-unsat-core)\n".to_owned())?,
                number,
                query.terms.len(),
            )),
            _ => None,
        };
        process.tell("(pop 1)\n".to_owned());
        Ok(core)
    }
}

/// The indices in `(q7t0 q7t3)`. All of them if a solver says something else: that is right too, if less useful.
fn read_core(said: &str, number: u64, count: usize) -> Vec<usize> {
    let prefix = format!("q{number}t");
    let names = said.trim().trim_start_matches('(').trim_end_matches(')');
    let indices = names.split_whitespace().map(|name| {
        let index = name.trim_matches('|').strip_prefix(&prefix)?.parse().ok()?;
        (index < count).then_some(index)
    });
    let indices: Option<Vec<usize>> = indices.collect();
    match indices {
        Some(mut indices) => {
            indices.sort_unstable();
            indices.dedup();
            indices
        }
        None => (0..count).collect(),
    }
}
