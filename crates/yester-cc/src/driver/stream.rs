//! Headers that stand before those of libstdc++: programs instantiate the input streams themselves, and `std::cin` reads by functions
//! that are followed. Where the headers of another library are used, they only lead on to those.

use std::fs;
use std::path::{Path, PathBuf};

use super::DriverError;

const HEADERS: [(&str, &str); 5] = [
    ("ios", include_str!("stream/ios")),
    ("iostream", include_str!("stream/iostream")),
    ("istream", include_str!("stream/istream")),
    ("sstream", include_str!("stream/sstream")),
    ("streambuf", include_str!("stream/streambuf")),
];

/// Writes the headers, and returns their directory.
pub fn write(scratch: &Path) -> Result<PathBuf, DriverError> {
    let directory = scratch.join("include");
    fs::create_dir_all(&directory).map_err(|error| DriverError::File(directory.clone(), error))?;
    for (name, text) in HEADERS {
        let path = directory.join(name);
        fs::write(&path, text).map_err(|error| DriverError::File(path.clone(), error))?;
    }
    Ok(directory)
}
