//! Runs `yester flip` on a case and reads what it reports.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use yester_bench::script::{fresh, succeed};
use yester_bench::seeded::{
    Case, Classifier, Fault, LineGraph, Reach, ReportedPlace, VersionSide, YesterRun,
};
use yester_path::{Recording, processes};

use crate::options::{FlipOptions, JudgeChoice, Way};

/// How a case went in one way.
#[derive(Clone, Debug)]
pub struct WayRun {
    /// The way.
    pub way: Way,
    /// The score of the report, from 0 to 1, both ways along the edges.
    pub score: f64,
    /// The score as the paper defines it: from each place only forwards or only backwards.
    pub directed: f64,
    /// Where the line with the fault is among the places.
    pub rank: Option<usize>,
    /// How many entries are reported.
    pub places: usize,
    /// What the first of them is.
    pub first: String,
    /// How many runs of the program it took.
    pub runs: u64,
    /// How long it took.
    pub seconds: f64,
    /// How it ended, where there is no report.
    pub problem: Option<String>,
}

/// How a case went.
#[derive(Clone, Debug)]
pub struct FlipRun {
    /// In each of the ways that were asked for.
    pub ways: Vec<WayRun>,
    /// How many lines the graph has.
    pub lines: usize,
    /// Whether one of them is faulty: initial values of tables are executed nowhere.
    pub is_in_graph: bool,
    /// Why there is no graph.
    pub problem: Option<String>,
}

/// Places a fault in a directory and lets yester find it.
pub fn run(fault: &Fault, options: &FlipOptions, directory: &Path) -> Result<FlipRun, String> {
    let case = fault.place(directory)?;
    let classifier = Classifier::of(&case)?;
    let judge = Judge::build(fault, &case, options.judge, directory)?;
    let graph = graph(fault, &case, &options.compilers, directory);
    let (graph, problem) = match graph {
        Ok(graph) => (graph, None),
        Err(error) => (LineGraph::default(), Some(error)),
    };
    let mut ways = Vec::new();
    for &way in &options.ways {
        let selection = &options.selection;
        // What an earlier way left in its journal must not help.
        let place = fresh(&directory.join(way.name()))?;
        let mut command = command(&case, &judge, way, &selection.yester);
        let ran = YesterRun::of(&mut command, &place, "report", selection.limit)?;
        let report = Report::parse(&ran.text, &case.new);
        let problem = report.as_ref().err().map(|error| ran.problem(error));
        let report = report.unwrap_or_default();
        let blamed: Vec<u32> = report.places.iter().map(|place| place.line).collect();
        let score = |reach| graph.score(&blamed, &case.truth.lines_new, reach);
        ways.push(WayRun {
            way,
            score: score(Reach::Undirected),
            directed: score(Reach::Directed),
            rank: classifier.rank(&report.places),
            places: report.entries,
            first: report.first,
            runs: report.runs,
            seconds: ran.seconds,
            problem,
        });
    }
    Ok(FlipRun {
        ways,
        lines: graph.size(),
        is_in_graph: graph.has_any(&case.truth.lines_new),
        problem,
    })
}

/// The version without the fault, as yester gets it.
pub struct Judge {
    flag: &'static str,
    path: PathBuf,
}

impl Judge {
    /// Builds it, or has it print what is right.
    pub fn build(
        fault: &Fault,
        case: &Case,
        choice: JudgeChoice,
        directory: &Path,
    ) -> Result<Judge, String> {
        let program = case.repaired.with_extension("built");
        let mut compiler = Command::new(fault.program.compiler());
        compiler.args(["-O0", "-w", "-o"]);
        succeed(compiler.arg(&program).arg(&case.repaired))?;
        if choice == JudgeChoice::Reference {
            return Ok(Judge {
                flag: "--reference",
                path: program,
            });
        }
        let path = directory.join("expected");
        let output = File::create(&path).map_err(|error| error.to_string())?;
        let mut command = Command::new(&program);
        let command = with_input(&mut command, case)?.stdout(output);
        command.status().map_err(|error| error.to_string())?;
        Ok(Judge {
            flag: "--expect",
            path,
        })
    }
}

fn with_input<'a>(command: &'a mut Command, case: &Case) -> Result<&'a mut Command, String> {
    let stdin = match &case.stdin {
        None => Stdio::null(),
        Some(path) => File::open(path).map_err(|error| error.to_string())?.into(),
    };
    Ok(command.args(&case.arguments).stdin(stdin))
}

/// The call of yester.
pub fn command(case: &Case, judge: &Judge, way: Way, yester: &Path) -> Command {
    let mut command = Command::new(yester);
    command.arg("flip").arg(&case.new);
    if let Some(stdin) = &case.stdin {
        command.arg("--stdin").arg(stdin);
    }
    command.arg(judge.flag).arg(&judge.path);
    if way != Way::All {
        command.args(["--by", way.name()]);
    }
    command.args(["--json", "--", "{}"]).args(&case.arguments);
    command
}

/// The static dependence of the faulty program: a recording has the table of all of it.
fn graph(
    fault: &Fault,
    case: &Case,
    compilers: &Path,
    directory: &Path,
) -> Result<LineGraph, String> {
    let program = directory.join("instrumented");
    let compiler = match fault.program.compiler() {
        "c++" => "yester-cxx",
        _ => "yester-cc",
    };
    let mut compiler = Command::new(compilers.join(compiler));
    compiler.args(["-w", "-o"]).args([&program, &case.new]);
    succeed(compiler.env("YESTER_CC_MODE", "dependence"))?;
    let record = fresh(&directory.join("record"))?;
    let mut command = Command::new(&program);
    with_input(&mut command, case)?
        .env("YESTER_RECORD", &record)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| error.to_string())?;
    let processes = processes(&record).map_err(|error| error.to_string())?;
    let process = processes.first().ok_or("nothing was recorded")?;
    let recording = Recording::open(process).map_err(|error| error.to_string())?;
    let graph = LineGraph::of(&recording.sites);
    // There are two hundred cases.
    for path in [record, program] {
        let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
    }
    match graph.size() {
        0 => Err("the graph is empty".to_owned()),
        _ => Ok(graph),
    }
}

/// What the benchmark needs of a report.
#[derive(Debug, Default, PartialEq)]
struct Report {
    /// All places, those of the same cause behind the one that they are below.
    places: Vec<ReportedPlace>,
    /// How many entries they are in.
    entries: usize,
    first: String,
    runs: u64,
}

impl Report {
    fn parse(text: &str, source: &Path) -> Result<Report, String> {
        let report: Value = serde_json::from_str(text).map_err(|_| "no report".to_owned())?;
        let result = &report["result"];
        let Some(listed) = result["places"].as_array() else {
            return Err("a report without a list of places".to_owned());
        };
        let name = source.file_name();
        let place = |value: &Value| {
            let line = u32::try_from(value["line"].as_u64()?).ok()?;
            // Lines of headers have numbers too.
            let is_own = Path::new(value["file"].as_str()?).file_name() == name;
            Some(ReportedPlace {
                version: VersionSide::New,
                file: String::new(),
                line: if is_own { line } else { 0 },
                function: value["function"].as_str().map(str::to_owned),
            })
        };
        // An entry has places of the same cause below it, which are read before the next entry.
        let all = listed.iter().flat_map(|entry| {
            let below = entry["same_cause"].as_array();
            std::iter::once(entry).chain(below.into_iter().flatten())
        });
        let places: Option<Vec<ReportedPlace>> = all.map(place).collect();
        let first = listed.first().map(|first| {
            let word = |key: &str| first[key].as_str().unwrap_or("?").to_owned();
            format!(
                "{} {}, line {}",
                word("evidence"),
                word("kind"),
                first["line"]
            )
        });
        Ok(Report {
            places: places.ok_or("a place without file or line")?,
            entries: listed.len(),
            first: first.unwrap_or_default(),
            runs: result["runs"].as_u64().unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Report, String> {
        Report::parse(text, Path::new("work/new/a.c"))
    }

    #[test]
    fn places_are_read_in_their_order() {
        let report = parse(
            r#"{"result": {"runs": 40, "places": [
            {"kind": "branch", "file": "a.c", "line": 7, "function": "f", "evidence": "intervention",
             "same_cause": [{"kind": "value", "file": "a.c", "line": 5}]},
            {"kind": "value", "file": "/elsewhere/a.h", "line": 9},
            {"kind": "value", "file": "new/a.c", "line": 3}]}}"#,
        );
        let report = report.expect("a report");
        let lines: Vec<u32> = report.places.iter().map(|place| place.line).collect();
        assert_eq!(lines, [7, 5, 0, 3]);
        assert_eq!(report.entries, 3);
        assert_eq!(report.places[0].function.as_deref(), Some("f"));
        assert_eq!(report.first, "intervention branch, line 7");
        assert_eq!(report.runs, 40);
    }

    #[test]
    fn what_is_not_a_report_is_an_error() {
        for text in [
            "",
            "{}",
            r#"{"result": {"places": 3}}"#,
            r#"{"result": {"places": [{"file": "a.c"}]}}"#,
            r#"{"result": {"places": [{"line": 3}]}}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let empty = parse(r#"{"result": {"places": []}}"#);
        assert_eq!(empty, Ok(Report::default()));
    }
}
