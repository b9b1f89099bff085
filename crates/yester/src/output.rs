//! Files for the user: checked before the work begins, and written whole.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure};

/// Writes a file. A link stays a link, and a device or a pipe is written to, never replaced.
pub fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), Failure> {
    let written = match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => fs::write(path, content),
        found => {
            let real = found
                .and_then(|_| path.canonicalize())
                .unwrap_or_else(|_| path.to_owned());
            put(&real, content, mode)
        }
    };
    written.map_err(|error| Failure::io(format!("write {}", path.display()), &error))
}

/// Writes a file under a name that yester has chosen. A link that has this name is replaced and not followed: it may
/// come from a repository, and lead anywhere.
pub fn replace(path: &Path, content: &[u8], mode: u32) -> Result<(), Failure> {
    put(path, content, mode)
        .map_err(|error| Failure::io(format!("write {}", path.display()), &error))
}

/// Puts a new file in the place of what is there.
fn put(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let parent = parent(path);
    fs::create_dir_all(parent)?;
    let (temporary, mut file) = create_new(parent)?;
    let written = file
        .write_all(content)
        .and_then(|()| file.set_permissions(Permissions::from_mode(mode)))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Makes a file that nothing else has the name of. A name that can be guessed may be there already, as a link that leads
/// to a file of the user.
fn create_new(directory: &Path) -> io::Result<(PathBuf, File)> {
    let process = std::process::id();
    let mut number = 0;
    loop {
        // Not the name with something added: that may be too long.
        let path = directory.join(format!(".yester-{process}-{number}.new"));
        match File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            file => return Ok((path, file?)),
        }
    }
}

fn parent(path: &Path) -> &Path {
    let parent = path.parent();
    parent
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Hours of work must not end with a path that cannot be written.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let shown = path.display();
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    let tried = create_new(parent(path)).and_then(|(probe, _)| fs::remove_file(probe));
    tried.map_err(|error| match error.kind() {
        io::ErrorKind::StorageFull => Failure::io(format!("write {shown}"), &error),
        _ => Failure {
            exit: Exit::Usage,
            ..Failure::io(format!("write {shown}"), &error)
        }
        .hint("-o OUT puts the result somewhere else"),
    })
}
