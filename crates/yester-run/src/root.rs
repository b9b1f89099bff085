//! File work that cannot leave a directory.
//!
//! Tests, repositories and inputs decide what lies in a tree, so any path in it may be a link to the user's home. Every step
//! here starts from an open directory. The kernel (`openat2`) refuses to follow a link or to cross a mount.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path};

use rustix::fs::{
    self as raw, AtFlags, CWD, Dir, FileType, IFlags, Mode, OFlags, RawMode, ResolveFlags, Stat,
    Timespec, Timestamps,
};
use rustix::io::{Errno, retry_on_intr};

use crate::removal;

/// An open directory. Paths are relative to it and have no `..`.
#[derive(Debug)]
pub(crate) struct Root {
    directory: OwnedFd,
    resolve: ResolveFlags,
}

/// Where a path ends: an open directory and a name in it.
pub(crate) struct TreePlace<'a> {
    directory: Parent<'a>,
    name: &'a OsStr,
}

enum Parent<'a> {
    Root(BorrowedFd<'a>),
    Below(OwnedFd),
}

impl AsFd for Parent<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Parent::Root(directory) => *directory,
            Parent::Below(directory) => directory.as_fd(),
        }
    }
}

const INSIDE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS);

const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl Root {
    /// Opens a directory to work in. The path is ours: it may lead through links, but not end in one.
    pub(crate) fn open(path: &Path) -> io::Result<Root> {
        let flags = OFlags::RDONLY | DIRECTORY;
        let directory = retry_on_intr(|| raw::openat(CWD, path, flags, Mode::empty()))?;
        Ok(Root::new(directory))
    }

    /// Opens a directory of the user's to read in, which may have other file systems mounted in it.
    pub(crate) fn open_source(path: &Path) -> io::Result<Root> {
        let mut root = Root::open(path)?;
        root.resolve = INSIDE;
        Ok(root)
    }

    /// Works in a directory that is open already.
    pub(crate) fn new(directory: OwnedFd) -> Root {
        Root {
            directory,
            resolve: INSIDE | ResolveFlags::NO_XDEV,
        }
    }

    /// A directory below this one, to work in.
    pub(crate) fn below(&self, relative: &Path) -> io::Result<Root> {
        let directory = self.open_at(relative, OFlags::RDONLY | DIRECTORY)?;
        Ok(Root {
            directory,
            resolve: self.resolve,
        })
    }

    /// A directory below this one, or this one itself, to look at many names in it.
    pub(crate) fn at(&self, relative: &Path) -> io::Result<Root> {
        if relative.as_os_str().is_empty() {
            self.below(Path::new("."))
        } else {
            self.below(relative)
        }
    }

    /// The place where a path ends. The directories on the way must exist.
    pub(crate) fn place<'a>(&'a self, relative: &'a Path) -> io::Result<TreePlace<'a>> {
        let (parent, name) = split(relative)?;
        let directory = if parent.as_os_str().is_empty() {
            Parent::Root(self.directory.as_fd())
        } else {
            Parent::Below(self.open_at(parent, OFlags::PATH | DIRECTORY)?)
        };
        Ok(TreePlace { directory, name })
    }

    /// The place where a path ends. What is in the way becomes a directory, and `cleared` gets its path.
    pub(crate) fn make_place<'a>(
        &'a self,
        relative: &'a Path,
        mut cleared: impl FnMut(&Path),
    ) -> io::Result<TreePlace<'a>> {
        if let Ok(place) = self.place(relative) {
            return Ok(place);
        }
        let (parent, _) = split(relative)?;
        for above in prefixes(parent) {
            let place = self.place(above)?;
            match place.file_type() {
                Ok(FileType::Directory) => continue,
                Err(error) if !is_missing(&error) => return Err(error),
                _ => {}
            }
            cleared(above);
            place.remove()?;
            place.make_directory()?;
        }
        self.place(relative)
    }

    /// Opens a regular file to read. Fails for a pipe or a device, without waiting for it.
    pub(crate) fn open_file(&self, relative: &Path) -> io::Result<File> {
        self.open_known_file(relative).map(|(file, _)| file)
    }

    /// The same, with what is known about the file.
    pub(crate) fn open_known_file(&self, relative: &Path) -> io::Result<(File, Metadata)> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(self.open_at(relative, flags)?);
        let metadata = file.metadata()?;
        if metadata.is_file() {
            Ok((file, metadata))
        } else {
            Err(io::Error::other("not a regular file"))
        }
    }

    /// The names in a directory below this one, or in this one itself.
    pub(crate) fn names(&self, relative: &Path) -> io::Result<Vec<OsString>> {
        let directory = if relative.as_os_str().is_empty() {
            self.open_at(Path::new("."), OFlags::RDONLY | DIRECTORY)?
        } else {
            self.open_at(relative, OFlags::RDONLY | DIRECTORY)?
        };
        names_up_to(directory.as_fd(), usize::MAX)
    }

    /// What is in this directory, and what each of it is.
    pub(crate) fn entries(&self) -> io::Result<Vec<(OsString, FileType)>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.directory)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Not every file system says it here.
                FileType::Unknown => FileType::from_raw_mode(self.stat_name(name)?.st_mode),
                kind => kind,
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    /// What is at a name in this directory. A link is not followed.
    pub(crate) fn stat_name(&self, name: &OsStr) -> io::Result<Stat> {
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        Ok(raw::statat(&self.directory, name, flags)?)
    }

    /// Sets times of a name in this directory, and says what it is then. A link is not followed.
    pub(crate) fn set_times(&self, name: &OsStr, times: &Timestamps) -> io::Result<Stat> {
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        raw::utimensat(&self.directory, name, times, flags)?;
        self.stat_name(name)
    }

    /// Gives this directory the current time, and says what it is then.
    pub(crate) fn touch(&self) -> io::Result<Stat> {
        let times = Timestamps {
            last_access: UNCHANGED,
            last_modification: NOW,
        };
        raw::futimens(&self.directory, &times)?;
        Ok(raw::fstat(&self.directory)?)
    }

    /// What a test may change about this directory itself.
    pub(crate) fn facts(&self) -> io::Result<DirectoryFacts> {
        let stat = raw::fstat(&self.directory)?;
        let flags = raw::ioctl_getflags(&self.directory).map_or(0, |flags| flags.bits());
        let mut attributes = vec![0; 1024];
        let attributes = match raw::flistxattr(&self.directory, &mut attributes[..]) {
            Ok(length) => attributes[..length].to_vec(),
            Err(Errno::NOTSUP) => Vec::new(),
            // There may be some.
            Err(_) => UNKNOWN_ATTRIBUTES.to_vec(),
        };
        Ok(DirectoryFacts {
            mode: stat.st_mode,
            owner: (stat.st_uid, stat.st_gid),
            flags: flags & SETTABLE.bits(),
            attributes,
        })
    }

    /// Removes everything in this directory.
    pub(crate) fn empty(&self) -> io::Result<()> {
        removal::empty(self.directory.as_fd())
    }

    fn open_at(&self, relative: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        open_inside(self.directory.as_fd(), relative, flags, self.resolve)
    }
}

impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }
}

impl TreePlace<'_> {
    /// What is here. A link is not followed.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(raw::statat(
            &self.directory,
            self.name,
            AtFlags::SYMLINK_NOFOLLOW,
        )?)
    }

    pub(crate) fn file_type(&self) -> io::Result<FileType> {
        Ok(FileType::from_raw_mode(self.stat()?.st_mode))
    }

    /// Opens the file here to write over it. Nothing if that is not the file that `is_ours` knows, or if it can be seen
    /// under another name too.
    pub(crate) fn open_to_rewrite(
        &self,
        is_ours: impl FnOnce(&Stat) -> bool,
    ) -> Option<(File, Stat)> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = raw::openat(&self.directory, self.name, flags, Mode::empty()).ok()?;
        let stat = raw::fstat(&file).ok()?;
        (stat.st_nlink == 1 && is_ours(&stat)).then(|| (File::from(file), stat))
    }

    /// Creates a file here, where nothing may be, not even a link.
    pub(crate) fn create(&self, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode as RawMode);
        let file = retry_on_intr(|| raw::openat(&self.directory, self.name, flags, mode))?;
        Ok(File::from(file))
    }

    pub(crate) fn make_directory(&self) -> io::Result<()> {
        Ok(raw::mkdirat(&self.directory, self.name, Mode::RWXU)?)
    }

    pub(crate) fn make_link(&self, target: &OsStr) -> io::Result<()> {
        Ok(raw::symlinkat(target, &self.directory, self.name)?)
    }

    pub(crate) fn read_link(&self) -> io::Result<OsString> {
        let target = raw::readlinkat(&self.directory, self.name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()))
    }

    /// Removes whatever is here. It is fine if nothing is.
    pub(crate) fn remove(&self) -> io::Result<()> {
        removal::remove_at(self.directory.as_fd(), self.name)
    }

    /// Removes an empty directory.
    pub(crate) fn remove_directory(&self) -> io::Result<()> {
        Ok(raw::unlinkat(
            &self.directory,
            self.name,
            AtFlags::REMOVEDIR,
        )?)
    }

    pub(crate) fn rename(&self, to: &TreePlace<'_>) -> io::Result<()> {
        Ok(raw::renameat(
            &self.directory,
            self.name,
            &to.directory,
            to.name,
        )?)
    }
}

/// What a directory is, apart from what is in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DirectoryFacts {
    mode: u32,
    owner: (u32, u32),
    flags: u32,
    /// The names of its extended attributes.
    attributes: Vec<u8>,
}

impl DirectoryFacts {
    /// Whether it has extended attributes other than the label that some systems give every file. Their values are not
    /// among the facts.
    pub(crate) fn has_attributes(&self) -> bool {
        let mut names = self.attributes.split(|byte| *byte == 0);
        names.any(|name| !name.is_empty() && name != b"security.selinux")
    }
}

const UNKNOWN_ATTRIBUTES: &[u8] = b"?";

/// The flags of a directory that `chattr` sets. The kernel sets others when a directory grows.
const SETTABLE: IFlags = IFlags::IMMUTABLE
    .union(IFlags::APPEND)
    .union(IFlags::NOATIME)
    .union(IFlags::NODUMP)
    .union(IFlags::SYNC)
    .union(IFlags::DIRSYNC)
    .union(IFlags::NOCOW)
    .union(IFlags::COMPRESSED)
    .union(IFlags::PROJECT_INHERIT)
    // Names that differ only in case are the same.
    .union(IFlags::from_bits_retain(0x4000_0000));

/// Leaves a time as it is.
pub(crate) const UNCHANGED: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: raw::UTIME_OMIT,
};
const NOW: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: raw::UTIME_NOW,
};

/// Whether an error says that the directory has no such path. After any other error we do not know.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
    )
}

/// Opens something below a directory without leaving it.
pub(crate) fn open_inside(
    directory: BorrowedFd<'_>,
    relative: &Path,
    flags: OFlags,
    resolve: ResolveFlags,
) -> io::Result<OwnedFd> {
    loop {
        match raw::openat2(directory, relative, flags, Mode::empty(), resolve) {
            // Something was renamed meanwhile, and the kernel cannot tell whether the path is still inside.
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(opened) => return Ok(opened),
        }
    }
}

/// The names in an open directory, `most` of them at most.
pub(crate) fn names_up_to(directory: BorrowedFd<'_>, most: usize) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(OsStr::from_bytes(name).to_owned());
        }
        if names.len() == most {
            break;
        }
    }
    Ok(names)
}

/// A path as its directory and its name. Fails for a path that is empty or absolute or goes up.
fn split(relative: &Path) -> io::Result<(&Path, &OsStr)> {
    let is_plain = relative
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    match (relative.parent(), relative.file_name()) {
        (Some(parent), Some(name)) if is_plain => Ok((parent, name)),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} leads out of the tree", relative.display()),
        )),
    }
}

/// `a`, `a/b`, `a/b/c`.
fn prefixes(path: &Path) -> Vec<&Path> {
    let mut prefixes: Vec<&Path> = path.ancestors().collect();
    prefixes.retain(|prefix| !prefix.as_os_str().is_empty());
    prefixes.reverse();
    prefixes
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_path_leads_out_of_the_directory() {
        let around = tempfile::tempdir().expect("a directory");
        let outside = around.path().join("outside");
        let inside = around.path().join("inside");
        fs::create_dir(&outside).expect("room");
        fs::create_dir(&inside).expect("room");
        fs::write(outside.join("precious"), "mine").expect("room");
        symlink(&outside, inside.join("absolute")).expect("a link");
        symlink("../outside", inside.join("relative")).expect("a link");
        symlink(outside.join("precious"), inside.join("file")).expect("a link");
        let root = Root::open(&inside).expect("a root");
        for path in [
            "absolute/precious",
            "relative/precious",
            "../outside/precious",
            "absolute/../precious",
            "/etc/passwd",
            "file",
        ] {
            let path = Path::new(path);
            assert!(root.open_file(path).is_err(), "read {path:?}");
            let created = root.place(path).and_then(|place| place.create(0o644));
            assert!(created.is_err(), "created {path:?}");
        }
        // What is in the way is replaced, not followed.
        for path in ["absolute/new", "relative/new"] {
            let place = root.make_place(Path::new(path), |_| {}).expect("a place");
            let mut file = place.create(0o644).expect("a file");
            file.write_all(b"x").expect("room");
        }
        root.place(Path::new("file"))
            .and_then(|place| place.remove())
            .expect("only the link");
        assert_eq!(fs::read(outside.join("precious")).expect("kept"), b"mine");
        assert_eq!(fs::read_dir(&outside).expect("there").count(), 1);
        assert_eq!(fs::read(inside.join("absolute/new")).expect("made"), b"x");
    }
}
