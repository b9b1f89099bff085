//! Instruments all instructions but calls.

use yester_pathrt::format::Operation;

use super::function::FunctionInstrumenter;
use super::leaf::Leaf;
use crate::ir::{Opcode, Type, TypeKind, Value};

const WIDE_OR_FLOAT: &str = "an operation on floating point numbers or on more than 64 bits";
const FLOAT_IN_MEMORY: &str = "a floating point number or one of more than 64 bits in memory";

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
                "yester.binary",
                operation as u32,
                instruction,
                instruction.operand(0),
                instruction.operand(1),
            );
        }
        match opcode {
            Opcode::LLVMICmp => self.two(
                "yester.compare",
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
                    self.emitter.before(instruction);
                    let taken = self.emitter.truth(condition);
                    let node = self.single(condition);
                    self.emitter.call("yester.branch", &[node, taken]);
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
    pub fn lost_operands(&self, instruction: Value, what: &str) {
        self.emitter.before(instruction);
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
    pub fn two(&mut self, helper: &str, kind: u32, instruction: Value, left: Value, right: Value) {
        if !self.may_be_symbolic(left) && !self.may_be_symbolic(right) {
            return;
        }
        let operands = self.leaves(left.type_of());
        let results = self.leaves(instruction.type_of());
        if results.len() != operands.len() || operands.iter().any(|leaf| leaf.width == 0) {
            return self.lost_operands(instruction, WIDE_OR_FLOAT);
        }
        self.behind(instruction);
        let (left_nodes, right_nodes) = (self.shadow(left), self.shadow(right));
        let shadow = operands
            .iter()
            .zip(&results)
            .enumerate()
            .map(|(index, (leaf, result))| {
                let kind = self.emitter.small(kind | leaf.width << 8);
                let arguments = [
                    kind,
                    left_nodes[index],
                    self.word(left, leaf),
                    right_nodes[index],
                    self.word(right, leaf),
                    self.word(instruction, result),
                ];
                self.emitter.call(helper, &arguments)
            })
            .collect();
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
        self.behind(instruction);
        let nodes = self.shadow(operand);
        let shadow = from
            .iter()
            .zip(&to)
            .zip(nodes)
            .map(|((before, after), node)| {
                if before.width == after.width {
                    return node;
                }
                let kind = match instruction.opcode() {
                    _ if after.width < before.width => 0,
                    Opcode::LLVMSExt => 2,
                    _ => 1,
                };
                let arguments = [
                    self.emitter.small(kind),
                    node,
                    self.emitter.small(after.width),
                    self.word(instruction, after),
                ];
                self.emitter.call("yester.cast", &arguments)
            })
            .collect();
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
        self.behind(instruction);
        let (first_nodes, second_nodes) = (self.shadow(first), self.shadow(second));
        let node = self.single(condition);
        let shadow = leaves
            .iter()
            .enumerate()
            .map(|(index, leaf)| {
                let plain = self
                    .emitter
                    .select(condition, first_nodes[index], second_nodes[index]);
                let arguments = [
                    node,
                    first_nodes[index],
                    self.word(first, leaf),
                    second_nodes[index],
                    self.word(second, leaf),
                    self.emitter.small(leaf.width),
                    self.word(instruction, leaf),
                    plain,
                ];
                self.emitter.call("yester.select", &arguments)
            })
            .collect();
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
        self.behind(instruction);
        let mut node = self.single(operands[0]);
        let mut address = self.emitter.word(operands[0]);
        let mut offset = 0_u64;
        let mut kind: Option<Type> = None;
        for &index in &operands[1..] {
            let within = kind.unwrap_or_else(|| instruction.element_source());
            let (next, scale) = match kind {
                None => (within, self.emitter.stride(within)),
                Some(structure) if structure.kind() == TypeKind::LLVMStructTypeKind => {
                    let field = index.integer().unwrap_or(0);
                    offset = offset.wrapping_add(self.emitter.offset(structure, field as u32));
                    let parts = structure.parts(usize::MAX).unwrap_or_default();
                    kind = parts.get(field as usize).copied();
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
            let word = self.emitter.word(index);
            node = self.emitter.call(
                "yester.element",
                &[node, address, self.single(index), word, width, scale],
            );
            let wide = self.emitter.signed(index);
            address = self
                .emitter
                .add(address, self.emitter.multiply(wide, scale));
        }
        if offset != 0 {
            let arguments = [
                node,
                address,
                self.zero(),
                self.emitter.number(offset),
                self.emitter.small(64),
                self.emitter.number(1),
            ];
            node = self.emitter.call("yester.element", &arguments);
        }
        self.set(instruction, vec![node]);
    }

    fn load(&mut self, instruction: Value) {
        let pointer = instruction.operand(0);
        let leaves = self.leaves(instruction.type_of());
        self.behind(instruction);
        let address = self.emitter.word(pointer);
        let node = self.single(pointer);
        let (object, size) = if self.may_be_symbolic(pointer) {
            self.object(pointer)
                .map_or((self.emitter.number(0), 0), |(object, size)| {
                    (self.emitter.word(object), size)
                })
        } else {
            (self.emitter.number(0), 0)
        };
        let mut shadow = Vec::new();
        for leaf in &leaves {
            let place = self.at(address, leaf.offset);
            if leaf.width == 0 {
                self.concretise(pointer, FLOAT_IN_MEMORY);
                let what = self.symbolic.text(FLOAT_IN_MEMORY);
                self.emitter.call(
                    "yester.opaque",
                    &[place, self.emitter.number(leaf.size), what],
                );
                shadow.push(self.zero());
                continue;
            }
            let leaf_node = if leaf.offset == 0 || !self.may_be_symbolic(pointer) {
                node
            } else {
                let arguments = [
                    node,
                    address,
                    self.zero(),
                    self.emitter.number(leaf.offset),
                    self.emitter.small(64),
                    self.emitter.number(1),
                ];
                self.emitter.call("yester.element", &arguments)
            };
            let word = self.word(instruction, leaf);
            let arguments = [
                place,
                self.emitter.number(leaf.size),
                word,
                leaf_node,
                object,
                self.emitter.number(size),
            ];
            let mut loaded = self.emitter.call("yester.load", &arguments);
            if u64::from(leaf.width) != 8 * leaf.size {
                let arguments = [
                    self.emitter.small(0),
                    loaded,
                    self.emitter.small(leaf.width),
                    word,
                ];
                loaded = self.emitter.call("yester.cast", &arguments);
            }
            shadow.push(loaded);
        }
        self.set(instruction, shadow);
    }

    /// An address plus an offset.
    pub fn at(&self, address: Value, offset: u64) -> Value {
        if offset == 0 {
            return address;
        }
        self.emitter.add(address, self.emitter.number(offset))
    }

    fn store(&self, instruction: Value) {
        let (value, pointer) = (instruction.operand(0), instruction.operand(1));
        self.behind(instruction);
        let address = self.emitter.word(pointer);
        let pointer_node = self.single(pointer);
        for (leaf, node) in self.leaves(value.type_of()).iter().zip(self.shadow(value)) {
            let arguments = [
                self.at(address, leaf.offset),
                self.emitter.number(leaf.size),
                node,
                pointer_node,
            ];
            self.emitter.call("yester.store", &arguments);
        }
    }

    fn switch(&self, instruction: Value) {
        let value = instruction.operand(0);
        if !self.may_be_symbolic(value) {
            return;
        }
        self.emitter.before(instruction);
        let cases: Vec<Value> = instruction.operands()[1..]
            .iter()
            .filter_map(|case| case.integer())
            .map(|case| self.emitter.number(case))
            .collect();
        let table = self.emitter.table(&cases);
        let arguments = [
            self.single(value),
            self.emitter.word(value),
            table,
            self.emitter.number(cases.len() as u64),
        ];
        self.emitter.call("yester.switch", &arguments);
    }

    fn atomic(&self, instruction: Value) {
        const WHAT: &str = "an atomic operation";
        self.lost_operands(instruction, WHAT);
        let address = self.emitter.word(instruction.operand(0));
        let size = self
            .emitter
            .number(self.emitter.size(instruction.operand(1).type_of()));
        let what = self.symbolic.text(WHAT);
        self.emitter.call("yester.opaque", &[address, size, what]);
        self.behind(instruction);
        let arguments = [address, size, self.zero(), self.zero()];
        self.emitter.call("yester.store", &arguments);
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
