//! The cases of `bench/explain` and `bench/flip`: programs below `bench/cases/seeded` with faults that a rule chose; its README has the rule.

mod batch;
mod changed;
mod class;
mod group;
mod line_graph;
mod outline;
mod patch;
mod release;
mod selection;

pub use batch::{CaseRow, YesterRun, run_all};
pub use changed::ChangedLines;
pub use class::{Classifier, LocalizationClass, ReportedPlace, Truth, VersionSide};
pub use group::{CaseGroup, groups};
pub use line_graph::{LineGraph, LineNode, Reach};
pub use outline::{Outline, OutlinedFunction};
pub use release::{ReleaseClassifier, ReleaseFault};
pub use selection::{SELECTION_USAGE, Selection, print_list, print_missed};

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::case::Purpose;

/// What the first line of `faults.tsv` says.
const COLUMNS: &str = "id\tkind\tchange\tfunction\tline\tcolumn\tbefore\tafter\told\tnew\tinput";

/// A program with faults.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub purpose: Purpose,
    directory: PathBuf,
}

/// How the two versions of a case differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultFamily {
    /// By the fault alone.
    Seeded,
    /// By a change that does no harm and by the fault.
    Refactored,
    /// By a change that does no harm; both have the fault, and it shows only in the new one.
    Exposed,
}

/// A fault of a program.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What it is called; unique in its program.
    pub id: String,
    /// Its kind in the rule, or `exposed`.
    pub kind: String,
    /// The program.
    pub program: Program,
    /// How the versions differ.
    pub family: FaultFamily,
    change: Option<String>,
    function: Option<String>,
    line: u32,
    column: u32,
    before: String,
    after: String,
    lines_old: Vec<u32>,
    lines_new: Vec<u32>,
    input: String,
}

/// A fault with its files in a directory.
#[derive(Clone, Debug)]
pub struct Case {
    /// The source of the version that is right.
    pub old: PathBuf,
    /// The source of the version that is wrong.
    pub new: PathBuf,
    /// The source of the latter without its fault.
    pub repaired: PathBuf,
    /// What the program is called with.
    pub arguments: Vec<String>,
    /// The standard input, or nothing.
    pub stdin: Option<PathBuf>,
    /// What is known of it.
    pub truth: Truth,
}

/// All programs.
pub fn programs() -> Result<Vec<Program>, String> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/seeded");
    let mut programs = Vec::new();
    for entry in fs::read_dir(&cases).map_err(|error| error.to_string())? {
        let directory = entry.map_err(|error| error.to_string())?.path();
        if directory.join("purpose").exists() {
            let name = directory.file_name().expect("a directory has a name");
            programs.push(Program {
                name: name.to_string_lossy().into_owned(),
                purpose: Purpose::of(&directory)?,
                directory,
            });
        }
    }
    programs.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(programs)
}

impl Program {
    /// Its faults, in the order of their file.
    pub fn faults(&self) -> Result<Vec<Fault>, String> {
        let text = self.read("faults.tsv")?;
        let mut lines = text.lines();
        if lines.next() != Some(COLUMNS) {
            return Err(format!("the faults of {} have other columns", self.name));
        }
        lines
            .map(|line| {
                self.fault(line)
                    .ok_or(format!("{} has the line '{line}'", self.name))
            })
            .collect()
    }

    fn fault(&self, line: &str) -> Option<Fault> {
        let words: Vec<&str> = line.split('\t').collect();
        let &[
            id,
            kind,
            change,
            function,
            line,
            column,
            before,
            after,
            old,
            new,
            input,
        ] = &words[..]
        else {
            return None;
        };
        let some = |word: &str| (word != "-").then(|| word.to_owned());
        let change = some(change);
        let family = match (kind, &change) {
            ("exposed", Some(_)) => FaultFamily::Exposed,
            (_, Some(_)) => FaultFamily::Refactored,
            (_, None) => FaultFamily::Seeded,
        };
        Some(Fault {
            id: id.to_owned(),
            kind: kind.to_owned(),
            program: self.clone(),
            family,
            change,
            function: some(function),
            line: line.parse().ok()?,
            column: column.parse().ok()?,
            before: serde_json::from_str(before).ok()?,
            after: serde_json::from_str(after).ok()?,
            lines_old: numbers(old)?,
            lines_new: numbers(new)?,
            input: input.to_owned(),
        })
    }

    fn read(&self, file: &str) -> Result<String, String> {
        let path = self.directory.join(file);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// `c` or `cpp`.
    fn extension(&self) -> &'static str {
        if self.directory.join("right.cpp").exists() {
            "cpp"
        } else {
            "c"
        }
    }

    /// The text of the right version.
    pub fn right(&self) -> Result<String, String> {
        self.read(&format!("right.{}", self.extension()))
    }

    /// The system's compiler of its language.
    pub fn compiler(&self) -> &'static str {
        match self.extension() {
            "cpp" => "c++",
            _ => "cc",
        }
    }

    fn input(&self, id: &str) -> Result<Value, String> {
        for line in self.read("inputs.jsonl")?.lines() {
            let input: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
            if input["id"] == id {
                return Ok(input);
            }
        }
        Err(format!("{} has no {id}", self.name))
    }
}

impl FaultFamily {
    /// All of them, in the order of the tables.
    pub const ALL: [FaultFamily; 3] = [
        FaultFamily::Seeded,
        FaultFamily::Refactored,
        FaultFamily::Exposed,
    ];

    /// What the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            FaultFamily::Seeded => "seeded",
            FaultFamily::Refactored => "refactored",
            FaultFamily::Exposed => "exposed",
        }
    }
}

impl Fault {
    /// Its name among those of all programs.
    pub fn name(&self) -> String {
        format!("{}/{}", self.program.name, self.id)
    }

    /// The text of the new version without the fault. Unlike the old one it is right for every input: an exposed fault is in the
    /// old version too, and a change may add an option.
    pub fn repaired(&self) -> Result<String, String> {
        let right = self.program.right()?;
        match &self.change {
            None => Ok(right),
            Some(change) => {
                let patch = self.program.read(&format!("changes/{change}.patch"))?;
                patch::apply(&right, &patch).map_err(|error| format!("{change}: {error}"))
            }
        }
    }

    /// The texts of the old and the new version.
    pub fn versions(&self) -> Result<[String; 2], String> {
        let right = self.program.right()?;
        let new = self.put_into(&self.repaired()?, self.line)?;
        let old = match (self.family, self.lines_old.first()) {
            (FaultFamily::Exposed, Some(&line)) => self.put_into(&right, line)?,
            _ => right,
        };
        Ok([old, new])
    }

    /// A text with the fault at a line.
    fn put_into(&self, text: &str, line: u32) -> Result<String, String> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let start = starts.into_iter().nth(line as usize - 1);
        let at = start.map_or(text.len(), |start| start + self.column as usize - 1);
        let rest = text
            .get(at..)
            .and_then(|rest| rest.strip_prefix(&self.before));
        match rest {
            Some(rest) => Ok(format!("{}{}{rest}", &text[..at], self.after)),
            None => Err(format!("{} is not at line {line}", self.name())),
        }
    }

    /// Writes the versions and the failing input into a directory.
    pub fn place(&self, directory: &Path) -> Result<Case, String> {
        let program = &self.program;
        let file = format!("{}.{}", program.name, program.extension());
        let [old, new] = ["old", "new"].map(|side| directory.join(side).join(&file));
        let repaired = directory.join("repaired").join(&file);
        for (path, text) in [&old, &new].into_iter().zip(self.versions()?) {
            write(path, text.as_bytes())?;
        }
        write(&repaired, self.repaired()?.as_bytes())?;
        let input = program.input(&self.input)?;
        let content = directory.join("input");
        if let Some(bytes) = bytes(&input["file"]) {
            write(&content, &bytes)?;
        }
        let mut stdin = None;
        if let Some(bytes) = bytes(&input["stdin"]) {
            let path = directory.join("stdin");
            write(&path, &bytes)?;
            stdin = Some(path);
        }
        let words = input["arguments"].as_array().map_or(&[][..], Vec::as_slice);
        let arguments = words
            .iter()
            .filter_map(Value::as_str)
            .map(|word| match word {
                "{file}" => content.display().to_string(),
                _ => word.to_owned(),
            });
        Ok(Case {
            old,
            new,
            repaired,
            arguments: arguments.collect(),
            stdin,
            truth: self.truth(),
        })
    }

    /// What is known of it.
    pub fn truth(&self) -> Truth {
        // The lines of NEW next to a gap are right themselves.
        let is_missing = self.after.trim().is_empty() && self.before.contains('\n')
            || self.kind.starts_with("missing-");
        Truth {
            kind: self.kind.clone(),
            role: self.program.purpose,
            function: self.function.clone(),
            lines_old: self.lines_old.clone(),
            lines_new: self.lines_new.clone(),
            is_missing,
        }
    }
}

fn numbers(list: &str) -> Option<Vec<u32>> {
    let words = list.split(',').filter(|word| !word.is_empty());
    words.map(|word| word.parse().ok()).collect()
}

/// The bytes of a string whose characters are bytes.
fn bytes(value: &Value) -> Option<Vec<u8>> {
    let text = value.as_str()?;
    let byte = |character: char| u8::try_from(u32::from(character)).ok();
    text.chars().map(byte).collect()
}

fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    fs::create_dir_all(path.parent().expect("a file is in a directory"))
        .and_then(|()| fs::write(path, content))
        .map_err(|error| format!("{}: {error}", path.display()))
}
