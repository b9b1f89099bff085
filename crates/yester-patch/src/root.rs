//! Reaches files below a directory through descriptors of directories. No path of a stranger's tree leads out of it,
//! whatever links are there now or later.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags, fchmod, mkdirat, open, openat, symlinkat};
use rustix::io::Errno;

/// A directory in which files are read or made.
pub(crate) struct OpenDirectory {
    descriptor: OwnedFd,
    /// The directory that was used last, since neighbours come one after the other.
    last: Option<(String, OwnedFd)>,
}

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl OpenDirectory {
    /// Opens a directory that is not a link.
    pub fn open(path: &Path) -> io::Result<OpenDirectory> {
        Ok(OpenDirectory {
            descriptor: open(path, DIRECTORY, Mode::empty())?,
            last: None,
        })
    }

    /// The content of a regular file. Fails for anything else: a named pipe would never answer.
    pub fn read(&mut self, path: &str) -> io::Result<Vec<u8>> {
        let (parent, name) = self.parent(path, false)?;
        // Do not wait if a pipe has replaced the file.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = openat(parent, name, flags | OFlags::CLOEXEC, Mode::empty())?;
        let mut file = File::from(file);
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file any more"));
        }
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        Ok(content)
    }

    /// Makes a file where there is nothing.
    pub fn make_file(&mut self, path: &str, content: &[u8], executable: bool) -> io::Result<File> {
        let (parent, name) = self.parent(path, true)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = Mode::from_raw_mode(0o666);
        let mut file = File::from(openat(parent, name, flags | OFlags::CLOEXEC, mode)?);
        file.write_all(content)?;
        if executable {
            fchmod(&file, Mode::from_raw_mode(0o755))?;
        }
        Ok(file)
    }

    /// Makes a symbolic link where there is nothing.
    pub fn make_link(&mut self, path: &str, target: &[u8]) -> io::Result<()> {
        let (parent, name) = self.parent(path, true)?;
        let target = std::ffi::OsStr::from_bytes(target);
        Ok(symlinkat(target, parent, name)?)
    }

    /// Makes a directory, if it is not there.
    pub fn make_directory(&mut self, path: &str) -> io::Result<()> {
        let (parent, name) = self.parent(path, true)?;
        step(parent, name, true).map(drop)
    }

    /// The directory that a path is in, and its name there.
    fn parent<'a>(&mut self, path: &'a str, create: bool) -> io::Result<(BorrowedFd<'_>, &'a str)> {
        let Some((directory, name)) = path.rsplit_once('/') else {
            return Ok((self.descriptor.as_fd(), path));
        };
        if self.last.as_ref().is_none_or(|(last, _)| last != directory) {
            let mut parts = directory.split('/');
            let first = parts.next().unwrap_or_default();
            let mut at = step(self.descriptor.as_fd(), first, create)?;
            for part in parts {
                at = step(at.as_fd(), part, create)?;
            }
            self.last = Some((directory.to_owned(), at));
        }
        let (_, at) = self.last.as_ref().expect("it was just opened");
        Ok((at.as_fd(), name))
    }
}

/// Goes down into a directory.
fn step(at: BorrowedFd<'_>, name: &str, create: bool) -> io::Result<OwnedFd> {
    if ["", ".", ".."].contains(&name) {
        return Err(io::Error::other("the path leads out of its directory"));
    }
    if create {
        match mkdirat(at, name, Mode::from_raw_mode(0o777)) {
            Err(Errno::EXIST) => {}
            made => made?,
        }
    }
    Ok(openat(at, name, DIRECTORY, Mode::empty())?)
}
