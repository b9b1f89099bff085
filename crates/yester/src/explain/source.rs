//! The sources of both versions: names of files as the user knows them, lines, and which of them changed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use yester_patch::{AtomSet, FileKind, FileState, Version, VersionDifference};
use yester_path::explanation::{NEW, OLD, SourceLine, VersionSources};
use yester_path::intervention::InterventionPlace;
use yester_record::BuiltVersion;
use yester_run::file;

use super::job::ExplainJob;
use crate::failure::Failure;
use crate::record::short_name;
use crate::versions::failed;

/// No source that is shown is longer.
const BIGGEST_SOURCE: u64 = 64 << 20;

pub struct Sources {
    /// The directories that names of files begin at: where the user stands, or the roots of the trees.
    bases: [PathBuf; 2],
    /// The changed lines of each file, from 1.
    changed: [BTreeMap<String, BTreeSet<u32>>; 2],
    /// What changed in which files, from the beginning to the end of each.
    spans: Vec<Span>,
    /// Below these, links resolved, are the files that may be shown.
    roots: [PathBuf; 2],
    /// Whether the versions are single files.
    is_file: bool,
    read: RefCell<HashMap<PathBuf, Vec<String>>>,
}

/// Lines of both versions that take the place of each other, from 0.
struct Span {
    files: [String; 2],
    lines: [Range<usize>; 2],
}

/// The ends of names of C and C++ sources.
const SOURCES: [&str; 16] = [
    "c", "i", "cc", "cp", "cxx", "cpp", "c++", "C", "ii", "h", "hh", "hpp", "hxx", "inc", "y", "l",
];

impl Sources {
    pub fn new(job: &ExplainJob, built: &[BuiltVersion; 2]) -> Result<Sources, Failure> {
        let [old, new] = &job.versions;
        let (bases, difference) = match (&old.file, &new.file) {
            (Some(old), Some(new)) => {
                // The same name on both sides makes them versions of one file.
                let version = |path: &Path| -> Result<Version, Failure> {
                    let content = file::read(&job.start.join(path), BIGGEST_SOURCE);
                    let content = content.map_err(|error| Failure::io("read a source", &error))?;
                    let state = FileState {
                        kind: FileKind::File,
                        content: content.into(),
                    };
                    Ok(Version::of([("source".to_owned(), state)]))
                };
                let sides = (version(old)?, version(new)?);
                let difference = VersionDifference::between(&sides.0, &sides.1);
                ([job.start.clone(), job.start.clone()], difference)
            }
            _ => {
                let difference = VersionDifference::between(&old.tree, &new.tree);
                (built.each_ref().map(|one| one.root.clone()), difference)
            }
        };
        let difference = difference.map_err(|error| failed(&error))?;
        let roots = [OLD, NEW].map(|version| {
            let file = job.versions[version].file.as_deref();
            let directory = match file.map(|file| bases[version].join(file)) {
                Some(file) => file.parent().unwrap_or(Path::new("/")).to_owned(),
                None => bases[version].clone(),
            };
            directory.canonicalize().unwrap_or(directory)
        });
        let mut changed = [BTreeMap::new(), BTreeMap::new()];
        let atoms = AtomSet::full(difference.atoms());
        let mut spans = Vec::new();
        for span in difference.spans(&atoms) {
            let names = [OLD, NEW].map(|version| {
                match &job.versions[version].file {
                    // As places name it.
                    Some(file) => short_name(file, &[&bases[version]]),
                    None => span.path.clone(),
                }
            });
            for (version, lines) in [(OLD, &span.old), (NEW, &span.new)] {
                let known: &mut BTreeSet<u32> =
                    changed[version].entry(names[version].clone()).or_default();
                known.extend(lines.clone().map(|line| line + 1));
            }
            spans.push(Span {
                files: names,
                lines: [span.old, span.new].map(|one| one.start as usize..one.end as usize),
            });
        }
        Ok(Sources {
            bases,
            changed,
            spans,
            roots,
            is_file: old.file.is_some(),
            read: RefCell::default(),
        })
    }

    /// The line of a place of the version that was built again, in the tree `root`.
    pub fn line_in(&self, version: usize, root: &Path, place: &InterventionPlace) -> SourceLine {
        let file = Path::new(&place.file);
        let file = file.strip_prefix(root).unwrap_or(file);
        SourceLine {
            file: self.name(version, &file.to_string_lossy()),
            line: place.line,
            column: place.column,
            function: place.function.clone(),
        }
    }

    /// A text that names files, with their names as the user knows them.
    pub fn in_text(&self, version: usize, text: &str) -> String {
        text.replace(&format!("{}/", self.bases[version].display()), "")
    }

    pub fn is_changed(&self, version: usize, line: &SourceLine) -> bool {
        let lines = self.changed[version].get(&line.file);
        lines.is_some_and(|lines| lines.contains(&line.line))
    }

    /// Looks at all lines of a file; at none if it cannot be read.
    fn with_lines<T>(&self, version: usize, file: &str, look: impl FnOnce(&[String]) -> T) -> T {
        let path = self.bases[version].join(file);
        let mut read = self.read.borrow_mut();
        let lines = read.entry(path).or_insert_with_key(|path| {
            let content = if self.may_show(version, path) {
                file::read(path, BIGGEST_SOURCE).unwrap_or_default()
            } else {
                Vec::new()
            };
            let text = String::from_utf8_lossy(&content);
            text.lines().map(str::to_owned).collect()
        });
        look(lines)
    }

    /// Whether a file belongs to a version: it is in its tree, or a source beside or below the single file. A line of `#line` may name
    /// any other.
    fn may_show(&self, version: usize, path: &Path) -> bool {
        let Ok(path) = path.canonicalize() else {
            return false;
        };
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_source = extension.is_some_and(|extension| SOURCES.contains(&extension));
        path.starts_with(&self.roots[version]) && (is_source || !self.is_file)
    }
}

impl VersionSources for Sources {
    fn name(&self, version: usize, file: &str) -> String {
        short_name(Path::new(file), &[&self.bases[version]])
    }

    fn lines(&self, version: usize, file: &str) -> Vec<String> {
        self.with_lines(version, file, <[String]>::to_vec)
    }

    fn changed_files(&self, version: usize) -> &BTreeMap<String, BTreeSet<u32>> {
        &self.changed[version]
    }

    fn counterpart(&self, version: usize, line: &SourceLine) -> Option<SourceLine> {
        let other = 1 - version;
        let index = (line.line as usize).checked_sub(1)?;
        let mut file = &line.file;
        let mut moved = index;
        for span in &self.spans {
            if span.files[version] != line.file {
                continue;
            }
            file = &span.files[other];
            let [mine, its] = [version, other].map(|one| &span.lines[one]);
            if mine.contains(&index) {
                // What is no longer there would be before the line that follows.
                let last = its.end.saturating_sub(1).max(its.start);
                moved = (its.start + index - mine.start).min(last);
                break;
            }
            if mine.start <= index {
                moved = its.end + index - mine.end;
            }
        }
        let lines = self.with_lines(other, file, <[String]>::len);
        (moved < lines).then(|| SourceLine {
            file: file.clone(),
            line: moved as u32 + 1,
            column: 1,
            function: line.function.clone(),
        })
    }

    fn line_text(&self, version: usize, file: &str, line: u32) -> Option<String> {
        let index = (line as usize).checked_sub(1)?;
        self.with_lines(version, file, |lines| lines.get(index).cloned())
    }
}
