//! What a user gets.

use std::fs;
use std::process::Command;

use super::{applied, changed_lines, commit, directories, git, repository};
use crate::place::Place;

#[test]
fn one_line_among_many_commits_is_found_and_proved() {
    let place = repository();
    place
        .call(&["changes", "v1", "HEAD", "--", "./test.sh"])
        .exits(0)
        .says("good: v1 is ")
        .says("test: test.sh in the tree of each version")
        .prints("found    1 change in 1 file, 2 lines (of ")
        .prints("good + culprit fails as bad does, bad − culprit passes, all in clean trees")
        .prints("no single line can be left out")
        .prints(" Ada, ")
        .prints("step 5 is the first that fails\n")
        .prints("\n@@ -1,5 +1,5 @@ calc.sh:2: 1 line changed, cause (passes without it)\n scale() {\n-    mul");

    let culprit = place.read("culprit.patch");
    let lines = ["-    mul \"$1\" 2", "+    mul \"$1\" 3"];
    assert_eq!(changed_lines(&culprit), lines);
    git(place.path(), &["apply", "--check", "fix.patch"]);
    git(place.path(), &["checkout", "--quiet", "v1"]);
    git(place.path(), &["apply", "culprit.patch"]);
    let tested = Command::new("./test.sh").current_dir(place.path()).output();
    assert!(!tested.expect("it starts").status.success());
}

#[test]
fn the_result_as_json_has_every_promised_field() {
    let place = repository();
    let json = place
        .call(&[
            "changes",
            "v1",
            "main",
            "--json",
            "-o",
            "out",
            "--",
            "./test.sh",
        ])
        .exits(0)
        .json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["command"], "changes");
    assert_eq!(json["status"], "found");
    for name in [
        "run",
        "cancelled",
        "cached",
        "predicted",
        "pass",
        "fail",
        "unresolved",
        "same_product",
    ] {
        assert!(json["trials"][name].is_u64(), "{name}: {json}");
    }
    let result = &json["result"];
    for (name, value) in [("files", 1), ("hunks", 1), ("lines", 2)] {
        assert_eq!(result[name], value, "{name}: {json}");
    }
    assert_eq!(result["culprit_patch"], "out/culprit.patch");
    assert_eq!(result["fix_patch"], "out/fix.patch");
    assert_eq!(result["verified"]["good_plus_culprit"], "fail");
    assert_eq!(result["verified"]["bad_minus_culprit"], "pass");
    assert_eq!(result["one_minimal"], true);
    let change = &result["changes"][0];
    assert_eq!(change["file"], "calc.sh");
    assert_eq!(change["kind"], "lines");
    for name in ["old_start", "new_start"] {
        assert_eq!(change[name], 2, "{name}: {json}");
    }
    for name in ["old_lines", "new_lines"] {
        assert_eq!(change[name], 1, "{name}: {json}");
    }
    assert_eq!(change["without"], "pass");
    assert_eq!(change["commit"]["subject"], "step 5");
    assert_eq!(change["commit"]["author"], "Ada <ada@example.org>");
    let id = git(place.path(), &["rev-parse", "HEAD~3"]);
    assert_eq!(change["commit"]["id"], id.trim());
    assert!(place.file("out/culprit.patch").exists() && !place.file("culprit.patch").exists());
}

#[test]
fn two_directories_are_versions_too() {
    let place = directories(
        &[("src/a b.py", "x = 1\ny = 2\nz = 3\n"), ("README", "old\n")],
        &[
            ("src/a b.py", "x = 1\ny = 5\nz = 4\n"),
            ("README", "new\n"),
            ("more.py", "pass\n"),
        ],
    );
    place.script("test.sh", "! grep -q 'y = 5' 'src/a b.py'");
    place
        .call(&["changes", "good", "./bad/", "--", "./test.sh"])
        .exits(0)
        .says("good: good is the directory /")
        .says("without a history")
        .prints("src/a b.py:2: 1 line changed, cause")
        .prints("patch -p1 -d good < culprit.patch breaks it");
    assert_eq!(
        changed_lines(&place.read("culprit.patch")),
        ["-y = 2", "+y = 5"]
    );
    let copy = applied(&place, "good", "culprit.patch");
    assert_eq!(
        fs::read_to_string(copy.join("src/a b.py")).expect("it"),
        "x = 1\ny = 5\nz = 3\n"
    );
    let copy = applied(&place, "bad", "fix.patch");
    assert_eq!(
        fs::read_to_string(copy.join("src/a b.py")).expect("it"),
        "x = 1\ny = 2\nz = 4\n"
    );
}

#[test]
fn two_changes_that_fail_only_together_are_both_found() {
    let place = directories(
        &[
            ("a.py", "A = 1\nB = 1\nC = 1\n"),
            ("b.py", "D = 1\nE = 1\n"),
        ],
        &[
            ("a.py", "A = 1\nB = 2\nC = 2\n"),
            ("b.py", "D = 2\nE = 2\n"),
        ],
    );
    place.script(
        "test.sh",
        "! { grep -q 'B = 2' a.py && grep -q 'E = 2' b.py; }",
    );
    let json = place
        .call(&["changes", "good", "bad", "--json", "--", "./test.sh"])
        .exits(0)
        .json();
    let culprit = place.read("culprit.patch");
    assert_eq!(
        changed_lines(&culprit),
        ["-B = 1", "+B = 2", "-E = 1", "+E = 2"]
    );
    assert_eq!(json["result"]["files"], 2);
    let changes = json["result"]["changes"].as_array().expect("a list");
    assert!(
        changes.iter().all(|change| change["without"] == "pass"),
        "{json}"
    );
}

#[test]
fn what_the_cause_cannot_be_built_without_is_told_apart() {
    let place = directories(
        &[
            (
                "main.c",
                "int size(void);\nint main(void) { return size() - 4; }\n",
            ),
            ("size.c", "int size(void) { return 4; }\n"),
        ],
        &[
            (
                "main.c",
                "int size(void);\nint main(void) { return size() - 4; }\n/* more */\n",
            ),
            (
                "size.c",
                "#include \"size.h\"\nint size(void) { return SIZE; }\n",
            ),
            ("size.h", "#define SIZE 5\n"),
        ],
    );
    let words = [
        "--build",
        "gcc -o app main.c size.c",
        "--product",
        "app",
        "--",
        "./app",
    ];
    // Somebody has built it where the user stands: that is not the one to be tested.
    place.script("app", "exit 0");
    let called = place.call(&[&["changes", "good", "bad", "--json"][..], &words].concat());
    let json = called.exits(0).json();
    let changes = json["result"]["changes"].as_array().expect("a list");
    assert!(
        changes.iter().all(|change| change["file"] != "main.c"),
        "{json}"
    );
    let without = |outcome: &str| changes.iter().any(|change| change["without"] == outcome);
    assert!(without("pass") || without("unresolved"), "{json}");
    assert_eq!(json["result"]["verified"]["good_plus_culprit"], "fail");
    assert_eq!(json["result"]["verified"]["bad_minus_culprit"], "pass");
    assert!(place.read("culprit.patch").contains("+#define SIZE 5"));
}

#[test]
fn a_build_is_told_to_keep_going_and_the_test_is_not() {
    let place = directories(&[("a.txt", "good\n")], &[("a.txt", "bad\n")]);
    place.script(
        "test.sh",
        "grep -q '^k' flags || exit 125; [ -z \"$MAKEFLAGS\" ] || exit 125; grep -q good a.txt",
    );
    let build = "echo 'all: ; @echo $(MAKEFLAGS) > flags' | make -f -";
    let test = place.file("test.sh").display().to_string();
    let words = ["changes", "good", "bad", "--build", build, "--", &test];
    place.call(&words).exits(0).prints("-good");
}

#[test]
fn all_independent_culprits_are_found_when_asked_for() {
    let place = directories(
        &[("a.txt", "one\ntwo\nthree\n"), ("b.txt", "four\nfive\n")],
        &[
            ("a.txt", "one\nBAD\nthree\n"),
            ("b.txt", "four\nBAD\n"),
            ("c.txt", "new\n"),
        ],
    );
    place.script("test.sh", "! cat *.txt | grep -q BAD");
    place
        .call(&["changes", "good", "bad", "--", "./test.sh"])
        .exits(0)
        .prints("bad − culprit still fails, so there is more than this (--all)");
    let json = place
        .call(&[
            "changes",
            "good",
            "bad",
            "--all",
            "--json",
            "--",
            "./test.sh",
        ])
        .exits(0)
        .json();
    let sets = json["result"]["sets"].as_array().expect("a list");
    assert_eq!(sets.len(), 2, "{json}");
    assert_eq!(sets[1]["culprit_patch"], "culprit.2.patch");
    assert_eq!(json["result"]["verified"]["bad_minus_culprit"], "pass");
    let patches = place.read("culprit.patch") + &place.read("culprit.2.patch");
    assert!(patches.contains("a.txt") && patches.contains("b.txt") && !patches.contains("c.txt"));
    let mended = applied(&place, "bad", "fix.patch");
    let tested = Command::new(place.file("test.sh"))
        .current_dir(mended)
        .status();
    assert!(tested.expect("it starts").success());
}

#[test]
fn the_smallest_difference_to_a_version_that_passes() {
    let place = repository();
    let json = place
        .call(&[
            "changes",
            "v1",
            "HEAD",
            "--isolate",
            "--json",
            "--",
            "./test.sh",
        ])
        .exits(0)
        .json();
    let result = &json["result"];
    assert_eq!(result["lines"], 2, "{json}");
    assert_eq!(result["passing_patch"], "passing.patch");
    assert_eq!(result["verified"]["passing"], "pass");
    assert_eq!(result["verified"]["good_plus_culprit"], "fail");
    git(place.path(), &["checkout", "--quiet", "v1"]);
    git(place.path(), &["apply", "--allow-empty", "passing.patch"]);
    let passes = || Command::new("./test.sh").current_dir(place.path()).output();
    assert!(passes().expect("it starts").status.success());
    git(place.path(), &["apply", "culprit.patch"]);
    assert!(!passes().expect("it starts").status.success());
}

#[test]
fn the_work_tree_can_be_the_bad_version() {
    let place = repository();
    git(place.path(), &["checkout", "--quiet", "v1"]);
    place.write(".gitignore", "*.log\n");
    commit(&place, "ignore logs");
    place.write("big.log", "not part of it\n");
    place.write(
        "calc.sh",
        place.read("calc.sh").replace("$1 * $2", "$1 * $2 + 1"),
    );
    let words = ["changes", "HEAD", ".", "--", "./test.sh"];
    place.call(&words).exits(0).says("1 file");
    assert_eq!(
        changed_lines(&place.read("culprit.patch")),
        ["-    echo $(($1 * $2))", "+    echo $(($1 * $2 + 1))"]
    );
    // The patches that now lie there are no changes.
    place
        .call(&words)
        .exits(0)
        .says("already known")
        .says("1 file");
}

#[test]
fn a_test_beside_the_trees_and_one_in_a_directory_of_them() {
    let place = repository();
    let outside = Place::new();
    outside.script("test.sh", ". ./calc.sh; test \"$(scale 1)\" = 2");
    let script = outside.file("test.sh");
    let words = [
        "changes",
        "v1",
        "HEAD",
        "--",
        script.to_str().expect("text"),
    ];
    place.call(&words).exits(0).prints("calc.sh:2:");

    fs::create_dir(place.file("tools")).expect("room");
    place.script("tools/own.sh", "exec ./test.sh");
    // Not part of any version: the one of the directory that the user is in.
    let mut command = place.command(&["changes", "v1", "HEAD", "--", "./own.sh"]);
    let output = command
        .current_dir(place.file("tools"))
        .output()
        .expect("yester starts");
    crate::place::called(output)
        .exits(0)
        .prints("calc.sh:2:")
        .prints("on HEAD: git -C .. apply tools/fix.patch takes it out");
}

#[test]
fn commits_that_do_not_work_do_not_stop_the_search() {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    let write = |limit: u32, broken: bool, notes: u32| {
        let syntax = if broken { "if then\n" } else { "" };
        place.write(
            "limit.sh",
            format!("{syntax}limit() {{\n    echo {limit}\n}}\n"),
        );
        place.write("notes.txt", "note\n".repeat(notes as usize));
    };
    place.script(
        "test.sh",
        "got=$(sh -c '. ./limit.sh; limit') || exit 125; test \"$got\" = 10",
    );
    write(10, false, 0);
    commit(&place, "start");
    git(place.path(), &["tag", "v1"]);
    // The middle of the history, where a bisection looks first, gives no answer.
    for (number, limit, broken) in [
        (1, 10, false),
        (2, 10, false),
        (3, 10, true),
        (4, 10, true),
        (5, 12, true),
        (6, 12, false),
        (7, 12, false),
    ] {
        write(limit, broken, number);
        commit(&place, &format!("step {number}"));
    }
    place
        .call(&["changes", "v1", "main", "--", "./test.sh"])
        .exits(0)
        .prints("bad − culprit passes");
    let culprit = place.read("culprit.patch");
    assert_eq!(changed_lines(&culprit), ["-    echo 10", "+    echo 12"]);
}

#[test]
fn what_a_merge_brought_in_is_found_in_its_branch() {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    place.write("a.txt", "one\ntwo\nthree\n");
    place.script("test.sh", "grep -qx two a.txt");
    commit(&place, "start");
    git(place.path(), &["tag", "v1"]);
    git(place.path(), &["checkout", "--quiet", "-b", "side"]);
    for step in 1..=5 {
        if step == 3 {
            place.write("a.txt", "one\n2\nthree\n");
        }
        place.write(&format!("side{step}.txt"), "more\n");
        commit(&place, &format!("side {step}"));
    }
    git(place.path(), &["checkout", "--quiet", "main"]);
    for step in 1..=3 {
        place.write(&format!("main{step}.txt"), "more\n");
        commit(&place, &format!("main {step}"));
    }
    git(
        place.path(),
        &["merge", "--quiet", "--no-ff", "-m", "merge side", "side"],
    );
    place.write("last.txt", "more\n");
    commit(&place, "last");
    let json = place
        .call(&["changes", "v1", "main", "--json", "--", "./test.sh"])
        .exits(0)
        .json();
    let culprit = place.read("culprit.patch");
    assert_eq!(changed_lines(&culprit), ["-two"]);
    let result = &json["result"];
    assert_eq!(result["commit"]["subject"], "side 3", "{json}");
    assert_eq!(
        result["changes"][0]["commit"]["subject"], "side 3",
        "{json}"
    );
}

#[test]
fn the_algorithms_of_the_paper_find_and_prove_the_same_line() {
    for algorithm in ["dd", "dd+"] {
        let place = repository();
        let words = ["changes", "v1", "HEAD", "--algorithm", algorithm, "--json"];
        let json = place
            .call(&[&words[..], &["--", "./test.sh"]].concat())
            .exits(0)
            .json();
        let culprit = place.read("culprit.patch");
        let lines = ["-    mul \"$1\" 2", "+    mul \"$1\" 3"];
        assert_eq!(changed_lines(&culprit), lines, "{algorithm}");
        assert_eq!(json["result"]["verified"]["good_plus_culprit"], "fail");
        assert_eq!(json["result"]["verified"]["bad_minus_culprit"], "pass");
        // The paper knows no commits: those of the lines are told, but none was searched.
        assert!(json["result"]["commit"].is_null());
        assert_eq!(json["result"]["changes"][0]["commit"]["subject"], "step 5");
        assert!(!place.file("passing.patch").exists());
    }
}

#[test]
fn changes_that_fail_only_with_others_come_with_the_version_that_passes() {
    // What the paper finds is the call; without the function that came with it there is no answer.
    let good = [("main.sh", "echo start\n\n\n\n\n\n\n\n\necho end\n")];
    let bad = [(
        "main.sh",
        "echo start\nwrong() { exit 1; }\n\n\n\n\n\n\n\n\nwrong 2\necho end\n",
    )];
    let place = directories(&good, &bad);
    place.script(
        "test.sh",
        "grep -q '^wrong 2' main.sh && ! grep -q '^wrong()' main.sh && exit 125\nsh main.sh | grep -q end",
    );
    let words = ["changes", "good", "bad", "--algorithm", "dd+", "--json"];
    let json = place
        .call(&[&words[..], &["--", "./test.sh"]].concat())
        .exits(0)
        .json();
    assert_eq!(json["result"]["verified"]["passing"], "pass");
    assert_eq!(json["result"]["verified"]["good_plus_culprit"], "fail");
    assert!(place.read("passing.patch").contains("+wrong() { exit 1; }"));
    assert_eq!(changed_lines(&place.read("culprit.patch")), ["+wrong 2"]);
}
