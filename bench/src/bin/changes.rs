//! yester, plain ddmin over hunks and `git bisect` on what broke published releases, one after another.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use serde_json::Value;
use yester_bench::case::Purpose;
use yester_bench::regression::Regression;
use yester_bench::{median, plain, process_tree, yester};
use yester_core::{Outcome, Subset};

const USAGE: &str = "\
usage: bench/changes [--limit SECONDS] [--only CASE]... [--fetch | --speedup]

  --limit SECONDS  how long each tool may take for each case [default: 900; 120 at most for plain ddmin]
  --only CASE      this case; may be given several times [default: all of bench/cases/changes]
  --fetch          only fetch the cases and check their tests
  --speedup        only yester, with one job and with two";

/// Plain ddmin gets nowhere where it has not ended by then.
const PLAIN_LIMIT: Duration = Duration::from_secs(120);

/// How long yester may take to write its result when it stops by itself.
const GRACE: Duration = Duration::from_secs(60);

/// What is asked of yester for one case.
struct Bar {
    case: &'static str,
    most_trials: u64,
    most_lines: u64,
    /// What has to be in the culprit.
    word: &'static str,
}

const BARS: [Bar; 4] = [
    Bar {
        case: "is-promise",
        most_trials: 10,
        most_lines: 4,
        word: "\"exports\"",
    },
    // The deleted file and the line that imported it.
    Bar {
        case: "click-black",
        most_trials: 12,
        most_lines: 101,
        word: "_verify_python_env",
    },
    // And no more lines than plain ddmin.
    Bar {
        case: "unicode-width",
        most_trials: 50,
        most_lines: u64::MAX,
        word: "width_in_str",
    },
    Bar {
        case: "sqlite-10k",
        most_trials: 200,
        most_lines: 1000,
        word: "OP_Filter",
    },
];

/// With two jobs yester is at least this much faster than with one, where a trial takes a tenth of a second or more.
const SPEEDUP_BAR: f64 = 1.7;
const SPEEDUP_TRIAL: f64 = 0.1;

/// Of all trials of yester, at most this share is unresolved.
const UNRESOLVED_BAR: f64 = 0.25;

struct ChangesOptions {
    limit: Duration,
    only: Vec<String>,
    fetch: bool,
    speedup: bool,
}

/// A row of a table.
struct ChangesRow {
    tool: &'static str,
    trials: u64,
    unresolved: u64,
    wall: Duration,
    /// Files, hunks and lines.
    size: [u64; 3],
    /// Good with the answer, bad without it.
    verified: [Outcome; 2],
    note: String,
}

/// What is added up over all cases.
#[derive(Default)]
struct Total {
    trials: u64,
    unresolved: u64,
    missed: Vec<String>,
    /// What each case is for, and yester's trials and lines.
    rows: Vec<(Purpose, u64, u64)>,
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let own = std::env::current_exe().expect("a running program has a path");
    let target = own
        .parent()
        .and_then(Path::parent)
        .expect("target/release/changes");
    let cases = PathBuf::from("bench/cases")
        .canonicalize()
        .expect("bench/cases");
    let place = target.join("bench-changes");
    let mut names: Vec<String> = fs::read_dir(cases.join("changes"))
        .expect("bench/cases/changes")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| arguments.only.is_empty() || arguments.only.contains(name))
        .collect();
    names.sort();
    let mut total = Total::default();
    if arguments.speedup {
        println!(
            "| case | trial s | trials, 1 job | wall s | trials, 2 jobs | wall s | speedup | lines |"
        );
        println!("|---|---|---|---|---|---|---|---|");
    }
    for name in names {
        let fetched = Regression::fetch(&cases, &name, &place.join("cases"))
            .and_then(|regression| regression.check().map(|()| regression));
        match fetched {
            Ok(regression) if arguments.speedup => {
                let place = place.join("runs").join(&name);
                if let Err(message) = speedup(&regression, arguments.limit, &place, &mut total) {
                    total.missed.push(format!("{name}: {message}"));
                }
            }
            Ok(regression) => {
                introduce(&regression);
                if !arguments.fetch {
                    let place = place.join("runs").join(&name);
                    compare(&regression, arguments.limit, &place, &mut total);
                }
            }
            Err(message) => {
                println!("### {name}\n\nNot run: {message}.\n");
                total.missed.push(format!("{name} was not run"));
            }
        }
    }
    if total.trials > 0 {
        let share = total.unresolved as f64 / total.trials as f64;
        println!(
            "{} of yester's {} trials were unresolved: {:.0} %.",
            total.unresolved,
            total.trials,
            100.0 * share
        );
        if share >= UNRESOLVED_BAR {
            let bar = 100.0 * UNRESOLVED_BAR;
            total
                .missed
                .push(format!("unresolved trials are not under {bar:.0} %"));
        }
    }
    print_medians(&total.rows);
    for missed in &total.missed {
        println!("Not met: {missed}.");
    }
    ExitCode::from(u8::from(!total.missed.is_empty()))
}

/// The figures of the cases that numbers were chosen on, and of the others.
fn print_medians(rows: &[(Purpose, u64, u64)]) {
    for purpose in Purpose::ALL {
        let rows = rows.iter().filter(|(other, ..)| *other == purpose);
        let (trials, lines): (Vec<f64>, Vec<f64>) = rows
            .map(|(_, trials, lines)| (*trials as f64, *lines as f64))
            .unzip();
        if !trials.is_empty() {
            println!(
                "yester on {} cases to {}, medians: {} trials, {} lines.",
                trials.len(),
                purpose.name(),
                median(trials),
                median(lines),
            );
        }
    }
}

fn arguments() -> Result<ChangesOptions, String> {
    let mut arguments = ChangesOptions {
        limit: Duration::from_secs(900),
        only: Vec::new(),
        fetch: false,
        speedup: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--limit" => {
                let seconds = value()?
                    .parse()
                    .map_err(|_| "--limit needs whole seconds".to_owned())?;
                arguments.limit = Duration::from_secs(seconds);
            }
            "--only" => {
                let name = value()?;
                if !Path::new("bench/cases/changes").join(&name).exists() {
                    return Err(format!("there is no case '{name}'"));
                }
                arguments.only.push(name);
            }
            "--fetch" => arguments.fetch = true,
            "--speedup" => arguments.speedup = true,
            _ => return Err(format!("'{word}' is not understood")),
        }
    }
    Ok(arguments)
}

fn introduce(regression: &Regression) {
    let difference = regression.difference().expect("it was just checked");
    let all = Subset::full(difference.atoms());
    let [files, hunks, lines] = plain::size(&difference, &all);
    println!("### {}\n", regression.name);
    println!("{} {}", regression.material, regression.property);
    println!("{files} files, {hunks} hunks, {lines} lines.\n");
}

/// Runs the tools on a case, prints its table and notes which bars are not met.
fn compare(regression: &Regression, limit: Duration, place: &Path, total: &mut Total) {
    println!("| tool | trials | unresolved | wall s | files | hunks | lines | verified | note |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for tool in [run_yester, run_plain, run_bisect] {
        match tool(regression, limit, place) {
            Ok(Some(row)) => {
                row.print();
                rows.push(row);
            }
            Ok(None) => {}
            Err(message) => {
                println!("| | | | | | | | | failed: {message} |");
                total.missed.push(format!("{}: {message}", regression.name));
            }
        }
    }
    println!();
    let Some(own) = rows.iter().find(|row| row.tool == "yester") else {
        return;
    };
    total
        .rows
        .push((regression.purpose, own.trials, own.size[2]));
    total.trials += own.trials;
    total.unresolved += own.unresolved;
    let mut require = |is_met: bool, what: String| {
        if !is_met {
            total.missed.push(format!("{}: {what}", regression.name));
        }
    };
    let [outcome, _] = own.verified;
    require(
        outcome == Outcome::Fail,
        "good with the culprit does not fail".to_owned(),
    );
    let lines = own.size[2];
    let least = rows
        .iter()
        .find(|row| row.tool == "plain ddmin")
        .map_or(u64::MAX, |plain| plain.size[2]);
    let Some(bar) = BARS.iter().find(|bar| bar.case == regression.name) else {
        if lines > least {
            println!("More lines than plain ddmin.\n");
        }
        return;
    };
    let culprit = fs::read(place.join("yester/culprit.patch")).unwrap_or_default();
    require(
        own.trials <= bar.most_trials,
        format!("{} trials, at most {}", own.trials, bar.most_trials),
    );
    require(
        lines <= bar.most_lines.min(least),
        format!("{lines} lines, at most {}", bar.most_lines.min(least)),
    );
    require(
        String::from_utf8_lossy(&culprit).contains(bar.word),
        format!("{} is not in the culprit", bar.word),
    );
}

impl ChangesRow {
    fn print(&self) {
        let [files, hunks, lines] = self.size;
        let [with, without] = self.verified.map(|outcome| match outcome {
            Outcome::Pass => "passes",
            Outcome::Fail => "fails",
            Outcome::Unresolved => "unresolved",
        });
        println!(
            "| {} | {} | {} | {:.1} | {files} | {hunks} | {lines} | {with}, {without} | {} |",
            self.tool,
            self.trials,
            self.unresolved,
            self.wall.as_secs_f64(),
            self.note,
        );
    }
}

/// Compares one job with two.
fn speedup(
    regression: &Regression,
    limit: Duration,
    place: &Path,
    total: &mut Total,
) -> Result<(), String> {
    let one = with_jobs(regression, limit, place, 1)?;
    let two = with_jobs(regression, limit, place, 2)?;
    let trial = one.wall.as_secs_f64() / one.trials.max(1) as f64;
    let ratio = one.wall.as_secs_f64() / two.wall.as_secs_f64();
    println!(
        "| {} | {trial:.2} | {} | {:.1} | {} | {:.1} | {ratio:.2} | {} |",
        regression.name,
        one.trials,
        one.wall.as_secs_f64(),
        two.trials,
        two.wall.as_secs_f64(),
        two.size[2],
    );
    if one.size != two.size {
        return Err(format!(
            "{:?} with one job, {:?} with two",
            one.size, two.size
        ));
    }
    if trial >= SPEEDUP_TRIAL && ratio < SPEEDUP_BAR {
        let name = &regression.name;
        total.missed.push(format!(
            "{name}: {ratio:.2} times as fast with two jobs, {SPEEDUP_BAR} wanted"
        ));
    }
    Ok(())
}

fn run_yester(
    regression: &Regression,
    limit: Duration,
    place: &Path,
) -> Result<Option<ChangesRow>, String> {
    with_jobs(regression, limit, place, 2).map(Some)
}

fn with_jobs(
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
    let mut verified = [Outcome::Unresolved; 2];
    for (outcome, (version, patch)) in verified
        .iter_mut()
        .zip([(good, "culprit.patch"), (bad, "fix.patch")])
    {
        let tree = tempfile::tempdir().map_err(|error| error.to_string())?;
        version
            .materialise(tree.path())
            .map_err(|error| error.to_string())?;
        let mut apply = Command::new("git");
        apply.args(["apply", "--unidiff-zero"]);
        apply.arg(place.join(patch)).current_dir(tree.path());
        succeed(&mut apply)?;
        *outcome = regression
            .try_out(tree.path())
            .map_err(|error| error.to_string())?;
    }
    let mut note = answer["status"].as_str().unwrap_or_default().to_owned();
    if let Some(subject) = result["commit"]["subject"].as_str() {
        note.push_str(&format!(", first bad: {subject}"));
    }
    Ok(ChangesRow {
        tool: "yester",
        trials: count(&place.join("trials")),
        unresolved: number(&answer["trials"]["unresolved"]),
        wall: usage.wall,
        size: ["files", "hunks", "lines"].map(|field| number(&result[field])),
        verified,
        note,
    })
}

fn run_plain(
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
        note: if plain.finished { "found" } else { "limit" }.to_owned(),
    }))
}

fn run_bisect(
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
    let mut verified = [Outcome::Unresolved; 2];
    for (outcome, revision) in verified
        .iter_mut()
        .zip(["refs/bisect/bad", "refs/bisect/bad~1"])
    {
        succeed(&mut git(&["checkout", "--quiet", "--force", revision]))?;
        *outcome = regression
            .try_out(&clone)
            .map_err(|error| error.to_string())?;
    }
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
        verified,
        note: match found {
            true => format!("found, first bad: {}", subject.trim()),
            false => "stopped".to_owned(),
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

/// Writes a script that counts a trial and runs others one after the other, until one does not succeed.
fn write_counter(place: &Path, name: &str, scripts: &[PathBuf]) -> Result<PathBuf, String> {
    let path = place.join(name);
    let directory = place.display();
    let mut text = format!("#!/bin/sh\nprintf . >> '{directory}/trials'\n");
    let (test, builds) = scripts.split_last().expect("there is a test");
    for build in builds {
        text.push_str(&format!(
            "'{}' || {{ printf . >> '{directory}/unresolved'; exit 125; }}\n",
            build.display()
        ));
    }
    text.push_str(&format!("'{}'\ncode=$?\n", test.display()));
    text.push_str(&format!(
        "[ $code != 125 ] || printf . >> '{directory}/unresolved'\nexit $code\n"
    ));
    fs::write(&path, text).map_err(|error| error.to_string())?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
        .map_err(|error| error.to_string())?;
    Ok(path)
}

/// How often a script has counted.
fn count(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// An empty directory in the place of whatever is there.
fn fresh(path: &Path) -> Result<PathBuf, String> {
    let _ = fs::remove_dir_all(path);
    fs::create_dir_all(path).map_err(|error| error.to_string())?;
    Ok(path.to_owned())
}

/// The output of a command that has to succeed.
fn succeed(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}
