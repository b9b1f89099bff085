//! Sets of atoms as versions, as patches, and as they are reported.

use yester_core::{Candidate, Infeasible, Outcome, Space, Subset};
use yester_patch::{AtomSet, ChangeSpace, ChangeSpan, DeltaLevel, FileEdit, patch};
use yester_report::{ChangedLines, ReportedCommit, TestOutcome};
use yester_run::{Stage, Trial};

use super::failed;
use crate::failure::Failure;

/// A step from one version to another, as a patch.
pub struct PatchStep {
    pub space: ChangeSpace,
    pub from: AtomSet,
    pub to: AtomSet,
}

impl PatchStep {
    /// How many lines it removes and adds. The file that a line is in is no line.
    pub fn lines(&self) -> u64 {
        let patch = self.patch().unwrap_or_default();
        let lines = patch.split(|byte| *byte == b'\n');
        let is_change = |line: &&[u8]| {
            matches!(line.first(), Some(b'+' | b'-'))
                && !line.starts_with(b"+++ ")
                && !line.starts_with(b"--- ")
        };
        lines.filter(is_change).count() as u64
    }

    pub fn patch(&self) -> Result<Vec<u8>, Failure> {
        patch::write(&self.space, &self.from, &self.to).map_err(|error| failed(&error))
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

/// What to take out of a version so that some changes are gone: the changes alone, then with the rest of their hunks, of
/// their entities, and with all that needs these.
pub fn wider(space: &ChangeSpace, atoms: &AtomSet) -> Vec<AtomSet> {
    let all = AtomSet::full(atoms.universe());
    let mut sets = Vec::new();
    sets.extend(only_lines(space, atoms));
    sets.push(with_all_of_created(space, atoms));
    for level in [DeltaLevel::Hunk, DeltaLevel::Entity] {
        let whole = space.of(&all, level);
        let around = whole.atoms(&whole.deltas_of(atoms));
        sets.push(with_all_of_created(space, &around));
    }
    let entities = space.of(&all, DeltaLevel::Entity);
    let rest = Subset::full(entities.len()).difference(&entities.deltas_of(atoms));
    let rest = entities.knowledge().interior(&rest);
    sets.push(all.difference(&entities.atoms(&rest)));
    sets.dedup();
    sets
}

/// The lines among these changes of files that stay: a file that is created with other lines stays with those. Nothing if
/// a file comes with no line of its own.
fn only_lines(space: &ChangeSpace, atoms: &AtomSet) -> Option<AtomSet> {
    let mut lines = atoms.clone();
    for change in &space.difference().changes {
        let mut of_change = change.first..change.first + change.edits.len();
        let is_created = change.edits.first() == Some(&FileEdit::Create);
        if is_created && atoms.contains(change.first) {
            let has_other_lines = of_change.any(|atom| !atoms.contains(atom));
            let has_lines = (change.first + 1..change.first + change.edits.len())
                .any(|atom| atoms.contains(atom));
            if has_other_lines && !has_lines {
                return None;
            }
            if has_other_lines {
                lines = lines.without(&[change.first]);
            }
        }
    }
    Some(lines)
}

/// How many files these changes are in.
pub fn files(space: &ChangeSpace, atoms: &AtomSet) -> u64 {
    space.of(atoms, DeltaLevel::File).len() as u64
}

/// Changes as they are reported.
pub fn changed_lines(
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

pub fn report_commit(commit: &yester_patch::Commit) -> ReportedCommit {
    ReportedCommit {
        id: commit.id.clone(),
        author: commit.author.clone(),
        date: commit.date.clone(),
        subject: commit.subject.clone(),
    }
}

/// A patch that is short enough to be shown.
pub fn short_text(patch: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(patch).ok()?;
    let is_plain = |character: char| !character.is_control() || "\n\t\r".contains(character);
    let is_short = text.len() <= 4000 && text.lines().count() <= 40;
    (is_short && !text.is_empty() && text.chars().all(is_plain)).then(|| text.to_owned())
}

pub fn outcome(trial: &Trial) -> Outcome {
    trial.outcome.unwrap_or(Outcome::Unresolved)
}

/// How a run ended, in words.
pub fn ending(trial: &Trial) -> String {
    match trial.stage {
        Stage::Build => format!("the build fails with {}", trial.ending),
        Stage::Test => trial.ending.to_string(),
    }
}

pub fn reported(outcome: Outcome) -> TestOutcome {
    match outcome {
        Outcome::Pass => TestOutcome::Pass,
        Outcome::Fail => TestOutcome::Fail,
        Outcome::Unresolved => TestOutcome::Unresolved,
    }
}
