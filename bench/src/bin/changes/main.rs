//! yester, plain ddmin over hunks and `git bisect` on what broke published releases, one after another.

mod row;
mod scale;
mod tool;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use row::{ChangesRow, HEAD, Total};
use tool::{run_bisect, run_plain, run_yester, with_jobs};
use yester_bench::plain;
use yester_bench::regression::Regression;
use yester_core::{Outcome, Subset};

const USAGE: &str = "\
usage: bench/changes [--limit SECONDS] [--only CASE]... [--tool TOOL]...
                     [--fetch | --speedup | --scale]

  --limit SECONDS  how long each tool may take for each case [default: 900; 120 at most for plain ddmin]
  --only CASE      this case; may be given several times [default: all of bench/cases/changes]
  --tool TOOL      yester, plain (ddmin) or bisect; may be given several times [default: all]
  --fetch          only fetch the cases and check their tests and what is known of them
  --speedup        only yester, with one job and with two
  --scale          only a generated repository with 20,000 files and 2,000 commits";

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

/// What runs on a case, for a limited time and in a directory of its own, and gives a row, if it can run there.
type Tool = fn(&Regression, Duration, &Path) -> Result<Option<ChangesRow>, String>;

const TOOLS: [(&str, Tool); 3] = [
    ("yester", run_yester),
    ("plain", run_plain),
    ("bisect", run_bisect),
];

struct ChangesOptions {
    limit: Duration,
    only: Vec<String>,
    tools: Vec<String>,
    fetch: bool,
    speedup: bool,
    scale: bool,
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
    if arguments.scale {
        return scale::run(&place.join("scale"), arguments.limit);
    }
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
            .and_then(|regression| regression.check().map(|()| regression))
            .and_then(|regression| {
                if arguments.fetch {
                    regression.check_truth().map(|()| regression)
                } else {
                    Ok(regression)
                }
            });
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
                    compare(&regression, &arguments, &place, &mut total);
                }
            }
            Err(message) => {
                println!("### {name}\n\nNot run: {message}.\n");
                total.missed.push(format!("{name} was not run"));
            }
        }
    }
    if let Some(share) = total.unresolved() {
        total.print();
        if share >= UNRESOLVED_BAR {
            let bar = 100.0 * UNRESOLVED_BAR;
            total
                .missed
                .push(format!("unresolved trials are not under {bar:.0} %"));
        }
    }
    for missed in &total.missed {
        println!("Not met: {missed}.");
    }
    ExitCode::from(u8::from(!total.missed.is_empty()))
}

fn arguments() -> Result<ChangesOptions, String> {
    let mut arguments = ChangesOptions {
        limit: Duration::from_secs(900),
        only: Vec::new(),
        tools: Vec::new(),
        fetch: false,
        speedup: false,
        scale: false,
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
            "--tool" => {
                let name = value()?;
                if !TOOLS.iter().any(|(tool, _)| *tool == name) {
                    return Err(format!("there is no tool '{name}'"));
                }
                arguments.tools.push(name);
            }
            "--fetch" => arguments.fetch = true,
            "--speedup" => arguments.speedup = true,
            "--scale" => arguments.scale = true,
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
fn compare(regression: &Regression, arguments: &ChangesOptions, place: &Path, total: &mut Total) {
    println!("{HEAD}");
    let mut rows = Vec::new();
    for (name, tool) in TOOLS {
        if !arguments.tools.is_empty() && !arguments.tools.iter().any(|tool| tool == name) {
            continue;
        }
        match tool(regression, arguments.limit, place) {
            Ok(Some(row)) => {
                row.print();
                rows.push(row);
            }
            Ok(None) => {}
            Err(message) => {
                println!("| | | | | | | | | | | failed: {message} |");
                total.missed.push(format!("{}: {message}", regression.name));
            }
        }
    }
    println!();
    let Some(own) = rows.iter().find(|row| row.tool == "yester") else {
        return;
    };
    total.add(regression, own);
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
    require(
        own.is_same_failure == Some(true),
        "the answer fails in another way".to_owned(),
    );
    require(
        own.is_right_commit != Some(false),
        "another commit is named".to_owned(),
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
