//! From sets of atoms to what is reported and written about them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

use yester_core::{Outcome, Space, Subset};
use yester_patch::{AtomSet, ChangeSpace, DeltaLevel, FileEdit, History, PatchError, patch};
use yester_report::{
    ChangedLines, ChangesResult, CulpritSet, ReportedCommit, ReportedRelapse, TestOutcome, Verified,
};
use yester_run::RunDirectory;

use super::home::Home;
use super::job::ChangesJob;
use super::relapse::Relapse;
use crate::cli::AnswerArguments;
use crate::failure::{Exit, Failure};
use crate::quote;
use crate::versions::{
    PatchStep, VersionPlace, changed_lines, failed, files, lines, report_commit, short_text,
};

/// The patch that takes the culprit out of BAD.
const FIX: &str = "fix.patch";
/// With `--isolate`: the patch of the version that passes.
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
pub fn patch_names(arguments: &AnswerArguments) -> Vec<String> {
    let sets = if arguments.all { SETS } else { 1 };
    let culprits = (1..=sets).map(culprit_name);
    let others = [Some(FIX), arguments.isolate.then_some(PASSING)];
    culprits
        .chain(others.into_iter().flatten().map(str::to_owned))
        .collect()
}

/// Changes that make GOOD fail as BAD does, or the last version of the history that passes.
pub struct CulpritChanges {
    /// The difference that they are of.
    pub space: ChangeSpace,
    /// The step of the history that it is, unless it is the whole way from GOOD to BAD.
    pub home: Option<Rc<Home>>,
    pub atoms: AtomSet,
    /// The same by hunks, and what happens without each.
    pub hunks: Vec<(AtomSet, Option<Outcome>)>,
    pub commit: Option<yester_patch::Commit>,
    pub is_minimal_by_line: bool,
    /// With `--isolate`: the changes of the version that passes.
    pub passing: Option<AtomSet>,
    /// The same changes on GOOD, where they were found at another version and GOOD fails with them too.
    pub carried: Option<PatchStep>,
    /// Takes the changes out of BAD, which passes then.
    pub fix: Option<PatchStep>,
    /// Where the history has seen it before.
    pub relapse: Option<Relapse>,
    pub verified: Verified,
}

impl CulpritChanges {
    /// The patch that breaks a version.
    fn culprit(&self) -> Result<Vec<u8>, Failure> {
        if let Some(carried) = &self.carried {
            return carried.patch();
        }
        let none = AtomSet::empty(self.atoms.universe());
        let from = self.passing.as_ref().unwrap_or(&none);
        patch::write(&self.space, from, &from.union(&self.atoms)).map_err(|error| failed(&error))
    }

    /// What is known before anything is shown about the hunks.
    pub fn unproved(space: &ChangeSpace, atoms: AtomSet) -> CulpritChanges {
        let hunks = space.of(&atoms, DeltaLevel::Hunk);
        let part = |hunk| (hunks.atoms(&Subset::of(hunks.len(), [hunk])), None);
        CulpritChanges {
            hunks: (0..hunks.len()).map(part).collect(),
            space: space.clone(),
            home: None,
            atoms,
            commit: None,
            is_minimal_by_line: false,
            passing: None,
            carried: None,
            fix: None,
            relapse: None,
            verified: Verified::default(),
        }
    }

    /// The same for changes of a step of the history.
    pub fn at_home(home: &Rc<Home>, atoms: AtomSet) -> CulpritChanges {
        CulpritChanges {
            home: Some(Rc::clone(home)),
            ..CulpritChanges::unproved(&home.space, atoms)
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
        self.home.as_deref().filter(|_| self.carried.is_none())
    }
}

/// The changes of all culprits.
pub fn union(universe: usize, found: &[CulpritChanges]) -> AtomSet {
    let all = found.iter().map(|culprit| &culprit.atoms);
    all.fold(AtomSet::empty(universe), |sum, atoms| sum.union(atoms))
}

impl ChangesJob {
    /// Writes the patches and says what they are.
    pub fn write_patches(
        &self,
        run: &RunDirectory,
        found: &[CulpritChanges],
    ) -> Result<ChangesResult, Failure> {
        let first = found.first().expect("something was found");
        let space = &first.space;
        let universe = space.difference().atoms();
        let all = union(universe, found);
        let (the_good, the_bad) = (&self.good.word, &self.bad.word);
        let base_word = first
            .away()
            .map_or_else(|| the_good.clone(), Home::base_word);
        let mut text = Vec::new();
        let mut sets = Vec::new();
        for (number, set) in found.iter().enumerate() {
            let culprit = set.culprit()?;
            let with = match &set.passing {
                Some(_) => format!("{base_word} with passing.patch"),
                None => base_word.clone(),
            };
            let what = format!("with this, {with} fails as {the_bad} does");
            let name = culprit_name(number + 1);
            let culprit_patch = self.outputs.put(run, &name, &what, &culprit)?;
            text.extend_from_slice(&culprit);
            sets.push(CulpritSet {
                files: files(space, &set.atoms),
                hunks: space.of(&set.atoms, DeltaLevel::Hunk).len() as u64,
                lines: lines(space, &set.atoms),
                culprit_patch,
                one_minimal: set.is_minimal_by_line,
                verified: set.verified.clone(),
            });
        }
        let last = found.last().expect("something was found");
        let fix_patch = match &last.fix {
            Some(fix) => {
                let what = format!("takes the culprit out of {the_bad}");
                Some(self.outputs.put(run, FIX, &what, &fix.patch()?)?)
            }
            None => {
                self.outputs.remove(FIX);
                None
            }
        };
        let mut passing_patch = None;
        if let Some(passing) = &first.passing {
            let patch = patch::culprit_patch(space, passing).map_err(|error| failed(&error))?;
            let what = format!("makes of {base_word} the version that passes");
            passing_patch = Some(self.outputs.put(run, PASSING, &what, &patch)?);
        }
        Ok(ChangesResult {
            changes: self.changes(found)?,
            files: files(space, &all),
            hunks: space.of(&all, DeltaLevel::Hunk).len() as u64,
            lines: lines(space, &all),
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
            fix_patch,
            passing_patch,
            passing_lines: first.passing.as_ref().map(|atoms| lines(space, atoms)),
            verified: Verified {
                good_plus_culprit: first.verified.good_plus_culprit,
                ..last.verified.clone()
            },
            one_minimal: found.iter().all(|culprit| culprit.is_minimal_by_line),
            commit: first.commit.as_ref().map(report_commit),
            suspects: match &first.home {
                Some(home) if home.commit().is_none() => {
                    home.suspects.iter().map(report_commit).collect()
                }
                _ => Vec::new(),
            },
            relapse: first.relapse.as_ref().map(|relapse| ReportedRelapse {
                came: report_commit(&relapse.came),
                went: report_commit(&relapse.went),
            }),
            sets,
            text: short_text(&text),
        })
    }

    /// The changes one by one, with who made them. Those of the commit that broke it come first.
    fn changes(&self, found: &[CulpritChanges]) -> Result<Vec<ChangedLines>, Failure> {
        let mut changes = Vec::new();
        for (number, set) in found.iter().enumerate() {
            let blame = self.blame(set)?;
            let mut known: HashMap<&str, Option<ReportedCommit>> = HashMap::new();
            let mut of_set = Vec::new();
            for (atoms, without) in &set.hunks {
                for (atoms, id) in runs(&set.space, atoms, &blame) {
                    let commit = match id.map(|id| (id, known.get(id))) {
                        Some((_, Some(commit))) => commit.clone(),
                        Some((id, None)) => {
                            let commit = self.name_commit(id, set)?;
                            known.insert(id, commit.clone());
                            commit
                        }
                        None => None,
                    };
                    for span in set.space.difference().spans(&atoms) {
                        of_set.push(changed_lines(span, commit.clone(), *without, number + 1));
                    }
                }
            }
            let guilty = set.commit.as_ref().map(|commit| &commit.id);
            let is_guilty = |change: &ChangedLines| {
                let id = change.commit.as_ref().map(|commit| &commit.id);
                id.is_some() && id == guilty
            };
            of_set.sort_by_key(|change| !is_guilty(change));
            changes.extend(of_set);
        }
        Ok(changes)
    }

    fn name_commit(
        &self,
        id: &str,
        set: &CulpritChanges,
    ) -> Result<Option<ReportedCommit>, Failure> {
        let Some(repository) = self.repository() else {
            return Ok(None);
        };
        let commit = told(repository.commit(id))?;
        Ok(commit.map(|commit| {
            // Git does not look into merges for removed lines; the search has.
            let found = set.commit.as_ref().filter(|_| commit.parents.len() > 1);
            report_commit(found.unwrap_or(&commit))
        }))
    }

    /// The commits that the changes of a culprit come from.
    fn blame(&self, set: &CulpritChanges) -> Result<BTreeMap<usize, String>, Failure> {
        let history = match (&set.home, self.repository()) {
            // All of it is that commit's doing.
            (Some(home), _)
                if home
                    .commit()
                    .is_some_and(|commit| commit.parents.len() == 1) =>
            {
                let commit = home.commit().expect("there is one");
                let of_commit = |atom| (atom, commit.id.clone());
                return Ok(set.atoms.iter().map(of_commit).collect());
            }
            (Some(home), Some(repository)) => {
                let last = home.suspects.last().map_or("", |commit| &commit.id);
                told(History::between(repository, &home.base.id, last))?
            }
            _ => self
                .commits
                .as_ref()
                .map(|commits| commits.history().clone()),
        };
        let Some(history) = history else {
            return Ok(BTreeMap::new());
        };
        let blame = history.blame(set.space.difference(), &set.atoms);
        Ok(told(blame)?.unwrap_or_default())
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
                // Below the root, git passes over what lies elsewhere, and says nothing.
                VersionPlace::Revision(_) if !below.is_empty() => {
                    let up = vec![".."; below.split('/').count()].join("/");
                    format!("on {word}: git -C {up} apply {}", patches.join(" "))
                }
                VersionPlace::Revision(_) => {
                    format!("on {word}: git apply {}", patches.join(" "))
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
            outputs.path(FIX),
        );
        let breaking: &[&Path] = match self.arguments.answer.isolate {
            true => &[&passing, &culprit],
            false => &[&culprit],
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
