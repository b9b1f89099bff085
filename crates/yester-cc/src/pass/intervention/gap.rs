//! Gaps: places between statements, at which an assignment or a call may be missing.
//!
//! A gap knows structures and arrays that are in reach, by the local variables that are or point to them. Nothing is read from these or
//! written to them unless the runtime assigns one of their numbers, or passes them to a function.

use std::collections::{HashMap, HashSet};

use yester_pathrt::protocol::MOST_STRUCTURES;

use crate::debug::LocalStructure;
use crate::ir::{BlockRef, Opcode, Value};
use crate::llvm::SourceLocation;
use crate::pass::value::{is_result_slot, own_location};

/// The local variables of a function that are structures or arrays or point to them.
pub struct Structures<'a> {
    variables: Vec<(Value, &'a LocalStructure)>,
}

impl<'a> Structures<'a> {
    /// Those of a function, in the order of its code: parameters come first. A structure whose address nobody else gets is left to the
    /// optimiser.
    pub fn of(blocks: &[BlockRef], all: &'a HashMap<Value, LocalStructure>) -> Structures<'a> {
        let entry = blocks
            .first()
            .map_or(Vec::new(), |entry| entry.instructions());
        let fixed = entry.into_iter().filter(|one| one.is_fixed_variable());
        let known = fixed.filter_map(|variable| Some((variable, all.get(&variable)?)));
        let variables = known
            .filter(|(alloca, structure)| structure.is_pointer || is_passed(*alloca))
            .take(MOST_STRUCTURES);
        Structures {
            variables: variables.collect(),
        }
    }

    /// The variables, and whether each is a pointer; none for those that are not in reach.
    pub fn variables(&self, reach: Reach) -> impl Iterator<Item = Option<(Value, bool)>> {
        let variables = self.variables.iter().enumerate();
        variables.map(move |(index, (variable, structure))| {
            reach
                .has(index)
                .then_some((*variable, structure.is_pointer))
        })
    }

    /// What is in reach, as the table has it: the number of the variable, a star and what it is, and its name. What can be assigned follows:
    /// the number of the variable, the offset, the form, the name.
    pub fn text(&self, reach: Reach, side: GapSide) -> String {
        let mut fields = Vec::new();
        let variables = self.variables.iter().enumerate();
        for (index, (_, structure)) in variables.filter(|(index, _)| reach.has(*index)) {
            fields.push(format!("{index} *{} {}", structure.kind, structure.name));
            for number in &structure.numbers {
                let (offset, form, name) = (number.offset, &number.form, &number.name);
                fields.push(format!("{index} {offset} {form} {name}"));
            }
        }
        fields.join(";") + side.suffix()
    }

    /// What is in reach where each block begins: a pointer is if it was assigned on every way there. Before that it points anywhere.
    pub fn reach(&self, blocks: &[BlockRef]) -> HashMap<BlockRef, Reach> {
        let mut found: HashMap<BlockRef, Reach> =
            blocks.iter().map(|block| (*block, Reach::ALL)).collect();
        if let Some(first) = blocks.first() {
            let plain = self.variables.iter().enumerate();
            let plain = plain.filter(|(_, (_, structure))| !structure.is_pointer);
            let plain = plain.fold(0, |bits, (index, _)| bits | 1 << index);
            found.insert(*first, Reach(plain));
        }
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            for block in blocks {
                let mut reach = found[block];
                for instruction in block.instructions() {
                    self.pass(instruction, &mut reach);
                }
                for next in (0..).map_while(|index| block.successor(index)) {
                    let known = found.entry(next).or_insert(Reach::ALL);
                    let less = Reach(known.0 & reach.0);
                    is_stable &= *known == less;
                    *known = less;
                }
            }
        }
        found
    }

    /// What is in reach behind an instruction.
    pub fn pass(&self, instruction: Value, reach: &mut Reach) {
        if instruction.opcode() == Opcode::LLVMStore {
            let target = instruction.operand(1);
            let index = self.variables.iter().position(|(one, _)| *one == target);
            reach.0 |= index.map_or(0, |index| 1 << index);
        }
    }
}

/// Which of the variables are in reach, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach(u8);

impl Reach {
    const ALL: Reach = Reach(u8::MAX);

    fn has(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }
}

/// Whether a call gets the address of a variable, or of its first element.
fn is_passed(variable: Value) -> bool {
    variable.users().any(|user| {
        if !user.is_instruction() {
            return false;
        }
        match user.opcode() {
            Opcode::LLVMCall | Opcode::LLVMInvoke => !user.callee().name().starts_with("llvm."),
            Opcode::LLVMGetElementPtr => is_passed(user),
            _ => false,
        }
    })
}

/// Which side of the line that it is told at a gap is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapSide {
    Before,
    Behind,
}

impl GapSide {
    /// What the table has of it.
    pub fn suffix(self) -> &'static str {
        match self {
            GapSide::Before => "",
            GapSide::Behind => ";behind",
        }
    }
}

/// The instructions of a function before which there is a gap, with the line that it is told at: before the first instruction of each line, and
/// at the end of blocks, which is behind the line before it.
pub fn gaps(blocks: &[BlockRef]) -> Vec<(Value, (SourceLocation, GapSide))> {
    let ends = ends(blocks);
    let mut found = Vec::new();
    let mut lines: HashSet<u32> = HashSet::new();
    for block in blocks {
        let mut last: Option<SourceLocation> = None;
        for instruction in block.instructions() {
            // Nothing may come between such a call and the return.
            if instruction.is_must_tail() {
                break;
            }
            if matches!(
                instruction.opcode(),
                Opcode::LLVMPHI | Opcode::LLVMLandingPad | Opcode::LLVMAlloca
            ) {
                continue;
            }
            let Some(location) = own_location(instruction) else {
                continue;
            };
            // All returns of a function meet at its last brace, where nobody can write anything.
            if is_result_slot(instruction) {
                break;
            }
            if is_end(instruction) {
                // Nothing else is in the block: what leads there is before it.
                let before = last.take().or_else(|| ends.get(block).cloned());
                if let Some(before) = before.filter(|before| before.line < location.line) {
                    found.push((instruction, (before, GapSide::Behind)));
                }
            } else if lines.insert(location.line) {
                found.push((instruction, (location.clone(), GapSide::Before)));
            }
            last = Some(location);
        }
    }
    found
}

/// Whether an instruction only leaves its block.
fn is_end(instruction: Value) -> bool {
    let is_leaving = matches!(instruction.opcode(), Opcode::LLVMBr | Opcode::LLVMRet);
    is_leaving && instruction.operands().len() != 1
}

/// For each block, where the last of the blocks that lead there ends.
fn ends(blocks: &[BlockRef]) -> HashMap<BlockRef, SourceLocation> {
    let mut ends: HashMap<BlockRef, SourceLocation> = HashMap::new();
    for block in blocks {
        let last = block.instructions().last().copied();
        let Some(location) = last.and_then(own_location) else {
            continue;
        };
        for next in (0..).map_while(|index| block.successor(index)) {
            let known = ends.entry(next).or_insert_with(|| location.clone());
            if known.line < location.line {
                *known = location.clone();
            }
        }
    }
    ends
}
