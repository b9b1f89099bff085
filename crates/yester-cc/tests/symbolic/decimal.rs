//! Decimal numbers in text: for every other text that takes the same path, the expressions say what the library reads from it.

use crate::laboratory::{Input, Laboratory};
use yester_path::{Evaluator, OutputByte, PathCondition, Recording};

/// How many bytes a text has.
pub const LENGTH: usize = 8;
/// How many texts are tried beside each one.
const TRIED: usize = 1500;
/// What numbers are made of, and what ends them.
const ALPHABET: &[u8] = b"00123456789.-+ eExXinfaE;\n\0";

/// Texts like another one, always the same ones.
fn texts_like(text: &[u8; LENGTH]) -> Vec<[u8; LENGTH]> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |limit: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit
    };
    let mut others = Vec::new();
    for _ in 0..TRIED {
        let mut other = *text;
        for _ in 0..=random(5) {
            other[random(LENGTH)] = ALPHABET[random(ALPHABET.len())];
        }
        others.push(other);
    }
    others
}

/// Runs a program that writes `result` bytes for each text. What it computes from one text, as expressions, gives what it writes
/// for all others that take the same path. Returns how many do.
fn agrees(laboratory: &Laboratory, text: &[u8; LENGTH], result: usize) -> usize {
    let recording = recorded_without_loss(laboratory, text);
    agrees_for(laboratory, &recording, &texts_like(text), result)
}

/// The recording of a run in which nothing is lost.
fn recorded_without_loss(laboratory: &Laboratory, text: &[u8; LENGTH]) -> Recording {
    let (_, recording) = laboratory.record(&input(text));
    let shown = String::from_utf8_lossy(text);
    assert!(recording.lost.is_empty(), "{shown:?}: {:?}", recording.lost);
    recording
}

/// Standard input with these bytes.
pub fn input(text: &[u8]) -> Input {
    Input {
        stdin: text.to_vec(),
        ..Input::default()
    }
}

/// Whether the output of a recording, as expressions, is what the program writes for each of some texts that take the same path.
/// Returns how many do.
pub fn agrees_for(
    laboratory: &Laboratory,
    recording: &Recording,
    others: &[[u8; LENGTH]],
    result: usize,
) -> usize {
    let output = recording.output().expect("it can be read");
    let stdout = output.target(1).expect("something was written");
    let bytes: Vec<_> = output.bytes(stdout).collect();
    assert_eq!(bytes.len(), result);
    let condition = PathCondition::new(&recording.graph, &recording.constraints);
    let mut evaluator = Evaluator::new(&recording.graph);
    let mut same_path = Vec::new();
    let mut expected = Vec::new();
    for other in others {
        let places = recording.input.iter().map(|byte| byte.offset as usize);
        let values: Vec<u8> = places.map(|place| other[place]).collect();
        if condition.violated(&values).is_some() {
            continue;
        }
        evaluator.compute_all(&values);
        let value = |byte: &OutputByte| match byte.node {
            Some(node) => evaluator.value(node) as u8,
            None => byte.value,
        };
        expected.push(bytes.iter().map(value).collect::<Vec<u8>>());
        same_path.push(*other);
    }
    let plain = laboratory.plain_with(&input(&same_path.concat()), &["-lm"]);
    assert_eq!(plain.stdout.len(), result * same_path.len());
    for ((found, expected), other) in plain.stdout.chunks(result).zip(&expected).zip(&same_path) {
        assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(other));
    }
    same_path.len()
}

const TEXTS: [&[u8; LENGTH]; 16] = [
    b"3.50\n\0\0\0",
    b"42\n\0\0\0\0\0",
    b"-7.25e1\n",
    b" 1.5em; ",
    b"640x480\n",
    b"abc 12.5",
    b"  .125\0\0",
    b"12.;\0\0\0\0",
    b"1e5\n\0\0\0\0",
    b"9e-3 1\0\0",
    b"-0.0\0\0\0\0",
    b"12345678",
    b"0.00001;",
    b"+5 apple",
    b"2e+\n\0\0\0\0",
    b"5\0\0\0\0\0\0\0",
];

#[test]
fn strtod_reads_what_the_expressions_say() {
    let laboratory = Laboratory::new(
        "#include <stdio.h>\n#include <stdlib.h>\n
        int main(void) { static char line[16]; char *end; struct { double d; int n; } r = { 0 };
          while (fread(line, 1, 8, stdin) == 8) { r.d = strtod(line, &end); r.n = end - line;
            fwrite(&r.d, 8, 1, stdout); fwrite(&r.n, 4, 1, stdout); } }",
    );
    for text in TEXTS {
        let count = agrees(&laboratory, text, 12);
        assert!(
            count > 15,
            "{count} like {:?}",
            String::from_utf8_lossy(text)
        );
    }
}

#[test]
fn strtof_reads_what_the_expressions_say() {
    let laboratory = Laboratory::new(
        "#include <stdio.h>\n#include <stdlib.h>\n
        int main(void) { static char line[16]; float f;
          while (fread(line, 1, 8, stdin) == 8) { line[7] = 0; f = strtof(line, 0); fwrite(&f, 4, 1, stdout); } }",
    );
    for text in TEXTS {
        let count = agrees(&laboratory, text, 4);
        assert!(
            count > 15,
            "{count} like {:?}",
            String::from_utf8_lossy(text)
        );
    }
}

#[test]
fn scanf_reads_what_the_expressions_say() {
    let laboratory = Laboratory::new(
        "#include <stdio.h>\n
        int main(void) { static char line[16];
          while (fread(line, 1, 8, stdin) == 8) { double d = 0; char c = 0; int n = sscanf(line, \"%lf%c\", &d, &c);
            if (n < 1) d = 0; if (n < 2) c = 0;
            fwrite(&d, 8, 1, stdout); fwrite(&n, 4, 1, stdout); fwrite(&c, 1, 1, stdout); } }",
    );
    for text in TEXTS {
        let count = agrees(&laboratory, text, 13);
        assert!(
            count > 5,
            "{count} like {:?}",
            String::from_utf8_lossy(text)
        );
    }
}
