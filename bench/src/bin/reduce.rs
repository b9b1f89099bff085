//! yester and other reducers on real inputs, one after another, with two jobs each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use yester_bench::case::{self, Case, InputSize, Purpose};
use yester_bench::sensitivity::{self, Measure};
use yester_bench::tool::Tool;
use yester_bench::{median, token};
use yester_tree::{ReduceTuning, source_names};

const USAGE: &str = "\
usage: bench/reduce [--limit SECONDS] [--only CASE]... [--tool TOOL]... [--fetch]
       bench/reduce (--sensitivity | --without SOURCE...) [--trials N] [--only CASE]...

  --limit SECONDS  how long each tool may take for each case [default: 300]
  --only CASE      this case; may be given several times [default: all of bench/cases]
  --tool TOOL      this tool; may be given several times [default: all that can be installed]
  --fetch          only fetch the cases and check their tests
  --sensitivity    only yester, with each number of its engine halved and doubled
  --without SOURCE only yester, with and without this source of ideas; may be given several times, and 'each' is all of
                   them, one at a time
  --trials N       how many trials each of these runs may take [default: 1000]

tools: yester cvise shrinkray treereduce picire lithium picireny";

struct ReduceOptions {
    limit: Duration,
    only: Vec<String>,
    tools: Vec<Tool>,
    fetch: bool,
    sensitivity: bool,
    without: Vec<&'static str>,
    trials: usize,
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
        .expect("target/release/reduce");
    let bench = PathBuf::from("bench").canonicalize().expect("bench");
    let peers = target.join("peers");
    let place = target.join("bench-reduce");
    let is_engine_only = arguments.sensitivity || !arguments.without.is_empty();
    if !arguments.fetch && !is_engine_only {
        install(&bench, &peers, &arguments.tools);
        println!("{}\n", token::RULE);
        println!(
            "CPU seconds are of the tool and all its tests. Two jobs each; lithium has one only.\n"
        );
    }
    let mut good = true;
    let mut rows = Vec::new();
    let mut files = Vec::new();
    for name in case::names(&bench.join("cases")).expect("bench/cases") {
        if !arguments.only.is_empty() && !arguments.only.contains(&name) {
            continue;
        }
        let fetched = Case::fetch(&bench.join("cases"), &name, &place.join("cases"))
            .and_then(|case| Ok((case.check()?, case)));
        match fetched {
            Ok((_, case)) if is_engine_only => {
                if case.is_directory() {
                    eprintln!("reduce: {name} is a directory and left out")
                } else {
                    files.push(case)
                }
            }
            Ok((milliseconds, case)) => {
                introduce(&case, milliseconds);
                if !arguments.fetch {
                    let place = place.join("runs").join(&name);
                    let row = compare(&case, &arguments, &peers, &place);
                    good &= row.is_none_or(|row| row.sound);
                    rows.extend(row.map(|row| (case.purpose, row)));
                }
            }
            Err(message) => {
                println!("### {name}\n\nNot run: {message}.\n");
                good = false;
            }
        }
    }
    if arguments.sensitivity {
        good &= print_sensitivity(&files, arguments.trials);
    }
    if !arguments.without.is_empty() {
        print_ablation(&files, arguments.trials, &arguments.without);
    }
    print_medians(&rows);
    ExitCode::from(u8::from(!good))
}

/// No number may cost more than this share in trials or size on the median case when it is halved or doubled.
const SENSITIVITY_BAR: f64 = 0.15;

/// What yester made of a case.
#[derive(Clone, Copy, Default)]
struct OwnRow {
    trials: u64,
    tokens: usize,
    sound: bool,
}

/// The figures of the cases that numbers were chosen on, and of the others.
fn print_medians(rows: &[(Purpose, OwnRow)]) {
    for purpose in Purpose::ALL {
        let rows = rows.iter().filter(|(other, _)| *other == purpose);
        let rows: Vec<OwnRow> = rows.map(|(_, row)| *row).collect();
        if !rows.is_empty() {
            println!(
                "yester on {} cases to {}, medians: {} trials, {} tokens.",
                rows.len(),
                purpose.name(),
                median(rows.iter().map(|row| row.trials as f64).collect()),
                median(rows.iter().map(|row| row.tokens as f64).collect()),
            );
        }
    }
}

/// What came of each case with the engine as it is.
fn print_usual(cases: &[Case], usual: &[Measure], limit: usize) {
    println!("At most {limit} trials for each run.\n");
    println!("| case | purpose | trials | bytes | tokens |\n|---|---|---|---|---|");
    for (case, Measure { trials, extent }) in cases.iter().zip(usual) {
        println!(
            "| {} | {} | {trials} | {} | {} |",
            case.name,
            case.purpose.name(),
            extent.bytes,
            extent.tokens
        );
    }
}

/// Prints the median and the worst change for each number. False if one is above the bar.
fn print_sensitivity(cases: &[Case], limit: usize) -> bool {
    let tuning = ReduceTuning::default();
    let scaled = ReduceTuning::NAMES
        .iter()
        .flat_map(|name| [0.5, 2.0].map(|factor| tuning.scaled(name, factor)));
    let ways: Vec<ReduceTuning> = std::iter::once(tuning).chain(scaled).collect();
    let measures = sensitivity::measure(cases, limit, &ways);
    let usual = &measures[0];
    print_usual(cases, usual, limit);
    println!("\nChange on the median case, and on the worst one in brackets:\n");
    println!("| number | half: trials | half: tokens | double: trials | double: tokens |");
    println!("|---|---|---|---|---|");
    let mut above = Vec::new();
    for (name, half_and_double) in ReduceTuning::NAMES.iter().zip(measures[1..].chunks(2)) {
        let mut row = format!("| {name} |");
        for measures in half_and_double {
            let trials: fn(&Measure) -> usize = |measure| measure.trials;
            let tokens: fn(&Measure) -> usize = |measure| measure.extent.tokens;
            for of in [trials, tokens] {
                let changes = (usual.iter().zip(measures))
                    .map(|(before, after)| of(after) as f64 / of(before).max(1) as f64 - 1.0);
                let changes: Vec<f64> = changes.collect();
                let worst = changes.iter().copied().fold(f64::MIN, f64::max);
                let median = median(changes);
                row += &format!(" {:+.0} % ({:+.0} %) |", 100.0 * median, 100.0 * worst);
                if median > SENSITIVITY_BAR && above.last() != Some(name) {
                    above.push(*name);
                }
            }
        }
        println!("{row}");
    }
    if above.is_empty() {
        println!("\nNo number is above the bar.")
    } else {
        println!("\nAbove the bar: {}.", above.join(", "))
    }
    above.is_empty()
}

/// Prints what becomes of trials and bytes on each case without each of these sources.
fn print_ablation(cases: &[Case], limit: usize, sources: &[&'static str]) {
    let tuning = ReduceTuning::default();
    let without = sources.iter().map(|source| ReduceTuning {
        without: Some(source),
        ..tuning
    });
    let ways: Vec<ReduceTuning> = std::iter::once(tuning).chain(without).collect();
    let measures = sensitivity::measure(cases, limit, &ways);
    let usual = &measures[0];
    print_usual(cases, usual, limit);
    println!("\nTrials and bytes more than that without a source:\n");
    let names: Vec<&str> = cases.iter().map(|case| &case.name[..]).collect();
    println!("| without | {} |", names.join(" | "));
    println!("|---{}|", "|---".repeat(names.len()));
    for (source, measures) in sources.iter().zip(&measures[1..]) {
        let changes = usual.iter().zip(measures).map(|(usual, measure)| {
            let more = |one: usize, other: usize| one as i64 - other as i64;
            let trials = more(measure.trials, usual.trials);
            let bytes = more(measure.extent.bytes, usual.extent.bytes);
            if (trials, bytes) == (0, 0) {
                String::new()
            } else {
                format!("{trials:+}, {bytes:+}")
            }
        });
        let changes: Vec<String> = changes.collect();
        println!("| {source} | {} |", changes.join(" | "));
    }
}

fn arguments() -> Result<ReduceOptions, String> {
    let mut arguments = ReduceOptions {
        limit: Duration::from_secs(300),
        only: Vec::new(),
        tools: Vec::new(),
        fetch: false,
        sensitivity: false,
        without: Vec::new(),
        trials: 1000,
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
                if !Path::new("bench/cases").join(&name).join("get").exists() {
                    return Err(format!("there is no case '{name}'"));
                }
                arguments.only.push(name);
            }
            "--tool" => {
                let name = value()?;
                let tool = Tool::ALL.into_iter().find(|tool| tool.name() == name);
                arguments
                    .tools
                    .push(tool.ok_or(format!("there is no tool '{name}'"))?);
            }
            "--fetch" => arguments.fetch = true,
            "--sensitivity" => arguments.sensitivity = true,
            "--without" => {
                let name = value()?;
                let mut names = source_names();
                names.retain(|source| name == "each" || name == *source);
                if names.is_empty() {
                    let all = source_names().join(" ");
                    return Err(format!("there is no source '{name}'; there are: {all}"));
                }
                arguments.without.extend(names);
            }
            "--trials" => {
                arguments.trials = value()?
                    .parse()
                    .map_err(|_| "--trials needs a number".to_owned())?;
            }
            _ => return Err(format!("'{word}' is not understood")),
        }
    }
    if arguments.tools.is_empty() {
        arguments.tools = Tool::ALL.to_vec();
    }
    Ok(arguments)
}

/// Installs what is missing; what cannot be installed is left out of the tables.
fn install(bench: &Path, peers: &Path, tools: &[Tool]) {
    let status = Command::new(bench.join("peers"))
        .arg(peers)
        .args(tools.iter().map(|tool| tool.name()))
        .status();
    if !status.is_ok_and(|status| status.success()) {
        eprintln!("reduce: bench/peers did not come to its end");
    }
}

fn introduce(case: &Case, milliseconds: f64) {
    let size = InputSize::of(&case.path()).expect("the input was just tested");
    let files = match size.files {
        1 => String::new(),
        files => format!("{files} files, "),
    };
    println!("### {}\n", case.name);
    println!("{} {}", case.material, case.property);
    println!("A case to {}.", case.purpose.name());
    println!(
        "{files}{} bytes, {} tokens, {milliseconds:.0} ms a test.\n",
        size.bytes, size.tokens
    );
}

/// Runs the tools on a case and prints its table. Gives what yester made of it.
fn compare(case: &Case, arguments: &ReduceOptions, peers: &Path, place: &Path) -> Option<OwnRow> {
    fs::create_dir_all(place).expect("room");
    println!("| tool | trials | CPU s | wall s | after 60 | after 150 | bytes | tokens | note |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut left_out = Vec::new();
    let mut own = None;
    for tool in &arguments.tools {
        let program = match tool.program(case, peers) {
            Ok(program) => program,
            Err(reason) => {
                left_out.push(format!("{} ({reason})", tool.name()));
                continue;
            }
        };
        eprintln!("reduce: {} on {}", tool.name(), case.name);
        let run = tool.run(&program, case, &place.join(tool.name()), arguments.limit);
        match run {
            Ok(run) => {
                let [early, late] = run.milestones.map(|bytes| {
                    let bytes = bytes.map(|bytes| bytes.to_string());
                    bytes.unwrap_or_default()
                });
                println!(
                    "| {} | {} | {:.1} | {:.1} | {early} | {late} | {} | {} | {} |",
                    tool.name(),
                    run.trials,
                    run.usage.processor.as_secs_f64(),
                    run.usage.wall.as_secs_f64(),
                    run.size.bytes,
                    run.size.tokens,
                    run.note,
                );
                if *tool == Tool::Yester {
                    own = Some(OwnRow {
                        trials: run.trials,
                        tokens: run.size.tokens,
                        sound: run.sound,
                    });
                }
            }
            Err(error) => {
                println!("| {} | | | | | | | | failed: {error} |", tool.name());
                if *tool == Tool::Yester {
                    own = Some(OwnRow::default());
                }
            }
        }
    }
    if left_out.is_empty() {
        println!()
    } else {
        println!("\nLeft out: {}.\n", left_out.join(", "))
    }
    own
}
