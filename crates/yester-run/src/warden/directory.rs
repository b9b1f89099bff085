//! The directory that a worker runs its trials in.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::containment::{Enclosure, TREE};
use super::manifest::Manifest;
use super::tree::WorkingTree;
use super::{Placement, TreeEdit};
use crate::root::{Root, TreePlace};
use crate::system;

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
            Placement::Tree { base, fresh, edits } => {
                self.place_tree(base, *fresh, edits)?;
                Ok(self.path().to_owned())
            }
        }
    }

    /// Makes the directory again if a test has deleted or replaced it.
    fn find(&mut self) -> io::Result<()> {
        let is_ours =
            |found: io::Result<Root>| found.is_ok_and(|found| system::is_same(found, &self.root));
        let is_there = is_ours(self.enclosure.own.below(Path::new(TREE)));
        if is_there && is_ours(Root::open(self.path())) {
            return Ok(());
        }
        self.leftover = Leftover::Unknown;
        if let (false, Ok(place)) = (is_there, self.enclosure.own.place(Path::new(TREE))) {
            let _ = place.remove();
        }
        self.enclosure.make_tree()?;
        self.root = self.enclosure.own.below(Path::new(TREE))?;
        let seen = Root::open(self.path())?;
        match system::is_same(seen, &self.root) {
            true => Ok(()),
            false => Err(io::Error::other("a test has replaced its own directory")),
        }
    }

    /// Removes everything. What cannot be deleted is no reason to stop: we move it aside, and try again when the run ends.
    fn empty(&mut self) -> io::Result<()> {
        if self.root.empty().is_ok() {
            return Ok(());
        }
        if self.enclosure.can_move_tree() {
            let (tree, aside) = (Path::new(TREE), self.next_aside());
            let own = &self.enclosure.own;
            own.place(tree)?.rename(&own.place(&aside)?)?;
            return self.find();
        }
        for name in self.root.names(Path::new(""))? {
            let aside = self.next_aside();
            let from = self.root.place(Path::new(&name))?;
            from.rename(&self.enclosure.own.place(&aside)?)?;
        }
        Ok(())
    }

    fn next_aside(&mut self) -> PathBuf {
        self.aside += 1;
        format!("aside-{}", self.aside).into()
    }

    fn place_tree(
        &mut self,
        base: &OsStr,
        fresh: bool,
        edits: &[(String, TreeEdit)],
    ) -> io::Result<()> {
        self.stamp = later_than(self.stamp);
        let is_warm = !fresh && matches!(&self.leftover, Leftover::Tree(left) if left == base);
        // Until the last edit is made, we do not know what lies here.
        self.leftover = Leftover::Unknown;
        if !is_warm {
            self.manifest = Manifest::default();
            self.empty()?;
        }
        let source = match base.is_empty() {
            true => None,
            false => Some(Root::open_source(Path::new(base))?),
        };
        let mut tree = WorkingTree {
            base: source.as_ref(),
            root: &self.root,
            manifest: &mut self.manifest,
            stamp: self.stamp,
        };
        if !is_warm {
            tree.copy_base()?;
        }
        for (path, edit) in edits {
            tree.apply(path, edit)?;
        }
        self.leftover = if base.is_empty() {
            Leftover::Files
        } else {
            Leftover::Tree(base.to_owned())
        };
        Ok(())
    }

    /// Which files of a tree a trial has changed, or nothing if the tree has to be made anew.
    pub(crate) fn touched(&self) -> Option<Vec<String>> {
        match self.leftover {
            Leftover::Tree(_) => self.manifest.touched(&self.root),
            _ => Some(Vec::new()),
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

/// Writes a new file. What was there, such as a link out of the directory, is removed and not followed.
pub(super) fn write(place: &TreePlace<'_>, content: &[u8], executable: bool) -> io::Result<File> {
    let mode = if executable { 0o755 } else { 0o644 };
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
