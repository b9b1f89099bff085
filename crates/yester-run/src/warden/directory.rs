//! The directory that a worker runs its trials in.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::{Edit, Placement};
use crate::removal::{self, remove};
use crate::{Containment, system};

pub(crate) struct Directory {
    path: PathBuf,
    /// What may lie here from the last trial.
    held: Held,
}

enum Held {
    /// Anything.
    Unknown,
    /// Nothing.
    Nothing,
    /// One file, and whatever its trial left behind.
    File,
    /// A copy of this tree, edited and built in.
    Tree(OsString),
}

impl Directory {
    pub(crate) fn new(path: PathBuf) -> Self {
        Directory {
            path,
            held: Held::Unknown,
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
                if *fresh || !matches!(&self.held, Held::Tree(held) if held == base) {
                    self.held = Held::Unknown;
                    empty(&self.path)?;
                    if !base.is_empty() {
                        copy_tree(Path::new(base), &self.path)?;
                    }
                }
                // Until the last edit is made, what lies here is no known state.
                self.held = Held::Unknown;
                for (path, edit) in edits {
                    apply(Path::new(base), &self.path, path, edit)?;
                }
                self.held = Held::Tree(base.clone());
                Ok(self.path.clone())
            }
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

fn create_directory(path: &Path) -> io::Result<()> {
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
fn write(path: &Path, content: &[u8], executable: bool) -> io::Result<()> {
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
    file.write_all(content)
}

fn apply(base: &Path, directory: &Path, relative: &str, edit: &Edit) -> io::Result<()> {
    let path = directory.join(relative);
    let make_room = || -> io::Result<()> {
        // A path may change between file and directory from one candidate to the next, at any of its levels.
        let mut above = directory.to_owned();
        for component in Path::new(relative)
            .parent()
            .into_iter()
            .flat_map(Path::components)
        {
            above.push(component);
            if !fs::symlink_metadata(&above).is_ok_and(|metadata| metadata.is_dir()) {
                remove(&above)?;
                create_directory(&above)?;
            }
        }
        remove(&path)
    };
    match edit {
        Edit::Write {
            content,
            executable,
        } => {
            make_room()?;
            write(&path, &content.0, *executable)
        }
        Edit::Symlink(target) => {
            make_room()?;
            symlink(OsStr::from_bytes(&target.0), &path)
        }
        Edit::Remove => match remove(&path) {
            // An ancestor that is a file now has taken it away already.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(()),
            other => other,
        },
        Edit::Restore => {
            let original = base.join(relative);
            match fs::symlink_metadata(&original) {
                Ok(_) => {
                    make_room()?;
                    copy_tree(&original, &path)
                }
                Err(_) => apply(base, directory, relative, &Edit::Remove),
            }
        }
    }
}

/// Copies a file, a link or a whole directory. Blocks are shared where the file system can; hard links never are,
/// since a test that writes into its tree would write into the user's.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_dir() {
        create_directory(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_tree(&entry.path(), &to.join(entry.file_name()))?;
        }
        Ok(())
    } else if metadata.is_symlink() {
        symlink(fs::read_link(from)?, to)
    } else if metadata.is_file() {
        let source = File::open(from)?;
        let target = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600 | metadata.mode() & 0o777)
            .open(to)?;
        if system::reflink(source.as_fd(), target.as_fd()).is_err() {
            io::copy(&mut &source, &mut &target)?;
        }
        Ok(())
    } else {
        // Sockets, pipes and devices are no part of a program's source.
        Ok(())
    }
}
