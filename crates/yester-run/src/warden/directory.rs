//! The directory that a worker runs its trials in.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::containment::{Enclosure, TREE};
use super::manifest::Manifest;
use super::tree::WorkingTree;
use super::{Placement, Touched, TreeEdit, TreeStart, access};
use crate::root::{Root, TreePlace};
use crate::{Helper, system};

pub(crate) struct WorkerDirectory {
    enclosure: Enclosure,
    /// The directory itself, for file work.
    root: Root,
    /// What may lie here from the last trial.
    leftover: Leftover,
    /// What was put into the tree that lies here.
    manifest: Manifest,
    /// The modification time of what was put there last.
    stamp: SystemTime,
    /// How many things that cannot be deleted were moved aside.
    aside: u64,
    /// The permissions that new files do not get.
    mask: u32,
}

enum Leftover {
    /// Anything.
    Unknown,
    /// Nothing.
    Nothing,
    /// One file, and whatever its trial left behind.
    File,
    /// Files that are made anew for every trial.
    Files,
    /// A copy of this tree, edited and built in.
    Tree(OsString),
}

impl WorkerDirectory {
    pub(crate) fn new(enclosure: Enclosure) -> io::Result<Self> {
        Ok(WorkerDirectory {
            root: enclosure.own.below(Path::new(TREE))?,
            enclosure,
            leftover: Leftover::Unknown,
            manifest: Manifest::default(),
            stamp: SystemTime::UNIX_EPOCH,
            aside: 0,
            mask: system::file_mask(),
        })
    }

    /// Where trials see it.
    pub(crate) fn path(&self) -> &Path {
        &self.enclosure.directory
    }

    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    pub(crate) fn enclosure(&self) -> &Enclosure {
        &self.enclosure
    }

    /// Puts a candidate in place and says where it is.
    pub(crate) fn place(&mut self, placement: &Placement) -> io::Result<PathBuf> {
        self.find()?;
        match placement {
            Placement::File {
                name,
                content,
                executable,
            } => {
                if !matches!(self.leftover, Leftover::Nothing) {
                    self.empty()?;
                }
                self.leftover = Leftover::File;
                let place = self.root.place(Path::new(name))?;
                write(&place, &content.0, *executable)?;
                Ok(self.path().join(name))
            }
            Placement::Tree {
                base,
                start,
                candidate,
                edits,
            } => {
                self.place_tree(base, *start, edits)?;
                Ok(match candidate {
                    Some(path) => self.path().join(path),
                    None => self.path().to_owned(),
                })
            }
        }
    }

    /// Writes the files that the command needs beside the candidate.
    pub(crate) fn put_beside(&self, helpers: &[Helper]) -> io::Result<()> {
        for helper in helpers {
            let path = Path::new(&helper.path);
            let place = self.root.make_place(path, |_| {})?;
            write(&place, &helper.content, helper.executable)?;
        }
        Ok(())
    }

    /// Makes the directory again if a test has deleted or replaced it.
    fn find(&mut self) -> io::Result<()> {
        if self.is_in_place() {
            return Ok(());
        }
        self.leftover = Leftover::Unknown;
        if let (false, Ok(place)) = (self.is_there(), self.enclosure.own.place(Path::new(TREE))) {
            let _ = place.remove();
        }
        self.enclosure.make_tree()?;
        self.root = self.enclosure.own.below(Path::new(TREE))?;
        let seen = Root::open(self.path())?;
        if system::is_same(seen, &self.root) {
            Ok(())
        } else {
            Err(io::Error::other("a test has replaced its own directory"))
        }
    }

    /// Whether the directory is where trials see it.
    fn is_in_place(&self) -> bool {
        self.is_there() && self.is_ours(Root::open(self.path()))
    }

    /// Whether the directory is where it really is.
    fn is_there(&self) -> bool {
        self.is_ours(self.enclosure.own.below(Path::new(TREE)))
    }

    fn is_ours(&self, found: io::Result<Root>) -> bool {
        found.is_ok_and(|found| system::is_same(found, &self.root))
    }

    /// Removes everything. What cannot be deleted is no reason to stop: we move it aside, and try again when the run ends.
    fn empty(&mut self) -> io::Result<()> {
        if self.root.empty().is_ok() {
            return Ok(());
        }
        if self.enclosure.can_move_tree() {
            let (tree, aside) = (Path::new(TREE), next_aside(&mut self.aside));
            let own = &self.enclosure.own;
            own.place(tree)?.rename(&own.place(&aside)?)?;
            return self.find();
        }
        for name in self.root.names(Path::new(""))? {
            let aside = next_aside(&mut self.aside);
            let from = self.root.place(Path::new(&name))?;
            from.rename(&self.enclosure.own.place(&aside)?)?;
        }
        Ok(())
    }

    fn place_tree(
        &mut self,
        base: &OsStr,
        start: TreeStart,
        edits: &[(String, TreeEdit)],
    ) -> io::Result<()> {
        self.stamp = later_than(self.stamp);
        let is_known = matches!(&self.leftover, Leftover::Tree(left) if left == base);
        if !is_known && start != TreeStart::New {
            return Err(io::Error::other("a test has replaced its own directory"));
        }
        // Until the last edit is made, we do not know what lies here.
        self.leftover = Leftover::Unknown;
        match start {
            TreeStart::New => {
                self.manifest = Manifest::default();
                self.empty()?;
            }
            TreeStart::Clean => self.purge()?,
            TreeStart::Used => {}
        }
        let source = if base.is_empty() {
            None
        } else {
            Some(Root::open_source(Path::new(base))?)
        };
        let mut tree = WorkingTree {
            base: source.as_ref(),
            root: &self.root,
            manifest: &mut self.manifest,
            stamp: self.stamp,
            is_clean: start != TreeStart::Used,
            mask: self.mask,
        };
        if start == TreeStart::New {
            tree.copy_base()?;
        }
        for (path, edit) in edits {
            tree.apply(path, edit)?;
        }
        if start == TreeStart::Clean {
            tree.make_empty_directories(edits)?;
            tree.equalise_times()?;
        }
        if base.is_empty() {
            self.leftover = Leftover::Files;
        } else {
            self.manifest.complete(&self.root)?;
            self.leftover = Leftover::Tree(base.to_owned());
        }
        Ok(())
    }

    /// Removes all that we did not put into the tree. What cannot be deleted is moved aside.
    fn purge(&mut self) -> io::Result<()> {
        let (own, aside) = (&self.enclosure.own, &mut self.aside);
        self.manifest.purge(&self.root, |directory, name| {
            let place = directory.place(Path::new(name))?;
            if place.remove().is_ok() {
                return Ok(());
            }
            let aside = next_aside(aside);
            place.rename(&own.place(&aside)?)
        })
    }

    /// Makes a directory for temporary files of a build: a compiler that is killed leaves some. None in the full sandbox, where such files
    /// are gone after each trial.
    pub(crate) fn make_temporary(&self) -> io::Result<Option<PathBuf>> {
        let Some(path) = self.enclosure.path() else {
            return Ok(None);
        };
        match self
            .enclosure
            .own
            .place(Path::new(TEMPORARY))?
            .make_directory()
        {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(Some(path.join(TEMPORARY))),
        }
    }

    /// Removes what a build has left there. What cannot be removed goes with the run.
    pub(crate) fn empty_temporary(&self) {
        if let Ok(temporary) = self.enclosure.own.below(Path::new(TEMPORARY)) {
            let _ = temporary.empty();
        }
    }

    /// Prepares for finding out which files the next trial reads. False if that cannot be told here.
    pub(crate) fn watch(&mut self) -> io::Result<bool> {
        if !matches!(self.leftover, Leftover::Tree(_))
            || !access::watch(&self.root, &mut self.manifest)?
        {
            return Ok(false);
        }
        self.manifest.complete(&self.root)?;
        Ok(true)
    }

    /// Which files were read since then.
    pub(crate) fn read(&self) -> BTreeSet<String> {
        access::read(&self.root, &self.manifest)
    }

    /// What a trial has changed of a tree, or nothing if the tree has to be made anew.
    pub(crate) fn touched(&self) -> Option<Touched> {
        match self.leftover {
            Leftover::Tree(_) if self.is_in_place() => self.manifest.touched(&self.root),
            Leftover::Tree(_) => None,
            _ => Some(Touched::default()),
        }
    }

    /// Restores the surroundings of the directory for the next trial.
    pub(crate) fn renew(&mut self) -> io::Result<()> {
        self.enclosure.renew()
    }

    /// Cleans up after a trial, while yester is busy with its answer. If that fails, the next trial tries again and can
    /// report the error.
    pub(crate) fn tidy(&mut self, keep: bool) {
        if matches!(self.leftover, Leftover::File) && !keep {
            self.leftover = if self.find().and_then(|()| self.empty()).is_ok() {
                Leftover::Nothing
            } else {
                Leftover::Unknown
            };
        }
    }
}

/// Where builds put temporary files, below the worker's own directory.
const TEMPORARY: &str = "temporary";

/// A name for something that cannot be deleted.
fn next_aside(aside: &mut u64) -> PathBuf {
    *aside += 1;
    format!("aside-{aside}").into()
}

/// The mode of a file of a candidate.
pub(super) fn mode(executable: bool) -> u32 {
    if executable { 0o755 } else { 0o644 }
}

/// Writes a new file. What was there, such as a link out of the directory, is removed and not followed.
pub(super) fn write(place: &TreePlace<'_>, content: &[u8], executable: bool) -> io::Result<File> {
    let mode = mode(executable);
    let mut file = match place.create(mode) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            place.remove()?;
            place.create(mode)?
        }
        other => other?,
    };
    file.write_all(content)?;
    Ok(file)
}

/// The current time, or the next one after `before`.
///
/// The kernel stamps files with the last tick of its clock. This clock is finer, so that a file that we write is newer than
/// what was built within the same tick.
fn later_than(before: SystemTime) -> SystemTime {
    SystemTime::now().max(before + Duration::from_nanos(1))
}
