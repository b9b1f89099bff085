//! What makes two calls the same run, so that the second goes on where the first stopped.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use yester_patch::Version;
use yester_report::VERSION;
use yester_run::{RUN_DIGITS, file, is_trouble};

use crate::failure::Failure;
use crate::versions::failed;

/// Everything that an answer depends on goes in; what only changes how fast it comes does not.
#[derive(Default)]
pub struct Identity {
    hasher: blake3::Hasher,
}

impl Identity {
    /// What every run depends on that has a directory of its own.
    pub fn of_call(start: &Path, state_dir: &Path) -> Identity {
        let mut identity = Identity::default();
        identity.add("version", VERSION);
        identity.add("start", start);
        // Two runs must not share a directory for their trials.
        identity.add("state", start.join(state_dir));
        identity
    }

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

    /// All files of a version.
    pub fn add_version(&mut self, version: &Version) -> Result<(), Failure> {
        for (path, kind) in version.paths() {
            self.add("path", path);
            self.add("mode", kind.mode());
            let state = version.state(path).map_err(|error| failed(&error))?;
            if let Some(state) = state {
                self.add("content", OsStr::from_bytes(&state.content));
            }
        }
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
