//! What programs write: each byte has its value, its expression and its place, and its slice leads back to what matters.

use std::collections::BTreeSet;

use crate::laboratory::{Input, Laboratory};
use yester_path::{Evaluator, Joint, Output, Recording, Slice, Slicer, Solver, SolverAnswer};

/// What a run wrote, with the laboratory, which deletes the recording at its end.
fn written(source: &str, input: &str) -> (Recording, Output, Vec<u8>, Laboratory) {
    let laboratory = Laboratory::new(source);
    let (result, recording) = laboratory.record(&Input::stdin(input));
    assert_eq!(result.stdout, laboratory.plain(&Input::stdin(input)).stdout);
    let output = recording.output().expect("it can be read");
    let stdout = output.target(1).expect("something was written");
    let told: Vec<u8> = output.bytes(stdout).map(|byte| byte.value).collect();
    assert_eq!(
        String::from_utf8_lossy(&told),
        String::from_utf8_lossy(&result.stdout)
    );
    // Each expression has the value that was written.
    let mut evaluator = Evaluator::new(&recording.graph);
    evaluator.compute_all(&recording.values());
    for target in 0..output.targets.len() {
        for byte in output.bytes(target) {
            if let Some(node) = byte.node {
                assert_eq!(evaluator.value(node), u64::from(byte.value));
            }
        }
    }
    (recording, output, told, laboratory)
}

fn lines(slice: &Slice) -> BTreeSet<u32> {
    slice.places.iter().map(|place| place.line).collect()
}

#[test]
fn each_way_to_write_is_told_with_its_line() {
    let (_, output, told, _) = written(
        "#include <stdio.h>
        #include <string.h>
        #include <unistd.h>
        int main(void) { char b[9] = \"\"; fread(b, 1, 8, stdin);
          setvbuf(stdout, 0, _IONBF, 0);
          putchar(b[0]);
          putc(b[1], stdout);
          puts(b);
          fputs(b + 2, stdout);
          fwrite(b, 2, 3, stdout);
          printf(\"%s|%d|%5.2f|%c%%\\n\", b + 4, b[0] - '0', 2.5, b[1]);
          fprintf(stdout, \"%x %-4d.\", b[3], 7);
          write(1, b, 3);
          fprintf(stderr, \"%c\", b[5]);
          return 0; }",
        "12345678",
    );
    let stdout = output.target(1).expect("it is there");
    let bytes: Vec<_> = output.bytes(stdout).collect();
    let of_line = |line: u32| {
        let bytes = bytes
            .iter()
            .filter(|byte| output.pieces[byte.piece].origin.line == line);
        let bytes: Vec<(u8, bool)> = bytes
            .map(|byte| (byte.value, byte.node.is_some()))
            .collect();
        let text: Vec<u8> = bytes.iter().map(|(value, _)| *value).collect();
        let marks: String = bytes
            .iter()
            .map(|(_, is)| if *is { '^' } else { ' ' })
            .collect();
        (String::from_utf8(text).expect("text"), marks)
    };
    let expected = [
        (6, "1", "^"),
        (7, "2", "^"),
        (8, "12345678\n", "^^^^^^^^ "),
        (9, "345678", "^^^^^^"),
        (10, "123456", "^^^^^^"),
        // What stands between two numbers of unknown length is not followed, and nothing is around this one.
        (11, "5678|1| 2.50|2%\n", "^^^^ ^       ^  "),
        (12, "34 7   .", "^^      "),
        (13, "123", "^^^"),
    ];
    for (line, text, marks) in expected {
        assert_eq!(
            of_line(line),
            (text.to_owned(), marks.to_owned()),
            "line {line}"
        );
    }
    assert_eq!(
        told.len(),
        expected
            .iter()
            .map(|(_, text, _)| text.len())
            .sum::<usize>()
    );
    assert!(output.is_whole(stdout));
    let stderr = output.target(2).expect("it is there");
    assert_eq!(output.bytes(stderr).count(), 1);
}

#[test]
fn printing_assumes_nothing_about_the_input() {
    let laboratory = Laboratory::new(
        "#include <stdio.h>
        #include <stdlib.h>
        int main(void) { char b[9] = \"\"; fread(b, 1, 4, stdin); int x = atoi(b);
          printf(\"%d\\n\", x); fputs(b, stdout); puts(x == 4321 ? \"right\" : \"wrong\"); }",
    );
    // Another number of digits is possible, though one was printed before.
    let found = laboratory.reach(&Input::stdin("7   "), "right");
    assert_eq!(found.expect("an input").stdin, b"4321");
}

#[test]
fn the_slice_of_an_output_has_what_it_depends_on_and_nothing_else() {
    let (recording, output, _, _laboratory) = written(
        "#include <stdio.h>
int twice(int x) {
  return 2 * x; }
int main(void) { char b[9] = \"\"; fread(b, 1, 8, stdin);
  int sum = b[0] - '0';
  int other = b[1] - '0';
  if (b[2] == 'x')
    other++;
  sum = twice(sum);
  if (b[3] == 'y')
    printf(\"%d\", sum + 1);
  printf(\"%d\", other);
  return 0; }",
        "12xy5678",
    );
    let slicer = Slicer::new(&recording).expect("it can be read");
    let stdout = output.target(1).expect("it is there");
    let first = slicer.output(&output, stdout, 0, 1).expect("a slice");
    let offsets = |slice: &Slice| -> Vec<u64> {
        let bytes = slice.inputs.iter();
        bytes
            .map(|byte| recording.input[*byte as usize].offset)
            .collect()
    };
    // The first number needs b[0], and b[3] lets it be printed; b[2] decided before, which is not known not to matter.
    assert_eq!(offsets(&first), [0, 3]);
    let found = lines(&first);
    assert!(
        found.is_superset(&BTreeSet::from([3, 5, 10, 11])),
        "{found:?}"
    );
    assert!(!found.contains(&6) && !found.contains(&8), "{found:?}");
    let bytes: Vec<_> = output.bytes(stdout).collect();
    let data = slicer.data(bytes[1].node);
    assert_eq!(offsets(&data), [1]);
    assert_eq!(lines(&data), BTreeSet::from([4, 6, 8, 12]));
    let potential = slicer
        .with_potential(bytes[1].node, &[output.pieces[1].origin])
        .expect("a slice");
    assert_eq!(offsets(&potential), [1, 2, 3]);
}

#[test]
fn outputs_of_two_versions_are_compared_as_expressions() {
    let version = |expression: &str| {
        written(
            &format!(
                "#include <stdio.h>
                int main(void) {{ unsigned char a = getchar(), b = getchar(); putchar({expression}); return 0; }}"
            ),
            "ab",
        )
    };
    let (old, old_output, _, _) = version("(a ^ b) + 2 * (a & b)");
    for (expression, is_same) in [("a + b", true), ("a + b + (a == 'q')", false)] {
        let (new, new_output, _, _) = version(expression);
        let mut joint = Joint::new(&[&old, &new]);
        let node = |joint: &Joint, run: usize, output: &Output| {
            let byte = output.bytes(output.target(1).expect("written")).next();
            let node = byte
                .and_then(|byte| byte.node)
                .expect("it depends on the input");
            joint.run(run).node(node)
        };
        let (one, other) = (node(&joint, 0, &old_output), node(&joint, 1, &new_output));
        let query = joint.differ(&[0, 1], one, other).expect("bytes");
        let limit = std::time::Duration::from_secs(300);
        let mut solver = Solver::new(joint.graph(), joint.values(0), Default::default(), limit);
        match solver.solve(&query).expect("it runs") {
            SolverAnswer::Unsatisfiable => assert!(is_same, "{expression}"),
            SolverAnswer::Satisfiable(model) => {
                assert!(!is_same, "{expression}");
                assert!(model.bytes().any(|(_, value)| value == b'q'));
            }
            SolverAnswer::Unknown(reason) => panic!("{reason}"),
        }
    }
}

#[test]
fn numbers_errors_and_scattered_memory_are_told() {
    let (_, output, _, _) = written(
        "#define _DEFAULT_SOURCE
        #include <errno.h>
        #include <stdio.h>
        #include <sys/uio.h>
        int main(void) { char b[9] = \"\"; fread(b, 1, 4, stdin);
          unsigned char *u = (unsigned char *)b; putw(u[0] | u[1] << 8 | 0x01020000, stdout);
          fflush(stdout);
          struct iovec pieces[2] = {{ b, 2 }, { b + 3, 1 }};
          writev(1, pieces, 2);
          errno = ENOENT;
          perror(b);
          errno = ENOENT; perror(NULL);
          return 0; }",
        "abcd",
    );
    let told = |descriptor: u32| -> Vec<(u32, u8, bool)> {
        let target = output.target(descriptor).expect("it was written to");
        let bytes = output.bytes(target);
        bytes
            .map(|byte| {
                let line = output.pieces[byte.piece].origin.line;
                (line, byte.value, byte.node.is_some())
            })
            .collect()
    };
    assert_eq!(
        told(1),
        [
            (6, b'a', true),
            (6, b'b', true),
            (6, 2, false),
            (6, 1, false),
            (9, b'a', true),
            (9, b'b', true),
            (9, b'd', true)
        ]
    );
    let errors = told(2);
    let text: Vec<u8> = errors.iter().map(|(_, value, _)| *value).collect();
    let message = "No such file or directory\n";
    assert_eq!(
        String::from_utf8_lossy(&text),
        format!("abcd: {message}{message}")
    );
    assert!(errors[..4].iter().all(|byte| byte.0 == 11 && byte.2));
    assert!(errors[4..].iter().all(|byte| !byte.2));
    assert_eq!(errors.last().expect("a byte").0, 12);
}

#[test]
fn output_is_recorded_though_nothing_is_followed() {
    let laboratory = Laboratory::with_language(
        "#include <iostream>
        #include <cstdio>
        #include <unistd.h>
        int main() { int n = 0; std::cin >> n;
          std::cout << n << std::endl;
          std::printf(\"%d-%s\", n + 1, \"text\");
          std::fflush(stdout);
          write(1, \"!\", 1);
          return n == 4; }",
        "cc",
        &[],
    );
    let (result, recording) = laboratory.record_output(&Input::stdin("42"));
    assert_eq!(String::from_utf8_lossy(&result.stdout), "42\n43-text!");
    assert!(recording.constraints.is_empty() && recording.input.is_empty());
    assert_eq!(recording.lost, []);
    let output = recording.output().expect("it can be read");
    let stdout = output.target(1).expect("it is there");
    let told: Vec<(u32, char)> = output
        .bytes(stdout)
        .map(|byte| {
            let line = output.pieces[byte.piece].origin.line;
            (line, char::from(byte.value))
        })
        .collect();
    let expected = [(5, "42\n"), (6, "43-text"), (8, "!")];
    let expected = expected.iter();
    let expected: Vec<(u32, char)> = expected
        .flat_map(|(line, text)| text.chars().map(|letter| (*line, letter)))
        .collect();
    assert_eq!(told, expected);
}
