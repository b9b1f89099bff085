//! Scripts that count the calls of a test, and the directories and commands around them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes a script that counts a trial and runs others one after the other, until one does not succeed.
pub fn write_counter(place: &Path, name: &str, scripts: &[PathBuf]) -> Result<PathBuf, String> {
    let path = place.join(name);
    let directory = place.display();
    let mut text = format!("#!/bin/sh\nprintf . >> '{directory}/trials'\n");
    let (test, builds) = scripts.split_last().expect("there is a test");
    for build in builds {
        text.push_str(&format!(
            "'{}' || {{ printf . >> '{directory}/unresolved'; exit 125; }}\n",
            build.display()
        ));
    }
    text.push_str(&format!("'{}'\ncode=$?\n", test.display()));
    text.push_str(&format!(
        "[ $code != 125 ] || printf . >> '{directory}/unresolved'\nexit $code\n"
    ));
    write_script(&path, &text)
}

/// Writes a script that can be executed.
pub fn write_script(path: &Path, text: &str) -> Result<PathBuf, String> {
    let text = if text.starts_with("#!") {
        text.to_owned()
    } else {
        format!("#!/bin/sh\n{text}")
    };
    fs::write(path, text).map_err(|error| error.to_string())?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .map_err(|error| error.to_string())?;
    Ok(path.to_owned())
}

/// How often a script has counted.
pub fn count(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// An empty directory in the place of whatever is there.
pub fn fresh(path: &Path) -> Result<PathBuf, String> {
    let _ = fs::remove_dir_all(path);
    fs::create_dir_all(path).map_err(|error| error.to_string())?;
    Ok(path.to_owned())
}

/// The output of a command that has to succeed.
pub fn succeed(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))
    }
}
