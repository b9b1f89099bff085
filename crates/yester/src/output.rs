//! Files for the user: checked before the work begins, and written whole.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use yester_run::write_atomically;

use crate::failure::{Exit, Failure};

/// Writes a file. A link stays a link, and a device or a pipe is written to, never replaced.
pub fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), Failure> {
    let written = match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => fs::write(path, content),
        found => {
            let real = found
                .and_then(|_| path.canonicalize())
                .unwrap_or_else(|_| path.to_owned());
            write_atomically(&real, content)
                .and_then(|()| fs::set_permissions(&real, Permissions::from_mode(mode)))
        }
    };
    written.map_err(|error| Failure::io(format!("write {}", path.display()), &error))
}

/// Hours of work must not end with a path that cannot be written.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let shown = path.display();
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut probe = OsString::from(".");
    probe.push(path.file_name().unwrap_or(OsStr::new("output")));
    probe.push(format!(".{}.probe", std::process::id()));
    let probe = parent.join(probe);
    let tried = File::create(&probe).and_then(|_| fs::remove_file(&probe));
    tried.map_err(|error| match error.kind() {
        io::ErrorKind::StorageFull => Failure::io(format!("write {shown}"), &error),
        _ => Failure {
            exit: Exit::Usage,
            ..Failure::io(format!("write {shown}"), &error)
        }
        .hint("-o OUT puts the result somewhere else"),
    })
}
