//! Wrong use gets an answer that helps.

use super::{commit, directories, git, repository};
use crate::place::Place;

#[test]
fn the_wrong_way_round() {
    repository()
        .call(&["changes", "HEAD", "v1", "--", "./test.sh"])
        .exits(1)
        .says("the good version fails and the bad one passes")
        .says("hint: GOOD comes first: yester changes v1 HEAD");
}

#[test]
fn a_good_version_that_fails() {
    repository()
        .call(&["changes", "HEAD~1", "HEAD", "--", "./test.sh"])
        .exits(1)
        .says("the good version fails as the bad one does")
        .says("cd .yester/changes-HEAD_1..HEAD-")
        .says("# exit 1")
        .says("wrong scale")
        .says("hint: choose an older version that passes instead of HEAD~1");
}

#[test]
fn a_bad_version_that_passes() {
    let place = repository();
    let called = place.call(&["changes", "v1", "HEAD~4", "--", "./test.sh"]);
    let called = called
        .exits(1)
        .says("the bad version passes")
        .says("# exit 0");
    assert_eq!(called.stdout, "");
    // Mending it and calling again is no going on with what was seen before.
    let called = place.call(&["changes", "v1", "HEAD~4", "--json", "--", "./test.sh"]);
    let json = called.exits(1).json();
    assert_eq!(json["status"], "nothing");
    assert!(
        json["result"].is_null() && json["trials"]["cached"] == 0,
        "{json}"
    );
}

#[test]
fn versions_that_are_the_same() {
    repository()
        .call(&["changes", "HEAD", "main", "--", "./test.sh"])
        .exits(1)
        .says("HEAD and main are the same");
    let place = directories(&[("a", "x")], &[("a", "x")]);
    place
        .call(&["changes", "good", "bad", "--", "true"])
        .exits(1)
        .says("there is no change to blame");
}

#[test]
fn revisions_and_directories_that_are_not_there() {
    let place = repository();
    place
        .call(&["changes", "v1", "v99", "--", "./test.sh"])
        .exits(2)
        .says("'v99' is neither a directory nor a revision of this repository");
    place
        .call(&["changes", "./v1", "HEAD", "--", "./test.sh"])
        .exits(2)
        .says("there is no directory './v1'");
    place
        .call(&["changes", "./calc.sh", "HEAD", "--", "./test.sh"])
        .exits(2)
        .says("'./calc.sh' is a file");
    Place::new()
        .call(&["changes", "v1", "HEAD", "--", "true"])
        .exits(2)
        .says("'v1' is not a directory")
        .says("hint: it cannot be a revision either");
}

#[test]
fn a_word_that_is_a_directory_and_a_revision() {
    let place = repository();
    std::fs::create_dir(place.file("v1")).expect("room");
    place
        .call(&["changes", "v1", "HEAD", "--", "./test.sh"])
        .exits(2)
        .says("'v1' is a directory and a revision")
        .says("hint: ./v1 is the directory, v1~0 is the revision");
    place
        .call(&["changes", "v1~0", "HEAD", "--", "./test.sh"])
        .exits(0);
}

#[test]
fn no_common_history_is_no_obstacle() {
    let place = repository();
    git(
        place.path(),
        &["checkout", "--quiet", "--orphan", "island", "v1"],
    );
    place.write(
        "calc.sh",
        place.read("calc.sh").replace("$1 * $2", "$1 - $2"),
    );
    commit(&place, "start anew");
    place
        .call(&["changes", "v1", "island", "--", "./test.sh"])
        .exits(0)
        .says("v1 and island have no common history; their trees are compared")
        .prints("calc.sh:6: 1 line changed");
}

#[test]
fn a_test_that_the_good_version_does_not_have() {
    let place = repository();
    std::fs::create_dir(place.file("tests")).expect("room");
    place.script("tests/new.sh", "exec sh check.sh");
    place.write("tests/plain.sh", ". ./check.sh\n");
    commit(&place, "new test");
    place
        .call(&["changes", "v1", "HEAD", "--", "tests/new.sh"])
        .exits(1)
        .says("v1 cannot be tested: tests/new.sh is in HEAD only")
        .says("hint: --carry tests/new.sh puts it into all versions");
    place
        .call(&["changes", "v1", "HEAD", "--", "sh", "tests/plain.sh"])
        .exits(1)
        .says("hint: tests/plain.sh is in HEAD only: --carry tests/plain.sh");
    let carry = ["changes", "v1", "HEAD", "--json", "--carry"];
    for test in [
        &["tests/new.sh", "--", "tests/new.sh"][..],
        &["tests", "--", "sh", "tests/plain.sh"],
    ] {
        let json = place.call(&[&carry[..], test].concat()).exits(0).json();
        assert_eq!(json["result"]["files"], 1, "{json}");
        assert_eq!(json["result"]["changes"][0]["commit"]["subject"], "step 5");
    }
    place
        .call(&[
            "changes",
            "v1",
            "HEAD",
            "--carry",
            "nowhere",
            "--",
            "./test.sh",
        ])
        .exits(2)
        .says("HEAD has no nowhere to be carried");
}

#[test]
fn a_test_that_is_not_part_of_the_versions() {
    let place = repository();
    place.write("own.txt", ". ./calc.sh; test \"$(scale 1)\" = 2\n");
    place
        .call(&["changes", "v1", "HEAD", "--", "cat", "own.txt"])
        .exits(1)
        .says("hint: own.txt is not part of the versions: --with own.txt puts it into all of them");
    place
        .call(&["changes", "v1", "HEAD", "--", "no-such-command"])
        .exits(2)
        .says("'no-such-command' was not found");
    place
        .call(&["changes", "v1", "HEAD", "--", "sh", "-c", "no-such-tool"])
        .exits(1)
        .says("the command cannot be run on both versions");
}

#[test]
fn builds_that_fail() {
    let place = directories(
        &[
            ("main.c", "int main(void) { return 0; }\n"),
            ("Makefile", "app: main.c\n\tgcc -o app main.c\n"),
        ],
        &[
            ("main.c", "int main(void) { return 1 }\n"),
            ("Makefile", "app: main.c\n\tgcc -o app main.c\n"),
        ],
    );
    place
        .call(&[
            "changes",
            "good",
            "bad",
            "--build",
            "make nothing",
            "--",
            "./app",
        ])
        .exits(1)
        .says("the build fails on both versions")
        .says("bad && { make nothing; }")
        .says("No rule to make target")
        .says("hint: run the command above and fix --build");
    place
        .call(&["changes", "good", "bad", "--build", "make", "--", "./app"])
        .exits(1)
        .says("the build fails on the bad version")
        .says("expected");
    // The broken build can be the failure itself.
    place
        .call(&["changes", "good", "bad", "--", "make"])
        .exits(0)
        .prints("+int main(void) { return 1 }");
    place
        .call(&["changes", "good", "bad", "--product", "app", "--", "make"])
        .exits(2)
        .says("--build");
}

#[test]
fn patches_of_somebody_else_are_not_replaced() {
    let place = repository();
    place.write("culprit.patch", "mine\n");
    place
        .call(&["changes", "v1", "HEAD", "--", "./test.sh"])
        .exits(2)
        .says("culprit.patch is there already and is not from yester")
        .says("hint: -o DIR");
    assert_eq!(place.read("culprit.patch"), "mine\n");
    place
        .call(&["changes", "v1", "HEAD", "-o", "out", "--", "./test.sh"])
        .exits(0);
    assert!(place.read("out/fix.patch").contains("+    mul \"$1\" 2"));
}
