//! The files of one version.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yester_core::Entry;

use crate::filter::{filtered, note};
use crate::objects::Objects;
use crate::root::Root;
use crate::special::refuse_head;
use crate::{Error, Repository};

/// What stands at some paths of a tree instead of what the base tree has there.
pub type Entries = BTreeMap<String, Entry>;

/// What a path of a version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A regular file that may be executed.
    Executable,
    /// A symbolic link; its content is where it points to.
    Symlink,
    /// A submodule of git; its content is the id of its commit. The files in it are not part of the version: it is
    /// rendered as an empty directory, and a change of the id is a delta that shows in the label and in no file.
    Submodule,
}

impl Kind {
    /// Whether it is a regular file.
    pub fn is_file(self) -> bool {
        matches!(self, Kind::File | Kind::Executable)
    }

    /// How git writes it.
    pub fn mode(self) -> &'static str {
        match self {
            Kind::File => "100644",
            Kind::Executable => "100755",
            Kind::Symlink => "120000",
            Kind::Submodule => "160000",
        }
    }

    pub(crate) fn of_mode(mode: &str) -> Kind {
        match mode {
            "120000" => Kind::Symlink,
            "160000" => Kind::Submodule,
            "100755" => Kind::Executable,
            _ => Kind::File,
        }
    }
}

/// One path of a version, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// What it is.
    pub kind: Kind,
    /// Its bytes; see [`Kind`] for what is not a file.
    pub content: Arc<[u8]>,
}

impl State {
    /// What a tree with this has there. A submodule leaves no trace in a tree.
    pub fn entry(&self) -> Entry {
        match self.kind {
            Kind::File | Kind::Executable => Entry::File {
                content: self.content.clone(),
                executable: self.kind == Kind::Executable,
            },
            Kind::Symlink => Entry::Symlink(self.content.clone()),
            Kind::Submodule => Entry::Absent,
        }
    }
}

/// The files of one version by path (relative, separated by `/`), which are read only where they are needed.
#[derive(Clone, Debug)]
pub struct Version {
    pub(crate) items: BTreeMap<String, Item>,
    place: Place,
    notes: Vec<String>,
}

/// One path of a version, maybe not yet read.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub kind: Kind,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Here(Arc<[u8]>),
    Disk { size: u64 },
    Blob { id: String },
}

#[derive(Clone, Debug)]
enum Place {
    Memory,
    Directory(PathBuf),
    Git(Repository),
}

impl Item {
    /// Git would have to look at every object for the sizes, and a partial clone to fetch them all.
    fn size(&self) -> Option<u64> {
        match &self.content {
            Content::Here(content) => Some(content.len() as u64),
            Content::Disk { size } => Some(*size),
            Content::Blob { .. } => None,
        }
    }

    /// Whether the contents are the same, if that can be told without reading them.
    pub fn same_content(&self, other: &Item) -> Option<bool> {
        match (&self.content, &other.content) {
            (Content::Blob { id: one }, Content::Blob { id: two }) => Some(one == two),
            (Content::Here(one), Content::Here(two)) => Some(one == two),
            _ => (self.size()? != other.size()?).then_some(false),
        }
    }
}

impl Version {
    /// A version that is in memory.
    pub fn of(states: impl IntoIterator<Item = (String, State)>) -> Self {
        let item = |state: State| Item {
            kind: state.kind,
            content: Content::Here(state.content),
        };
        Version {
            items: states
                .into_iter()
                .map(|(path, state)| (path, item(state)))
                .collect(),
            place: Place::Memory,
            notes: Vec::new(),
        }
    }

    /// The files of a directory, without what git and yester keep there for themselves. Empty directories do not count.
    /// The files must not change while the version is in use.
    pub fn directory(root: &Path) -> Result<Self, Error> {
        let mut version = Version {
            items: BTreeMap::new(),
            place: Place::Directory(root.to_owned()),
            notes: Vec::new(),
        };
        let mut open = vec![String::new()];
        while let Some(directory) = open.pop() {
            let path = root.join(&directory);
            let failed = |source| Error::Read {
                path: path.clone(),
                source,
            };
            for file in fs::read_dir(&path).map_err(failed)? {
                let file = file.map_err(failed)?;
                let name = file.file_name();
                if name == ".git" || name == ".yester" {
                    // Git looks into it when it is asked what it ignores here.
                    refuse_head(&file.path())?;
                    continue;
                }
                let name = name
                    .to_str()
                    .ok_or_else(|| Error::Name { path: file.path() })?;
                let relative = match directory.as_str() {
                    "" => name.to_owned(),
                    directory => format!("{directory}/{name}"),
                };
                let metadata = file.metadata().map_err(failed)?;
                if metadata.is_dir() {
                    open.push(relative);
                } else if metadata.is_symlink() {
                    let target = fs::read_link(file.path()).map_err(failed)?;
                    let content = Content::Here(target.as_os_str().as_bytes().into());
                    version.items.insert(
                        relative,
                        Item {
                            kind: Kind::Symlink,
                            content,
                        },
                    );
                } else if metadata.is_file() {
                    let executable = metadata.permissions().mode() & 0o111 != 0;
                    let kind = if executable {
                        Kind::Executable
                    } else {
                        Kind::File
                    };
                    let content = Content::Disk {
                        size: metadata.len(),
                    };
                    version.items.insert(relative, Item { kind, content });
                } else if name == ".gitignore" {
                    // Git opens it, whatever it is.
                    return Err(Error::Special { path: file.path() });
                } else {
                    version
                        .notes
                        .push(format!("{relative} is not a regular file and is left out"));
                }
            }
        }
        version.notes.sort();
        Ok(version)
    }

    /// The files of a git revision as they are stored: without line ends converted and without filters. A note says
    /// which files git would check out in another form.
    pub fn revision(repository: &Repository, revision: &str) -> Result<Self, Error> {
        let commit = repository.resolve(revision)?;
        let listing = repository.output(&["ls-tree", "-r", "-z", "--full-tree", &commit])?;
        let mut items = BTreeMap::new();
        for line in listing
            .split(|byte| *byte == 0)
            .filter(|line| !line.is_empty())
        {
            let line = std::str::from_utf8(line).map_err(|_| Error::Name {
                path: String::from_utf8_lossy(line)
                    .rsplit('\t')
                    .next()
                    .unwrap_or_default()
                    .into(),
            })?;
            let (facts, path) = line.split_once('\t').unwrap_or((line, ""));
            let mut facts = facts.split_whitespace();
            let mut fact = || facts.next().unwrap_or_default();
            let (mode, _type, id) = (fact(), fact(), fact().to_owned());
            let kind = Kind::of_mode(mode);
            let content = match kind {
                Kind::Submodule => Content::Here(id.as_bytes().into()),
                _ => Content::Blob { id },
            };
            items.insert(path.to_owned(), Item { kind, content });
        }
        check(&items)?;
        let mut version = Version {
            items,
            place: Place::Git(repository.clone()),
            notes: Vec::new(),
        };
        // A note that cannot be made keeps nobody from comparing versions.
        if version.mentions_filter().unwrap_or(false)
            && let Ok(filtered) = filtered(repository, &commit, version.items.keys())
        {
            version.notes.extend(note(&filtered));
        }
        Ok(version)
    }

    /// Whether its attributes may say that git filters some files.
    fn mentions_filter(&self) -> Result<bool, Error> {
        let is_attributes = |path: &str| path.rsplit('/').next() == Some(".gitattributes");
        let mut attributes = self.items.iter();
        let Some(first) = attributes.find(|(path, _)| is_attributes(path)) else {
            return Ok(false);
        };
        let mut reader = self.reader()?;
        for (path, item) in [first].into_iter().chain(attributes) {
            if is_attributes(path) && item.kind.is_file() {
                let state = reader.state(path, item)?;
                if state.content.windows(7).any(|word| word == b"filter=") {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The paths in it.
    pub fn paths(&self) -> impl Iterator<Item = (&str, Kind)> {
        self.items
            .iter()
            .map(|(path, item)| (path.as_str(), item.kind))
    }

    /// Puts something at a path, whatever is there.
    pub fn put(&mut self, path: &str, state: State) {
        let item = Item {
            kind: state.kind,
            content: Content::Here(state.content),
        };
        self.items.insert(path.to_owned(), item);
    }

    /// Leaves out a path and everything below it. Whether there was any.
    pub fn remove(&mut self, path: &str) -> bool {
        let count = self.items.len();
        self.items.retain(|item, _| !is_at_or_below(item, path));
        self.items.len() < count
    }

    /// What the user may want to know about it.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// One path, if it is there.
    pub fn state(&self, path: &str) -> Result<Option<State>, Error> {
        match self.items.get(path) {
            Some(item) => self.reader()?.state(path, item).map(Some),
            None => Ok(None),
        }
    }

    /// Writes the version as a plain tree into a directory that is empty or does not exist. Nothing is written outside
    /// of it, and nothing that is there is replaced.
    pub fn materialise(&self, directory: &Path) -> Result<(), Error> {
        let mut reader = self.reader()?;
        let opened = fs::create_dir_all(directory).and_then(|()| Root::open(directory));
        let mut root = opened.map_err(|source| Error::Write {
            path: directory.to_owned(),
            source,
        })?;
        for (path, item) in &self.items {
            let state = reader.state(path, item)?;
            let made = match state.kind {
                Kind::Submodule => root.make_directory(path),
                Kind::Symlink => root.make_link(path, &state.content),
                Kind::File => root.make_file(path, &state.content, false),
                Kind::Executable => root.make_file(path, &state.content, true),
            };
            made.map_err(|source| Error::Write {
                path: directory.join(path),
                source,
            })?;
        }
        Ok(())
    }

    pub(crate) fn reader(&self) -> Result<Reader<'_>, Error> {
        let objects = match &self.place {
            Place::Git(repository) => Some(repository.objects()?),
            _ => None,
        };
        Ok(Reader {
            version: self,
            objects,
            root: None,
        })
    }
}

/// Whether a path is another one or lies below it.
pub(crate) fn is_at_or_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Longer paths and names cannot be made below another directory.
const LONGEST_PATH: usize = 3500;
const LONGEST_NAME: usize = 255;

/// Whether a path stays in its tree. Git lets anybody make trees with others, which no work tree can have.
pub(crate) fn is_sound(path: &str) -> bool {
    let is_bad = |part: &str| {
        ["", ".", ".."].contains(&part)
            || part.eq_ignore_ascii_case(".git")
            || part.len() > LONGEST_NAME
    };
    path.len() <= LONGEST_PATH && !path.split('/').any(is_bad)
}

/// The directories that a path is in.
pub(crate) fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// Refuses trees that cannot be written down.
fn check(items: &BTreeMap<String, Item>) -> Result<(), Error> {
    for path in items.keys() {
        if !is_sound(path) || above(path).any(|above| items.contains_key(above)) {
            return Err(Error::Path { path: path.clone() });
        }
    }
    Ok(())
}

/// Reads the contents of a version.
pub(crate) struct Reader<'a> {
    version: &'a Version,
    objects: Option<Objects>,
    root: Option<Root>,
}

impl Reader<'_> {
    pub fn state(&mut self, path: &str, item: &Item) -> Result<State, Error> {
        let content = match (&item.content, &self.version.place) {
            (Content::Here(content), _) => content.clone(),
            (Content::Blob { id }, _) => {
                let objects = self.objects.as_mut().expect("only git has blobs");
                objects.read(id)?
            }
            (Content::Disk { .. }, Place::Directory(directory)) => {
                let read = self.root(directory).and_then(|root| root.read(path));
                read.map_err(|source| Error::Read {
                    path: directory.join(path),
                    source,
                })?
                .into()
            }
            (Content::Disk { .. }, _) => unreachable!("only directories have files"),
        };
        Ok(State {
            kind: item.kind,
            content,
        })
    }

    fn root(&mut self, directory: &Path) -> std::io::Result<&mut Root> {
        match &mut self.root {
            Some(root) => Ok(root),
            // The user may have named a link.
            empty => Ok(empty.insert(Root::open(&directory.canonicalize()?)?)),
        }
    }
}
