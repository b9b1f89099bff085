//! `yester runs`: lists what is kept, shows it, goes on with it, deletes it.

mod date;
mod record;

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use yester_report::{Sheet, count, grouped, quote, visible_line};
use yester_run::{RunDirectory, RunDirectoryError, delete_run, file, has_searched};

pub use self::date::utc;
pub use self::record::{Extent, Record, RunStatus};
use crate::cli::{RunsArguments, RunsCommand};
use crate::failure::{Exit, Failure};
use crate::report::STEPS;
use crate::shell::Shell;
use crate::{output, program};

/// A run as it is listed.
#[derive(Serialize)]
pub struct Listed {
    run: String,
    #[serde(flatten)]
    pub record: Record,
    /// How much room it takes.
    disk_bytes: u64,
    /// The command that goes on with it.
    pub resume: Option<String>,
    #[serde(skip)]
    pub path: PathBuf,
}

pub fn run(arguments: RunsArguments, start: &Path, shell: &Shell) -> Result<Exit, Failure> {
    let listed = list_all(&arguments.state_dir, start)?;
    match &arguments.command {
        None if arguments.json => print_json(&listed),
        None => print_list(&listed, &arguments.state_dir),
        Some(RunsCommand::Show { run }) => {
            let listed = find(&listed, run.as_deref(), &arguments.state_dir)?;
            if arguments.json {
                print_json(listed)
            } else {
                show(listed)
            }
        }
        Some(RunsCommand::Resume { run }) => {
            let listed = find(&listed, run.as_deref(), &arguments.state_dir)?;
            resume(&listed.record, arguments.json, shell)
        }
        Some(RunsCommand::Delete { runs }) => {
            let chosen = runs
                .iter()
                .map(|run| find(&listed, Some(run), &arguments.state_dir));
            delete(&chosen.collect::<Result<Vec<_>, _>>()?, arguments.json)
        }
        Some(RunsCommand::Prune(prune)) => {
            let (full, empty): (Vec<_>, Vec<_>) = listed
                .iter()
                .filter(|listed| listed.record.status != RunStatus::Running)
                .partition(|listed| has_searched(&listed.path));
            let old = full.into_iter().skip(prune.keep);
            delete(&old.chain(empty).collect::<Vec<_>>(), arguments.json)
        }
    }
}

pub fn list_all(state: &Path, start: &Path) -> Result<Vec<Listed>, Failure> {
    let runs = yester_run::runs(state)
        .map_err(|error| Failure::io(format!("list {}", state.display()), &error))?;
    Ok(runs.iter().filter_map(|run| list(run, start)).collect())
}

/// What a run is like now. One that is under way or was killed has not written that down itself.
pub fn list(run: &Path, start: &Path) -> Option<Listed> {
    let mut record = Record::read(run)?;
    if record.status == RunStatus::Running {
        if !RunDirectory::is_busy(run) {
            record.status = RunStatus::Killed;
        }
        let best = fs::read_dir(run.join("best"))
            .ok()
            .and_then(|mut entries| entries.next()?.ok()?.metadata().ok());
        if let (Extent::Bytes { bytes, .. }, Some(best)) = (&mut record.extent, best) {
            *bytes = best.len();
        }
        if let Extent::Trials { trials } = &mut record.extent {
            *trials = (*trials).max(self::trials(run));
        }
    }
    Some(Listed {
        run: run.display().to_string(),
        resume: record.resume_command(start),
        record,
        disk_bytes: disk_bytes(run),
        path: run.to_owned(),
    })
}

/// How much room a directory takes on the disk. Links count as what they are.
pub fn disk_bytes(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return 0;
    };
    let below: u64 = if metadata.is_dir() {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| disk_bytes(&entry.path())).sum()
    } else {
        0
    };
    // The system counts in pieces of this size.
    below + 512 * metadata.blocks()
}

/// The run with this name, or the only one with this in its name. The newest if nothing is said.
pub fn find<'a>(
    listed: &'a [Listed],
    word: Option<&str>,
    state: &Path,
) -> Result<&'a Listed, Failure> {
    let lists = "yester runs lists them";
    let Some(word) = word else {
        let none = || Failure::usage(format!("there are no runs in {}", state.display()));
        return listed.first().ok_or_else(|| none().code("run_not_found"));
    };
    let name = |listed: &Listed| {
        listed
            .path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let asked = Path::new(word)
        .file_name()
        .map_or(word.into(), |name| name.to_string_lossy());
    if let Some(same) = listed
        .iter()
        .find(|listed| name(listed).as_deref() == Some(&asked))
    {
        return Ok(same);
    }
    let mut fitting = listed
        .iter()
        .filter(|listed| name(listed).is_some_and(|name| name.contains(&*asked)));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::usage(format!("there is no run '{word}'"))
            .hint(lists)
            .code("run_not_found")),
        (Some(_), Some(_)) => Err(Failure::usage(format!("'{word}' fits several runs"))
            .hint(lists)
            .code("run_not_found")),
    }
}

fn print_json(value: &(impl Serialize + ?Sized)) -> Result<Exit, Failure> {
    let text = serde_json::to_string_pretty(value).expect("plain data");
    output::print(format!("{text}\n").as_bytes())
}

fn print_list(listed: &[Listed], state: &Path) -> Result<Exit, Failure> {
    let mut sheet = Sheet::default();
    for listed in listed {
        sheet.line(&listed.run);
        sheet.line(format!(
            "    {}; {}; {}",
            listed.state(),
            utc(listed.record.started),
            size(listed.disk_bytes),
        ));
        sheet.line(format!("    {}", listed.command()));
    }
    if listed.is_empty() {
        sheet.line(format!("no runs in {}", state.display()));
    }
    output::print_text(&sheet.finish())
}

fn show(listed: &Listed) -> Result<Exit, Failure> {
    let Listed { run, record, .. } = listed;
    let mut sheet = Sheet::default();
    let mut line = |name: &str, value: String| sheet.line(format!("{name:<9}{value}"));
    line("run", run.clone());
    line("state", listed.state());
    line("started", utc(record.started));
    line("disk", size(listed.disk_bytes));
    line("trials", grouped(trials(&listed.path)));
    line("yester", record.yester.clone());
    line("in", record.directory.clone());
    for (name, place) in [
        ("best", "best"),
        ("way", "improvements"),
        ("log", "debug.log"),
    ] {
        if listed.path.join(place).exists() {
            line(name, format!("{run}/{place}"));
        }
    }
    line("resume", listed.command());
    output::print_text(&sheet.finish())
}

/// How many trials the journals of a run have, and those of its steps.
fn trials(run: &Path) -> u64 {
    let steps = yester_run::runs(&run.join(STEPS)).unwrap_or_default();
    let of_steps: u64 = steps.iter().map(|step| trials(step)).sum();
    let entries = fs::read_dir(run).into_iter().flatten().flatten();
    let journals = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".jsonl"));
    let lines = journals.filter_map(|journal| file::read(&journal.path(), u64::MAX - 1).ok());
    let own: u64 = lines
        .map(|text| text.iter().filter(|byte| **byte == b'\n').count() as u64)
        .sum();
    own + of_steps
}

/// Calls the command of a run again, where it was called before.
fn resume(record: &Record, json: bool, shell: &Shell) -> Result<Exit, Failure> {
    let directory = Path::new(&record.directory);
    let mut words = record.resuming();
    if words.is_empty() {
        return Err(Failure::usage("this run does not say how it was called")
            .hint("an older yester has made it; call the same command again"));
    }
    let is_own = record
        .is_own()
        .map_err(|error| Failure::io("read the secret that yester keeps for you", &error))?;
    if !is_own && !is_wanted(record)? {
        return Ok(Exit::Usage);
    }
    std::env::set_current_dir(directory).map_err(|error| Failure {
        exit: Exit::Usage,
        ..Failure::io(format!("go to {}", directory.display()), &error)
    })?;
    let is_json = |word: &OsString| word == "--json";
    if json && !words.iter().take_while(|word| *word != "--").any(is_json) {
        words.insert(2, "--json".into());
    }
    program::carry_out(shell, words, directory)
}

/// Asks whether to run the command of a run that yester did not make for this user: it may come with a stranger's checkout.
fn is_wanted(record: &Record) -> Result<bool, Failure> {
    let words = record.resuming();
    let command = quote::command(words.iter().map(OsString::as_os_str));
    let what = format!(
        "your yester did not make this run; it says to call, in {}: {}",
        visible_line(&record.directory),
        visible_line(&command)
    );
    if !io::stdin().is_terminal() || !yester_screen::is_terminal() {
        return Err(Failure::usage(what)
            .hint("call that yourself if it is what you want")
            .code("foreign_run"));
    }
    let answer = yester_screen::ask(&format!("{what}\nrun it? [y]es, [N]o: "))
        .map_err(|error| Failure::io("ask", &error))?;
    Ok(matches!(answer.as_deref(), Some("y" | "yes")))
}

fn delete(listed: &[&Listed], json: bool) -> Result<Exit, Failure> {
    for listed in listed {
        delete_run(&listed.path).map_err(|error| match error {
            RunDirectoryError::Busy { .. } => {
                Failure::usage(&error).hint("stop it first").code("busy")
            }
            RunDirectoryError::Io { error, path } => {
                Failure::io(format!("delete {}", path.display()), &error)
            }
        })?;
    }
    if json {
        return print_json(listed);
    }
    let freed = listed.iter().map(|listed| listed.disk_bytes).sum();
    let runs = count(listed.len() as u64, "run");
    output::print_text(&format!("deleted {runs}, {}\n", size(freed)))
}

impl Listed {
    fn state(&self) -> String {
        let Record { status, extent, .. } = &self.record;
        format!("{}, {}", status.describe(), extent.describe())
    }

    /// The command that goes on with it. Runs of old versions know only what they are about.
    fn command(&self) -> String {
        let Record {
            command,
            file,
            test,
            ..
        } = &self.record;
        let known = || format!("yester {command} {file} -- {test}");
        self.resume.clone().unwrap_or_else(known)
    }
}

/// A size on disk.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{} MB", grouped(bytes.div_ceil(1_000_000))),
    }
}
