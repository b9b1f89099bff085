//! From sets of atoms to what is reported and written about them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use yester_core::{Candidate, Infeasible, Outcome, Space, Subset};
use yester_patch::{
    AtomSet, ChangeSpace, ChangeSpan, CommitTrees, DeltaLevel, FileEdit, PatchError, patch,
};
use yester_report::{ChangedLines, ChangesResult, CulpritSet, ReportedCommit, Verified};
use yester_run::RunDirectory;

use super::job::ChangesJob;
use super::output::marked;
use super::proof::reported;
use super::side::{Side, VersionPlace, failed};
use crate::failure::{Exit, Failure};
use crate::{output, quote};

/// Changes that make GOOD fail as BAD does.
pub struct CulpritChanges {
    pub atoms: AtomSet,
    /// The same by hunks, and what happens without each.
    pub hunks: Vec<(AtomSet, Option<Outcome>)>,
    pub commit: Option<yester_patch::Commit>,
    pub is_minimal_by_line: bool,
    /// With `--isolate`: the changes of the version that passes.
    pub passing: Option<AtomSet>,
    pub verified: Verified,
}

impl CulpritChanges {
    /// What is known before anything is shown about the hunks.
    pub fn unproved(space: &ChangeSpace, atoms: AtomSet) -> CulpritChanges {
        let hunks = space.of(&atoms, DeltaLevel::Hunk);
        let part = |hunk| (hunks.atoms(&Subset::of(hunks.len(), [hunk])), None);
        CulpritChanges {
            hunks: (0..hunks.len()).map(part).collect(),
            atoms,
            commit: None,
            is_minimal_by_line: false,
            passing: None,
            verified: Verified::default(),
        }
    }
}

/// The changes of all culprits.
pub fn union(universe: usize, found: &[CulpritChanges]) -> AtomSet {
    let all = found.iter().map(|culprit| &culprit.atoms);
    all.fold(AtomSet::empty(universe), |sum, atoms| sum.union(atoms))
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

impl ChangesJob {
    /// Writes the patches and says what they are.
    pub fn write_patches(
        &self,
        run: &RunDirectory,
        found: &[CulpritChanges],
    ) -> Result<ChangesResult, Failure> {
        let space = &self.space;
        let universe = space.difference().atoms();
        let all = union(universe, found);
        let passing = found.first().and_then(|first| first.passing.as_ref());
        let good = passing.cloned().unwrap_or_else(|| AtomSet::empty(universe));
        let (the_good, the_bad) = (&self.good.word, &self.bad.word);
        let mut text = Vec::new();
        let mut sets = Vec::new();
        for (number, set) in found.iter().enumerate() {
            let path = self.outputs.culprit(number + 1);
            let culprit = patch::write(space, &good, &good.union(&set.atoms));
            let culprit = culprit.map_err(|error| failed(&error))?;
            let what = match passing {
                Some(_) => {
                    format!("with this, {the_good} with passing.patch fails as {the_bad} does")
                }
                None => format!("with this, {the_good} fails as {the_bad} does"),
            };
            self.put(run, &path, &what, &culprit)?;
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
        self.put(run, &self.outputs.fix(), &what, &fix)?;
        let mut passing_patch = None;
        if let Some(passing) = passing {
            let path = self.outputs.passing();
            let patch = patch::culprit_patch(space, passing).map_err(|error| failed(&error))?;
            let what = format!("makes of {the_good} the version that passes");
            self.put(run, &path, &what, &patch)?;
            passing_patch = Some(path.display().to_string());
        }
        let (first, last) = (found.first(), found.last());
        let verified = |culprit: Option<&CulpritChanges>| {
            culprit
                .map(|culprit| culprit.verified.clone())
                .unwrap_or_default()
        };
        Ok(ChangesResult {
            changes: self.changes(found)?,
            files: files(space, &all),
            hunks: space.of(&all, DeltaLevel::Hunk).len() as u64,
            lines: lines(space, &all),
            original_lines: self.lines(),
            culprit_patch: self.outputs.culprit(1).display().to_string(),
            fix_patch: self.outputs.fix().display().to_string(),
            passing_patch,
            passing_lines: passing.map(|atoms| lines(space, atoms)),
            verified: Verified {
                good_plus_culprit: verified(first).good_plus_culprit,
                ..verified(last)
            },
            one_minimal: found.iter().all(|culprit| culprit.is_minimal_by_line),
            commit: first.and_then(|set| set.commit.as_ref()).map(report_commit),
            sets,
            text: short_text(&text),
        })
    }

    /// Writes a patch for the user, and a copy that stays with the run.
    fn put(
        &self,
        run: &RunDirectory,
        path: &Path,
        what: &str,
        patch: &[u8],
    ) -> Result<(), Failure> {
        let content = marked(&self.sides(), what, patch);
        let name = path.file_name().unwrap_or_default();
        // The user's own is the one that counts.
        let _ = run.write(name, &content);
        output::replace(path, &content, 0o644)
    }

    /// The changes one by one, with who made them.
    fn changes(&self, found: &[CulpritChanges]) -> Result<Vec<ChangedLines>, Failure> {
        let space = &self.space;
        let all = union(space.difference().atoms(), found);
        let blame = self.blame(&all)?;
        let mut commits: HashMap<&str, Option<ReportedCommit>> = HashMap::new();
        let mut changes = Vec::new();
        for (number, set) in found.iter().enumerate() {
            for (atoms, without) in &set.hunks {
                for (atoms, id) in runs(space, atoms, &blame) {
                    let commit = match (id, self.repository()) {
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
        let blame = history.blame(self.space.difference(), atoms);
        Ok(told(blame)?.unwrap_or_default())
    }

    /// How to apply the patches.
    pub fn how_to_apply(&self) -> String {
        let outputs = &self.outputs;
        let apply = |side: &Side, patches: &[&Path]| {
            let below = match &side.place {
                VersionPlace::Revision(_) => self.below.as_str(),
                VersionPlace::Directory(_) => "",
            };
            let patches = patches.iter();
            let patches: Vec<String> = patches
                .map(|patch| quote::word(Path::new(below).join(patch).as_os_str()))
                .collect();
            match &side.place {
                // Below the root, git passes over what lies elsewhere, and says nothing.
                VersionPlace::Revision(_) if !below.is_empty() => {
                    let up = vec![".."; below.split('/').count()].join("/");
                    format!("on {}: git -C {up} apply {}", side.word, patches.join(" "))
                }
                VersionPlace::Revision(_) => {
                    format!("on {}: git apply {}", side.word, patches.join(" "))
                }
                VersionPlace::Directory(_) => {
                    let directory = quote::word(side.word.as_ref());
                    let patch = |patch: &String| format!("patch -p1 -d {directory} < {patch}");
                    let patches: Vec<String> = patches.iter().map(patch).collect();
                    patches.join(" && ")
                }
            }
        };
        let (culprit, passing, fix) = (outputs.culprit(1), outputs.passing(), outputs.fix());
        let breaking: &[&Path] = match self.arguments.answer.isolate {
            true => &[&passing, &culprit],
            false => &[&culprit],
        };
        format!(
            "{} breaks it; {} takes it out",
            apply(&self.good, breaking),
            apply(&self.bad, &[&fix])
        )
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
        without: without.map(reported),
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
