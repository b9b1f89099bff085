//! From sets of atoms to what is reported and written about them.

use std::path::Path;

use yester_core::Space;
use yester_patch::patch::PatchSection;
use yester_patch::regression::{BrokenBy, Home, Relapse};
use yester_patch::{AtomSet, DeltaLevel, PatchError, PatchStep, patch};
use yester_report::{
    ChangedLines, ChangesResult, CulpritSet, ReportedRelapse, TestOutcome, Verified, quote,
};
use yester_run::RunDirectory;

use super::job::ChangesJob;
use crate::cli::ChangesArguments;
use crate::failure::Failure;
use crate::versions::{
    FIX_NAMES, Fixes, VersionPlace, changed_lines, failed, git_in_root, remove_fixes,
    report_commit, report_merge, short_text, shown_patch, unreadable,
};

/// With `--isolate` or `--algorithm`: the patch of the version that passes.
const PASSING: &str = "passing.patch";

/// More culprits than this are not expected to be there from another time.
const SETS: usize = 9;

/// The patch of a set, counted from 1.
fn culprit_name(set: usize) -> String {
    match set {
        1 => "culprit.patch".to_owned(),
        set => format!("culprit.{set}.patch"),
    }
}

/// The patches that an answer may have.
pub fn patch_names(arguments: &ChangesArguments) -> Vec<String> {
    let sets = if arguments.answer.all { SETS } else { 1 };
    let culprits = (1..=sets).map(culprit_name);
    let passing = may_isolate(arguments).then_some(PASSING);
    let others = FIX_NAMES.into_iter().chain(passing);
    culprits.chain(others.map(str::to_owned)).collect()
}

/// Whether the version that passes may be another than GOOD with none of the changes.
fn may_isolate(arguments: &ChangesArguments) -> bool {
    arguments.answer.isolate || arguments.algorithm.is_some()
}

/// A culprit, and what is known of it.
pub struct CulpritChanges {
    pub changes: BrokenBy,
    /// The same changes on GOOD, where they were found at another version and GOOD fails with them too.
    pub carried: Option<PatchStep>,
    /// What takes the changes out of BAD, which passes then.
    pub fixes: Option<Fixes>,
    /// Where the history has seen it before.
    pub relapse: Option<Relapse>,
    pub verified: Verified,
}

impl CulpritChanges {
    /// The patch that breaks a version.
    fn culprit(&self) -> Result<Vec<u8>, PatchError> {
        if let Some(carried) = &self.carried {
            return carried.patch();
        }
        let (from, to) = self.step();
        patch::write(&self.changes.space, &from, &to)
    }

    /// The same where it was found, whatever it applies to.
    fn sections(&self) -> Result<Vec<PatchSection>, PatchError> {
        let (from, to) = self.step();
        patch::sections(&self.changes.space, &from, &to)
    }

    /// The changes of the version that passes, and of the one that fails.
    fn step(&self) -> (AtomSet, AtomSet) {
        let BrokenBy { atoms, passing, .. } = &self.changes;
        let none = AtomSet::empty(atoms.universe());
        let from = passing.clone().unwrap_or(none);
        let to = from.union(atoms);
        (from, to)
    }

    /// What is known before anything is proved.
    pub fn unproved(changes: BrokenBy) -> CulpritChanges {
        CulpritChanges {
            changes,
            carried: None,
            fixes: None,
            relapse: None,
            verified: Verified::default(),
        }
    }

    /// Whether runs in clean trees have shown all that an answer should: with it the failure is there, without it BAD
    /// is judged.
    pub fn is_certain(&self) -> bool {
        let Verified {
            good_plus_culprit,
            bad_minus_culprit,
            ..
        } = &self.verified;
        let is_judged = |outcome: &Option<TestOutcome>| {
            outcome.is_some_and(|outcome| outcome != TestOutcome::Unresolved)
        };
        is_judged(good_plus_culprit) && is_judged(bad_minus_culprit)
    }

    /// The step at which it was found, if culprit.patch applies there and not to GOOD.
    fn away(&self) -> Option<&Home> {
        self.changes
            .home
            .as_deref()
            .filter(|_| self.carried.is_none())
    }
}

impl ChangesJob {
    /// The changes of all culprits between GOOD and BAD that were found.
    pub fn all_found(&self, found: &[CulpritChanges]) -> AtomSet {
        union(self.space.difference().atoms(), found)
    }

    /// Writes the patches and says what they are.
    pub fn write_patches(
        &self,
        run: &RunDirectory,
        found: &[CulpritChanges],
    ) -> Result<ChangesResult, Failure> {
        let first = found.first().expect("something was found");
        let space = &first.changes.space;
        let universe = space.difference().atoms();
        let all = union(universe, found);
        let (the_good, the_bad) = (&self.good.word, &self.bad.word);
        let base_word = first
            .away()
            .map_or_else(|| the_good.clone(), Home::base_word);
        let mut text = Vec::new();
        let mut sets = Vec::new();
        for (number, set) in found.iter().enumerate() {
            let culprit = set.culprit().map_err(|error| failed(&error))?;
            let with = match &set.changes.passing {
                Some(_) => format!("{base_word} with passing.patch"),
                None => base_word.clone(),
            };
            let what = format!("with this, {with} fails as {the_bad} does");
            let name = culprit_name(number + 1);
            let culprit_patch = self.outputs.put(run, &name, &what, &culprit)?;
            text.extend_from_slice(&culprit);
            sets.push(CulpritSet {
                files: space.files(&set.changes.atoms),
                hunks: space.of(&set.changes.atoms, DeltaLevel::Hunk).len() as u64,
                lines: space.lines(&set.changes.atoms),
                culprit_patch,
                one_minimal: set.changes.is_minimal_by_line,
                verified: set.verified.clone(),
                shown: shown_patch(set.sections().map_err(|error| failed(&error))?),
            });
        }
        let last = found.last().expect("something was found");
        let fixes = match &last.fixes {
            Some(fixes) => {
                let what = format!("takes the culprit out of {the_bad}");
                fixes.write(&self.outputs, run, &what)?
            }
            None => {
                remove_fixes(&self.outputs, &[]);
                Vec::new()
            }
        };
        let mut passing_patch = None;
        if let Some(passing) = &first.changes.passing {
            let patch = patch::culprit_patch(space, passing).map_err(|error| failed(&error))?;
            let what = format!("makes of {base_word} the version that passes");
            passing_patch = Some(self.outputs.put(run, PASSING, &what, &patch)?);
        } else if may_isolate(&self.arguments) {
            self.outputs.remove(PASSING);
        }
        Ok(ChangesResult {
            changes: self.changes(found)?,
            files: space.files(&all),
            hunks: space.of(&all, DeltaLevel::Hunk).len() as u64,
            lines: space.lines(&all),
            original_lines: self.lines(),
            base: match (first.away(), &self.good.place) {
                (Some(home), _) => home.base.id.clone(),
                (None, VersionPlace::Revision(commit)) => commit.id.clone(),
                (None, VersionPlace::Directory(_)) => self.good.word.clone(),
            },
            base_name: match first.away() {
                Some(_) => base_word.clone(),
                None => "good".to_owned(),
            },
            base_word,
            culprit_patch: sets[0].culprit_patch.clone(),
            fix_patch: fixes.first().map(|fix| fix.patch.clone()),
            also: fixes.first().and_then(|fix| fix.also.clone()),
            fixes,
            passing_patch,
            passing_lines: first
                .changes
                .passing
                .as_ref()
                .map(|atoms| space.lines(atoms)),
            verified: Verified {
                good_plus_culprit: first.verified.good_plus_culprit,
                ..last.verified.clone()
            },
            one_minimal: found
                .iter()
                .all(|culprit| culprit.changes.is_minimal_by_line),
            commit: first.changes.commit.as_ref().map(report_commit),
            suspects: match &first.changes.home {
                Some(home) if home.commit().is_none() => {
                    home.suspects.iter().map(report_commit).collect()
                }
                _ => Vec::new(),
            },
            merges: first.changes.merges.iter().map(report_merge).collect(),
            relapse: first.relapse.as_ref().map(|relapse| ReportedRelapse {
                came: report_commit(&relapse.came),
                went: report_commit(&relapse.went),
            }),
            sets,
            text: short_text(&text),
        })
    }

    /// The changes one by one, with who made them.
    fn changes(&self, found: &[CulpritChanges]) -> Result<Vec<ChangedLines>, Failure> {
        let mut changes = Vec::new();
        for (number, set) in found.iter().enumerate() {
            let blamed = self.compared().blame(&set.changes);
            for change in blamed.map_err(|error| unreadable(&error))? {
                let commit = change.commit.as_ref().map(report_commit);
                changes.push(changed_lines(
                    change.span,
                    commit,
                    change.without,
                    number + 1,
                ));
            }
        }
        Ok(changes)
    }

    /// How to apply the patches.
    pub fn how_to_apply(&self, result: Option<&ChangesResult>) -> String {
        let outputs = &self.outputs;
        let apply = |place: &VersionPlace, word: &str, patches: &[&Path]| {
            let below = match place {
                VersionPlace::Revision(_) => self.below.as_str(),
                VersionPlace::Directory(_) => "",
            };
            let patches = patches.iter();
            let patches: Vec<String> = patches
                .map(|patch| quote::word(Path::new(below).join(patch).as_os_str()))
                .collect();
            match place {
                VersionPlace::Revision(_) => {
                    format!(
                        "on {word}: {} apply {}",
                        git_in_root(below),
                        patches.join(" ")
                    )
                }
                VersionPlace::Directory(_) => {
                    let directory = quote::word(word.as_ref());
                    let patch = |patch: &String| format!("patch -p1 -d {directory} < {patch}");
                    let patches: Vec<String> = patches.iter().map(patch).collect();
                    patches.join(" && ")
                }
            }
        };
        let (culprit, passing, fix) = (
            outputs.path(&culprit_name(1)),
            outputs.path(PASSING),
            outputs.path(FIX_NAMES[0]),
        );
        let is_isolated = result.map_or(self.arguments.answer.isolate, |result| {
            result.passing_patch.is_some()
        });
        let breaking: &[&Path] = if is_isolated {
            &[&passing, &culprit]
        } else {
            &[&culprit]
        };
        let base = result.map_or(&self.good.word, |result| &result.base_word);
        let mut text = format!("{} breaks it", apply(&self.good.place, base, breaking));
        if result.is_none_or(|result| result.fix_patch.is_some()) {
            let takes_out = apply(&self.bad.place, &self.bad.word, &[&fix]);
            text.push_str(&format!("; {takes_out} takes it out"));
        }
        text
    }
}

/// The changes of all culprits.
fn union(universe: usize, found: &[CulpritChanges]) -> AtomSet {
    let all = found.iter().map(|culprit| &culprit.changes.atoms);
    all.fold(AtomSet::empty(universe), |sum, atoms| sum.union(atoms))
}
