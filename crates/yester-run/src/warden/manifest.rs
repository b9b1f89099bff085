//! Remembers what was put into a tree, to notice when a test changes it and to undo what it did.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat};

use super::Touched;
use crate::root::{DirectoryFacts, Root};

/// The files and links of a tree as we put them there, and the directories that they are in. What a build or test adds
/// is not part of it.
#[derive(Default)]
pub(crate) struct Manifest {
    /// The files by directory and name.
    files: BTreeMap<PathBuf, BTreeMap<OsString, PlacedFile>>,
    /// Directories of the base that have nothing in them.
    empty: BTreeSet<PathBuf>,
    /// What every directory of the tree was when the tree was made.
    directories: BTreeMap<PathBuf, DirectoryFacts>,
    /// The time of the file system after the last file was put in place. Whatever a trial does comes later.
    complete: FileTime,
}

/// Seconds and nanoseconds.
type FileTime = (i64, i64);

#[derive(Clone, Copy)]
pub(crate) struct PlacedFile {
    stamp: Stamp,
    pub origin: Origin,
}

/// Where the content and the time of a file come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Both from the base.
    Base,
    /// The content from the base, the time from the trial that it was restored for.
    Restored,
    /// From the candidate.
    Candidate,
}

#[derive(Clone, Copy)]
struct Stamp {
    inode: u64,
    size: u64,
    mode: u32,
    modified: FileTime,
    /// When anything about it last changed. Nobody can set this time.
    changed: FileTime,
}

impl Stamp {
    fn of(stat: &Stat) -> Stamp {
        Stamp {
            inode: stat.st_ino,
            size: stat.st_size as u64,
            mode: stat.st_mode,
            modified: (stat.st_mtime, stat.st_mtime_nsec),
            changed: (stat.st_ctime, stat.st_ctime_nsec),
        }
    }

    /// Whether a build that goes by times sees no difference. This leaves out the time of the last change, which a build
    /// moves by making a hard link to the file.
    fn looks_like(&self, other: &Stamp) -> bool {
        let facts = |stamp: &Stamp| (stamp.inode, stamp.size, stamp.mode, stamp.modified);
        facts(self) == facts(other)
    }
}

/// Beyond this many changed files, a new copy of the tree is as fast and safer.
const MOST: usize = 1000;

impl Manifest {
    /// Notes a file or link that has just been put in place.
    pub(crate) fn note(&mut self, relative: &Path, stat: &Stat, origin: Origin) {
        if let (Some(parent), Some(name)) = (relative.parent(), relative.file_name()) {
            self.note_in(parent, name, stat, origin);
        }
    }

    /// Notes a file or link in a directory.
    pub(crate) fn note_in(&mut self, directory: &Path, name: &OsStr, stat: &Stat, origin: Origin) {
        let stamp = Stamp::of(stat);
        let file = PlacedFile { stamp, origin };
        if !self.files.contains_key(directory) {
            self.files.insert(directory.to_owned(), BTreeMap::new());
        }
        if let Some(files) = self.files.get_mut(directory) {
            files.insert(name.to_owned(), file);
        }
    }

    /// Notes that the base has an empty directory.
    pub(crate) fn note_empty(&mut self, directory: &Path) {
        self.empty.insert(directory.to_owned());
    }

    /// The empty directories of the base.
    pub(crate) fn empty_directories(&self) -> impl Iterator<Item = &PathBuf> {
        self.empty.iter()
    }

    /// Forgets what stood at a path and below it.
    pub(crate) fn forget(&mut self, relative: &Path) {
        if let (Some(parent), Some(name)) = (relative.parent(), relative.file_name())
            && let Some(files) = self.files.get_mut(parent)
            && files.remove(name).is_some()
            && files.is_empty()
        {
            self.files.remove(parent);
        }
        // Paths are sorted by components, so what is below a path follows it.
        let below: Vec<PathBuf> = self
            .files
            .range(relative.to_owned()..)
            .map(|(path, _)| path)
            .take_while(|path| path.starts_with(relative))
            .cloned()
            .collect();
        for path in below {
            self.files.remove(&path);
        }
    }

    /// Says that everything is in place now.
    pub(crate) fn complete(&mut self, root: &Root) -> io::Result<()> {
        let wanted = self.all_directories();
        self.directories.retain(|path, _| wanted.contains(path));
        for path in wanted {
            if let Entry::Vacant(vacant) = self.directories.entry(path)
                // A candidate may have something else in place of an empty directory.
                && let Ok(facts) = root.at(vacant.key()).and_then(|directory| directory.facts())
            {
                vacant.insert(facts);
            }
        }
        // The clock of the file system may not be ours.
        let changed = root.touch()?;
        self.complete = (changed.st_ctime, changed.st_ctime_nsec);
        Ok(())
    }

    /// The directories that have files of ours, with those above them, and the empty ones of the base.
    fn all_directories(&self) -> BTreeSet<PathBuf> {
        let mut all = BTreeSet::from([PathBuf::new()]);
        for directory in self.files.keys().chain(&self.empty) {
            for above in directory.ancestors() {
                if !all.insert(above.to_owned()) {
                    break;
                }
            }
        }
        all
    }

    /// What is no longer as we put it in place, or nothing if that is too much to mend.
    pub(crate) fn touched(&self, root: &Root) -> Option<Touched> {
        let is_known = |path: &PathBuf| self.directories.contains_key(path);
        let mut touched = Touched {
            can_be_cleaned: self.empty.iter().all(is_known),
            ..Touched::default()
        };
        let mut seen = 0;
        for (path, facts) in &self.directories {
            let directory = root.at(path);
            let is_as_before = |found: &Root| found.facts().is_ok_and(|found| found == *facts);
            touched.can_be_cleaned &=
                !facts.has_attributes() && directory.as_ref().is_ok_and(is_as_before);
            let Some(files) = self.files.get(path) else {
                continue;
            };
            seen += 1;
            for (name, before) in files {
                let place = directory.as_ref().ok();
                let stat = place.and_then(|place| place.stat_name(name).ok());
                let list = match stat.as_ref().map(Stamp::of) {
                    Some(now) if self.is_sure(&before.stamp, &now) => continue,
                    Some(now) if now.looks_like(&before.stamp) => &mut touched.doubtful,
                    _ => &mut touched.changed,
                };
                list.push(path.join(name).to_str()?.to_owned());
                if touched.changed.len() > MOST {
                    return None;
                }
            }
        }
        if touched.doubtful.len() > MOST {
            touched.doubtful.clear();
            touched.can_be_cleaned = false;
        }
        // Every directory with files has been looked at: `complete` has noted them all.
        (seen == self.files.len()).then_some(touched)
    }

    /// Calls `act` for every file, with its open directory. What it returns is noted.
    pub(crate) fn update(
        &mut self,
        root: &Root,
        mut act: impl FnMut(&Root, &Path, &OsStr, PlacedFile) -> io::Result<Option<(Stat, Origin)>>,
    ) -> io::Result<()> {
        for (path, files) in &mut self.files {
            let directory = root.at(path)?;
            for (name, file) in files {
                if let Some((stat, origin)) = act(&directory, path, name, *file)? {
                    let stamp = Stamp::of(&stat);
                    *file = PlacedFile { stamp, origin };
                }
            }
        }
        Ok(())
    }

    /// Whether a file is the one that we put at a path, and nobody has changed anything about it since.
    pub(crate) fn is_untouched(&self, relative: &Path, stat: &Stat) -> bool {
        let files = relative.parent().and_then(|parent| self.files.get(parent));
        let file = files.and_then(|files| files.get(relative.file_name()?));
        file.is_some_and(|file| file.is_regular() && self.is_sure(&file.stamp, &Stamp::of(stat)))
    }

    /// Whether a file is what it was. A change right after it was put in place may have the same time.
    fn is_sure(&self, before: &Stamp, now: &Stamp) -> bool {
        now.looks_like(before) && now.changed == before.changed && now.changed < self.complete
    }

    /// All regular files, with their open directories. Nothing instead of a directory that is not there any more.
    pub(crate) fn visit(&self, root: &Root, mut see: impl FnMut(Option<&Root>, &Path, &OsStr)) {
        for (path, files) in &self.files {
            let directory = root.at(path).ok();
            for (name, file) in files {
                if file.is_regular() {
                    see(directory.as_ref(), path, name);
                }
            }
        }
    }

    /// Leaves only what is ours. `discard` gets what to remove: an open directory and a name in it.
    pub(crate) fn purge(
        &self,
        root: &Root,
        mut discard: impl FnMut(&Root, &OsStr) -> io::Result<()>,
    ) -> io::Result<()> {
        for path in self.directories.keys() {
            let Ok(directory) = root.at(path) else {
                // A test has put something else there, which goes with what is in the directory above.
                continue;
            };
            let files = self.files.get(path);
            for (name, kind) in directory.entries()? {
                let is_file = files.is_some_and(|files| files.contains_key(&name));
                let is_directory =
                    kind == FileType::Directory && self.directories.contains_key(&path.join(&name));
                if !is_file && !is_directory {
                    discard(&directory, &name)?;
                }
            }
            // As in a new tree, no directory is older than its files.
            directory.touch()?;
        }
        Ok(())
    }
}

impl PlacedFile {
    pub(crate) fn is_regular(&self) -> bool {
        FileType::from_raw_mode(self.stamp.mode) == FileType::RegularFile
    }

    pub(crate) fn modified(&self) -> FileTime {
        self.stamp.modified
    }
}
