//! The tables and figures of Wang and Roychoudhury (2005), automated path generation: by its program, and by running them.

mod structured_program;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use structured_program::{Program, ProgramSpace, Ways, all_branches};
use tempfile::TempDir;
use yester_path::alignment::distance;
use yester_path::apg::path_generation::{Turnable, generate_paths};

/// The runs that are tried for a failing run if none succeeds, each with its distance, by their lines.
fn tried(failing: &[u32]) -> Vec<(Vec<u32>, Vec<u32>)> {
    let program = Program::figure_2();
    let ways = program.through(failing);
    let failing = program.run(&ways);
    let mut space = ProgramSpace {
        program: &program,
        failing: &failing,
        is_infeasible_from: |_, _| false,
        is_success: |_: &Ways| false,
        tried: Vec::new(),
    };
    let turnable = Turnable {
        branches: all_branches(&failing),
        loops: HashSet::new(),
        most: usize::MAX,
    };
    let Ok(generated) = generate_paths(&failing, &turnable, ways, &mut space);
    assert_eq!(generated.found, None);
    let tried = space.tried.iter().map(|ways| {
        let distance = distance(&failing, &program.run(ways));
        (
            program.distance_lines(&failing, &distance),
            program.lines(ways),
        )
    });
    tried.collect()
}

#[test]
fn table_1_the_run_that_turns_later_branches_is_nearer() {
    let program = Program::figure_2();
    let run = |lines: &[u32]| program.run(&program.through(lines));
    let failing = run(&[1, 3, 5, 6, 7, 10]);
    let one = distance(&failing, &run(&[1, 3, 4, 5, 6, 9, 10]));
    let other = distance(&failing, &run(&[1, 2, 3, 5, 6, 9, 10]));
    assert_eq!(program.distance_lines(&failing, &one), [3, 6]);
    assert_eq!(program.distance_lines(&failing, &other), [1, 6]);
    assert!(one < other);
}

#[test]
fn table_2_eleven_runs_are_tried_in_this_order() {
    let table: [(&[u32], &[u32]); 11] = [
        (&[6], &[1, 3, 5, 6, 9, 10]),
        (&[3, 6], &[1, 3, 4, 5, 6, 9, 10]),
        (&[1, 3, 6], &[1, 2, 3, 4, 5, 6, 9, 10]),
        (&[1, 6], &[1, 2, 3, 5, 6, 9, 10]),
        (&[5], &[1, 3, 5, 10]),
        (&[3, 5], &[1, 3, 4, 5, 10]),
        (&[1, 3, 5], &[1, 2, 3, 4, 5, 10]),
        (&[1, 5], &[1, 2, 3, 5, 10]),
        (&[3], &[1, 3, 4, 5, 6, 7, 10]),
        (&[1, 3], &[1, 2, 3, 4, 5, 6, 7, 10]),
        (&[1], &[1, 2, 3, 5, 6, 7, 10]),
    ];
    let table = table.map(|(distance, run)| (distance.to_vec(), run.to_vec()));
    assert_eq!(tried(&[1, 3, 5, 6, 7, 10]), table);
}

#[test]
fn a_branch_with_another_one_inside_gives_two_runs() {
    let tried = tried(&[1, 2, 3, 4, 5, 10]);
    let two = [
        (vec![5], vec![1, 2, 3, 4, 5, 6, 7, 10]),
        (vec![5], vec![1, 2, 3, 4, 5, 6, 9, 10]),
    ];
    assert_eq!(tried[..2], two);
    assert_ne!(tried[2].0, [5]);
}

/// The program, which cargo puts beside the compiler when all of the workspace is tested.
fn yester() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_yester-cc")).with_file_name("yester");
    assert!(path.exists(), "first: cargo build --package yester");
    path
}

/// What `yester flip` finds for a program by generating paths, if a line for the shell tells what is right.
fn flip(program: &str, check: &str, arguments: &[&str]) -> Value {
    let place = TempDir::new().expect("room");
    fs::write(place.path().join("figure.c"), program).expect("room");
    let output = Command::new(yester())
        .args(["flip", "figure.c", "--json", "--by", "paths"])
        .args(["--check", check, "--", "{}"])
        .args(arguments)
        .current_dir(place.path())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let mut report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report["result"].take()
}

#[test]
fn figure_1_the_branch_that_should_take_zero_too_is_named() {
    let program = "#include <stdio.h>\n#include <stdlib.h>\n\
                   int main(int argc, char **argv)\n{\n    int u, v, x = atoi(argv[1]);\n    v = 0;\n    \
                   if (x > 0) {\n        u = 5;\n    } else {\n        u = v;\n    }\n    \
                   printf(\"%d\", u);\n    return 0;\n}\n";
    // The programmer calls it an error that 0 is printed.
    let result = flip(program, "test \"$(cat \"$YESTER_STDOUT\")\" != 0", &["0"]);
    let places = result["places"].as_array().expect("a list");
    assert_eq!(places.len(), 1, "{places:#?}");
    let place = &places[0];
    assert_eq!((&place["line"], &place["column"]), (&7.into(), &9.into()));
    assert_eq!(
        (&place["was"], &place["becomes"]),
        (&"false".into(), &"true".into())
    );
    assert_eq!(place["evidence"], "input");
    let input = place["input"][0]["becomes"].as_str().expect("a text");
    assert!(input.parse::<i32>().expect("a number") > 0, "{input}");
    assert_eq!(result["distance"], serde_json::json!(["figure.c:7"]));
    assert_eq!(result["exhausted"], true);
}

/// Figure 2 with its inputs: which of the branches hold.
const FIGURE_2: &str = "#include <stdio.h>\n\
    int main(int argc, char **argv)\n{\n    int a = argv[1][0] == '1', b = argv[1][1] == '1';\n    \
    int c = argv[1][2] == '1', d = argv[1][3] == '1', i = 0, j = 0, k = 0;\n    \
    if (a)\n        i = i + 1;\n    if (b)\n        j = j + 1;\n    if (c) {\n        \
    if (d)\n            k = k + 1;\n        else\n            k = k + 2;\n    }\n    \
    printf(\"%d%d%d\\n\", i, j, k);\n    return 0;\n}\n";

#[test]
fn figure_2_the_nearest_run_that_succeeds_has_the_distance_of_the_table() {
    // Lines 1, 3, 5 and 6 of the figure are lines 6, 8, 10 and 11 here.
    for (wanted, lines) in [
        ("002", vec![11]),
        ("012", vec![8, 11]),
        ("112", vec![6, 8, 11]),
        ("102", vec![6, 11]),
        ("000", vec![10]),
        ("110", vec![6, 8, 10]),
        ("011", vec![8]),
        ("101", vec![6]),
    ] {
        let check = format!("test \"$(cat \"$YESTER_STDOUT\")\" = {wanted}");
        let result = flip(FIGURE_2, &check, &["0011"]);
        let distance = result["distance"].as_array().expect("a list");
        let expected: Vec<Value> = lines
            .iter()
            .map(|line| format!("figure.c:{line}").into())
            .collect();
        assert_eq!(*distance, expected, "{wanted}");
    }
}
