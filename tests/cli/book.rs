//! What the book shows is what happens. The page about `yester trace` needs `yester-cc` and is run by the tests of that crate.

use std::fs;

use crate::console;
use crate::readme::{check, root};

#[test]
fn the_introduction_shows_what_happens() {
    assert!(check("book/src/introduction.md") > 0);
}

#[test]
fn the_page_about_reduce_shows_what_happens() {
    assert!(check("book/src/reduce.md") > 0);
}

#[test]
fn the_page_about_changes_shows_what_happens() {
    assert!(check("book/src/changes.md") > 0);
}

#[test]
fn the_page_about_safety_shows_what_happens() {
    assert!(check("book/src/safety.md") > 0);
}

#[test]
fn the_page_about_formats_shows_what_happens() {
    assert!(check("book/src/formats.md") > 0);
}

#[test]
fn the_page_about_exit_codes_shows_what_happens() {
    assert!(check("book/src/exit-codes.md") > 0);
}

#[test]
fn every_page_with_a_console_block_is_run() {
    let run = [
        "introduction.md",
        "reduce.md",
        "changes.md",
        "safety.md",
        "formats.md",
        "exit-codes.md",
        // By crates/yester-cc/tests/command.
        "trace.md",
    ];
    for entry in fs::read_dir(root().join("book/src")).expect("the book") {
        let path = entry.expect("a page").path();
        let text = fs::read_to_string(&path).expect("a page");
        let name = path.file_name().expect("a name").to_string_lossy();
        assert!(
            !text.contains("```console") || run.contains(&&*name),
            "{name} has a console block that no test runs"
        );
    }
}

#[test]
fn a_page_that_shows_something_else_is_noticed() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let printed =
        lines("yester: going on\nreduced  9 bytes in 12 trials, 0.50 s\nkept .yester/a-1f\nend");
    for shown in [
        "reduced  9 bytes in 7 trials, 3 s\nkept .yester/a-[..]\nend",
        "yester: [..]\nreduced  9 bytes in 12 trials, 0.50 s\n...",
        "...\nend",
        "...\nreduced [..] bytes in 1 trials, 1 s\n...",
    ] {
        assert!(console::matches(&lines(shown), &printed), "{shown}");
    }
    for shown in [
        "",
        "reduced  8 bytes in 12 trials, 0.50 s\nkept .yester/a-[..]\nend",
        "reduced  9 bytes in 12 trials, 0.50 s\nkept .yester/a-[..]",
        "reduced  9 bytes in 12 trials, 0.50 s\nkept .yester/b-[..]\nend",
        "yester: stopped\n...",
        "...\nkept [..] end",
    ] {
        assert!(!console::matches(&lines(shown), &printed), "{shown}");
    }
}
