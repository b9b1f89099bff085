//! `yester report`: tells what a run has found, from its directory alone.

mod load;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use yester_report::{AnyReport, SCHEMA};
use yester_run::{Events, Survival, write_file};
use yester_screen::keep::Kept;

use crate::cli::{ReportArguments, ReportFormat};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::output;
use crate::runs::{self, Listed, Record};
use yester_run::file;

/// The pages that a run writes into its directory at its end.
pub const PAGE: &str = "report.html";
pub const SUMMARY: &str = "report.md";

/// Where a run keeps the runs of its steps.
pub const STEPS: &str = "steps";

/// Carries out the command.
pub fn run(arguments: &ReportArguments, start: &Path) -> Result<Exit, Failure> {
    let listed = runs::list_all(&arguments.state_dir, start)?;
    let named = by_path(arguments, start);
    let listed = match &named {
        Some(named) => named,
        None => find(&listed, arguments)?,
    };
    check_schema(&listed.path, &listed.record)?;
    if arguments.open {
        return open(listed, arguments.output.as_deref());
    }
    let named = arguments.output.as_deref().and_then(ReportFormat::of_name);
    let format = arguments.format.or(named).unwrap_or(ReportFormat::Text);
    let told = tell(listed, format)?;
    match &arguments.output {
        Some(path) if path.as_os_str() != OsStr::new("-") => {
            output::write(path, told.as_bytes(), 0o644)?;
            Ok(Exit::Found)
        }
        _ if format == ReportFormat::Text => output::print_report(&told),
        _ => output::print(told.as_bytes()),
    }
}

/// The run whose directory is named, which may be that of a step of another run.
fn by_path(arguments: &ReportArguments, start: &Path) -> Option<Listed> {
    let path = Path::new(arguments.run.as_ref()?);
    let is_path = path.components().count() > 1;
    let has_record = path.join(Record::FILE).is_file();
    (is_path && has_record).then(|| runs::list(path, start))?
}

/// What another yester has written may mean something else.
fn check_schema(run: &Path, record: &Record) -> Result<(), Failure> {
    if record.schema == SCHEMA {
        return Ok(());
    }
    let path = run.join(Record::FILE);
    let (path, schema) = (path.display(), record.schema);
    Err(Failure::usage(format!(
        "{path} has the schema {schema}, and this yester knows {SCHEMA}"
    ))
    .hint("use the yester that made it, or call its command again with --fresh")
    .code("damaged_run"))
}

/// The run that is meant. One that is there and cannot be listed is damaged.
fn find<'a>(listed: &'a [Listed], arguments: &ReportArguments) -> Result<&'a Listed, Failure> {
    let state = &arguments.state_dir;
    let damaged = |record: &Path| {
        Failure::usage(format!("{} cannot be read", record.display()))
            .hint("the same command makes it again")
            .code("damaged_run")
    };
    // The newest is not passed over in silence.
    let newest = yester_run::runs(state)
        .unwrap_or_default()
        .into_iter()
        .next();
    if let (None, Some(newest)) = (&arguments.run, newest) {
        let record = newest.join(Record::FILE);
        if record.exists() && Record::read(&newest).is_none() {
            return Err(damaged(&record));
        }
    }
    runs::find(listed, arguments.run.as_deref(), state).map_err(|failure| {
        let Some(word) = &arguments.run else {
            return failure
                .hint("a call of reduce, changes, history, explain, flip or trace makes one");
        };
        let record = state.join(Path::new(word).file_name().unwrap_or_default());
        let record = record.join(Record::FILE);
        if !record.exists() {
            return failure;
        }
        damaged(&record)
    })
}

/// A run in one of the formats.
fn tell(listed: &Listed, format: ReportFormat) -> Result<String, Failure> {
    if format == ReportFormat::Json {
        return json(listed);
    }
    let dossier = load::dossier(listed)?;
    Ok(match format {
        ReportFormat::Html => dossier.html(),
        ReportFormat::Markdown => dossier.markdown(),
        ReportFormat::Sarif => dossier.sarif(),
        ReportFormat::Github => dossier.annotations(),
        ReportFormat::Text | ReportFormat::Json => dossier.plain(),
    })
}

/// The report as the run printed it with `--json`.
fn json(listed: &Listed) -> Result<String, Failure> {
    let kept = load::kept(&listed.path)?;
    let json = kept.and_then(|kept| kept.json);
    match json {
        Some(json) => Ok(format!("{json}\n")),
        None => Err(Failure::usage(format!(
            "{} has no report for programs: it has not come to an end",
            listed.path.display()
        ))
        .hint("`yester runs show --json` says how far it is; the same command goes on with it")
        .code("no_report")),
    }
}

/// Writes the page and shows it in a browser.
fn open(listed: &Listed, output: Option<&Path>) -> Result<Exit, Failure> {
    let page = tell(listed, ReportFormat::Html)?;
    let path = match output {
        Some(path) => {
            output::write(path, page.as_bytes(), 0o644)?;
            path.to_owned()
        }
        None => {
            let path = listed.path.join(PAGE);
            output::replace(&path, page.as_bytes(), 0o644)?;
            path
        }
    };
    output::print_text(&format!("{}\n", path.display()))?;
    let opener = |name: &str| {
        let mut command = Command::new(name);
        command
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let chosen = std::env::var("BROWSER")
        .ok()
        .filter(|browser| !browser.is_empty());
    let chosen = chosen.as_deref().into_iter();
    if chosen.chain(["xdg-open", "open"]).any(opener) {
        return Ok(Exit::Found);
    }
    Err(Failure::usage("no browser could be started")
        .hint("open the page yourself, or set BROWSER to the program that shows it"))
}

/// Keeps the report of a run that has ended, and writes its pages.
pub fn keep(mut finished: Finished, start: &Path, events: &Events) -> Finished {
    let Some(run) = finished.report.run().map(PathBuf::from) else {
        return finished;
    };
    match write(&run, &*finished.report, start) {
        Ok(page) => finished.report.set_page(page.display().to_string()),
        // The answer itself is where it belongs.
        Err(failure) => events.note(&format!("no page: {}", failure.message)),
    }
    finished
}

/// Writes what `yester report` needs, and the pages. Gives the one for a browser.
fn write(run: &Path, report: &dyn AnyReport, start: &Path) -> Result<PathBuf, Failure> {
    let write = |name: &str, content: &[u8]| {
        let path = run.join(name);
        let written = write_file(&path, content, None, Survival::Kill);
        written.map_err(|error| Failure::io(format!("write {}", path.display()), &error))?;
        Ok(path)
    };
    write(Kept::FILE, &Kept::of(report).json())?;
    let listed = runs::list(run, start)
        .ok_or_else(|| Failure::usage("the record of the run cannot be read"))?;
    let dossier = load::dossier(&listed)?;
    write(SUMMARY, dossier.markdown().as_bytes())?;
    write(PAGE, dossier.html().as_bytes())
}

/// The text of a file of a run, if it is short.
fn short_text(run: &Path, name: &OsStr) -> Option<String> {
    String::from_utf8(short_bytes(run, name)?).ok()
}

/// A file of a run, if it is short.
fn short_bytes(run: &Path, name: &OsStr) -> Option<Vec<u8>> {
    const MOST: u64 = 256 << 10;
    file::read_own(&run.join(name), MOST).ok()
}
