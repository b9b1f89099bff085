//! A copy of the user's tree, and the steps that make one candidate of another in it.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Edit;
use super::directory::{create_directory, write};
use super::manifest::Manifest;
use crate::removal::remove;
use crate::system;

pub(super) struct Tree<'a> {
    /// The user's tree, or nothing.
    pub base: &'a Path,
    /// Its copy.
    pub directory: &'a Path,
    pub manifest: &'a mut Manifest,
    /// When everything says it was made that is put in place now.
    ///
    /// Builds go by such times: a file that gets its old content back must look newer than what was built of the
    /// other content. All files of one candidate have the same, so that none of them looks out of date beside another.
    pub stamp: SystemTime,
}

impl Tree<'_> {
    /// Copies the whole base. Its times stay: they may say which of the user's files were made of which.
    pub fn copy_base(&mut self) -> io::Result<()> {
        self.copy(Path::new(""), false)
    }

    pub fn apply(&mut self, relative: &str, edit: &Edit) -> io::Result<()> {
        let relative = Path::new(relative);
        let path = self.directory.join(relative);
        match edit {
            Edit::Write {
                content,
                executable,
            } => {
                self.make_room(relative)?;
                let file = write(&path, &content.0, *executable)?;
                if self.is_kept() {
                    file.set_modified(self.stamp)?;
                    self.manifest.note(relative, &file.metadata()?);
                }
                Ok(())
            }
            Edit::Symlink(target) => {
                self.make_room(relative)?;
                symlink(OsStr::from_bytes(&target.0), &path)?;
                self.manifest.note(relative, &fs::symlink_metadata(&path)?);
                Ok(())
            }
            Edit::Remove => self.remove(relative),
            Edit::Restore => {
                if fs::symlink_metadata(self.base.join(relative)).is_err() {
                    return self.remove(relative);
                }
                self.make_room(relative)?;
                self.copy(relative, true)
            }
        }
    }

    /// Whether this tree outlives its trial.
    fn is_kept(&self) -> bool {
        !self.base.as_os_str().is_empty()
    }

    /// Clears a path. It may change between file and directory from one candidate to the next, at any of its levels.
    fn make_room(&mut self, relative: &Path) -> io::Result<()> {
        let mut above = PathBuf::new();
        for component in relative.parent().into_iter().flat_map(Path::components) {
            above.push(component);
            let path = self.directory.join(&above);
            if !is_directory(&path) {
                self.manifest.forget(&above);
                remove(&path)?;
                create_directory(&path)?;
            }
        }
        self.manifest.forget(relative);
        forget_bytecode(&self.directory.join(relative));
        remove(&self.directory.join(relative))
    }

    /// Removes a path, and the directories above it that have become empty: version control has none.
    fn remove(&mut self, relative: &Path) -> io::Result<()> {
        self.manifest.forget(relative);
        let mut above = self.directory.to_owned();
        for component in relative.parent().into_iter().flat_map(Path::components) {
            above.push(component);
            if !is_directory(&above) {
                // What stands there instead may be a link out of the tree, put there by a test.
                return Ok(());
            }
        }
        forget_bytecode(&self.directory.join(relative));
        remove(&self.directory.join(relative))?;
        for above in relative.ancestors().skip(1) {
            if above.as_os_str().is_empty() || fs::remove_dir(self.directory.join(above)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Copies a file, a link or a whole directory of the base. Blocks are shared where the file system can; hard links
    /// never are, since a test that writes into its tree would write into the user's.
    fn copy(&mut self, relative: &Path, stamped: bool) -> io::Result<()> {
        let (from, to) = (self.base.join(relative), self.directory.join(relative));
        let metadata = fs::symlink_metadata(&from)?;
        if metadata.is_dir() {
            create_directory(&to)?;
            for entry in fs::read_dir(&from)? {
                self.copy(&relative.join(entry?.file_name()), stamped)?;
            }
        } else if metadata.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
            self.manifest.note(relative, &fs::symlink_metadata(&to)?);
        } else if metadata.is_file() {
            let source = File::open(&from)?;
            let target = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600 | metadata.mode() & 0o777)
                .open(&to)?;
            if system::reflink(source.as_fd(), target.as_fd()).is_err() {
                io::copy(&mut &source, &mut &target)?;
            }
            let modified = match metadata.modified() {
                // A time to come would look newer than the candidate's own files.
                Ok(modified) if !stamped => modified.min(self.stamp),
                _ => self.stamp,
            };
            target.set_modified(modified)?;
            self.manifest.note(relative, &target.metadata()?);
        }
        // Sockets, pipes and devices are no part of a program's source.
        Ok(())
    }
}

fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Removes what Python has compiled of a file. It takes a source of the same size that was changed within the same
/// second for the same source, however fine the file's time is.
fn forget_bytecode(path: &Path) {
    let (Some(parent), Some(stem)) = (path.parent(), path.file_stem()) else {
        return;
    };
    if path.extension() != Some(OsStr::new("py")) {
        return;
    }
    let _ = fs::remove_file(path.with_extension("pyc"));
    let cache = parent.join("__pycache__");
    if !is_directory(&cache) {
        return;
    }
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.as_bytes().strip_prefix(stem.as_bytes());
        if rest.is_some_and(|rest| rest.starts_with(b".")) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
