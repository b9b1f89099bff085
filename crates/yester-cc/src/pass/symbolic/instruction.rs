//! Instruments all instructions but calls.

use yester_pathrt::format::Operation;

use super::function::FunctionInstrumenter;
use super::leaf::Leaf;
use crate::ir::{Opcode, Type, TypeKind, Value};

pub const WIDE_OR_FLOAT: &str = "an operation on long doubles, vectors or more than 64 bits";
const WIDE_IN_MEMORY: &str = "a long double or a number of more than 64 bits in memory";

fn operation(opcode: Opcode) -> Option<Operation> {
    Some(match opcode {
        Opcode::LLVMAdd => Operation::Add,
        Opcode::LLVMSub => Operation::Subtract,
        Opcode::LLVMMul => Operation::Multiply,
        Opcode::LLVMUDiv => Operation::DivideUnsigned,
        Opcode::LLVMSDiv => Operation::DivideSigned,
        Opcode::LLVMURem => Operation::RemainderUnsigned,
        Opcode::LLVMSRem => Operation::RemainderSigned,
        Opcode::LLVMAnd => Operation::And,
        Opcode::LLVMOr => Operation::Or,
        Opcode::LLVMXor => Operation::ExclusiveOr,
        Opcode::LLVMShl => Operation::ShiftLeft,
        Opcode::LLVMLShr => Operation::ShiftRightLogical,
        Opcode::LLVMAShr => Operation::ShiftRightArithmetic,
        _ => return None,
    })
}

impl FunctionInstrumenter<'_> {
    /// Instruments an instruction.
    pub fn instruction(&mut self, instruction: Value) {
        let opcode = instruction.opcode();
        if let Some(operation) = operation(opcode) {
            return self.two(
                "__yester_binary",
                operation as u32,
                instruction,
                instruction.operand(0),
                instruction.operand(1),
            );
        }
        if self.float(instruction) {
            return;
        }
        match opcode {
            Opcode::LLVMICmp => self.two(
                "__yester_compare",
                instruction.predicate(),
                instruction,
                instruction.operand(0),
                instruction.operand(1),
            ),
            Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr => self.cast(instruction),
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast | Opcode::LLVMFreeze => {
                self.same(instruction);
            }
            Opcode::LLVMSelect => self.select(instruction),
            Opcode::LLVMGetElementPtr => self.element(instruction),
            Opcode::LLVMLoad => self.load(instruction),
            Opcode::LLVMStore => self.store(instruction),
            Opcode::LLVMPHI => self.phi(instruction),
            Opcode::LLVMExtractValue => {
                let (first, count) =
                    self.range(instruction.operand(0).type_of(), &instruction.indices());
                let shadow = self.shadow(instruction.operand(0));
                if let Some(part) = shadow.get(first..first + count)
                    && count == self.leaves(instruction.type_of()).len()
                {
                    self.set(instruction, part.to_vec());
                }
            }
            Opcode::LLVMInsertValue => self.insert(instruction, &instruction.indices()),
            Opcode::LLVMExtractElement => match instruction.operand(1).integer() {
                Some(index) => {
                    let shadow = self.shadow(instruction.operand(0));
                    if shadow.len() > 1 || index == 0 {
                        let node = shadow.get(index as usize).copied();
                        self.set(instruction, node.into_iter().collect());
                    }
                }
                None => self.lost_operands(instruction, "an element of a vector by its index"),
            },
            Opcode::LLVMInsertElement => match instruction.operand(2).integer() {
                Some(index) => self.insert(instruction, &[index as u32]),
                None => self.lost_operands(instruction, "an element of a vector by its index"),
            },
            Opcode::LLVMShuffleVector => self.shuffle(instruction),
            Opcode::LLVMBr => {
                if let [condition] = instruction.operands()[..]
                    && self.may_be_symbolic(condition)
                {
                    let node = self.single(condition);
                    let node = self.node(node);
                    let taken = self.in_slow(|emitter| emitter.truth(condition));
                    self.hook("__yester_branch", &[node, taken]);
                }
            }
            Opcode::LLVMSwitch => self.switch(instruction),
            Opcode::LLVMRet => self.returns(instruction),
            Opcode::LLVMCall | Opcode::LLVMInvoke => self.call(instruction),
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => self.atomic(instruction),
            Opcode::LLVMUnreachable
            | Opcode::LLVMLandingPad
            | Opcode::LLVMResume
            | Opcode::LLVMFence => {}
            _ => self.lost_operands(instruction, WIDE_OR_FLOAT),
        }
    }

    /// Makes the operands of an instruction that is not modelled concrete.
    pub fn lost_operands(&mut self, instruction: Value, what: &str) {
        for operand in instruction.operands() {
            self.concretise(operand, what);
        }
    }

    /// Emits after an instruction, which must not be a terminator.
    pub fn behind(&self, instruction: Value) {
        if let Some(next) = instruction.next() {
            self.emitter.before(next);
        }
    }

    /// An operation on two operands of one type, part by part.
    pub fn two(
        &mut self,
        hook: &'static str,
        kind: u32,
        instruction: Value,
        left: Value,
        right: Value,
    ) {
        if !self.may_be_symbolic(left) && !self.may_be_symbolic(right) {
            return;
        }
        let operands = self.leaves(left.type_of());
        let results = self.leaves(instruction.type_of());
        if results.len() != operands.len() || operands.iter().any(|leaf| leaf.width == 0) {
            return self.lost_operands(instruction, WIDE_OR_FLOAT);
        }
        let (left_nodes, right_nodes) = (self.shadow(left), self.shadow(right));
        let mut shadow = Vec::with_capacity(results.len());
        for (index, (leaf, result)) in operands.iter().zip(&results).enumerate() {
            let arguments = [
                self.emitter.small(kind | leaf.width << 8),
                self.node(left_nodes[index]),
                self.part(left, leaf),
                self.node(right_nodes[index]),
                self.part(right, leaf),
                self.part(instruction, result),
            ];
            shadow.push(self.hook(hook, &arguments));
        }
        self.set(instruction, shadow);
    }

    fn cast(&mut self, instruction: Value) {
        let operand = instruction.operand(0);
        if !self.may_be_symbolic(operand) {
            return;
        }
        let from = self.leaves(operand.type_of());
        let to = self.leaves(instruction.type_of());
        let wide = |leaves: &[Leaf]| leaves.iter().any(|leaf| leaf.width == 0);
        if from.len() != to.len() || wide(&from) || wide(&to) {
            return self.lost_operands(instruction, WIDE_OR_FLOAT);
        }
        let nodes = self.shadow(operand);
        let mut shadow = Vec::with_capacity(to.len());
        for ((before, after), node) in from.iter().zip(&to).zip(nodes) {
            if before.width == after.width {
                shadow.push(node);
                continue;
            }
            let kind = match instruction.opcode() {
                _ if after.width < before.width => 0,
                Opcode::LLVMSExt => 2,
                _ => 1,
            };
            let arguments = [
                self.emitter.small(kind),
                self.node(node),
                self.emitter.small(after.width),
                self.part(instruction, after),
            ];
            shadow.push(self.hook("__yester_cast", &arguments));
        }
        self.set(instruction, shadow);
    }

    /// The same bits under another type.
    fn same(&mut self, instruction: Value) {
        let operand = instruction.operand(0);
        if !self.may_be_symbolic(operand) {
            return;
        }
        let from = self.leaves(operand.type_of());
        let to = self.leaves(instruction.type_of());
        let widths = |leaves: &[Leaf]| leaves.iter().map(|leaf| leaf.width).collect::<Vec<_>>();
        if widths(&from) == widths(&to) {
            let shadow = self.shadow(operand);
            return self.set(instruction, shadow);
        }
        self.lost_operands(instruction, WIDE_OR_FLOAT);
    }

    fn select(&mut self, instruction: Value) {
        let [condition, first, second] = [0, 1, 2].map(|index| instruction.operand(index));
        if ![condition, first, second]
            .iter()
            .any(|&operand| self.may_be_symbolic(operand))
        {
            return;
        }
        let leaves = self.leaves(instruction.type_of());
        let scalar = condition.type_of().kind() == TypeKind::LLVMIntegerTypeKind;
        if !scalar || leaves.iter().any(|leaf| leaf.width == 0) {
            return self.lost_operands(instruction, WIDE_OR_FLOAT);
        }
        let (first_nodes, second_nodes) = (self.shadow(first), self.shadow(second));
        let node = self.single(condition);
        let mut shadow = Vec::with_capacity(leaves.len());
        for (index, leaf) in leaves.iter().enumerate() {
            let (first_node, second_node) = (
                self.node(first_nodes[index]),
                self.node(second_nodes[index]),
            );
            let arguments = [
                self.node(node),
                first_node,
                self.part(first, leaf),
                second_node,
                self.part(second, leaf),
                self.emitter.small(leaf.width),
                self.part(instruction, leaf),
                self.in_slow(|emitter| emitter.select(condition, first_node, second_node)),
            ];
            shadow.push(self.hook("__yester_select", &arguments));
        }
        self.set(instruction, shadow);
    }

    fn element(&mut self, instruction: Value) {
        let operands = instruction.operands();
        if !operands
            .iter()
            .any(|&operand| self.may_be_symbolic(operand))
        {
            return;
        }
        if instruction.type_of().kind() != TypeKind::LLVMPointerTypeKind {
            return self.lost_operands(instruction, "a vector of addresses");
        }
        let mut node = self.single(operands[0]);
        let mut address = self.word(operands[0]);
        let mut offset = 0_u64;
        let mut kind: Option<Type> = None;
        for &index in &operands[1..] {
            let within = kind.unwrap_or_else(|| instruction.element_source());
            let (next, scale) = match kind {
                None => (within, self.emitter.stride(within)),
                Some(structure) if structure.kind() == TypeKind::LLVMStructTypeKind => {
                    let field = index.integer().unwrap_or(0);
                    offset = offset.wrapping_add(self.emitter.offset(structure, field as u32));
                    kind = structure.part(field as u32);
                    continue;
                }
                Some(array) => (array.element(), self.emitter.stride(array.element())),
            };
            kind = Some(next);
            if let Some(constant) = index.integer() {
                let bits = index.type_of().bits();
                let signed = ((constant << (64 - bits)) as i64) >> (64 - bits);
                offset = offset.wrapping_add((signed as u64).wrapping_mul(scale));
                continue;
            }
            let scale = self.emitter.number(scale);
            let width = self.emitter.small(index.type_of().bits());
            let word = self.word(index);
            let index_node = self.single(index);
            let arguments = [
                self.node(node),
                address,
                self.node(index_node),
                word,
                width,
                scale,
            ];
            node = self.hook("__yester_element", &arguments);
            address = self.in_slow(|emitter| {
                let wide = emitter.signed(index);
                emitter.add(address, emitter.multiply(wide, scale))
            });
        }
        if offset != 0 {
            node = self.step(node, address, offset);
        }
        self.set(instruction, vec![node]);
    }

    /// The shadow of an address plus a constant.
    fn step(&mut self, node: Value, address: Value, offset: u64) -> Value {
        let arguments = [
            self.node(node),
            address,
            self.zero(),
            self.emitter.number(offset),
            self.emitter.small(64),
            self.emitter.number(1),
        ];
        self.hook("__yester_element", &arguments)
    }

    fn load(&mut self, instruction: Value) {
        let pointer = instruction.operand(0);
        let leaves = self.leaves(instruction.type_of());
        let is_followed = self.may_be_symbolic(pointer);
        let node = self.single(pointer);
        let known = self.object(pointer).filter(|_| is_followed);
        let mut shadow = Vec::new();
        for leaf in &leaves {
            self.watch(pointer, leaf.offset, leaf.size);
            if leaf.width == 0 {
                self.concretise(pointer, WIDE_IN_MEMORY);
                self.opaque(pointer, leaf.offset, leaf.size, WIDE_IN_MEMORY);
                shadow.push(self.zero());
                continue;
            }
            let (object, size) = match known {
                Some((object, size)) => (self.word(object), size),
                None => (self.emitter.number(0), 0),
            };
            let mut pointer_node = node;
            if is_followed {
                self.reads_memory();
                if leaf.offset != 0 {
                    let address = self.word(pointer);
                    pointer_node = self.step(node, address, leaf.offset);
                }
            }
            let word = self.part(instruction, leaf);
            let arguments = [
                self.at(pointer, leaf.offset),
                self.emitter.number(leaf.size),
                word,
                self.node(pointer_node),
                object,
                self.emitter.number(size),
            ];
            let mut loaded = self.hook("__yester_load", &arguments);
            if u64::from(leaf.width) != 8 * leaf.size {
                let arguments = [
                    self.emitter.small(0),
                    loaded,
                    self.emitter.small(leaf.width),
                    word,
                ];
                loaded = self.hook("__yester_cast", &arguments);
            }
            shadow.push(loaded);
        }
        self.set(instruction, shadow);
    }

    /// Memory is read in a way that is not modelled.
    fn opaque(&mut self, pointer: Value, offset: u64, size: u64, what: &str) {
        self.reads_memory();
        let arguments = [
            self.at(pointer, offset),
            self.emitter.number(size),
            self.symbolic.text(what),
        ];
        self.hook("__yester_concretise_memory", &arguments);
    }

    fn store(&mut self, instruction: Value) {
        self.before_write(instruction);
        let (value, pointer) = (instruction.operand(0), instruction.operand(1));
        let pointer_node = self.single(pointer);
        for (leaf, node) in self.leaves(value.type_of()).iter().zip(self.shadow(value)) {
            self.watch(pointer, leaf.offset, leaf.size);
            let arguments = [
                self.at(pointer, leaf.offset),
                self.emitter.number(leaf.size),
                self.node(node),
                self.node(pointer_node),
            ];
            self.hook("__yester_store", &arguments);
        }
    }

    fn switch(&mut self, instruction: Value) {
        let value = instruction.operand(0);
        if !self.may_be_symbolic(value) {
            return;
        }
        let cases: Vec<Value> = instruction.operands()[1..]
            .iter()
            .filter_map(|case| case.integer())
            .map(|case| self.emitter.number(case))
            .collect();
        let node = self.single(value);
        let arguments = [
            self.node(node),
            self.word(value),
            self.emitter.table(&cases),
            self.emitter.number(cases.len() as u64),
        ];
        self.hook("__yester_switch", &arguments);
    }

    fn atomic(&mut self, instruction: Value) {
        const WHAT: &str = "an atomic operation";
        self.lost_operands(instruction, WHAT);
        let pointer = instruction.operand(0);
        let size = self.emitter.size(instruction.operand(1).type_of());
        self.watch(pointer, 0, size);
        self.opaque(pointer, 0, size, WHAT);
        self.flush(instruction);
        self.watch(pointer, 0, size);
        let arguments = [
            self.word(pointer),
            self.emitter.number(size),
            self.zero(),
            self.zero(),
        ];
        self.hook("__yester_store", &arguments);
    }

    /// The leaves of a type below a path: the index of the first, and how many.
    fn range(&self, kind: Type, path: &[u32]) -> (usize, usize) {
        let all = self.leaves(kind);
        let inside: Vec<usize> = (0..all.len())
            .filter(|&index| all[index].path.starts_with(path))
            .collect();
        (inside.first().copied().unwrap_or(0), inside.len())
    }

    fn insert(&mut self, instruction: Value, path: &[u32]) {
        let (aggregate, value) = (instruction.operand(0), instruction.operand(1));
        if !self.may_be_symbolic(aggregate) && !self.may_be_symbolic(value) {
            return;
        }
        let (first, count) = self.range(instruction.type_of(), path);
        let part = self.shadow(value);
        if count == 0 || count != part.len() {
            return self.lost_operands(instruction, "a value with many parts");
        }
        let mut shadow = self.shadow(aggregate);
        shadow[first..first + count].copy_from_slice(&part);
        self.set(instruction, shadow);
    }

    fn shuffle(&mut self, instruction: Value) {
        let (one, other) = (instruction.operand(0), instruction.operand(1));
        if !self.may_be_symbolic(one) && !self.may_be_symbolic(other) {
            return;
        }
        let mut all = self.shadow(one);
        all.extend(self.shadow(other));
        let mask = instruction.mask();
        if self.leaves(instruction.type_of()).len() != mask.len() {
            return self.lost_operands(instruction, "a vector with many elements");
        }
        let shadow = mask
            .iter()
            .map(|&index| {
                usize::try_from(index)
                    .ok()
                    .and_then(|index| all.get(index).copied())
                    .unwrap_or_else(|| self.zero())
            })
            .collect();
        self.set(instruction, shadow);
    }
}
