//! Of several fixes, which is which.

use serde_json::Value;

use super::merge::step;
use super::{changed_lines, commit, git};
use crate::place::Place;

/// What `scale` does, with its first and its last line.
fn scale(first: &str, last: &str) -> String {
    format!(
        "scale() {{\n    {first}\n    local middle=1\n    local more=2\n    {last}\n}}\n\nother() {{\n    echo 1\n}}\n"
    )
}

/// A commit that breaks `scale` by its last line and changes its first one too.
fn place() -> Place {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    place.script(
        "test.sh",
        ". ./calc.sh; out=$(scale 3) || exit 125\ntest \"$out\" = 6 || { echo \"error: $out\"; exit 1; }",
    );
    step(
        &place,
        "calc.sh",
        &scale("local factor=2", "echo $(($1 * 2))"),
        "start",
    );
    git(place.path(), &["tag", "v1"]);
    step(
        &place,
        "calc.sh",
        &scale("local factor=3", "echo $(($1 * 3))"),
        "break",
    );
    step(&place, "notes.txt", "later\n", "later");
    place
}

#[track_caller]
fn changes(place: &Place, flags: &[&str]) -> Value {
    let words = ["changes", "v1", "main", "--json", "-j1"];
    let words = [&words[..], flags, &["--", "./test.sh"]].concat();
    place.call(&words).exits(0).json()
}

#[test]
fn all_that_the_commit_changed_in_the_function_is_the_fix_and_the_fewest_lines_are_beside_it() {
    let place = place();
    let json = changes(&place, &[]);
    let fixes = json["result"]["fixes"].as_array().expect("a list");
    let told: Vec<_> = fixes
        .iter()
        .map(|fix| {
            (
                &fix["patch"],
                &fix["kind"],
                &fix["lines"],
                &fix["recommended"],
            )
        })
        .collect();
    let expected = serde_json::json!([
        ["fix.patch", "whole", 4, true],
        ["fix.minimal.patch", "minimal", 2, false]
    ]);
    assert_eq!(serde_json::to_value(told).expect("JSON"), expected);
    assert_eq!(json["result"]["fix_patch"], "fix.patch");
    assert_eq!(json["result"]["verified"]["taken_out_lines"], 2);
    assert!(json["result"]["also"].is_null());
    let whole = place.read("fix.patch");
    assert_eq!(
        changed_lines(&whole),
        [
            "-    local factor=3",
            "+    local factor=2",
            "-    echo $(($1 * 3))",
            "+    echo $(($1 * 2))"
        ]
    );
    let minimal = place.read("fix.minimal.patch");
    assert_eq!(
        changed_lines(&minimal),
        ["-    echo $(($1 * 3))", "+    echo $(($1 * 2))"]
    );
    for patch in ["fix.patch", "fix.minimal.patch"] {
        git(place.path(), &["apply", "--check", patch]);
    }
    let short = &git(place.path(), &["rev-parse", "HEAD~1"])[..10];
    place
        .call(&["changes", "v1", "main", "--", "./test.sh"])
        .exits(0)
        .prints(&format!(
            "\nfix      fix.patch (4 lines, recommended): takes back all that {short} changed there\n"
        ))
        .prints("\n         fix.minimal.patch (2 lines): the fewest lines that pass, which may do no more than hide the failure\n");
}

#[test]
fn a_commit_that_did_nothing_else_there_has_one_fix() {
    let place = place();
    step(
        &place,
        "calc.sh",
        &scale("local factor=2", "echo $(($1 * 2))"),
        "mend",
    );
    git(place.path(), &["tag", "--force", "v1"]);
    let broken = scale("local factor=2 # two", "echo $(($1 * 3))");
    let elsewhere = broken.replace("echo 1", "echo 7");
    step(&place, "calc.sh", &elsewhere, "break again");
    place.write(
        "fix.minimal.patch",
        "# yester changes: of an earlier answer\n",
    );
    let json = changes(&place, &[]);
    let fixes = json["result"]["fixes"].as_array().expect("a list");
    assert_eq!(fixes.len(), 1, "comments and other functions do not count");
    assert_eq!(fixes[0]["kind"], "whole");
    assert!(!place.file("fix.minimal.patch").exists());
}

#[test]
fn a_whole_reversal_that_was_not_seen_to_pass_is_not_offered() {
    let touched = place();
    step(
        &touched,
        "calc.sh",
        &scale("local factor=4", "echo $(($1 * 3))"),
        "touch it",
    );
    let called = touched.call(&["changes", "v1", "main", "--", "./test.sh"]);
    called.exits(0).prints(
        "fix      fix.patch (2 lines): the fewest lines that pass; later changes touch what else ",
    );
    assert!(!touched.file("fix.minimal.patch").exists());

    let place = place();
    place.script(
        "test.sh",
        ". ./calc.sh; grep -q needs-3 notes.txt && ! grep -q factor=3 calc.sh && exit 125\n\
         test \"$(scale 3)\" = 6 || { echo \"error: $(scale 3)\"; exit 1; }",
    );
    place.write("notes.txt", "needs-3\n");
    commit(&place, "need it");
    let words = [
        "changes",
        "v1",
        "main",
        "--carry",
        "test.sh",
        "--",
        "./test.sh",
    ];
    place
        .call(&words)
        .exits(0)
        .prints(" changed there, the test gives no answer\n");
    assert!(!place.file("fix.minimal.patch").exists());
}

#[test]
fn another_command_is_asked_about_each_fix() {
    let place = place();
    let also = ". ./calc.sh; test \"$(scale 1)\" = 2 || { echo 'error: wrong'; exit 7; }";
    let result = &changes(&place, &["--also", also])["result"];
    for fix in result["fixes"].as_array().expect("a list") {
        assert_eq!(fix["also"]["before"], "exit 7", "{fix}");
        assert_eq!(fix["also"]["after"], "exit 0", "{fix}");
    }
    assert_eq!(result["also"], result["fixes"][0]["also"]);

    // Where the whole one breaks something else, the smaller one is recommended.
    let also = "grep -q factor=3 calc.sh || { echo 'error: factor=3 is wanted'; exit 7; }";
    let result = &changes(&place, &["--also", also])["result"];
    let fixes = &result["fixes"];
    assert_eq!(fixes[0]["kind"], "minimal");
    assert_eq!(fixes[0]["patch"], "fix.patch");
    assert_eq!(fixes[1]["patch"], "fix.whole.patch");
    assert_eq!(fixes[1]["also"]["broken"][0], "error: factor=3 is wanted");
    assert_eq!(changed_lines(&place.read("fix.patch")).len(), 2);
    assert!(!place.file("fix.minimal.patch").exists());
    place
        .call(&["changes", "v1", "main", "--also", also, "--", "./test.sh"])
        .exits(0)
        .prints("fix      fix.patch (2 lines, recommended): the fewest lines that pass; the other command is worse off")
        .prints("\nalso     fix.patch: the other command passes with the fix\n")
        .prints("\nalso     fix.whole.patch: the other command ends with exit 7 with the fix, exit 0 without; 1 line only then:\n");
    place
        .call(&["changes", "v1", "main", "--also", "", "--", "./test.sh"])
        .exits(2)
        .says("--also needs a command");
}

#[test]
fn directories_have_no_commit_to_take_back() {
    let good = scale("local factor=2", "echo $(($1 * 2))");
    let bad = scale("local factor=3", "echo $(($1 * 3))");
    let place = super::directories(&[("calc.sh", &good)], &[("calc.sh", &bad)]);
    place.script("test.sh", ". ./calc.sh; test \"$(scale 3)\" = 6");
    let words = [
        "changes",
        "good",
        "bad",
        "--json",
        "--also",
        "true",
        "--",
        "./test.sh",
    ];
    let result = &place.call(&words).exits(0).json()["result"];
    assert_eq!(result["fixes"].as_array().map(Vec::len), Some(1));
    assert_eq!(result["fixes"][0]["kind"], "minimal");
    assert_eq!(result["also"]["after"], "exit 0");
}
