//! The directory that a worker runs its trials in.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::manifest::Manifest;
use super::tree::Tree;
use super::{Edit, Placement};
use crate::Containment;
use crate::removal::{self, remove};

pub(crate) struct Directory {
    path: PathBuf,
    /// What may lie here from the last trial.
    held: Held,
    /// What was put into the tree that lies here.
    manifest: Manifest,
    /// When what was put there last says it was made.
    stamp: SystemTime,
}

enum Held {
    /// Anything.
    Unknown,
    /// Nothing.
    Nothing,
    /// One file, and whatever its trial left behind.
    File,
    /// Files that are made anew for every trial.
    Files,
    /// A copy of this tree, edited and built in.
    Tree(OsString),
}

impl Directory {
    pub(crate) fn new(path: PathBuf) -> Self {
        Directory {
            path,
            held: Held::Unknown,
            manifest: Manifest::default(),
            stamp: SystemTime::UNIX_EPOCH,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a candidate in place and says where it is.
    pub(crate) fn place(&mut self, placement: &Placement) -> io::Result<PathBuf> {
        match placement {
            Placement::File {
                name,
                content,
                executable,
            } => {
                if !matches!(self.held, Held::Nothing) {
                    empty(&self.path)?;
                }
                self.held = Held::File;
                let path = self.path.join(name);
                write(&path, &content.0, *executable)?;
                Ok(path)
            }
            Placement::Tree { base, fresh, edits } => {
                self.place_tree(base, *fresh, edits)?;
                Ok(self.path.clone())
            }
        }
    }

    fn place_tree(
        &mut self,
        base: &OsStr,
        fresh: bool,
        edits: &[(String, Edit)],
    ) -> io::Result<()> {
        self.stamp = later_than(self.stamp);
        let is_warm = !fresh && matches!(&self.held, Held::Tree(held) if held == base);
        // Until the last edit is made, what lies here is no known state.
        self.held = Held::Unknown;
        let mut tree = Tree {
            base: Path::new(base),
            directory: &self.path,
            manifest: &mut self.manifest,
            stamp: self.stamp,
        };
        if !is_warm {
            *tree.manifest = Manifest::default();
            empty(tree.directory)?;
            if !base.is_empty() {
                tree.copy_base()?;
            }
        }
        for (path, edit) in edits {
            tree.apply(path, edit)?;
        }
        self.held = if base.is_empty() {
            Held::Files
        } else {
            Held::Tree(base.to_owned())
        };
        Ok(())
    }

    /// Which files of a tree are no more as they were put in place, or nothing when it has to be made anew.
    pub(crate) fn touched(&self) -> Option<Vec<String>> {
        match self.held {
            Held::Tree(_) => self.manifest.touched(&self.path),
            _ => Some(Vec::new()),
        }
    }

    /// Cleans up after a trial, while yester is busy with its answer. What cannot be cleaned up now is tried again
    /// before the next trial, where an error can be told.
    pub(crate) fn tidy(&mut self, containment: Containment, keep: bool) {
        if matches!(self.held, Held::File) && !keep {
            self.held = if empty(&self.path).is_ok() {
                Held::Nothing
            } else {
                Held::Unknown
            };
        }
        if containment == Containment::Full {
            for path in [Path::new("/tmp"), Path::new("/dev/shm")] {
                if let Ok(metadata) = fs::symlink_metadata(path) {
                    let _ = remove_below(path, metadata.dev());
                }
            }
        }
    }
}

/// Removes everything in a directory. Makes the directory when a test deleted it.
fn empty(directory: &Path) -> io::Result<()> {
    if directory.exists() {
        removal::empty(directory)
    } else {
        create_directory(directory)
    }
}

pub(super) fn create_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Empties a private file system without touching what is mounted below it.
fn remove_below(directory: &Path, device: u64) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.dev() != device {
            continue;
        }
        if metadata.is_dir() {
            fs::set_permissions(&path, Permissions::from_mode(0o700))?;
            remove_below(&path, device)?;
            // It stays when something is mounted in it.
            let _ = fs::remove_dir(&path);
        } else {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Writes a new file. Whatever was at that path, a link out of the directory for instance, is removed and not followed.
pub(super) fn write(path: &Path, content: &[u8], executable: bool) -> io::Result<File> {
    let mode = if executable { 0o755 } else { 0o644 };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode);
    let mut file = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            remove(path)?;
            options.open(path)?
        }
        other => other?,
    };
    file.write_all(content)?;
    Ok(file)
}

/// The time now, and later than what was said before.
///
/// The kernel stamps files with the time of the last tick of its clock. This one is finer, so that what is put in place
/// within the same tick as something was built is still newer.
fn later_than(before: SystemTime) -> SystemTime {
    SystemTime::now().max(before + Duration::from_nanos(1))
}
