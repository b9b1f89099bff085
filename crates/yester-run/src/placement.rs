//! The way from what a worker's directory holds to the next candidate.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yester_core::{Candidate, Entry, Hash};

use crate::warden::{Placement, Touched, TreeEdit, TreeStart};
use crate::wire::Bytes;
use crate::{Action, Subject};

/// What a worker's directory holds.
#[derive(Default)]
pub(crate) struct Held {
    /// What its tree is a copy of, and what it has in place of the entries of that. Nothing when that is not known.
    entries: Option<(Hash, BTreeMap<String, Entry>)>,
    /// What the last trial has changed of it.
    touched: Touched,
    /// Whether a build was ended in the middle of it: what it was writing then looks finished to the next build.
    is_half_built: bool,
}

impl Held {
    /// Takes note of what a trial has changed. It is put right for the next one.
    pub(crate) fn touch(&mut self, touched: Touched) {
        self.touched = touched;
    }

    /// Takes note that the last trial was ended while it may have been building.
    pub(crate) fn distrust(&mut self) {
        self.is_half_built = true;
    }
}

/// How to get from what a worker holds to the candidate, which it holds afterwards. `trees` says where trees lie.
pub(crate) fn placement(
    action: &Action,
    held: &mut Held,
    trees: &HashMap<Hash, PathBuf>,
) -> io::Result<Placement> {
    let before = std::mem::take(held);
    Ok(match (&*action.subject, &action.candidate) {
        (Subject::File { name, executable }, Candidate::File(content)) => Placement::File {
            name: name.clone(),
            content: Bytes(Arc::clone(content)),
            executable: *executable,
        },
        (Subject::Files | Subject::Here { .. }, Candidate::Tree(entries)) => Placement::Tree {
            base: OsString::new(),
            start: TreeStart::New,
            candidate: None,
            edits: entries
                .iter()
                .map(|(path, entry)| (path.clone(), edit(entry)))
                .collect(),
        },
        (Subject::Tree { base }, Candidate::Tree(entries)) => {
            tree(base, entries, action.fresh, (before, held), trees)?
        }
        (
            Subject::FileInTree {
                base,
                path,
                executable,
            },
            Candidate::File(content),
        ) => {
            let file = Entry::File {
                content: Arc::clone(content),
                executable: *executable,
            };
            let entries = BTreeMap::from([(path.clone(), file)]);
            let mut placement = tree(base, &entries, action.fresh, (before, held), trees)?;
            if let Placement::Tree { candidate, .. } = &mut placement {
                *candidate = Some(path.clone());
            }
            placement
        }
        _ => unreachable!("a space renders candidates of its own subject"),
    })
}

/// A tree with these entries in place of its own. `held` then says that the worker holds it.
fn tree(
    base: &Hash,
    entries: &BTreeMap<String, Entry>,
    fresh: bool,
    (before, held): (Held, &mut Held),
    trees: &HashMap<Hash, PathBuf>,
) -> io::Result<Placement> {
    let place = trees.get(base).ok_or_else(|| {
        io::Error::other("nobody has said where the tree lies that trials start from")
    })?;
    let Held {
        entries: before,
        touched,
        is_half_built,
    } = before;
    let before = before.filter(|(known, _)| known == base);
    let before = before.map(|(_, entries)| entries);
    let Touched {
        changed,
        doubtful,
        can_be_cleaned,
    } = touched;
    let (start, before) = match before {
        Some(before) if !fresh && !is_half_built => (TreeStart::Used, before),
        Some(before) if can_be_cleaned => (TreeStart::Clean, before),
        _ => (TreeStart::New, BTreeMap::new()),
    };
    let touched: BTreeSet<String> = match start {
        TreeStart::New => BTreeSet::new(),
        TreeStart::Clean => changed.into_iter().chain(doubtful).collect(),
        TreeStart::Used => changed.into_iter().collect(),
    };
    held.entries = Some((*base, entries.clone()));
    Ok(Placement::Tree {
        base: place.clone().into(),
        start,
        candidate: None,
        edits: edits(&before, &touched, entries),
    })
}

/// The steps from one set of entries to another, where some files are not what they should be.
fn edits(
    before: &BTreeMap<String, Entry>,
    touched: &BTreeSet<String>,
    entries: &BTreeMap<String, Entry>,
) -> Vec<(String, TreeEdit)> {
    let restored: BTreeSet<&str> = before
        .keys()
        .chain(touched)
        .filter(|path| !entries.contains_key(*path))
        .map(String::as_str)
        .collect();
    let is_below = |path: &str, found: &dyn Fn(&str) -> bool| {
        let above = Path::new(path).ancestors().skip(1);
        above.filter_map(Path::to_str).any(found)
    };
    let mut edits: Vec<(String, TreeEdit)> = Vec::new();
    for path in &restored {
        // What the base has below something that the candidate puts there itself is not to come back.
        let is_hidden = is_below(path, &|above| entries.contains_key(above));
        let edit = if is_hidden {
            TreeEdit::Remove
        } else {
            TreeEdit::Restore
        };
        edits.push(((*path).to_owned(), edit));
    }
    for (path, entry) in entries {
        if before.get(path) != Some(entry)
            || touched.contains(path)
            // A directory that comes back has all that the base has in it.
            || is_below(path, &|above| restored.contains(above))
        {
            edits.push((path.clone(), edit(entry)));
        }
    }
    // What goes makes room first. What comes back comes before what is written: it may be a directory around it.
    edits.sort_by_key(|(path, edit)| match edit {
        TreeEdit::Remove if !is_below(path, &|above| restored.contains(above)) => 0,
        TreeEdit::Restore => 1,
        TreeEdit::Remove => 2,
        TreeEdit::Write { .. } | TreeEdit::Symlink(_) => 3,
    });
    edits
}

fn edit(entry: &Entry) -> TreeEdit {
    match entry {
        Entry::File {
            content,
            executable,
        } => TreeEdit::Write {
            content: Bytes(Arc::clone(content)),
            executable: *executable,
        },
        Entry::Symlink(target) => TreeEdit::Symlink(Bytes(Arc::clone(target))),
        Entry::Absent => TreeEdit::Remove,
    }
}
