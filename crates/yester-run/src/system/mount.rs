//! Mounts, with the system calls that take descriptors.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use libc::{c_long, c_ulong};

use super::{c_string, check, check_long};

pub(crate) fn mount(
    source: &CStr,
    target: &OsStr,
    kind: &CStr,
    flags: c_ulong,
    options: &CStr,
) -> io::Result<()> {
    let target = c_string(target)?;
    // SAFETY: all pointers are to strings that live through the call.
    check(unsafe {
        libc::mount(
            source.as_ptr(),
            target.as_ptr(),
            kind.as_ptr(),
            flags,
            options.as_ptr().cast(),
        )
    })
    .map(drop)
}

/// A detached copy of the mount at a path, to be attached elsewhere or after the path was hidden.
pub(crate) fn clone_mount(path: &OsStr) -> io::Result<OwnedFd> {
    const OPEN_TREE_CLONE: c_long = 1;
    let path = c_string(path)?;
    let flags = OPEN_TREE_CLONE | libc::O_CLOEXEC as c_long | libc::AT_RECURSIVE as c_long;
    // SAFETY: the string lives through the call; the result is a new descriptor that nobody else owns.
    unsafe {
        let descriptor = check_long(libc::syscall(
            libc::SYS_open_tree,
            libc::AT_FDCWD as c_long,
            path.as_ptr(),
            flags,
        ))?;
        Ok(OwnedFd::from_raw_fd(descriptor as RawFd))
    }
}

/// Attaches a detached mount at a path.
pub(crate) fn attach_mount(mount: BorrowedFd<'_>, target: &OsStr) -> io::Result<()> {
    const MOVE_MOUNT_F_EMPTY_PATH: c_long = 4;
    let target = c_string(target)?;
    // SAFETY: the strings live through the call.
    check_long(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            mount.as_raw_fd() as c_long,
            c"".as_ptr(),
            libc::AT_FDCWD as c_long,
            target.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    })
    .map(drop)
}

/// Moves the topmost mount at a path, with everything below it, to another path.
pub(crate) fn move_mount(from: &OsStr, to: &OsStr) -> io::Result<()> {
    let (from, to) = (c_string(from)?, c_string(to)?);
    // SAFETY: the strings live through the call.
    check_long(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            libc::AT_FDCWD as c_long,
            from.as_ptr(),
            libc::AT_FDCWD as c_long,
            to.as_ptr(),
            0,
        )
    })
    .map(drop)
}

/// What a mount allows.
#[derive(Clone, Copy)]
pub(crate) enum Attributes {
    /// Reading. Devices and the bits that give other rights mean nothing.
    ReadOnly,
    /// Reading and writing. Devices and the bits that give other rights mean nothing.
    Plain,
    /// Reading, of devices too.
    ReadOnlyDevices,
}

/// Takes rights from the mount at a path, with everything mounted below it if asked.
pub(crate) fn set_attributes(
    path: &OsStr,
    attributes: Attributes,
    recursive: bool,
) -> io::Result<()> {
    const READ_ONLY: u64 = 1;
    const NO_SETUID: u64 = 2;
    const NO_DEVICES: u64 = 4;
    let set = match attributes {
        Attributes::ReadOnly => READ_ONLY | NO_SETUID | NO_DEVICES,
        Attributes::Plain => NO_SETUID | NO_DEVICES,
        Attributes::ReadOnlyDevices => READ_ONLY | NO_SETUID,
    };
    let attributes = [set, 0, 0, 0];
    let path = c_string(path)?;
    let flags = if recursive {
        libc::AT_RECURSIVE as c_long
    } else {
        0
    };
    // SAFETY: the attributes are laid out as the kernel's `struct mount_attr`, and their size is given.
    check_long(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD as c_long,
            path.as_ptr(),
            flags,
            attributes.as_ptr(),
            size_of_val(&attributes),
        )
    })
    .map(drop)
}

/// Takes away what is mounted at a path, with everything below it.
pub(crate) fn detach(path: &OsStr) -> io::Result<()> {
    let path = c_string(path)?;
    // SAFETY: the string lives through the call.
    check(unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) }).map(drop)
}
