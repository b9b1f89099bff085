//! The patches that are the answer, as files.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use yester_run::{RunDirectory, file};

use crate::failure::Failure;
use crate::output;

/// How a patch of ours begins. Whoever applies patches passes over it.
const MARK: &str = "# yester ";

/// Where the patches go.
pub struct PatchFiles {
    directory: PathBuf,
    /// What all of them say that they are from.
    call: String,
}

impl PatchFiles {
    /// Sees that patches with these names can be written. `call` is the command that they are from.
    pub fn new(output: Option<&Path>, names: &[String], call: String) -> Result<Self, Failure> {
        let directory = output.unwrap_or(Path::new("")).to_owned();
        if let Some(output) = output.filter(|output| output.exists() && !output.is_dir()) {
            return Err(
                Failure::usage(format!("{} is not a directory", output.display()))
                    .hint("-o takes a directory"),
            );
        }
        for name in names {
            check(&directory.join(name))?;
        }
        if let Some(first) = names.first() {
            output::check_writable(&directory.join(first))?;
        }
        Ok(PatchFiles { directory, call })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Writes a patch for the user, and a copy that stays with the run. Its first line says what it is for.
    pub fn put(
        &self,
        run: &RunDirectory,
        name: &str,
        what: &str,
        patch: &[u8],
    ) -> Result<String, Failure> {
        let line = format!("{MARK}{}: {what}", self.call).replace(['\n', '\r'], " ");
        let content = [line.as_bytes(), b"\n", patch].concat();
        // The user's own is the one that counts.
        let _ = run.write(Path::new(name), &content);
        let path = self.path(name);
        output::replace(&path, &content, 0o644)?;
        Ok(path.display().to_string())
    }

    /// Removes a patch of an earlier answer, which does not belong to this one.
    pub fn remove(&self, name: &str) {
        let path = self.path(name);
        if is_ours(&path) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Whether a file is a patch of an earlier answer, wherever it lies.
pub fn is_earlier_patch(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let is_patch = name.is_some_and(|name| {
        let stem = name.strip_suffix(".patch").unwrap_or_default();
        let stem = stem.split('.').next().unwrap_or_default();
        matches!(stem, "culprit" | "fix" | "passing" | "backport")
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
