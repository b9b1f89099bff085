//! What runs leave for whoever wanted it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::own_file::open_own;
use crate::removal::remove;

/// The directory with what one run has left in its exchange. It is deleted when nobody needs it any more, unless it was kept.
#[derive(Debug)]
pub struct Outputs {
    directory: PathBuf,
    is_kept: bool,
}

/// Deeper directories are none that a run was given.
const DEEPEST: usize = 3;

impl Outputs {
    /// Those in a directory, which goes with them.
    pub fn new(directory: PathBuf) -> Outputs {
        Outputs {
            directory,
            is_kept: false,
        }
    }

    /// Those that were kept in a directory, if it is there.
    pub fn kept(directory: &Path) -> Option<Outputs> {
        directory.is_dir().then(|| Outputs {
            directory: directory.to_owned(),
            is_kept: true,
        })
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.directory
    }

    /// Moves them to a place where they stay. It appears as a whole.
    pub fn keep(&mut self, place: &Path) -> io::Result<()> {
        // A yester that was killed before it wrote the trial down has left it without one.
        remove(place)?;
        if fs::rename(&self.directory, place).is_err() {
            // The run's directory may be on another file system.
            let unfinished = place.with_extension("unfinished");
            remove(&unfinished)?;
            copy(&self.directory, &unfinished, DEEPEST)?;
            fs::rename(&unfinished, place)?;
            let _ = fs::remove_dir_all(&self.directory);
        }
        place.clone_into(&mut self.directory);
        self.is_kept = true;
        Ok(())
    }
}

/// Copies files and directories. A run may have put links and pipes there, which nobody wants.
fn copy(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, place) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() && depth > 0 {
            copy(&entry.path(), &place, depth - 1)?;
        } else if kind.is_file() {
            let mut file = open_own(&entry.path())?;
            let mut copied = fs::File::create_new(&place)?;
            io::copy(&mut file, &mut copied)?;
            copied.flush()?;
        }
    }
    Ok(())
}

impl Drop for Outputs {
    fn drop(&mut self) {
        if !self.is_kept {
            // What stays is deleted with the scratch directory.
            let _ = fs::remove_dir_all(&self.directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_replace_what_a_killed_session_has_left_and_stay() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = |name: &str| directory.path().join(name);
        for (name, content) in [("run", "new"), ("kept", "left")] {
            fs::create_dir_all(place(name).join("deep")).expect("room");
            fs::write(place(name).join("deep/file"), content).expect("room");
        }
        let mut outputs = Outputs::new(place("run"));
        outputs.keep(&place("kept")).expect("room");
        assert_eq!(outputs.path(), place("kept"));
        drop(outputs);
        let kept = fs::read_to_string(place("kept/deep/file")).expect("it stays");
        assert_eq!(kept, "new");
        assert!(!place("run").exists());
        assert!(Outputs::kept(&place("run")).is_none());
        drop(Outputs::new(place("kept")));
        assert!(!place("kept").exists(), "what is not kept goes");
    }
}
