//! What the README shows is what happens.

use std::path::{Path, PathBuf};

use crate::console;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs every block of a page that needs nothing but yester and what `scripts/setup tests` installs.
#[track_caller]
pub fn check(page: &str) -> usize {
    let program = Path::new(env!("CARGO_BIN_EXE_yester"));
    let directory = program.parent().expect("a directory");
    console::check(&root(), page, directory, None)
}

#[test]
fn the_readme_shows_what_happens() {
    assert!(check("README.md") >= 2);
}
