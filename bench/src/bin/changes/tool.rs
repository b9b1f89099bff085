//! The tools that are compared, each on one case.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use yester_bench::regression::{Regression, Trial};
use yester_bench::script::{count, fresh, succeed, write_counter, write_script};
use yester_bench::truth::Truth;
use yester_bench::{plain, process_tree, yester};
use yester_core::Outcome;
use yester_patch::{Repository, Version};

use crate::row::ChangesRow;

/// Plain ddmin gets nowhere where it has not ended by then.
const PLAIN_LIMIT: Duration = Duration::from_secs(120);

/// How long yester may take to write its result when it stops by itself.
const GRACE: Duration = Duration::from_secs(60);

/// Runs yester with two jobs.
pub fn run_yester(
    regression: &Regression,
    limit: Duration,
    place: &Path,
) -> Result<Option<ChangesRow>, String> {
    with_jobs(regression, limit, place, 2).map(Some)
}

/// Runs yester with some jobs.
pub fn with_jobs(
    regression: &Regression,
    limit: Duration,
    place: &Path,
    jobs: usize,
) -> Result<ChangesRow, String> {
    eprintln!("changes: yester on {}, {jobs} jobs", regression.name);
    let place = fresh(&place.join("yester"))?;
    let mut command = Command::new(yester());
    command.args(["changes", "--jobs", &jobs.to_string()]);
    command.args(["--json", "--quiet", "--output"]);
    command.arg(&place);
    command.args(["--max-time", &format!("{}s", limit.as_secs())]);
    for path in &regression.carried {
        command.args(["--carry", path]);
    }
    // A build that fails is a trial too, and the test is not called then.
    match regression.build() {
        Some(build) => {
            let counted = write_counter(&place, "build.sh", &[build])?;
            command.arg("--build").arg(counted);
            clone_or_name(regression, &place, &mut command)?;
            command.arg("--").arg(regression.test());
        }
        None => {
            let counted = write_counter(&place, "trial.sh", &[regression.test()])?;
            clone_or_name(regression, &place, &mut command)?;
            command.arg("--").arg(counted);
        }
    }
    let answer = place.join("answer.json");
    command
        .stdin(Stdio::null())
        .stdout(File::create(&answer).map_err(|error| error.to_string())?)
        .stderr(File::create(place.join("log")).map_err(|error| error.to_string())?);
    let usage =
        process_tree::run(&mut command, limit + GRACE).map_err(|error| error.to_string())?;
    let answer = fs::read(answer).map_err(|error| error.to_string())?;
    let answer: Value = serde_json::from_slice(&answer)
        .map_err(|_| format!("yester ended with {:?} and no answer", usage.code))?;
    let result = &answer["result"];
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    if result.is_null() {
        return Err(format!("yester found nothing: {}", answer["error"]));
    }
    let [good, bad] = regression.versions().map_err(|error| error.to_string())?;
    // The answer may belong to another revision than the good one.
    let base = match (result["base"].as_str(), regression.repository()) {
        (Some(revision), Some(repository)) => Repository::around(&repository)
            .and_then(|repository| Version::revision(&repository, revision))
            .map_err(|error| error.to_string())?,
        _ => good,
    };
    let broken = regression.observe_version(&bad)?;
    let with = regression.observe_patched(&base, Some(&place.join("culprit.patch")))?;
    // A fix is not offered where none was found.
    let fix = place.join("fix.patch");
    let without = if fix.exists() {
        regression.observe_patched(&bad, Some(&fix))?.outcome
    } else {
        Outcome::Unresolved
    };
    let subject = result["commit"]["subject"].as_str();
    let mut note = answer["status"].as_str().unwrap_or_default().to_owned();
    if let Some(subject) = subject {
        note.push_str(&format!(", first bad: {subject}"));
    }
    Ok(ChangesRow {
        tool: "yester",
        trials: count(&place.join("trials")),
        unresolved: number(&answer["trials"]["unresolved"]),
        wall: usage.wall,
        size: ["files", "hunks", "lines"].map(|field| number(&result[field])),
        verified: [with.outcome, without],
        is_right_commit: is_right_commit(regression, subject),
        is_same_failure: Some(is_same_failure(regression, &broken, &with)),
        note,
    })
}

/// Runs plain ddmin over hunks.
pub fn run_plain(
    regression: &Regression,
    limit: Duration,
    _: &Path,
) -> Result<Option<ChangesRow>, String> {
    eprintln!("changes: plain ddmin on {}", regression.name);
    let plain =
        plain::run(regression, limit.min(PLAIN_LIMIT)).map_err(|error| error.to_string())?;
    Ok(Some(ChangesRow {
        tool: "plain ddmin",
        trials: plain.trials,
        unresolved: plain.unresolved,
        wall: plain.wall,
        size: plain.size,
        verified: plain.verified,
        is_right_commit: None,
        is_same_failure: None,
        note: if plain.finished { "found" } else { "limit" }.to_owned(),
    }))
}

/// Runs `git bisect run`, if there is a history.
pub fn run_bisect(
    regression: &Regression,
    limit: Duration,
    place: &Path,
) -> Result<Option<ChangesRow>, String> {
    let Some(repository) = regression.repository() else {
        return Ok(None);
    };
    eprintln!("changes: git bisect on {}", regression.name);
    let place = fresh(&place.join("bisect"))?;
    let scripts: Vec<PathBuf> = regression.build().into_iter().collect();
    let scripts = [scripts, vec![regression.test()]].concat();
    let trial = write_counter(&place, "trial.sh", &scripts)?;
    let trial = if regression.carried.is_empty() {
        trial
    } else {
        write_carrier(&place, &regression.carried_directory(), &trial)?
    };
    let clone = place.join("repository");
    clone_repository(&repository, &clone)?;
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&clone).args(arguments);
        command
    };
    succeed(&mut git(&["bisect", "start", "bad", "good"]))?;
    let mut run = git(&["bisect", "run"]);
    run.arg(trial).stdout(Stdio::null()).stderr(Stdio::null());
    let usage = process_tree::run(&mut run, limit).map_err(|error| error.to_string())?;
    let found = usage.code == Some(0);
    let [_, bad] = regression.versions().map_err(|error| error.to_string())?;
    let broken = regression.observe_version(&bad)?;
    let versions = Repository::around(&clone)
        .and_then(|repository| {
            Ok([
                Version::revision(&repository, "refs/bisect/bad")?,
                Version::revision(&repository, "refs/bisect/bad~1")?,
            ])
        })
        .map_err(|error| error.to_string())?;
    let [with, without] = versions.map(|version| regression.observe_version(&version));
    let with = with?;
    let subject = succeed(&mut git(&["log", "-1", "--format=%s", "refs/bisect/bad"]))?;
    let patch = succeed(&mut git(&[
        "diff",
        "-U0",
        "--no-renames",
        "refs/bisect/bad~1",
        "refs/bisect/bad",
    ]))?;
    let lines = |prefixes: &[&str]| {
        let starts = |line: &&str| prefixes.iter().any(|prefix| line.starts_with(prefix));
        patch.lines().filter(starts).count() as u64
    };
    Ok(Some(ChangesRow {
        tool: "git bisect",
        trials: count(&place.join("trials")),
        unresolved: count(&place.join("unresolved")),
        wall: usage.wall,
        size: [
            lines(&["diff --git"]),
            lines(&["@@ "]),
            lines(&["+", "-"]) - lines(&["+++ ", "--- "]),
        ],
        verified: [with.outcome, without?.outcome],
        is_right_commit: is_right_commit(regression, found.then_some(subject.trim())),
        is_same_failure: Some(is_same_failure(regression, &broken, &with)),
        note: if found {
            format!("found, first bad: {}", subject.trim())
        } else {
            "stopped".to_owned()
        },
    }))
}

/// Names the two versions; a history is searched in a clone, since bisect checks out and yester keeps its journal there.
fn clone_or_name(
    regression: &Regression,
    place: &Path,
    command: &mut Command,
) -> Result<(), String> {
    match regression.repository() {
        Some(repository) => {
            let clone = place.join("repository");
            clone_repository(&repository, &clone)?;
            command.args(["good", "bad"]).current_dir(clone);
        }
        None => {
            let versions = ["old", "new"].map(|version| regression.directory.join(version));
            command.args(versions).current_dir(place);
        }
    }
    Ok(())
}

fn clone_repository(repository: &Path, clone: &Path) -> Result<String, String> {
    let mut command = Command::new("git");
    command.args(["clone", "--quiet"]).arg(repository);
    succeed(command.arg(clone))
}

/// Writes a script that puts the carried files into the work tree, runs another one, and takes them away again.
fn write_carrier(place: &Path, carried: &Path, trial: &Path) -> Result<PathBuf, String> {
    let text = format!(
        "cp -R '{}/.' .\n'{}'\ncode=$?\ngit checkout --quiet --force HEAD .\ngit clean -fdxq\nexit $code\n",
        carried.display(),
        trial.display()
    );
    write_script(&place.join("carry.sh"), &text)
}

/// Whether the guilty commit is named, if it is known.
fn is_right_commit(regression: &Regression, subject: Option<&str>) -> Option<bool> {
    let truth = regression.truth.as_ref()?;
    Some(subject.is_some_and(|subject| truth.commits.iter().any(|commit| commit == subject)))
}

/// Whether an answer fails as the bad version does.
fn is_same_failure(regression: &Regression, bad: &Trial, answer: &Trial) -> bool {
    let is_known = |truth: &Truth| truth.accepts(&answer.output);
    answer.outcome == Outcome::Fail
        && (answer.output == bad.output || regression.truth.as_ref().is_some_and(is_known))
}
