//! Which branches are shown.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use crate::{Branch, Recording, RecordingError};

/// Headers and sources of the system, whose branches nobody asked for.
const SYSTEM: [&str; 3] = ["/usr/include", "/usr/lib", "/usr/local/include"];

/// Chooses branches by their source file.
pub struct Selection {
    start: PathBuf,
    only: Vec<PathBuf>,
    known: RefCell<HashMap<String, bool>>,
}

impl Selection {
    /// Files below one of the paths; without any, all but those of the system.
    pub fn new(only: &[PathBuf], start: &Path) -> Selection {
        Selection {
            start: start.to_owned(),
            only: only.iter().map(|path| plain(&start.join(path))).collect(),
            known: RefCell::default(),
        }
    }

    /// Whether a branch is shown.
    pub fn shows(&self, recording: &Recording, branch: &Branch) -> bool {
        let (function, site) = recording.site(branch);
        let file = function.file_of(site);
        if let Some(known) = self.known.borrow().get(file) {
            return *known;
        }
        let path = plain(&self.start.join(file));
        let shown = if self.only.is_empty() {
            path.starts_with(&self.start) || !SYSTEM.iter().any(|one| path.starts_with(one))
        } else {
            self.only.iter().any(|one| path.starts_with(one))
        };
        self.known.borrow_mut().insert(file.to_owned(), shown);
        shown
    }

    /// How many branches are hidden, and for each of these indices of a branch, in order or not, its index among those that are
    /// shown; `None` if it is hidden.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn renumber(
        &self,
        recording: &Recording,
        indices: &mut [Option<u64>],
    ) -> Result<u64, RecordingError> {
        let mut order: Vec<usize> = (0..indices.len()).collect();
        order.sort_by_key(|&place| indices[place]);
        let mut order = order.into_iter().peekable();
        while order.next_if(|&place| indices[place].is_none()).is_some() {}
        let mut hidden = 0;
        for branch in recording.branches() {
            let branch = branch?;
            let shown = self.shows(recording, &branch);
            while let Some(place) = order.next_if(|&place| indices[place] == Some(branch.index)) {
                indices[place] = shown.then_some(branch.index - hidden);
            }
            hidden += u64::from(!shown);
        }
        Ok(hidden)
    }
}

/// A path without `.` and `..`, as compilers write them.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
