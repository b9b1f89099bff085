//! The commits that atoms come from.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use crate::space::chosen;
use crate::{AtomSet, Commit, FileChange, FileEdit, History, PatchError, VersionDifference};

/// Up to this many ranges, git gets them one by one. With more, it looks at the whole file.
const RANGES: usize = 200;

/// In up to this many files, git is asked for the commit of each line: every file takes it a walk through the history.
const FILES: usize = 50;

impl History {
    /// Which of these atoms come from some commits. Git looks only at the files that those commits touch. If these are too
    /// many to look at each line, all atoms in them count.
    pub fn atoms_of(
        &self,
        difference: &VersionDifference,
        atoms: &AtomSet,
        commits: &[Commit],
    ) -> Result<BTreeSet<usize>, PatchError> {
        let touched = self.touched(commits)?;
        let mut touched_changes = Vec::new();
        for change in &difference.changes {
            let own = chosen(change, atoms);
            let sides = change.old.iter().chain(&change.new);
            if !own.is_empty() && sides.into_iter().any(|(path, _)| touched.contains(path)) {
                touched_changes.push((change, own));
            }
        }
        let all = |(change, own): &(&FileChange, AtomSet)| {
            let first = change.first;
            own.iter()
                .map(|place| first + place)
                .collect::<Vec<usize>>()
        };
        if touched_changes.len() > FILES {
            return Ok(touched_changes.iter().flat_map(all).collect());
        }
        let mut blame = BTreeMap::new();
        for (change, own) in &touched_changes {
            let places: Vec<usize> = own.iter().collect();
            self.blame_change(change, &places, &mut blame)?;
        }
        let is_theirs = |id: &String| commits.iter().any(|commit| commit.id == *id);
        let theirs = blame.into_iter().filter(|(_, id)| is_theirs(id));
        Ok(theirs.map(|(atom, _)| atom).collect())
    }

    /// The paths that some commits change, as they are called then and as they are called in BAD.
    fn touched(&self, commits: &[Commit]) -> Result<BTreeSet<String>, PatchError> {
        let Some(last) = commits.last() else {
            return Ok(BTreeSet::new());
        };
        // A merge changes what differs from its first parent.
        let options = [
            "log",
            "--no-walk=unsorted",
            "-z",
            "--format=",
            "-m",
            "--first-parent",
            "--no-ext-diff",
            "--no-renames",
            "--name-only",
        ];
        let ids: Vec<&str> = commits.iter().map(|commit| commit.id.as_str()).collect();
        let listing = self.repository.text(&[&options[..], &ids].concat())?;
        let names = listing.split('\0').filter(|name| !name.is_empty());
        let mut touched: BTreeSet<String> = names.map(str::to_owned).collect();
        let options = ["diff-tree", "-r", "-z", "--no-ext-diff", "-M"];
        let sides = ["--diff-filter=R", "--name-status", &last.id, &self.bad];
        let renamed = self.repository.text(&[&options[..], &sides].concat())?;
        let mut fields = renamed.split('\0');
        // The status, the old path, the new path.
        while let (Some(_), Some(old), Some(new)) = (fields.next(), fields.next(), fields.next()) {
            if touched.contains(old) {
                touched.insert(new.to_owned());
            }
        }
        Ok(touched)
    }

    /// The id of the commit that each of these atoms comes from: the commit that wrote an added line, that removed a removed
    /// line, or that last changed a whole file. Atoms that git knows nothing about are left out. Git looks only at the files
    /// of these atoms.
    pub fn blame(
        &self,
        difference: &VersionDifference,
        atoms: &AtomSet,
    ) -> Result<BTreeMap<usize, String>, PatchError> {
        let mut blame = BTreeMap::new();
        for change in &difference.changes {
            let own = chosen(change, atoms);
            if !own.is_empty() {
                let places: Vec<usize> = own.iter().collect();
                self.blame_change(change, &places, &mut blame)?;
            }
        }
        Ok(blame)
    }

    fn blame_change(
        &self,
        change: &FileChange,
        places: &[usize],
        blame: &mut BTreeMap<usize, String>,
    ) -> Result<(), PatchError> {
        let lines = |side: fn(&crate::LineEdit) -> &Range<u32>| -> Vec<(usize, u32)> {
            let line = |place: &usize| match &change.edits[*place] {
                FileEdit::Line(edit) if !side(edit).is_empty() => Some((*place, side(edit).start)),
                _ => None,
            };
            places.iter().filter_map(line).collect()
        };
        let is_replaced = |place: usize| matches!(&change.edits[place], FileEdit::Line(edit) if !edit.new.is_empty());
        if let Some((path, _)) = &change.new {
            let added = lines(|edit| &edit.new);
            let writers = self.writers(path, &added)?;
            for (place, line) in added {
                blame.extend(
                    writers
                        .get(&line)
                        .map(|id| (change.first + place, id.clone())),
                );
            }
        }
        if let Some((path, _)) = &change.old {
            let mut removed = lines(|edit| &edit.old);
            removed.retain(|(place, _)| !is_replaced(*place));
            let removers = self.removers(path, &removed)?;
            for (place, line) in removed {
                blame.extend(
                    removers
                        .get(&line)
                        .map(|id| (change.first + place, id.clone())),
                );
            }
        }
        for place in places {
            if !matches!(change.edits[*place], FileEdit::Line(_)) {
                let id = self.last_with(change, change.edits[*place] == FileEdit::Create)?;
                blame.extend(id.map(|id| (change.first + place, id)));
            }
        }
        Ok(())
    }

    /// Who wrote lines of BAD since the common past.
    fn writers(
        &self,
        path: &str,
        lines: &[(usize, u32)],
    ) -> Result<HashMap<u32, String>, PatchError> {
        let range = format!("{}..{}", self.merge_base, self.bad);
        let Annotation {
            mut of_line,
            boundaries,
        } = self.annotate(&[], &range, path, lines)?;
        of_line.retain(|_, id| !boundaries.contains(id));
        Ok(of_line)
    }

    /// Who removed lines of GOOD: git says where a line was last seen along the first parents, so the next commit removed it.
    /// If BAD was not made from GOOD, this is unknown.
    fn removers(
        &self,
        path: &str,
        lines: &[(usize, u32)],
    ) -> Result<HashMap<u32, String>, PatchError> {
        if self.merge_base != self.good {
            return Ok(HashMap::new());
        }
        let range = format!("{}..{}", self.good, self.bad);
        let options = ["--reverse", "--first-parent"];
        let annotation = match self.annotate(&options, &range, path, lines) {
            // GOOD came in by a merge: it is not among the first parents.
            Err(PatchError::Git { .. }) => return Ok(HashMap::new()),
            annotation => annotation?,
        };
        let ids = self.commits.iter().map(|commit| commit.id.as_str());
        let next: HashMap<&str, &str> = [self.good.as_str()]
            .into_iter()
            .chain(ids.clone())
            .zip(ids)
            .collect();
        let remover =
            |(line, last): (u32, String)| Some((line, (*next.get(last.as_str())?).to_owned()));
        Ok(annotation.of_line.into_iter().filter_map(remover).collect())
    }

    /// The last commit that changed, or that created, the file of a change.
    fn last_with(
        &self,
        change: &FileChange,
        is_creation: bool,
    ) -> Result<Option<String>, PatchError> {
        let range = format!("{}..{}", self.merge_base, self.bad);
        let filter = if is_creation {
            "--diff-filter=A"
        } else {
            "--diff-filter=ACDMRT"
        };
        let options = [
            "log",
            "-1",
            "--format=%H",
            "--no-renames",
            filter,
            &range,
            "--",
        ];
        let sides = change.old.iter().chain(&change.new);
        let paths: Vec<String> = sides
            .map(|(path, _)| format!(":(top,literal){path}"))
            .collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let id = self.repository.text(&[&options[..], &paths].concat())?;
        Ok(Some(id.trim_end().to_owned()).filter(|id| !id.is_empty()))
    }

    fn annotate(
        &self,
        options: &[&str],
        range: &str,
        path: &str,
        lines: &[(usize, u32)],
    ) -> Result<Annotation, PatchError> {
        if lines.is_empty() {
            return Ok(Annotation::default());
        }
        let runs: Vec<String> = lines
            .chunk_by(|one, next| one.1 + 1 == next.1)
            .map(|run| format!("-L{},{}", run[0].1 + 1, run[run.len() - 1].1 + 1))
            .collect();
        let mut arguments = vec!["blame", "--porcelain"];
        arguments.extend_from_slice(options);
        if runs.len() <= RANGES {
            arguments.extend(runs.iter().map(String::as_str));
        }
        arguments.extend([range, "--", path]);
        Ok(Annotation::parse(&self.repository.output(&arguments)?))
    }
}

/// What `git blame --porcelain` prints.
#[derive(Default)]
struct Annotation {
    /// The commit of each line, counted from 0.
    of_line: HashMap<u32, String>,
    /// Commits at the start of the range, which may not have written their lines.
    boundaries: HashSet<String>,
}

impl Annotation {
    fn parse(output: &[u8]) -> Self {
        let mut annotation = Annotation::default();
        let mut id = None;
        for line in output.split(|byte| *byte == b'\n') {
            // The line itself follows its description.
            if line.first() == Some(&b'\t') {
                id = None;
                continue;
            }
            let text = String::from_utf8_lossy(line);
            match &id {
                None => {
                    let mut fields = text.split(' ');
                    let commit = fields.next().unwrap_or_default().to_owned();
                    // "<id> <line there> <line here>"
                    if let Some(number) =
                        fields.nth(1).and_then(|number| number.parse::<u32>().ok())
                    {
                        annotation.of_line.insert(number - 1, commit.clone());
                        id = Some(commit);
                    }
                }
                Some(commit) if text == "boundary" => {
                    annotation.boundaries.insert(commit.clone());
                }
                Some(_) => {}
            }
        }
        annotation
    }
}
impl VersionDifference {
    /// Neighbouring atoms of one hunk and one commit.
    pub(crate) fn runs<'a>(
        &self,
        atoms: &AtomSet,
        blame: &'a BTreeMap<usize, String>,
    ) -> Vec<(AtomSet, Option<&'a str>)> {
        let hunk = |atom: usize| match self.edit(atom) {
            FileEdit::Line(edit) => Some((self.change_of(atom), edit.hunk)),
            _ => None,
        };
        let atoms: Vec<usize> = atoms.iter().collect();
        let belongs = |one: &usize, next: &usize| {
            one + 1 == *next
                && hunk(*one).is_some()
                && hunk(*one) == hunk(*next)
                && blame.get(one) == blame.get(next)
        };
        atoms
            .chunk_by(belongs)
            .map(|run| {
                let id = blame.get(&run[0]).map(String::as_str);
                (AtomSet::of(self.atoms(), run.iter().copied()), id)
            })
            .collect()
    }
}
