//! Damaged inputs for everything that reads strangers' bytes. The test of this crate runs a sample.

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use yester_bench::fuzz::{FuzzTarget, input, targets};

/// A quick run. One million is the full figure.
const EXECUTIONS: u64 = 2_000;
/// A longer execution hangs.
const SECONDS: u32 = 20;
/// More memory than this is an explosion.
const BYTES: u64 = 2 << 30;
/// After so many failures of a target the rest of it is not run.
const MOST_FAILURES: u64 = 5;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let value = |flag: &str| {
        let at = words.iter().position(|word| word == flag)?;
        words.get(at + 1).cloned()
    };
    let number = |flag: &str| value(flag).map(|text| text.parse().expect("a number"));
    let mut targets = targets();
    if let Some(name) = value("--target") {
        targets.retain(|target| target.name == name);
    }
    if let (Some(target), Some(path)) = (targets.first(), value("--input")) {
        let directory = tempfile::tempdir().expect("a directory");
        target.execute(&fs::read(path).expect("an input"), directory.path());
        return ExitCode::SUCCESS;
    }
    let executions = number("--executions").unwrap_or(EXECUTIONS);
    if let (Some(target), Some(progress), Some(first)) =
        (targets.first(), value("--child"), number("--first"))
    {
        let progress = File::create(progress).expect("a file for the number");
        contain();
        run(target, first..executions, &progress);
        return ExitCode::SUCCESS;
    }
    println!("| target | executions | seconds | executions/s | failures |");
    println!("|---|---|---|---|---|");
    let mut failures = Vec::new();
    for target in &targets {
        let start = Instant::now();
        let (done, found) = supervise(target, executions);
        let seconds = start.elapsed().as_secs_f64();
        let rate = done as f64 / seconds;
        println!(
            "| {} | {done} | {seconds:.1} | {rate:.0} | {} |",
            target.name,
            found.len()
        );
        failures.extend(found);
    }
    for failure in &failures {
        println!("\n{failure}");
    }
    ExitCode::from(u8::from(!failures.is_empty()))
}

/// Runs a target in children that may die, and tells how many executions there were and what went wrong.
fn supervise(target: &FuzzTarget, executions: u64) -> (u64, Vec<String>) {
    let directory = tempfile::tempdir().expect("a directory");
    let progress = directory.path().join("number");
    let log = directory.path().join("log");
    let mut first = 0;
    let mut failures = Vec::new();
    while first < executions && (failures.len() as u64) < MOST_FAILURES {
        let own = std::env::current_exe().expect("a running program has a path");
        let status = Command::new(own)
            .args(["--target", &target.name])
            .args(["--first", &first.to_string()])
            .args(["--executions", &executions.to_string()])
            .arg("--child")
            .arg(&progress)
            .stderr(File::create(&log).expect("a log"))
            .status()
            .expect("a child starts");
        if status.success() {
            return (executions, failures);
        }
        let bytes = fs::read(&progress).unwrap_or_default();
        let bytes = bytes.first_chunk().expect("the child began");
        let number = u64::from_le_bytes(*bytes);
        let saved = PathBuf::from(format!("target/fuzz/{}-{number}", target.name));
        fs::create_dir_all("target/fuzz").expect("a directory for inputs");
        fs::write(&saved, input(target, number)).expect("the input is saved");
        let said = fs::read(&log).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        failures.push(format!(
            "{}: execution {number} ended with {}: {}\n  repeat it by bench/fuzz --target {} --input {}",
            target.name,
            status.signal().map_or(format!("{status}"), |signal| format!("signal {signal}")),
            said.lines().take(3).collect::<Vec<_>>().join(" / "),
            target.name,
            saved.display(),
        ));
        first = number + 1;
    }
    (first, failures)
}

/// Limits the memory of this process. A panic must end it, so that the parent sees it.
fn contain() {
    let limit = libc::rlimit {
        rlim_cur: BYTES,
        rlim_max: BYTES,
    };
    // SAFETY: the limit is a live local.
    unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
}

fn run(target: &FuzzTarget, numbers: Range<u64>, progress: &File) {
    let directory = tempfile::tempdir().expect("a directory");
    for number in numbers {
        progress
            .write_all_at(&number.to_le_bytes(), 0)
            .expect("the number is written");
        // SAFETY: an alarm ends this process, and nothing else waits for one.
        unsafe { libc::alarm(SECONDS) };
        target.execute(&input(target, number), directory.path());
    }
}
