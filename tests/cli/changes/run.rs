//! Nothing is lost, and nothing of the user's is touched.

use std::fs;
use std::process::{Command, Stdio};

use super::{changed_lines, git, repository};
use crate::leash::HOLD;
use crate::place::{Place, called};

#[test]
fn an_interrupted_search_writes_its_best_and_goes_on() {
    let place = repository();
    let leash = place.leash();
    // Once the journal has a trial of the search, the next one waits for the signal.
    let test = format!(
        "cd \"$YESTER_START\"; grep -qs '\"search\"' .yester/*/journal.jsonl && mkdir waited 2> /dev/null && \
         {{ {HOLD}; sleep 1000; }}; cd \"$OLDPWD\"; exec sh check.sh"
    );
    // Ahead of the search, the one that waits may be ended before it says so.
    let words = [
        "changes", "v1", "HEAD", "-j1", "--json", "--", "sh", "-c", &test,
    ];
    let child = place
        .command(&words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("yester starts");
    leash.wait();
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill starts").success());
    let output = called(child.wait_with_output().expect("it ends"));
    let json = output
        .exits(130)
        .says("the same command goes on from here")
        .json();
    assert_eq!(json["status"], "interrupted");
    assert!(json["result"]["lines"].as_u64() >= Some(2), "{json}");
    assert!(place.read("culprit.patch").contains("+    mul \"$1\" 3"));
    let left: Vec<_> = place
        .runs()
        .into_iter()
        .filter(|run| run.join("good").exists())
        .collect();
    assert!(left.is_empty(), "{left:?}");

    let called = place.call(&words).exits(0).says("already known");
    assert!(called.json()["trials"]["cached"].as_u64() > Some(0));
    assert_eq!(changed_lines(&place.read("culprit.patch")).len(), 2);
}

#[test]
fn a_limit_ends_with_the_best_so_far() {
    let place = repository();
    let words = [
        "changes",
        "v1",
        "HEAD",
        "--max-trials",
        "5",
        "--",
        "./test.sh",
    ];
    place
        .call(&words)
        .exits(3)
        .says("the limit of trials is reached")
        .prints("so far")
        .prints("it can probably be smaller");
    place
        .call(&["changes", "v1", "HEAD", "--", "./test.sh"])
        .exits(0)
        .says("already known");
    place
        .call(&["runs"])
        .exits(0)
        .prints("found, 2 changed lines of ")
        .prints("yester changes v1 HEAD -- ./test.sh");
}

#[test]
fn a_finished_run_is_checked_again_and_not_searched_again() {
    let place = repository();
    let words = ["changes", "v1", "HEAD", "--json", "--", "./test.sh"];
    let run = |json: &serde_json::Value| json["trials"]["run"].as_u64().expect("a number");
    let first = run(&place.call(&words).exits(0).json());
    let json = place.call(&words).exits(0).json();
    // On the commit before, on GOOD, and taken out of BAD. Trials are told over all sessions.
    assert_eq!(
        run(&json),
        first + 3,
        "only the answer is run again: {json}"
    );
    // Another commit is another run.
    git(
        place.path(),
        &["commit", "--quiet", "--allow-empty", "-m", "more"],
    );
    let json = place.call(&words).exits(0).json();
    assert!(run(&json) > 3, "{json}");
}

#[test]
fn any_number_of_jobs_gives_the_same_answer() {
    let place = repository();
    let answers: Vec<String> = ["1", "2", "5"]
        .iter()
        .map(|jobs| {
            place
                .call(&[
                    "changes",
                    "v1",
                    "HEAD",
                    "--fresh",
                    "-j",
                    jobs,
                    "--",
                    "./test.sh",
                ])
                .exits(0);
            place.read("culprit.patch") + &place.read("fix.patch")
        })
        .collect();
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:?}"
    );
}

#[test]
fn the_repository_stays_as_it_is() {
    let place = repository();
    place.write("calc.sh", place.read("calc.sh") + "# not committed\n");
    place.write("staged.txt", "staged\n");
    git(place.path(), &["add", "staged.txt"]);
    place.write("untracked.txt", "untracked\n");
    let look = || {
        let index = fs::read(place.file(".git/index")).expect("an index");
        let seen = [
            &["status", "--porcelain", "--ignored"][..],
            &["worktree", "list"],
            &["stash", "list"],
            &["for-each-ref"],
            &["rev-parse", "HEAD"],
            &["count-objects", "-v"],
        ]
        .map(|words| git(place.path(), words));
        (index, seen, place.read("calc.sh"))
    };
    // The state directory is there before, so that only what is done counts.
    fs::create_dir(place.file(".yester")).expect("room");
    place.write(".yester/.gitignore", "*\n");
    let before = look();
    place
        .call(&[
            "changes",
            "v1",
            "HEAD",
            "-o",
            ".yester/out",
            "--",
            "./test.sh",
        ])
        .exits(0);
    assert_eq!(look(), before);
}

#[test]
fn a_test_that_warm_trees_mislead_is_searched_in_clean_ones() {
    let place = repository();
    let outside = Place::new();
    // Once it has failed in a tree, it fails there for good.
    outside.script(
        "test.sh",
        "sh check.sh 2> message || cp message spoiled; if test -e spoiled; then cat spoiled >&2; exit 1; fi",
    );
    let script = outside.file("test.sh");
    let words = [
        "changes",
        "v1",
        "HEAD",
        "--json",
        "--",
        script.to_str().expect("text"),
    ];
    let json = place.call(&words).exits(0).json();
    assert_eq!(
        changed_lines(&place.read("culprit.patch")).len(),
        2,
        "{json}"
    );
    assert_eq!(json["result"]["verified"]["bad_minus_culprit"], "pass");
}

#[test]
fn settings_hold_for_this_command_too() {
    let place = repository();
    place.write_own_settings("jobs = 1\noutput = \"answers\"\nbuild = \"true\"\n");
    place
        .call(&["changes", "v1", "HEAD", "--", "./test.sh"])
        .exits(0);
    assert!(place.file("answers/culprit.patch").exists());
}
