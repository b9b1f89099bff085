//! Runs `yester explain` on a case and reads what it reports.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use yester_bench::seeded::{
    Case, ChangedLines, Classifier, Fault, LocalizationClass, ReleaseClassifier, ReleaseFault,
    ReportedPlace, VersionSide,
};

use crate::options::ExplainOptions;

/// How a case went.
#[derive(Clone, Debug)]
pub struct CaseRun {
    /// The class of the whole report.
    pub class: LocalizationClass,
    /// Where the line with the fault is among the places.
    pub rank: Option<usize>,
    /// How many places are reported.
    pub places: usize,
    /// How they were found.
    pub method: String,
    /// How long it took.
    pub seconds: f64,
    /// How many lines the versions differ by.
    pub changed: usize,
    /// Whether these include the line with the fault.
    pub is_changed: bool,
    /// How it ended, where there is no report.
    pub problem: Option<String>,
}

/// Places a fault in a directory and lets yester explain it.
pub fn run(fault: &Fault, options: &ExplainOptions, directory: &Path) -> Result<CaseRun, String> {
    let case = fault.place(directory)?;
    let changed = ChangedLines::of(&case)?;
    let classifier = Classifier::of(&case)?;
    let explained = explain(&mut command(&case, options), options, directory)?;
    let report = explained.report;
    Ok(CaseRun {
        class: classifier.class_of_all(&report.places),
        rank: classifier.rank(&report.places),
        places: report.places.len(),
        method: report.method,
        seconds: explained.seconds,
        changed: changed.count(),
        is_changed: changed.contain_truth(&case),
        problem: explained.problem,
    })
}

/// Lets yester explain a fault in a release.
pub fn run_release(
    fault: &ReleaseFault,
    options: &ExplainOptions,
    directory: &Path,
) -> Result<CaseRun, String> {
    let classifier = ReleaseClassifier::of(fault)?;
    let changed = classifier.changed_lines(directory)?;
    // The command has the quotes of a shell.
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("exec \"$0\" \"$@\" -- {}", fault.command)])
        .arg(&options.yester)
        .arg("explain")
        .args([&fault.old, &fault.faulty])
        .args(["--build", &fault.build, "--json", "--stdin"])
        .arg(&fault.stdin);
    command.args(by(options));
    let explained = explain(&mut command, options, directory)?;
    let report = explained.report;
    let classes = classifier.classes(&report.places);
    let is_line = |class: &LocalizationClass| *class == LocalizationClass::SameLine;
    let best = classes.iter().min().copied();
    Ok(CaseRun {
        class: best.unwrap_or(LocalizationClass::Elsewhere),
        rank: classes.iter().position(is_line).map(|index| index + 1),
        places: report.places.len(),
        method: report.method,
        seconds: explained.seconds,
        changed,
        is_changed: true,
        problem: explained.problem,
    })
}

/// What yester said, and how long it took.
struct Explained {
    report: Report,
    seconds: f64,
    problem: Option<String>,
}

fn explain(
    command: &mut Command,
    options: &ExplainOptions,
    directory: &Path,
) -> Result<Explained, String> {
    let output = directory.join("report.json");
    let started = Instant::now();
    let status = start(command, directory, &output)
        .and_then(|child| wait(child, options.limit))
        .map_err(|error| format!("{}: {error}", options.yester.display()))?;
    let seconds = started.elapsed().as_secs_f64();
    let text = fs::read_to_string(&output).unwrap_or_default();
    let report = Report::parse(&text);
    let problem = match (&report, status) {
        (Ok(_), _) => None,
        (Err(_), None) => Some("takes too long".to_owned()),
        (Err(error), Some(status)) => Some(format!("{status}, {error}")),
    };
    Ok(Explained {
        report: report.unwrap_or_default(),
        seconds,
        problem,
    })
}

fn command(case: &Case, options: &ExplainOptions) -> Command {
    let mut command = Command::new(&options.yester);
    command.arg("explain").args([&case.old, &case.new]);
    if let Some(stdin) = &case.stdin {
        command.arg("--stdin").arg(stdin);
    }
    command.args(by(options));
    command.args(["--json", "--", "{}"]).args(&case.arguments);
    command
}

/// The evidence that was asked for.
fn by(options: &ExplainOptions) -> impl Iterator<Item = &str> {
    options.by.iter().flat_map(|one| ["--by", one])
}

fn start(command: &mut Command, directory: &Path, output: &Path) -> std::io::Result<Child> {
    command
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(File::create(output)?)
        .stderr(File::create(directory.join("messages"))?)
        .process_group(0)
        .spawn()
}

/// Waits for a process; kills its group and gives nothing if that takes too long.
fn wait(mut child: Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() >= limit {
            let group = i32::try_from(child.id()).expect("process numbers are small");
            // SAFETY: the call takes plain numbers, and the child is still ours.
            unsafe { libc::killpg(group, libc::SIGKILL) };
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// What the benchmark needs of a report.
#[derive(Debug, Default, PartialEq)]
struct Report {
    places: Vec<ReportedPlace>,
    method: String,
}

impl Report {
    fn parse(text: &str) -> Result<Report, String> {
        let report: Value = serde_json::from_str(text).map_err(|_| "no report".to_owned())?;
        let result = &report["result"];
        let Some(listed) = result["places"].as_array() else {
            return Err("a report without a list of places".to_owned());
        };
        let places: Option<Vec<ReportedPlace>> = listed.iter().map(place).collect();
        Ok(Report {
            places: places.ok_or("a place without version or line")?,
            method: result["method"].as_str().unwrap_or_default().to_owned(),
        })
    }
}

fn place(value: &Value) -> Option<ReportedPlace> {
    let version = match value["version"].as_str()? {
        "old" => VersionSide::Old,
        "new" => VersionSide::New,
        _ => return None,
    };
    Some(ReportedPlace {
        version,
        file: value["file"].as_str().unwrap_or_default().to_owned(),
        line: u32::try_from(value["line"].as_u64()?).ok()?,
        function: value["function"].as_str().map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_in_their_order() {
        let text = r#"{"version": 1, "result": {"method": "paths", "places": [
            {"kind": "branch", "version": "new", "file": "a.c", "line": 7, "column": 3, "function": "f"},
            {"kind": "branch", "version": "old", "file": "a.c", "line": 9}]}}"#;
        let report = Report::parse(text).expect("a report");
        assert_eq!(report.method, "paths");
        let places = report.places.iter();
        let found: Vec<_> = places.map(|place| (place.version, place.line)).collect();
        assert_eq!(found, [(VersionSide::New, 7), (VersionSide::Old, 9)]);
        assert_eq!(report.places[0].function.as_deref(), Some("f"));
    }

    #[test]
    fn what_is_not_a_report_is_an_error() {
        for text in [
            "",
            "{}",
            r#"{"result": {"places": 3}}"#,
            r#"{"result": {"places": [{"version": "newer", "line": 3}]}}"#,
            r#"{"result": {"places": [{"version": "new"}]}}"#,
        ] {
            assert!(Report::parse(text).is_err(), "{text}");
        }
        let empty = Report::parse(r#"{"result": {"places": []}}"#);
        assert_eq!(empty, Ok(Report::default()));
    }
}
