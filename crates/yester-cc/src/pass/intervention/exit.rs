//! Exits: places between statements at which a function may return, a loop begin its next turn or end, or a local variable be assigned.
//!
//! The runtime answers an exit with an [`ExitWord`].

use std::collections::{HashMap, HashSet};

use yester_pathrt::protocol::{ExitAction, ExitWay, ExitWord, Field};

use super::gap::GapSide;
use crate::block::BlockRef;
use crate::debug::DebugNames;
use crate::emitter::Emitter;
use crate::ir::{Opcode, Type, TypeKind, Value};
use crate::pass::value::{self, own_location};

/// So many variables can be assigned at an exit.
const MOST_VARIABLES: usize = 1 << ExitWord::VARIABLE.bits;

/// A local variable that is a number or a pointer.
#[derive(Clone, Debug)]
pub struct LocalNumber {
    variable: Value,
    name: String,
    form: String,
    /// The first and the last line that use it.
    lines: (u32, u32),
}

impl LocalNumber {
    /// The numbers and pointers that are local variables of a function, in the order of its code: parameters come first.
    pub fn all(blocks: &[BlockRef], names: &DebugNames) -> Vec<LocalNumber> {
        let entry = blocks
            .first()
            .map_or(Vec::new(), |entry| entry.instructions());
        let variables = entry.into_iter().filter(|one| one.is_fixed_variable());
        let number = |variable: Value| {
            let known = names.variable(variable).filter(|name| !name.is_reference)?;
            let kind = variable.allocated();
            let users = variable.users().filter(|user| user.is_instruction());
            let lines: Vec<u32> = users
                .filter_map(own_location)
                .map(|location| location.line)
                .collect();
            Some(LocalNumber {
                variable,
                name: known.text.clone(),
                form: value::form(kind, known.is_unsigned).filter(|_| is_whole(kind))?,
                lines: (*lines.iter().min()?, *lines.iter().max()?),
            })
        };
        variables.filter_map(number).collect()
    }

    /// Those that are used before and after a line.
    pub fn at(all: &[LocalNumber], line: u32) -> Vec<LocalNumber> {
        let used = all
            .iter()
            .filter(|one| (one.lines.0..=one.lines.1).contains(&line));
        used.take(MOST_VARIABLES).cloned().collect()
    }
}

/// Whether values of a type take whole bytes.
fn is_whole(kind: Type) -> bool {
    kind.kind() != TypeKind::LLVMIntegerTypeKind || kind.bits() >= 8
}

/// The innermost loop around a block, by where its statements can go instead of going on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Where the next turn begins.
    next: Option<BlockRef>,
    /// What comes after the loop.
    after: Option<BlockRef>,
}

impl Turn {
    /// What can be done, as the table has it: ways to leave, then variables by their numbers, forms and names.
    pub fn text(self, can_return: bool, numbers: &[LocalNumber], side: GapSide) -> String {
        let all = [
            (ExitWay::Return, can_return),
            (ExitWay::Next, self.next.is_some()),
            (ExitWay::Break, self.after.is_some()),
        ];
        let ways: Vec<&str> = all
            .into_iter()
            .filter_map(|(way, is_there)| is_there.then_some(way.text()))
            .collect();
        let mut text = ways.join(" ");
        for (index, LocalNumber { form, name, .. }) in numbers.iter().enumerate() {
            text.push_str(&format!(";{index} {form} {name}"));
        }
        if text.is_empty() {
            text
        } else {
            text + side.suffix()
        }
    }
}

/// The innermost loop of each block of a function that is in one. Blocks are in the order of the code, the first is the entry.
pub fn turns(blocks: &[BlockRef]) -> HashMap<BlockRef, Turn> {
    let mut loops: Vec<Loop> = loops(blocks);
    // The smallest last, so that it overwrites those around it.
    loops.sort_by_key(|one| std::cmp::Reverse(one.body.len()));
    let mut found = HashMap::new();
    for one in &loops {
        let turn = Turn {
            next: Some(one.next()).filter(|block| is_plain(*block)),
            after: one.after(blocks).filter(|block| is_plain(*block)),
        };
        found.extend(one.body.iter().map(|block| (*block, turn)));
    }
    found
}

/// Whether a block can be entered from anywhere: nothing in it depends on where control came from.
fn is_plain(block: BlockRef) -> bool {
    block
        .first()
        .is_some_and(|first| !matches!(first.opcode(), Opcode::LLVMPHI | Opcode::LLVMLandingPad))
}

struct Loop {
    header: BlockRef,
    /// The blocks that lead back to the header.
    latches: Vec<BlockRef>,
    body: HashSet<BlockRef>,
}

impl Loop {
    /// Where the next turn begins: at the step of a `for`, at the condition of a `do`, else at the header.
    fn next(&self) -> BlockRef {
        let [latch] = self.latches[..] else {
            return self.header;
        };
        let is_step = line(self.header).is_some_and(|head| all_on_line(latch, head));
        let is_condition = successors(latch).count() > 1;
        if is_step || is_condition {
            latch
        } else {
            self.header
        }
    }

    /// What comes after the loop: where its condition leads if it is false, else the first block that is left to.
    fn after(&self, blocks: &[BlockRef]) -> Option<BlockRef> {
        let outside = |block: BlockRef| successors(block).find(|next| !self.body.contains(next));
        let latch = self.latches.iter().copied().find_map(outside);
        let head = line(self.header);
        let inside = blocks.iter().copied().filter(|one| self.body.contains(one));
        let conditions = inside
            .clone()
            .filter(|one| head.is_some_and(|head| all_on_line(*one, head)));
        latch
            .or_else(|| outside(self.header))
            .or_else(|| conditions.into_iter().find_map(outside))
            .or_else(|| {
                let left: HashSet<BlockRef> = inside.flat_map(successors).collect();
                let mut later = blocks.iter().skip_while(|one| **one != self.header);
                later
                    .find(|one| left.contains(one) && !self.body.contains(one))
                    .copied()
            })
    }
}

fn successors(block: BlockRef) -> impl Iterator<Item = BlockRef> {
    (0..).map_while(move |index| block.successor(index))
}

/// The line of the first instruction that has one.
fn line(block: BlockRef) -> Option<u32> {
    let mut lines = block.instructions().into_iter().filter_map(own_location);
    lines.next().map(|location| location.line)
}

fn all_on_line(block: BlockRef, line: u32) -> bool {
    let mut lines = block.instructions().into_iter().filter_map(own_location);
    lines.all(|location| location.line == line)
}

/// The natural loops of a function: a jump back to a block that is on the way there, and all blocks from which that jump is reached.
fn loops(blocks: &[BlockRef]) -> Vec<Loop> {
    let Some(entry) = blocks.first().copied() else {
        return Vec::new();
    };
    let mut predecessors: HashMap<BlockRef, Vec<BlockRef>> = HashMap::new();
    for block in blocks {
        for next in successors(*block) {
            predecessors.entry(next).or_default().push(*block);
        }
    }
    let mut latches: HashMap<BlockRef, Vec<BlockRef>> = HashMap::new();
    let mut on_the_way = HashSet::from([entry]);
    let mut seen = HashSet::from([entry]);
    let mut stack = vec![(entry, 0)];
    while let Some((block, index)) = stack.pop() {
        let Some(next) = block.successor(index) else {
            on_the_way.remove(&block);
            continue;
        };
        stack.push((block, index + 1));
        if on_the_way.contains(&next) {
            latches.entry(next).or_default().push(block);
        } else if seen.insert(next) {
            on_the_way.insert(next);
            stack.push((next, 0));
        }
    }
    let in_order = blocks.iter().filter_map(|header| {
        let latches = latches.remove(header)?;
        let mut body = HashSet::from([*header]);
        let mut pending = latches.clone();
        while let Some(block) = pending.pop() {
            if body.insert(block) {
                pending.extend(predecessors.get(&block).into_iter().flatten());
            }
        }
        Some(Loop {
            header: *header,
            latches,
            body,
        })
    });
    in_order.collect()
}

/// An exit before an instruction.
pub struct Exit {
    /// The instruction.
    pub next: Value,
    /// The block that it is in.
    pub block: BlockRef,
    /// What the runtime answers.
    pub answer: Value,
    /// Where else control can go.
    pub turn: Turn,
    /// What can be assigned.
    pub numbers: Vec<LocalNumber>,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// Nothing.
    Nothing,
    /// A value that fits into a word.
    Word(Type),
    /// Something else, so that no exit returns.
    Other,
}

/// Lets control leave at exits, which are in the order of the code.
pub fn connect(emitter: &Emitter<'_>, function: Value, returned: Returned, exits: &[Exit]) {
    let blocks = function.all_blocks();
    // What comes before an exit becomes a block of its own, so that the block with the terminator stays the one that phis elsewhere name.
    let pieces: Vec<BlockRef> = exits
        .iter()
        .map(|exit| exit.block.cut_before(exit.next))
        .collect();
    let mut heads: HashMap<BlockRef, BlockRef> = HashMap::new();
    for (exit, piece) in exits.iter().zip(&pieces) {
        heads.entry(exit.block).or_insert(*piece);
    }
    for block in blocks {
        block.map_successors(|next| heads.get(&next).copied());
    }
    for (block, head) in &heads {
        block.move_address(function, *head);
    }
    for (index, (exit, piece)) in exits.iter().zip(&pieces).enumerate() {
        let follows = exits
            .get(index + 1)
            .filter(|following| following.block == exit.block);
        let go_on = follows.map_or(exit.block, |_| pieces[index + 1]);
        let head_of = |block: BlockRef| heads.get(&block).copied().unwrap_or(block);
        let mut targets: Vec<(u64, BlockRef)> = Vec::new();
        let leave = |way| ExitAction::Leave(way).number();
        if returned != Returned::Other {
            let block = function.append_block();
            emitter.at_end(block);
            emitter.leave_function(match returned {
                Returned::Word(kind) => {
                    let word = value_in(
                        emitter,
                        exit.answer,
                        kind,
                        ExitAction::Leave(ExitWay::Return),
                    );
                    Some(emitter.value_of(word, kind))
                }
                _ => None,
            });
            targets.push((leave(ExitWay::Return), block));
        }
        targets.extend(
            exit.turn
                .next
                .map(|block| (leave(ExitWay::Next), head_of(block))),
        );
        targets.extend(
            exit.turn
                .after
                .map(|block| (leave(ExitWay::Break), head_of(block))),
        );
        if !exit.numbers.is_empty() {
            let assignments = [false, true].map(|is_added| {
                let action = ExitAction::Assign {
                    variable: 0,
                    is_added,
                };
                let block = assignment(emitter, function, exit, go_on, is_added);
                (action.number(), block)
            });
            targets.extend(assignments);
        }
        emitter.at_end(*piece);
        let action = field(emitter, exit.answer, ExitWord::ACTION);
        emitter.jump_by(action, go_on, &targets);
    }
}

/// A block that assigns one of the variables of an exit, or adds to it, and then goes on.
fn assignment(
    emitter: &Emitter<'_>,
    function: Value,
    exit: &Exit,
    go_on: BlockRef,
    is_added: bool,
) -> BlockRef {
    let mut targets: Vec<(u64, BlockRef)> = Vec::new();
    for (index, LocalNumber { variable, .. }) in exit.numbers.iter().enumerate() {
        let kind = variable.allocated();
        let is_float = matches!(
            kind.kind(),
            TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind
        );
        if is_added && is_float {
            continue;
        }
        let block = function.append_block();
        emitter.at_end(block);
        let variable_number = index as u64;
        let action = ExitAction::Assign {
            variable: variable_number,
            is_added,
        };
        let word = value_in(emitter, exit.answer, kind, action);
        let word = if is_added {
            emitter.add(emitter.word(emitter.read(*variable)), word)
        } else {
            word
        };
        emitter.assign(*variable, emitter.value_of(word, kind));
        emitter.jump(go_on);
        targets.push((variable_number, block));
    }
    let block = function.append_block();
    emitter.at_end(block);
    let number = field(emitter, exit.answer, ExitWord::VARIABLE);
    emitter.jump_by(number, go_on, &targets);
    block
}

fn field(emitter: &Emitter<'_>, answer: Value, field: Field) -> Value {
    emitter.bits_of(answer, field.mask(), field.shift)
}

/// The value in an answer.
fn value_in(emitter: &Emitter<'_>, answer: Value, kind: Type, action: ExitAction) -> Value {
    let below = action.bits_below();
    match kind.kind() {
        // As `ExitForm::Double`, and others as `ExitForm::Moved`.
        TypeKind::LLVMDoubleTypeKind => emitter.bits_of(answer, !((1 << below) - 1), 0),
        _ => emitter.without_bits(answer, below),
    }
}
