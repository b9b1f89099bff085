//! The commits between two revisions.

use std::collections::HashSet;

use crate::{Entries, PatchError, Repository, RevisionTrees};

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
    pub fn commits(&self, arguments: &[&str]) -> Result<Vec<Commit>, PatchError> {
        let list = ["rev-list", "--no-commit-header", FORMAT];
        let text = self.text(&[&list[..], arguments].concat())?;
        Ok(text.lines().filter_map(parse).collect())
    }

    /// The same without what is missing from the store, and what only leads there.
    ///
    /// # Errors
    /// If git cannot list anything.
    pub fn commits_that_are_there(&self, arguments: &[&str]) -> Result<Vec<Commit>, PatchError> {
        self.commits(&[&["--missing=allow-any"], arguments].concat())
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

    /// For a merge, the commits of each parent along first parents that a version does not have in its past, oldest first.
    pub fn sides(&self, merge: &Commit, passing: &str) -> Result<Vec<Vec<Commit>>, PatchError> {
        let without = [format!("^{passing}"), format!("^{}", self.merge_base)];
        let side = |parent: &String| {
            let arguments = [
                "--first-parent",
                "--reverse",
                parent,
                &without[0],
                &without[1],
            ];
            self.repository.commits(&arguments)
        };
        let sides: Result<Vec<_>, _> = merge.parents.iter().map(side).collect();
        Ok(sides?.into_iter().filter(|side| !side.is_empty()).collect())
    }

    /// Describes a commit of the repository.
    pub(crate) fn commit(&self, id: &str) -> Result<Commit, PatchError> {
        self.repository.commit(id)
    }
}

/// The trees of the commits of a history, over GOOD as the base tree.
pub struct CommitTrees {
    history: History,
    trees: RevisionTrees,
}

impl CommitTrees {
    /// The versions of a history. A partial clone must have all that differs between them.
    pub fn new(history: History) -> Result<Self, PatchError> {
        let trees = RevisionTrees::new(&history.repository, &history.good, &history.bad)?;
        Ok(CommitTrees { history, trees })
    }

    /// The same versions, but at these paths and below them all have what the base tree has.
    pub fn carrying(self, paths: Vec<String>) -> Self {
        CommitTrees {
            trees: self.trees.carrying(paths),
            ..self
        }
    }

    /// The same versions, but only at these paths and below them, if there are any. Elsewhere all have what GOOD has.
    pub fn only(self, paths: Vec<String>) -> Self {
        CommitTrees {
            trees: self.trees.only(paths),
            ..self
        }
    }

    /// The commits.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The tree of any commit, as entries over GOOD.
    pub fn entries(&self, commit: &str) -> Result<Entries, PatchError> {
        self.trees.entries(commit)
    }
}
