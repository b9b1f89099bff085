//! Links with the runtime, so that a process has exactly one.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::DriverError;
use super::compiler_command::{CompilerCommand, PartRole};

const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/yester-pathrt.o"));

/// The words of the link command, with objects in place of sources.
pub fn words(
    compiler_command: &CompilerCommand,
    objects: &[(usize, PathBuf)],
    scratch: &Path,
) -> Result<Vec<OsString>, DriverError> {
    let mut words: Vec<OsString> = Vec::new();
    if !objects.is_empty() {
        words.push("-Qunused-arguments".into());
    }
    let relocatable = compiler_command.has("-r")
        || compiler_command.has("-Wl,-r")
        || compiler_command.has("-Wl,--relocatable");
    let shared = compiler_command.has("-shared")
        || compiler_command.has("--shared")
        || compiler_command.has("-Wl,-shared");
    if !relocatable {
        // The runtime comes first, so that its symbols win over those of a shared object on the command line.
        let runtime = scratch.join("yester-pathrt.o");
        fs::write(&runtime, RUNTIME).map_err(|error| DriverError::File(runtime.clone(), error))?;
        words.push(runtime.into());
        if !shared {
            words.push("-Wl,--export-dynamic-symbol=__yester_*".into());
        }
    }
    let mut scripts = 0;
    let mut next_is_script = false;
    for (number, part) in compiler_command.parts.iter().enumerate() {
        if let Some((_, object)) = objects.iter().find(|(source, _)| *source == number) {
            words.push(object.into());
            continue;
        }
        match part.role {
            PartRole::Language | PartRole::Goal(_) | PartRole::Dependency | PartRole::Dropped => {}
            // A static PIE relocates itself before it has thread-local storage, which the runtime needs.
            PartRole::Linker if part.words[0] == "-static-pie" => {
                words.extend(["-static", "-no-pie"].map(OsString::from));
            }
            PartRole::Linker if shared => {
                for word in &part.words {
                    words.push(exported(word, &mut next_is_script, &mut scripts, scratch)?);
                }
            }
            _ => words.extend(part.words.iter().cloned()),
        }
    }
    Ok(words)
}

/// Extends version scripts, which hide all symbols that they do not list. If the runtime's symbols were hidden, each shared object
/// would have a runtime of its own.
fn exported(
    word: &OsStr,
    next_is_script: &mut bool,
    scripts: &mut usize,
    scratch: &Path,
) -> Result<OsString, DriverError> {
    let Some(list) = word.as_bytes().strip_prefix(b"-Wl,") else {
        let text = word.to_string_lossy();
        if let Some((flag, path)) = text.split_once('=')
            && matches!(flag, "--version-script" | "-version-script")
        {
            let copy = with_runtime(path, scripts, scratch)?;
            return Ok(format!("{flag}={copy}").into());
        }
        if text == "-Xlinker" {
            return Ok(word.to_owned());
        }
        if std::mem::take(next_is_script) {
            return Ok(with_runtime(&text, scripts, scratch)?.into());
        }
        *next_is_script = matches!(&*text, "--version-script" | "-version-script");
        return Ok(word.to_owned());
    };
    let mut new = b"-Wl".to_vec();
    for item in list.split(|byte| *byte == b',') {
        new.push(b',');
        let text = String::from_utf8_lossy(item);
        if std::mem::take(next_is_script) {
            new.extend(with_runtime(&text, scripts, scratch)?.bytes());
        } else if let Some((flag, path)) = text.split_once('=')
            && matches!(flag, "--version-script" | "-version-script")
        {
            new.extend(flag.bytes());
            new.push(b'=');
            new.extend(with_runtime(path, scripts, scratch)?.bytes());
        } else {
            *next_is_script = matches!(&*text, "--version-script" | "-version-script");
            new.extend(item);
        }
    }
    Ok(OsString::from_vec(new))
}

/// A copy of a version script that exports the runtime's symbols too. If the script cannot be read, the linker will say so.
fn with_runtime(path: &str, scripts: &mut usize, scratch: &Path) -> Result<String, DriverError> {
    let Ok(script) = fs::read_to_string(path) else {
        return Ok(path.to_owned());
    };
    let script = match script.split_once('{') {
        Some((before, after)) if is_blank(before) => {
            // A version node may have one `global:`; symbols before it are global too.
            let label = if after.trim_start().starts_with("local") {
                "global: "
            } else {
                ""
            };
            match after.split_once("global:") {
                Some((first, rest)) => format!("{before}{{{first}global: __yester_*; {rest}"),
                None => format!("{before}{{ {label}__yester_*; {after}"),
            }
        }
        _ => format!("{script}\nYESTER {{ global: __yester_*; }};\n"),
    };
    *scripts += 1;
    let copy = scratch.join(format!("version-script-{scripts}"));
    fs::write(&copy, script).map_err(|error| DriverError::File(copy.clone(), error))?;
    Ok(copy.to_string_lossy().into_owned())
}

/// Whether a version node is anonymous: only comments and spaces come before its brace.
fn is_blank(text: &str) -> bool {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("/*") {
        rest = comment
            .split_once("*/")
            .map_or("", |(_, after)| after)
            .trim_start();
    }
    while let Some(comment) = rest.strip_prefix('#') {
        rest = comment
            .split_once('\n')
            .map_or("", |(_, after)| after)
            .trim_start();
    }
    rest.is_empty()
}
