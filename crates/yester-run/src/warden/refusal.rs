//! What a guarded run tried to change and could not: often the very thing that a branch does which an intervention has turned.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};

use crate::system::{AskedWrite, WriteCondition, WriteListener};

/// So many are told.
const MOST: usize = 20;
/// So many calls are looked at. A run that deletes a big tree makes as many as the tree has files.
const MOST_CALLS: usize = 10_000;
const LONGEST_PATH: usize = 4096;

/// Takes the kernel's questions about one run.
pub(crate) struct Refusals {
    /// None when all processes of the run have ended.
    listener: Option<WriteListener>,
    looked_at: usize,
    refused: BTreeSet<String>,
}

impl Refusals {
    pub(crate) fn new(listener: WriteListener) -> Refusals {
        Refusals {
            listener: Some(listener),
            looked_at: 0,
            refused: BTreeSet::new(),
        }
    }

    /// Where the next question comes.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.listener.as_ref().map(AsFd::as_fd)
    }

    /// Answers the question that has come.
    pub(crate) fn answer(&mut self) {
        let Some(listener) = &self.listener else {
            return;
        };
        let Some(asked) = listener.next() else {
            if listener.is_over() {
                self.listener = None;
            }
            return;
        };
        self.looked_at += 1;
        if self.refused.len() < MOST
            && self.looked_at < MOST_CALLS
            && let Some(path) = refused(&asked)
            && listener.is_waiting(&asked)
        {
            self.refused.insert(path.to_string_lossy().into_owned());
        }
        listener.go_on(&asked);
    }

    pub(crate) fn finish(self) -> BTreeSet<String> {
        self.refused
    }
}

/// The path that a call is about, if the call will be refused because the path is on a read-only mount. The warden sees the same mounts
/// as the run does.
fn refused(asked: &AskedWrite) -> Option<PathBuf> {
    let call = asked.call;
    let given = read_path(asked.process, asked.arguments[call.path])?;
    let directory = call
        .directory
        .map_or(libc::AT_FDCWD, |argument| asked.arguments[argument] as i32);
    let start = match directory {
        libc::AT_FDCWD => format!("/proc/{}/cwd", asked.process),
        descriptor => format!("/proc/{}/fd/{descriptor}", asked.process),
    };
    let path = if given.is_absolute() {
        given
    } else {
        fs::read_link(start).ok()?.join(given)
    };
    let changed = match call.condition {
        WriteCondition::Existing => path.symlink_metadata().is_ok(),
        WriteCondition::New => path.symlink_metadata().is_err(),
        WriteCondition::Made => is_opened(&path, libc::O_WRONLY | libc::O_CREAT),
        WriteCondition::Opened(flags) => is_opened(&path, asked.arguments[flags] as i32),
    };
    // What lies behind a link counts for a file that is opened, and the directory for everything else.
    let place = match call.condition {
        WriteCondition::Made | WriteCondition::Opened(_) if path.exists() => path.as_path(),
        _ => path.parent()?,
    };
    let mount = statvfs(place).ok()?;
    let is_told = changed && mount.f_flag.contains(StatVfsMountFlags::RDONLY);
    (is_told && !path.starts_with("/proc")).then_some(path)
}

/// Whether a file that is opened with these flags is made or may be changed.
fn is_opened(path: &Path, flags: i32) -> bool {
    match path.metadata() {
        Ok(metadata) => metadata.is_file() && flags & (libc::O_ACCMODE | libc::O_TRUNC) != 0,
        Err(_) => flags & libc::O_CREAT != 0,
    }
}

/// A path in the memory of a process.
fn read_path(process: u32, address: u64) -> Option<PathBuf> {
    let memory = File::open(format!("/proc/{process}/mem")).ok()?;
    let mut text = vec![0; LONGEST_PATH];
    // Behind the path the memory may end.
    let page = LONGEST_PATH - address as usize % LONGEST_PATH;
    let mut length = memory.read_at(&mut text[..page], address).ok()?;
    if !text[..length].contains(&0) {
        let more = memory.read_at(&mut text[length..], address + length as u64);
        length += more.ok()?;
    }
    let end = text[..length].iter().position(|byte| *byte == 0)?;
    let path = OsStr::from_bytes(&text[..end]);
    (!path.is_empty()).then(|| PathBuf::from(path))
}
