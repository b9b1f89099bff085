//! What runs leave for whoever wanted it.

use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{self as raw, AtFlags, CWD, FileType, Mode, OFlags};

use crate::command_word::is_trouble;
use crate::own_file::open_own;
use crate::removal::{self, open_directory, remove, remove_at};
use crate::root::names_up_to;
use crate::system;

/// The directory with what one run has left in its exchange. It is deleted when nobody needs it any more, unless it was kept.
#[derive(Debug)]
pub struct Outputs {
    directory: PathBuf,
    is_kept: bool,
}

/// Deeper directories are none that a run was given.
const DEEPEST: usize = 3;

/// More files than these are none that somebody reads.
const MOST_FILES: usize = 100_000;

/// So many bytes of a run are kept for another session. A recording for that has far fewer.
pub(crate) const MOST_BYTES: u64 = 4 << 30;

impl Outputs {
    /// Those in a directory, which goes with them.
    pub fn new(directory: PathBuf) -> Outputs {
        Outputs {
            directory,
            is_kept: false,
        }
    }

    /// Those that were kept in a directory, if it is there.
    pub fn kept(directory: &Path) -> Option<Outputs> {
        directory.is_dir().then(|| Outputs {
            directory: directory.to_owned(),
            is_kept: true,
        })
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.directory
    }

    /// Removes what a run may not leave: links, pipes, files of others, and more than anybody reads. A run that has put something else in the place
    /// of the directory, or has closed it, has left nothing.
    pub(crate) fn clear_out(&self, most_bytes: u64) -> io::Result<()> {
        let (Some(around), Some(name)) = (self.directory.parent(), self.directory.file_name())
        else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let around = open_around(around)?;
        let own = match open_own_directory(around.as_fd(), name.as_ref()) {
            Ok(own) => own,
            Err(error) if is_trouble(&error) => return Err(error),
            Err(_) => {
                remove_at(around.as_fd(), name)?;
                raw::mkdirat(&around, name, Mode::RWXU)?;
                return Ok(());
            }
        };
        let mut room = Room {
            files: MOST_FILES,
            bytes: most_bytes,
        };
        room.take_in(own.as_fd(), DEEPEST)
    }

    /// Moves them to a place where they stay. It appears as a whole.
    pub fn keep(&mut self, place: &Path) -> io::Result<()> {
        // A yester that was killed before it wrote the trial down has left it without one.
        remove(place)?;
        if fs::rename(&self.directory, place).is_err() {
            // The run's directory may be on another file system.
            let unfinished = place.with_extension("unfinished");
            remove(&unfinished)?;
            copy(&self.directory, &unfinished, DEEPEST)?;
            fs::rename(&unfinished, place)?;
            let _ = remove(&self.directory);
        }
        place.clone_into(&mut self.directory);
        self.is_kept = true;
        Ok(())
    }
}

/// Opens the directory around those of the runs. It is ours, but a run may have closed it.
pub(crate) fn open_around(place: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = |flags| raw::openat(CWD, place, flags, Mode::empty());
    let found = open(flags | OFlags::PATH)?;
    if !Mode::from_raw_mode(raw::fstat(&found)?.st_mode).contains(Mode::RWXU) {
        system::allow_owner(found.as_fd())?;
    }
    Ok(open(flags | OFlags::RDONLY)?)
}

/// Opens a directory that a run may have replaced. Follows no link.
fn open_own_directory(around: BorrowedFd<'_>, name: &Path) -> io::Result<OwnedFd> {
    let directory = open_directory(around, name.as_os_str())?;
    if raw::fstat(&directory)?.st_uid == system::user_and_group().0 {
        Ok(directory)
    } else {
        Err(io::Error::other("it belongs to another user"))
    }
}

/// How much is still taken from a run.
struct Room {
    files: usize,
    bytes: u64,
}

impl Room {
    /// Removes from a directory what is not to be kept.
    fn take_in(&mut self, directory: BorrowedFd<'_>, depth: usize) -> io::Result<()> {
        let names = names_up_to(directory, self.files + 1)?;
        if names.len() > self.files {
            // There may be more than memory has names for.
            self.files = 0;
            return removal::empty(directory);
        }
        for name in names {
            let stat = raw::statat(directory, &name, AtFlags::SYMLINK_NOFOLLOW)?;
            let is_own = stat.st_uid == system::user_and_group().0;
            let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
            let is_kept = match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory if is_own && depth > 0 && self.files > 0 => {
                    self.files -= 1;
                    match open_directory(directory, &name) {
                        Ok(below) => {
                            self.take_in(below.as_fd(), depth - 1)?;
                            true
                        }
                        Err(error) if is_trouble(&error) => return Err(error),
                        Err(_) => false,
                    }
                }
                FileType::RegularFile if is_own && self.files > 0 && size <= self.bytes => {
                    self.files -= 1;
                    self.bytes -= size;
                    let mode = Mode::from_raw_mode(stat.st_mode);
                    if !mode.contains(Mode::RUSR) {
                        raw::chmodat(directory, &name, mode | Mode::RUSR, AtFlags::empty())?;
                    }
                    true
                }
                _ => false,
            };
            if !is_kept {
                remove_at(directory, &name)?;
            }
        }
        Ok(())
    }
}

/// Copies files and directories. A run may have put links and pipes there, which nobody wants.
fn copy(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, place) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() && depth > 0 {
            copy(&entry.path(), &place, depth - 1)?;
        } else if kind.is_file() {
            let mut file = open_own(&entry.path())?;
            let mut copied = fs::File::create_new(&place)?;
            io::copy(&mut file, &mut copied)?;
            copied.flush()?;
        }
    }
    Ok(())
}

impl Drop for Outputs {
    fn drop(&mut self) {
        if !self.is_kept {
            // What stays is deleted with the scratch directory.
            let _ = remove(&self.directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn outputs_replace_what_a_killed_session_has_left_and_stay() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = |name: &str| directory.path().join(name);
        for (name, content) in [("run", "new"), ("kept", "left")] {
            fs::create_dir_all(place(name).join("deep")).expect("room");
            fs::write(place(name).join("deep/file"), content).expect("room");
        }
        let mut outputs = Outputs::new(place("run"));
        outputs.keep(&place("kept")).expect("room");
        assert_eq!(outputs.path(), place("kept"));
        drop(outputs);
        let kept = fs::read_to_string(place("kept/deep/file")).expect("it stays");
        assert_eq!(kept, "new");
        assert!(!place("run").exists());
        assert!(Outputs::kept(&place("run")).is_none());
        drop(Outputs::new(place("kept")));
        assert!(!place("kept").exists(), "what is not kept goes");
    }

    #[test]
    fn what_a_run_puts_in_place_of_its_outputs_is_not_followed() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = |name: &str| directory.path().join(name);
        fs::create_dir(place("mine")).expect("room");
        fs::write(place("mine/secret"), "mine").expect("room");
        fs::create_dir(place("exchange")).expect("room");
        for instead in ["link", "file", "closed"] {
            let own = place("exchange/1");
            match instead {
                "link" => symlink(place("mine"), &own).expect("room"),
                "file" => fs::write(&own, "").expect("room"),
                _ => fs::create_dir(&own).expect("room"),
            }
            if instead == "closed" {
                for closed in [&own, &place("exchange")] {
                    fs::set_permissions(closed, Permissions::from_mode(0o000)).expect("it is ours");
                }
            }
            let mut outputs = Outputs::new(own);
            outputs.clear_out(MOST_BYTES).expect("it is nothing");
            outputs.keep(&place("kept")).expect("room");
            let kind = fs::symlink_metadata(place("kept")).expect("it is there");
            assert!(kind.is_dir(), "{instead}");
            assert_eq!(kind.permissions().mode() & 0o700, 0o700, "{instead}");
            let left = fs::read_dir(place("kept")).expect("a directory").count();
            assert_eq!(left, 0, "{instead}");
        }
        assert_eq!(fs::read(place("mine/secret")).expect("a file"), b"mine");
    }

    #[test]
    fn only_plain_files_that_somebody_may_read_are_kept() {
        let directory = tempfile::tempdir().expect("a directory");
        let own = directory.path().join("1");
        let place = |name: &str| own.join(name);
        fs::create_dir_all(place("a/b/c/d/e")).expect("room");
        fs::write(place("a/file"), "new").expect("room");
        fs::set_permissions(place("a/file"), Permissions::from_mode(0o000)).expect("it is ours");
        symlink("/", place("link")).expect("room");
        symlink("a", place("a/link")).expect("room");
        let huge = fs::File::create(place("huge")).expect("room");
        huge.set_len(1 << 40).expect("it is sparse");
        let made = std::process::Command::new("mkfifo")
            .arg(place("pipe"))
            .status();
        assert!(made.expect("mkfifo is there").success());
        let outputs = Outputs::new(own.clone());
        outputs.clear_out(MOST_BYTES).expect("room");
        for name in ["link", "a/link", "huge", "pipe", "a/b/c/d"] {
            assert!(place(name).symlink_metadata().is_err(), "{name}");
        }
        assert!(place("a/b/c").is_dir());
        let file = place("a/file").metadata().expect("it stays");
        assert_eq!(file.permissions().mode() & 0o400, 0o400);
    }
}
