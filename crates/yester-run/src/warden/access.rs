//! Finds out which files are read, from the access times that the file system keeps.

use std::collections::BTreeSet;
use std::fs::{File, FileTimes};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{Stat, Timespec, Timestamps};

use super::manifest::Manifest;
use crate::root::{Root, UNCHANGED};

/// An access time so old that even a file system that notes one access a day notes the next one.
pub(super) const OLD: u64 = 1_000_000;

/// Makes every file of a tree look as if nobody had read it for long. False where the file system keeps no access times.
pub(super) fn watch(root: &Root, manifest: &mut Manifest) -> io::Result<bool> {
    if !is_noted(root)? {
        return Ok(false);
    }
    manifest.update(root, |directory, _, name, file| {
        // Most were just put in place, and have that time.
        if !file.is_regular() || is_old(&directory.stat_name(name)?) {
            return Ok(None);
        }
        let times = Timestamps {
            last_access: Timespec {
                tv_sec: OLD as i64,
                tv_nsec: 0,
            },
            last_modification: UNCHANGED,
        };
        let stat = directory.set_times(name, &times)?;
        Ok(Some((stat, file.origin)))
    })?;
    Ok(true)
}

/// Which files were read since then.
///
/// A file that was replaced or deleted counts as read. So does an empty one, because reading it leaves no trace.
pub(super) fn read(root: &Root, manifest: &Manifest) -> BTreeSet<String> {
    let mut read = BTreeSet::new();
    manifest.visit(root, |directory, path, name| {
        let stat = directory.and_then(|directory| directory.stat_name(name).ok());
        let is_read = stat.is_none_or(|stat| stat.st_size == 0 || !is_old(&stat));
        if let (true, Some(path)) = (is_read, path.join(name).to_str()) {
            read.insert(path.to_owned());
        }
    });
    read
}

fn set_old(file: &File) -> io::Result<()> {
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(OLD);
    file.set_times(FileTimes::new().set_accessed(old))
}

fn is_old(stat: &Stat) -> bool {
    stat.st_atime == OLD as i64
}

/// Whether reading a file here leaves a trace. Tries it with a new file, whose name the tree does not have yet.
fn is_noted(root: &Root) -> io::Result<bool> {
    let mut number = 0;
    loop {
        let name = format!(".yester-access-{number}");
        let path = Path::new(&name);
        let place = root.place(path)?;
        match place.create(0o600) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
            Ok(mut file) => {
                let noted = file
                    .write_all(b"x")
                    .and_then(|()| set_old(&file))
                    .and_then(|()| root.open_file(path)?.read(&mut [0; 1]))
                    .and_then(|_| place.stat())
                    .is_ok_and(|stat| !is_old(&stat));
                place.remove()?;
                return Ok(noted);
            }
        }
    }
}
