//! yester and other reducers on real inputs, one after another, with two jobs each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use yester_bench::case::{self, Case, Size};
use yester_bench::token;
use yester_bench::tool::Tool;

const USAGE: &str = "\
usage: bench/reduce [--limit SECONDS] [--only CASE]... [--tool TOOL]... [--fetch]

  --limit SECONDS  how long each tool may take for each case [default: 300]
  --only CASE      this case; may be given several times [default: all of bench/cases]
  --tool TOOL      this tool; may be given several times [default: all that can be installed]
  --fetch          only fetch the cases and check their tests

tools: yester cvise shrinkray treereduce picire lithium picireny";

struct Arguments {
    limit: Duration,
    only: Vec<String>,
    tools: Vec<Tool>,
    fetch: bool,
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
    if !arguments.fetch {
        install(&bench, &peers, &arguments.tools);
        println!("{}\n", token::RULE);
        println!(
            "CPU seconds are of the tool and all its tests. Two jobs each; lithium has one only.\n"
        );
    }
    let mut good = true;
    for name in case::names(&bench.join("cases")).expect("bench/cases") {
        if !arguments.only.is_empty() && !arguments.only.contains(&name) {
            continue;
        }
        let fetched = Case::fetch(&bench.join("cases"), &name, &place.join("cases"))
            .and_then(|case| Ok((case.check()?, case)));
        match fetched {
            Ok((milliseconds, case)) => {
                introduce(&case, milliseconds);
                if !arguments.fetch {
                    good &= compare(&case, &arguments, &peers, &place.join("runs").join(&name));
                }
            }
            Err(message) => {
                println!("### {name}\n\nNot run: {message}.\n");
                good = false;
            }
        }
    }
    ExitCode::from(u8::from(!good))
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments {
        limit: Duration::from_secs(300),
        only: Vec::new(),
        tools: Vec::new(),
        fetch: false,
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
    let size = Size::of(&case.path()).expect("the input was just tested");
    let files = match size.files {
        1 => String::new(),
        files => format!("{files} files, "),
    };
    println!("### {}\n", case.name);
    println!("{} {}", case.material, case.property);
    println!(
        "{files}{} bytes, {} tokens, {milliseconds:.0} ms a test.\n",
        size.bytes, size.tokens
    );
}

/// Runs the tools on a case and prints its table. False if yester has failed.
fn compare(case: &Case, arguments: &Arguments, peers: &Path, place: &Path) -> bool {
    fs::create_dir_all(place).expect("room");
    println!("| tool | trials | CPU s | wall s | bytes | tokens | note |");
    println!("|---|---|---|---|---|---|---|");
    let mut left_out = Vec::new();
    let mut good = true;
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
                println!(
                    "| {} | {} | {:.1} | {:.1} | {} | {} | {} |",
                    tool.name(),
                    run.trials,
                    run.usage.processor.as_secs_f64(),
                    run.usage.wall.as_secs_f64(),
                    run.size.bytes,
                    run.size.tokens,
                    run.note,
                );
                good &= *tool != Tool::Yester || run.sound;
            }
            Err(error) => {
                println!("| {} | | | | | | failed: {error} |", tool.name());
                good &= *tool != Tool::Yester;
            }
        }
    }
    match left_out.is_empty() {
        true => println!(),
        false => println!("\nLeft out: {}.\n", left_out.join(", ")),
    }
    good
}
