//! Of several fixes, which is which.

use super::repository;
use crate::changes::{changed_lines, git};
use crate::place::Place;

/// The newest revision is younger than what broke it, and the commit that did changed two lines.
fn place() -> Place {
    let double = |first: &str, last: &str| {
        format!("double() {{\n    {first}\n    local middle=1\n    local more=2\n    {last}\n}}\n")
    };
    let right = double("local factor=2", "echo $(($1 * 2))");
    let wrong = double("local factor=3", "echo $(($1 * 3))");
    let place = repository(&[
        ("start", &[("double.sh", &right)]),
        ("break", &[("double.sh", &wrong), ("notes.txt", "1\n")]),
        ("load", &[("load.sh", super::LOAD)]),
        ("render", &[("render.sh", super::RENDER)]),
    ]);
    place.script("test.sh", super::TEST);
    place
}

#[test]
fn both_fixes_are_told_and_the_other_command_is_asked_about_each() {
    let place = place();
    let also = ". ./double.sh; test \"$(double 1)\" = 2";
    let words = [
        "history",
        "--json",
        "-j1",
        "--also",
        also,
        "--",
        "./test.sh",
    ];
    let result = place.call(&words).exits(0).json()["result"].clone();
    assert_eq!(result["culprit_commit"]["subject"], "break");
    let fixes = result["fixes"].as_array().expect("a list");
    let kinds: Vec<_> = fixes.iter().map(|fix| fix["kind"].as_str()).collect();
    assert_eq!(kinds, [Some("whole"), Some("minimal")]);
    assert_eq!(result["fix_patch"], "fix.patch");
    assert_eq!(result["fix_lines"], 4);
    assert_eq!(changed_lines(&place.read("fix.patch")).len(), 4);
    assert_eq!(
        changed_lines(&place.read("fix.minimal.patch")),
        ["-    echo $(($1 * 3))", "+    echo $(($1 * 2))"]
    );
    for fix in fixes {
        git(
            place.path(),
            &["apply", "--check", fix["patch"].as_str().expect("a path")],
        );
        assert_eq!(fix["also"]["before"], "exit 1", "{fix}");
        assert_eq!(fix["also"]["after"], "exit 0", "{fix}");
    }
    place
        .call(&["history", "--", "./test.sh"])
        .exits(0)
        .prints("\nfix      fix.patch (4 lines, recommended): takes back all that ")
        .prints("\n         fix.minimal.patch (2 lines): the fewest lines that pass");
}

#[test]
fn the_smaller_fix_is_recommended_where_the_other_command_fails_with_the_whole_one() {
    let place = place();
    let also = "grep -q factor=3 double.sh";
    let words = [
        "history",
        "--json",
        "-j1",
        "--also",
        also,
        "--",
        "./test.sh",
    ];
    let result = place.call(&words).exits(0).json()["result"].clone();
    assert_eq!(result["fixes"][0]["kind"], "minimal");
    assert_eq!(result["fixes"][1]["patch"], "fix.whole.patch");
    assert_eq!(result["fix_lines"], 2);
    assert_eq!(result["also"]["after"], "exit 0");
}
