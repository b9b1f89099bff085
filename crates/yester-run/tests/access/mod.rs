//! Whether a file system says which files were read.

use std::fs::{self, File, FileTimes};
use std::path::Path;
use std::time::SystemTime;

/// Many do not: `noatime` is a common option of mounts.
pub fn keeps_times_of_access(directory: &Path) -> bool {
    let path = directory.join("read-me");
    fs::write(&path, "text").expect("room");
    let old = FileTimes::new().set_accessed(SystemTime::UNIX_EPOCH);
    let file = File::options().write(true).open(&path).expect("mine");
    file.set_times(old).expect("mine");
    fs::read(&path).expect("mine");
    let accessed = fs::metadata(&path).expect("mine").accessed();
    accessed.is_ok_and(|time| time != SystemTime::UNIX_EPOCH)
}
