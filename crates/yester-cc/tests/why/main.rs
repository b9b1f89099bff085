//! `yester why` on a project in C: from a failing test to the commit, the lines, the smaller input and the branch.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

#[path = "../../../../tests/called.rs"]
mod called;

use self::called::{Called, yester};

/// The project of examples/why.
fn project() -> TempDir {
    let place = TempDir::new().expect("room");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let made = Command::new(root.join("examples/why/make-repository"))
        .arg(place.path())
        .status();
    assert!(made.expect("it starts").success());
    place
}

fn why(place: &TempDir, words: &[&str]) -> Called {
    let compilers = Path::new(env!("CARGO_BIN_EXE_yester-cc")).parent();
    let path = std::env::var("PATH").expect("tests have a PATH");
    let path = format!("{}:{path}", compilers.expect("a directory").display());
    let output = Command::new(yester())
        .arg("why")
        .args(words)
        .current_dir(place.path())
        .env("PATH", path)
        .output();
    output.expect("it starts").into()
}

fn commands(result: &Value) -> Vec<&str> {
    let steps = result["steps"].as_array().expect("a list").iter();
    steps
        .map(|step| step["command"].as_str().expect("a name"))
        .collect()
}

/// How `./ledger FILE` ends where a version was built.
fn ends(place: &Path, revision: &str, file: &Path) -> Option<i32> {
    let tree = TempDir::new().expect("room");
    let script = "git -C \"$0\" archive \"$1\" | tar x && make -s";
    let built = Command::new("sh")
        .args(["-c", script])
        .arg(place)
        .arg(revision)
        .current_dir(tree.path())
        .status();
    assert!(built.expect("it starts").success());
    let ran = Command::new(tree.path().join("ledger")).arg(file).output();
    ran.expect("it starts").status.code()
}

#[test]
fn one_call_finds_commit_lines_input_and_branch() {
    let place = project();
    let words = ["--build", "make", "--", "./ledger", "data/march.txt"];
    let called = why(&place, &[&["--json"], &words[..]].concat());
    let result = called.result();
    assert_eq!(commands(&result), ["changes", "reduce", "explain"]);
    assert_eq!(result["good"], "v1.1");
    let commit = &result["commit"];
    assert_eq!(
        commit["subject"],
        "Simplify the check of groups, and copy names safely"
    );
    // The same commit also changes account.c.
    let culprit = fs::read_to_string(place.path().join("culprit.patch")).expect("a patch");
    assert!(culprit.contains("+++ b/amount.c") && !culprit.contains("account.c"));
    // Only an amount with two commas is read in another way.
    let smaller = place
        .path()
        .join(result["input"]["path"].as_str().expect("a path"));
    let text = fs::read_to_string(&smaller).expect("text");
    assert!(text.len() <= 12 && text.matches(',').count() == 2, "{text}");
    let id = commit["id"].as_str().expect("an id");
    assert_eq!(ends(place.path(), id, &smaller), Some(1));
    assert_eq!(ends(place.path(), &format!("{id}~1"), &smaller), Some(0));
    assert_eq!(result["place"]["file"], "amount.c");
    assert_eq!(result["place"]["function"], "parse_amount");
    assert_eq!(result["place"]["is_changed"], true);

    let text = why(&place, &words).stdout;
    assert!(text.lines().count() <= 10, "{text}");
    for word in ["why ", "commit ", "lines ", "input ", "place ", "report "] {
        assert!(text.lines().any(|line| line.starts_with(word)), "{text}");
    }
    let page = text.lines().find_map(|line| {
        let named = line.strip_prefix("report   ")?;
        named.strip_suffix(", and report.md beside it")
    });
    let page = fs::read_to_string(place.path().join(page.expect("a page"))).expect("a page");
    for word in [&id[..10], "amount.c", "march.reduced.txt", "c 0,000,000"] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn a_step_that_is_left_out_does_not_stop_the_others() {
    let place = project();
    let skip = [
        "--json",
        "--skip",
        "reduce,explain",
        "v1.0",
        "--build",
        "make",
    ];
    let called = why(
        &place,
        &[&skip[..], &["--", "./ledger", "data/march.txt"]].concat(),
    );
    let result = called.result();
    assert_eq!(commands(&result), ["changes", "reduce", "explain", "flip"]);
    assert_eq!(result["steps"][1]["status"], Value::Null);
    assert_eq!(result["input"], Value::Null);
    assert_eq!(result["steps"][3]["status"], "found");
}

#[test]
fn uncommitted_changes_are_to_blame_if_the_last_commit_passes() {
    let place = project();
    let file = place.path().join("account.c");
    let text = fs::read_to_string(&file).expect("a source");
    fs::write(&file, text.replace("return sum;", "return sum - 1;")).expect("room");
    let check =
        "./ledger data/january.txt > out; grep -q 25739.90 out || { tail -n 1 out; exit 1; }";
    fs::write(place.path().join("check.sh"), check).expect("room");
    let called = why(
        &place,
        &["--json", "--build", "make", "--", "sh", "check.sh"],
    );
    let result = called.result();
    assert_eq!(result["good"], "HEAD");
    assert_eq!(result["bad"], "the work tree");
    assert_eq!(result["commit"], Value::Null);
    assert_eq!(result["place"]["file"], "account.c");
    assert_eq!(result["place"]["is_changed"], true);
    let fix = fs::read_to_string(place.path().join("fix.patch")).expect("a patch");
    assert!(fix.contains("+    return sum;"), "{fix}");
}
