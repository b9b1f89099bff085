//! Path generation, over all runs of random programs.

#[path = "../../../tests/papers/structured_program.rs"]
mod structured_program;

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::sample::Index;
use structured_program::{Program, ProgramSpace, Step, Ways, all_branches};
use yester_path::Sites;
use yester_path::alignment::{Statement, distance};
use yester_path::apg::path_generation::{Turnable, generate_paths};

/// The shape of nested branches, without lines.
#[derive(Clone, Debug)]
struct Shape {
    then: Vec<Shape>,
    otherwise: Vec<Shape>,
}

fn shapes() -> impl Strategy<Value = Vec<Shape>> {
    let leaf = Just(Shape {
        then: Vec::new(),
        otherwise: Vec::new(),
    });
    let shape = leaf.prop_recursive(3, 6, 2, |inner| {
        let part = || prop::collection::vec(inner.clone(), 0..=1);
        (part(), part()).prop_map(|(then, otherwise)| Shape { then, otherwise })
    });
    prop::collection::vec(shape, 1..4)
}

fn steps(shapes: &[Shape], next: &mut u32) -> Vec<Step> {
    let step = |shape: &Shape| {
        *next += 1;
        Step::If {
            line: *next,
            then: steps(&shape.then, next),
            otherwise: steps(&shape.otherwise, next),
        }
    };
    shapes.iter().map(step).collect()
}

fn turnable(branches: Vec<usize>) -> Turnable {
    Turnable {
        branches,
        loops: HashSet::new(),
        most: usize::MAX,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_other_run_is_made_once_and_from_near_to_far(shapes in shapes(), which in any::<Index>()) {
        let program = Program::new(steps(&shapes, &mut 0));
        let all = program.all_ways();
        let failing_ways = which.get(&all).clone();
        let failing = program.run(&failing_ways);
        let mut space = ProgramSpace {
            program: &program,
            failing: &failing,
            is_infeasible_from: |_, _| false,
            is_success: |_: &Ways| false,
            tried: Vec::new(),
        };
        let turnable = turnable(all_branches(&failing));
        let Ok(generated) = generate_paths(&failing, &turnable, failing_ways, &mut space);
        prop_assert_eq!(generated.found, None);
        prop_assert!(generated.is_whole);
        let tried: HashSet<&Ways> = space.tried.iter().collect();
        prop_assert_eq!(tried.len(), space.tried.len());
        prop_assert_eq!(tried.len(), all.len() - 1);
        let distances: Vec<_> = space.tried.iter().map(|ways| distance(&failing, &program.run(ways))).collect();
        prop_assert!(distances.windows(2).all(|two| two[0] <= two[1]));
    }

    #[test]
    fn what_is_found_is_the_nearest_that_succeeds(
        shapes in shapes(),
        which in any::<Index>(),
        successes in prop::collection::vec(any::<Index>(), 1..4),
    ) {
        let program = Program::new(steps(&shapes, &mut 0));
        let all = program.all_ways();
        let failing_ways = which.get(&all).clone();
        let successful: Vec<&Ways> = successes.iter().map(|one| one.get(&all)).filter(|ways| **ways != failing_ways).collect();
        let failing = program.run(&failing_ways);
        let mut space = ProgramSpace {
            program: &program,
            failing: &failing,
            is_infeasible_from: |_, _| false,
            is_success: |ways: &Ways| successful.contains(&ways),
            tried: Vec::new(),
        };
        let turnable = turnable(all_branches(&failing));
        let Ok(generated) = generate_paths(&failing, &turnable, failing_ways, &mut space);
        let nearest = successful.iter().map(|ways| distance(&failing, &program.run(ways))).min();
        let found = generated.found.map(|found| {
            assert_eq!(distance(&failing, &program.run(&found.path)), found.distance);
            found.distance
        });
        prop_assert_eq!(found, nearest);
    }

    #[test]
    fn at_most_so_many_branches_are_turned_together(shapes in shapes(), which in any::<Index>(), most in 1..3usize) {
        let program = Program::new(steps(&shapes, &mut 0));
        let all = program.all_ways();
        let failing_ways = which.get(&all).clone();
        let failing = program.run(&failing_ways);
        let mut space = ProgramSpace {
            program: &program,
            failing: &failing,
            is_infeasible_from: |_, _| false,
            is_success: |_: &Ways| false,
            tried: Vec::new(),
        };
        let turnable = Turnable { most, ..turnable(all_branches(&failing)) };
        let Ok(generated) = generate_paths(&failing, &turnable, failing_ways, &mut space);
        let sizes: Vec<usize> = space.tried.iter().map(|ways| distance(&failing, &program.run(ways)).0.len()).collect();
        prop_assert!(sizes.iter().all(|size| *size <= most));
        // The sets that are left out are those that one more branch could have joined.
        prop_assert!(generated.is_whole || sizes.contains(&most));
        prop_assert!(!generated.is_whole || space.tried.len() == all.len() - 1);
    }
}

#[test]
fn loops_come_after_everything_else() {
    let program = Program::figure_2();
    let failing_ways = program.through(&[1, 3, 5, 6, 7, 10]);
    let failing = program.run(&failing_ways);
    let branches = all_branches(&failing);
    let mut space = ProgramSpace {
        program: &program,
        failing: &failing,
        is_infeasible_from: |_, _| false,
        is_success: |_: &Ways| false,
        tried: Vec::new(),
    };
    // As if line 3 were a loop.
    let turnable = Turnable {
        loops: [branches[1]].into(),
        ..turnable(branches)
    };
    let Ok(_) = generate_paths(&failing, &turnable, failing_ways, &mut space);
    let tried = space.tried.iter().map(|ways| {
        let distance = distance(&failing, &program.run(ways));
        program.distance_lines(&failing, &distance)
    });
    let tried: Vec<Vec<u32>> = tried.collect();
    let (before, after) = tried.split_at(5);
    assert_eq!(before, [vec![6], vec![1, 6], vec![5], vec![1, 5], vec![1]]);
    assert_eq!(
        after,
        [
            vec![3, 6],
            vec![1, 3, 6],
            vec![3, 5],
            vec![1, 3, 5],
            vec![3],
            vec![1, 3]
        ]
    );
}

#[test]
fn a_rest_that_no_input_takes_is_given_up() {
    let program = Program::figure_2();
    let failing_ways = program.through(&[1, 3, 5, 6, 7, 10]);
    let failing = program.run(&failing_ways);
    let mut space = ProgramSpace {
        program: &program,
        failing: &failing,
        // Once line 3 is settled, line 6 must not be false.
        is_infeasible_from: |ways, line| line <= 3 && ways.get(&6) == Some(&false),
        is_success: |_: &Ways| false,
        tried: Vec::new(),
    };
    let turnable = turnable(all_branches(&failing));
    let Ok(_) = generate_paths(&failing, &turnable, failing_ways, &mut space);
    let tried = space.tried.iter().map(|ways| {
        let distance = distance(&failing, &program.run(ways));
        program.distance_lines(&failing, &distance)
    });
    let with_6: Vec<Vec<u32>> = tried.filter(|lines| lines.contains(&6)).collect();
    assert_eq!(with_6, [[6]]);
}

#[test]
fn a_branch_is_of_a_loop_if_it_leaves_one() {
    // while (0 && 1) { if (2) { if (3) break; } if (4) { ... } }, and a branch behind it.
    let text = "module\t0\tloop.c\nfunction\tmain\tloop.c\t1\t6\nbranch\t\t2\t1\t2:0,3:0\nbranch\t\t2\t9\t0:1\n\
                branch\t\t3\t1\t1:1\nbranch\t\t4\t1\t2:1\nbranch\t\t5\t1\t2:0,3:0\nbranch\t\t9\t1\t\n";
    let sites = Sites::parse(text).expect("a table");
    let of_loops: Vec<bool> = (0..6)
        .map(|site| sites.is_loop(Statement::Branch { function: 0, site }))
        .collect();
    assert_eq!(of_loops, [true, true, false, true, false, false]);
    assert!(!sites.is_loop(Statement::Entry { function: 0 }));
}
