//! Mounts, with the system calls that take descriptors.

use std::ffi::CString;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libc::{c_int, c_long};
use rustix::fs::CWD;
use rustix::mount::{MountAttrFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags};

/// A detached copy of the mount at a path, to be attached elsewhere or after the path was hidden.
pub(crate) fn clone_mount(path: &Path) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(rustix::mount::open_tree(CWD, path, flags)?)
}

/// Attaches a detached mount at a path.
pub(crate) fn attach_mount(mount: BorrowedFd<'_>, target: &Path) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    Ok(rustix::mount::move_mount(mount, c"", CWD, target, flags)?)
}

/// Moves the topmost mount at a path, with everything below it, to another path.
pub(crate) fn move_mount(from: &Path, to: &Path) -> io::Result<()> {
    let flags = MoveMountFlags::empty();
    Ok(rustix::mount::move_mount(CWD, from, CWD, to, flags)?)
}

/// What a mount allows. None of them lets a set-user-id bit give anybody rights.
#[derive(Clone, Copy)]
pub(crate) enum MountAccess {
    /// Reading, but no use of devices.
    ReadOnly,
    /// Reading and writing, but no use of devices.
    ReadWrite,
    /// Use of devices, but no change of their files.
    Devices,
}

/// Restricts the mount at a path, with everything mounted below it if asked.
pub(crate) fn set_mount_access(
    path: &Path,
    access: MountAccess,
    recursive: bool,
) -> io::Result<()> {
    let read_only = MountAttrFlags::MOUNT_ATTR_RDONLY;
    let no_devices = MountAttrFlags::MOUNT_ATTR_NODEV;
    let set = MountAttrFlags::MOUNT_ATTR_NOSUID
        | match access {
            MountAccess::ReadOnly => read_only | no_devices,
            MountAccess::ReadWrite => no_devices,
            MountAccess::Devices => read_only,
        };
    let attributes = libc::mount_attr {
        attr_set: set.bits().into(),
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let path = CString::new(path.as_os_str().as_bytes())?;
    let flags = if recursive { libc::AT_RECURSIVE } else { 0 };
    // rustix does not have this call.
    // SAFETY: the path and the attributes live through the call, and the size is that of the attributes.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            c_long::from(libc::AT_FDCWD),
            path.as_ptr(),
            c_long::from(flags),
            &raw const attributes,
            size_of_val(&attributes),
        )
    };
    super::check(result as c_int).map(drop)
}

/// Takes away what is mounted at a path, with everything below it.
pub(crate) fn detach(path: &Path) -> io::Result<()> {
    Ok(rustix::mount::unmount(path, UnmountFlags::DETACH)?)
}
