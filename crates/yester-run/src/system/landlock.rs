//! Landlock: the kernel refuses changes of files outside of a few places, whatever the mounts say.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use libc::{c_int, c_long};
use rustix::io::Errno;

use super::check;

// The rights that the kernel can refuse, as its header numbers them.
const WRITE_FILE: u64 = 1 << 1;
/// To remove and to make files and directories of every kind.
const CHANGE_DIRECTORY: u64 = 0b1_1111_1111 << 4;
/// To move files between directories; from version 2 on.
const REFER: u64 = 1 << 13;
/// From version 3 on.
const TRUNCATE: u64 = 1 << 14;

/// Abstract sockets and signals do not leave the fence; from version 6 on.
const SCOPES: u64 = 0b11;

const PATH_BENEATH: c_int = 1;
const VERSION: u32 = 1;

#[repr(C)]
struct Ruleset {
    files: u64,
    network: u64,
    scopes: u64,
}

#[repr(C, packed)]
struct PathRule {
    rights: u64,
    descriptor: c_int,
}

/// A fence around the places that a command may change.
pub(crate) struct WriteFence(OwnedFd);

impl WriteFence {
    /// With these places inside. None if the kernel has no such fences.
    pub(crate) fn around<'p>(
        places: impl IntoIterator<Item = &'p Path>,
    ) -> io::Result<Option<WriteFence>> {
        let Some(version) = version()? else {
            return Ok(None);
        };
        let mut rights = WRITE_FILE | CHANGE_DIRECTORY;
        for (since, right) in [(2, REFER), (3, TRUNCATE)] {
            rights |= if version >= since { right } else { 0 };
        }
        let ruleset = Ruleset {
            files: rights,
            network: 0,
            scopes: if version >= 6 { SCOPES } else { 0 },
        };
        // SAFETY: the ruleset lives through the call, and its size is given. The descriptor that comes back is ours.
        let fence = unsafe {
            let made = libc::syscall(
                libc::SYS_landlock_create_ruleset,
                &raw const ruleset,
                size_of::<Ruleset>(),
                0,
            );
            WriteFence(OwnedFd::from_raw_fd(check(made as c_int)?))
        };
        for place in places {
            fence.let_in(place, rights)?;
        }
        Ok(Some(fence))
    }

    fn let_in(&self, place: &Path, rights: u64) -> io::Result<()> {
        let mut options = File::options();
        options.read(true).custom_flags(libc::O_PATH);
        let opened = options.open(place)?;
        let is_directory = opened.metadata()?.is_dir();
        let rule = PathRule {
            // What is about entries of directories says nothing about a file.
            rights: rights
                & if is_directory {
                    u64::MAX
                } else {
                    WRITE_FILE | TRUNCATE
                },
            descriptor: opened.as_raw_fd(),
        };
        // SAFETY: the rule lives through the call.
        let added = unsafe {
            libc::syscall(
                libc::SYS_landlock_add_rule,
                c_long::from(self.0.as_raw_fd()),
                PATH_BENEATH,
                &raw const rule,
                0,
            )
        };
        check(added as c_int).map(drop)
    }

    /// Shuts this thread and whatever it starts in, for ever. Only for the child of `spawn`, hence libc and no allocation.
    pub(super) fn enter(&self) -> io::Result<()> {
        // SAFETY: the call takes numbers.
        let entered = unsafe {
            libc::syscall(
                libc::SYS_landlock_restrict_self,
                c_long::from(self.0.as_raw_fd()),
                0,
            )
        };
        check(entered as c_int).map(drop)
    }
}

/// Which version of Landlock the kernel has, if any.
fn version() -> io::Result<Option<c_int>> {
    // SAFETY: the call takes no ruleset when it is asked for the version.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<Ruleset>(),
            0,
            VERSION,
        )
    };
    match check(version as c_int) {
        Ok(version) => Ok(Some(version)),
        Err(error)
            if matches!(
                Errno::from_io_error(&error),
                Some(Errno::NOSYS | Errno::OPNOTSUPP)
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::thread;

    #[test]
    fn nothing_outside_of_the_fence_can_be_changed() {
        let inside = tempfile::tempdir().expect("a directory");
        let outside = tempfile::tempdir().expect("a directory");
        let kept = outside.path().join("kept");
        fs::write(&kept, "mine").expect("room");
        let fence = WriteFence::around([inside.path()]).expect("a fence");
        let fence = fence.expect("Linux has Landlock from 5.13 on");
        // The fence is around one thread only.
        thread::scope(|scope| {
            let fenced = scope.spawn(|| {
                rustix::thread::set_no_new_privs(true).expect("it is possible");
                fence.enter().expect("it is possible");
                fs::write(inside.path().join("file"), "text").expect("it is inside");
                fs::remove_file(inside.path().join("file")).expect("it is inside");
                for refused in [
                    fs::write(&kept, "other"),
                    fs::remove_file(&kept),
                    fs::rename(&kept, inside.path().join("kept")),
                    fs::create_dir(outside.path().join("new")),
                ] {
                    refused.expect_err("it is outside");
                }
                assert_eq!(fs::read(&kept).expect("it can be read"), b"mine");
            });
            fenced.join().expect("no panic");
        });
    }
}
