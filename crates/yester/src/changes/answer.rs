//! From sets of atoms to what is reported and written about them.

use std::collections::{BTreeMap, HashMap};

use yester_core::{Candidate, Infeasible, Outcome, Space, Subset};
use yester_patch::{
    AtomSet, ChangeSpace, ChangeSpan, CommitTrees, DeltaLevel, FileEdit, Part, PatchError, patch,
};
use yester_report::{ChangedLines, ChangesResult, CulpritSet, ReportedCommit, Verified};

use super::Work;
use super::output::marked;
use super::side::failed;
use crate::failure::{Exit, Failure};
use crate::{output, quote};

/// Changes that make GOOD fail as BAD does.
pub struct Set {
    pub atoms: AtomSet,
    pub parts: Vec<(AtomSet, Option<Outcome>)>,
    pub commit: Option<yester_patch::Commit>,
    pub is_minimal_by_line: bool,
    pub verified: Verified,
}

impl Set {
    /// What is known before anything is shown about the parts.
    pub fn unproved(space: &ChangeSpace, atoms: AtomSet) -> Set {
        let hunks = space.of(&atoms, DeltaLevel::Hunk);
        let part = |hunk| (hunks.atoms(&Subset::of(hunks.len(), [hunk])), None);
        Set {
            parts: (0..hunks.len()).map(part).collect(),
            atoms,
            commit: None,
            is_minimal_by_line: false,
            verified: Verified::default(),
        }
    }

    pub fn with_parts(mut self, parts: Vec<Part>) -> Set {
        self.parts = parts
            .into_iter()
            .map(|part| (part.atoms, part.without))
            .collect();
        self
    }
}

/// What was found so far.
#[derive(Default)]
pub struct Found {
    pub sets: Vec<Set>,
    /// With `--isolate`: the changes of the version that passes.
    pub passing: Option<AtomSet>,
}

impl Found {
    /// The changes of all sets.
    pub fn atoms(&self, universe: usize) -> AtomSet {
        let all = self.sets.iter().map(|set| &set.atoms);
        all.fold(AtomSet::empty(universe), |sum, atoms| sum.union(atoms))
    }
}

/// The version with exactly these changes.
pub fn version(space: &ChangeSpace, atoms: &AtomSet) -> Result<Candidate, Infeasible> {
    let part = space.of(atoms, DeltaLevel::File);
    part.render(&Subset::full(part.len()))
}

/// What has to go when these changes are taken out of BAD: a file that is not created has no lines either.
pub fn with_all_of_created(space: &ChangeSpace, atoms: &AtomSet) -> AtomSet {
    let difference = space.difference();
    let mut all = atoms.clone();
    for atom in atoms
        .iter()
        .filter(|atom| *difference.edit(*atom) == FileEdit::Create)
    {
        let change = &difference.changes[difference.change_of(atom)];
        (0..change.edits.len()).for_each(|place| all.insert(change.first + place));
    }
    all
}

/// How many lines these changes remove and add.
pub fn lines(space: &ChangeSpace, atoms: &AtomSet) -> u64 {
    let difference = space.difference();
    atoms.iter().map(|atom| difference.weight(atom)).sum()
}

impl Work<'_> {
    /// Writes the patches and says what they are.
    pub(super) fn write(&mut self, found: &Found) -> Result<ChangesResult, Failure> {
        let space = &self.job.space;
        let universe = space.difference().atoms();
        let all = found.atoms(universe);
        let good = found
            .passing
            .clone()
            .unwrap_or_else(|| AtomSet::empty(universe));
        let (the_good, the_bad) = (&self.job.good.word, &self.job.bad.word);
        let mut text = Vec::new();
        let mut sets = Vec::new();
        for (number, set) in found.sets.iter().enumerate() {
            let path = self.job.outputs.culprit(number + 1);
            let culprit = patch::write(space, &good, &good.union(&set.atoms));
            let culprit = culprit.map_err(|error| failed(&error))?;
            let what = match &found.passing {
                Some(_) => {
                    format!("with this, {the_good} with passing.patch fails as {the_bad} does")
                }
                None => format!("with this, {the_good} fails as {the_bad} does"),
            };
            self.put(&path, &what, &culprit)?;
            text.extend_from_slice(&culprit);
            sets.push(CulpritSet {
                files: files(space, &set.atoms),
                hunks: space.of(&set.atoms, DeltaLevel::Hunk).len() as u64,
                lines: lines(space, &set.atoms),
                culprit_patch: path.display().to_string(),
                one_minimal: set.is_minimal_by_line,
                verified: set.verified.clone(),
            });
        }
        let fix = patch::fix_patch(space, &with_all_of_created(space, &all))
            .map_err(|error| failed(&error))?;
        let what = format!("takes the culprit out of {the_bad}");
        self.put(&self.job.outputs.fix(), &what, &fix)?;
        let mut passing_patch = None;
        if let Some(passing) = &found.passing {
            let path = self.job.outputs.passing();
            let patch = patch::culprit_patch(space, passing).map_err(|error| failed(&error))?;
            let what = format!("makes of {the_good} the version that passes");
            self.put(&path, &what, &patch)?;
            passing_patch = Some(path.display().to_string());
        }
        let first = found.sets.first();
        let last = found.sets.last();
        let verified = |set: Option<&Set>| set.map(|set| set.verified.clone()).unwrap_or_default();
        Ok(ChangesResult {
            changes: self.changes(found)?,
            files: files(space, &all),
            hunks: space.of(&all, DeltaLevel::Hunk).len() as u64,
            lines: lines(space, &all),
            original_lines: self.lines,
            culprit_patch: self.job.outputs.culprit(1).display().to_string(),
            fix_patch: self.job.outputs.fix().display().to_string(),
            passing_patch,
            passing_lines: found.passing.as_ref().map(|atoms| lines(space, atoms)),
            verified: Verified {
                good_plus_culprit: verified(first).good_plus_culprit,
                ..verified(last)
            },
            one_minimal: found.sets.iter().all(|set| set.is_minimal_by_line),
            commit: first.and_then(|set| set.commit.as_ref()).map(report_commit),
            sets,
            text: short_text(&text),
        })
    }

    /// Writes a patch for the user, and a copy that stays with the run.
    fn put(&self, path: &std::path::Path, what: &str, patch: &[u8]) -> Result<(), Failure> {
        let call = quote::command(
            [&self.job.arguments.good, &self.job.arguments.bad].map(|word| word.as_os_str()),
        );
        let content = marked(&call, what, patch);
        let name = path.file_name().unwrap_or_default();
        // The user's own is the one that counts.
        let _ = self.run.write(name, &content);
        output::replace(path, &content, 0o644)
    }

    /// The changes one by one, with who made them.
    fn changes(&self, found: &Found) -> Result<Vec<ChangedLines>, Failure> {
        let space = &self.job.space;
        let all = found.atoms(space.difference().atoms());
        let blame = self.blame(&all)?;
        let mut commits: HashMap<&str, Option<ReportedCommit>> = HashMap::new();
        let mut changes = Vec::new();
        for (number, set) in found.sets.iter().enumerate() {
            for (atoms, without) in &set.parts {
                for (atoms, id) in runs(space, atoms, &blame) {
                    let commit = match (id, self.job.repository()) {
                        (Some(id), Some(repository)) => match commits.get(id) {
                            Some(known) => known.clone(),
                            None => {
                                let commit = told(repository.commit(id))?.map(|commit| {
                                    // Git does not look into merges for removed lines; the search has.
                                    let found = set.commit.as_ref();
                                    let found = found.filter(|_| commit.parents.len() > 1);
                                    report_commit(found.unwrap_or(&commit))
                                });
                                commits.insert(id, commit.clone());
                                commit
                            }
                        },
                        _ => None,
                    };
                    for span in space.difference().spans(&atoms) {
                        changes.push(changed_lines(span, commit.clone(), *without, number + 1));
                    }
                }
            }
        }
        Ok(changes)
    }

    fn blame(&self, atoms: &AtomSet) -> Result<BTreeMap<usize, String>, Failure> {
        let Some(history) = self.commits.as_ref().map(CommitTrees::history) else {
            return Ok(BTreeMap::new());
        };
        let blame = history.blame(self.job.space.difference(), atoms);
        if let Err(error) = &blame {
            let mut progress = self.progress.borrow_mut();
            progress.note(&format!("no blame: failed to {error}"));
        }
        Ok(told(blame)?.unwrap_or_default())
    }
}

/// What git knows, or nothing where it does not: the answer is the same then, only less told about. But a git that cannot
/// be started now may know it the next time.
fn told<T>(answer: Result<T, PatchError>) -> Result<Option<T>, Failure> {
    match answer {
        Err(error @ PatchError::Start(_)) => Err(Failure {
            exit: Exit::Limit,
            ..failed(&error)
        }),
        answer => Ok(answer.ok()),
    }
}

fn files(space: &ChangeSpace, atoms: &AtomSet) -> u64 {
    space.of(atoms, DeltaLevel::File).len() as u64
}

/// Neighbouring atoms of one hunk and one commit.
fn runs<'a>(
    space: &ChangeSpace,
    atoms: &AtomSet,
    blame: &'a BTreeMap<usize, String>,
) -> Vec<(AtomSet, Option<&'a str>)> {
    let difference = space.difference();
    let hunk = |atom: usize| match difference.edit(atom) {
        FileEdit::Line(edit) => Some((difference.change_of(atom), edit.hunk)),
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
            (AtomSet::of(difference.atoms(), run.iter().copied()), id)
        })
        .collect()
}

fn changed_lines(
    span: ChangeSpan,
    commit: Option<ReportedCommit>,
    without: Option<Outcome>,
    set: usize,
) -> ChangedLines {
    // As in a diff without context: no lines stand after the line that is named.
    let start =
        |lines: &std::ops::Range<u32>| u64::from(lines.start) + u64::from(!lines.is_empty());
    ChangedLines {
        old_start: start(&span.old),
        old_lines: span.old.len() as u64,
        new_start: start(&span.new),
        new_lines: span.new.len() as u64,
        file: span.path,
        kind: span.kind,
        commit,
        without: without.map(|outcome| outcome.to_string()),
        set,
    }
}

fn report_commit(commit: &yester_patch::Commit) -> ReportedCommit {
    ReportedCommit {
        id: commit.id.clone(),
        author: commit.author.clone(),
        date: commit.date.clone(),
        subject: commit.subject.clone(),
    }
}

/// A patch that is short enough to be shown.
fn short_text(patch: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(patch).ok()?;
    let is_plain = |character: char| !character.is_control() || "\n\t\r".contains(character);
    let is_short = text.len() <= 4000 && text.lines().count() <= 40;
    (is_short && !text.is_empty() && text.chars().all(is_plain)).then(|| text.to_owned())
}
