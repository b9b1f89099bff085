//! What the benchmarks share.

use std::path::PathBuf;

pub mod case;
pub mod clockwork;
pub mod fuzz;
pub mod history;
pub mod plain;
pub mod process_tree;
pub mod regression;
pub mod script;
pub mod seeded;
pub mod sensitivity;
pub mod token;
pub mod tool;
pub mod truth;

/// The release build of yester, which `bench/*` makes before they start.
pub fn yester() -> PathBuf {
    let own = std::env::current_exe().expect("a running program has a path");
    own.with_file_name("yester")
}

/// The middle of some measurements.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
