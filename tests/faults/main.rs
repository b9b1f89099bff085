//! Tests that misbehave and runs that are cut short, with real processes. At full size: `bench/faults`.

mod case;
mod delta_case;
#[path = "../executable.rs"]
mod executable;
mod injection;
#[path = "../leash.rs"]
mod leash;
mod power;
mod sample;
mod scenario;

use std::path::Path;

use case::Prepared;
use injection::Interposer;
use sample::{fail_some_calls, kill_at_some_calls};
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
fn a_test_that_nests_more_directories_than_files_may_be_open() {
    must(scenario::deep_directories(yester()));
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

#[test]
fn a_system_call_that_fails_while_a_file_is_reduced() {
    fail_some_calls(&delta_case::REDUCE_FILE, yester(), 0);
}

#[test]
fn a_system_call_that_fails_while_a_directory_is_reduced() {
    fail_some_calls(&delta_case::REDUCE_DIRECTORY, yester(), 2);
}

#[test]
fn a_system_call_that_fails_while_two_trees_are_compared() {
    fail_some_calls(&delta_case::CHANGES_TREES, yester(), 4);
}

#[test]
fn a_system_call_that_fails_while_a_history_is_searched() {
    fail_some_calls(&delta_case::CHANGES_HISTORY, yester(), 6);
}

#[test]
fn a_system_call_that_fails_while_no_good_version_is_known() {
    fail_some_calls(&delta_case::HISTORY, yester(), 3);
}

#[test]
fn a_history_that_is_killed_goes_on_to_the_same_answer() {
    kill_at_some_calls(&delta_case::HISTORY, yester(), 5);
}

/// At every moment what was promised must be there, after some the same call has to give the answer.
fn lose_power(case: &case::Case, stride: usize) {
    let tally = power::lose_everywhere(&Interposer::new(), &Prepared::new(case, yester()), stride);
    assert!(tally.points > 20, "only {} moments", tally.points);
    if let Some((place, violation)) = tally.violations.first() {
        panic!("{place}\n{:?}: {}", violation.harm, violation.what);
    }
}

#[test]
fn a_power_failure_while_a_file_is_reduced() {
    lose_power(&delta_case::REDUCE_FILE, 97);
}

#[test]
fn a_power_failure_while_a_directory_is_reduced() {
    lose_power(&delta_case::REDUCE_DIRECTORY, 151);
}

#[test]
fn a_power_failure_while_two_trees_are_compared() {
    lose_power(&delta_case::CHANGES_TREES, 151);
}
