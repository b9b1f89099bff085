//! A git repository, for reading only.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::git::{self, Git, look};
use crate::objects::ObjectReader;
use crate::{PatchError, special};

/// A git repository, with or without a work tree. We only read it: we check out nothing, write no index, fetch nothing and
/// start no program that it names.
#[derive(Clone, Debug)]
pub struct Repository {
    directory: PathBuf,
    /// Where the index of this work tree is.
    git_directory: PathBuf,
    /// Where linked work trees have what they share.
    common_directory: PathBuf,
    git: Arc<Git>,
}

impl Repository {
    /// The repository that a directory belongs to.
    pub fn around(path: &Path) -> Result<Self, PatchError> {
        special::refuse_around(path)?;
        let git_directory = match look(path, &["rev-parse", "--absolute-git-dir"]) {
            Err(PatchError::Git { message, .. }) if message.contains("not a git repository") => {
                return Err(PatchError::NoRepository {
                    path: path.to_owned(),
                });
            }
            // For example, git does not open somebody else's repository. Its own words help best.
            found => as_path(found?),
        };
        let ask = |word| look(path, &["rev-parse", word]);
        let common_directory = path.join(as_path(ask("--git-common-dir")?));
        // Versions of git that know only one kind print the question instead.
        let format = ask("--show-object-format").unwrap_or_default();
        let format = if format.starts_with(b"sha256") {
            "sha256"
        } else {
            "sha1"
        };
        special::refuse_in(&common_directory)?;
        if common_directory.canonicalize().ok() != git_directory.canonicalize().ok() {
            special::refuse_in(&git_directory)?;
        }
        let objects = absolute(&common_directory.join("objects"))?;
        let git = Git::over(&objects, format, &common_directory.join("shallow"))?;
        // Paths start at the root, wherever in the work tree the user is. A bare repository has no root. The settings of
        // the repository may name any directory, so only a root above the user counts.
        let root = ask("--show-toplevel").ok().map(as_path);
        let root = root.filter(|root| match (root.canonicalize(), path.canonicalize()) {
            (Ok(root), Ok(path)) => path.starts_with(root),
            _ => false,
        });
        Ok(Repository {
            directory: root.unwrap_or_else(|| path.to_owned()),
            git_directory,
            common_directory,
            git: Arc::new(git),
        })
    }

    /// The root of its work tree; of a bare repository, the directory that was given.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether commits are missing at the end of its history.
    pub fn is_shallow(&self) -> bool {
        self.git.home().join("shallow").is_file()
    }

    /// The lines of a revision's files with a word in them, but for what lies at some paths.
    pub fn lines_with(
        &self,
        commit: &str,
        word: &str,
        without: &[String],
    ) -> Result<String, PatchError> {
        let without: Vec<String> = without
            .iter()
            .map(|path| format!(":(exclude,literal){path}"))
            .collect();
        let options = ["grep", "-h", "-I", "-w", "-F"];
        let mut arguments = [&options[..], &["-e", word, commit, "--", "."]].concat();
        arguments.extend(without.iter().map(String::as_str));
        match self.text(&arguments) {
            // Git complains about nothing if there is none.
            Err(PatchError::Git { message, .. }) if message.is_empty() => Ok(String::new()),
            lines => lines,
        }
    }

    /// What git ignores in a work tree, as paths from its root.
    pub fn ignored(&self) -> Result<Vec<String>, PatchError> {
        let home = self.git.home();
        let failed = |source| git::failed(home, source);
        let excluded = self.common_directory.join("info/exclude");
        git::copy(&excluded, &home.join("info/exclude")).map_err(failed)?;
        // A split index is in several files.
        for entry in fs::read_dir(&self.git_directory)
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name();
            if name.as_bytes().starts_with(b"sharedindex.") {
                git::copy(&entry.path(), &home.join(name)).map_err(failed)?;
            }
        }
        let arguments = ["ls-files", "-z", "--others", "--ignored"];
        let options = ["--exclude-standard", "--directory"];
        let arguments = [&arguments[..], &options].concat();
        let mut command = self.git.command(&[]);
        if let Some(path) = self.excludes_file() {
            let mut setting = OsString::from("core.excludesFile=");
            setting.push(path);
            command.arg("-c").arg(setting);
        }
        let root = absolute(&self.directory)?;
        command
            .args(&arguments)
            .current_dir(&root)
            .env("GIT_WORK_TREE", &root)
            .env("GIT_INDEX_FILE", self.git_directory.join("index"));
        let listing = self.git.run(command, &arguments.join(" "))?;
        let listing = String::from_utf8_lossy(&listing);
        let paths = listing.split('\0').filter(|path| !path.is_empty());
        Ok(paths
            .map(|path| path.trim_end_matches('/').to_owned())
            .collect())
    }

    /// The user's own list of what git ignores everywhere.
    fn excludes_file(&self) -> Option<PathBuf> {
        let arguments = ["config", "--type=path", "--get", "core.excludesFile"];
        let path = match look(&self.directory, &arguments) {
            Ok(path) => as_path(path),
            Err(_) => {
                let settings = std::env::var_os("XDG_CONFIG_HOME").filter(|path| !path.is_empty());
                let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".config"));
                settings
                    .map(PathBuf::from)
                    .or_else(home)?
                    .join("git/ignore")
            }
        };
        let path = absolute(&self.directory.join(path)).ok()?;
        path.is_file().then_some(path)
    }

    /// The id of the commit that a name stands for: a branch, a tag, `HEAD~3`.
    pub fn resolve(&self, revision: &str) -> Result<String, PatchError> {
        let commit = format!("{revision}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
        match look(&self.directory, &[&arguments[..], &[&commit]].concat()) {
            Ok(id) => Ok(String::from_utf8_lossy(&id).trim_end().to_owned()),
            Err(PatchError::Git { .. }) => Err(PatchError::UnknownRevision {
                revision: revision.to_owned(),
                repository: self.directory.clone(),
            }),
            Err(error) => Err(error),
        }
    }

    /// The tags of commits in the past of one, the newest first.
    pub fn tags_before(&self, commit: &str) -> Result<Vec<String>, PatchError> {
        let names = look(&self.directory, &["rev-parse", "--symbolic", "--tags"])?;
        let names = String::from_utf8_lossy(&names).into_owned();
        let past = self.text(&["rev-list", commit])?;
        let ages: HashMap<&str, usize> = past.lines().zip(0..).collect();
        let commits: Vec<String> = names
            .lines()
            .map(|name| format!("refs/tags/{name}^{{commit}}"))
            .collect();
        let mut tags = Vec::new();
        for (names, commits) in names
            .lines()
            .collect::<Vec<_>>()
            .chunks(500)
            .zip(commits.chunks(500))
        {
            let mut question = vec!["rev-parse"];
            question.extend(commits.iter().map(String::as_str));
            let ids: Vec<Option<String>> = match look(&self.directory, &question) {
                Ok(ids) => {
                    let ids = String::from_utf8_lossy(&ids).into_owned();
                    ids.lines().map(|id| Some(id.to_owned())).collect()
                }
                // One of them is the tag of a file or a tree.
                Err(_) => names
                    .iter()
                    .map(|name| self.resolve(&format!("refs/tags/{name}")).ok())
                    .collect(),
            };
            for (name, id) in names.iter().zip(ids) {
                let id = id.filter(|id| id != commit);
                let age = id.and_then(|id| ages.get(id.as_str()));
                tags.extend(age.map(|age| (*age, (*name).to_owned())));
            }
        }
        tags.sort();
        tags.dedup_by_key(|(age, _)| *age);
        Ok(tags.into_iter().map(|(_, name)| name).collect())
    }

    /// Git with the objects of the repository and nothing else of it.
    pub(crate) fn git(&self) -> &Git {
        &self.git
    }

    /// What git prints.
    pub(crate) fn output(&self, arguments: &[&str]) -> Result<Vec<u8>, PatchError> {
        self.git.output(arguments)
    }

    /// What git prints, as text.
    pub(crate) fn text(&self, arguments: &[&str]) -> Result<String, PatchError> {
        let output = self.output(arguments)?;
        Ok(String::from_utf8_lossy(&output).into_owned())
    }

    /// Opens the store of objects.
    pub(crate) fn objects(&self) -> Result<ObjectReader, PatchError> {
        ObjectReader::open(&self.git)
    }

    /// Opens the store for these objects only, which it gives in this order.
    pub(crate) fn these_objects(&self, ids: VecDeque<String>) -> Result<ObjectReader, PatchError> {
        ObjectReader::open_for(&self.git, ids)
    }
}

/// A path that git has printed.
fn as_path(mut output: Vec<u8>) -> PathBuf {
    if output.last() == Some(&b'\n') {
        output.pop();
    }
    OsString::from_vec(output).into()
}

fn absolute(path: &Path) -> Result<PathBuf, PatchError> {
    std::path::absolute(path).map_err(|source| PatchError::Read {
        path: path.to_owned(),
        source,
    })
}
