//! Random computations with floating point numbers: for every other input that takes the same path, the expressions say what the
//! program computes.

use std::fmt::Write;

use proptest::prelude::*;

use crate::decimal::{LENGTH, agrees_for, input as stdin};
use crate::laboratory::Laboratory;

/// How many results a program writes.
const RESULTS: usize = 4;

/// Makes expressions out of random bytes; when they are used up everything becomes simple.
struct Writer<'a> {
    tape: std::slice::Iter<'a, u8>,
}

impl Writer<'_> {
    fn pick(&mut self, count: usize) -> usize {
        usize::from(self.tape.next().copied().unwrap_or(0)) % count
    }

    /// An expression of a type: 0 for `float`, 1 for `double`.
    fn number(&mut self, kind: usize, depth: usize) -> String {
        let (name, letter) = [("float", "f"), ("double", "")][kind];
        let choice = if depth == 0 {
            self.pick(3)
        } else {
            self.pick(12)
        };
        match choice {
            0 => format!("({name})in[{}]", self.pick(LENGTH)),
            1 => format!("({name})(int8_t)in[{}]", self.pick(LENGTH)),
            2 => {
                let constants = ["0.5", "3.0", "-1.25", "0.1", "100.0", "7e10", "0.0", "1e-3"];
                format!("{}{letter}", constants[self.pick(8)])
            }
            3 => format!("({name})({})", self.number(1 - kind, depth - 1)),
            4 => format!("({name})({})", self.integer(depth - 1)),
            5 => format!("-({})", self.number(kind, depth - 1)),
            6 => {
                let function = ["fabs", "floor", "ceil", "trunc", "round", "rint"][self.pick(6)];
                format!("{function}{letter}({})", self.number(kind, depth - 1))
            }
            7 => {
                let function = ["fmin", "fmax"][self.pick(2)];
                let (a, b) = (self.number(kind, depth - 1), self.number(kind, depth - 1));
                format!("{function}{letter}({a}, {b})")
            }
            _ => {
                let operator = ["+", "-", "*", "/"][self.pick(4)];
                let (a, b) = (self.number(kind, depth - 1), self.number(kind, depth - 1));
                format!("(({a}) {operator} ({b}))")
            }
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        let kind = self.pick(2);
        if depth == 0 {
            return format!("in[{}]", self.pick(LENGTH));
        }
        let a = self.number(kind, depth - 1);
        if self.pick(2) == 0 {
            // What does not fit is undefined.
            let names = [
                "INT(int, ",
                "INT(int64_t, ",
                "INT(int16_t, ",
                "INT(int8_t, ",
            ];
            let unsigned = ["UINT(uint32_t, ", "UINT(uint64_t, ", "UINT(uint8_t, "];
            let name = [&names[..], &unsigned[..]].concat()[self.pick(7)];
            return format!("{name}{a})");
        }
        let operator = ["<", "<=", ">", ">=", "==", "!="][self.pick(6)];
        format!("(({a}) {operator} ({}))", self.number(kind, depth - 1))
    }

    fn program(&mut self) -> String {
        let mut text = String::from(
            "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n\
             #define INT(t, x) ({ double y = (x), m = ldexp(1, 8 * sizeof(t) - 1); (t)(y > -m && y < m ? y : 0); })\n\
             #define UINT(t, x) ({ double y = (x), m = ldexp(1, 8 * sizeof(t)); (t)(y > -1 && y < m ? y : 0); })\n\
             int main(void) {\n  uint8_t in[8];\n\
             \x20 while (fread(in, 1, 8, stdin) == 8) {\n",
        );
        for index in 0..RESULTS {
            let kind = self.pick(2);
            let number = self.number(kind, 4);
            let integer = self.integer(3);
            // What is no number has any bits.
            writeln!(
                text,
                "    double v{index} = {number}; if (v{index} != v{index}) v{index} = 1;"
            )
            .expect("a text");
            writeln!(text, "    int64_t i{index} = {integer};").expect("a text");
            writeln!(
                text,
                "    fwrite(&v{index}, 8, 1, stdout); fwrite(&i{index}, 8, 1, stdout);"
            )
            .expect("a text");
        }
        text.push_str("  }\n}\n");
        text
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn numbers_are_computed_as_the_program_does(
        tape in prop::collection::vec(any::<u8>(), 60..240),
        input in prop::array::uniform8(any::<u8>()),
        others in prop::collection::vec(prop::array::uniform8(any::<u8>()), 200),
    ) {
        let program = Writer { tape: tape.iter() }.program();
        println!("{program}");
        let laboratory = Laboratory::with_language(&program, "c", &["-lm"]);
        let (_, recording) = laboratory.record(&stdin(&input));
        prop_assert!(recording.lost.is_empty(), "{:?}", recording.lost);
        let mut all = others;
        all.push(input);
        let count = agrees_for(&laboratory, &recording, &all, 16 * RESULTS);
        prop_assert!(count > 0);
    }
}
