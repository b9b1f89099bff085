//! Finds out which files are read, from the access times that the file system keeps.

use std::collections::BTreeSet;
use std::fs::{File, FileTimes};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Stat};

use crate::root::Root;

/// An access time so old that even a file system that notes one access a day notes the next one.
const OLD: u64 = 1_000_000;

/// The files of a tree before anybody reads them.
pub(crate) struct AccessWatch {
    files: Vec<PathBuf>,
}

impl AccessWatch {
    /// Makes every file look as if nobody had read it for long. Nothing where the file system keeps no access times.
    pub(crate) fn start(root: &Root) -> io::Result<Option<AccessWatch>> {
        if !is_noted(root)? {
            return Ok(None);
        }
        let mut files = Vec::new();
        let mut directories = vec![PathBuf::new()];
        while let Some(directory) = directories.pop() {
            for name in root.names(&directory)? {
                let path = directory.join(name);
                match root.place(&path)?.file_type()? {
                    FileType::Directory => directories.push(path),
                    FileType::RegularFile => {
                        set_old(&root.open_file(&path)?)?;
                        files.push(path);
                    }
                    _ => {}
                }
            }
        }
        Ok(Some(AccessWatch { files }))
    }

    /// Which files were read since then.
    ///
    /// A file that was replaced or deleted counts as read. So does an empty one, because reading it leaves no trace.
    pub(crate) fn read(&self, root: &Root) -> BTreeSet<String> {
        let mut walk = root.walk();
        let mut is_read = |path: &&PathBuf| {
            walk.stat(path)
                .map_or(true, |stat| stat.st_size == 0 || !is_old(&stat))
        };
        let read = self.files.iter().filter(|path| is_read(path));
        read.filter_map(|path| path.to_str().map(str::to_owned))
            .collect()
    }
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
