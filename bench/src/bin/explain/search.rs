//! Runs `yester explain` on a case and reads what it reports.

use std::path::Path;
use std::process::Command;

use crate::options::ExplainOptions;
use serde_json::Value;
use yester_bench::seeded::{
    Case, ChangedLines, Classifier, Fault, LocalizationClass, ReleaseClassifier, ReleaseFault,
    ReportedPlace, VersionSide, YesterRun,
};

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
    let mut command = command(&case, options);
    let ran = YesterRun::of(&mut command, directory, "report", options.selection.limit)?;
    let report = Report::parse(&ran.text);
    let problem = report.as_ref().err().map(|error| ran.problem(error));
    let report = report.unwrap_or_default();
    Ok(CaseRun {
        class: classifier.class_of_all(&report.places),
        rank: classifier.rank(&report.places),
        places: report.places.len(),
        method: report.method,
        seconds: ran.seconds,
        changed: changed.count(),
        is_changed: changed.contain_truth(&case),
        problem,
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
        .arg(&options.selection.yester)
        .arg("explain")
        .args([&fault.old, &fault.faulty])
        .args(["--build", &fault.build, "--json", "--stdin"])
        .arg(&fault.stdin);
    command.args(by(options));
    let ran = YesterRun::of(&mut command, directory, "report", options.selection.limit)?;
    let report = Report::parse(&ran.text);
    let problem = report.as_ref().err().map(|error| ran.problem(error));
    let report = report.unwrap_or_default();
    let classes = classifier.classes(&report.places);
    let is_line = |class: &LocalizationClass| *class == LocalizationClass::SameLine;
    let best = classes.iter().min().copied();
    Ok(CaseRun {
        class: best.unwrap_or(LocalizationClass::Elsewhere),
        rank: classes.iter().position(is_line).map(|index| index + 1),
        places: report.places.len(),
        method: report.method,
        seconds: ran.seconds,
        changed,
        is_changed: true,
        problem,
    })
}

fn command(case: &Case, options: &ExplainOptions) -> Command {
    let mut command = Command::new(&options.selection.yester);
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
