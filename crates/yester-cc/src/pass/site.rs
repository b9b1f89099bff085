//! The sites of a function: its conditional branches, its switches, and the calls that may enter functions that write events.
//! They are numbered before anything is inserted.

use std::collections::{HashMap, HashSet};

use crate::ir::{BlockRef, Opcode, Value};
use crate::llvm::{self, SourceLocation};
use crate::module::Module;

use super::dependence::{FlowEdge, FlowGraph, control_dependence, post_dominators};
use super::predicate::Predicates;
use super::symbolic::library;
use super::trace;
use super::value::ValueMarks;

/// A place in the code that writes events.
pub struct EventSite {
    /// The branch, switch, call or invoke.
    pub instruction: Value,
    /// Where it is in the source.
    pub location: SourceLocation,
    /// What it is.
    pub kind: EventSiteKind,
    /// The event code of its outcome 0; the other outcomes have the next codes.
    pub first_code: u32,
    /// The sites, with their outcomes, on which it is control dependent.
    pub dependence: Vec<(usize, usize)>,
    /// For each outcome the sites of the function that may come next; none if the function ends before another.
    pub successors: Vec<Vec<usize>>,
    /// The next site that is reached whatever happens, if there is one.
    pub post_dominator: Option<usize>,
}

/// What a site is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventSiteKind {
    /// A conditional branch.
    Branch,
    /// A switch, with the values of its cases.
    Switch(Vec<i64>),
    /// A call.
    Call,
    /// A branch without effect, with its condition as text.
    Predicate(String),
    /// A value, with its name and its form. It has no events.
    Value {
        /// What has the value.
        name: String,
        /// Of the value, as the table has it.
        form: String,
    },
}

impl EventSiteKind {
    /// How many outcomes there are.
    #[must_use]
    pub fn outcomes(&self) -> u32 {
        match self {
            EventSiteKind::Branch | EventSiteKind::Predicate(_) => 2,
            EventSiteKind::Switch(cases) => cases.len() as u32 + 1,
            EventSiteKind::Call => 1,
            EventSiteKind::Value { .. } => 0,
        }
    }

    fn has_events(&self) -> bool {
        self.outcomes() > 0
    }

    /// The outcome that leads to a successor. Successor 0 of a branch is the one for a true condition.
    fn outcome(&self, successor: usize) -> usize {
        match self {
            EventSiteKind::Branch | EventSiteKind::Predicate(_) => 1 - successor,
            _ => successor,
        }
    }
}

/// A function and its sites, as they are before anything is inserted.
pub struct FunctionPlan {
    /// The function.
    pub function: Value,
    /// Its number in the module.
    pub number: u32,
    /// Where it is in the source.
    pub location: SourceLocation,
    /// Its sites, in order.
    pub sites: Vec<EventSite>,
    /// What the blocks are control dependent on, each list once.
    pub classes: Vec<Vec<(usize, usize)>>,
    /// The class of each block, counted from 1; 0 if there are too many.
    pub class_of: HashMap<BlockRef, u16>,
    /// Its blocks, in order.
    pub blocks: Vec<BlockRef>,
    /// The blocks that may follow each, in order of outcomes if a site ends it.
    pub graph: Vec<Vec<usize>>,
    /// The next block that is always reached from each; the number of blocks if none is.
    pub above: Vec<usize>,
    /// The branch or switch that ends each block.
    pub site_of: Vec<Option<usize>>,
}

/// A call that may enter functions that write events.
struct CallSite {
    instruction: Value,
    /// Whether it always enters one and the same function.
    is_certain: bool,
    /// Whether it is a site.
    is_site: bool,
}

/// Finds the sites of a function.
#[must_use]
pub fn plan(
    function: Value,
    number: u32,
    places: &ConditionPlaces,
    predicates: &Predicates,
    marks: &ValueMarks,
) -> FunctionPlan {
    let blocks = function.all_blocks();
    let number_of: HashMap<BlockRef, usize> = blocks
        .iter()
        .enumerate()
        .map(|(number, block)| (*block, number))
        .collect();
    let ends: Vec<Option<(Value, EventSiteKind)>> = blocks
        .iter()
        .map(|block| deciding(*block, predicates))
        .collect();
    let mut graph: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| {
            let edges = block.successors().into_iter();
            edges.map(|successor| number_of[&successor]).collect()
        })
        .collect();
    let above = post_dominators(&graph);
    let edges = control_dependence(&graph, &above);
    let mut calls: Vec<Vec<CallSite>> = blocks.iter().map(|block| calls(*block, marks)).collect();
    choose(&mut calls, &graph, &edges, &ends);
    let mut sites = Vec::new();
    let mut block_of = Vec::new();
    let mut site_of = vec![None; blocks.len()];
    let mut next_code = 0;
    for (block, (calls, end)) in calls.iter().zip(&ends).enumerate() {
        let calls = calls.iter().filter(|call| call.is_site);
        let calls = calls.map(|call| (call.instruction, EventSiteKind::Call));
        let calls = with_values(blocks[block], calls.collect(), marks);
        for (instruction, kind) in calls.into_iter().chain(end.clone()) {
            if kind.outcomes() > 1 {
                site_of[block] = Some(sites.len());
            }
            let first_code = next_code;
            next_code += kind.outcomes();
            block_of.push(block);
            sites.push(EventSite {
                instruction,
                location: match (marks.get(&instruction), places.get(&instruction)) {
                    (Some(mark), _) => mark.location.clone(),
                    (None, Some(place)) => place.clone(),
                    (None, None) => llvm::location_of_instruction(instruction),
                },
                kind,
                first_code,
                dependence: Vec::new(),
                successors: Vec::new(),
                post_dominator: None,
            });
        }
    }
    let decisive: Vec<Vec<(usize, usize)>> = (0..blocks.len())
        .map(|block| decisive(block, &edges, &site_of, &sites))
        .collect();
    for (site, block) in sites.iter_mut().zip(&block_of) {
        site.dependence = decisive[*block].clone();
    }
    let mut classes = Vec::new();
    let mut numbers: HashMap<Vec<(usize, usize)>, u16> = HashMap::new();
    let mut class_of = HashMap::new();
    for (block, dependence) in blocks.iter().zip(decisive) {
        let next = u16::try_from(classes.len() + 1).unwrap_or(0);
        let class = *numbers.entry(dependence.clone()).or_insert(next);
        if class == next && class != 0 {
            classes.push(dependence);
        }
        class_of.insert(*block, class);
    }
    order(&mut sites, &block_of, &graph, &above);
    for (successors, site) in graph.iter_mut().zip(&site_of) {
        if let Some(EventSiteKind::Branch | EventSiteKind::Predicate(_)) =
            site.map(|site| &sites[site].kind)
        {
            successors.reverse();
        }
    }
    FunctionPlan {
        function,
        number,
        location: llvm::location_of_function(function),
        sites,
        classes,
        class_of,
        blocks,
        graph,
        above,
        site_of,
    }
}

/// The calls of a block, and the values between them.
fn with_values(
    block: BlockRef,
    calls: Vec<(Value, EventSiteKind)>,
    marks: &ValueMarks,
) -> Vec<(Value, EventSiteKind)> {
    if marks.is_empty() {
        return calls;
    }
    let chosen: HashSet<Value> = calls.iter().map(|(call, _)| *call).collect();
    let instructions = block.instructions().into_iter();
    let sites = instructions.filter_map(|instruction| match marks.get(&instruction) {
        Some(mark) => {
            let (name, form) = (mark.name.clone(), mark.form.clone());
            Some((instruction, EventSiteKind::Value { name, form }))
        }
        None if chosen.contains(&instruction) => Some((instruction, EventSiteKind::Call)),
        None => None,
    });
    sites.collect()
}

/// Finds which sites with events may follow each other. Sites are numbered block by block, so those of a block are a range.
fn order(sites: &mut [EventSite], block_of: &[usize], graph: &FlowGraph, above: &[usize]) {
    let mut first = vec![None; graph.len()];
    let mut next_of = vec![None; sites.len()];
    for (site, block) in block_of.iter().enumerate().rev() {
        next_of[site] = first[*block];
        if sites[site].kind.has_events() {
            first[*block] = Some(site);
        }
    }
    for site in 0..sites.len() {
        let block = block_of[site];
        if let Some(next) = next_of[site] {
            sites[site].successors = vec![vec![next]];
            sites[site].post_dominator = Some(next);
            continue;
        }
        sites[site].successors = match sites[site].kind {
            EventSiteKind::Call | EventSiteKind::Value { .. } => {
                vec![next_sites(&graph[block], &first, graph)]
            }
            _ => {
                let kind = sites[site].kind.clone();
                let mut successors = vec![Vec::new(); kind.outcomes() as usize];
                for (way, target) in graph[block].iter().enumerate() {
                    successors[kind.outcome(way)] = next_sites(&[*target], &first, graph);
                }
                successors
            }
        };
        let mut reached = above[block];
        // The exit of the function is behind the last block.
        while reached < graph.len() && first[reached].is_none() {
            reached = above[reached];
        }
        sites[site].post_dominator = first.get(reached).copied().flatten();
    }
}

/// The first sites on all ways from these blocks on.
fn next_sites(from: &[usize], first: &[Option<usize>], graph: &FlowGraph) -> Vec<usize> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut pending = from.to_vec();
    while let Some(block) = pending.pop() {
        if !seen.insert(block) {
            continue;
        }
        match first[block] {
            Some(site) => found.push(site),
            None => pending.extend(&graph[block]),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Where the conditions of branches are, before local variables become values.
pub type ConditionPlaces = HashMap<Value, SourceLocation>;

/// How many instructions of a condition are looked at.
const MOST_OF_A_CONDITION: usize = 64;

/// Finds where the condition of each branch and select begins. clang puts the branches of `a && b` at the operator and at the start
/// of the whole.
#[must_use]
pub fn condition_places(module: &Module<'_>) -> ConditionPlaces {
    let mut places = ConditionPlaces::new();
    let blocks = module.functions().flat_map(Value::all_blocks);
    for instruction in blocks.flat_map(BlockRef::instructions) {
        let decides = match instruction.opcode() {
            Opcode::LLVMSelect => true,
            Opcode::LLVMBr => instruction.count_operands() == 3,
            _ => false,
        };
        if decides && let Some(place) = start_of_condition(instruction) {
            places.insert(instruction, place);
        }
    }
    places
}

/// The first place in the source of what is computed for a branch in its own block.
fn start_of_condition(branch: Value) -> Option<SourceLocation> {
    let block = branch.block();
    let condition = branch.operand(0);
    let mut pending: Vec<Value> = Some(condition)
        .filter(|condition| condition.is_instruction())
        .into_iter()
        .collect();
    let mut first: Option<SourceLocation> = None;
    for _ in 0..MOST_OF_A_CONDITION {
        let Some(instruction) = pending.pop() else {
            break;
        };
        if instruction.block() != block || instruction.opcode() == Opcode::LLVMPHI {
            continue;
        }
        let place = llvm::location_of_instruction(instruction);
        let is_first = first.as_ref().is_none_or(|first| {
            place.file == first.file && (place.line, place.column) < (first.line, first.column)
        });
        if place.line != 0 && is_first {
            first = Some(place);
        }
        let operands = instruction.operands().into_iter();
        pending.extend(operands.filter(|operand| operand.is_instruction()));
    }
    first
}

/// The terminator of a block, if it is a conditional branch or a switch.
fn deciding(block: BlockRef, predicates: &Predicates) -> Option<(Value, EventSiteKind)> {
    let terminator = block.terminator()?;
    let kind = match terminator.opcode() {
        Opcode::LLVMSwitch => EventSiteKind::Switch(llvm::cases(terminator)),
        Opcode::LLVMBr if terminator.count_operands() == 3 => match predicates.get(&terminator) {
            Some(text) => EventSiteKind::Predicate(text.clone()),
            None => EventSiteKind::Branch,
        },
        _ => return None,
    };
    Some((terminator, kind))
}

fn calls(block: BlockRef, marks: &ValueMarks) -> Vec<CallSite> {
    block
        .instructions()
        .into_iter()
        .filter(|instruction| matches!(instruction.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke))
        .filter(|call| {
            // A `musttail` callee is entered after this function has returned.
            !call.is_must_tail()
                && !marks.contains_key(call)
                && match llvm::callee(*call) {
                    Some(callee) => !callee.is_intrinsic() && !library::is_closed(callee),
                    None => !call.callee().is_assembler(),
                }
        })
        .map(|instruction| CallSite {
            instruction,
            is_certain: llvm::callee(instruction).is_some_and(trace::is_traceable),
            is_site: false,
        })
        .collect()
}

/// Decides which calls need an event. A reader assumes that the last event of the caller, if it is a call, entered the callee. If
/// the last event is a branch, or there is none, the reader assumes the next of the calls that always happen, in order. So such
/// calls need no event, unless the last event may be another call.
fn choose<T>(
    calls: &mut [Vec<CallSite>],
    graph: &FlowGraph,
    edges: &[Vec<FlowEdge>],
    ends: &[Option<T>],
) {
    // Whether the last event before a block may be a call.
    let mut after_call = vec![false; graph.len()];
    let mut pending: Vec<usize> = (0..graph.len()).collect();
    while let Some(block) = pending.pop() {
        let mut last_is_call = after_call[block];
        for call in &mut calls[block] {
            call.is_site |= last_is_call || !call.is_certain || !edges[block].is_empty();
            last_is_call |= call.is_site;
        }
        if last_is_call && ends[block].is_none() {
            for successor in &graph[block] {
                if !std::mem::replace(&mut after_call[*successor], true) {
                    pending.push(*successor);
                }
            }
        }
    }
}

/// The sites that decide whether a block is reached. A terminator that is no site (a call that may throw, a computed goto)
/// is replaced by what it depends on itself.
fn decisive(
    block: usize,
    edges: &[Vec<FlowEdge>],
    site_of: &[Option<usize>],
    sites: &[EventSite],
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut seen = vec![block];
    let mut pending = vec![block];
    while let Some(block) = pending.pop() {
        for edge in &edges[block] {
            match site_of[edge.block] {
                Some(site) => found.push((site, sites[site].kind.outcome(edge.successor))),
                None if !seen.contains(&edge.block) => {
                    seen.push(edge.block);
                    pending.push(edge.block);
                }
                None => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
