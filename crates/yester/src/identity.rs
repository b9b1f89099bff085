//! What makes two calls the same run, so that the second goes on where the first stopped.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use yester_run::RUN_DIGITS;

use crate::command::is_trouble;
use crate::failure::Failure;
use crate::file;

/// Everything that an answer depends on goes in; what only changes how fast it comes does not.
#[derive(Default)]
pub struct Identity {
    hasher: blake3::Hasher,
}

impl Identity {
    pub fn add(&mut self, name: &str, value: impl AsRef<OsStr>) {
        for bytes in [name.as_bytes(), value.as_ref().as_bytes()] {
            self.hasher.update(&(bytes.len() as u64).to_le_bytes());
            self.hasher.update(bytes);
        }
    }

    /// The content of a file that the command names. Only its beginning where it is very long.
    pub fn add_file(&mut self, path: &Path) -> Result<(), Failure> {
        let mut content = Vec::new();
        let read =
            file::open(path).and_then(|(file, _)| file.take(64 << 20).read_to_end(&mut content));
        match read {
            // A program may be executed without being read, and the tree's own is not there yet.
            Err(error) if is_trouble(&error) => {
                return Err(Failure::io(format!("read {}", path.display()), &error));
            }
            _ => {}
        }
        self.add("file", path);
        self.add("content", OsStr::from_bytes(&content));
        Ok(())
    }

    /// A name for the run: readable, and different for different runs.
    pub fn name(&self, command: &str, subject: &OsStr) -> String {
        let subject: String = subject
            .to_string_lossy()
            .chars()
            .map(|character| {
                if character.is_ascii_alphanumeric() || character == '.' {
                    character
                } else {
                    '_'
                }
            })
            .take(40)
            .collect();
        format!(
            "{command}-{subject}-{}",
            &self.hasher.finalize().to_hex()[..RUN_DIGITS]
        )
    }
}
