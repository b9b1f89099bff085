//! A copy of the user's tree, and the steps that turn one candidate into the next.

use std::ffi::OsStr;
use std::fs::{File, FileTimes, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Stat, Timespec, Timestamps, fstat, ftruncate, ioctl_ficlone};

use super::TreeEdit;
use super::access::OLD;
use super::directory::{mode, write};
use super::manifest::{Manifest, Origin};
use crate::root::{Root, TreePlace, UNCHANGED, is_missing};

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
    /// Whether what comes back from the base keeps the base's times, since nothing was built from what was there.
    pub is_clean: bool,
    /// The permissions that new files do not get.
    pub mask: u32,
}

/// Files up to this size are copied through memory: asking the kernel to do it takes longer.
const SMALL: u64 = 1 << 20;

impl WorkingTree<'_> {
    /// Copies the whole base and keeps its times, which may say which of the user's files were made from which.
    pub fn copy_base(&mut self) -> io::Result<()> {
        match self.base {
            Some(base) => self.copy_directory(base, PathBuf::new(), Origin::Base),
            None => Ok(()),
        }
    }

    pub fn apply(&mut self, relative: &str, edit: &TreeEdit) -> io::Result<()> {
        let relative = Path::new(relative);
        match edit {
            TreeEdit::Write {
                content,
                executable,
            } => {
                if let Some(file) = self.open_ours(relative, mode(*executable)) {
                    return self.rewrite(file, relative, &content.0, self.stamp, Origin::Candidate);
                }
                self.clear(relative)?;
                let file = write(&self.root.place(relative)?, &content.0, *executable)?;
                if self.base.is_some() {
                    self.finish(&file, relative, self.stamp, Origin::Candidate)?;
                }
                Ok(())
            }
            TreeEdit::Symlink(target) => {
                self.clear(relative)?;
                let target = OsStr::from_bytes(&target.0);
                self.link(
                    &self.root.place(relative)?,
                    relative,
                    target,
                    Origin::Candidate,
                )
            }
            TreeEdit::Remove => self.remove(relative),
            TreeEdit::Restore => self.restore(relative),
        }
    }

    /// Brings back what the base has at a path.
    fn restore(&mut self, relative: &Path) -> io::Result<()> {
        let Some(base) = self.base else {
            return self.remove(relative);
        };
        let origin = if self.is_clean {
            Origin::Base
        } else {
            Origin::Restored
        };
        let from = match base.place(relative) {
            Err(error) if is_missing(&error) => return self.remove(relative),
            place => place?,
        };
        let kind = match from.file_type() {
            Err(error) if is_missing(&error) => return self.remove(relative),
            kind => kind?,
        };
        if kind == FileType::RegularFile {
            let (source, metadata) = base.open_known_file(relative)?;
            if metadata.len() <= SMALL
                && let Some(file) = self.open_ours(relative, copied_mode(&metadata))
            {
                let mut content = Vec::new();
                read_small(&source, metadata.len(), &mut content)?;
                let modified = self.time_of(&metadata, origin);
                return self.rewrite(file, relative, &content, modified, origin);
            }
        }
        self.clear(relative)?;
        match kind {
            FileType::Directory => {
                self.root.place(relative)?.make_directory()?;
                self.copy_directory(base, relative.to_owned(), origin)
            }
            FileType::RegularFile => {
                let place = self.root.place(relative)?;
                let source = base.open_known_file(relative)?;
                self.copy_file(&source, &place, relative, origin, &mut Copying::default())
            }
            FileType::Symlink => {
                let target = from.read_link()?;
                self.link(&self.root.place(relative)?, relative, &target, origin)
            }
            // Sockets, pipes and devices are not part of a program's source.
            _ => Ok(()),
        }
    }

    /// The file at a path, if it is exactly as we put it there and nothing else has it. Writing over such a file is faster
    /// than making a new one: some file systems take long to find room for a file when many were just deleted.
    fn open_ours(&self, relative: &Path, mode: u32) -> Option<(File, Stat)> {
        self.base?;
        let place = self.root.place(relative).ok()?;
        let is_ours = |stat: &Stat| {
            stat.st_mode & 0o7777 == mode & !self.mask && self.manifest.is_untouched(relative, stat)
        };
        place.open_to_rewrite(is_ours)
    }

    fn rewrite(
        &mut self,
        (mut file, before): (File, Stat),
        relative: &Path,
        content: &[u8],
        modified: SystemTime,
        origin: Origin,
    ) -> io::Result<()> {
        forget_bytecode(self.root, relative)?;
        // The new length comes last: file systems hurry to write what was emptied before.
        file.write_all(content)?;
        if (content.len() as u64) < before.st_size as u64 {
            ftruncate(&file, content.len() as u64)?;
        }
        self.finish(&file, relative, modified, origin)
    }

    /// Makes the empty directories of the base again that went with the last file in them, unless the candidate has
    /// something else there.
    pub fn make_empty_directories(&mut self, edits: &[(String, TreeEdit)]) -> io::Result<()> {
        for directory in self.manifest.empty_directories() {
            let is_replaced = edits.iter().any(|(path, edit)| {
                !matches!(edit, TreeEdit::Restore) && directory.starts_with(path)
            });
            if is_replaced {
                continue;
            }
            let place = self.root.make_place(directory, |_| {})?;
            if let Err(error) = place.file_type() {
                if !is_missing(&error) {
                    return Err(error);
                }
                place.make_directory()?;
            }
        }
        Ok(())
    }

    /// Makes a tree as it would be after [`Self::copy_base`] and the edits of the candidate: what was put there for other
    /// candidates has times of its own.
    pub fn equalise_times(&mut self) -> io::Result<()> {
        let (base, stamp) = (self.base, timespec(self.stamp)?);
        self.manifest
            .update(self.root, |directory, path, name, file| {
                let wanted = match (file.origin, base) {
                    (Origin::Candidate, _) if file.is_regular() => stamp,
                    (Origin::Restored, Some(base)) if file.is_regular() => {
                        let stat = base.place(&path.join(name))?.stat()?;
                        let modified = (stat.st_mtime, stat.st_mtime_nsec);
                        let modified = modified.min((stamp.tv_sec, stamp.tv_nsec));
                        Timespec {
                            tv_sec: modified.0,
                            tv_nsec: modified.1,
                        }
                    }
                    _ => return Ok(None),
                };
                let origin = match file.origin {
                    Origin::Candidate => Origin::Candidate,
                    Origin::Base | Origin::Restored => Origin::Base,
                };
                if file.modified() == (wanted.tv_sec, wanted.tv_nsec) {
                    return Ok(None);
                }
                let times = Timestamps {
                    last_access: UNCHANGED,
                    last_modification: wanted,
                };
                Ok(Some((directory.set_times(name, &times)?, origin)))
            })
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

    /// Copies what a directory of the base has in it into the same directory of the tree. Shares blocks where the file
    /// system can. Never makes hard links, since a test that writes into its tree would write into the user's.
    fn copy_directory(
        &mut self,
        base: &Root,
        directory: PathBuf,
        origin: Origin,
    ) -> io::Result<()> {
        let mut copying = Copying::default();
        let mut open = vec![directory];
        // One directory after the other: a tree may be deeper than a process may have files open.
        while let Some(directory) = open.pop() {
            let (from, to) = (base.at(&directory)?, self.root.at(&directory)?);
            let entries = from.entries()?;
            if entries.is_empty() {
                self.manifest.note_empty(&directory);
            }
            for (name, kind) in entries {
                let relative = directory.join(&name);
                let place = to.place(Path::new(&name))?;
                match kind {
                    FileType::Directory => {
                        place.make_directory()?;
                        open.push(relative);
                    }
                    FileType::RegularFile => {
                        let source = from.open_known_file(Path::new(&name))?;
                        self.copy_file(&source, &place, &relative, origin, &mut copying)?;
                    }
                    FileType::Symlink => {
                        let target = from.place(Path::new(&name))?.read_link()?;
                        self.link(&place, &relative, &target, origin)?;
                    }
                    // Sockets, pipes and devices are not part of a program's source.
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn copy_file(
        &mut self,
        (source, metadata): &(File, Metadata),
        place: &TreePlace<'_>,
        relative: &Path,
        origin: Origin,
        copying: &mut Copying,
    ) -> io::Result<()> {
        let mut target = place.create(copied_mode(metadata))?;
        if copying.shares_no_blocks || ioctl_ficlone(&target, source).is_err() {
            copying.shares_no_blocks = true;
            if metadata.len() <= SMALL {
                read_small(source, metadata.len(), &mut copying.buffer)?;
                target.write_all(&copying.buffer)?;
            } else {
                io::copy(&mut &*source, &mut target)?;
            }
        }
        self.finish(&target, relative, self.time_of(metadata, origin), origin)
    }

    /// The modification time of a file from the base.
    fn time_of(&self, metadata: &Metadata, origin: Origin) -> SystemTime {
        match metadata.modified() {
            // A time in the future would look newer than the candidate's own files.
            Ok(modified) if origin == Origin::Base => modified.min(self.stamp),
            _ => self.stamp,
        }
    }

    /// Sets the times of a file that was just written, and notes it. No access is noted yet.
    fn finish(
        &mut self,
        file: &File,
        relative: &Path,
        modified: SystemTime,
        origin: Origin,
    ) -> io::Result<()> {
        let accessed = SystemTime::UNIX_EPOCH + Duration::from_secs(OLD);
        let times = FileTimes::new().set_modified(modified);
        file.set_times(times.set_accessed(accessed))?;
        self.manifest.note(relative, &fstat(file)?, origin);
        Ok(())
    }

    fn link(
        &mut self,
        place: &TreePlace<'_>,
        relative: &Path,
        target: &OsStr,
        origin: Origin,
    ) -> io::Result<()> {
        place.make_link(target)?;
        self.manifest.note(relative, &place.stat()?, origin);
        Ok(())
    }
}

/// What copying many files needs once.
#[derive(Default)]
struct Copying {
    buffer: Vec<u8>,
    /// Whether the file system has refused to share blocks.
    shares_no_blocks: bool,
}

/// Reads a whole file whose size is known, with one call in most cases.
fn read_small(mut file: &File, size: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.resize(size as usize, 0);
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..])? {
            0 => break,
            count => length += count,
        }
    }
    buffer.truncate(length);
    Ok(())
}

/// The mode of a copy, which we must be able to read and write.
fn copied_mode(metadata: &Metadata) -> u32 {
    0o600 | metadata.mode() & 0o777
}

fn timespec(time: SystemTime) -> io::Result<Timespec> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let since = since.map_err(io::Error::other)?;
    Ok(Timespec {
        tv_sec: since.as_secs() as i64,
        tv_nsec: i64::from(since.subsec_nanos()),
    })
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
