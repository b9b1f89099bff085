//! Deletes what a test may have made hard to delete.
//!
//! A test can leave a million files, directories nested ten thousand deep, files that may not be deleted and mounts of the
//! user's directories. So deletion follows no link and crosses no mount. It takes a few descriptors and about one step for
//! each file, because a directory that is not empty first moves up to the top, so that nothing is ever deep.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{self as raw, AtFlags, CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::root::{names_up_to, open_inside};
use crate::system;

/// Removes a file, a link or a directory with all that is in it. It is fine if there is nothing.
pub fn remove(path: &Path) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match raw::openat(CWD, parent, flags, Mode::empty()) {
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(parent) => remove_at(parent.as_fd(), name),
    }
}

/// [`remove`] for a name in an open directory.
pub(crate) fn remove_at(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    match take_out(parent, name)? {
        TakenOut::Gone => Ok(()),
        TakenOut::Full => {
            let directory = open_directory(parent, name)?;
            empty(directory.as_fd())?;
            match raw::unlinkat(parent, name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => Ok(()),
                Err(error) => Err(error.into()),
            }
        }
    }
}

/// Removes everything in a directory. Goes on past what cannot be removed, and then returns the first error.
pub(crate) fn empty(top: BorrowedFd<'_>) -> io::Result<()> {
    allow_owner_in(top);
    let mut flattening = Flattening {
        top,
        number: 0,
        left: HashSet::new(),
        waiting: Vec::new(),
        error: None,
    };
    loop {
        let mut found = names_up_to(top, CHUNK + flattening.left.len())?;
        found.retain(|name| !flattening.left.contains(name));
        if found.is_empty() {
            break;
        }
        for name in found {
            match take_out(top, &name) {
                Ok(TakenOut::Gone) => {}
                Ok(TakenOut::Full) => flattening.clear_child(name),
                Err(error) => flattening.leave(name, error),
            }
        }
        while let Some(name) = flattening.waiting.pop() {
            flattening.clear_child(name);
        }
    }
    flattening.error.map_or(Ok(()), Err)
}

/// How many names are read before they are deleted. A test may leave more than memory holds.
const CHUNK: usize = 10_000;

/// What became of a name that was to be removed.
enum TakenOut {
    Gone,
    /// It is a directory with something in it.
    Full,
}

/// Removes a file, a link or an empty directory, despite the permissions and flags that a test has set.
fn take_out(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<TakenOut> {
    match take_out_as_it_is(parent, name) {
        Err(Errno::PERM | Errno::ACCESS) => {
            allow_changes(parent);
            if let Ok(child) = open_for_flags(parent, name) {
                allow_changes(child.as_fd());
            }
            Ok(take_out_as_it_is(parent, name)?)
        }
        other => Ok(other?),
    }
}

fn take_out_as_it_is(parent: BorrowedFd<'_>, name: &OsStr) -> Result<TakenOut, Errno> {
    // On some file systems this error does not tell a directory from a file that may not be deleted.
    let file = match raw::unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(TakenOut::Gone),
        Err(error @ (Errno::ISDIR | Errno::PERM)) => error,
        Err(error) => return Err(error),
    };
    match raw::unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(TakenOut::Gone),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(TakenOut::Full),
        Err(Errno::NOTDIR) => Err(file),
        Err(error) => Err(error),
    }
}

/// Lets the owner change a file or directory again: its mode, and the flags that make it immutable.
fn allow_changes(descriptor: BorrowedFd<'_>) {
    if let Ok(stat) = raw::fstat(descriptor) {
        let mode = Mode::from_raw_mode(stat.st_mode) | Mode::RWXU;
        let _ = raw::fchmod(descriptor, mode);
    }
    system::clear_flags(descriptor);
}

fn open_for_flags(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    open_inside(parent, Path::new(name), flags, INSIDE)
}

const INSIDE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_XDEV);

/// Opens a directory to read and change, even if a test has closed it to its owner.
pub(crate) fn open_directory(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let open = |flags| {
        let flags = flags | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        open_inside(parent, Path::new(name), flags, INSIDE)
    };
    let directory = match open(OFlags::RDONLY) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            system::allow_owner(open(OFlags::PATH)?.as_fd())?;
            open(OFlags::RDONLY)?
        }
        other => other?,
    };
    allow_owner_in(directory.as_fd());
    Ok(directory)
}

/// Lets the owner change what is in a directory.
fn allow_owner_in(directory: BorrowedFd<'_>) {
    let is_open = raw::fstat(directory)
        .is_ok_and(|stat| Mode::from_raw_mode(stat.st_mode).contains(Mode::RWXU));
    if !is_open {
        let _ = raw::fchmod(directory, Mode::RWXU);
    }
}

/// A directory that is being emptied.
struct Flattening<'a> {
    top: BorrowedFd<'a>,
    /// How many directories were moved up.
    number: u64,
    /// What cannot be removed from the top.
    left: HashSet<OsString>,
    /// Directories that were moved up and are not empty.
    waiting: Vec<OsString>,
    /// Why the first of `left` cannot be removed.
    error: Option<io::Error>,
}

impl Flattening<'_> {
    fn leave(&mut self, name: OsString, error: io::Error) {
        self.error.get_or_insert(error);
        self.left.insert(name);
    }

    /// Empties and removes a directory at the top. Its full directories move to the top and wait there.
    fn clear_child(&mut self, name: OsString) {
        let cleared =
            open_directory(self.top, &name).and_then(|child| self.take_all_out(child.as_fd()));
        let removed =
            cleared.and_then(
                |()| match raw::unlinkat(self.top, &name, AtFlags::REMOVEDIR) {
                    Ok(()) | Err(Errno::NOENT) => Ok(()),
                    Err(error) => Err(error.into()),
                },
            );
        if let Err(error) = removed {
            self.leave(name, error);
        }
    }

    /// Takes everything out of a directory, as far as possible. Returns the first error.
    fn take_all_out(&mut self, directory: BorrowedFd<'_>) -> io::Result<()> {
        loop {
            let mut left = Ok(());
            let mut progress = false;
            let found = names_up_to(directory, CHUNK)?;
            for name in &found {
                let taken = take_out(directory, name).and_then(|taken| match taken {
                    TakenOut::Gone => Ok(()),
                    TakenOut::Full => self.move_up(directory, name),
                });
                progress |= taken.is_ok();
                left = left.and(taken);
            }
            if !progress || found.len() < CHUNK {
                return left;
            }
        }
    }

    fn move_up(&mut self, directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        loop {
            self.number += 1;
            let above = OsString::from(format!(".yester-removed-{}", self.number));
            let mut renamed = raw::renameat(directory, name, self.top, &above);
            if let Err(Errno::ACCESS | Errno::PERM) = renamed {
                // Moving a directory changes its `..`.
                allow_changes(directory);
                allow_changes(open_directory(directory, name)?.as_fd());
                renamed = raw::renameat(directory, name, self.top, &above);
            }
            match renamed {
                Ok(()) => {
                    self.waiting.push(above);
                    return Ok(());
                }
                Err(Errno::NOENT) => return Ok(()),
                // A removal that was killed has left this name.
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
