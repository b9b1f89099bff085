//! Files that belong to the user alone, outside of every checkout: settings, what the user trusts, and a secret.

use std::env;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::file;

const SECRET_BYTES: usize = 32;

/// Where the user's own settings are: `$XDG_CONFIG_HOME/yester`.
pub fn configuration() -> Option<PathBuf> {
    directory("XDG_CONFIG_HOME", ".config")
}

/// Where yester keeps what it knows about this user: `$XDG_STATE_HOME/yester`.
fn state() -> Option<PathBuf> {
    directory("XDG_STATE_HOME", ".local/state")
}

fn directory(variable: &str, below_home: &str) -> Option<PathBuf> {
    let given = env::var_os(variable).map(PathBuf::from);
    // A relative one does not count, says the standard: it would be inside of a checkout.
    let given = given.filter(|path| path.is_absolute());
    let home = || Some(env::home_dir()?.join(below_home)).filter(|path| path.is_absolute());
    Some(given.or_else(home)?.join("yester"))
}

/// Whether the user trusts this content in this place.
pub fn is_trusted(path: &Path, content: &[u8]) -> bool {
    trust_mark(path, content).is_some_and(|mark| mark.exists())
}

/// Remembers that the user trusts this content in this place.
pub fn trust(path: &Path, content: &[u8]) -> io::Result<()> {
    let mark = trust_mark(path, content).ok_or_else(no_home)?;
    make_private(mark.parent().expect("it is in a directory"))?;
    File::create(mark).map(drop)
}

/// Forgets it. False if the user did not trust it.
pub fn distrust(path: &Path, content: &[u8]) -> io::Result<bool> {
    match fs::remove_file(trust_mark(path, content).ok_or_else(no_home)?) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true),
    }
}

/// A file that is there if this content is trusted in this place.
fn trust_mark(path: &Path, content: &[u8]) -> Option<PathBuf> {
    // The file itself may be a link, which says nothing about the directory that it counts for.
    let real = path.parent()?.canonicalize().ok()?.join(path.file_name()?);
    let mut hasher = blake3::Hasher::new();
    hasher.update(real.as_os_str().as_encoded_bytes());
    // No path has it.
    hasher.update(&[0]);
    hasher.update(content);
    Some(
        state()?
            .join("trusted")
            .join(hasher.finalize().to_hex().as_str()),
    )
}

/// A number that nobody else can compute for this text. None where nothing can be kept for the user: there is no home, or it cannot be
/// written to.
pub fn seal(text: &[u8]) -> io::Result<Option<String>> {
    let Some(directory) = state() else {
        return Ok(None);
    };
    match secret(&directory) {
        Ok(secret) => Ok(Some(blake3::keyed_hash(&secret, text).to_hex().to_string())),
        Err(error) if is_closed(&error) => Ok(None),
        Err(error) => Err(io::Error::new(
            error.kind(),
            format!("the secret in {}: {error}", directory.display()),
        )),
    }
}

/// Whether an error says that this directory is not for this user to write to, now or later.
fn is_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, PermissionDenied, ReadOnlyFilesystem};
    matches!(
        error.kind(),
        NotADirectory | PermissionDenied | ReadOnlyFilesystem
    )
}

/// The secret of this user, made when it is needed first.
fn secret(directory: &Path) -> io::Result<[u8; SECRET_BYTES]> {
    let path = directory.join("secret");
    let read = || -> io::Result<[u8; SECRET_BYTES]> {
        let content = file::read_own(&path, SECRET_BYTES as u64)?;
        let content = content.try_into();
        content.map_err(|_| io::Error::other("it is damaged"))
    };
    match read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        known => return known,
    }
    make_private(directory)?;
    let mut secret = [0; SECRET_BYTES];
    File::open("/dev/urandom")?.read_exact(&mut secret)?;
    // Another yester may do the same. The first one wins, and its secret appears as a whole.
    let unfinished = directory.join(format!(".secret-{}", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&unfinished)?;
    // Without it, no run of before would count.
    let made = file
        .write_all(&secret)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::hard_link(&unfinished, &path))
        .and_then(|()| File::open(directory)?.sync_all());
    let _ = fs::remove_file(&unfinished);
    match made {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => read(),
    }
}

fn make_private(directory: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
}

fn no_home() -> io::Error {
    io::Error::other("neither HOME nor XDG_STATE_HOME is set")
}
