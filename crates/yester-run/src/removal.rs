//! Deleting what a test may have made hard to delete.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Removes a file, a link or a directory with all that is in it, also where a test took the permission to do so away.
/// That there is nothing is fine.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    if !metadata.is_dir() {
        return fs::remove_file(path);
    }
    if fs::remove_dir_all(path).is_ok() {
        return Ok(());
    }
    empty(path)?;
    fs::remove_dir(path)
}

/// Removes everything in a directory.
pub(crate) fn empty(directory: &Path) -> io::Result<()> {
    if empty_as_it_is(directory).is_ok() {
        return Ok(());
    }
    fs::set_permissions(directory, Permissions::from_mode(0o700))?;
    empty_as_it_is(directory)
}

fn empty_as_it_is(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove(&entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
