//! A copy of the user's tree, and the steps that make one candidate of another in it.

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
    /// When everything says it was made that is put in place now.
    ///
    /// Builds go by such times: a file that gets its old content back must look newer than what was built of the
    /// other content. All files of one candidate have the same, so that none of them looks out of date beside another.
    pub stamp: SystemTime,
}

impl WorkingTree<'_> {
    /// Copies the whole base. Its times stay: they may say which of the user's files were made of which.
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

    /// Clears a path. It may change between file and directory from one candidate to the next, at any of its levels.
    fn clear(&mut self, relative: &Path) -> io::Result<()> {
        let manifest = &mut *self.manifest;
        let place = self
            .root
            .make_place(relative, |above| manifest.forget(above))?;
        self.manifest.forget(relative);
        forget_bytecode(self.root, relative)?;
        place.remove()
    }

    /// Removes a path, and the directories above it that have become empty: version control has none.
    fn remove(&mut self, relative: &Path) -> io::Result<()> {
        self.manifest.forget(relative);
        let place = match self.root.place(relative) {
            // What stands on the way instead may be a link out of the tree, put there by a test.
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

    /// Copies a file, a link or a whole directory of the base. Blocks are shared where the file system can; hard links
    /// never are, since a test that writes into its tree would write into the user's.
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
                    // A time to come would look newer than the candidate's own files.
                    Ok(modified) if !stamped => modified.min(self.stamp),
                    _ => self.stamp,
                };
                target.set_modified(modified)?;
                self.manifest.note(relative, &fstat(target)?);
            }
            // Sockets, pipes and devices are no part of a program's source.
            _ => {}
        }
        Ok(())
    }
}

/// Removes what Python has compiled of a file. It takes a source of the same size that was changed within the same
/// second for the same source, however fine the file's time is.
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
