//! Which file of a test is its input.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use yester_patch::{FileKind, Version};
use yester_run::{contains_placeholder, is_executable, is_file, script, tree_path};

use crate::cli::WhyArguments;
use crate::failure::Failure;
use crate::versions::{failed, has};

/// The file of the test that is reduced.
pub struct TestInput {
    /// Which word of the test names it, if one does.
    pub word: Option<usize>,
    /// Where it is in the trees, or is put.
    pub place: String,
    /// Whether the version that fails has it there.
    pub is_in_tree: bool,
    /// Where it is, as the user names it.
    pub path: PathBuf,
}

/// Programs whose arguments name tests, and no input.
const TEST_RUNNERS: [&str; 20] = [
    "ava", "bats", "bazel", "cargo", "ctest", "go", "gradle", "jest", "make", "meson", "mocha",
    "mvn", "ninja", "nox", "npm", "npx", "pytest", "rspec", "tox", "vitest",
];
const TEST_MODULES: [&str; 3] = ["nose2", "pytest", "unittest"];

/// Where an input that is not in the trees is put.
const ELSEWHERE: &str = "yester-input";

/// The file of a test that can be reduced, if there is one.
pub fn find_input(
    arguments: &WhyArguments,
    test: &[OsString],
    start: &Path,
    bad: &Version,
) -> Result<Option<TestInput>, Failure> {
    if let Some(path) = &arguments.input {
        let place = tree_path(path.as_os_str()).filter(|place| has(bad, place));
        if place.is_none() && !is_file(&start.join(path))? {
            return Err(
                Failure::usage(format!("there is no file {}", path.display()))
                    .hint("--input FILE is the file of TEST that yester makes smaller"),
            );
        }
        let is_it = |word: &OsString| Path::new(word) == path || tree_path(word) == place;
        let word = test.iter().skip(1).position(is_it).map(|word| word + 1);
        if word.is_none() && place.is_none() {
            return Err(Failure::usage(format!(
                "TEST does not name {}, and no version has it",
                path.display()
            ))
            .hint("name the file in TEST, so that a smaller one can take its place"));
        }
        return Ok(Some(TestInput::new(path.clone(), word, place)));
    }
    if is_test_runner(test) {
        return Ok(None);
    }
    let script = script(test, start, |_| false)?;
    let mut best: Option<(u64, TestInput)> = None;
    for (index, word) in test.iter().enumerate().skip(1) {
        let path = Path::new(word);
        if Some(index) == script || contains_placeholder(word) {
            continue;
        }
        let place = tree_path(word).filter(|place| {
            let mut paths = bad.paths();
            paths.any(|(path, kind)| path == place && kind == FileKind::File)
        });
        let here = start.join(path);
        let size = match &place {
            Some(place) => bad.state(place).map_err(|error| failed(&error))?,
            None => None,
        };
        let size = match size {
            Some(state) => state.content.len() as u64,
            None if is_file(&here)? && !is_executable(&here) => {
                fs::metadata(&here).map_or(0, |file| file.len())
            }
            None => continue,
        };
        // The biggest is the one that is worth it.
        if size > 1 && best.as_ref().is_none_or(|(known, _)| size > *known) {
            let input = TestInput::new(path.to_owned(), Some(index), place);
            best = Some((size, input));
        }
    }
    Ok(best.map(|(_, input)| input))
}

/// Whether the words of a command name tests.
fn is_test_runner(words: &[OsString]) -> bool {
    let name = |word: &OsString| {
        let name = Path::new(word).file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    let program = words.first().map(name).unwrap_or_default();
    let has_module = || {
        words
            .windows(2)
            .any(|pair| pair[0] == "-m" && TEST_MODULES.iter().any(|module| pair[1] == *module))
    };
    TEST_RUNNERS.contains(&program.as_str())
        || program == "node" && words.iter().any(|word| word == "--test")
        || program.starts_with("python") && has_module()
}

impl TestInput {
    fn new(path: PathBuf, word: Option<usize>, place: Option<String>) -> TestInput {
        let elsewhere = || {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            format!("{ELSEWHERE}/{name}")
        };
        TestInput {
            word,
            is_in_tree: place.is_some(),
            place: place.unwrap_or_else(elsewhere),
            path,
        }
    }
}
