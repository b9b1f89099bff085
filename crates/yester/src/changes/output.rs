//! The patches that are the answer.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use yester_run::{Survival, make_directory};

use crate::cli::ChangesArguments;
use crate::failure::Failure;
use crate::file;
use crate::output;

/// How a patch of ours begins. Whoever applies patches passes over it.
const MARK: &str = "# yester changes";

/// Where the patches go.
pub struct Outputs {
    directory: PathBuf,
    names: Vec<&'static str>,
}

/// More culprits than this are not expected to be there from another time.
const SETS: usize = 9;

impl Outputs {
    pub fn new(arguments: &ChangesArguments) -> Result<Outputs, Failure> {
        let directory = arguments.output.clone().unwrap_or_default();
        if let Some(output) = &arguments.output {
            make_directory(output, Survival::PowerFailure).map_err(|error| {
                Failure::usage(format!(
                    "failed to make {}: {}",
                    output.display(),
                    crate::failure::plain(&error)
                ))
                .hint("-o takes a directory")
            })?;
        }
        let mut names = vec!["culprit.patch", "fix.patch"];
        if arguments.answer.isolate {
            names.push("passing.patch");
        }
        let outputs = Outputs { directory, names };
        for path in outputs.paths(if arguments.answer.all { SETS } else { 1 }) {
            check(&path)?;
        }
        output::check_writable(&outputs.culprit(1))?;
        Ok(outputs)
    }

    fn paths(&self, sets: usize) -> Vec<PathBuf> {
        let later = (2..=sets).map(|set| self.culprit(set));
        let names = self.names.iter().map(|name| self.directory.join(name));
        names.chain(later).collect()
    }

    /// The patch of a set, counted from 1.
    pub fn culprit(&self, set: usize) -> PathBuf {
        match set {
            1 => self.directory.join("culprit.patch"),
            set => self.directory.join(format!("culprit.{set}.patch")),
        }
    }

    pub fn fix(&self) -> PathBuf {
        self.directory.join("fix.patch")
    }

    /// Removes the fix of an earlier answer, which does not belong to this one.
    pub fn remove_fix(&self) {
        if is_ours(&self.fix()) {
            let _ = fs::remove_file(self.fix());
        }
    }

    pub fn passing(&self) -> PathBuf {
        self.directory.join("passing.patch")
    }
}

/// A patch with a first line that says what it is for.
pub fn marked(call: &str, what: &str, patch: &[u8]) -> Vec<u8> {
    let line = format!("{MARK} {call}: {what}").replace(['\n', '\r'], " ");
    [line.as_bytes(), b"\n", patch].concat()
}

/// Whether a file is a patch of an earlier answer, wherever it lies.
pub fn is_earlier_patch(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let is_patch = name.is_some_and(|name| {
        let stem = name.strip_suffix(".patch").unwrap_or_default();
        let stem = stem.split('.').next().unwrap_or_default();
        matches!(stem, "culprit" | "fix" | "passing")
    });
    is_patch && is_ours(path)
}

fn is_ours(path: &Path) -> bool {
    // A link may lead to a patch of ours in another place, and a named pipe would never answer.
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut begin = Vec::new();
    let read =
        file::open(path).and_then(|(file, _)| file.take(MARK.len() as u64).read_to_end(&mut begin));
    read.is_ok() && begin == MARK.as_bytes()
}

/// What somebody else has written is not replaced.
fn check(path: &Path) -> Result<(), Failure> {
    if fs::symlink_metadata(path).is_err() || is_ours(path) {
        return Ok(());
    }
    let shown = path.display();
    Err(
        Failure::usage(format!("{shown} is there already and is not from yester"))
            .hint("-o DIR puts the patches somewhere else"),
    )
}
