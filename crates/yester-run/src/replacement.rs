//! Replaces a file or directory by a whole new one, and leaves nothing else behind.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use yester_core::Entry;

use crate::own_file::open_unawaited;
use crate::root::Root;
use crate::{process, removal, system};

/// What a written file or directory must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survival {
    /// The end of this process, even by a kill.
    Kill,
    /// A power failure too. That costs a wait for the disk, so it is for what we tell the user is there.
    PowerFailure,
}

/// Writes a file. At any moment, either the whole old file or the whole new one is there.
pub fn write_file(
    path: &Path,
    content: &[u8],
    mode: Option<u32>,
    survival: Survival,
) -> io::Result<()> {
    make_directory(around(path), survival)?;
    let (unfinished, mut file) = Unfinished::file(path, mode)?;
    file.write_all(content)?;
    if let Some(mode) = mode {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    if survival == Survival::PowerFailure {
        file.sync_all()?;
    }
    fs::rename(unfinished.path(), path)?;
    if survival == Survival::PowerFailure {
        sync_directory(around(path))?;
    }
    Ok(())
}

/// Replaces what is there by a directory with just these entries.
///
/// At any moment the old or the new one is there, except between two renames, when neither is.
pub fn write_directory(
    path: &Path,
    entries: &BTreeMap<String, Entry>,
    survival: Survival,
) -> io::Result<()> {
    make_directory(around(path), survival)?;
    let unfinished = Unfinished::directory(path)?;
    fill(unfinished.path(), entries, survival)?;
    // A rename may replace an empty directory.
    let (old, ()) = Unfinished::make(path, OLD, |path| fs::create_dir(path))?;
    match fs::rename(path, old.path()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if let Err(error) = fs::rename(unfinished.path(), path) {
        let _ = fs::rename(old.path(), path);
        return Err(error);
    }
    if survival == Survival::PowerFailure {
        sync_directory(around(path))?;
    }
    Ok(())
}

fn fill(directory: &Path, entries: &BTreeMap<String, Entry>, survival: Survival) -> io::Result<()> {
    // One entry may be a link that leads anywhere, and another entry may lie below it.
    let root = Root::open(directory)?;
    for (name, entry) in entries {
        let place = root.make_place(Path::new(name), |_| {})?;
        match entry {
            Entry::File {
                content,
                executable,
            } => {
                let mut file = place.create(0o600)?;
                file.write_all(content)?;
                let mode = if *executable { 0o755 } else { 0o644 };
                file.set_permissions(Permissions::from_mode(mode))?;
                if survival == Survival::PowerFailure {
                    file.sync_all()?;
                }
            }
            Entry::Symlink(target) => place.make_link(OsStr::from_bytes(target))?,
            Entry::Absent => continue,
        }
        if survival == Survival::PowerFailure {
            for above in Path::new(name).ancestors().skip(1) {
                sync_directory(&directory.join(above))?;
            }
        }
    }
    Ok(())
}

/// Checks that we can write under this name, and removes what a killed yester has left beside it.
pub fn check_writable(path: &Path) -> io::Result<()> {
    sweep(around(path));
    Unfinished::file(path, Some(0o600)).map(drop)
}

/// Makes a directory, with the directories around it that are missing.
pub fn make_directory(path: &Path, survival: Survival) -> io::Result<()> {
    if survival == Survival::Kill {
        return fs::create_dir_all(path);
    }
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|path| !path.as_os_str().is_empty() && !path.is_dir())
        .collect();
    for path in missing.into_iter().rev() {
        match fs::create_dir(path) {
            Err(error) if !path.is_dir() => return Err(error),
            _ => sync_directory(around(path))?,
        }
    }
    Ok(())
}

/// Brings the names in a directory to disk. Where the directory cannot be opened or the file system cannot do it, nothing
/// more can be done.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    match synced {
        Err(error) if matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) => {
            Ok(())
        }
        other => other,
    }
}

/// The directory that a path is in.
pub(crate) fn around(path: &Path) -> &Path {
    path.parent()
        .filter(|directory| !directory.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// A file or directory on its way to another name. Dropping it removes what did not get there.
///
/// It is locked while somebody works on it, so that [`sweep`] can tell what a killed process has left.
pub(crate) struct Unfinished {
    path: PathBuf,
    _lock: Option<File>,
}

const PREFIX: &str = ".yester-";
const NEW: &str = ".new";
const OLD: &str = ".old";

impl Unfinished {
    /// An empty file that will get this name.
    fn file(path: &Path, mode: Option<u32>) -> io::Result<(Unfinished, File)> {
        // A private file must not be public before it is finished.
        let mode = mode.map_or(0o666, |mode| mode & 0o600);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(mode);
        let (mut unfinished, file) = Unfinished::make(path, NEW, |path| options.open(path))?;
        unfinished._lock = Some(file.try_clone()?);
        // Without a lock, the file is only less safe from the sweep of another yester.
        let _ = system::lock(file.as_fd());
        Ok((unfinished, file))
    }

    /// An empty directory that will get this name.
    pub(crate) fn directory(path: &Path) -> io::Result<Unfinished> {
        let (mut unfinished, ()) = Unfinished::make(path, NEW, |path| fs::create_dir(path))?;
        let lock = File::open(&unfinished.path)?;
        let _ = system::lock(lock.as_fd());
        unfinished._lock = Some(lock);
        Ok(unfinished)
    }

    /// Makes something under a name that nothing else has. Somebody may have guessed the name and put a link to a file of
    /// the user there.
    fn make<T>(
        path: &Path,
        suffix: &str,
        make: impl Fn(&Path) -> io::Result<T>,
    ) -> io::Result<(Unfinished, T)> {
        let process = std::process::id();
        let mut number = 0;
        loop {
            // A longer form of the final name might be too long.
            let path = path.with_file_name(format!("{PREFIX}{process}-{number}{suffix}"));
            match make(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                made => return Ok((Unfinished { path, _lock: None }, made?)),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // First without a look at it: a disk that cannot tell what it is may still remove it.
        let removed = fs::remove_file(&self.path);
        if removed.is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
            && removal::remove(&self.path).is_err()
        {
            // Nothing can be opened. What is empty goes all the same.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Removes what a killed yester has left unfinished in a directory.
pub(crate) fn sweep(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        // A living process may not have locked it yet. One that seems dead may live in another container, but holds a lock.
        let is_left = maker(&name.to_string_lossy())
            .is_some_and(|process| !process::is_alive(process))
            && entry
                .file_type()
                .is_ok_and(|kind| kind.is_file() || kind.is_dir())
            && open_unawaited(OpenOptions::new().read(true), &entry.path())
                .is_ok_and(|file| matches!(system::lock(file.as_fd()), Ok(true)));
        if is_left {
            let _ = removal::remove(&entry.path());
        }
    }
}

/// The process in the name of something unfinished: a process id and a number.
fn maker(name: &str) -> Option<u32> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = name.strip_prefix(PREFIX)?;
    let numbers = numbers.strip_suffix(NEW).or(numbers.strip_suffix(OLD))?;
    let (process, number) = numbers.split_once('-')?;
    (is_number(process) && is_number(number)).then(|| process.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_swept_and_what_is_being_written_is_not() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        fs::write(path(".yester-99999999-0.new"), "left").expect("room");
        fs::create_dir_all(path(".yester-99999999-0.old/deep")).expect("room");
        for name in [
            ".yester--.new",
            ".yester-backup.new",
            ".yester-99999999-0.newer",
        ] {
            fs::write(path(name), "theirs").expect("room");
        }
        let (unfinished, _file) = Unfinished::file(&path("out"), None).expect("room");
        sweep(directory.path());
        assert!(!path(".yester-99999999-0.new").exists());
        assert!(!path(".yester-99999999-0.old").exists());
        assert!(unfinished.path().exists());
        assert!(path(".yester--.new").exists());
        assert!(path(".yester-backup.new").exists());
        assert!(path(".yester-99999999-0.newer").exists());
        drop(unfinished);
        assert_eq!(fs::read_dir(directory.path()).expect("a list").count(), 3);
    }

    #[test]
    fn a_directory_takes_the_place_of_another_and_nothing_is_left() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = directory.path().join("out");
        fs::create_dir(&place).expect("room");
        fs::write(place.join("old"), "").expect("room");
        let entry = Entry::File {
            content: b"new".as_slice().into(),
            executable: false,
        };
        let entries = BTreeMap::from([("deep/new".to_owned(), entry)]);
        write_directory(&place, &entries, Survival::PowerFailure).expect("room");
        assert_eq!(fs::read(place.join("deep/new")).expect("a file"), b"new");
        assert!(!place.join("old").exists());
        assert_eq!(fs::read_dir(directory.path()).expect("a list").count(), 1);
    }

    #[test]
    fn a_private_file_stays_private() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out");
        write_file(&path, b"secret", Some(0o600), Survival::PowerFailure).expect("room");
        let mode = fs::metadata(&path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
