//! Intrinsic functions of LLVM: memory copies, overflow checks, minimum and maximum, bit operations.

use yester_pathrt::format::Operation;

use super::function::FunctionInstrumenter;
use super::instruction::WIDE_OR_FLOAT;
use crate::ir::{TypeKind, Value};

const MOVED_MEMORY: &str = "the place or size of memory that is moved";
/// In bytes; for copies of a constant size up to this, the check for shadows is inlined.
const INLINE_COPY_LIMIT: u64 = 4096;

impl FunctionInstrumenter<'_> {
    /// Instruments a call of an intrinsic function.
    pub fn intrinsic(&mut self, call: Value, name: &str) {
        let Some(rest) = name.strip_prefix("llvm.") else {
            return;
        };
        let first = rest.split('.').next().unwrap_or_default();
        if self.float_intrinsic(call, first, rest) {
            return;
        }
        match first {
            "memcpy" | "memmove" => self.copy(call),
            "memset" => self.fill(call),
            "sadd" | "ssub" | "smul" | "uadd" | "usub" | "umul" => self.overflow(call, first, rest),
            "abs" => self.one(call, 0),
            "smin" => self.pair(call, 1),
            "smax" => self.pair(call, 2),
            "umin" => self.pair(call, 3),
            "umax" => self.pair(call, 4),
            "bswap" => self.one(call, 5),
            "bitreverse" => self.one(call, 6),
            "ctpop" => self.one(call, 7),
            "ctlz" => self.one(call, 8),
            "cttz" => self.one(call, 9),
            "fshl" | "fshr" => self.funnel(call, first),
            "expect" | "launder" | "strip" | "annotation" | "ptr" | "ssa" => {
                let shadow = self.shadow(call.operand(0));
                if shadow.len() == self.leaves(call.type_of()).len() {
                    self.set(call, shadow);
                }
            }
            "va_start" => {
                if let Some(room) = self.variadic {
                    self.flush(call);
                    let fixed = self.function.parameters().len() as u64;
                    self.behind(call);
                    let fixed = self.emitter.number(fixed);
                    self.emitter
                        .call("__yester_list", &[call.operand(0), room, fixed]);
                }
            }
            "va_copy" => self.copied(call, call.operand(0), call.operand(1), 24),
            // These ask for another rounding than the usual one.
            "experimental" if rest.contains("constrained") => {
                self.lost_operands(call, WIDE_OR_FLOAT);
            }
            "dbg" | "lifetime" | "assume" | "va_end" | "stacksave" | "stackrestore" | "trap"
            | "debugtrap" | "eh" | "prefetch" | "invariant" | "donothing" | "experimental"
            | "threadlocal" | "objectsize" | "is" | "frameaddress" | "returnaddress" => {}
            _ => self.lost_operands(call, "an intrinsic function that is not modelled"),
        }
    }

    fn copy(&mut self, call: Value) {
        for index in 0..3 {
            self.concretise(call.operand(index), MOVED_MEMORY);
        }
        let (to, from) = (call.operand(0), call.operand(1));
        match call.operand(2).integer() {
            Some(size) if size <= INLINE_COPY_LIMIT => self.copied(call, to, from, size),
            _ => {
                self.flush(call);
                self.behind(call);
                let (to, from) = (self.emitter.word(to), self.emitter.word(from));
                let size = self.emitter.word(call.operand(2));
                self.emitter.call("__yester_copy", &[to, from, size]);
            }
        }
    }

    /// A copy of no more than a page.
    fn copied(&mut self, call: Value, to: Value, from: Value, size: u64) {
        self.before_write(call);
        self.watch(to, 0, size);
        self.watch(from, 0, size);
        let arguments = [self.word(to), self.word(from), self.emitter.number(size)];
        self.hook("__yester_copy", &arguments);
    }

    fn fill(&mut self, call: Value) {
        for index in [0, 2] {
            self.concretise(call.operand(index), MOVED_MEMORY);
        }
        let to = call.operand(0);
        let node = self.single(call.operand(1));
        match call.operand(2).integer() {
            Some(size) if size <= INLINE_COPY_LIMIT => {
                self.before_write(call);
                self.watch(to, 0, size);
                let arguments = [self.word(to), self.node(node), self.emitter.number(size)];
                self.hook("__yester_fill", &arguments);
            }
            _ => {
                self.flush(call);
                let node = self.outside(node);
                self.behind(call);
                let to = self.emitter.word(to);
                let size = self.emitter.word(call.operand(2));
                self.emitter.call("__yester_fill", &[to, node, size]);
            }
        }
    }

    /// `rest` is for example `sadd.with.overflow.i32` or `sadd.sat.i32`.
    fn overflow(&mut self, call: Value, first: &str, rest: &str) {
        let (left, right) = (call.operand(0), call.operand(1));
        if !self.may_be_symbolic(left) && !self.may_be_symbolic(right) {
            return;
        }
        let is_single =
            left.type_of().kind() == TypeKind::LLVMIntegerTypeKind && left.type_of().bits() <= 64;
        if !rest.contains("with.overflow") || !is_single {
            return self.lost_operands(call, "an intrinsic function that is not modelled");
        }
        let (operation, kind) = match &first[1..] {
            "add" => (Operation::Add, 0),
            "sub" => (Operation::Subtract, 1),
            _ => (Operation::Multiply, 2),
        };
        let kind = if first.starts_with('u') {
            kind + 4
        } else {
            kind
        };
        let width = left.type_of().bits();
        let (left_node, right_node) = (self.single(left), self.single(right));
        let (left_node, right_node) = (self.node(left_node), self.node(right_node));
        let (left, right) = (self.word(left), self.word(right));
        let (sum, flag) = self.in_slow(|emitter| {
            let part = |index| emitter.word(emitter.part(call, &[index]));
            (part(0), part(1))
        });
        let number = |kind: u32| kind | width << 8;
        let mut arguments = [
            self.emitter.small(number(operation as u32)),
            left_node,
            left,
            right_node,
            right,
            sum,
        ];
        let value = self.hook("__yester_binary", &arguments);
        arguments[0] = self.emitter.small(number(kind));
        arguments[5] = flag;
        let overflow = self.hook("__yester_overflow", &arguments);
        self.set(call, vec![value, overflow]);
    }

    fn one(&mut self, call: Value, kind: u32) {
        let operand = call.operand(0);
        self.two("__yester_intrinsic", kind, call, operand, operand);
    }

    fn pair(&mut self, call: Value, kind: u32) {
        self.two(
            "__yester_intrinsic",
            kind,
            call,
            call.operand(0),
            call.operand(1),
        );
    }

    fn funnel(&mut self, call: Value, first: &str) {
        let operands = [0, 1, 2].map(|index| call.operand(index));
        if !operands
            .iter()
            .any(|&operand| self.may_be_symbolic(operand))
        {
            return;
        }
        if call.type_of().kind() != TypeKind::LLVMIntegerTypeKind || call.type_of().bits() > 64 {
            return self.lost_operands(call, "an intrinsic function that is not modelled");
        }
        let kind = u32::from(first == "fshr") | call.type_of().bits() << 8;
        let mut arguments = vec![self.emitter.small(kind)];
        for operand in operands {
            let node = self.single(operand);
            arguments.push(self.node(node));
            arguments.push(self.word(operand));
        }
        arguments.push(self.word(call));
        let node = self.hook("__yester_funnel", &arguments);
        self.set(call, vec![node]);
    }
}
