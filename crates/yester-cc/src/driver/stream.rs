//! Headers that stand before those of libstdc++: programs instantiate the streams themselves, and `std::cin`, `std::cout` and
//! `std::cerr` read and write by functions that are followed. Where the headers of another library are used, they only lead on to those.

use std::fs;
use std::path::{Path, PathBuf};

use super::DriverError;

const HEADERS: [(&str, &str); 11] = [
    (
        "bits/basic_string.tcc",
        include_str!("stream/bits/basic_string.tcc"),
    ),
    ("bits/ios_base.h", include_str!("stream/bits/ios_base.h")),
    (
        "bits/ostream_insert.h",
        include_str!("stream/bits/ostream_insert.h"),
    ),
    ("fstream", include_str!("stream/fstream")),
    ("iomanip", include_str!("stream/iomanip")),
    ("ios", include_str!("stream/ios")),
    ("iostream", include_str!("stream/iostream")),
    ("istream", include_str!("stream/istream")),
    ("ostream", include_str!("stream/ostream")),
    ("sstream", include_str!("stream/sstream")),
    ("streambuf", include_str!("stream/streambuf")),
];

/// Writes the headers, and returns their directory.
pub fn write(scratch: &Path) -> Result<PathBuf, DriverError> {
    let directory = scratch.join("include");
    let below = directory.join("bits");
    fs::create_dir_all(&below).map_err(|error| DriverError::File(below.clone(), error))?;
    for (name, text) in HEADERS {
        let path = directory.join(name);
        fs::write(&path, text).map_err(|error| DriverError::File(path.clone(), error))?;
    }
    Ok(directory)
}
