//! Instruments one function: its parameters, its instructions, its results. Blocks come after those that dominate them, so a
//! value has its shadow before it is used; phis are completed at the end.

use std::collections::HashMap;

use super::leaf::{Leaf, leaves};
use super::{MOST_PARAMETERS, Symbolic};
use crate::emitter::Emitter;
use crate::ir::{Opcode, Type, TypeKind, Value};

/// How many parts of a result can have shadows. The runtime has the same limit.
pub const MOST_RESULTS: usize = 4;

/// Inserts the shadow computations of one function.
pub struct FunctionInstrumenter<'a> {
    pub symbolic: &'a Symbolic<'a>,
    pub emitter: &'a Emitter<'a>,
    pub function: Value,
    identity: Value,
    shadows: HashMap<Value, Vec<Value>>,
    phis: Vec<Value>,
    /// Where a variadic function keeps the shadows of its unnamed arguments.
    pub variadic: Option<Value>,
    /// An array for the pointers that scanf is called with.
    pub scanned: Option<Value>,
    /// An array for the arguments of printf, and how many words it has.
    pub printed: Option<(Value, usize)>,
}

impl<'a> FunctionInstrumenter<'a> {
    pub fn new(symbolic: &'a Symbolic<'a>, function: Value) -> Self {
        FunctionInstrumenter {
            symbolic,
            emitter: &symbolic.emitter,
            function,
            identity: symbolic.identity(function),
            shadows: HashMap::new(),
            phis: Vec::new(),
            variadic: None,
            scanned: None,
            printed: None,
        }
    }

    /// Instruments the function.
    pub fn instrument(mut self) {
        let blocks: Vec<Vec<Value>> = self
            .function
            .blocks()
            .into_iter()
            .map(crate::ir::BlockRef::instructions)
            .collect();
        self.enter(&blocks);
        for instruction in blocks.iter().flatten() {
            self.instruction(*instruction);
        }
        for phi in std::mem::take(&mut self.phis) {
            let shadows = self.shadow(phi);
            for (value, block) in phi.incoming() {
                let incoming = self.shadow(value);
                for (shadow, node) in shadows.iter().zip(incoming) {
                    shadow.add_incoming(node, block);
                }
            }
        }
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

    /// A part of a value as 64 bits.
    pub fn word(&self, value: Value, leaf: &Leaf) -> Value {
        self.emitter.word(self.emitter.part(value, &leaf.path))
    }

    /// Makes a value concrete from here on: the path condition will require it to be as it is.
    pub fn concretise(&self, value: Value, what: &str) {
        for node in self.shadow(value) {
            if node != self.zero() {
                let what = self.symbolic.text(what);
                self.emitter.call("yester.concretise", &[node, what]);
            }
        }
    }

    fn enter(&mut self, blocks: &[Vec<Value>]) {
        let Some(place) = blocks.first().and_then(|block| {
            block
                .iter()
                .copied()
                .find(|instruction| instruction.opcode() != Opcode::LLVMAlloca)
        }) else {
            return;
        };
        self.emitter.before(place);
        let parameters = self.function.parameters();
        if self.function.name() == "main"
            && parameters.len() >= 2
            && parameters[0].type_of().kind() == TypeKind::LLVMIntegerTypeKind
            && parameters[0].type_of().bits() == 32
            && parameters[1].type_of().kind() == TypeKind::LLVMPointerTypeKind
        {
            self.emitter.call(
                "yester.call.symbolic.arguments",
                &[parameters[0], parameters[1]],
            );
            return;
        }
        if self.asks_for_variadic(blocks) {
            let room = self.emitter.room(MOST_PARAMETERS as u32 + 1);
            let own = self.emitter.word(self.identity);
            self.emitter.call("yester.call.variadic", &[own, room]);
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
        let meant = self.emitter.call("yester.entered", &[self.identity]);
        for (index, parameter, leaf) in followed {
            let number = self.emitter.small(index as u32);
            let word = self.emitter.word(parameter);
            if let Some(kind) = self.function.copied(index as u32) {
                let size = self.emitter.number(self.emitter.stride(kind));
                self.emitter.call(
                    "yester.parameter.copy",
                    &[meant, number, self.identity, word, size],
                );
                continue;
            }
            let width = self.emitter.small(leaf.width);
            let node = self
                .emitter
                .call("yester.parameter", &[meant, number, word, width]);
            self.set(parameter, vec![node]);
        }
        self.emitter.call("yester.taken", &[meant]);
    }

    fn asks_for_variadic(&self, blocks: &[Vec<Value>]) -> bool {
        self.function.value_type().is_variadic()
            && blocks.iter().flatten().any(|instruction| {
                instruction.opcode() == Opcode::LLVMCall
                    && instruction.callee().is_function()
                    && instruction.callee().name().starts_with("llvm.va_start")
            })
    }

    /// Gives a phi a phi of shadows. Its incoming values are added when all other values have shadows.
    pub fn phi(&mut self, phi: Value) {
        let leaves = self.leaves(phi.type_of());
        if leaves.iter().all(|leaf| leaf.width == 0)
            || phi.incoming().iter().all(|(value, _)| value.is_constant())
        {
            return;
        }
        self.emitter.before(phi);
        let shadow = leaves.iter().map(|_| self.emitter.phi()).collect();
        self.shadows.insert(phi, shadow);
        self.phis.push(phi);
    }

    pub fn returns(&self, instruction: Value) {
        let Some(value) = instruction.operands().first().copied() else {
            return;
        };
        if value.is_must_tail() {
            return;
        }
        let leaves = self.leaves(value.type_of());
        self.emitter.before(instruction);
        if leaves.iter().all(|leaf| leaf.width == 0) || leaves.len() > MOST_RESULTS {
            return self.concretise(value, "a result with many parts");
        }
        for (index, node) in self.shadow(value).into_iter().enumerate() {
            let index = self.emitter.small(index as u32);
            self.emitter
                .call("yester.return", &[index, node, self.identity]);
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
