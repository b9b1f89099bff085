//! Inputs that a stranger made to be hard on whoever reads them.

use std::process::Command;

use crate::place::{Place, called};

/// What a person may give a program that reads it: everything that is there makes it fail.
const TEST: [&str; 3] = ["--", "./failing.sh", "{}"];

fn place() -> Place {
    let place = Place::new();
    place.script("failing.sh", "test -s \"$1\" && exit 3; exit 0");
    place
}

fn pipe(place: &Place, name: &str) {
    let made = Command::new("mkfifo").arg(place.file(name)).status();
    assert!(made.expect("mkfifo starts").success());
}

/// Calls yester with at most so many megabytes of addresses for it and all that it starts.
fn within(megabytes: u64, place: &Place, words: &[&str]) -> crate::place::Called {
    let limited = place.command(words);
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("ulimit -v {}; exec \"$@\"", megabytes * 1024))
        .arg("sh")
        .arg(limited.get_program())
        .args(limited.get_args())
        .current_dir(place.path());
    called(shell.output().expect("a shell starts"))
}

#[test]
fn yaml_that_is_nested_too_deeply_is_reduced_as_text_and_that_is_said() {
    let place = place();
    let lines = (0..254).map(|level| " ".repeat(level) + "a:\n");
    place.write("deep.yaml", lines.collect::<String>());
    place
        .call(&[&["reduce", "deep.yaml"], &TEST[..]].concat())
        .exits(0)
        .says("language: text, since deep.yaml is nested too deeply for the parser of yaml");
}

#[test]
fn brackets_inside_each_other_are_reduced_in_little_memory() {
    let place = place();
    let depth = 20_000;
    place.write(
        "deep.c",
        format!("int x = {}1{};\n", "(".repeat(depth), ")".repeat(depth)),
    );
    place.write("deep.html", "<div>".repeat(depth) + &"</div>".repeat(depth));
    for file in ["deep.c", "deep.html"] {
        let words = [&["reduce", file, "--max-trials", "3"], &TEST[..]].concat();
        within(400, &place, &words).exits(3);
    }
}

#[test]
fn damaged_typescript_is_reduced_by_hdd_in_little_memory() {
    let place = place();
    let line = "class A<T { f(x: Map<string, T[]> = {a: 1) { return x as any < 3 ? [: `${x}`; }\n";
    place.write("damaged.ts", line.repeat(300));
    let words = "reduce damaged.ts --algorithm hdd* --max-trials 3 -- ./failing.sh {}";
    let words: Vec<&str> = words.split(' ').collect();
    within(400, &place, &words).exits(3);
}

#[test]
fn an_input_or_a_setting_that_is_a_pipe_or_a_device_is_an_error() {
    let place = place();
    pipe(&place, "pipe");
    for file in ["pipe", "/dev/zero"] {
        place
            .call(&[&["reduce", file], &TEST[..]].concat())
            .exits(2)
            .says("is no regular file");
    }
    place.write("input.txt", "a");
    for flags in [["--isolate", "pipe"], ["--isolate", "/dev/zero"]] {
        place
            .call(&[&["reduce", "input.txt"], &flags[..], &TEST[..]].concat())
            .exits(2)
            .says("it is no regular file");
    }
    pipe(&place, "yester.toml");
    place
        .call(&[&["reduce", "input.txt"], &TEST[..]].concat())
        .exits(2)
        .says("failed to read yester.toml: it is no regular file");
}
