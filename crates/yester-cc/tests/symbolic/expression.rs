//! Random expressions of C over input bytes: what is recorded is true, and the program prints what it prints without us.

use std::fmt::Write;

use proptest::prelude::*;

use crate::laboratory::{Input, Laboratory};

const TYPES: [&str; 8] = [
    "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
];
const OPERATORS: [&str; 16] = [
    "+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "<<", ">>",
];

/// Makes a program out of random bytes; when they are used up everything becomes simple.
struct Writer<'a> {
    tape: std::slice::Iter<'a, u8>,
    variables: usize,
}

impl Writer<'_> {
    fn pick(&mut self, count: usize) -> usize {
        usize::from(self.tape.next().copied().unwrap_or(0)) % count
    }

    fn expression(&mut self, depth: usize) -> String {
        let choice = if depth == 0 { 0 } else { self.pick(10) };
        match choice {
            0 | 1 => match self.pick(3) {
                0 => format!("in[{}]", self.pick(8)),
                1 if self.variables > 0 => format!("v{}", self.pick(self.variables)),
                _ => {
                    let value = self.pick(256) * self.pick(256) + self.pick(256);
                    let suffix = ["", "u", "ll", "ull"][self.pick(4)];
                    format!("{value}{suffix}")
                }
            },
            2 => {
                let kind = TYPES[self.pick(8)];
                format!("(({kind}){})", self.expression(depth - 1))
            }
            3 => {
                let operator = ["-", "~", "!"][self.pick(3)];
                format!("({operator}({}))", self.expression(depth - 1))
            }
            4 => {
                let (divides, a, b) = (
                    ["QUOTIENT", "REMAINDER"][self.pick(2)],
                    self.expression(depth - 1),
                    self.expression(depth - 1),
                );
                format!("{divides}({}, {a}, {b})", TYPES[self.pick(8)])
            }
            5 => format!(
                "({} ? {} : {})",
                self.expression(depth - 1),
                self.expression(depth - 1),
                self.expression(depth - 1)
            ),
            6 => {
                let kind = TYPES[self.pick(8)];
                format!(
                    "(table_{kind}[(uint8_t)({}) & 15])",
                    self.expression(depth - 1)
                )
            }
            _ => {
                let operator = OPERATORS[self.pick(16)];
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                if operator.contains("<<") || operator.contains(">>") {
                    let kind = TYPES[self.pick(8)];
                    return format!("(({kind})({a}) {operator} (({b}) & 7))");
                }
                format!("(({a}) {operator} ({b}))")
            }
        }
    }

    fn program(&mut self) -> String {
        let mut text = String::from(
            "#include <stdint.h>\n#include <stdio.h>\n\
             #define QUOTIENT(t, a, b) ((t)((t)(b) == 0 || (t)(b) == (t)-1 ? (a) : (t)(a) / (t)(b)))\n\
             #define REMAINDER(t, a, b) ((t)((t)(b) == 0 || (t)(b) == (t)-1 ? (a) : (t)(a) % (t)(b)))\n",
        );
        for kind in TYPES {
            writeln!(
                text,
                "static const {kind} table_{kind}[16] = {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}};"
            )
            .expect("a text");
        }
        text.push_str("int main(void) {\n  unsigned char in[8];\n  if (fread(in, 1, 8, stdin) != 8) return 1;\n");
        while !self.tape.as_slice().is_empty() && self.variables < 12 {
            let kind = TYPES[self.pick(8)];
            let value = self.expression(4);
            let index = self.variables;
            let limit = self.pick(256);
            writeln!(text, "  {kind} v{index} = {value};").expect("a text");
            writeln!(
                text,
                "  if (v{index} > {limit}) puts(\"more\"); else if (v{index}) puts(\"some\");"
            )
            .expect("a text");
            writeln!(text, "  printf(\"%lld\\n\", (long long)v{index});").expect("a text");
            self.variables += 1;
        }
        text.push_str("  return 0;\n}\n");
        text
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_recorded_condition_of_random_expressions_is_true(
        tape in prop::collection::vec(any::<u8>(), 40..400),
        input in prop::array::uniform8(any::<u8>()),
    ) {
        let program = Writer { tape: tape.iter(), variables: 0 }.program();
        let laboratory = Laboratory::with_language(&program, "c", &["-fwrapv"]);
        let input = Input { stdin: input.to_vec(), ..Input::default() };
        let (output, recording) = laboratory.record(&input);
        prop_assert_eq!(output.stdout, laboratory.plain(&input).stdout);
        prop_assert!(recording.lost.is_empty(), "{:?}\n{}", recording.lost, program);
    }
}
