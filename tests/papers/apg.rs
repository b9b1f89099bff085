//! The tables and figures of Wang and Roychoudhury (2005), automated path generation: by its program, and by running them.

mod structured_program;

use std::collections::HashSet;

use structured_program::{Program, ProgramSpace, Ways, all_branches};
use yester_path::alignment::distance;
use yester_path::path_generation::{Turnable, generate_paths};

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
