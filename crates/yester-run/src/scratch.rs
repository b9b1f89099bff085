//! The directory of a run's trials, and how it is cleaned up.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::own_file::open_own;
use crate::removal::remove;
use crate::run_directory::is_run_number;
use crate::{process, system};

/// Makes the scratch directory anew, and throws away what a killed run left there.
///
/// It appears whole and with its lock taken, because the sweep of another yester takes what has no lock.
pub(crate) fn prepare(scratch: &Path) -> io::Result<File> {
    if let Ok(metadata) = fs::symlink_metadata(scratch) {
        // Others can guess names below /tmp: never follow a link or use what somebody else has put there.
        if !metadata.is_dir() || metadata.uid() != system::user_and_group().0 {
            return Err(io::Error::other(format!(
                "{} belongs to somebody else",
                scratch.display()
            )));
        }
    }
    // A directory that the user has misspelt is not made.
    if let Some(parent) = scratch.parent().filter(|parent| !parent.is_dir()) {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no directory {}", parent.display()),
        ));
    }
    let unfinished = scratch.with_file_name(format!(".{PREFIX}{}", unique()));
    let private = |path: &Path| DirBuilder::new().mode(0o700).create(path);
    private(&unfinished)?;
    let lock = File::create_new(unfinished.join(LOCK))?;
    system::lock(lock.as_fd())?;
    private(&unfinished.join(WORK))?;
    throw_away(scratch)?;
    fs::rename(&unfinished, scratch)?;
    Ok(lock)
}

/// Where all workers' trials see their directory.
pub(crate) const WORK: &str = "work";

/// Gives a directory a name that tells any yester that nobody needs it. It is fine if there is no such directory.
fn throw_away(path: &Path) -> io::Result<PathBuf> {
    let rubbish = path.with_file_name(format!("{RUBBISH}{}", unique()));
    match fs::rename(path, &rubbish) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(rubbish),
    }
}

/// Deletes a directory, however big. A separate process does it, and goes on alone when it takes long or `interrupt`
/// ends the wait.
pub fn discard(path: &Path, program: &Path, interrupt: Option<BorrowedFd<'_>>) -> io::Result<()> {
    let Some(around) = path.parent() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let rubbish = throw_away(path)?;
    let Ok(mut janitor) = start_janitor(around, program) else {
        return remove(&rubbish);
    };
    let ended = system::process_descriptor(janitor.id())?;
    let deadline = Instant::now() + WAIT;
    let [is_over, _] = loop {
        // A signal may end the wait before its descriptor is ready.
        let left = deadline.saturating_duration_since(Instant::now());
        let ready = system::poll([Some(ended.as_fd()), interrupt], Some(left))?;
        if ready.contains(&true) {
            break ready;
        }
        if left.is_zero() {
            return Ok(());
        }
    };
    if !is_over {
        let [is_over] = system::poll([Some(ended.as_fd())], Some(LAST_WAIT))?;
        if !is_over {
            return Ok(());
        }
    }
    janitor.wait()?;
    process::forget(janitor.id());
    if !rubbish.exists() {
        return Ok(());
    }
    let rubbish = rubbish.display();
    Err(io::Error::other(format!(
        "some of what the trials left cannot be deleted: {rubbish}"
    )))
}

/// How long the end of a run waits for its clean-up, to tell what cannot be deleted.
const WAIT: Duration = Duration::from_secs(3);

/// How long the end of a run waits for its clean-up after the user wants to stop.
const LAST_WAIT: Duration = Duration::from_millis(200);

/// The name under which a copy of yester starts as a janitor, which deletes what nobody needs.
pub(crate) const JANITOR: &str = "yester-janitor";

fn start_janitor(directory: &Path, program: &Path) -> io::Result<Child> {
    process::spawn(
        Command::new(program)
            .arg0(JANITOR)
            // It works in the root, so that it keeps no directory busy.
            .arg(std::path::absolute(directory)?)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/"),
    )
}

/// The work of a janitor.
pub(crate) fn serve_as_janitor() -> io::Result<()> {
    // Ctrl-C and the end of the terminal are meant for yester.
    system::new_session();
    let directory = std::env::args_os().nth(1);
    clean(Path::new(&directory.ok_or(io::ErrorKind::InvalidInput)?))
}

/// Deletes everything in a directory that was thrown away. Several janitors may do so at the same time.
fn clean(directory: &Path) -> io::Result<()> {
    let own = system::user_and_group().0;
    let mut result = Ok(());
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let is_rubbish = is_numbered(&entry.file_name().to_string_lossy(), RUBBISH)
            && entry
                .metadata()
                .is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == own);
        if is_rubbish {
            result = result.and(remove(&entry.path()));
        }
    }
    result
}

/// A process id and a number, which no other directory of ours has.
fn unique() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{number}", std::process::id())
}

/// Throws away the scratch directories of runs that were killed and never resumed, and has them deleted.
pub(crate) fn sweep(scratch: &Path, program: &Path) {
    let Some(around) = scratch.parent() else {
        return;
    };
    let own = system::user_and_group().0;
    let mut has_rubbish = false;
    for entry in fs::read_dir(around).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        if !metadata.is_dir() || metadata.uid() != own || path == scratch {
            continue;
        }
        let name = name.to_string_lossy();
        let is_old = metadata
            .modified()
            .is_ok_and(|made| made.elapsed().is_ok_and(|age| age > UNFINISHED));
        let is_left = if is_numbered(&name, UNFINISHED_PREFIX) {
            is_old && has_only_ours(&path)
        } else {
            is_scratch_name(&name) && path.join(WORK).is_dir() && is_unlocked(&path)
        };
        has_rubbish |= is_numbered(&name, RUBBISH) || is_left && throw_away(&path).is_ok();
    }
    if has_rubbish {
        // The janitor works on, whatever becomes of this run.
        let _ = start_janitor(around, program);
    }
}

fn has_only_ours(unfinished: &Path) -> bool {
    fs::read_dir(unfinished).is_ok_and(|entries| {
        entries
            .flatten()
            .all(|entry| [LOCK, WORK].contains(&&*entry.file_name().to_string_lossy()))
    })
}

fn is_unlocked(scratch: &Path) -> bool {
    open_own(&scratch.join(LOCK)).is_ok_and(|lock| matches!(system::lock(lock.as_fd()), Ok(true)))
}

/// Whether a name is one of ours: a prefix, the name of a run, and the digits at its end.
fn is_scratch_name(name: &str) -> bool {
    let run = name.strip_prefix(PREFIX);
    run.and_then(|run| run.rsplit_once('-'))
        .is_some_and(|(_, digits)| is_run_number(digits))
}

/// Whether a name is this prefix with a process id and a number.
fn is_numbered(name: &str, prefix: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix(prefix)
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(one, other)| is_number(one) && is_number(other))
}

/// A directory that is unfinished for so long was left by a killed yester.
const UNFINISHED: Duration = Duration::from_secs(60);
const PREFIX: &str = "yester-";
/// Starts the name of a directory that is being made.
const UNFINISHED_PREFIX: &str = ".yester-";
/// Starts the name of a directory that nobody needs.
const RUBBISH: &str = ".yester-rubbish-";
pub(crate) const LOCK: &str = "lock";

/// The scratch directory of a run. It is always the same, so that paths in outputs and in compiler caches stay the same
/// when the run is resumed.
pub fn scratch_directory(run: &str) -> PathBuf {
    let mut name = OsString::from(PREFIX);
    name.push(run);
    // An empty TMPDIR counts as unset, and a relative one starts here.
    let temporary = Some(std::env::temp_dir()).filter(|path| !path.as_os_str().is_empty());
    let temporary = temporary.unwrap_or_else(|| PathBuf::from("/tmp"));
    std::path::absolute(&temporary)
        .unwrap_or(temporary)
        .join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_of_ours_are_swept() {
        assert!(is_scratch_name("yester-reduce-in.txt-0123456789"));
        for name in [
            "yester-review",
            "yester-reduce-in.txt-012345678",
            "yester-",
            "my-yester-x-0123456789",
        ] {
            assert!(!is_scratch_name(name), "{name}");
        }
        let is_unfinished_name = |name| is_numbered(name, UNFINISHED_PREFIX);
        assert!(is_unfinished_name(".yester-123-0"));
        assert!(is_numbered(".yester-rubbish-123-0", RUBBISH));
        for name in [
            ".yester-backup",
            ".yester-123-",
            ".yester--1",
            "yester-123-0",
            ".yester-12a-0",
            ".yester-rubbish-123-0",
        ] {
            assert!(!is_unfinished_name(name), "{name}");
        }
    }
}
