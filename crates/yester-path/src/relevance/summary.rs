//! What the code behind an outcome of a branch may write, with everything that it may call.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::code::{ANY, LIBRARY, OUTSIDE, Place, RESULT, StepKind, effect, ends};
use crate::site::Function;

/// What some code may write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Writes {
    /// Places of the activation.
    pub local: Vec<u32>,
    /// Places that functions share.
    pub shared: Vec<u32>,
    /// Whether it may call any function.
    pub is_everything: bool,
    /// Whether it may not come to an end.
    pub may_end: bool,
}

/// What a function may write that others see.
#[derive(Clone, Debug, Default)]
struct Summary {
    shared: HashSet<u32>,
    is_everything: bool,
    may_end: bool,
}

/// An outcome of the branch at the end of a block: the function, the block, the outcome.
type Outcome = (u32, u32, u32);

/// Finds out what code may write when it is asked for.
pub(super) struct Summaries<'a> {
    functions: &'a [Function],
    names: HashMap<&'a str, Vec<usize>>,
    summaries: Vec<Summary>,
    known: HashMap<Outcome, Rc<Writes>>,
}

impl<'a> Summaries<'a> {
    pub fn new(functions: &'a [Function]) -> Summaries<'a> {
        let mut names: HashMap<&'a str, Vec<usize>> = HashMap::new();
        for (index, function) in functions.iter().enumerate() {
            names.entry(&function.name).or_default().push(index);
        }
        let mut summaries = Summaries {
            functions,
            names,
            summaries: vec![Summary::default(); functions.len()],
            known: HashMap::new(),
        };
        summaries.complete();
        summaries
    }

    /// Computes what each function writes, with what it calls.
    fn complete(&mut self) {
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.functions.len()];
        let mut callees: Vec<Vec<usize>> = Vec::with_capacity(self.functions.len());
        for (index, function) in self.functions.iter().enumerate() {
            let blocks: Vec<u32> = (0..function.code.len() as u32).collect();
            let (writes, called) = self.own(index, &blocks);
            self.summaries[index] = Summary {
                shared: writes.shared.into_iter().collect(),
                is_everything: writes.is_everything,
                may_end: writes.may_end,
            };
            for callee in &called {
                callers[*callee].push(index);
            }
            callees.push(called);
        }
        let mut pending: Vec<usize> = (0..self.functions.len()).collect();
        let mut is_pending = vec![true; self.functions.len()];
        while let Some(index) = pending.pop() {
            is_pending[index] = false;
            let mut summary = std::mem::take(&mut self.summaries[index]);
            let before = (summary.shared.len(), summary.is_everything, summary.may_end);
            for callee in callees[index].iter().filter(|callee| **callee != index) {
                let other = &self.summaries[*callee];
                summary.shared.extend(&other.shared);
                summary.is_everything |= other.is_everything;
                summary.may_end |= other.may_end;
            }
            let after = (summary.shared.len(), summary.is_everything, summary.may_end);
            self.summaries[index] = summary;
            if before != after {
                for caller in &callers[index] {
                    if !std::mem::replace(&mut is_pending[*caller], true) {
                        pending.push(*caller);
                    }
                }
            }
        }
    }

    /// What these blocks of a function write themselves, and which functions they call.
    fn own(&self, function: usize, blocks: &[u32]) -> (Writes, Vec<usize>) {
        let mut local = HashSet::new();
        let mut shared = HashSet::new();
        let mut called = HashSet::new();
        let mut found = Writes::default();
        let mut write = |place: Place| match place {
            Place::Local(number) => {
                local.insert(number);
            }
            Place::Shared(number) => {
                shared.insert(number);
            }
            Place::Parameters => {}
        };
        for block in blocks {
            let block = &self.functions[function].code[*block as usize];
            found.may_end |= block.next.is_empty() && !block.returns();
            for step in &block.steps {
                match &step.kind {
                    StepKind::Set(writes) => writes.iter().for_each(|one| write(one.place)),
                    StepKind::Give => write(RESULT),
                    StepKind::Test => {}
                    StepKind::Call(call) => {
                        call.result.into_iter().for_each(&mut write);
                        let name = call.callee.as_deref();
                        match name.and_then(|name| self.names.get(name)) {
                            Some(indices) => called.extend(indices.iter().copied()),
                            None => {
                                found.is_everything |= name.is_none();
                                found.may_end |= name.is_some_and(ends);
                                let effect = effect(name);
                                let written = effect.written.iter();
                                let written = written.filter_map(|one| call.touched.get(*one));
                                written.flatten().for_each(|place| write(*place));
                                if effect.is_unknown {
                                    call.touched.iter().flatten().for_each(|one| write(*one));
                                    write(ANY);
                                    write(OUTSIDE);
                                }
                                if effect.has_state {
                                    write(LIBRARY);
                                }
                            }
                        }
                    }
                }
            }
        }
        found.local = local.into_iter().collect();
        found.shared = shared.into_iter().collect();
        (found, called.into_iter().collect())
    }

    /// What an outcome of the branch at the end of a block may write, until all outcomes meet again.
    pub fn writes(&mut self, function: u32, block: u32, outcome: u32) -> Rc<Writes> {
        if let Some(known) = self.known.get(&(function, block, outcome)) {
            return Rc::clone(known);
        }
        let code = &self.functions[function as usize].code;
        let end = code[block as usize].above;
        let mut seen = HashSet::new();
        let mut pending = vec![code[block as usize].next[outcome as usize]];
        while let Some(block) = pending.pop() {
            if Some(block) != end && seen.insert(block) {
                pending.extend(&code[block as usize].next);
            }
        }
        let blocks: Vec<u32> = seen.into_iter().collect();
        let (mut found, called) = self.own(function as usize, &blocks);
        let mut shared: HashSet<u32> = found.shared.iter().copied().collect();
        for callee in called {
            let summary = &self.summaries[callee];
            shared.extend(&summary.shared);
            found.is_everything |= summary.is_everything;
            found.may_end |= summary.may_end;
        }
        found.shared = shared.into_iter().collect();
        // A computed call may be of a function that ends the program.
        found.may_end |= found.is_everything && self.summaries.iter().any(|one| one.may_end);
        let found = Rc::new(found);
        self.known
            .insert((function, block, outcome), Rc::clone(&found));
        found
    }
}
