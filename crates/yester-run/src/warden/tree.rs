//! A copy of the user's tree, and the steps that turn one candidate into the next.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{FileType, fstat, ioctl_ficlone};

use super::TreeEdit;
use super::directory::write;
use super::manifest::Manifest;
use crate::root::{Root, is_missing};

pub(super) struct WorkingTree<'a> {
    /// The user's tree, or nothing.
    pub base: Option<&'a Root>,
    /// Its copy.
    pub root: &'a Root,
    pub manifest: &'a mut Manifest,
    /// The modification time of all files that are put in place now.
    ///
    /// Builds go by these times: a file that gets its old content back must look newer than what was built from the other
    /// content. All files of one candidate have the same time, so that none looks out of date beside another.
    pub stamp: SystemTime,
}

impl WorkingTree<'_> {
    /// Copies the whole base and keeps its times, which may say which of the user's files were made from which.
    pub fn copy_base(&mut self) -> io::Result<()> {
        let Some(base) = self.base else {
            return Ok(());
        };
        for name in base.names(Path::new(""))? {
            self.copy(base, Path::new(&name), false)?;
        }
        Ok(())
    }

    pub fn apply(&mut self, relative: &str, edit: &TreeEdit) -> io::Result<()> {
        let relative = Path::new(relative);
        match edit {
            TreeEdit::Write {
                content,
                executable,
            } => {
                self.clear(relative)?;
                let file = write(&self.root.place(relative)?, &content.0, *executable)?;
                if self.base.is_some() {
                    file.set_modified(self.stamp)?;
                    self.manifest.note(relative, &fstat(file)?);
                }
                Ok(())
            }
            TreeEdit::Symlink(target) => {
                self.clear(relative)?;
                self.link(relative, OsStr::from_bytes(&target.0))
            }
            TreeEdit::Remove => self.remove(relative),
            TreeEdit::Restore => {
                let Some(base) = self.base else {
                    return self.remove(relative);
                };
                match base.place(relative).and_then(|place| place.file_type()) {
                    Err(error) if is_missing(&error) => self.remove(relative),
                    Err(error) => Err(error),
                    Ok(_) => {
                        self.clear(relative)?;
                        self.copy(base, relative, true)
                    }
                }
            }
        }
    }

    /// Clears a path. From one candidate to the next, any level of it may change between file and directory.
    fn clear(&mut self, relative: &Path) -> io::Result<()> {
        let manifest = &mut *self.manifest;
        let place = self
            .root
            .make_place(relative, |above| manifest.forget(above))?;
        self.manifest.forget(relative);
        forget_bytecode(self.root, relative)?;
        place.remove()
    }

    /// Removes a path, and the directories above it that are empty then: version control keeps none.
    fn remove(&mut self, relative: &Path) -> io::Result<()> {
        self.manifest.forget(relative);
        let place = match self.root.place(relative) {
            // A test may have put something else on the way, such as a link out of the tree.
            Err(error) if is_missing(&error) => return Ok(()),
            place => place?,
        };
        forget_bytecode(self.root, relative)?;
        place.remove()?;
        for above in relative.ancestors().skip(1) {
            let removed = self
                .root
                .place(above)
                .and_then(|above| above.remove_directory());
            if removed.is_err() {
                break;
            }
        }
        Ok(())
    }

    fn link(&mut self, relative: &Path, target: &OsStr) -> io::Result<()> {
        let place = self.root.place(relative)?;
        place.make_link(target)?;
        self.manifest.note(relative, &place.stat()?);
        Ok(())
    }

    /// Copies a file, a link or a whole directory of the base. Shares blocks where the file system can. Never makes hard
    /// links, since a test that writes into its tree would write into the user's.
    fn copy(&mut self, base: &Root, relative: &Path, stamped: bool) -> io::Result<()> {
        let from = base.place(relative)?;
        match from.file_type()? {
            FileType::Directory => {
                self.root.place(relative)?.make_directory()?;
                for name in base.names(relative)? {
                    self.copy(base, &relative.join(name), stamped)?;
                }
            }
            FileType::Symlink => self.link(relative, &from.read_link()?)?,
            FileType::RegularFile => {
                let source = base.open_file(relative)?;
                let metadata = source.metadata()?;
                let target = self
                    .root
                    .place(relative)?
                    .create(0o600 | metadata.mode() & 0o777)?;
                if ioctl_ficlone(&target, &source).is_err() {
                    io::copy(&mut &source, &mut &target)?;
                }
                let modified = match metadata.modified() {
                    // A time in the future would look newer than the candidate's own files.
                    Ok(modified) if !stamped => modified.min(self.stamp),
                    _ => self.stamp,
                };
                target.set_modified(modified)?;
                self.manifest.note(relative, &fstat(target)?);
            }
            // Sockets, pipes and devices are not part of a program's source.
            _ => {}
        }
        Ok(())
    }
}

/// Removes what Python has compiled from a file. Python compares whole seconds, so it misses a change within the same
/// second that keeps the size.
fn forget_bytecode(root: &Root, path: &Path) -> io::Result<()> {
    let (Some(parent), Some(stem)) = (path.parent(), path.file_stem()) else {
        return Ok(());
    };
    if path.extension() != Some(OsStr::new("py")) {
        return Ok(());
    }
    root.place(&path.with_extension("pyc"))?.remove()?;
    let cache = parent.join("__pycache__");
    let names = match root.names(&cache) {
        Err(error) if is_missing(&error) => return Ok(()),
        names => names?,
    };
    for name in names {
        let rest = name.as_bytes().strip_prefix(stem.as_bytes());
        if rest.is_some_and(|rest| rest.starts_with(b".")) {
            root.place(&cache.join(name))?.remove()?;
        }
    }
    Ok(())
}
