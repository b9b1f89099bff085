//! Reads files that somebody else has named or made.
//!
//! A name out of a stranger's repository or program may be that of a pipe, which nobody writes to, or of a device, which
//! never ends. What is opened is looked at by its descriptor, so that it cannot be exchanged in between.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use crate::open_own;

/// No input is bigger: places in a text are numbers of 32 bits.
pub const BIGGEST_INPUT: u64 = u32::MAX as u64;

/// A file of this size is not copied without need.
const BIG_FILE: u64 = 1 << 20;

/// Opens a regular file, without waiting for anybody.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    Ok((file, metadata))
}

/// The content of a regular file of at most so many bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, metadata) = open(path)?;
    if metadata.len() > most {
        return Err(too_big(most));
    }
    read_to(file, most, || too_big(most))
}

fn too_big(most: u64) -> io::Error {
    io::Error::other(format!("it has more than {most} bytes"))
}

/// The same of a file that yester or a program of its own has written, in a place where others can write.
pub fn read_own(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_to(open_own(path)?, most, || too_big(most))
}

/// The same to be shared. A big file is read to where it stays, since a copy would take as much memory again.
pub fn read_shared(path: &Path, most: u64) -> io::Result<Arc<[u8]>> {
    let (mut file, metadata) = open(path)?;
    let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    if metadata.len() < BIG_FILE || metadata.len() > most {
        return read(path, most).map(Arc::from);
    }
    let mut content: Arc<[u8]> = std::iter::repeat_n(0, size).collect();
    file.read_exact(Arc::get_mut(&mut content).expect("nobody else has it yet"))?;
    Ok(content)
}

/// All of a stream that may have no end, if it has at most so many bytes.
pub fn read_to(
    stream: impl Read,
    most: u64,
    too_big: impl Fn() -> io::Error,
) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    // Files of /proc have no size, and others may grow.
    stream.take(most + 1).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        return Err(too_big());
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_pipe_and_a_device_are_refused_at_once() {
        let directory = tempfile::tempdir().expect("a directory");
        let pipe = directory.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo is there").success());
        for path in [&pipe, Path::new("/dev/zero")] {
            let error = read(path, 10).expect_err("it is no file");
            assert_eq!(error.to_string(), "it is no regular file");
        }
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("file");
        std::fs::write(&path, "12345").expect("it is written");
        assert_eq!(read(&path, 5).expect("it is short enough"), b"12345");
        let error = read(&path, 4).expect_err("it is too long");
        assert_eq!(error.to_string(), "it has more than 4 bytes");
        // It says that it has no bytes at all.
        assert!(read(Path::new("/proc/self/status"), 10).is_err());
    }
}
