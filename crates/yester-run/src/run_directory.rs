use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::own_file::{open_own, open_own_with};
use crate::replacement::{Survival, Unfinished, around, sweep, write_file};
use crate::{removal, system};

/// Where a run keeps everything that must outlive it: `.yester/<run>/`.
///
/// It is locked while the run is under way. The kernel releases the lock, however the run ends.
pub struct RunDirectory {
    path: PathBuf,
    _lock: File,
}

/// Why a run directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunDirectoryError {
    /// Another process is working in it.
    #[error("another yester{} is working on this run", .process.as_ref().map(|process| format!(" (process {process})")).unwrap_or_default())]
    Busy {
        /// Its process id, if known.
        process: Option<String>,
    },
    /// It cannot be read or written.
    #[error("failed to use {}: {error}", .path.display())]
    Io {
        /// What we tried to use.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// How many runs are kept, of those that have searched and of those that have not.
const KEPT: usize = 20;

/// How the name of every journal begins.
const JOURNAL: &str = "journal";

impl RunDirectory {
    /// Opens the directory of a run, or makes it. Empties it first if asked, and removes the oldest other runs.
    pub fn open(state: &Path, run: &str, fresh: bool) -> Result<RunDirectory, RunDirectoryError> {
        let path = state.join(run);
        let fail = |error| RunDirectoryError::Io {
            path: path.clone(),
            error,
        };
        if !state.exists() {
            make_state(state).map_err(fail)?;
        }
        fs::create_dir_all(&path).map_err(fail)?;
        if fs::symlink_metadata(&path).map_err(fail)?.is_symlink() {
            return Err(fail(io::Error::other("it is a link")));
        }
        let lock = take_lock(&path)
            .map_err(fail)?
            .map_err(|process| RunDirectoryError::Busy { process })?;
        if fresh {
            for entry in fs::read_dir(&path).map_err(fail)? {
                let entry = entry.map_err(fail)?;
                if entry.file_name() != "lock" {
                    removal::remove(&entry.path()).map_err(fail)?;
                }
            }
        }
        for place in ["", "best", "improvements", "original", "other"] {
            let place = path.join(place);
            sweep(&place);
            unlink(&place).map_err(fail)?;
        }
        let directory = RunDirectory {
            path: path.clone(),
            _lock: lock,
        };
        forget_oldest(state, &path);
        Ok(directory)
    }

    /// Whether a process is working on this run.
    pub fn is_busy(run: &Path) -> bool {
        open_own(&run.join("lock"))
            .is_ok_and(|file| matches!(system::lock(file.as_fd()), Ok(false)))
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file. At any moment, either the whole old content or the whole new one is there.
    ///
    /// This does not hold after a power failure: then the journal has all that it takes to make the file again.
    pub fn write(&self, name: impl AsRef<Path>, content: &[u8]) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        write_file(&path, content, None, Survival::Kill)?;
        Ok(path)
    }
}

/// Removes the links in a directory that we write into. We make none: they come with somebody's repository, and lead to what
/// is not ours to change.
fn unlink(directory: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_symlink() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Opens a file of a run to read and to append to, and makes it if there is none.
pub fn open_record(path: &Path) -> io::Result<File> {
    open_own_with(
        OpenOptions::new().read(true).append(true).create(true),
        path,
    )
}

/// Makes a state directory together with its `.gitignore`, because state is not source code. A directory that was there
/// before is the user's own and gets none.
fn make_state(state: &Path) -> io::Result<()> {
    fs::create_dir_all(around(state))?;
    // A yester that was killed just here has left what it had made of it.
    sweep(around(state));
    let unfinished = Unfinished::directory(state)?;
    let mut file = File::create(unfinished.path().join(".gitignore"))?;
    file.write_all(b"*\n")?;
    file.sync_all()?;
    match fs::rename(unfinished.path(), state) {
        // Another yester was faster.
        Err(_) if state.is_dir() => Ok(()),
        made => made,
    }
}

/// The runs in a state directory, the newest first.
pub fn runs(state: &Path) -> io::Result<Vec<PathBuf>> {
    let mut runs: Vec<(SystemTime, PathBuf)> = match fs::read_dir(state) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let path = entry.path();
                // A link comes with somebody's repository and may lead anywhere.
                let is_run = entry.file_type().ok()?.is_dir()
                    && is_run_name(&entry.file_name().to_string_lossy());
                is_run.then_some(())?;
                // The lock is touched whenever the run is opened.
                let touched = fs::metadata(path.join("lock")).ok()?.modified().ok()?;
                Some((touched, path))
            })
            .collect(),
    };
    runs.sort();
    Ok(runs.into_iter().rev().map(|(_, path)| path).collect())
}

/// Whether a name is that of a run: a command, its subject, and the digits that tell runs apart.
fn is_run_name(name: &str) -> bool {
    name.split('-').count() >= 3 && name.rsplit('-').next().is_some_and(is_run_number)
}

/// Whether these are the digits at the end of a run's name.
pub(crate) fn is_run_number(digits: &str) -> bool {
    digits.len() == RUN_DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// How many hexadecimal digits the name of a run ends with.
pub const RUN_DIGITS: usize = 10;

/// Removes the oldest runs. Those whose search never began, such as baselines that did not hold, are counted by themselves: twenty
/// wrong calls must not cost a finished run.
fn forget_oldest(state: &Path, current: &Path) {
    let runs = runs(state).unwrap_or_default();
    let others = runs.into_iter().filter(|path| path != current);
    let (full, empty): (Vec<_>, Vec<_>) = others.partition(|path| has_searched(path));
    for path in full
        .into_iter()
        .skip(KEPT - 1)
        .chain(empty.into_iter().skip(KEPT - 1))
    {
        // A run that is under way is not old, whatever its time is.
        if path.join("run.json").is_file() {
            let _ = delete_run(&path);
        }
    }
}

/// Whether the search of a run has begun: whether a journal has a trial of it. Quotes inside of texts are escaped there, so that
/// nothing else looks like one.
pub fn has_searched(run: &Path) -> bool {
    const SEARCH: &[u8] = br#""why":"search""#;
    let is_search = |line: io::Result<Vec<u8>>| {
        line.is_ok_and(|line| line.windows(SEARCH.len()).any(|part| part == SEARCH))
    };
    let entries = fs::read_dir(run).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(JOURNAL))
        .filter_map(|entry| open_record(&entry.path()).ok())
        .any(|journal| BufReader::new(journal).split(b'\n').any(is_search))
}

/// Deletes a run, unless a process works on it.
pub fn delete_run(run: &Path) -> Result<(), RunDirectoryError> {
    let fail = |error| RunDirectoryError::Io {
        path: run.to_owned(),
        error,
    };
    let _lock = take_lock(run)
        .map_err(fail)?
        .map_err(|process| RunDirectoryError::Busy { process })?;
    removal::remove(run).map_err(fail)
}

/// The lock of a run, or the process that has it.
fn take_lock(run: &Path) -> io::Result<Result<File, Option<String>>> {
    let mut file = open_record(&run.join("lock"))?;
    if system::lock(file.as_fd())? {
        file.set_len(0)?;
        write!(file, "{}", std::process::id())?;
        return Ok(Ok(file));
    }
    let mut process = String::new();
    let _ = file.read_to_string(&mut process);
    Ok(Err((!process.is_empty()).then_some(process)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_run_that_is_under_way_cannot_be_opened_twice() {
        let state = tempfile::tempdir().expect("a directory");
        let first = RunDirectory::open(state.path(), "one", false).expect("a run");
        let error = RunDirectory::open(state.path(), "one", false)
            .err()
            .expect("it is busy");
        assert!(
            error
                .to_string()
                .contains(&format!("process {}", std::process::id())),
            "{error}"
        );
        RunDirectory::open(state.path(), "other", false).expect("another run is free");
        drop(first);
        RunDirectory::open(state.path(), "one", false).expect("it is free again");
    }

    #[test]
    fn a_fresh_run_starts_empty_and_others_keep_their_files() {
        let state = tempfile::tempdir().expect("a directory");
        let one = RunDirectory::open(state.path(), "one", false).expect("a run");
        one.write("best/input", b"small").expect("room");
        drop(one);
        let again = RunDirectory::open(state.path(), "one", false).expect("a run");
        assert_eq!(
            fs::read(again.path().join("best/input")).expect("kept"),
            b"small"
        );
        drop(again);
        let fresh = RunDirectory::open(state.path(), "one", true).expect("a run");
        assert!(!fresh.path().join("best").exists());
    }

    #[test]
    fn links_in_a_run_are_never_followed() {
        let around = tempfile::tempdir().expect("a directory");
        let precious = around.path().join("precious");
        fs::create_dir(&precious).expect("room");
        fs::write(precious.join("input"), "mine").expect("room");
        let state = around.path().join("state");
        let run = state.join("one");
        fs::create_dir_all(run.join("improvements")).expect("room");
        symlink(&precious, state.join("linked")).expect("a link");
        for name in ["best", "improvements/0000", "other"] {
            symlink(&precious, run.join(name)).expect("a link");
        }
        symlink(precious.join("input"), run.join("journal.jsonl")).expect("a link");
        assert!(RunDirectory::open(&state, "linked", true).is_err());
        let directory = RunDirectory::open(&state, "one", false).expect("a run");
        for name in ["best/input", "improvements/0000/input", "other/input"] {
            directory.write(name, b"ours").expect("room");
        }
        open_record(&run.join("journal.jsonl"))
            .and_then(|mut journal| journal.write_all(b"ours"))
            .expect("room");
        assert_eq!(fs::read(precious.join("input")).expect("kept"), b"mine");
        assert_eq!(fs::read_dir(&precious).expect("a list").count(), 1);
        drop(directory);
        fs::remove_file(run.join("lock")).expect("it is there");
        symlink(precious.join("input"), run.join("lock")).expect("a link");
        assert!(RunDirectory::open(&state, "one", false).is_err());
        assert_eq!(fs::read(precious.join("input")).expect("kept"), b"mine");
    }

    #[test]
    fn runs_that_never_searched_do_not_cost_one_that_has() {
        let state = tempfile::tempdir().expect("a directory");
        let open = |number: usize, journal: &str| {
            let name = format!("reduce-it-{number:010x}");
            let run = RunDirectory::open(state.path(), &name, false).expect("a run");
            run.write("run.json", b"{}").expect("room");
            run.write("journal.jsonl", journal.as_bytes())
                .expect("room");
            run.path().to_owned()
        };
        let finished = open(0, "{\"why\":\"baseline\"}\n{\"why\":\"search\"}\n");
        (1..50).for_each(|number| drop(open(number, "{\"why\":\"baseline\"}\n")));
        assert!(finished.exists());
        assert_eq!(runs(state.path()).expect("a list").len(), KEPT + 1);
        delete_run(&finished).expect("nobody works on it");
        assert!(!finished.exists());
    }

    #[test]
    fn the_newest_runs_are_kept_and_what_is_no_run_is_left_alone() {
        let state = tempfile::tempdir().expect("a directory");
        let name = |number: usize| format!("reduce-it-{number:010x}");
        let open = |number| {
            let run = RunDirectory::open(state.path(), &name(number), false).expect("a run");
            run.write("run.json", b"{}").expect("room");
            run.write("journal.jsonl", b"{\"why\":\"search\"}\n")
                .expect("room");
            run
        };
        let busy = open(0);
        for number in 0..30 {
            let directory = state.path().join(format!("theirs {number}"));
            fs::create_dir(&directory).expect("room");
            fs::write(directory.join("lock"), "").expect("room");
        }
        (1..30).for_each(|number| drop(open(number)));
        let left = runs(state.path()).expect("a list");
        assert_eq!(left.len(), KEPT + 1, "the oldest is under way and stays");
        assert!(left.contains(&busy.path().to_owned()));
        assert!(left.contains(&state.path().join(name(29))));
        assert!(!left.contains(&state.path().join(name(1))));
        assert!((0..30).all(|number| state.path().join(format!("theirs {number}/lock")).exists()));
        assert!(
            !state.path().join(".gitignore").exists(),
            "the directory was there before"
        );
    }
}
