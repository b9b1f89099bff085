//! Groups: the shadows of a straight piece of code are computed together.
//!
//! One check guards a group: whether any shadow or any memory that the piece reads is symbolic. If not, as almost always, all
//! shadows of the piece are 0. Otherwise a block at the end of the function, the *slow* block, calls the runtime for each
//! instruction. This keeps the code small, and the compiler fast: a check for each instruction made thirteen times the code.
//!
//! A group ends before a call and before the end of its block. It also ends before memory is written if one of its hooks reads
//! the program's memory, since hooks run after the whole piece has run.

use std::collections::{HashMap, HashSet};

use super::function::{FunctionInstrumenter, call_block};
use super::leaf::Leaf;
use crate::ir::{BlockRef, Opcode, Value};

/// A filter entry answers for the page of an address and for the next page.
const FILTER_REACH: u64 = 4096;

/// A group that has ended.
struct Closed {
    /// The block of the piece, which decides.
    piece: BlockRef,
    /// The block that calls the runtime.
    slow: BlockRef,
    /// The block where both ways meet.
    join: BlockRef,
}

/// The group that is being filled.
struct Open {
    slow: BlockRef,
    /// Shadows that come from elsewhere.
    nodes: Vec<Value>,
    /// Addresses of memory that may be symbolic.
    watched: Vec<(Value, u64)>,
    known: HashSet<(Value, u64)>,
    /// Values as words in the slow block.
    words: HashMap<Value, Value>,
    reads_memory: bool,
    /// The place in the source that the slow block has left for the runtime.
    place: u64,
}

/// All groups of a function.
#[derive(Default)]
pub struct Groups {
    closed: Vec<Closed>,
    open: Option<Open>,
    /// The group in whose slow block a shadow is computed.
    group_of: HashMap<Value, usize>,
    /// The phis that carry shadows out of slow blocks.
    joined: HashMap<Value, Value>,
    /// The block that is being instrumented.
    block: Option<BlockRef>,
    /// The last closed group, if it meets in that block.
    last: Option<usize>,
    /// The first piece of each block that was cut.
    heads: HashMap<BlockRef, BlockRef>,
}

impl FunctionInstrumenter<'_> {
    /// Starts with another block.
    pub fn begin_block(&mut self, block: BlockRef) {
        debug_assert!(self.groups.open.is_none(), "a group ends with its block");
        self.groups.block = Some(block);
        self.groups.last = None;
    }

    /// Emits into the slow block from now on.
    fn slow(&mut self) -> &mut Open {
        let function = self.function;
        let open = self.groups.open.get_or_insert_with(|| Open {
            slow: function.append_block(),
            nodes: Vec::new(),
            watched: Vec::new(),
            known: HashSet::new(),
            words: HashMap::new(),
            reads_memory: false,
            place: 0,
        });
        self.emitter.at_end(open.slow);
        open
    }

    /// A shadow as it can be used in the slow block. The group is guarded by it.
    pub fn node(&mut self, node: Value) -> Value {
        if node == self.zero() {
            return node;
        }
        let current = self.groups.closed.len();
        let node = match self.groups.group_of.get(&node) {
            Some(&group) if group == current => return node,
            Some(_) => self.joined(node),
            None => node,
        };
        let open = self.slow();
        if open.known.insert((node, u64::MAX)) {
            open.nodes.push(node);
        }
        node
    }

    /// A shadow as it can be used outside of slow blocks; its group has ended.
    pub fn outside(&mut self, node: Value) -> Value {
        if self.groups.group_of.contains_key(&node) {
            self.joined(node)
        } else {
            node
        }
    }

    fn joined(&mut self, node: Value) -> Value {
        if let Some(&phi) = self.groups.joined.get(&node) {
            return phi;
        }
        let group = &self.groups.closed[self.groups.group_of[&node]];
        self.emitter.at_start(group.join);
        let phi = self.emitter.phi();
        phi.add_incoming(self.zero(), group.piece);
        phi.add_incoming(node, group.slow);
        self.groups.joined.insert(node, phi);
        phi
    }

    /// A value as 64 bits, in the slow block.
    pub fn word(&mut self, value: Value) -> Value {
        let emitter = self.emitter;
        let open = self.slow();
        *open
            .words
            .entry(value)
            .or_insert_with(|| emitter.word(value))
    }

    /// A part of a value as 64 bits, in the slow block.
    pub fn part(&mut self, value: Value, leaf: &Leaf) -> Value {
        if leaf.path.is_empty() {
            return self.word(value);
        }
        self.slow();
        self.emitter.word(self.emitter.part(value, &leaf.path))
    }

    /// An address plus an offset, in the slow block.
    pub fn at(&mut self, address: Value, offset: u64) -> Value {
        let address = self.word(address);
        if offset == 0 {
            return address;
        }
        self.slow();
        self.emitter.add(address, self.emitter.number(offset))
    }

    /// Guards the group by memory: `size` bytes at an offset from an address.
    pub fn watch(&mut self, address: Value, offset: u64, size: u64) {
        let (base, within) = self.base(address);
        let end = within
            .checked_add(offset)
            .and_then(|at| at.checked_add(size));
        let (address, offset) = match end {
            Some(end) if end <= FILTER_REACH => (base, 0),
            _ => (address, offset),
        };
        let open = self.slow();
        if open.known.insert((address, offset)) {
            open.watched.push((address, offset));
        }
    }

    /// The address that constant steps forward lead from, and how far they lead.
    fn base(&self, address: Value) -> (Value, u64) {
        let (mut base, mut offset) = (address, 0_u64);
        while base.is_instruction() && base.opcode() == Opcode::LLVMGetElementPtr {
            let Some(step) = self.emitter.constant_offset(base) else {
                break;
            };
            match offset.checked_add(step) {
                Some(sum) if sum < FILTER_REACH => offset = sum,
                _ => break,
            }
            base = base.operand(0);
        }
        (base, offset)
    }

    /// Guards the group by a number that is not 0 if it has to do something.
    pub fn guard(&mut self, number: Value) {
        let open = self.slow();
        if open.known.insert((number, u64::MAX)) {
            open.nodes.push(number);
        }
    }

    /// Notes that a hook of this group reads the program's memory.
    pub fn reads_memory(&mut self) {
        self.slow().reads_memory = true;
    }

    /// Calls a hook of the runtime in the slow block. Its result is a shadow.
    pub fn hook(&mut self, name: &'static str, arguments: &[Value]) -> Value {
        let group = self.groups.closed.len();
        let place = self.place;
        if place != 0 && std::mem::replace(&mut self.slow().place, place) != place {
            let call_block = self.call_block();
            let place = self.emitter.number(place);
            self.in_slow(|emitter| emitter.leave(call_block, call_block::PLACE, place));
        }
        self.slow();
        let result = self.emitter.call(name, arguments);
        self.groups.group_of.insert(result, group);
        result
    }

    /// Emits into the slow block what is no call of a hook.
    pub fn in_slow<T>(&mut self, emit: impl FnOnce(&crate::emitter::Emitter<'_>) -> T) -> T {
        self.slow();
        emit(self.emitter)
    }

    /// Ends the group before an instruction that writes memory if a hook would read what was there before.
    pub fn before_write(&mut self, instruction: Value) {
        if self
            .groups
            .open
            .as_ref()
            .is_some_and(|open| open.reads_memory)
        {
            self.flush(instruction);
        }
    }

    /// Ends the group before an instruction of the current block. What comes before becomes a block of its own, so that the
    /// block with the terminator stays the one that phis elsewhere name.
    pub fn flush(&mut self, before: Value) {
        let Some(open) = self.groups.open.take() else {
            return;
        };
        let block = self.groups.block.expect("a block is instrumented");
        let piece = block.cut_before(before);
        match self.groups.last {
            // What led to the block leads to its new piece.
            Some(last) => {
                let last = &mut self.groups.closed[last];
                last.join = piece;
                last.piece.set_all_successors(block, piece);
                last.slow.set_all_successors(block, piece);
            }
            None => {
                self.groups.heads.insert(block, piece);
            }
        }
        self.emitter.at_end(open.slow);
        self.emitter.jump(block);
        self.emitter.at_end(piece);
        let any = self.emitter.guard(&open.nodes, &open.watched);
        self.emitter.jump_if_zero(any, block, open.slow);
        self.groups.last = Some(self.groups.closed.len());
        self.groups.closed.push(Closed {
            piece,
            slow: open.slow,
            join: block,
        });
    }

    /// Leads all jumps to blocks that were cut to their first pieces.
    pub fn redirect(&self, blocks: &[BlockRef]) {
        for block in blocks {
            block.map_successors(|successor| self.groups.heads.get(&successor).copied());
        }
        for (block, head) in &self.groups.heads {
            block.move_address(self.function, *head);
        }
    }
}
