//! Intrinsic functions of LLVM: memory copies, overflow checks, minimum and maximum, bit operations.

use yester_pathrt::format::Operation;

use super::function::FunctionInstrumenter;
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
                self.behind(call);
                let list = call.operand(0);
                if let Some(room) = self.variadic {
                    let fixed = self.function.parameters().len() as u64;
                    let fixed = self.emitter.number(fixed);
                    self.emitter.call("yester.call.list", &[list, room, fixed]);
                }
            }
            "va_copy" => {
                self.behind(call);
                let (to, from) = (
                    self.emitter.word(call.operand(0)),
                    self.emitter.word(call.operand(1)),
                );
                self.emitter
                    .call("yester.copy", &[to, from, self.emitter.number(24)]);
            }
            "dbg" | "lifetime" | "assume" | "va_end" | "stacksave" | "stackrestore" | "trap"
            | "debugtrap" | "eh" | "prefetch" | "invariant" | "donothing" | "experimental"
            | "threadlocal" | "objectsize" | "is" | "frameaddress" | "returnaddress" => {}
            _ => self.lost_operands(call, "an intrinsic function that is not modelled"),
        }
    }

    fn copy(&self, call: Value) {
        self.emitter.before(call);
        for index in 0..3 {
            self.concretise(call.operand(index), MOVED_MEMORY);
        }
        self.behind(call);
        let (to, from) = (
            self.emitter.word(call.operand(0)),
            self.emitter.word(call.operand(1)),
        );
        let size = self.emitter.word(call.operand(2));
        let small = call
            .operand(2)
            .integer()
            .is_some_and(|size| size <= INLINE_COPY_LIMIT);
        let helper = if small {
            "yester.copy"
        } else {
            "yester.call.copy"
        };
        self.emitter.call(helper, &[to, from, size]);
    }

    fn fill(&self, call: Value) {
        self.emitter.before(call);
        for index in [0, 2] {
            self.concretise(call.operand(index), MOVED_MEMORY);
        }
        self.behind(call);
        let to = self.emitter.word(call.operand(0));
        let node = self.single(call.operand(1));
        let size = self.emitter.word(call.operand(2));
        self.emitter.call("yester.call.fill", &[to, node, size]);
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
        self.behind(call);
        let width = left.type_of().bits();
        let (left_node, right_node) = (self.single(left), self.single(right));
        let (left, right) = (self.emitter.word(left), self.emitter.word(right));
        let sum = self.emitter.word(self.emitter.part(call, &[0]));
        let flag = self.emitter.word(self.emitter.part(call, &[1]));
        let number = |kind: u32| self.emitter.small(kind | width << 8);
        let value = self.emitter.call(
            "yester.binary",
            &[
                number(operation as u32),
                left_node,
                left,
                right_node,
                right,
                sum,
            ],
        );
        let overflow = self.emitter.call(
            "yester.overflow",
            &[number(kind), left_node, left, right_node, right, flag],
        );
        self.set(call, vec![value, overflow]);
    }

    fn one(&mut self, call: Value, kind: u32) {
        let operand = call.operand(0);
        self.two("yester.intrinsic", kind, call, operand, operand);
    }

    fn pair(&mut self, call: Value, kind: u32) {
        self.two(
            "yester.intrinsic",
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
        self.behind(call);
        let kind = u32::from(first == "fshr") | call.type_of().bits() << 8;
        let mut arguments = vec![self.emitter.small(kind)];
        for operand in operands {
            arguments.push(self.single(operand));
            arguments.push(self.emitter.word(operand));
        }
        arguments.push(self.emitter.word(call));
        let node = self.emitter.call("yester.funnel", &arguments);
        self.set(call, vec![node]);
    }
}
