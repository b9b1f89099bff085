//! A merge that broke it is followed into the branch that it merged.

use serde_json::Value;

use super::{LOAD, RENDER, RIGHT, TEST, WRONG};
use crate::changes::merge::{branch, merge, step};
use crate::changes::{commit, git};
use crate::place::Place;

/// A repository in which everything is right.
fn right() -> Place {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    place.write("double.sh", RIGHT);
    place.write("load.sh", LOAD);
    place.write("render.sh", RENDER);
    commit(&place, "start");
    git(place.path(), &["tag", "v1"]);
    place
}

#[track_caller]
fn history(place: &Place, flags: &[&str]) -> Value {
    place.script("test.sh", TEST);
    let words = [&["history", "--json", "-j1"], flags, &["--", "./test.sh"]].concat();
    place.call(&words).exits(0).json()["result"].clone()
}

fn merges(result: &Value) -> Vec<(&str, &str)> {
    let merges = result["merges"].as_array().expect("a list").iter();
    merges
        .filter_map(|merge| {
            Some((
                merge["commit"]["subject"].as_str()?,
                merge["cause"].as_str()?,
            ))
        })
        .collect()
}

#[test]
fn the_commit_of_the_branch_is_found() {
    let place = right();
    branch(&place, "side", "v1");
    step(&place, "notes.txt", "1\n", "on the side");
    step(&place, "double.sh", WRONG, "break on the side");
    step(&place, "notes.txt", "1\n2\n", "more on the side");
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "other.txt", "1\n", "on main");
    merge(&place, "main", &["side"]);
    step(&place, "other.txt", "1\n2\n", "later");
    let result = history(&place, &[]);
    assert_eq!(result["culprit_commit"]["subject"], "break on the side");
    assert_eq!(merges(&result), [("merge side", "branch")]);
    assert_eq!(result["verified"]["fixed"], "pass");
    // That can be left out.
    let result = history(&place, &["--first-parent"]);
    assert_eq!(result["culprit_commit"]["subject"], "merge side");
    assert!(merges(&result).is_empty());
    place
        .call(&["history", "--", "./test.sh"])
        .exits(0)
        .prints("merge side brought it in\n");
}

#[test]
fn a_branch_that_cannot_run_the_test_is_patched_and_followed() {
    let place = right();
    branch(&place, "side", "v1");
    // The branch does not have what the test calls by now.
    step(&place, "notes.txt", "1\n", "on the side");
    step(&place, "double.sh", WRONG, "break on the side");
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(
        &place,
        "load.sh",
        "load() {\n    echo \"$1\"\n}\nread_it() {\n    load \"$1\"\n}\n",
        "read_it",
    );
    merge(&place, "main", &["side"]);
    step(&place, "other.txt", "1\n", "later");
    place.script("test.sh", &TEST.replace("load 3", "read_it 3"));
    let words = ["history", "--json", "-j1", "--", "./test.sh"];
    let result = place.call(&words).exits(0).json()["result"].clone();
    assert_eq!(result["culprit_commit"]["subject"], "break on the side");
    assert_eq!(merges(&result), [("merge side", "branch")]);
}

#[test]
fn a_branch_of_a_branch_is_followed() {
    let place = right();
    branch(&place, "inner", "v1");
    step(&place, "inner.txt", "1\n", "inner 1");
    step(&place, "double.sh", WRONG, "break inner");
    branch(&place, "outer", "v1");
    step(&place, "outer.txt", "1\n", "outer 1");
    merge(&place, "outer", &["inner"]);
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "other.txt", "1\n", "on main");
    merge(&place, "main", &["outer"]);
    let result = history(&place, &[]);
    assert_eq!(result["culprit_commit"]["subject"], "break inner");
    let both = [("merge outer", "branch"), ("merge inner", "branch")];
    assert_eq!(merges(&result), both);
}

#[test]
fn a_merge_whose_parents_both_pass_is_guilty_itself() {
    let place = right();
    place.write("more.sh", "more=0\n");
    commit(&place, "more");
    branch(&place, "side", "main");
    step(
        &place,
        "double.sh",
        "double() {\n    echo $(($1 * 2 + (more > 0)))\n}\n",
        "use more",
    );
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "more.sh", "more=1\n", "set more");
    merge(&place, "main", &["side"]);
    step(&place, "other.txt", "1\n", "later");
    place.script("test.sh", &format!(". ./more.sh\n{TEST}"));
    let words = ["history", "--json", "-j1", "--", "./test.sh"];
    let result = place.call(&words).exits(0).json()["result"].clone();
    assert_eq!(result["culprit_commit"]["subject"], "merge side");
    assert_eq!(merges(&result), [("merge side", "merge")]);
    place
        .call(&["history", "--", "./test.sh"])
        .exits(0)
        .prints(" passes by itself, so the merge itself broke it\n");
}
