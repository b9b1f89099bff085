//! Tests that misbehave and runs that are cut short, with real processes. At full size: `bench/faults`.

#[path = "../executable.rs"]
mod executable;
#[path = "../leash.rs"]
mod leash;
mod scenario;

use std::path::Path;

use scenario::Verdict;

fn yester() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_yester"))
}

fn must(verdict: Verdict) {
    if let Err(what) = verdict {
        panic!("{what}");
    }
}

#[test]
fn a_test_that_leaves_a_daemon_behind() {
    must(scenario::daemon(yester()));
}

#[test]
fn a_test_that_ignores_signals_and_hangs() {
    must(scenario::deaf_to_signals(yester()));
}

#[test]
fn a_test_that_forks_without_end_in_the_full_sandbox() {
    must(scenario::fork_bomb(yester()));
}

#[test]
fn a_test_that_floods_its_output() {
    must(scenario::flood(yester(), 5));
}

#[test]
fn a_test_that_closes_its_files() {
    must(scenario::closed_files(yester()));
}

#[test]
fn a_test_that_deletes_its_directory() {
    must(scenario::deleted_directory(yester()));
}

#[test]
fn a_test_that_deletes_the_null_device_in_the_full_sandbox() {
    must(scenario::deleted_null_device(yester()));
}

#[test]
fn a_test_that_writes_to_the_users_tree_in_the_full_sandbox() {
    must(scenario::vandal(yester()));
}

#[test]
fn a_run_that_is_killed_ten_times_goes_on_to_the_same_answer() {
    must(scenario::killed(yester(), 10));
}

#[test]
fn a_disk_that_is_full_stops_a_run_that_goes_on_later() {
    must(scenario::full_disk(yester()));
}

/// The same dice every time: with one job the trials of a run always have the same numbers. With real chance, as in
/// `bench/faults`, one run in a thousand would be unlucky.
const DICE: &str = "((YESTER_TRIAL * 40503 + 12829) * 30011 % 65521)";

#[test]
fn a_test_that_fails_three_times_in_ten() {
    must(scenario::flaky(yester(), DICE));
}
