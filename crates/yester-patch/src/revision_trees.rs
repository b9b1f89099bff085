//! The trees of revisions, as what differs from one of them.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use yester_core::Entry;

use crate::objects::ObjectReader;
use crate::version::{above, is_at_or_below, is_sound};
use crate::{Entries, FileKind, FileState, Overlay, PatchError, Repository, Version};

/// The trees of the revisions of a repository, over one of them as the base tree.
pub struct RevisionTrees {
    repository: Repository,
    /// The id of the base.
    base: String,
    /// The paths of the base.
    paths: HashSet<String>,
    /// Paths that are the same in all versions, whatever the commits have there.
    carried: Vec<String>,
    /// The only paths that differ from the base, if there are any.
    only: Vec<String>,
    store: Mutex<Store>,
}

/// Contents that were read, by the ids of their blobs.
struct Store {
    objects: ObjectReader,
    contents: HashMap<String, Arc<[u8]>>,
}

impl RevisionTrees {
    /// The trees over a base. A partial clone must have all that differs between the base and another revision.
    pub fn new(repository: &Repository, base: &str, other: &str) -> Result<Self, PatchError> {
        refuse_holes(repository, base, other)?;
        let version = Version::revision(repository, base)?;
        let store = Mutex::new(Store {
            objects: repository.objects()?,
            contents: HashMap::new(),
        });
        Ok(RevisionTrees {
            repository: repository.clone(),
            base: base.to_owned(),
            paths: version.paths().map(|(path, _)| path.to_owned()).collect(),
            carried: Vec::new(),
            only: Vec::new(),
            store,
        })
    }

    /// The same trees, but at these paths and below them all have what the base tree has.
    pub fn carrying(self, paths: Vec<String>) -> Self {
        RevisionTrees {
            carried: paths,
            ..self
        }
    }

    /// The same trees, but only at these paths and below them, if there are any. Elsewhere all have what the base has.
    pub fn only(self, paths: Vec<String>) -> Self {
        RevisionTrees {
            only: paths,
            ..self
        }
    }

    /// The tree of any commit, as entries over the base.
    pub fn entries(&self, commit: &str) -> Result<Entries, PatchError> {
        let arguments = [
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--no-ext-diff",
        ];
        let arguments = [&arguments[..], &[&self.base, commit]].concat();
        let listing = self.repository.output(&arguments)?;
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.fetch(&self.repository, &listing)?;
        let mut entries = Entries::new();
        let mut fields = listing.split(|byte| *byte == 0);
        // ":<mode> <mode> <id> <id> <status>", then the path.
        while let (Some(facts), Some(path)) = (fields.next(), fields.next()) {
            let path = std::str::from_utf8(path).map_err(|_| PatchError::Name {
                path: String::from_utf8_lossy(path).as_ref().into(),
            })?;
            if !is_sound(path) {
                return Err(PatchError::Path {
                    path: path.to_owned(),
                });
            }
            let lies_in =
                |places: &[String]| places.iter().any(|place| is_at_or_below(path, place));
            if lies_in(&self.carried) || !self.only.is_empty() && !lies_in(&self.only) {
                continue;
            }
            let facts = String::from_utf8_lossy(facts).into_owned();
            let mut facts = facts.split(' ').skip(1);
            let (mode, id) = (
                facts.next().unwrap_or_default(),
                facts.nth(1).unwrap_or_default(),
            );
            let kind = FileKind::of_mode(mode);
            let entry = match (mode, kind) {
                ("000000", _) | (_, FileKind::Submodule) => Entry::Absent,
                _ => FileState {
                    kind,
                    content: store.read(id)?,
                }
                .entry(),
            };
            entries.insert(path.to_owned(), entry);
        }
        drop(store);
        self.check(&entries)?;
        Ok(entries)
    }

    /// The tree of a commit with other files at some paths.
    pub fn with(&self, commit: &str, overlay: &Overlay) -> Result<Entries, PatchError> {
        let mut entries = self.entries(commit)?;
        for (path, state) in overlay {
            match state {
                Some(state) => drop(entries.insert(path.clone(), state.clone().entry())),
                None if self.paths.contains(path) => {
                    entries.insert(path.clone(), Entry::Absent);
                }
                None => drop(entries.remove(path)),
            }
        }
        self.check(&entries)?;
        Ok(entries)
    }

    /// What files of one revision are called in another, where that is something else.
    pub fn renames(&self, from: &str, to: &str) -> Result<BTreeMap<String, String>, PatchError> {
        let options = [
            "diff-tree",
            "-r",
            "-z",
            "-M",
            "--diff-filter=R",
            "--name-status",
        ];
        let listing = self
            .repository
            .output(&[&options[..], &[from, to]].concat())?;
        let mut fields = listing.split(|byte| *byte == 0);
        let mut renames = BTreeMap::new();
        while let (Some(_), Some(old), Some(new)) = (fields.next(), fields.next(), fields.next()) {
            let name = |bytes| String::from_utf8_lossy(bytes).into_owned();
            renames.insert(name(old), name(new));
        }
        Ok(renames)
    }

    /// Refuses a tree in which something lies below a path that is no directory. Git allows a name twice in a tree.
    fn check(&self, entries: &Entries) -> Result<(), PatchError> {
        let is_there = |path: &str| match entries.get(path) {
            Some(entry) => *entry != Entry::Absent,
            None => self.paths.contains(path),
        };
        let paths = entries.keys().filter(|path| is_there(path));
        for path in paths {
            if above(path).any(is_there) {
                return Err(PatchError::Path { path: path.clone() });
            }
        }
        Ok(())
    }
}

/// Refuses a partial clone that lacks what differs between the commits: nothing is fetched later.
fn refuse_holes(repository: &Repository, base: &str, other: &str) -> Result<(), PatchError> {
    let git = repository.git();
    if !git.is_partial() {
        return Ok(());
    }
    let without = format!("^{base}");
    let options = ["rev-list", "--objects", "--missing=print"];
    let listing = git.output(&[&options[..], &[other, &without]].concat())?;
    let mut lines = listing.split(|byte| *byte == b'\n');
    match lines.find_map(|line| line.strip_prefix(b"?")) {
        None => Ok(()),
        Some(id) => {
            let id = String::from_utf8_lossy(id);
            let message = format!("the object {id} is missing");
            Err(git.complaint("rev-list".to_owned(), message))
        }
    }
}

/// More objects are read faster by a process of their own than one by one.
const MANY: usize = 50;

impl Store {
    /// Reads the new contents that a raw difference lists in one go, if there are many.
    fn fetch(&mut self, repository: &Repository, listing: &[u8]) -> Result<(), PatchError> {
        let fields = listing.split(|byte| *byte == 0).step_by(2);
        let mut wanted = HashSet::new();
        for facts in fields {
            let facts = String::from_utf8_lossy(facts);
            let mut facts = facts.split(' ').skip(1);
            let mode = facts.next().unwrap_or_default();
            let id = facts.nth(1).unwrap_or_default();
            let is_blob = mode != "000000" && FileKind::of_mode(mode) != FileKind::Submodule;
            if is_blob && !id.is_empty() && !self.contents.contains_key(id) {
                wanted.insert(id.to_owned());
            }
        }
        if wanted.len() < MANY {
            return Ok(());
        }
        let ids: VecDeque<String> = wanted.into_iter().collect();
        let mut objects = repository.these_objects(ids.clone())?;
        for id in ids {
            self.contents.insert(id, objects.next()?);
        }
        Ok(())
    }

    fn read(&mut self, id: &str) -> Result<Arc<[u8]>, PatchError> {
        if let Some(content) = self.contents.get(id) {
            return Ok(content.clone());
        }
        let content = self.objects.read(id)?;
        self.contents.insert(id.to_owned(), content.clone());
        Ok(content)
    }
}
