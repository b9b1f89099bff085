//! Running a program with all that it starts. This is the only test of its process, since it ends every child of it.

use std::process::Command;
use std::time::Duration;

use yester_bench::process_tree::{descendants, run};

#[test]
fn nothing_is_left_of_a_program_that_ends_or_is_stopped() {
    let mut ends = Command::new("sh");
    ends.args(["-c", "setsid sleep 1000 & exit 3"]);
    let usage = run(&mut ends, Duration::from_secs(60)).expect("sh starts");
    assert_eq!(usage.code, Some(3));
    assert_eq!(descendants(), Vec::<i32>::new());

    let mut spins = Command::new("sh");
    spins.args([
        "-c",
        "(setsid sh -c 'while :; do :; done') & trap '' TERM; wait",
    ]);
    let usage = run(&mut spins, Duration::from_millis(300)).expect("sh starts");
    assert_eq!(usage.code, None);
    assert!(usage.processor > Duration::ZERO, "{usage:?}");
    assert_eq!(descendants(), Vec::<i32>::new());
}
