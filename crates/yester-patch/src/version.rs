//! The files of one version.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use yester_core::Entry;

use crate::filter::{filtered, note};
use crate::objects::ObjectReader;
use crate::root::OpenDirectory;
use crate::special::refuse_head;
use crate::{PatchError, Repository, git};

/// The modification time of all files of a version that runs start from: git keeps none, and builds go by them.
pub fn common_time() -> SystemTime {
    // 2020-01-01. What is put in place later must be newer, and compilers' caches mistrust what was just written.
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_577_836_800)
}

/// What replaces the entries of the base tree at some paths.
pub type Entries = BTreeMap<String, Entry>;

/// What a path of a version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A regular file that may be executed.
    Executable,
    /// A symbolic link; its content is where it points to.
    Symlink,
    /// A submodule of git; its content is the id of its commit. Its files are not part of the version: it is rendered as an
    /// empty directory, and a change of the id is a delta that shows in its label and in no file.
    Submodule,
}

impl FileKind {
    /// Whether it is a regular file.
    pub fn is_file(self) -> bool {
        matches!(self, FileKind::File | FileKind::Executable)
    }

    /// How git writes it.
    pub fn mode(self) -> &'static str {
        match self {
            FileKind::File => "100644",
            FileKind::Executable => "100755",
            FileKind::Symlink => "120000",
            FileKind::Submodule => "160000",
        }
    }

    pub(crate) fn of_mode(mode: &str) -> FileKind {
        match mode {
            "120000" => FileKind::Symlink,
            "160000" => FileKind::Submodule,
            "100755" => FileKind::Executable,
            _ => FileKind::File,
        }
    }
}

/// One path of a version, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// What it is.
    pub kind: FileKind,
    /// Its bytes; see [`FileKind`] for what is not a file.
    pub content: Arc<[u8]>,
}

impl FileState {
    /// The entry for a tree. A submodule leaves no trace in a tree.
    pub fn entry(&self) -> Entry {
        match self.kind {
            FileKind::File | FileKind::Executable => Entry::File {
                content: self.content.clone(),
                executable: self.kind == FileKind::Executable,
            },
            FileKind::Symlink => Entry::Symlink(self.content.clone()),
            FileKind::Submodule => Entry::Absent,
        }
    }
}

/// The files of one version by path (relative, separated by `/`). They are read only when needed.
#[derive(Clone, Debug)]
pub struct Version {
    pub(crate) items: BTreeMap<String, VersionFile>,
    place: VersionSource,
    notes: Vec<String>,
}

/// One path of a version, which may not have been read yet.
#[derive(Clone, Debug)]
pub(crate) struct VersionFile {
    pub kind: FileKind,
    content: ContentSource,
}

#[derive(Clone, Debug)]
enum ContentSource {
    Here(Arc<[u8]>),
    Disk { size: u64 },
    Blob { id: String },
}

#[derive(Clone, Debug)]
enum VersionSource {
    Memory,
    Directory(PathBuf),
    Git(Repository),
}

impl VersionFile {
    /// Its size, if known. For sizes, git would have to look at every object, and a partial clone to fetch them all.
    fn size(&self) -> Option<u64> {
        match &self.content {
            ContentSource::Here(content) => Some(content.len() as u64),
            ContentSource::Disk { size } => Some(*size),
            ContentSource::Blob { .. } => None,
        }
    }

    /// Whether the contents are equal, if that is known without reading them.
    pub fn same_content(&self, other: &VersionFile) -> Option<bool> {
        match (&self.content, &other.content) {
            (ContentSource::Blob { id: one }, ContentSource::Blob { id: two }) => Some(one == two),
            (ContentSource::Here(one), ContentSource::Here(two)) => Some(one == two),
            _ => (self.size()? != other.size()?).then_some(false),
        }
    }
}

impl Version {
    /// A version in memory.
    pub fn of(states: impl IntoIterator<Item = (String, FileState)>) -> Self {
        let item = |state: FileState| VersionFile {
            kind: state.kind,
            content: ContentSource::Here(state.content),
        };
        Version {
            items: states
                .into_iter()
                .map(|(path, state)| (path, item(state)))
                .collect(),
            place: VersionSource::Memory,
            notes: Vec::new(),
        }
    }

    /// The files of a directory, without what git and yester keep there for themselves. Empty directories do not count.
    /// The files must not change while the version is in use.
    pub fn directory(root: &Path) -> Result<Self, PatchError> {
        let mut version = Version {
            items: BTreeMap::new(),
            place: VersionSource::Directory(root.to_owned()),
            notes: Vec::new(),
        };
        let mut open = vec![String::new()];
        while let Some(directory) = open.pop() {
            let path = root.join(&directory);
            let failed = |source| PatchError::Read {
                path: path.clone(),
                source,
            };
            for file in fs::read_dir(&path).map_err(failed)? {
                let file = file.map_err(failed)?;
                let name = file.file_name();
                if name == ".git" || name == ".yester" {
                    // Git looks into it to find out what it ignores here.
                    refuse_head(&file.path())?;
                    continue;
                }
                let name = name
                    .to_str()
                    .ok_or_else(|| PatchError::Name { path: file.path() })?;
                let relative = match directory.as_str() {
                    "" => name.to_owned(),
                    directory => format!("{directory}/{name}"),
                };
                let metadata = file.metadata().map_err(failed)?;
                if metadata.is_dir() {
                    open.push(relative);
                } else if metadata.is_symlink() {
                    let target = fs::read_link(file.path()).map_err(failed)?;
                    let content = ContentSource::Here(target.as_os_str().as_bytes().into());
                    version.items.insert(
                        relative,
                        VersionFile {
                            kind: FileKind::Symlink,
                            content,
                        },
                    );
                } else if metadata.is_file() {
                    let executable = metadata.permissions().mode() & 0o111 != 0;
                    let kind = if executable {
                        FileKind::Executable
                    } else {
                        FileKind::File
                    };
                    let content = ContentSource::Disk {
                        size: metadata.len(),
                    };
                    version
                        .items
                        .insert(relative, VersionFile { kind, content });
                } else if name == ".gitignore" {
                    // Git opens it, whatever it is.
                    return Err(PatchError::Special { path: file.path() });
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

    /// One file of a directory.
    pub fn file(directory: &Path, name: &str) -> Result<FileState, PatchError> {
        let path = directory.join(name);
        let failed = |source| PatchError::Read {
            path: path.clone(),
            source,
        };
        let metadata = fs::symlink_metadata(&path).map_err(failed)?;
        if metadata.is_symlink() {
            let target = fs::read_link(&path).map_err(failed)?;
            return Ok(FileState {
                kind: FileKind::Symlink,
                content: target.as_os_str().as_bytes().into(),
            });
        }
        if !metadata.is_file() {
            return Err(PatchError::Special { path });
        }
        let is_executable = metadata.permissions().mode() & 0o111 != 0;
        Ok(FileState {
            kind: if is_executable {
                FileKind::Executable
            } else {
                FileKind::File
            },
            content: git::read_at_once(&path).map_err(failed)?.into(),
        })
    }

    /// The files of a git revision as git stores them: line ends are not converted, and no filter runs. A note says which
    /// files git would check out in another form.
    pub fn revision(repository: &Repository, revision: &str) -> Result<Self, PatchError> {
        let commit = repository.resolve(revision)?;
        let listing = repository.output(&["ls-tree", "-r", "-z", "--full-tree", &commit])?;
        let mut items = BTreeMap::new();
        for line in listing
            .split(|byte| *byte == 0)
            .filter(|line| !line.is_empty())
        {
            let line = std::str::from_utf8(line).map_err(|_| PatchError::Name {
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
            let kind = FileKind::of_mode(mode);
            let content = match kind {
                FileKind::Submodule => ContentSource::Here(id.as_bytes().into()),
                _ => ContentSource::Blob { id },
            };
            items.insert(path.to_owned(), VersionFile { kind, content });
        }
        check(&items)?;
        let mut version = Version {
            items,
            place: VersionSource::Git(repository.clone()),
            notes: Vec::new(),
        };
        // Versions can be compared without the note.
        if version.mentions_filter().unwrap_or(false)
            && let Ok(filtered) = filtered(repository, &commit, version.items.keys())
        {
            version.notes.extend(note(&filtered));
        }
        Ok(version)
    }

    /// Whether its attributes may make git filter some files.
    fn mentions_filter(&self) -> Result<bool, PatchError> {
        let is_attributes = |path: &str| path.rsplit('/').next() == Some(".gitattributes");
        let mut attributes = self.items.iter();
        let Some(first) = attributes.find(|(path, _)| is_attributes(path)) else {
            return Ok(false);
        };
        let mut reader = self.reader();
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
    pub fn paths(&self) -> impl Iterator<Item = (&str, FileKind)> {
        self.items
            .iter()
            .map(|(path, item)| (path.as_str(), item.kind))
    }

    /// Puts something at a path, whatever is there.
    pub fn put(&mut self, path: &str, state: FileState) {
        let item = VersionFile {
            kind: state.kind,
            content: ContentSource::Here(state.content),
        };
        self.items.insert(path.to_owned(), item);
    }

    /// Leaves out a path and everything below it. Returns whether there was anything.
    pub fn remove(&mut self, path: &str) -> bool {
        let count = self.items.len();
        self.items.retain(|item, _| !is_at_or_below(item, path));
        self.items.len() < count
    }

    /// Leaves out everything but some paths and what is below them.
    pub fn keep(&mut self, paths: &[String]) {
        let is_kept = |item: &str| paths.iter().any(|path| is_at_or_below(item, path));
        self.items.retain(|item, _| is_kept(item));
    }

    /// Takes over what another version has at some paths and below them.
    pub fn carry(&mut self, places: &[String], other: &Version) -> Result<(), PatchError> {
        for place in places {
            self.remove(place);
            for (path, _) in other
                .paths()
                .filter(|(path, _)| is_at_or_below(path, place))
            {
                if let Some(state) = other.state(path)? {
                    self.put(path, state);
                }
            }
        }
        Ok(())
    }

    /// What the user may want to know about it.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// One path, if it is there.
    pub fn state(&self, path: &str) -> Result<Option<FileState>, PatchError> {
        match self.items.get(path) {
            Some(item) => self.reader().state(path, item).map(Some),
            None => Ok(None),
        }
    }

    /// Writes the version as a plain tree into a directory that is empty or does not exist. Writes nothing outside of it, and
    /// replaces nothing in it.
    pub fn materialise(&self, directory: &Path) -> Result<(), PatchError> {
        self.write(directory, None)
    }

    /// The same, and all files get this modification time: git keeps none, and builds go by them.
    pub fn materialise_as_of(
        &self,
        directory: &Path,
        modified: SystemTime,
    ) -> Result<(), PatchError> {
        self.write(directory, Some(modified))
    }

    fn write(&self, directory: &Path, modified: Option<SystemTime>) -> Result<(), PatchError> {
        let mut reader = self.reader();
        let opened = fs::create_dir_all(directory).and_then(|()| OpenDirectory::open(directory));
        let mut root = opened.map_err(|source| PatchError::Write {
            path: directory.to_owned(),
            source,
        })?;
        let files = self.items.iter().map(|(path, item)| (path.as_str(), item));
        reader.each(files, |path, state| {
            let make_file = |root: &mut OpenDirectory, executable| {
                let file = root.make_file(path, &state.content, executable)?;
                modified.map_or(Ok(()), |modified| file.set_modified(modified))
            };
            let made = match state.kind {
                FileKind::Submodule => root.make_directory(path),
                FileKind::Symlink => root.make_link(path, &state.content),
                FileKind::File => make_file(&mut root, false),
                FileKind::Executable => make_file(&mut root, true),
            };
            made.map_err(|source| PatchError::Write {
                path: directory.join(path),
                source,
            })
        })
    }

    pub(crate) fn reader(&self) -> VersionReader<'_> {
        VersionReader {
            version: self,
            objects: None,
            root: None,
        }
    }
}

/// Whether a path is another one or lies below it.
pub fn is_at_or_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Longer paths and names do not fit below another directory.
const LONGEST_PATH: usize = 3500;
const LONGEST_NAME: usize = 255;

/// Whether a path stays in its tree. Git lets anybody store trees with other paths, which no work tree can have.
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

/// Refuses trees that cannot be written to a directory.
fn check(items: &BTreeMap<String, VersionFile>) -> Result<(), PatchError> {
    for path in items.keys() {
        if !is_sound(path) || above(path).any(|above| items.contains_key(above)) {
            return Err(PatchError::Path { path: path.clone() });
        }
    }
    Ok(())
}

/// Reads the contents of a version.
pub(crate) struct VersionReader<'a> {
    version: &'a Version,
    /// Opened for the first single object.
    objects: Option<ObjectReader>,
    root: Option<OpenDirectory>,
}

impl VersionReader<'_> {
    /// One path.
    pub fn state(&mut self, path: &str, item: &VersionFile) -> Result<FileState, PatchError> {
        self.read(path, item, |reader, id| reader.objects()?.read(id))
    }

    /// Many paths, one after the other. Git gives their contents in one go.
    pub fn each<'f>(
        &mut self,
        files: impl Iterator<Item = (&'f str, &'f VersionFile)>,
        mut take: impl FnMut(&'f str, FileState) -> Result<(), PatchError>,
    ) -> Result<(), PatchError> {
        let files: Vec<(&str, &VersionFile)> = files.collect();
        let blob = |(_, item): &(&str, &VersionFile)| match &item.content {
            ContentSource::Blob { id } => Some(id.clone()),
            _ => None,
        };
        let ids = files.iter().filter_map(blob).collect();
        let mut objects = match &self.version.place {
            VersionSource::Git(repository) => Some(repository.these_objects(ids)?),
            _ => None,
        };
        for (path, item) in files {
            let state = self.read(path, item, |_, _| {
                objects.as_mut().expect("only git has blobs").next()
            })?;
            take(path, state)?;
        }
        Ok(())
    }

    fn objects(&mut self) -> Result<&mut ObjectReader, PatchError> {
        match (&mut self.objects, &self.version.place) {
            (Some(objects), _) => Ok(objects),
            (empty, VersionSource::Git(repository)) => Ok(empty.insert(repository.objects()?)),
            _ => unreachable!("only git has blobs"),
        }
    }

    /// Reads a path. `blob` gives the content of an object.
    fn read(
        &mut self,
        path: &str,
        item: &VersionFile,
        blob: impl FnOnce(&mut Self, &str) -> Result<Arc<[u8]>, PatchError>,
    ) -> Result<FileState, PatchError> {
        let content = match (&item.content, &self.version.place) {
            (ContentSource::Here(content), _) => content.clone(),
            (ContentSource::Blob { id }, _) => blob(self, id)?,
            (ContentSource::Disk { .. }, VersionSource::Directory(directory)) => {
                let read = self.root(directory).and_then(|root| root.read(path));
                read.map_err(|source| PatchError::Read {
                    path: directory.join(path),
                    source,
                })?
                .into()
            }
            (ContentSource::Disk { .. }, _) => unreachable!("only directories have files"),
        };
        Ok(FileState {
            kind: item.kind,
            content,
        })
    }

    fn root(&mut self, directory: &Path) -> std::io::Result<&mut OpenDirectory> {
        match &mut self.root {
            Some(root) => Ok(root),
            // The user may have named a link.
            empty => Ok(empty.insert(OpenDirectory::open(&directory.canonicalize()?)?)),
        }
    }
}
