//! What the user gets: files that are checked before the work begins and written whole, and the standard output.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use yester_report::{coloured, visible};
use yester_run::{Survival, make_directory, write_file};

use crate::failure::{Exit, Failure};

/// Writes a file. A link stays a link, and a device or a pipe is written to, never replaced.
pub fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), Failure> {
    let written = match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => fs::write(path, content),
        Ok(_) => path
            .canonicalize()
            .and_then(|real| put(&real, content, mode)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => put(path, content, mode),
        // Who does not know what is there must not replace it.
        Err(error) => Err(error),
    };
    written.map_err(|error| Failure::io(format!("write {}", path.display()), &error))
}

/// Writes a file under a name that yester has chosen. A link that has this name is replaced and not followed: it may
/// come from a repository, and lead anywhere.
pub fn replace(path: &Path, content: &[u8], mode: u32) -> Result<(), Failure> {
    put(path, content, mode)
        .map_err(|error| Failure::io(format!("write {}", path.display()), &error))
}

/// Puts a new file in the place of what is there. What the user is told to be there has to be there after a power
/// failure too.
fn put(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    make_around(path)?;
    write_file(path, content, Some(mode), Survival::PowerFailure)
}

/// Makes the directory that a path is in, if it is missing.
pub fn make_around(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(around) if !around.as_os_str().is_empty() && !around.exists() => {
            make_directory(around, Survival::PowerFailure)
        }
        _ => Ok(()),
    }
}

/// Hours of work must not end with a path that cannot be written. Directories that are missing on the way are made when
/// there is something to write.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let shown = path.display();
    // A device or a pipe is written to as it is.
    if path.exists() && !path.is_file() && !path.is_dir() {
        return Ok(());
    }
    let mut around = path.ancestors().skip(1);
    let existing = around
        .find(|around| around.as_os_str().is_empty() || around.exists())
        .unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default();
    yester_run::check_writable(&existing.join(name)).map_err(|error| match error.kind() {
        io::ErrorKind::StorageFull => Failure::io(format!("write {shown}"), &error),
        _ => Failure {
            exit: Exit::Usage,
            ..Failure::io(format!("write {shown}"), &error)
        }
        .hint("-o OUT puts the result somewhere else"),
    })
}

/// Prints text for people, with nothing in it that a terminal obeys.
pub fn print_text(text: &str) -> Result<Exit, Failure> {
    print(visible(text).as_bytes())
}

/// Prints a report for people, with patches in colours.
pub fn print_report(text: &str) -> Result<Exit, Failure> {
    print(coloured(&visible(text)).as_bytes())
}

/// Prints a text of ours. Whoever closes the pipe has seen enough.
pub fn print(result: &[u8]) -> Result<Exit, Failure> {
    yester_screen::close();
    finish(anstream::stdout().write_all(result))
}

/// Prints the bytes of an answer: as they are into a pipe or a file, and with nothing that it obeys on a terminal.
pub fn print_answer(answer: &[u8]) -> Result<Exit, Failure> {
    yester_screen::close();
    if io::stdout().is_terminal() {
        print_text(&String::from_utf8_lossy(answer))
    } else {
        finish(io::stdout().write_all(answer))
    }
}

fn finish(written: io::Result<()>) -> Result<Exit, Failure> {
    match written.and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("print the result", &error))
        }
        _ => Ok(Exit::Found),
    }
}
