//! The sites of a function: its conditional branches and switches, numbered before anything is inserted.

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};

use crate::llvm::{self, Location};

use super::dependence::{Way, control_dependence};

/// A place where the program may go several ways.
pub struct Site<'ctx> {
    /// The branch or switch.
    pub terminator: InstructionValue<'ctx>,
    /// Where it comes from.
    pub location: Location,
    /// For a switch the values of its cases.
    pub cases: Option<Vec<i64>>,
    /// The code of its outcome 0; those of the others follow.
    pub first_code: u32,
    /// The outcomes of sites on which it is control dependent.
    pub dependence: Vec<(usize, usize)>,
}

impl Site<'_> {
    /// How many outcomes it has.
    #[must_use]
    pub fn outcomes(&self) -> u32 {
        self.cases
            .as_ref()
            .map_or(2, |cases| cases.len() as u32 + 1)
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

/// The outcome that leads to a successor of a site. Successor 0 of a branch is where it goes when the condition is true.
fn outcome(is_switch: bool, successor: usize) -> usize {
    if is_switch { successor } else { 1 - successor }
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
    let mut sites = Vec::new();
    let mut site_of = vec![None; blocks.len()];
    let mut next_code = 0;
    let graph: Vec<Vec<usize>> = blocks
        .iter()
        .enumerate()
        .map(|(number, block)| {
            let Some(terminator) = block.get_terminator() else {
                return Vec::new();
            };
            let cases = match terminator.get_opcode() {
                InstructionOpcode::Switch => Some(Some(llvm::case_values(terminator))),
                InstructionOpcode::Br if terminator.get_num_operands() == 3 => Some(None),
                _ => None,
            };
            if let Some(cases) = cases {
                site_of[number] = Some((sites.len(), cases.is_some()));
                let site = Site {
                    terminator,
                    location: llvm::location_of_instruction(terminator),
                    cases,
                    first_code: next_code,
                    dependence: Vec::new(),
                };
                next_code += site.outcomes();
                sites.push(site);
            }
            llvm::successors(terminator)
                .iter()
                .map(|successor| number_of[successor])
                .collect()
        })
        .collect();
    let ways = control_dependence(&graph);
    for (block, site) in site_of.iter().enumerate() {
        if let Some((site, _)) = site {
            sites[*site].dependence = decisive(block, &ways, &site_of);
        }
    }
    Plan {
        function,
        number,
        location: llvm::location_of_function(function),
        sites,
    }
}

/// The sites that decide whether a block is reached. What is not a site (a call that may throw, a computed goto) stands for
/// what it depends on itself.
fn decisive(
    block: usize,
    ways: &[Vec<Way>],
    site_of: &[Option<(usize, bool)>],
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut seen = vec![block];
    let mut pending = vec![block];
    while let Some(block) = pending.pop() {
        for way in &ways[block] {
            match site_of[way.block] {
                Some((site, is_switch)) => found.push((site, outcome(is_switch, way.successor))),
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
