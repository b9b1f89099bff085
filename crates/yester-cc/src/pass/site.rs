//! The sites of a function, numbered before anything is inserted: its conditional branches, its switches, and the calls that
//! may lead into functions that write events.

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};

use crate::llvm::{self, Location};

use super::dependence::{Graph, Way, control_dependence};
use super::symbolic::library;
use super::trace;

/// A place that has events.
pub struct Site<'ctx> {
    /// The branch, switch, call or invoke.
    pub instruction: InstructionValue<'ctx>,
    /// Where it comes from.
    pub location: Location,
    /// What it is.
    pub kind: Kind,
    /// The code of its outcome 0; those of the others follow.
    pub first_code: u32,
    /// The outcomes of sites on which it is control dependent.
    pub dependence: Vec<(usize, usize)>,
}

/// What a site is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A conditional branch.
    Branch,
    /// A switch, with the values of its cases.
    Switch(Vec<i64>),
    /// A call.
    Call,
}

impl Kind {
    /// How many outcomes there are.
    #[must_use]
    pub fn outcomes(&self) -> u32 {
        match self {
            Kind::Branch => 2,
            Kind::Switch(cases) => cases.len() as u32 + 1,
            Kind::Call => 1,
        }
    }

    /// The outcome that leads to a successor. Successor 0 of a branch is where it goes when the condition is true.
    fn outcome(&self, successor: usize) -> usize {
        match self {
            Kind::Branch => 1 - successor,
            _ => successor,
        }
    }
}

/// A function and what is known of it before it is changed.
pub struct Plan<'ctx> {
    /// The function.
    pub function: FunctionValue<'ctx>,
    /// Its number in the module.
    pub number: u32,
    /// Where it comes from.
    pub location: Location,
    /// Its sites, in order.
    pub sites: Vec<Site<'ctx>>,
}

/// A call that may lead into functions that write events.
struct Call<'ctx> {
    instruction: InstructionValue<'ctx>,
    /// Whether exactly one function is entered, always the same.
    is_certain: bool,
    /// Whether it is a site.
    is_site: bool,
}

/// Looks through a function.
#[must_use]
pub fn plan<'ctx>(function: FunctionValue<'ctx>, number: u32) -> Plan<'ctx> {
    let blocks = function.get_basic_blocks();
    let number_of: HashMap<BasicBlock<'ctx>, usize> = blocks
        .iter()
        .enumerate()
        .map(|(number, block)| (*block, number))
        .collect();
    let ends: Vec<Option<(InstructionValue<'ctx>, Kind)>> =
        blocks.iter().map(|block| deciding(*block)).collect();
    let graph: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| {
            let ways = block.get_terminator().map(llvm::successors);
            let ways = ways.iter().flatten();
            ways.map(|successor| number_of[successor]).collect()
        })
        .collect();
    let ways = control_dependence(&graph);
    let mut calls: Vec<Vec<Call<'ctx>>> = blocks.iter().map(|block| calls(*block)).collect();
    choose(&mut calls, &graph, &ways, &ends);
    let mut sites = Vec::new();
    let mut block_of = Vec::new();
    let mut site_of = vec![None; blocks.len()];
    let mut next_code = 0;
    for (block, (calls, end)) in calls.iter().zip(&ends).enumerate() {
        let calls = calls.iter().filter(|call| call.is_site);
        let calls = calls.map(|call| (call.instruction, Kind::Call));
        for (instruction, kind) in calls.chain(end.clone()) {
            if kind != Kind::Call {
                site_of[block] = Some(sites.len());
            }
            let first_code = next_code;
            next_code += kind.outcomes();
            block_of.push(block);
            sites.push(Site {
                instruction,
                location: llvm::location_of_instruction(instruction),
                kind,
                first_code,
                dependence: Vec::new(),
            });
        }
    }
    let dependence: Vec<Vec<(usize, usize)>> = block_of
        .iter()
        .map(|block| decisive(*block, &ways, &site_of, &sites))
        .collect();
    for (site, dependence) in sites.iter_mut().zip(dependence) {
        site.dependence = dependence;
    }
    Plan {
        function,
        number,
        location: llvm::location_of_function(function),
        sites,
    }
}

/// The end of a block, if it is a branch or switch.
fn deciding<'ctx>(block: BasicBlock<'ctx>) -> Option<(InstructionValue<'ctx>, Kind)> {
    let terminator = block.get_terminator()?;
    let kind = match terminator.get_opcode() {
        InstructionOpcode::Switch => Kind::Switch(llvm::case_values(terminator)),
        InstructionOpcode::Br if terminator.get_num_operands() == 3 => Kind::Branch,
        _ => return None,
    };
    Some((terminator, kind))
}

fn calls<'ctx>(block: BasicBlock<'ctx>) -> Vec<Call<'ctx>> {
    block
        .get_instructions()
        .filter(|instruction| {
            matches!(
                instruction.get_opcode(),
                InstructionOpcode::Call | InstructionOpcode::Invoke
            )
        })
        .filter(|call| {
            // Who is called in place of a return is entered when this function is over.
            !llvm::is_must_tail(*call)
                && match llvm::callee(*call) {
                    Some(callee) => {
                        callee.get_intrinsic_id() == 0 && !library::is_closed(callee.into())
                    }
                    None => !llvm::calls_assembler(*call),
                }
        })
        .map(|instruction| Call {
            instruction,
            is_certain: llvm::callee(instruction).is_some_and(trace::is_traceable),
            is_site: false,
        })
        .collect()
}

/// Chooses the calls that are sites. A reader takes what is entered for called by the last event of the caller, if that is a
/// call. After a branch, or when there was nothing yet, it is for one of the calls that happen in any case and in this order: no
/// event is needed for these, unless the last one may be that of another call.
fn choose<T>(calls: &mut [Vec<Call<'_>>], graph: &Graph, ways: &[Vec<Way>], ends: &[Option<T>]) {
    // Whether the last event may be a call where a block begins.
    let mut after_call = vec![false; graph.len()];
    let mut pending: Vec<usize> = (0..graph.len()).collect();
    while let Some(block) = pending.pop() {
        let mut last_is_call = after_call[block];
        for call in &mut calls[block] {
            call.is_site |= last_is_call || !call.is_certain || !ways[block].is_empty();
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

/// The sites that decide whether a block is reached. What is not a site (a call that may throw, a computed goto) stands for
/// what it depends on itself.
fn decisive(
    block: usize,
    ways: &[Vec<Way>],
    site_of: &[Option<usize>],
    sites: &[Site<'_>],
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut seen = vec![block];
    let mut pending = vec![block];
    while let Some(block) = pending.pop() {
        for way in &ways[block] {
            match site_of[way.block] {
                Some(site) => found.push((site, sites[site].kind.outcome(way.successor))),
                None if !seen.contains(&way.block) => {
                    seen.push(way.block);
                    pending.push(way.block);
                }
                None => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
