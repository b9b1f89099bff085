//! What is found, and how the way there is told.

use super::{LOAD, RENDER, RIGHT, TEST, WRONG, repository, revision, young_test};
use crate::changes::{changed_lines, commit, git};
use crate::place::Place;

const CALL: [&str; 5] = ["history", "--json", "-j1", "--", "./test.sh"];

#[test]
fn the_commit_is_found_though_the_test_needs_what_came_later() {
    let place = young_test();
    let json = place.call(&CALL).exits(0).json();
    let result = &json["result"];
    assert_eq!(json["status"], "found");
    assert_eq!(result["culprit_commit"]["subject"], "break");
    assert_eq!(result["good"], revision(&place, "HEAD~4"));
    assert_eq!(result["bad"], revision(&place, "HEAD~3"));
    assert_eq!(result["lines"], 2);
    assert_eq!(result["changes"][0]["file"], "double.sh");
    assert_eq!(result["changes"][0]["new_start"], 2);
    assert_eq!(result["verified"]["good"], "pass");
    assert_eq!(result["verified"]["good_plus_culprit"], "fail");
    assert_eq!(result["verified"]["fixed"], "pass");
    assert_eq!(result["revisions"], 5);
    // Both that the test lacked, one after the other, and the second patch has the first in it.
    let borders = result["borders"].as_array().expect("a list");
    let revisions: Vec<&str> = borders
        .iter()
        .map(|border| border["revision"].as_str().expect("an id"))
        .collect();
    assert_eq!(
        revisions,
        [revision(&place, "HEAD~2"), revision(&place, "HEAD~3")]
    );
    assert_eq!(borders[0]["patch_after"], 3);
    assert_eq!(borders[1]["patch_after"], 6);
    // The patches do what they say.
    git(place.path(), &["checkout", "--quiet", "--force", "HEAD~4"]);
    git(place.path(), &["apply", "backport.patch"]);
    assert_eq!(place.read("load.sh"), LOAD);
    assert_eq!(place.read("render.sh"), RENDER);
    git(place.path(), &["apply", "culprit.patch"]);
    assert_eq!(place.read("double.sh"), WRONG);
    git(place.path(), &["checkout", "--quiet", "--force", "main"]);
    git(place.path(), &["apply", "fix.patch"]);
    assert_eq!(place.read("double.sh"), RIGHT);
}

#[test]
fn the_text_tells_the_way() {
    let place = young_test();
    let commit = &revision(&place, "HEAD~3")[..10];
    let good = &revision(&place, "HEAD~4")[..10];
    place
        .call(&["history", "--", "./test.sh"])
        .exits(0)
        .says("HEAD is ")
        .says("5 revisions down to ")
        .says("no longer fails as before; ")
        .prints("found    1 change in 1 file, 2 lines in ")
        .prints(&format!("commit   {commit} Ada, "))
        .prints(&format!("good     {good}\n"))
        .prints("backport backport.patch (6 lines)\n")
        .prints("fix      fix.patch (2 lines)\n")
        .prints("good + backport passes, good + backport + culprit fails, with the fix it passes, all in clean trees")
        .prints("next     git apply fix.patch mends HEAD\n")
        .prints("\n< ")
        .prints("-    echo $(($1 * 2))\n+    echo $(($1 * 3))\n");
}

#[test]
fn any_number_of_jobs_and_the_plain_walk_give_the_same_answer() {
    let answer = |flags: &[&str]| {
        let place = young_test();
        let words = [&["history", "--json"], flags, &["--", "./test.sh"]].concat();
        let json = place.call(&words).exits(0).json();
        let result = &json["result"];
        (
            result["changes"].clone(),
            result["culprit_commit"]["subject"].clone(),
            place.read("fix.patch"),
        )
    };
    let one = answer(&["-j1"]);
    assert_eq!(one.1, "break");
    assert_eq!(answer(&["-j4"]).0[0]["new_start"], one.0[0]["new_start"]);
    let (changes, subject, fix) = answer(&["--plain"]);
    assert_eq!(subject, one.1);
    assert_eq!(changes[0]["file"], one.0[0]["file"]);
    assert_eq!(changed_lines(&fix), changed_lines(&one.2));
}

#[test]
fn the_users_tree_stays_as_it_is() {
    let place = young_test();
    place.write("double.sh", "my own work\n");
    place.write("untracked.txt", "mine\n");
    git(place.path(), &["add", "untracked.txt"]);
    let before = git(
        place.path(),
        &["status", "--porcelain", "--", ":!*.patch", ":!.yester"],
    );
    let head = place.read(".git/HEAD");
    place.call(&["history", "--", "./test.sh"]).exits(0);
    let after = git(
        place.path(),
        &["status", "--porcelain", "--", ":!*.patch", ":!.yester"],
    );
    assert_eq!(before, after);
    assert_eq!(place.read(".git/HEAD"), head);
    assert_eq!(place.read("double.sh"), "my own work\n");
}

#[test]
fn a_run_that_was_stopped_goes_on_and_says_how_far_it_got() {
    let place = young_test();
    let limited = place
        .call(&[
            "history",
            "--json",
            "-j1",
            "--max-trials",
            "6",
            "--",
            "./test.sh",
        ])
        .exits(3)
        .json();
    assert_eq!(limited["status"], "limit");
    assert!(limited["result"]["good"].is_null());
    assert_eq!(limited["result"]["revisions"], 5);
    let json = place.call(&CALL).exits(0).says("already known").json();
    let whole = young_test().call(&CALL).exits(0).json();
    assert_eq!(json["result"]["culprit_commit"]["subject"], "break");
    assert_eq!(json["trials"]["run"], whole["trials"]["run"]);
    assert_eq!(json["result"]["trials"], whole["result"]["trials"]);
}

#[test]
fn where_nothing_passes_that_is_the_answer() {
    let place = repository(&[
        ("start", &[("double.sh", WRONG), ("load.sh", LOAD)]),
        ("more", &[("notes.txt", "1\n")]),
        ("render", &[("render.sh", RENDER)]),
    ]);
    place.script("test.sh", TEST);
    let json = place.call(&CALL).exits(1).json();
    assert_eq!(json["status"], "nothing");
    let result = &json["result"];
    assert!(result["good"].is_null() && result["culprit_commit"].is_null());
    assert_eq!(result["bad"], revision(&place, "HEAD~2"));
    assert_eq!(result["borders"].as_array().map(Vec::len), Some(1));
    assert!(place.read("backport.patch").contains("render()"));
    assert!(!place.file("fix.patch").exists());
    place
        .call(&["history", "--", "./test.sh"])
        .exits(1)
        .prints("nothing  no revision passes: with the patches that they need, all fail as the newest one does")
        .prints("still fails, of 3 revisions\n");
}

#[test]
fn what_breaks_it_may_come_together_with_what_the_test_needs() {
    let both = format!("{WRONG}\n{LOAD}");
    let right = format!("{RIGHT}\n");
    let place = repository(&[
        ("start", &[("double.sh", &right), ("render.sh", RENDER)]),
        ("notes", &[("notes.txt", "1\n")]),
        ("load and break", &[("double.sh", &both)]),
        ("later", &[("notes.txt", "1\n2\n")]),
    ]);
    place.script("test.sh", &TEST.replace(". ./load.sh && ", ""));
    let result = &place.call(&CALL).exits(0).json()["result"];
    assert_eq!(result["culprit_commit"]["subject"], "load and break");
    assert_eq!(result["lines"], 2);
    assert_eq!(result["changes"][0]["new_start"], 2);
    assert_eq!(result["verified"]["fixed"], "pass");
}

#[test]
fn renamed_reindented_and_broken_revisions_are_no_obstacle() {
    let tabs = WRONG.replace("    ", "\t");
    let place = repository(&[
        ("start", &[("src/calc.sh", RIGHT), ("load.sh", LOAD)]),
        ("break", &[("src/calc.sh", WRONG)]),
        ("does not parse", &[("load.sh", "load() {\n")]),
        ("parses again", &[("load.sh", LOAD)]),
        ("tabs", &[("src/calc.sh", &tabs)]),
        ("rename", &[("src/calc.sh", ""), ("double.sh", &tabs)]),
        ("render", &[("double.sh", &format!("{tabs}\n{RENDER}"))]),
        ("later", &[("notes.txt", "1\n")]),
    ]);
    let test = TEST.replace(" && . ./render.sh", "").replace(
        ". ./double.sh",
        "{ . ./double.sh || . ./src/calc.sh; } 2>/dev/null",
    );
    place.script("test.sh", &test);
    let result = &place.call(&CALL).exits(0).json()["result"];
    assert_eq!(result["culprit_commit"]["subject"], "break");
    assert_eq!(result["lines"], 2);
    assert_eq!(result["verified"]["fixed"], "pass");
}

#[test]
fn a_fix_is_ported_through_changes_of_the_same_lines() {
    let rewritten = "double() {\n    local number=$1\n    echo \"$((number * 3))\"\n}\n";
    let place = repository(&[
        (
            "start",
            &[
                ("double.sh", RIGHT),
                ("load.sh", LOAD),
                ("render.sh", RENDER),
            ],
        ),
        ("break", &[("double.sh", WRONG)]),
        ("notes", &[("notes.txt", "1\n")]),
        ("rewrite", &[("double.sh", rewritten)]),
        ("later", &[("notes.txt", "1\n2\n")]),
    ]);
    place.script("test.sh", TEST);
    let result = &place.call(&CALL).exits(0).json()["result"];
    assert_eq!(result["culprit_commit"]["subject"], "break");
    assert_eq!(result["verified"]["fixed"], "pass");
    let borders = result["borders"].as_array().expect("a list");
    assert_eq!(borders.len(), 1);
    assert_eq!(borders[0]["direction"], "forward");
    assert_eq!(borders[0]["revision"], revision(&place, "HEAD~1"));
    git(place.path(), &["apply", "fix.patch"]);
    let status = std::process::Command::new(place.file("test.sh"))
        .current_dir(place.path())
        .status();
    assert!(status.expect("it starts").success());
}

#[test]
fn carried_files_are_those_of_the_work_tree() {
    let place = repository(&[
        (
            "start",
            &[
                ("double.sh", RIGHT),
                ("load.sh", LOAD),
                ("render.sh", RENDER),
            ],
        ),
        ("break", &[("double.sh", WRONG)]),
        ("test", &[("check.sh", "exit 1\n")]),
    ]);
    place.write("check.sh", TEST);
    let words = [
        "history", "--json", "--carry", "check.sh", "--", "sh", "check.sh",
    ];
    let result = &place.call(&words).exits(0).json()["result"];
    assert_eq!(result["culprit_commit"]["subject"], "break");
    assert!(result["backport_patch"].is_null());
    // A test that the command names needs no flag, and is taken as it was committed.
    std::fs::create_dir(place.file("tests")).expect("room");
    place.write("tests/x.sh", TEST);
    commit(&place, "a test");
    place.write("tests/x.sh", "exit 0\n");
    let words = ["history", "--json", "--fresh", "--", "sh", "tests/x.sh"];
    let called = place.call(&words).exits(0);
    let called = called.says("tests/x.sh is the same in all revisions");
    assert_eq!(
        called.json()["result"]["culprit_commit"]["subject"],
        "break"
    );
}

#[test]
fn pinned_files_are_never_part_of_a_patch() {
    let place = young_test();
    place
        .call(&["history", "--pin", "render.sh", "--", "./test.sh"])
        .exits(1)
        .prints("without touching pinned files");
}

#[test]
fn the_range_can_be_a_revision_a_number_or_a_date() {
    let place = young_test();
    let first = revision(&place, "HEAD~4");
    let with = |until: &str| {
        let words = [
            "history",
            "--json",
            "--fresh",
            "--until",
            until,
            "--",
            "./test.sh",
        ];
        place.call(&words)
    };
    assert_eq!(with(&first).exits(0).json()["result"]["revisions"], 5);
    assert_eq!(with("4").exits(0).json()["result"]["revisions"], 5);
    assert_eq!(with("1 year ago").exits(0).json()["result"]["revisions"], 5);
    let short = with("HEAD~1").exits(1).json();
    assert_eq!(short["result"]["revisions"], 2);
    let later = place.call(&["history", "--json", "--from", "HEAD~1", "--", "./test.sh"]);
    assert_eq!(later.exits(0).json()["result"]["revisions"], 4);
}

#[test]
fn another_command_is_asked_about_the_fix() {
    // What broke the test has mended something else.
    let other =
        "echo \"$(. ./double.sh; double 2)\" | grep -q 6 || { echo 'error: 6 is wanted'; exit 7; }";
    let place = young_test();
    let words = ["history", "--json", "--also", other, "--", "./test.sh"];
    let also = place.call(&words).exits(0).json()["result"]["also"].clone();
    assert_eq!(also["before"], "exit 0");
    assert_eq!(also["after"], "exit 7");
    assert_eq!(also["broken"][0], "error: 6 is wanted");
    let words = ["history", "--also", "true", "--", "./test.sh"];
    young_test()
        .call(&words)
        .exits(0)
        .prints("also     the other command passes with the fix\n");
}

#[test]
fn another_failure_on_the_way_is_not_the_same() {
    // Before the value was wrong by one half, it was wrong by twice.
    let place = repository(&[
        (
            "start",
            &[
                ("double.sh", RIGHT),
                ("load.sh", LOAD),
                ("render.sh", RENDER),
            ],
        ),
        (
            "wrong otherwise",
            &[("double.sh", &WRONG.replace('3', "4"))],
        ),
        ("break", &[("double.sh", WRONG)]),
    ]);
    place.script("test.sh", TEST);
    let result = place.call(&CALL).exits(0).json()["result"].clone();
    // The patch that brings the failure back is the wrong line itself, so the revision before it passes without.
    assert_eq!(result["verified"]["good"], "pass");
    assert_eq!(result["good"], revision(&place, "HEAD~2"));
}

fn broken_link_place() -> Place {
    let place = young_test();
    std::os::unix::fs::symlink("nowhere", place.file("link")).expect("a link");
    commit(&place, "a link that leads nowhere");
    place
}

#[test]
fn odd_trees_are_trees() {
    let place = broken_link_place();
    place.write("name with 'quotes' and blanks.txt", "x\n");
    place.write("empty.txt", "");
    place.write("binary.bin", [0u8, 255, 10, 13]);
    commit(&place, "odd names");
    let result = place.call(&CALL).exits(0).json()["result"].clone();
    assert_eq!(result["culprit_commit"]["subject"], "break");
}

#[test]
fn a_bug_that_came_with_the_repair_of_another_is_blamed_on_its_own_commit() {
    // Next to each other, so that one hunk has both.
    let lib = |part: &str, strip: &str| format!("keep() {{\n    {part}\n    {strip}\n}}\n");
    let (right, other) = ("test -n \"$1\"", "test -n \"$1\" || true; echo odd");
    let (good, bad) = ("echo \"<$1>\"", "echo \"<$1.>\"");
    let place = repository(&[
        ("start", &[("lib.sh", &lib(right, good))]),
        ("notes", &[("notes.txt", "1\n")]),
        ("another bug", &[("lib.sh", &lib(other, good))]),
        ("more notes", &[("notes.txt", "1\n2\n")]),
        ("mend and break", &[("lib.sh", &lib(right, bad))]),
        ("later", &[("notes.txt", "1\n2\n3\n")]),
    ]);
    place.script(
        "test.sh",
        ". ./lib.sh\nout=$(keep a)\ntest \"$out\" = '<a>' || { echo \"error: $out\"; exit 1; }",
    );
    let result = place.call(&CALL).exits(0).json()["result"].clone();
    assert_eq!(result["culprit_commit"]["subject"], "mend and break");
    assert_eq!(result["lines"], 2);
    assert_eq!(result["changes"][0]["new_start"], 3);
}

#[test]
fn of_a_bug_that_came_back_the_last_life_is_the_answer() {
    let mut steps: Vec<(String, Vec<(&str, String)>)> = Vec::new();
    let base = [("load.sh", LOAD), ("render.sh", RENDER)];
    let mut start: Vec<(&str, String)> = base.map(|(path, text)| (path, text.to_owned())).into();
    start.push(("double.sh", RIGHT.to_owned()));
    steps.push(("start".to_owned(), start));
    for (message, text) in [("break", WRONG), ("mend", RIGHT), ("break again", WRONG)] {
        steps.push((message.to_owned(), vec![("double.sh", text.to_owned())]));
        for note in 0..6 {
            let file = ("notes.txt", format!("{message} {note}\n"));
            steps.push((format!("{message}, note {note}"), vec![file]));
        }
    }
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    for (message, files) in &steps {
        for (path, content) in files {
            place.write(path, content);
        }
        commit(&place, message);
    }
    place.script("test.sh", TEST);
    let result = place.call(&CALL).exits(0).json()["result"].clone();
    assert_eq!(result["culprit_commit"]["subject"], "break again");
    assert_eq!(result["lines"], 2);
}

#[test]
fn a_command_is_not_run_where_its_files_are_not() {
    let place = repository(&[
        ("start", &[("double.sh", RIGHT), ("tests/x.sh", "exit 1\n")]),
        ("more", &[("double.sh", WRONG)]),
    ]);
    let mut command = place.command(&["history", "--", "sh", "x.sh"]);
    let output = command.current_dir(place.file("tests")).output();
    let called = crate::place::called(output.expect("yester starts")).exits(2);
    called
        .says("the command runs in the root of the tree, where there is no x.sh")
        .says("write tests/x.sh instead");
}

#[test]
fn a_fix_that_takes_out_what_the_test_names_is_doubted() {
    let place = repository(&[
        ("start", &[("double.sh", "one() {\n    echo 1\n}\n")]),
        ("notes", &[("notes.txt", "1\n")]),
        (
            "double",
            &[(
                "double.sh",
                "one() {\n    echo 1\n}\n\ndouble() {\n    echo 1\n}\n",
            )],
        ),
    ]);
    // It skips itself where there is nothing to test.
    let test = ". ./double.sh\ncommand -v double >/dev/null || exit 0\ntest \"$(double 3)\" = 6 || { echo 'error: wrong'; exit 1; }";
    place.script("test.sh", test);
    let result = place.call(&CALL).exits(0).json()["result"].clone();
    assert_eq!(result["culprit_commit"]["subject"], "double");
    let note = result["notes"][0].as_str().expect("a note");
    assert!(
        note.starts_with("the fix takes out double, which the test names"),
        "{note}"
    );
}

/// Git says that objects of old revisions are missing, wherever these are.
#[test]
fn a_revision_that_cannot_be_read_is_skipped() {
    for revision in 1..=3 {
        for part in ["^{tree}", ":notes.txt"] {
            let place = young_test();
            let object = super::revision(&place, &format!("HEAD~{revision}{part}"));
            let (directory, name) = object.split_at(2);
            let object = format!(".git/objects/{directory}/{name}");
            std::fs::remove_file(place.file(&object)).expect("it is a file of its own");
            let called = place.call(&CALL);
            let told = format!("{revision}{part}: {}{}", called.stdout, called.stderr);
            assert!(matches!(called.code, 0 | 4), "{told}");
            let result = &called.json()["result"];
            assert_eq!(
                result["changes"][0]["file"], "double.sh",
                "{revision}{part}"
            );
        }
    }
}

#[test]
fn of_a_history_with_a_missing_commit_the_part_that_is_there_is_searched() {
    let place = young_test();
    let commit = revision(&place, "HEAD~4");
    let (directory, name) = commit.split_at(2);
    let object = format!(".git/objects/{directory}/{name}");
    std::fs::remove_file(place.file(&object)).expect("it is a file of its own");
    // The commit that is missing is the only one that passes.
    let called = place.call(&CALL);
    let told = &called.stderr;
    let note = format!("commit {commit} is missing from the repository");
    assert!(told.contains(&note), "{told}");
    assert_eq!(called.json()["status"], "nothing");
}
