//! A sample of what `bench/fuzz` runs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use yester_bench::fuzz::{input, targets};

/// How many inputs each target gets. The debug build is slow.
const EXECUTIONS: u64 = 300;

#[test]
fn no_damaged_input_makes_a_reader_panic() {
    let directory = tempfile::tempdir().expect("a directory");
    for target in targets() {
        // A parser takes a tenth of a second for an input here.
        let executions = if target.name.starts_with("language-") {
            EXECUTIONS / 30
        } else {
            EXECUTIONS
        };
        for number in 0..executions {
            let input = input(&target, number);
            let done = catch_unwind(AssertUnwindSafe(|| {
                target.execute(&input, directory.path());
            }));
            assert!(done.is_ok(), "{}: input {number}", target.name);
        }
    }
}

#[test]
fn an_input_follows_from_its_number() {
    for (one, other) in targets().iter().zip(targets()) {
        let inputs: Vec<_> = (0..20).map(|number| input(one, number)).collect();
        let again: Vec<_> = (0..20).map(|number| input(&other, number)).collect();
        assert_eq!(inputs, again, "{}", one.name);
        assert!(
            inputs.windows(2).any(|pair| pair[0] != pair[1]),
            "{}",
            one.name
        );
    }
}
