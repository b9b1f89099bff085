//! What was put into a tree, so that a test that changes it can be told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustix::fs::Stat;

use crate::root::Root;

/// The files and links of a tree as they were put there. What a build adds is not in it.
///
/// A build may make hard links to a file, which changes its `ctime`, so that is not looked at. A test that writes to a
/// file and then sets its time back to the nanosecond is not found out.
#[derive(Default)]
pub(crate) struct Manifest(BTreeMap<PathBuf, Stamp>);

#[derive(PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    mode: u32,
    modified: (i64, i64),
}

/// When more than this many files were changed, copying the tree anew is as fast and surer.
const MOST: usize = 1000;

impl Manifest {
    /// Notes a file or link that has just been put in place.
    pub(crate) fn note(&mut self, relative: &Path, stat: &Stat) {
        self.0.insert(relative.to_owned(), stamp(stat));
    }

    /// Forgets what stood at a path and below it.
    pub(crate) fn forget(&mut self, relative: &Path) {
        // Paths are in the order of their components, so that what is below one follows it.
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

    /// What is not any more as it was put in place, or nothing when that is too much to be mended.
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
