//! Instruments one function: its parameters, its instructions, its results. Blocks come after those that dominate them, so a
//! value has its shadow before it is used; phis are completed at the end.

use std::collections::{HashMap, HashSet};

use super::group::Groups;
use super::leaf::{Leaf, leaves};
use super::{MOST_PARAMETERS, Symbolic};
use super::{float, flow};
use crate::emitter::Emitter;
use crate::ir::{BlockRef, Opcode, Type, TypeKind, Value};

/// Offsets in `__yester_call`, whose layout `runtime.ll` tells.
pub mod call_block {
    pub const CALLEE: u64 = 0;
    pub const RETURNED: u64 = 8;
    pub const RESULTS: u64 = 16;
    pub const PARAMETERS: u64 = 32;
    pub const ORIGINALS: u64 = 288;
    pub const PLACE: u64 = 800;
    pub const OUTER: u64 = 944;
    /// In a word of place and class: the place is that of a call into system headers.
    pub const IS_OUTER: u64 = 1 << 63;
}

/// How many parts of a result can have shadows. The runtime has the same limit.
pub const MOST_RESULTS: usize = 4;

/// An invoke that continues in another block.
pub struct Arrival {
    pub call: Value,
    /// Its shadow that says whether nodes were passed.
    pub passed: Value,
}

/// Inserts the shadow computations of one function.
pub struct FunctionInstrumenter<'a> {
    pub symbolic: &'a Symbolic<'a>,
    pub emitter: &'a Emitter<'a>,
    pub function: Value,
    /// Whether the processor computes a product and a sum at once.
    pub fuses: bool,
    pub identity: Value,
    shadows: HashMap<Value, Vec<Value>>,
    phis: Vec<Value>,
    /// The values that may have a shadow.
    may: HashSet<Value>,
    pub groups: Groups,
    /// The address of this thread's `__yester_call`.
    call_block: Option<Value>,
    /// Invokes whose results are taken at the start of a block.
    pub arriving: HashMap<BlockRef, Arrival>,
    /// Where a variadic function keeps the shadows of its unnamed arguments.
    pub variadic: Option<Value>,
    /// An array for the pointers that scanf is called with.
    pub scanned: Option<Value>,
    /// An array for the arguments of printf, and how many words it has.
    pub printed: Option<(Value, usize)>,
    /// The place in the source of the instruction that is being instrumented; 0 if unknown.
    pub place: u64,
}

impl<'a> FunctionInstrumenter<'a> {
    pub fn new(symbolic: &'a Symbolic<'a>, function: Value) -> Self {
        let fuses = float::fuses(function);
        FunctionInstrumenter {
            symbolic,
            emitter: &symbolic.emitter,
            function,
            fuses,
            identity: symbolic.identity(function),
            shadows: HashMap::new(),
            phis: Vec::new(),
            may: HashSet::new(),
            groups: Groups::default(),
            call_block: None,
            arriving: HashMap::new(),
            variadic: None,
            scanned: None,
            printed: None,
            place: 0,
        }
    }

    /// Instruments the function.
    pub fn instrument(mut self) {
        // Nothing is inserted into blocks that nothing leads to, such as what follows a call that does not return. They lead
        // to other blocks nevertheless.
        let all_blocks = self.function.all_blocks();
        let blocks: Vec<(BlockRef, Vec<Value>)> = self
            .function
            .blocks()
            .into_iter()
            .map(|block| (block, block.instructions()))
            .collect();
        self.may = flow::may_be_symbolic(self.function, &blocks);
        for (index, (block, instructions)) in blocks.iter().enumerate() {
            self.begin_block(*block);
            if index == 0 {
                self.enter(&blocks);
            }
            for instruction in instructions {
                if !matches!(
                    instruction.opcode(),
                    Opcode::LLVMPHI | Opcode::LLVMLandingPad | Opcode::LLVMAlloca
                ) {
                    self.arrive(*block, *instruction);
                }
                if let Some(place) = self.symbolic.places.get(instruction) {
                    self.place = *place;
                }
                self.instruction(*instruction);
            }
            if let Some(&terminator) = instructions.last() {
                self.flush(terminator);
            }
        }
        for phi in std::mem::take(&mut self.phis) {
            let shadows = self.shadow(phi);
            for (value, block) in phi.incoming() {
                let incoming = self.shadow(value);
                for (shadow, node) in shadows.iter().zip(incoming) {
                    let node = self.outside(node);
                    shadow.add_incoming(node, block);
                }
            }
        }
        self.redirect(&all_blocks);
    }

    pub fn leaves(&self, kind: Type) -> Vec<Leaf> {
        leaves(self.emitter, kind)
    }

    pub fn zero(&self) -> Value {
        self.emitter.small(0)
    }

    /// The shadows of a value, one for each part.
    pub fn shadow(&self, value: Value) -> Vec<Value> {
        match self.shadows.get(&value) {
            Some(shadow) => shadow.clone(),
            None => vec![self.zero(); self.leaves(value.type_of()).len()],
        }
    }

    /// The shadow of a value that has one part; 0 for others.
    pub fn single(&self, value: Value) -> Value {
        let shadow = self.shadow(value);
        if shadow.len() == 1 {
            shadow[0]
        } else {
            self.zero()
        }
    }

    pub fn set(&mut self, value: Value, shadow: Vec<Value>) {
        if shadow.iter().any(|&node| node != self.zero()) {
            self.shadows.insert(value, shadow);
        }
    }

    pub fn may_be_symbolic(&self, value: Value) -> bool {
        self.shadows.contains_key(&value)
    }

    /// Makes a value concrete from here on: the path condition will require it to be as it is.
    pub fn concretise(&mut self, value: Value, what: &str) {
        for node in self.shadow(value) {
            if node != self.zero() {
                let node = self.node(node);
                let what = self.symbolic.text(what);
                self.hook("__yester_concretise", &[node, what]);
            }
        }
    }

    /// The address of this thread's `__yester_call`. Moves the place where code is emitted.
    pub fn call_block(&mut self) -> Value {
        if let Some(block) = self.call_block {
            return block;
        }
        self.emitter.at_start(self.function.entry());
        let block = self.emitter.thread_local("__yester_call");
        self.call_block = Some(block);
        block
    }

    /// Leaves the place of a call for the runtime, before the call. What models make and write is from there.
    pub fn leave_place(&mut self, call: Value) {
        let call_block = self.call_block();
        self.emitter.before(call);
        let place = self.emitter.number(self.place);
        self.emitter.leave(call_block, call_block::PLACE, place);
    }

    /// The same for a call that writes. What code of system headers writes is from the place that called into it.
    pub fn leave_output_place(&mut self, call: Value) {
        if !self.symbolic.system.contains(&self.function) {
            return self.leave_place(call);
        }
        let call_block = self.call_block();
        self.emitter.before(call);
        let place = self.emitter.fetch(call_block, call_block::OUTER, 64);
        self.emitter.leave(call_block, call_block::PLACE, place);
    }

    /// Leaves the place of a call into code of system headers, or into the C++ library, which may call it.
    pub fn leave_outer_place(&mut self, call: Value) {
        let callee = call.callee();
        if self.symbolic.system.contains(&self.function) || !callee.is_function() {
            return;
        }
        let is_foreign = callee.is_declaration() && callee.name().starts_with("_Z");
        if is_foreign || self.symbolic.system.contains(&callee) {
            let call_block = self.call_block();
            self.emitter.before(call);
            let place = self.emitter.number(self.place | call_block::IS_OUTER);
            self.emitter.leave(call_block, call_block::OUTER, place);
        }
    }

    /// Takes the shadows of the parameters.
    fn enter(&mut self, blocks: &[(BlockRef, Vec<Value>)]) {
        let Some(place) = blocks.first().and_then(|(_, instructions)| {
            instructions
                .iter()
                .copied()
                .find(|instruction| instruction.opcode() != Opcode::LLVMAlloca)
        }) else {
            return;
        };
        let parameters = self.function.parameters();
        if self.function.name() == "main"
            && parameters.len() >= 2
            && parameters[0].type_of().kind() == TypeKind::LLVMIntegerTypeKind
            && parameters[0].type_of().bits() == 32
            && parameters[1].type_of().kind() == TypeKind::LLVMPointerTypeKind
        {
            self.emitter.before(place);
            self.emitter.call(
                "__yester_symbolic_arguments",
                &[parameters[0], parameters[1]],
            );
            return;
        }
        if self.asks_for_variadic(blocks) {
            self.emitter.before(place);
            let room = self.emitter.room(MOST_PARAMETERS as u32 + 1);
            let own = self.emitter.word(self.identity);
            self.emitter.call("__yester_variadic", &[own, room]);
            self.variadic = Some(room);
        }
        let followed: Vec<(usize, Value, Leaf)> = parameters
            .iter()
            .copied()
            .enumerate()
            .take(MOST_PARAMETERS)
            .filter_map(|(index, parameter)| {
                let leaf = self.leaves(parameter.type_of());
                (leaf.len() == 1 && leaf[0].width > 0).then(|| (index, parameter, leaf[0].clone()))
            })
            .collect();
        if followed.is_empty() {
            return;
        }
        let call_block = self.call_block();
        self.emitter.before(place);
        let callee = self.emitter.fetch(call_block, call_block::CALLEE, 64);
        let own = self.emitter.word(self.identity);
        let meant = self.emitter.equal(callee, own);
        self.guard(meant);
        for (index, parameter, leaf) in followed {
            let number = self.emitter.small(index as u32);
            if let Some(kind) = self.function.copied(index as u32) {
                let size = self.emitter.stride(kind);
                self.watch(parameter, 0, size.min(1));
                let word = self.word(parameter);
                let size = self.emitter.number(size);
                self.hook("__yester_parameter_copy", &[meant, number, word, size]);
                continue;
            }
            let word = self.word(parameter);
            let width = self.emitter.small(leaf.width);
            let node = self.hook("__yester_parameter", &[meant, number, word, width]);
            self.set(parameter, vec![node]);
        }
        self.hook("__yester_taken", &[meant]);
    }

    /// Takes the result of an invoke that continues in this block, before its first ordinary instruction.
    fn arrive(&mut self, block: BlockRef, first: Value) {
        if let Some(Arrival { call, passed }) = self.arriving.remove(&block) {
            self.take_result(call, passed, first);
        }
    }

    fn asks_for_variadic(&self, blocks: &[(BlockRef, Vec<Value>)]) -> bool {
        let mut instructions = blocks.iter().flat_map(|(_, instructions)| instructions);
        self.function.value_type().is_variadic()
            && instructions.any(|instruction| {
                instruction.opcode() == Opcode::LLVMCall
                    && instruction.callee().is_function()
                    && instruction.callee().name().starts_with("llvm.va_start")
            })
    }

    /// Gives a phi a phi of shadows. Its incoming values are added when all other values have shadows.
    pub fn phi(&mut self, phi: Value) {
        let leaves = self.leaves(phi.type_of());
        if leaves.iter().all(|leaf| leaf.width == 0) || !self.may.contains(&phi) {
            return;
        }
        self.emitter.before(phi);
        let shadow = leaves.iter().map(|_| self.emitter.phi()).collect();
        self.shadows.insert(phi, shadow);
        self.phis.push(phi);
    }

    pub fn returns(&mut self, instruction: Value) {
        let Some(value) = instruction.operands().first().copied() else {
            return;
        };
        if value.is_must_tail() {
            return;
        }
        let leaves = self.leaves(value.type_of());
        if leaves.iter().all(|leaf| leaf.width == 0) || leaves.len() > MOST_RESULTS {
            return self.concretise(value, "a result with many parts");
        }
        self.flush(instruction);
        let call_block = self.call_block();
        for (index, node) in self.shadow(value).into_iter().enumerate() {
            let node = self.outside(node);
            self.emitter.before(instruction);
            let place = call_block::RESULTS + 4 * index as u64;
            self.emitter.leave(call_block, place, node);
            if node != self.zero() {
                let own = self.emitter.word(self.identity);
                self.emitter.leave(call_block, call_block::RETURNED, own);
            }
        }
    }

    /// The object that an address points into, if the code shows it: its start and its size.
    pub fn object(&self, address: Value) -> Option<(Value, u64)> {
        let mut base = address;
        while base.is_instruction()
            && matches!(
                base.opcode(),
                Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast
            )
        {
            base = base.operand(0);
        }
        if base.is_instruction() && base.opcode() == Opcode::LLVMAlloca {
            let count = base.operand(0).integer()?;
            return Some((base, count * self.emitter.stride(base.allocated())));
        }
        if base.is_global() && !base.is_thread_local() && base.value_type().is_sized() {
            return Some((base, self.emitter.stride(base.value_type())));
        }
        if base.is_parameter() {
            let parameters = self.function.parameters();
            let index = parameters.iter().position(|&parameter| parameter == base)? as u32;
            let kind = self.function.copied(index)?;
            return Some((base, self.emitter.stride(kind)));
        }
        None
    }
}
