//! Calls that cannot work say what to do.

use super::{LOAD, RENDER, RIGHT, TEST, WRONG, repository, young_test};
use crate::changes::git;
use crate::place::Place;

#[test]
fn a_place_without_a_repository_is_told() {
    let place = Place::new();
    place.script("test.sh", "exit 1");
    place
        .call(&["history", "--", "./test.sh"])
        .exits(2)
        .says("this is not a git repository")
        .says("yester changes GOOD BAD");
}

#[test]
fn a_test_that_passes_is_told() {
    let place = young_test();
    place
        .call(&["history", "--", "true"])
        .exits(1)
        .says("the test passes on HEAD")
        .says("--from REV");
    place
        .call(&["history", "--", "sh", "-c", "exit 125"])
        .exits(1)
        .says("the test gives no answer for HEAD");
    place
        .call(&["history", "--build", "false", "--", "./test.sh"])
        .exits(1)
        .says("the build fails on HEAD");
    place
        .call(&["history", "--", "sh", "-c", "exit 127"])
        .exits(1)
        .says("the command cannot be run on HEAD");
}

#[test]
fn a_history_of_one_commit_or_none_is_told() {
    let place = repository(&[("start", &[("double.sh", WRONG)])]);
    place
        .call(&["history", "--", "false"])
        .exits(1)
        .says("HEAD is the only commit");
    let empty = Place::new();
    git(empty.path(), &["init", "--quiet"]);
    empty
        .call(&["history", "--", "false"])
        .exits(1)
        .says("has no commit yet");
}

#[test]
fn a_shallow_clone_is_told_how_to_get_deeper() {
    let place = young_test();
    let clone = |depth: &str| {
        let shallow = Place::new();
        let from = format!("file://{}", place.path().display());
        git(
            shallow.path(),
            &["clone", "--quiet", "--depth", depth, &from, "."],
        );
        shallow.script("test.sh", TEST);
        shallow
    };
    clone("1")
        .call(&["history", "--", "./test.sh"])
        .exits(1)
        .says("git fetch --unshallow");
    clone("3")
        .call(&["history", "--", "./test.sh"])
        .exits(1)
        .says("git fetch --unshallow")
        .prints("no revision passes");
    clone("2")
        .call(&["history", "--until", "v1", "--", "./test.sh"])
        .exits(2)
        .says("git fetch --unshallow");
}

#[test]
fn a_detached_head_is_a_head() {
    let place = young_test();
    git(place.path(), &["checkout", "--quiet", "--detach", "HEAD~1"]);
    let json = place
        .call(&["history", "--json", "--", "./test.sh"])
        .exits(0)
        .json();
    assert_eq!(json["result"]["culprit_commit"]["subject"], "break");
}

#[test]
fn a_test_that_is_not_committed_is_told_to_be_carried() {
    let place = young_test();
    place.write("check.sh", TEST);
    place
        .call(&["history", "--", "cat", "check.sh"])
        .exits(2)
        .says("check.sh is not in HEAD")
        .says("--carry check.sh");
    place
        .call(&["history", "--carry", "nothing.sh", "--", "sh", "check.sh"])
        .exits(2)
        .says("neither this directory nor HEAD has nothing.sh");
    place
        .call(&["history", "--carry", "/etc/passwd", "--", "./test.sh"])
        .exits(2)
        .says("is no path in the tree");
}

#[test]
fn revisions_that_are_none_are_told() {
    let place = young_test();
    for (flags, complaint) in [
        (["--from", "nowhere"], "'nowhere' is not a revision"),
        (
            ["--until", "someday"],
            "neither a revision, nor a date, nor a number",
        ),
        (["--until", "0"], "leaves no revision"),
        (["--until", "HEAD"], "HEAD is not older than HEAD"),
        (
            ["--until", "2090-01-01"],
            "there is no commit between 2090-01-01 and HEAD",
        ),
    ] {
        let words = [&["history"], &flags[..], &["--", "./test.sh"]].concat();
        let called = place.call(&words).says(complaint);
        assert!([1, 2].contains(&called.code));
    }
}

#[test]
fn a_patch_of_somebody_else_is_not_replaced() {
    let place = young_test();
    place.write("fix.patch", "precious\n");
    place
        .call(&["history", "--", "./test.sh"])
        .exits(2)
        .says("fix.patch is there already and is not from yester");
    assert_eq!(place.read("fix.patch"), "precious\n");
    place
        .call(&["history", "-o", "out", "--", "./test.sh"])
        .exits(0)
        .prints("fix      out/fix.patch");
}

#[test]
fn submodules_are_empty_directories() {
    let library = repository(&[("library", &[("lib.sh", "x=1\n")])]);
    let place = repository(&[(
        "start",
        &[
            ("double.sh", RIGHT),
            ("load.sh", LOAD),
            ("render.sh", RENDER),
        ],
    )]);
    let from = library.path().display().to_string();
    git(
        place.path(),
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            &from,
            "library",
        ],
    );
    crate::changes::commit(&place, "a submodule");
    place.write("double.sh", WRONG);
    crate::changes::commit(&place, "break");
    place.script("test.sh", TEST);
    let json = place
        .call(&["history", "--json", "--", "./test.sh"])
        .exits(0)
        .json();
    assert_eq!(json["result"]["culprit_commit"]["subject"], "break");
}
