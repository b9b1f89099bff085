//! The trace as text: a branch a line, with its source.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};
use yester_path::{
    Branch, ConstraintKind, ExpressionText, Recording, RecordingError, Selection, SiteKind,
};
use yester_record::Recorded;
use yester_report::{Sheet, TraceBranch, TraceConditions, TraceConstraint, grouped};
use yester_run::file;

/// How many lines of the start, and of the end, of a long list are shown.
const SHOWN_LINES: usize = 200;
/// The call depth at which indentation stops.
const DEEPEST_INDENT: usize = 24;
/// How many characters of a source line are shown.
const SOURCE_WIDTH: usize = 80;
/// In bytes; bigger source files are not read. The recording names the file, and may name any.
const BIGGEST_SOURCE: u64 = 64 << 20;

/// The chosen branches of a recording. They are serialised one by one, since they may not fit into memory.
#[derive(Clone)]
pub struct ShownBranches {
    pub recorded: Rc<Recorded>,
    pub selection: Rc<Selection>,
}

impl ShownBranches {
    pub fn recording(&self) -> &Recording {
        &self.recorded.recording
    }

    fn iter(&self) -> impl Iterator<Item = Result<Branch, RecordingError>> {
        let is_shown = |branch: &Result<Branch, RecordingError>| match branch {
            Ok(branch) => self.selection.shows(self.recording(), branch),
            Err(_) => true,
        };
        self.recording().branches().filter(is_shown)
    }
}

impl Serialize for ShownBranches {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        let is_shown = |branch: &Branch| self.selection.shows(self.recording(), branch);
        for branch in self.recording().dependent_branches(is_shown) {
            let branch = branch.map_err(S::Error::custom)?;
            let (function, site) = self.recording().site(&branch);
            let case = match &site.kind {
                SiteKind::Branch
                | SiteKind::Call
                | SiteKind::Predicate { .. }
                | SiteKind::Value { .. } => None,
                SiteKind::Switch(cases) => {
                    let case = (branch.outcome as usize).checked_sub(1);
                    case.and_then(|case| cases.get(case)).copied()
                }
            };
            sequence.serialize_element(&TraceBranch {
                function: &function.name,
                file: function.file_of(site),
                line: site.line,
                column: site.column,
                taken: branch.outcome != 0,
                case,
                predicate: site.predicate(),
                constraint: branch.constraint,
                depth: branch.depth,
                dependence: branch.dependence,
            })?;
        }
        sequence.end()
    }
}

/// The path condition of a recording. Its texts are made one by one, since they take much more room than the constraints.
pub struct ShownConstraints {
    recorded: Rc<Recorded>,
    /// The index of the branch of each, if that is shown.
    branches: Vec<Option<u64>>,
}

impl ShownConstraints {
    /// Those of a recording, with the index of the branch of each.
    pub fn new(recorded: Rc<Recorded>, branches: Vec<Option<u64>>) -> Self {
        ShownConstraints { recorded, branches }
    }

    /// Whether one of them is of a branch.
    pub fn has_branch(&self) -> bool {
        let mut constraints = self.recorded.recording.constraints.iter();
        constraints.any(|constraint| constraint.kind == ConstraintKind::Branch)
    }

    fn is_branch(&self, index: usize) -> bool {
        self.recorded.recording.constraints[index].kind == ConstraintKind::Branch
    }
}

impl TraceConditions for ShownConstraints {
    fn count(&self) -> usize {
        self.branches.len()
    }

    fn text(&self, index: usize) -> Option<String> {
        let recording = &self.recorded.recording;
        let constraint = recording.constraints.get(index)?;
        let text = ExpressionText::new(&recording.graph, &recording.input, &recording.sources);
        Some(text.condition(constraint.node, true))
    }
}

impl Serialize for ShownConstraints {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let constraints = (0..self.count()).map(|index| TraceConstraint {
            index,
            branch: self.branches[index],
            kind: if self.is_branch(index) {
                "branch"
            } else {
                "concretised"
            },
            text: self.text(index).unwrap_or_default(),
        });
        serializer.collect_seq(constraints)
    }
}

/// The text of all branches, and how many there are.
pub fn branches(
    shown: &ShownBranches,
    constraints: &ShownConstraints,
    start: &Path,
) -> Result<(String, u64), RecordingError> {
    let mut sources = Sources::new(start);
    let (mut head, mut tail) = (Vec::new(), VecDeque::new());
    let mut count = 0;
    for branch in shown.iter() {
        let branch = branch?;
        count += 1;
        if head.len() < SHOWN_LINES {
            head.push(branch);
            continue;
        }
        if tail.len() == SHOWN_LINES {
            tail.pop_front();
        }
        tail.push_back(branch);
    }
    let lines = head.iter().chain(&tail);
    let lines = lines.map(|branch| line(shown.recording(), branch, constraints, &mut sources));
    Ok((cut(lines.collect(), count, "branches"), count))
}

/// The path condition, a constraint a line.
pub fn condition(constraints: &ShownConstraints) -> String {
    let count = constraints.count();
    let is_shown = |index: &usize| *index < SHOWN_LINES || *index + SHOWN_LINES >= count;
    let lines = (0..count).filter(is_shown).map(|index| {
        let note = if constraints.is_branch(index) {
            ""
        } else {
            "  (taken as it was)"
        };
        let text = constraints.text(index).unwrap_or_default();
        format!("[{index}] {text}{note}")
    });
    cut(lines.collect(), count as u64, "constraints")
}

/// Joins lines, with a note where some are left out.
fn cut(mut lines: Vec<String>, count: u64, what: &str) -> String {
    let missing = count - lines.len() as u64;
    if missing > 0 {
        let note = format!("… {} more {what}, which --json has", grouped(missing));
        lines.insert(SHOWN_LINES, note);
    }
    let mut sheet = Sheet::default();
    lines.iter().for_each(|line| sheet.line(line));
    sheet.finish()
}

fn line(
    recording: &Recording,
    branch: &Branch,
    constraints: &ShownConstraints,
    sources: &mut Sources,
) -> String {
    let (function, site) = recording.site(branch);
    let file = function.file_of(site);
    // Shorten full paths below the current directory.
    let shown = Path::new(file).strip_prefix(&sources.start);
    let shown = shown.unwrap_or(Path::new(file)).display().to_string();
    let indent = "  ".repeat(branch.depth.saturating_sub(1).min(DEEPEST_INDENT));
    let mut text = format!(
        "{indent}{} {shown}:{}:{} {}",
        function.name,
        site.line,
        site.column,
        site.outcome(branch.outcome)
    );
    if let Some(predicate) = site.predicate() {
        text.push_str(&format!("  {predicate} (predicate)"));
    }
    if let Some(source) = sources.line(file, &function.module, site.line) {
        text.push_str(&format!("  | {source}"));
    }
    if let Some(index) = branch.constraint
        && let Some(condition) = constraints.text(index)
    {
        text.push_str(&format!("  [{index}] {condition}"));
    }
    text
}

/// Source files, read on first use.
struct Sources {
    start: PathBuf,
    files: HashMap<String, Option<Vec<String>>>,
}

impl Sources {
    fn new(start: &Path) -> Sources {
        Sources {
            start: start.to_owned(),
            files: HashMap::new(),
        }
    }

    /// A line of a file, if it can be read. Its path is relative to where the compiler ran, or to its module.
    fn line(&mut self, file: &str, module: &str, line: u32) -> Option<&str> {
        if !self.files.contains_key(file) {
            let beside = Path::new(module).parent().map(|parent| parent.join(file));
            let places = [Some(PathBuf::from(file)), beside];
            let found = places
                .into_iter()
                .flatten()
                .find_map(|place| file::read(&self.start.join(place), BIGGEST_SOURCE).ok());
            let lines = found.map(|content| {
                let text = String::from_utf8_lossy(&content).into_owned();
                let short = |line: &str| line.trim().chars().take(SOURCE_WIDTH).collect();
                text.lines().map(short).collect()
            });
            self.files.insert(file.to_owned(), lines);
        }
        let lines = self.files.get(file)?.as_ref()?;
        lines
            .get((line as usize).checked_sub(1)?)
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_line_of_a_pipe_or_a_device_is_not_shown_and_not_waited_for() {
        let directory = tempfile::tempdir().expect("a directory");
        let pipe = directory.path().join("pipe.c");
        let made = Command::new("mkfifo").arg(pipe).status();
        assert!(made.expect("mkfifo is there").success());
        std::fs::write(directory.path().join("a.c"), "int x;\n").expect("it is written");
        let mut sources = Sources::new(directory.path());
        assert_eq!(sources.line("a.c", "a.c", 1), Some("int x;"));
        assert_eq!(sources.line("pipe.c", "a.c", 1), None);
        assert_eq!(sources.line("/dev/zero", "a.c", 1), None);
    }
}
