//! The directory of one run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The directory of one run, deleted when nobody needs it any more: there may be thousands of runs.
pub struct RunDirectory(PathBuf);

impl RunDirectory {
    /// Makes it below the scratch directory.
    pub fn new(scratch: &Path, number: u64) -> io::Result<RunDirectory> {
        let directory = scratch.join(format!("run-{number}"));
        fs::create_dir(&directory)?;
        Ok(RunDirectory(directory))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        // What stays is deleted with the scratch directory.
        let _ = fs::remove_dir_all(&self.0);
    }
}
