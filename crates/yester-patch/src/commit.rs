//! The commits between two revisions.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use yester_core::Entry;

use crate::objects::ObjectReader;
use crate::version::{above, is_at_or_below, is_sound};
use crate::{Entries, FileKind, FileState, PatchError, Repository, Version};

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its full id.
    pub id: String,
    /// The ids of its parents. A merge has several.
    pub parents: Vec<String>,
    /// Who wrote it, as in `Name <address>`.
    pub author: String,
    /// When, in ISO 8601.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

impl Commit {
    /// The start of its id, as people write it.
    pub fn short(&self) -> &str {
        &self.id[..self.id.len().min(10)]
    }

    /// Its name for people.
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.short(), self.subject)
    }
}

/// The way from GOOD to BAD: each commit is the next version.
#[derive(Clone, Debug)]
pub struct History {
    pub(crate) repository: Repository,
    /// The id of GOOD.
    pub good: String,
    /// The id of BAD.
    pub bad: String,
    /// The last commit that both have in their past: GOOD itself, if BAD was made from it.
    pub merge_base: String,
    /// The versions after GOOD along the first parents, up to BAD. If BAD was not made from GOOD, the first one is their merge
    /// base. A merge stands for all that came in with it; see [`History::sides`].
    pub commits: Vec<Commit>,
}

const FORMAT: &str = "--format=%H%x00%P%x00%an <%ae>%x00%aI%x00%s";

impl Repository {
    /// Describes one commit.
    pub fn commit(&self, revision: &str) -> Result<Commit, PatchError> {
        let commits = self.commits(&["--no-walk", &self.resolve(revision)?])?;
        Ok(commits.into_iter().next().expect("it was resolved"))
    }

    /// The id of the last commit that two revisions have in their past.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<String, PatchError> {
        let (one_id, other_id) = (self.resolve(one)?, self.resolve(other)?);
        match self.text(&["merge-base", &one_id, &other_id]) {
            Ok(id) => Ok(id.trim_end().to_owned()),
            // Git prints nothing if there is none.
            Err(PatchError::Git { message, .. }) if message.is_empty() => {
                Err(PatchError::NoCommonHistory {
                    good: one.to_owned(),
                    bad: other.to_owned(),
                })
            }
            Err(error) => Err(error),
        }
    }

    /// The commits that `git rev-list` gives for some arguments.
    pub(crate) fn commits(&self, arguments: &[&str]) -> Result<Vec<Commit>, PatchError> {
        let list = ["rev-list", "--no-commit-header", FORMAT];
        let text = self.text(&[&list[..], arguments].concat())?;
        Ok(text.lines().filter_map(parse).collect())
    }
}

fn parse(line: &str) -> Option<Commit> {
    let mut fields = line.splitn(5, '\0').map(str::to_owned);
    Some(Commit {
        id: fields.next()?,
        parents: fields
            .next()?
            .split_whitespace()
            .map(str::to_owned)
            .collect(),
        author: fields.next()?,
        date: fields.next()?,
        subject: fields.next()?,
    })
}

impl History {
    /// The commits between two revisions.
    pub fn between(repository: &Repository, good: &str, bad: &str) -> Result<Self, PatchError> {
        let (good_id, bad_id) = (repository.resolve(good)?, repository.resolve(bad)?);
        let merge_base = repository.merge_base(good, bad)?;
        let range = format!("{merge_base}..{bad_id}");
        // Where GOOD came in by a merge, the first parents before that merge lead past it.
        let after_base = repository.text(&["rev-list", "--ancestry-path", &range])?;
        let after_base: HashSet<&str> = after_base.lines().collect();
        let mut commits = repository.commits(&["--first-parent", "--reverse", &range])?;
        commits.retain(|commit| after_base.contains(commit.id.as_str()));
        if merge_base != good_id {
            commits.insert(0, repository.commit(&merge_base)?);
        }
        Ok(History {
            repository: repository.clone(),
            good: good_id,
            bad: bad_id,
            merge_base,
            commits,
        })
    }

    /// Refuses a partial clone that lacks what differs between the commits: nothing is fetched later.
    fn refuse_holes(&self) -> Result<(), PatchError> {
        let git = self.repository.git();
        if !git.is_partial() {
            return Ok(());
        }
        let without = format!("^{}", self.good);
        let options = ["rev-list", "--objects", "--missing=print"];
        let listing = git.output(&[&options[..], &[&self.bad, &without]].concat())?;
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

    /// The commits after one up to another, along first parents, that touch some paths. The newest comes first.
    pub fn touching(
        &self,
        (after, until): (&str, &str),
        paths: &[String],
    ) -> Result<Vec<Commit>, PatchError> {
        let range = format!("{after}..{until}");
        let mut arguments = vec!["--first-parent", &range, "--"];
        arguments.extend(paths.iter().map(String::as_str));
        self.repository.commits(&arguments)
    }

    /// For a merge, the commits that came in with each parent but the first, oldest first.
    pub fn sides(&self, commit: &Commit) -> Result<Vec<Vec<Commit>>, PatchError> {
        let side = |parent: &String| {
            let without = [
                format!("^{}", commit.parents[0]),
                format!("^{}", self.merge_base),
            ];
            let arguments = [
                "--topo-order",
                "--reverse",
                parent,
                &without[0],
                &without[1],
            ];
            self.repository.commits(&arguments)
        };
        commit.parents.iter().skip(1).map(side).collect()
    }
}

/// The trees of the commits of a history, over GOOD as the base tree.
pub struct CommitTrees {
    history: History,
    /// The paths of GOOD.
    good: HashSet<String>,
    /// Paths that are the same in all versions, whatever the commits have there.
    carried: Vec<String>,
    /// The only paths that differ from GOOD, if there are any.
    only: Vec<String>,
    store: Mutex<Store>,
}

/// Contents that were read, by the ids of their blobs.
struct Store {
    objects: ObjectReader,
    contents: HashMap<String, Arc<[u8]>>,
}

impl CommitTrees {
    /// The versions of a history. A partial clone must have all that differs between them.
    pub fn new(history: History) -> Result<Self, PatchError> {
        history.refuse_holes()?;
        let good = Version::revision(&history.repository, &history.good)?;
        let good = good.paths().map(|(path, _)| path.to_owned()).collect();
        let store = Mutex::new(Store {
            objects: history.repository.objects()?,
            contents: HashMap::new(),
        });
        Ok(CommitTrees {
            history,
            good,
            carried: Vec::new(),
            only: Vec::new(),
            store,
        })
    }

    /// The same versions, but at these paths and below them all have what the base tree has.
    pub fn carrying(self, paths: Vec<String>) -> Self {
        CommitTrees {
            carried: paths,
            ..self
        }
    }

    /// The same versions, but only at these paths and below them, if there are any. Elsewhere all have what GOOD has.
    pub fn only(self, paths: Vec<String>) -> Self {
        CommitTrees {
            only: paths,
            ..self
        }
    }

    /// The commits.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The tree of any commit, as entries over GOOD.
    pub fn entries(&self, commit: &str) -> Result<Entries, PatchError> {
        let arguments = [
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--no-ext-diff",
        ];
        let arguments = [&arguments[..], &[&self.history.good, commit]].concat();
        let listing = self.history.repository.output(&arguments)?;
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.fetch(&self.history.repository, &listing)?;
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

    /// Refuses a tree in which something lies below a path that is no directory. Git allows a name twice in a tree.
    fn check(&self, entries: &Entries) -> Result<(), PatchError> {
        let is_there = |path: &str| match entries.get(path) {
            Some(entry) => *entry != Entry::Absent,
            None => self.good.contains(path),
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
