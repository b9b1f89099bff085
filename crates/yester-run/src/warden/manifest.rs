//! Remembers what was put into a tree, to notice when a test changes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustix::fs::Stat;

use crate::root::Root;

/// The files and links of a tree as we put them there, without what a build adds.
///
/// It ignores `ctime`, which changes when a build makes a hard link to a file. So it misses a test that writes to a file and
/// then sets its time back to the nanosecond.
#[derive(Default)]
pub(crate) struct Manifest(BTreeMap<PathBuf, Stamp>);

#[derive(PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    mode: u32,
    modified: (i64, i64),
}

/// Beyond this many changed files, a new copy of the tree is as fast and safer.
const MOST: usize = 1000;

impl Manifest {
    /// Notes a file or link that has just been put in place.
    pub(crate) fn note(&mut self, relative: &Path, stat: &Stat) {
        self.0.insert(relative.to_owned(), stamp(stat));
    }

    /// Forgets what stood at a path and below it.
    pub(crate) fn forget(&mut self, relative: &Path) {
        // Paths are sorted by components, so what is below a path follows it.
        let below: Vec<PathBuf> = self
            .0
            .range(relative.to_owned()..)
            .map(|(path, _)| path)
            .take_while(|path| path.starts_with(relative))
            .cloned()
            .collect();
        for path in below {
            self.0.remove(&path);
        }
    }

    /// What is no longer as we put it in place, or nothing if that is too much to mend.
    pub(crate) fn touched(&self, root: &Root) -> Option<Vec<String>> {
        let mut touched = Vec::new();
        let mut walk = root.walk();
        for (relative, before) in &self.0 {
            if walk
                .stat(relative)
                .is_ok_and(|stat| stamp(&stat) == *before)
            {
                continue;
            }
            if touched.len() == MOST {
                return None;
            }
            touched.push(relative.to_str()?.to_owned());
        }
        Some(touched)
    }
}

fn stamp(stat: &Stat) -> Stamp {
    Stamp {
        inode: stat.st_ino,
        size: stat.st_size as u64,
        mode: stat.st_mode,
        modified: (stat.st_mtime, stat.st_mtime_nsec),
    }
}
