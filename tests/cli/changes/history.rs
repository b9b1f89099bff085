//! The commit that broke it is where the culprit is searched.

use super::{changed_lines, commit, git, repository};
use crate::place::Place;

/// A program of two files whose commits are made by `step`.
fn history(steps: &[(&str, &[(&str, &str)])]) -> Place {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    for (message, files) in steps {
        for (path, content) in *files {
            place.write(path, content);
        }
        commit(&place, message);
    }
    place
}

fn revision(place: &Place, name: &str) -> String {
    git(place.path(), &["rev-parse", name]).trim().to_owned()
}

const TEST: &str = "out=$(sh main.sh) || exit 125; echo \"$out\"; test \"${out##* }\" -lt 10\n";

#[test]
fn the_lines_of_the_commit_are_the_answer_though_bad_has_many_others() {
    let place = repository();
    let json = place
        .call(&["changes", "v1", "HEAD", "--json", "--", "./test.sh"])
        .exits(0)
        .json();
    let result = &json["result"];
    assert_eq!(result["commit"]["subject"], "step 5");
    assert_eq!(result["lines"], 2);
    assert_eq!(result["base"], revision(&place, "v1"));
    assert_eq!(result["verified"]["bad_minus_culprit"], "pass");
    // Both patches apply where they should.
    for (name, patch) in [("v1", "culprit.patch"), ("HEAD", "fix.patch")] {
        git(place.path(), &["checkout", "--quiet", "--force", name]);
        git(place.path(), &["apply", "--check", patch]);
        git(place.path(), &["checkout", "--quiet", "main"]);
    }
}

#[test]
fn a_culprit_that_does_not_carry_to_good_is_told_at_the_commit_before() {
    let place = history(&[
        ("start", &[("main.sh", "echo a 1\n"), ("test.sh", TEST)]),
        (
            "rewrite",
            &[(
                "main.sh",
                "sum=2\nfor i in 1 2; do sum=$((sum + 1)); done\necho b $sum\n",
            )],
        ),
        (
            "break",
            &[(
                "main.sh",
                "sum=2\nfor i in 1 2; do sum=$((sum + 5)); done\necho b $sum\n",
            )],
        ),
        (
            "more",
            &[(
                "main.sh",
                "sum=2\nfor i in 1 2; do sum=$((sum + 5)); done\necho b $sum\n# the end\n",
            )],
        ),
    ]);
    let words = ["changes", "HEAD~3", "HEAD", "--", "sh", "test.sh"];
    let (parent, culprit) = (revision(&place, "HEAD~2"), revision(&place, "HEAD~1"));
    let name = format!("{}~1", &culprit[..10]);
    place
        .call(&words)
        .exits(0)
        .prints(&format!(
            "sure     {name} + culprit fails as bad does, bad − culprit passes"
        ))
        .prints(&format!(
            "next     on {name}: git apply culprit.patch breaks it; on HEAD: git apply fix.patch"
        ));
    let json = place
        .call(&[&words[..3], &["--json"], &words[3..]].concat())
        .exits(0)
        .json();
    assert_eq!(json["result"]["base"], parent.as_str());
    assert_eq!(json["result"]["commit"]["id"], culprit.as_str());
    assert_eq!(json["result"]["lines"], 2);
    git(place.path(), &["checkout", "--quiet", "--detach", &parent]);
    git(place.path(), &["apply", "--check", "culprit.patch"]);
}

#[test]
fn lines_that_bad_prints_since_then_do_not_hide_the_commit() {
    let place = history(&[
        (
            "start",
            &[
                ("main.sh", "echo sum 1\n"),
                ("test.sh", "sh main.sh; sh main.sh | grep -q 'sum 1'\n"),
            ],
        ),
        ("break", &[("main.sh", "echo error: sum 7\n")]),
        (
            "banner",
            &[("main.sh", "echo version two\necho error: sum 7\n")],
        ),
        (
            "more",
            &[("main.sh", "echo version two\necho error: sum 7\necho bye\n")],
        ),
    ]);
    place
        .call(&["changes", "HEAD~3..HEAD", "--", "sh", "test.sh"])
        .exits(0)
        .prints("break is the first that fails")
        .prints("found    1 change in 1 file, 2 lines")
        .prints("output   bad also prints \"version two\" and 1 more line");
    assert_eq!(
        changed_lines(&place.read("culprit.patch")),
        ["-echo sum 1", "+echo error: sum 7"]
    );
}

#[test]
fn a_long_stretch_that_gives_no_answer_is_passed_over() {
    let place = history(&[(
        "start",
        &[("main.sh", "echo x 1\n"), ("test.sh", TEST), ("lock", "")],
    )]);
    place.write("test.sh", format!("test -s lock && exit 125\n{TEST}"));
    commit(&place, "lock");
    git(place.path(), &["tag", "good"]);
    for step in 0..50 {
        place.write("notes", format!("{step}\n"));
        if step == 5 {
            place.write("lock", "locked\n");
        }
        if step == 20 {
            place.write("main.sh", "echo x 11\n");
        }
        if step == 45 {
            place.write("lock", "");
        }
        commit(&place, &format!("step {step}"));
    }
    let json = place
        .call(&["changes", "good..", "--json", "--", "sh", "test.sh"])
        .exits(0)
        .json();
    let result = &json["result"];
    let subjects = result["suspects"].as_array().expect("a list").iter();
    let subjects: Vec<&str> = subjects
        .filter_map(|commit| commit["subject"].as_str())
        .collect();
    assert!(subjects.contains(&"step 20"), "{subjects:?}");
    assert_eq!(result["changes"][0]["commit"]["subject"], "step 20");
    assert_eq!(result["lines"], 2);
    assert!(
        json["trials"]["run"].as_u64() < Some(40),
        "{}",
        json["trials"]
    );
}

#[test]
fn a_culprit_that_was_reverted_and_came_back_is_told_as_such() {
    let (good, bad) = (
        "one=1\ntwo=2\necho x $((one + two))\n",
        "one=9\ntwo=2\necho x $((one + two))\n",
    );
    let place = history(&[
        (
            "start",
            &[("main.sh", good), ("test.sh", TEST), ("n.txt", "0\n")],
        ),
        ("feature", &[("main.sh", bad)]),
        ("revert the feature", &[("main.sh", good)]),
        ("other", &[("n.txt", "1\n")]),
        ("other again", &[("n.txt", "2\n")]),
        ("feature again", &[("main.sh", bad)]),
        ("last", &[("n.txt", "3\n")]),
    ]);
    let words = ["changes", "HEAD~6", "HEAD", "--", "sh", "test.sh"];
    place
        .call(&words)
        .exits(0)
        .prints("feature again is the first that fails")
        .prints("feature, and went with ")
        .prints("revert the feature");
    let json = place
        .call(&[&words[..3], &["--json"], &words[3..]].concat())
        .exits(0)
        .json();
    assert_eq!(json["result"]["relapse"]["came"]["subject"], "feature");
    assert_eq!(
        json["result"]["relapse"]["went"]["subject"],
        "revert the feature"
    );
}

#[test]
fn isolating_and_limits_keep_the_commit() {
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
    assert_eq!(json["result"]["commit"]["subject"], "step 5");
    assert_eq!(json["result"]["lines"], 2);
    for flag in [&["--isolate"][..], &[]] {
        let words = [
            "changes",
            "v1",
            "HEAD",
            "--json",
            "--fresh",
            "--max-trials",
            "7",
        ];
        let json = place
            .call(&[&words[..], flag, &["--", "./test.sh"]].concat())
            .exits(3)
            .json();
        assert_eq!(json["result"]["commit"]["subject"], "step 5", "{flag:?}");
    }
}

#[test]
fn a_shorter_limit_does_not_lose_a_better_answer() {
    let place = repository();
    let stop = |limit: &str| {
        let words = [
            "changes",
            "v1",
            "HEAD",
            "--json",
            "--max-trials",
            limit,
            "--",
            "./test.sh",
        ];
        place.call(&words).exits(3).json()
    };
    let longer = stop("7");
    let shorter = stop("4");
    assert_eq!(shorter["result"]["lines"], longer["result"]["lines"]);
    let run = |json: &serde_json::Value| json["trials"]["run"].as_u64();
    assert!(
        run(&shorter) >= run(&longer),
        "trials of all sessions are told"
    );
}

#[test]
fn only_the_changes_below_a_path_are_searched() {
    let place = repository();
    let words = [
        "changes",
        "v1...HEAD",
        "--only",
        "calc.sh",
        "--",
        "./test.sh",
    ];
    place
        .call(&words)
        .exits(0)
        .says("changed lines in 1 file")
        .prints("step 5 is the first that fails")
        .prints("bad − culprit passes");
    place
        .call(&["changes", "v1..", "--only", "notes.txt", "--", "./test.sh"])
        .exits(1)
        .says("does not fail as HEAD does")
        .says("the failure needs other changes too");
    place
        .call(&["changes", "v1..", "--only", "nowhere", "--", "./test.sh"])
        .exits(2)
        .says("neither version has nowhere");
    place
        .call(&["changes", "v1", "--", "./test.sh"])
        .exits(2)
        .says("BAD is missing")
        .says("GOOD..BAD");
}

#[test]
fn patches_of_an_earlier_answer_are_no_changes() {
    let place = repository();
    place
        .call(&["changes", "v1", "HEAD", "-o", "out", "--", "./test.sh"])
        .exits(0);
    place
        .call(&["changes", "HEAD", ".", "--", "./test.sh"])
        .exits(1)
        .says("there is no change to blame");
}

#[test]
fn another_value_beside_the_same_error_is_another_failure() {
    let check = "sh main.sh; sh main.sh | grep -q 'value 21'\n";
    let main = |value: &str| format!("echo ERROR: total is wrong\necho value {value}\n");
    let place = history(&[
        (
            "start",
            &[("main.sh", "echo value 21\n"), ("test.sh", check)],
        ),
        ("first", &[("main.sh", &main("24"))]),
        ("undone", &[("main.sh", "echo value 21\n")]),
        ("second", &[("main.sh", &main("27"))]),
        ("last", &[("notes", "\n")]),
    ]);
    for good in ["HEAD~4", "HEAD~2"] {
        let range = format!("{good}..");
        place
            .call(&["changes", &range, "--", "sh", "test.sh"])
            .exits(0)
            .prints("second is the first that fails");
    }
}

#[test]
fn a_number_that_every_version_prints_otherwise_says_nothing() {
    let main = |version: u32, sum: u32| format!("echo version {version}\necho sum {sum}\n");
    let check = "sh main.sh; sh main.sh | grep -q 'sum 1$'\n";
    let versions: Vec<String> = (1..=8)
        .map(|step| main(step, 1 + u32::from(step > 4)))
        .collect();
    let place = history(&[("start", &[("main.sh", &versions[0]), ("test.sh", check)])]);
    for (step, text) in versions.iter().enumerate().skip(1) {
        place.write("main.sh", text);
        commit(&place, &format!("release {}", step + 1));
    }
    let json = place
        .call(&["changes", "HEAD~7..", "--json", "--", "sh", "test.sh"])
        .exits(0)
        .json();
    assert_eq!(json["result"]["commit"]["subject"], "release 5");
    assert_eq!(json["result"]["lines"], 2);
}

#[test]
fn a_culprit_that_came_back_is_the_later_commits() {
    let (good, bad) = ("echo x 1\necho end\n", "echo x 11\necho end\n");
    let test = "sh main.sh; sh main.sh | grep -q 'x 1$'\n";
    let place = history(&[("start", &[("main.sh", good), ("test.sh", test)])]);
    // Halving meets the first of the two first.
    let steps = [bad, bad, bad, bad, good, bad, bad, bad];
    for (step, text) in steps.iter().enumerate() {
        place.write("main.sh", text);
        place.write("notes", format!("{step}\n"));
        commit(&place, &format!("step {step}"));
    }
    place
        .call(&["changes", "HEAD~8..", "--", "sh", "test.sh"])
        .exits(0)
        .prints("step 5 is the first that fails")
        .prints("step 0, and went with ")
        .prints("step 4");
}
