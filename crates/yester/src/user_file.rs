//! What the user gives to yester: files by their names, and what is piped into it.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;

use yester_run::file::{self, BIGGEST_INPUT, read_to};

use crate::failure::Failure;

/// What is piped into yester.
pub fn piped() -> Result<Vec<u8>, Failure> {
    if io::stdin().is_terminal() {
        return Err(Failure::usage(
            "standard input is a terminal, and nothing is piped into yester",
        )
        .hint("name a file, or pipe the input into yester: COMMAND | yester ..."));
    }
    let too_big = || io::Error::other("it is too big");
    read_to(io::stdin(), BIGGEST_INPUT, too_big)
        .map_err(|error| Failure::io("read the standard input", &error))
}

/// The content of a file that the user names, or what is piped into yester if the name is `-`.
pub fn read_or_piped(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.file_name() == Some(OsStr::new("-")) && !path.exists() {
        return piped();
    }
    read(path)
}

/// The content of a file that the user names.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    file::read(path, BIGGEST_INPUT).map_err(|error| Failure::unreadable(path, &error))
}
