//! What the book shows is what happens. The page about `yester trace` needs `yester-cc` and is run by the tests of that crate.

use std::fs;
use std::path::{Path, PathBuf};

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
fn the_page_about_history_shows_what_happens() {
    assert!(check("book/src/history.md") >= 2);
}

#[test]
fn the_page_about_safety_shows_what_happens() {
    assert!(check("book/src/safety.md") > 0);
}

#[test]
fn the_page_about_runs_shows_what_happens() {
    assert!(check("book/src/runs.md") > 0);
}

#[test]
fn the_page_about_reports_shows_what_happens() {
    assert!(check("book/src/report.md") > 0);
}

#[test]
fn the_page_about_output_for_programs_shows_what_happens() {
    assert!(check("book/src/programs.md") > 0);
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
        "history.md",
        "safety.md",
        "formats.md",
        "report.md",
        "runs.md",
        "programs.md",
        "exit-codes.md",
        // By crates/yester-cc/tests/command.
        "trace.md",
        "explain.md",
        "flip.md",
        "why.md",
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

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let mut links = 0;
    for page in documents() {
        let text = fs::read_to_string(&page).expect("a page");
        for target in text.split("](").skip(1).map(|rest| rest.split(')').next()) {
            let target = target.expect("a link ends");
            if target.contains("://") || target.contains('\n') {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = match file {
                "" => page.clone(),
                file => page.with_file_name("").join(file),
            };
            let there = file.exists() && (anchor.is_empty() || has_anchor(&file, anchor));
            assert!(there, "{}: {target} leads nowhere", page.display());
            links += 1;
        }
    }
    assert!(links > 50, "only {links} links were found");
}

/// The documents at the top, the book, and the pages of the crates.
fn documents() -> Vec<PathBuf> {
    let mut pages = vec![
        root().join("README.md"),
        root().join("ARCHITECTURE.md"),
        root().join("CONTRIBUTING.md"),
    ];
    for entry in fs::read_dir(root().join("book/src")).expect("the book") {
        pages.push(entry.expect("a page").path());
    }
    for entry in fs::read_dir(root().join("crates")).expect("the crates") {
        pages.push(entry.expect("a crate").path().join("README.md"));
    }
    pages
}

/// Whether a page has a heading with this name in a link. Equal names are numbered.
fn has_anchor(page: &Path, anchor: &str) -> bool {
    let text = fs::read_to_string(page).expect("a page");
    let mut seen = Vec::new();
    for heading in text.lines().filter(|line| line.starts_with('#')) {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let name: String = (heading.chars())
            .filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'))
            .map(|char| if char == ' ' { '-' } else { char })
            .collect();
        let count = seen.iter().filter(|other| **other == name).count();
        let numbered = match count {
            0 => name.clone(),
            _ => format!("{name}-{count}"),
        };
        if numbered == anchor {
            return true;
        }
        seen.push(name);
    }
    false
}
