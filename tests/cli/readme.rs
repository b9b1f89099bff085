//! What the README shows is what happens.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::{Place, plain};

/// Numbers of trials and times differ from machine to machine.
fn without_figures(text: &str) -> String {
    text.lines()
        .map(|line| {
            let end = [" removed) in ", ") in "]
                .iter()
                .find_map(|end| line.find(end));
            line[..end.unwrap_or(line.len())].trim_end().to_owned() + "\n"
        })
        .collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs what a block of the README shows in a directory, and gives how many commands that were.
fn run(block: usize, directory: &Path) -> usize {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let block = readme
        .split("```console\n")
        .nth(block)
        .and_then(|rest| rest.split("```").next())
        .expect("an example");
    let program = Path::new(env!("CARGO_BIN_EXE_yester"))
        .parent()
        .expect("a directory");
    let path = format!(
        "{}:{}",
        program.display(),
        std::env::var("PATH").expect("a PATH")
    );
    let mut examples = 0;
    for example in block.split("$ ").skip(1) {
        let (command, expected) = example.split_once('\n').expect("a command and its output");
        let output = plain(&mut Command::new("sh"))
            .args(["-c", command])
            .current_dir(directory)
            .env("PATH", &path)
            .output();
        let printed = String::from_utf8(output.expect("sh starts").stdout).expect("text");
        assert_eq!(
            without_figures(printed.trim_end()),
            without_figures(expected.trim_end()),
            "{command}"
        );
        examples += 1;
    }
    examples
}

#[test]
fn the_first_example_of_the_readme_gives_what_it_says() {
    let place = Place::new();
    let compiled = Command::new("cc")
        .arg("-o")
        .arg(place.file("totals"))
        .arg(root().join("examples/totals.c"))
        .status();
    assert!(compiled.expect("cc starts").success());
    fs::copy(root().join("examples/orders.csv"), place.file("orders.csv")).expect("room");
    assert_eq!(run(1, place.path()), 2);
}

#[test]
fn the_example_of_two_versions_gives_what_it_says() {
    let place = Place::new();
    let made = plain(&mut Command::new(
        root().join("examples/changes/make-repository"),
    ))
    .arg(place.path())
    .status();
    assert!(made.expect("it starts").success());
    assert_eq!(run(2, place.path()), 1);
}
