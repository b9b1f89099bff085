//! Floating point. What is computed from one integer and constants by steps that keep or turn the order, such as an average or a
//! decimal number, is compared with a constant by comparing the integer: each step is hard for a solver.

use super::super::float;
use super::super::graph::NodeGraph;
use super::super::value;
use crate::format::{Operation, not_a_number};

/// The most steps between an integer and what is compared.
const MOST_STEPS: usize = 16;

/// An integer and the steps to a floating point number that is computed from it, the last first. No result is NaN.
struct Chain {
    integer: u32,
    is_signed: bool,
    steps: [u32; MOST_STEPS],
    count: usize,
}

/// Where something holds of integers, by their places in their order.
enum Border {
    Always,
    Never,
    Below(u64),
    From(u64),
}

impl NodeGraph {
    /// Arithmetic or a comparison; not both operands are constants.
    pub(super) fn float(&mut self, operation: Operation, a: u32, b: u32) -> u32 {
        let width = self.width(a);
        let is_nan = |graph: &NodeGraph, node| {
            let value = graph.constant_value(node);
            value.is_some_and(|value| float::is_nan(value, width))
        };
        if is_nan(self, a) || is_nan(self, b) {
            return if operation.compares() {
                self.truth(false)
            } else {
                self.constant(width, not_a_number(width))
            };
        }
        if let Some(node) = self.float_by_choice(operation, a, b) {
            return node;
        }
        if operation.compares() {
            return self.float_comparison(operation, a, b);
        }
        let commutes = matches!(operation, Operation::FloatAdd | Operation::FloatMultiply);
        if commutes && (self.is_constant(a) || (a > b && !self.is_constant(b))) {
            return self.plain(operation, b, a);
        }
        self.plain(operation, a, b)
    }

    /// An operation on one value. `rounding` is for [`Operation::FloatRound`] only.
    pub fn float_unary(&mut self, operation: Operation, a: u32, width: u32, rounding: u32) -> u32 {
        if a == 0 {
            return 0;
        }
        let from = self.width(a);
        let value = float::unary(operation, rounding, from, width, self.value(a));
        let parts = self.node(a);
        match self.operation(a) {
            Operation::Constant => return self.constant(width, value),
            Operation::Choose if self.leaves(a) > 0 || self.is_choice_of_chains(a) => {
                let first = self.float_unary(operation, parts.b, width, rounding);
                let second = self.float_unary(operation, parts.c, width, rounding);
                return self.choose(parts.a, first, second);
            }
            // The integer itself, in as few bits as it has.
            Operation::SignExtend if operation == Operation::FloatFromSigned => {
                return self.float_unary(operation, parts.a, width, 0);
            }
            Operation::ZeroExtend
                if matches!(
                    operation,
                    Operation::FloatFromSigned | Operation::FloatFromUnsigned
                ) =>
            {
                return self.float_unary(Operation::FloatFromUnsigned, parts.a, width, 0);
            }
            _ => {}
        }
        self.make(operation, width, (a, rounding, 0), value)
    }

    /// The number with the other sign.
    pub fn float_negate(&mut self, a: u32) -> u32 {
        if a == 0 {
            return 0;
        }
        let width = self.width(a);
        let parts = self.node(a);
        if self.is_choice_of_chains(a) {
            let (first, second) = (self.float_negate(parts.b), self.float_negate(parts.c));
            return self.choose(parts.a, first, second);
        }
        let sign = self.constant(width, float::sign(width));
        self.binary(Operation::ExclusiveOr, a, sign)
    }

    /// The number without its sign.
    pub fn float_absolute(&mut self, a: u32) -> u32 {
        if a == 0 {
            return 0;
        }
        let width = self.width(a);
        let mask = self.constant(width, float::sign(width) - 1);
        self.binary(Operation::And, a, mask)
    }

    /// Whether a number is none.
    pub fn float_is_nan(&mut self, a: u32) -> u32 {
        let is = self.binary(Operation::FloatEqual, a, a);
        self.not(is)
    }

    /// An operation with a constant on a choice, applied to both sides if each can be compared as an integer.
    fn float_by_choice(&mut self, operation: Operation, a: u32, b: u32) -> Option<u32> {
        let (tree, left_is_tree) = if self.is_constant(b) && self.is_choice_of_chains(a) {
            (self.node(a), true)
        } else if self.is_constant(a) && self.is_choice_of_chains(b) {
            (self.node(b), false)
        } else {
            return None;
        };
        let [first, second] = [tree.b, tree.c].map(|side| {
            if left_is_tree {
                self.binary(operation, side, b)
            } else {
                self.binary(operation, a, side)
            }
        });
        Some(self.choose(tree.a, first, second))
    }

    fn is_choice_of_chains(&self, node: u32) -> bool {
        if self.operation(node) != Operation::Choose {
            return false;
        }
        let parts = self.node(node);
        let is_simple = |side| self.is_constant(side) || self.chain(side).is_some();
        is_simple(parts.b) && is_simple(parts.c)
    }

    fn float_comparison(&mut self, operation: Operation, a: u32, b: u32) -> u32 {
        if a == b {
            if operation == Operation::FloatLess {
                return self.truth(false);
            }
            if self.chain(a).is_some() {
                return self.truth(true);
            }
            return self.plain(operation, a, b);
        }
        let (chain, is_left) = match (self.is_constant(a), self.is_constant(b)) {
            (false, true) => (self.chain(a), true),
            (true, false) => (self.chain(b), false),
            _ => (None, false),
        };
        let Some(chain) = chain else {
            if operation == Operation::FloatEqual && (self.is_constant(a) || a > b) {
                return self.plain(operation, b, a);
            }
            return self.plain(operation, a, b);
        };
        let constant = self.value(if is_left { b } else { a });
        if operation == Operation::FloatEqual {
            let end = self.width(a);
            let less = |a, b| float::binary(Operation::FloatLess, end, a, b) == 1;
            let below = |result| less(result, constant);
            let above = |result| less(constant, result);
            return self.where_neither(&chain, &below, &above);
        }
        self.by_integer(&chain, operation, constant, is_left)
    }

    /// Finds the chain that ends with a node.
    fn chain(&self, node: u32) -> Option<Chain> {
        let mut chain = Chain {
            integer: 0,
            is_signed: false,
            steps: [0; MOST_STEPS],
            count: 0,
        };
        let mut node = node;
        loop {
            if chain.count == MOST_STEPS {
                return None;
            }
            chain.steps[chain.count] = node;
            chain.count += 1;
            let parts = self.node(node);
            let width = self.width(node);
            let operation = self.operation(node);
            let constant = |part: u32| {
                let value = self.constant_value(part);
                value.filter(|value| float::is_finite(*value, width))
            };
            // Infinity times zero is NaN, and so is what is divided by zero if it is zero itself.
            let is_zero = |value: u64| value & !float::sign(width) == 0;
            node = match operation {
                Operation::FloatFromSigned | Operation::FloatFromUnsigned => {
                    chain.integer = parts.a;
                    chain.is_signed = operation == Operation::FloatFromSigned;
                    return Some(chain);
                }
                Operation::FloatConvert | Operation::FloatRound => parts.a,
                Operation::FloatAdd | Operation::FloatSubtract => {
                    match (constant(parts.a), constant(parts.b)) {
                        (None, Some(_)) => parts.a,
                        (Some(_), None) => parts.b,
                        _ => return None,
                    }
                }
                Operation::FloatMultiply | Operation::FloatDivide => {
                    constant(parts.b).filter(|value| !is_zero(*value))?;
                    parts.a
                }
                // Another sign.
                Operation::ExclusiveOr
                    if self.constant_value(parts.b) == Some(float::sign(width)) =>
                {
                    parts.a
                }
                _ => return None,
            };
        }
    }

    /// What a chain computes from another integer.
    fn chain_value(&self, chain: &Chain, integer: u64) -> u64 {
        let mut result = integer;
        for &step in chain.steps[..chain.count].iter().rev() {
            let parts = self.node(step);
            let width = self.width(step);
            let operation = self.operation(step);
            result = match operation {
                Operation::FloatFromSigned
                | Operation::FloatFromUnsigned
                | Operation::FloatConvert
                | Operation::FloatRound => {
                    let from = self.width(parts.a);
                    float::unary(operation, parts.b, from, width, result)
                }
                _ => match self.constant_value(parts.b) {
                    Some(constant) => value::binary(operation, width, result, constant),
                    None => value::binary(operation, width, self.value(parts.a), result),
                },
            };
        }
        result
    }

    /// Compares the end of a chain with a constant, `is_left` if the chain is on the left.
    fn by_integer(
        &mut self,
        chain: &Chain,
        operation: Operation,
        constant: u64,
        is_left: bool,
    ) -> u32 {
        let end = self.width(chain.steps[0]);
        self.where_holds(chain, |result| {
            let (a, b) = if is_left {
                (result, constant)
            } else {
                (constant, result)
            };
            float::binary(operation, end, a, b) == 1
        })
    }

    /// Compares a number that was made an integer with a constant, `is_left` if the integer is on the left. None if the number is not
    /// computed from one integer, or may not fit.
    pub(super) fn compare_truncated(
        &mut self,
        operation: Operation,
        node: u32,
        constant: u64,
        is_left: bool,
    ) -> Option<u32> {
        let chain = self.chain(self.node(node).a)?;
        let (from, width) = (self.width(chain.steps[0]), self.width(node));
        let integer = |number| float::unary(Operation::FloatToSigned, 0, from, width, number);
        let ends = [0, value::truncate(u64::MAX, self.width(chain.integer))];
        let fits = ends.into_iter().all(|place| {
            let number = self.chain_value(&chain, place ^ self.turn(&chain));
            integer(number) != float::sign(width)
        });
        if !fits {
            return None;
        }
        let less = |a, b| value::binary(Operation::LessSigned, width, a, b) == 1;
        if operation == Operation::Equal {
            let below = |number| less(integer(number), constant);
            let above = |number| less(constant, integer(number));
            return Some(self.where_neither(&chain, &below, &above));
        }
        Some(self.where_holds(&chain, |number| {
            let (a, b) = if is_left {
                (integer(number), constant)
            } else {
                (constant, integer(number))
            };
            value::binary(operation, width, a, b) == 1
        }))
    }

    /// What turns a place in the order of a chain's integers into an integer: signed ones are in the order of the numbers with the
    /// highest bit turned.
    fn turn(&self, chain: &Chain) -> u64 {
        if chain.is_signed {
            float::sign(self.width(chain.integer))
        } else {
            0
        }
    }

    /// Where something changes that holds of all numbers up to one, or from one on. Since every step keeps or turns the order, so
    /// it does of the places of the integers.
    fn border(&self, chain: &Chain, holds: impl Fn(u64) -> bool) -> Border {
        let turn = self.turn(chain);
        let (mut low, mut high) = (0, value::truncate(u64::MAX, self.width(chain.integer)));
        let at = |place: u64| holds(self.chain_value(chain, place ^ turn));
        let at_start = at(low);
        if at(high) == at_start {
            return if at_start {
                Border::Always
            } else {
                Border::Never
            };
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if at(middle) == at_start {
                low = middle;
            } else {
                high = middle;
            }
        }
        if at_start {
            Border::Below(high)
        } else {
            Border::From(high)
        }
    }

    /// Whether the integer of a chain is on one side of a border.
    fn where_holds(&mut self, chain: &Chain, holds: impl Fn(u64) -> bool) -> u32 {
        match self.border(chain, holds) {
            Border::Always => self.truth(true),
            Border::Never => self.truth(false),
            Border::Below(place) => self.is_below(chain, place),
            Border::From(place) => {
                let below = self.is_below(chain, place);
                self.not(below)
            }
        }
    }

    /// Whether the integer of a chain is at a place where neither of two things holds, each on one side of a border.
    fn where_neither(
        &mut self,
        chain: &Chain,
        one: &dyn Fn(u64) -> bool,
        other: &dyn Fn(u64) -> bool,
    ) -> u32 {
        let (mut first, mut last) = (0, value::truncate(u64::MAX, self.width(chain.integer)));
        for holds in [one, other] {
            match self.border(chain, holds) {
                Border::Always => return self.truth(false),
                Border::Never => {}
                Border::Below(place) => first = first.max(place),
                Border::From(place) => last = last.min(place - 1),
            }
        }
        if first >= last {
            let turn = self.turn(chain);
            return if first == last {
                self.is(chain.integer, first ^ turn)
            } else {
                self.truth(false)
            };
        }
        let below = self.is_below(chain, first);
        let reaches = self.not(below);
        if last == value::truncate(u64::MAX, self.width(chain.integer)) {
            return reaches;
        }
        let within = self.is_below(chain, last + 1);
        self.both(reaches, within)
    }

    fn is_below(&mut self, chain: &Chain, place: u64) -> u32 {
        let border = place ^ self.turn(chain);
        let border = self.constant(self.width(chain.integer), border);
        let less = if chain.is_signed {
            Operation::LessSigned
        } else {
            Operation::LessUnsigned
        };
        self.binary(less, chain.integer, border)
    }
}
