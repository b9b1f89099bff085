//! What the README shows is what happens.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::place::Place;

/// Numbers of trials and times differ from machine to machine.
fn without_figures(text: &str) -> String {
    text.lines()
        .map(|line| {
            line.split(" removed) in ")
                .next()
                .unwrap_or_default()
                .trim_end()
                .to_owned()
                + "\n"
        })
        .collect()
}

#[test]
fn the_first_example_of_the_readme_gives_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).expect("the README");
    let block = readme
        .split("```console\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("an example");

    let place = Place::new();
    let compiled = Command::new("cc")
        .arg("-o")
        .arg(place.file("totals"))
        .arg(root.join("examples/totals.c"))
        .status();
    assert!(compiled.expect("cc starts").success());
    fs::copy(root.join("examples/orders.csv"), place.file("orders.csv")).expect("room");

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
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(place.path())
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
    assert_eq!(examples, 2);
}
