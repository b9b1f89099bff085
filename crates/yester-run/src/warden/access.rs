//! Finding out which files are read, by the times of access that the file system keeps.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A time of access so old that a file system which notes only the first access in a day notes the next one.
const OLD: u64 = 1_000_000;

/// The files of a tree before anybody reads them.
pub(crate) struct Watch {
    directory: PathBuf,
    files: Vec<PathBuf>,
}

impl Watch {
    /// Makes every file look as if it had not been read for long. Nothing where the file system does not note it.
    pub(crate) fn start(directory: &Path) -> io::Result<Option<Watch>> {
        if !is_noted(directory)? {
            return Ok(None);
        }
        let mut files = Vec::new();
        make_old(directory, Path::new(""), &mut files)?;
        Ok(Some(Watch {
            directory: directory.to_owned(),
            files,
        }))
    }

    /// Which files were read since then.
    ///
    /// One that was replaced or deleted counts as read, and so does an empty one, of which nothing can be read.
    pub(crate) fn read(&self) -> BTreeSet<String> {
        let is_read = |path: &&PathBuf| {
            fs::symlink_metadata(self.directory.join(path))
                .map_or(true, |metadata| metadata.size() == 0 || !is_old(&metadata))
        };
        let read = self.files.iter().filter(is_read);
        read.filter_map(|path| path.to_str().map(str::to_owned))
            .collect()
    }
}

fn make_old(directory: &Path, relative: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory.join(relative))? {
        let entry = entry?;
        let relative = relative.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            make_old(directory, &relative, files)?;
        } else if kind.is_file() {
            set_old(&File::open(directory.join(&relative))?)?;
            files.push(relative);
        }
    }
    Ok(())
}

fn set_old(file: &File) -> io::Result<()> {
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(OLD);
    file.set_times(FileTimes::new().set_accessed(old))
}

fn is_old(metadata: &Metadata) -> bool {
    metadata.atime() == OLD as i64
}

/// Whether reading a file here leaves a trace.
fn is_noted(directory: &Path) -> io::Result<bool> {
    let path = directory.join(".yester-access");
    fs::write(&path, "x")?;
    let mut file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(&path)?;
    let noted = set_old(&file)
        .and_then(|()| file.read(&mut [0; 1]))
        .and_then(|_| fs::symlink_metadata(&path))
        .is_ok_and(|metadata| !is_old(&metadata));
    fs::remove_file(&path)?;
    Ok(noted)
}
