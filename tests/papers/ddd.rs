//! Zeller's first case study, as a real project with a real history and real builds.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::archive::{CHANGES, COMMITS, CULPRIT, culprit_lines, git, make, subject};

/// The tests that WYNOT took with the order of the archive.
const PAPER: u64 = 12;
/// The trials that ours may take, with those of the baseline and of the proof.
const MOST: u64 = 24;

fn hunks(patches: &str) -> usize {
    patches
        .lines()
        .filter(|line| line.starts_with("@@"))
        .count()
}

struct Study {
    repository: TempDir,
    commits: Vec<String>,
}

impl Study {
    fn new(does_culprit_build: bool) -> Study {
        let repository = TempDir::new().expect("a directory");
        let place = repository.path();
        make(place, does_culprit_build);
        let range = "v3.1.1..v3.1.2";
        let commits = git(place, &["rev-list", "--reverse", range]);
        let commits: Vec<String> = commits.lines().map(str::to_owned).collect();
        assert_eq!(commits.len(), COMMITS);
        let one_by_one = git(place, &["log", "-p", "-U0", "--format=", range]);
        assert_eq!(hunks(&one_by_one), CHANGES);
        assert_eq!(hunks(&git(place, &["diff", "-U0", range])), CHANGES);

        git(place, &["checkout", "--quiet", &commits[CULPRIT]]);
        let built = Command::new("make").arg("-j2").current_dir(place).output();
        let is_built = built.expect("make starts").status.success();
        assert_eq!(is_built, does_culprit_build);
        git(place, &["checkout", "--quiet", "main"]);
        git(place, &["clean", "--quiet", "-fdx"]);
        Study {
            repository,
            commits,
        }
    }

    /// Searches, and gives the result after a look at all that has to be so whether the commit builds or not.
    fn search(&self, name: &str) -> Value {
        let place = self.repository.path();
        let output = Command::new(env!("CARGO_BIN_EXE_yester"))
            .args(["changes", "v3.1.1", "v3.1.2", "--build", "make -j2"])
            .args(["--json", "-j1", "--", "./ddd", "no-such-file"])
            .current_dir(place)
            .stdin(Stdio::null())
            .output()
            .expect("yester starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{message}");
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let result = &json["result"];

        let patch = fs::read_to_string(place.join("culprit.patch")).expect("a patch");
        let lines: Vec<&str> = patch
            .lines()
            .skip_while(|line| !line.starts_with("@@"))
            .filter(|line| line.starts_with(['-', '+']))
            .collect();
        assert_eq!(lines, culprit_lines());
        assert_eq!(result["files"], 1);
        assert_eq!(result["changes"][0]["file"], "gdbinit.c");
        let blamed = &result["changes"][0]["commit"];
        assert_eq!(blamed["id"], self.commits[CULPRIT]);
        assert_eq!(blamed["subject"], subject(CULPRIT));
        assert_eq!(json["failure"], "signal SIGSEGV");
        assert_eq!(result["verified"]["good_plus_culprit"], "fail");
        assert_eq!(result["verified"]["bad_minus_culprit"], "pass");
        assert_eq!(result["one_minimal"], true);

        let count = |key: &str| json["trials"][key].as_u64().expect("a number");
        let [trials, unresolved] = ["run", "unresolved"].map(count);
        println!(
            "DDD, real | {name:40} | {trials} with baseline and proof, {unresolved} unresolved | {PAPER}"
        );
        assert!(trials <= MOST, "{message}{json}");
        json["result"].clone()
    }
}

#[test]
fn ddd_dumps_core_for_three_lines_of_one_commit() {
    let study = Study::new(true);
    let result = study.search("the commit builds");
    assert_eq!(result["commit"]["id"], study.commits[CULPRIT], "{result}");
}

#[test]
fn ddd_dumps_core_for_three_lines_of_a_commit_that_does_not_build() {
    let study = Study::new(false);
    let result = study.search("neither it nor its neighbours build");
    // No trial shows which of the commits that do not build is the first that fails; the lines are found all the same.
    let first = &result["commit"];
    assert!(
        first.is_null() || first["id"] == study.commits[CULPRIT],
        "{result}"
    );
}
