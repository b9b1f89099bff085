//! A merge that broke it is followed into the branch that it merged.

use serde_json::Value;

use super::{changed_lines, commit, git};
use crate::place::Place;

/// Adds up what two files say. A line `never` cannot be tested.
const TEST: &str = ". ./a.sh; . ./b.sh; test -e never && exit 125; out=$((a + b)); \
                    test $out -le 10 || { echo \"error: $out\"; exit 1; }";

/// A repository whose test passes at `v1`.
pub fn repository() -> Place {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    place.write("a.sh", "# first\na=1\n# last\n");
    place.write("b.sh", "# first\nb=1\n# last\n");
    place.script("test.sh", TEST);
    commit(&place, "start");
    git(place.path(), &["tag", "v1"]);
    place
}

/// Commits a file with this text.
pub fn step(place: &Place, path: &str, text: &str, message: &str) {
    place.write(path, text);
    commit(place, message);
}

pub fn branch(place: &Place, name: &str, from: &str) {
    git(place.path(), &["checkout", "--quiet", "-b", name, from]);
}

/// Merges branches into another one.
pub fn merge(place: &Place, into: &str, branches: &[&str]) {
    git(place.path(), &["checkout", "--quiet", into]);
    let message = format!("merge {}", branches.join(" and "));
    let words = ["merge", "--quiet", "--no-ff", "-m", &message];
    git(place.path(), &[&words[..], branches].concat());
}

#[track_caller]
fn changes(place: &Place) -> Value {
    let words = ["changes", "v1", "main", "--json", "-j1", "--", "./test.sh"];
    place.call(&words).exits(0).json()
}

fn subjects(merges: &Value) -> Vec<(&str, &str)> {
    let merges = merges.as_array().expect("a list").iter();
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
fn a_merge_that_is_not_guilty_is_not_told() {
    let place = repository();
    branch(&place, "side", "v1");
    step(&place, "side.txt", "1\n", "on the side");
    merge(&place, "main", &["side"]);
    step(&place, "a.sh", "# first\na=11\n# last\n", "break");
    let result = &changes(&place)["result"];
    assert_eq!(result["commit"]["subject"], "break");
    assert!(subjects(&result["merges"]).is_empty());
}

#[test]
fn the_commit_of_the_branch_is_told_with_the_merge_that_brought_it_in() {
    let place = repository();
    branch(&place, "side", "v1");
    for number in 1..=9 {
        if number == 6 {
            place.write("a.sh", "# first\na=11\n# last\n");
        }
        step(
            &place,
            "side.txt",
            &format!("{number}\n"),
            &format!("side {number}"),
        );
    }
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "main.txt", "1\n", "on main");
    merge(&place, "main", &["side"]);
    step(&place, "main.txt", "2\n", "later");
    let json = changes(&place);
    let result = &json["result"];
    assert_eq!(result["commit"]["subject"], "side 6");
    assert_eq!(subjects(&result["merges"]), [("merge side", "branch")]);
    let merged = &result["merges"][0]["merged"][0];
    assert_eq!(
        merged["id"],
        git(place.path(), &["rev-parse", "side"]).trim()
    );
    assert_eq!(merged["outcome"], "fail");
    assert_eq!(
        changed_lines(&place.read("culprit.patch")),
        ["-a=1", "+a=11"]
    );
    // The baseline, two on main, the last of the branch and four to halve it, the lines, and the proof.
    assert!(
        json["trials"]["run"].as_u64() <= Some(20),
        "{}",
        json["trials"]
    );
    let merge = &git(place.path(), &["rev-parse", "HEAD~1"])[..10];
    place
        .call(&["changes", "v1", "main", "--", "./test.sh"])
        .exits(0)
        .prints("side 6 is the first that fails\n")
        .prints(&format!("\nmerge    {merge} Ada, "))
        .prints("merge side brought it in\n");
}

#[test]
fn a_branch_of_a_branch_is_followed_and_its_versions_are_not_mixed() {
    // Along one line, versions of the inner branch lie between those of the outer one, without what broke it there.
    let place = repository();
    branch(&place, "outer", "v1");
    step(&place, "outer.txt", "1\n", "outer 1");
    branch(&place, "inner", "outer");
    step(&place, "inner.txt", "1\n", "inner 1");
    git(place.path(), &["checkout", "--quiet", "outer"]);
    step(&place, "a.sh", "# first\na=11\n# last\n", "break outer");
    git(place.path(), &["checkout", "--quiet", "inner"]);
    step(&place, "inner.txt", "2\n", "inner 2");
    merge(&place, "outer", &["inner"]);
    step(&place, "outer.txt", "2\n", "outer 2");
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "main.txt", "1\n", "on main");
    merge(&place, "main", &["outer"]);
    let result = &changes(&place)["result"];
    assert_eq!(result["commit"]["subject"], "break outer");
    assert_eq!(subjects(&result["merges"]), [("merge outer", "branch")]);
    assert_eq!(result["lines"], 2);

    let place = repository();
    branch(&place, "inner", "v1");
    step(&place, "inner.txt", "1\n", "inner 1");
    step(&place, "a.sh", "# first\na=11\n# last\n", "break inner");
    branch(&place, "outer", "v1");
    step(&place, "outer.txt", "1\n", "outer 1");
    merge(&place, "outer", &["inner"]);
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "main.txt", "1\n", "on main");
    merge(&place, "main", &["outer"]);
    let result = &changes(&place)["result"];
    assert_eq!(result["commit"]["subject"], "break inner");
    let merges = [("merge outer", "branch"), ("merge inner", "branch")];
    assert_eq!(subjects(&result["merges"]), merges);
}

#[test]
fn a_merge_whose_parents_both_pass_is_guilty_itself() {
    let place = repository();
    branch(&place, "side", "v1");
    step(&place, "b.sh", "# first\nb=6\n# last\n", "more b");
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "a.sh", "# first\na=6\n# last\n", "more a");
    merge(&place, "main", &["side"]);
    step(&place, "main.txt", "1\n", "later");
    let result = &changes(&place)["result"];
    assert_eq!(result["commit"]["subject"], "merge side");
    assert_eq!(subjects(&result["merges"]), [("merge side", "merge")]);
    assert_eq!(result["merges"][0]["merged"][0]["outcome"], "pass");
    // Git knows who wrote the lines all the same.
    assert_eq!(result["changes"][0]["commit"]["subject"], "more b");
    place
        .call(&["changes", "v1", "main", "--", "./test.sh"])
        .exits(0)
        .prints("merge side is the first that fails\n")
        .prints(" passes by itself, so the merge itself broke it\n")
        .prints("more b made a part of it\n");
}

#[test]
fn a_merge_that_undoes_a_repair_is_not_blamed_on_the_branch() {
    // The branch begins where it is broken, and is merged with its own old file.
    let place = repository();
    step(&place, "a.sh", "# first\na=11\n# last\n", "break");
    branch(&place, "side", "main");
    step(&place, "side.txt", "1\n", "on the side");
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "a.sh", "# first\na=2\n# last\n", "repair");
    git(place.path(), &["tag", "repaired"]);
    git(
        place.path(),
        &["merge", "--quiet", "--no-ff", "--no-commit", "side"],
    );
    step(&place, "a.sh", "# first\na=11\n# last\n", "merge side");
    step(&place, "main.txt", "1\n", "later");
    let words = ["changes", "repaired", "main", "--json", "--", "./test.sh"];
    let result = &place.call(&words).exits(0).json()["result"];
    assert_eq!(result["commit"]["subject"], "merge side");
    assert_eq!(subjects(&result["merges"]), [("merge side", "merge")]);
    assert_eq!(result["merges"][0]["merged"][0]["outcome"], "fail");
    place
        .call(&["changes", "repaired", "main", "--", "./test.sh"])
        .exits(0)
        .prints("failed before it branched off, so the merge has undone what repaired that\n");
}

#[test]
fn commits_of_the_branch_without_an_answer_are_passed_over() {
    let place = repository();
    branch(&place, "side", "v1");
    step(&place, "side.txt", "1\n", "side 1");
    step(
        &place,
        "a.sh",
        "# first\na=11\n# last\n",
        "break on the side",
    );
    step(&place, "never", "1\n", "cannot be tested");
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "main.txt", "1\n", "on main");
    git(
        place.path(),
        &["merge", "--quiet", "--no-ff", "--no-commit", "side"],
    );
    git(place.path(), &["rm", "--quiet", "-f", "never"]);
    commit(&place, "merge side");
    let result = &changes(&place)["result"];
    assert_eq!(result["commit"]["subject"], "break on the side");
    assert_eq!(subjects(&result["merges"]), [("merge side", "branch")]);

    // Where none of them has an answer, nobody knows.
    let place = repository();
    branch(&place, "side", "v1");
    step(&place, "never", "1\n", "cannot be tested");
    for number in 1..=9 {
        step(
            &place,
            "a.sh",
            &format!("# first\na=1{number}\n# last\n"),
            "break",
        );
    }
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "main.txt", "1\n", "on main");
    git(
        place.path(),
        &["merge", "--quiet", "--no-ff", "--no-commit", "side"],
    );
    git(place.path(), &["rm", "--quiet", "-f", "never"]);
    commit(&place, "merge side");
    let json = changes(&place);
    let result = &json["result"];
    assert_eq!(result["commit"]["subject"], "merge side");
    assert_eq!(subjects(&result["merges"]), [("merge side", "unknown")]);
    assert!(json["trials"]["unresolved"].as_u64() <= Some(4), "{json}");
}

#[test]
fn each_branch_of_an_octopus_is_looked_at() {
    let place = repository();
    for name in ["one", "two", "three"] {
        branch(&place, name, "v1");
        step(&place, &format!("{name}.txt"), "1\n", name);
    }
    step(&place, "a.sh", "# first\na=11\n# last\n", "break three");
    step(&place, "three.txt", "2\n", "more of three");
    merge(&place, "main", &["one", "two", "three"]);
    let result = &changes(&place)["result"];
    assert_eq!(result["commit"]["subject"], "break three");
    assert_eq!(
        subjects(&result["merges"]),
        [("merge one and two and three", "branch")]
    );
}

#[test]
fn the_main_line_is_followed_where_good_is_on_the_branch() {
    let place = repository();
    branch(&place, "side", "v1");
    step(&place, "side.txt", "1\n", "on the side");
    git(place.path(), &["checkout", "--quiet", "main"]);
    step(&place, "main.txt", "1\n", "on main");
    step(&place, "a.sh", "# first\na=11\n# last\n", "break main");
    step(&place, "main.txt", "2\n", "more on main");
    merge(&place, "main", &["side"]);
    let words = ["changes", "side", "main", "--json", "--", "./test.sh"];
    let result = &place.call(&words).exits(0).json()["result"];
    assert_eq!(result["commit"]["subject"], "break main");
    assert_eq!(subjects(&result["merges"]), [("merge side", "branch")]);
}

#[test]
fn a_branch_with_a_beginning_of_its_own_is_not_cleared() {
    let place = repository();
    git(place.path(), &["checkout", "--quiet", "--orphan", "island"]);
    git(place.path(), &["rm", "--quiet", "-rf", "."]);
    step(&place, "island.txt", "1\n", "on the island");
    git(place.path(), &["checkout", "--quiet", "main"]);
    let words = ["merge", "--quiet", "--no-ff", "--no-commit", "island"];
    let words = [&words[..], &["--allow-unrelated-histories"]].concat();
    git(place.path(), &words);
    step(&place, "a.sh", "# first\na=11\n# last\n", "merge island");
    let result = &changes(&place)["result"];
    assert_eq!(result["commit"]["subject"], "merge island");
    assert_eq!(subjects(&result["merges"]), [("merge island", "unknown")]);
}
