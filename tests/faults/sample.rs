//! A sample of the faults and kills that `bench/faults --long` tries, so that it takes seconds.

use std::path::Path;

use super::case::{Case, Prepared};
use super::injection::{Interposer, faults};

/// The calls that yester is killed at.
const KILLING: [&str; 6] = ["open", "write", "spawn", "rename", "poll", "receive"];

/// Kills yester at calls of every kind, so many of each.
pub fn kill_at_some_calls(case: &Case, yester: &Path, count: usize) {
    let interposer = Interposer::new();
    let prepared = Prepared::new(case, yester);
    let mut killed = 0;
    for kind in KILLING {
        for step in 0..count {
            // Close together at the beginning, where everything is made, and then farther apart.
            match interposer.kill_once(&prepared, kind, 1 + step * step * 3) {
                Ok(reached) => killed += usize::from(reached.is_some()),
                Err((place, violation)) => {
                    panic!("{place}\n{:?}: {}", violation.harm, violation.what)
                }
            }
        }
    }
    assert!(killed > KILLING.len(), "only {killed} kills");
}

/// Every eighth fault, each at one call, so that it takes seconds. `bench/faults --long` has every call of every case.
pub fn fail_some_calls(case: &Case, yester: &Path, first: usize) {
    let interposer = Interposer::new();
    let prepared = Prepared::new(case, yester);
    let mut reached = 0;
    for (index, fault) in faults().iter().enumerate().skip(first).step_by(8) {
        let nth = 1 + index * 5 % 17;
        match interposer.try_once(&prepared, fault, nth) {
            Ok(came_that_far) => reached += usize::from(came_that_far.is_some()),
            Err((place, violation)) => {
                panic!("{place}\n{:?}: {}", violation.harm, violation.what)
            }
        }
    }
    assert!(reached > 3, "only {reached} faults were reached");
}
