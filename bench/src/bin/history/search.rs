//! `yester history` on one repository, as it is or as Artho's plain walk.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use yester_bench::process_tree::{self, Usage};
use yester_bench::script::{count, fresh, succeed, write_counter};
use yester_bench::truth::Truth;

use crate::options::{HistoryOptions, HistoryTool};

/// How long yester may take to write its result when it stops by itself.
const GRACE: Duration = Duration::from_secs(60);

/// What is searched.
pub struct SearchTarget<'a> {
    /// A repository or a bundle of one.
    pub source: &'a Path,
    /// The test.
    pub test: &'a Path,
}

/// How a search went.
#[derive(Debug)]
pub struct SearchRun {
    /// How many commits the history has.
    pub commits: u64,
    /// How yester says that it ended.
    pub status: String,
    /// The commit that it names.
    pub culprit: Option<String>,
    /// How often it called the test: to walk, for patches, for the culprit, for the fix. None if it was killed.
    pub trials: Option<[u64; 4]>,
    /// How often the test was called, counted by the test.
    pub whole: u64,
    /// How many of these calls gave no answer.
    pub unresolved: u64,
    /// At how many revisions the test needed another patch on the way back.
    pub borders: usize,
    /// The lines of the culprit.
    pub lines: u64,
    /// The culprit as a patch, empty if there is none.
    pub culprit_text: String,
    /// The lines of the patch that lets the good revision run the test.
    pub backport_lines: Option<u64>,
    /// Whether the good revision with that patch passes, in a new tree.
    pub is_good_verified: Option<bool>,
    /// The lines of the fix.
    pub fix_lines: Option<u64>,
    /// Whether the last revision with the fix passes, in a new tree; none if there is no fix.
    pub is_fix_verified: Option<bool>,
    /// What it took.
    pub usage: Usage,
    /// Whether it was cut short.
    pub is_cut: bool,
}

impl SearchRun {
    /// Whether it names this commit; one of them may be abbreviated.
    pub fn names(&self, commit: &str) -> bool {
        self.culprit
            .as_ref()
            .is_some_and(|culprit| culprit.starts_with(commit) || commit.starts_with(culprit))
    }
}

/// Searches a clone of the target in a directory below `place`.
pub fn run(
    target: &SearchTarget<'_>,
    tool: HistoryTool,
    options: &HistoryOptions,
    place: &Path,
) -> Result<SearchRun, String> {
    let text = |error: std::io::Error| error.to_string();
    let place = fresh(&place.join(tool.name()))?
        .canonicalize()
        .map_err(text)?;
    let clone = clone(target.source, &place)?;
    let trial = write_counter(&place, "trial.sh", &[target.test.to_owned()])?;
    let answer = place.join("answer.json");
    let mut command = Command::new(&options.yester);
    command.args(["history", "--jobs", &options.jobs.to_string()]);
    command.args(["--json", "--quiet"]);
    command.arg("--output").arg(place.join("output"));
    command.args(["--max-time", &format!("{}s", options.limit.as_secs())]);
    if tool == HistoryTool::Plain {
        command.arg("--plain");
    }
    command.arg("--").arg(&trial);
    command
        .current_dir(&clone)
        .stdin(Stdio::null())
        .stdout(File::create(&answer).map_err(text)?)
        .stderr(File::create(place.join("log")).map_err(text)?);
    let usage = process_tree::run(&mut command, options.limit + GRACE).map_err(text)?;
    let answer: Value =
        serde_json::from_slice(&fs::read(&answer).map_err(text)?).unwrap_or_default();
    let result = &answer["result"];
    let status = match (answer["status"].as_str(), usage.code) {
        (Some(status), _) => status.to_owned(),
        (None, None) => "killed".to_owned(),
        (None, Some(code)) => {
            format!("no answer, exit {code}: {}", last_line(&place.join("log")))
        }
    };
    let path = |field: &str| result[field].as_str().map(|path| clone.join(path));
    let good = result["good"].as_str();
    let is_good_verified = match (good, path("backport_patch")) {
        (Some(good), patch) => Some(passes(&clone, good, patch.as_deref(), target.test)?),
        (None, _) => None,
    };
    let is_fix_verified = match path("fix_patch") {
        Some(patch) => Some(passes(&clone, "HEAD", Some(&patch), target.test)?),
        None => None,
    };
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    Ok(SearchRun {
        commits: number_of_commits(&clone)?,
        culprit: result["culprit_commit"]["id"].as_str().map(str::to_owned),
        trials: result["trials"].is_object().then(|| {
            ["walk", "patches", "culprit", "fix"].map(|phase| number(&result["trials"][phase]))
        }),
        whole: count(&place.join("trials")),
        unresolved: count(&place.join("unresolved")),
        borders: result["borders"].as_array().map_or(0, |borders| {
            let is_back = |border: &&Value| border["direction"] != "forward";
            borders.iter().filter(is_back).count()
        }),
        lines: number(&result["lines"]),
        culprit_text: path("culprit_patch").map_or(String::new(), |patch| read(&patch)),
        backport_lines: path("backport_patch").map(|patch| changed_lines(&patch)),
        fix_lines: path("fix_patch").map(|patch| changed_lines(&patch)),
        is_good_verified,
        is_fix_verified,
        is_cut: matches!(status.as_str(), "limit" | "killed" | "interrupted"),
        usage,
        status,
    })
}

/// A clone of a repository or bundle.
pub fn clone(source: &Path, place: &Path) -> Result<PathBuf, String> {
    let clone = place.join("repository");
    let mut command = Command::new("git");
    command.args(["clone", "--quiet"]).arg(source).arg(&clone);
    succeed(&mut command)?;
    Ok(clone)
}

fn number_of_commits(repository: &Path) -> Result<u64, String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(repository);
    let number = succeed(command.args(["rev-list", "--count", "HEAD"]))?;
    number
        .trim()
        .parse()
        .map_err(|_| "git counts commits".to_owned())
}

/// Whether the test passes on a revision with a patch, in a new tree. A patch that does not apply is none that passes.
fn passes(
    repository: &Path,
    revision: &str,
    patch: Option<&Path>,
    test: &Path,
) -> Result<bool, String> {
    let tree = tempfile::tempdir().map_err(|error| error.to_string())?;
    let archive = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["archive", revision])
        .stdout(Stdio::piped())
        .spawn()
        .and_then(|mut archive| {
            let extract = Command::new("tar")
                .args(["-x", "-C"])
                .arg(tree.path())
                .stdin(archive.stdout.take().expect("it was asked for"))
                .status()?;
            Ok(archive.wait()?.success() && extract.success())
        })
        .map_err(|error| error.to_string())?;
    if !archive {
        return Err(format!("there is no tree of {revision}"));
    }
    if let Some(patch) = patch.filter(|patch| fs::metadata(patch).is_ok_and(|it| it.len() > 0)) {
        let mut apply = Command::new("git");
        apply.args(["apply", "--unidiff-zero"]).arg(patch);
        // Without a ceiling git would take the tree for a part of a repository around it.
        apply.env("GIT_CEILING_DIRECTORIES", tree.path());
        if succeed(apply.current_dir(tree.path())).is_err() {
            return Ok(false);
        }
    }
    let status = Command::new(test)
        .current_dir(tree.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| error.to_string())?;
    Ok(status.success())
}

/// How many lines a patch adds and removes.
fn changed_lines(patch: &Path) -> u64 {
    let truth = Truth {
        patch: read(patch),
        ..Truth::default()
    };
    truth.lines()
}

/// A file, as far as it is there and text.
fn read(path: &Path) -> String {
    let content = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&content).into_owned()
}

/// The end of what was printed.
fn last_line(path: &Path) -> String {
    let log = read(path);
    let line = log.lines().rfind(|line| !line.trim().is_empty());
    let line: String = line.unwrap_or_default().chars().take(120).collect();
    line.replace('|', " ")
}
