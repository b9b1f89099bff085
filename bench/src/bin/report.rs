//! What `yester report` costs for runs with many trials.
//!
//! A real run is made first. Its own trials then go into its journal again and again, under new numbers, until there are
//! enough: written by the code that writes them in a run, and as long and as varied as real ones.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use yester_bench::{median, yester};
use yester_run::{Journal, Trial, Why, read_trials};

const ROUNDS: usize = 5;
const SIZES: [usize; 3] = [100, 10_000, 100_000];
/// For 10,000 trials.
const MOST_BYTES: u64 = 2_000_000;

fn main() -> ExitCode {
    let directory = tempfile::tempdir().expect("a directory");
    let run = real_run(directory.path());
    println!("| trials | text s | markdown s | SARIF s | page s | page bytes | first paint s |");
    println!("|---|---|---|---|---|---|---|");
    let mut met = true;
    for trials in SIZES {
        fill(&run.join("journal.jsonl"), trials);
        let [text, markdown, sarif, page] =
            ["text", "markdown", "sarif", "html"].map(|format| seconds(directory.path(), format));
        let file = directory.path().join("page.html");
        let bytes = fs::metadata(&file).expect("a page").len();
        println!(
            "| {trials} | {text:.3} | {markdown:.3} | {sarif:.3} | {page:.3} | {bytes} | {:.3} |",
            paint(&file)
        );
        met &= trials != 10_000 || bytes < MOST_BYTES;
    }
    let word = if met {
        "the bar is met"
    } else {
        "the bar is NOT met"
    };
    println!("\n{word}");
    ExitCode::from(u8::from(!met))
}

/// A run of the example of the README, which has its answer.
fn real_run(directory: &Path) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/totals");
    let copied = fs::copy(examples.join("orders.csv"), directory.join("orders.csv"));
    copied.expect("room");
    let built = Command::new("cc")
        .args(["-o", "totals"])
        .arg(examples.join("totals.c"))
        .current_dir(directory)
        .status();
    assert!(built.expect("cc starts").success());
    let called = Command::new(yester())
        .args(["reduce", "orders.csv", "-q", "-j1", "--", "./totals", "{}"])
        .current_dir(directory)
        .output();
    assert!(called.expect("yester starts").status.success());
    let mut runs = fs::read_dir(directory.join(".yester"))
        .expect("runs")
        .flatten();
    let run = runs.find(|entry| entry.path().is_dir()).expect("a run");
    run.path()
}

/// Makes a journal longer until it has so many trials.
fn fill(path: &Path, wanted: usize) {
    let mut trials: Vec<Trial> = Vec::new();
    let file = File::open(path).expect("a journal");
    read_trials(&file, |trial| trials.push(trial)).expect("a journal");
    let searched = trials.iter().filter(|trial| trial.why == Why::Search);
    let searched: Vec<&Trial> = searched.collect();
    if trials.len() > wanted {
        let text = fs::read_to_string(path).expect("a journal");
        let kept: Vec<&str> = text.split_inclusive('\n').take(wanted).collect();
        fs::write(path, kept.concat()).expect("room");
        return;
    }
    let mut journal = Journal::open(path).expect("a journal");
    for trial in searched.iter().cycle().take(wanted - trials.len()) {
        let trial = Trial {
            trial: journal.next_number(),
            ..(*trial).clone()
        };
        journal.append(&trial).expect("room");
    }
}

/// The middle of some times that it takes to tell the run in a format.
fn seconds(directory: &Path, format: &str) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        let called = Command::new(yester())
            .args(["report", "--format", format, "-o", "page.html"])
            .current_dir(directory)
            .status();
        assert!(called.expect("yester starts").success());
        start.elapsed().as_secs_f64()
    });
    median(times.collect())
}

/// How long it takes from opening a page to its first paint.
fn paint(page: &Path) -> f64 {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/browser/paint.mjs");
    let output = Command::new("node").arg(script).arg(page).output();
    let output = output.expect("node starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().expect("a number")
}
