//! Opens files in places where others can write: the temporary directory, and the state in a stranger's checkout.
//!
//! What lies there may be a pipe, which makes whoever opens it wait, a link that leads elsewhere, or somebody else's file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use crate::system;

/// Opens a regular file of this user for reading. Waits for nobody and follows no link.
pub fn open_own(path: &Path) -> io::Result<File> {
    open_own_with(OpenOptions::new().read(true), path)
}

/// The same, opened in another way.
pub fn open_own_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = open_unawaited(options, path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if metadata.uid() != system::user_and_group().0 {
        return Err(io::Error::other("it belongs to another user"));
    }
    Ok(file)
}

/// Opens whatever is there. Waits for nobody and follows no link.
pub(crate) fn open_unawaited(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // The standard library adds that no other program inherits it.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(flags.bits() as i32).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{chown, symlink};
    use std::process::Command;

    #[test]
    fn only_a_regular_file_of_this_user_is_opened() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = |name: &str| directory.path().join(name);
        fs::write(place("file"), "").expect("room");
        symlink("file", place("link")).expect("room");
        let made = Command::new("mkfifo").arg(place("pipe")).status();
        assert!(made.expect("mkfifo is there").success());
        open_own(&place("file")).expect("it is ours");
        for name in ["link", "pipe", "."] {
            open_own(&place(name)).expect_err(name);
        }
        // Only the superuser can give files away.
        if chown(place("file"), Some(12345), None).is_ok() {
            let error = open_own(&place("file")).expect_err("it is not ours");
            assert_eq!(error.to_string(), "it belongs to another user");
        }
    }
}
