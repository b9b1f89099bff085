//! `git bisect run` on one repository, from its first commit to its last.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use yester_bench::process_tree;
use yester_bench::script::{count, fresh, succeed, write_counter};

use crate::search::{SearchTarget, clone};

/// How a bisection went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BisectRun {
    /// How often it called the test.
    pub tests: u64,
    /// The commits that it leaves: one if it has found the first bad one.
    pub candidates: Vec<String>,
    /// Whether it was cut short.
    pub is_cut: bool,
}

/// Bisects a clone of the target in a directory below `place`. No good revision is known, so the first one is taken for
/// good, as it cannot run the test and hence cannot show the bug.
pub fn run(target: &SearchTarget<'_>, limit: Duration, place: &Path) -> Result<BisectRun, String> {
    let text = |error: std::io::Error| error.to_string();
    let place = fresh(&place.join("bisect"))?.canonicalize().map_err(text)?;
    let clone = clone(target.source, &place)?;
    let trial = write_counter(&place, "trial.sh", &[target.test.to_owned()])?;
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&clone).args(arguments);
        command
    };
    let first = succeed(&mut git(&["rev-list", "--max-parents=0", "HEAD"]))?;
    succeed(&mut git(&["bisect", "start", "HEAD", first.trim()]))?;
    let output = place.join("output");
    let mut run = git(&["bisect", "run"]);
    run.arg(trial)
        .stdin(Stdio::null())
        .stdout(File::create(&output).map_err(text)?)
        .stderr(File::create(place.join("log")).map_err(text)?);
    let usage = process_tree::run(&mut run, limit).map_err(text)?;
    let output = fs::read_to_string(output).map_err(text)?;
    Ok(BisectRun {
        tests: count(&place.join("trials")),
        candidates: candidates(&output),
        is_cut: usage.code.is_none(),
    })
}

/// The commits that the output of a bisection leaves.
fn candidates(output: &str) -> Vec<String> {
    let found = output
        .lines()
        .find_map(|line| line.strip_suffix(" is the first bad commit"));
    if let Some(commit) = found {
        return vec![commit.to_owned()];
    }
    output
        .lines()
        .skip_while(|line| !line.contains("could be any of"))
        .skip(1)
        .take_while(|line| line.len() >= 40 && line.chars().all(|sign| sign.is_ascii_hexdigit()))
        .map(str::to_owned)
        .collect()
}
