//! What was found, its proof, and how it is reported.

use yester_core::{Candidate, Outcome, Space, Stop};
use yester_patch::idd::{Broken, Origin, Tree, forward_port, whole_fix};
use yester_patch::{AtomSet, Commit, DeltaLevel, PatchError, WholeFix, patch};
use yester_report::{
    ChangedLines, HistoryResult, HistoryTrials, HistoryVerified, ReportedBorder, ShownPatch,
    TestOutcome, quote,
};
use yester_run::{CommandLab, FailingBaseline, RunDirectory, Trial};

use super::doubt::jump;
use super::job::{BACKPORT, CULPRIT, HistoryJob};
use super::walker::HowFar;
use crate::driver::Halt;
use crate::failure::Failure;
use crate::versions::{
    Fixes, ProvedFix, changed_lines, git_in_root, outcome, remove_fixes, report_commit,
    report_merge, reported, short_text, shown_patch, unreadable,
};

/// What the walk has found, and what is known of it.
pub struct Finding {
    pub origin: Origin,
    /// Why there is nothing, if there is nothing.
    pub reason: Option<String>,
    pub trials: HistoryTrials,
    /// What makes the newest revision pass.
    pub fixes: Option<Fixes>,
    /// Reasons to look twice.
    pub notes: Vec<String>,
    pub borders: Vec<ReportedBorder>,
    pub verified: HistoryVerified,
}

impl Finding {
    /// Whether runs in clean trees have shown all that an answer should.
    pub fn is_certain(&self) -> bool {
        let HistoryVerified {
            good,
            good_plus_culprit,
            ..
        } = &self.verified;
        *good == Some(TestOutcome::Pass) && *good_plus_culprit == Some(TestOutcome::Fail)
    }
}

impl HistoryJob {
    /// Ports the fix, and runs all of the answer in clean trees. Says whether it holds there.
    pub fn verify(
        &self,
        lab: &mut CommandLab<HowFar>,
        baseline: &FailingBaseline,
        finding: &mut Finding,
    ) -> Result<bool, Halt> {
        let Some(found) = &finding.origin.broken else {
            return Ok(true);
        };
        let started = lab.answered();
        let culprit = found.with_culprit();
        let trees = [&found.passing, &culprit];
        let trials = self.run_clean(lab, &trees)?;
        let [good, with_culprit] = [0, 1].map(|at| outcome(&trials[at]));
        finding.verified.good = Some(reported(good));
        finding.verified.good_plus_culprit = Some(reported(with_culprit));
        if good != Outcome::Pass || with_culprit != Outcome::Fail {
            return Ok(false);
        }
        finding.notes.extend(jump(&baseline.bad, &trials[0]));
        let read = baseline.read.as_ref();
        let fix = forward_port(&self.history, &mut self.walker(lab), read, &finding.origin)?;
        finding.trials.fix = lab.answered() - started;
        finding.borders.clone_from(&lab.best().borders);
        if let Some(fix) = fix {
            let fixed = outcome(&self.run_clean(lab, &[&fix])?[0]);
            finding.verified.fixed = Some(reported(fixed));
            if fixed == Outcome::Pass {
                let lab = &mut self.walker(lab);
                let whole = whole_fix(&self.history, lab, found, &fix)?;
                let (fixes, notes) = self.weigh(lab.lab, &fix, whole, &found.bad)?;
                finding.fixes = Some(fixes);
                finding.notes.extend(notes);
            }
        }
        Ok(true)
    }

    /// The fixes with what speaks against them.
    fn weigh(
        &self,
        lab: &mut CommandLab<HowFar>,
        minimal: &Tree,
        whole: WholeFix<Tree>,
        culprit: &Commit,
    ) -> Result<(Fixes, Option<String>), Stop> {
        let note = self.loss(minimal)?;
        let objection = match whole.passing() {
            Some(whole) if note.is_none() && self.loss(whole)?.is_some() => {
                Some("to take back more takes out what the test names")
            }
            _ => None,
        };
        let mut fixes = Fixes {
            minimal: self.proved(minimal)?,
            whole: whole.try_map(|tree| self.proved(&tree))?,
            commit: culprit.short().to_owned(),
            objection,
            also: Vec::new(),
        };
        let arguments = &self.arguments;
        if let Some(line) = &arguments.also {
            let test = self.test.invocation(&arguments.trial, &arguments.build);
            let newest = Tree::plain(&self.history.revisions[0]);
            let before = Candidate::Tree(self.history.entries(&newest)?);
            fixes.ask_also(lab, line, test, &before)?;
        }
        Ok((fixes, note))
    }

    /// A fix with its patch.
    fn proved(&self, tree: &Tree) -> Result<ProvedFix, PatchError> {
        let patch = self.history.patch_of(tree)?.backport;
        Ok(ProvedFix {
            patch: patch::culprit_patch(patch.space(), &patch.atoms())?,
            lines: patch.lines(),
            candidate: Candidate::Tree(self.history.entries(tree)?),
        })
    }

    fn run_clean(&self, lab: &mut CommandLab<HowFar>, trees: &[&Tree]) -> Result<Vec<Trial>, Halt> {
        let candidates = trees
            .iter()
            .map(|tree| Ok(Candidate::Tree(self.history.entries(tree)?)));
        let candidates: Vec<_> = candidates.collect::<Result<_, Stop>>()?;
        Ok(lab.test_clean(&candidates.iter().collect::<Vec<_>>())?)
    }

    /// Writes the patches and says what they are.
    pub fn write_answer(
        &self,
        run: &RunDirectory,
        finding: &Finding,
    ) -> Result<HistoryResult, Failure> {
        let unreadable = |error: PatchError| unreadable(&error);
        let newest = &self.history.revisions[0];
        let name = |commit: &Commit| commit.short().to_owned();
        let basis = match &finding.origin.broken {
            Some(found) => Some((&found.good, found.passing.clone())),
            None => {
                let tree = finding
                    .origin
                    .way
                    .first()
                    .and_then(|(_, tree)| tree.clone());
                tree.map(|tree| (&finding.origin.oldest, tree))
            }
        };
        let mut backport_lines = 0;
        let mut backport_patch = None;
        if let Some((commit, tree)) = &basis
            && !tree.overlay.is_empty()
        {
            let patch = self.history.patch_of(tree).map_err(unreadable)?.backport;
            backport_lines = patch.lines();
            let text = patch::culprit_patch(patch.space(), &patch.atoms()).map_err(unreadable)?;
            let what = format!("with this, {} runs the test", name(commit));
            if !text.is_empty() {
                backport_patch = Some(self.outputs.put(run, BACKPORT, &what, &text)?);
            }
        }
        if backport_patch.is_none() {
            self.outputs.remove(BACKPORT);
        }
        let (mut culprit_patch, mut text) = (None, None);
        match &finding.origin.broken {
            Some(found) => {
                let patch = patch::culprit_patch(&found.space, &found.atoms).map_err(unreadable)?;
                let with = match &backport_patch {
                    Some(_) => format!("{} with {BACKPORT}", name(&found.good)),
                    None => name(&found.good),
                };
                let what = format!("with this, {with} fails as {} does", name(newest));
                culprit_patch = Some(self.outputs.put(run, CULPRIT, &what, &patch)?);
                text = short_text(&patch);
            }
            None => self.outputs.remove(CULPRIT),
        }
        let fixes = match &finding.fixes {
            Some(fixes) => {
                let what = format!("with this, {} passes", name(newest));
                fixes.write(&self.outputs, run, &what)?
            }
            None => {
                remove_fixes(&self.outputs, &[]);
                Vec::new()
            }
        };
        let best = fixes.first();
        let found = finding.origin.broken.as_ref();
        let several = found.filter(|found| found.suspects.len() > 1);
        Ok(HistoryResult {
            good: found.map(|found| found.good.id.clone()),
            bad: finding.origin.oldest.id.clone(),
            culprit_commit: found
                .filter(|found| found.suspects.len() == 1)
                .map(|found| report_commit(&found.bad)),
            suspects: several.map_or(Vec::new(), |found| {
                found.suspects.iter().map(report_commit).collect()
            }),
            merges: finding.origin.merges.iter().map(report_merge).collect(),
            changes: found.map_or(Vec::new(), changes),
            files: found.map_or(0, |found| found.space.files(&found.atoms)),
            hunks: found.map_or(0, |found| {
                found.space.of(&found.atoms, DeltaLevel::Hunk).len() as u64
            }),
            lines: found.map_or(0, |found| found.space.lines(&found.atoms)),
            one_minimal: found.is_some_and(|found| found.is_minimal_by_line),
            backport_patch,
            backport_lines,
            culprit_patch,
            fix_patch: best.map(|fix| fix.patch.clone()),
            fix_lines: best.map_or(0, |fix| fix.lines),
            also: best.and_then(|fix| fix.also.clone()),
            fixes,
            verified: finding.verified.clone(),
            borders: finding.borders.clone(),
            skipped: finding.origin.skipped.iter().map(report_commit).collect(),
            revisions: self.history.revisions.len() as u64,
            trials: finding.trials,
            notes: finding.notes.clone(),
            reason: finding.reason.clone(),
            shown: match found {
                Some(found) => {
                    let none = AtomSet::empty(found.atoms.universe());
                    let sections = patch::sections(&found.space, &none, &found.atoms);
                    shown_patch(sections.map_err(unreadable)?)
                }
                None => ShownPatch::default(),
            },
            text,
        })
    }

    /// How to look at the answer.
    pub fn how_to_look(&self, result: Option<&HistoryResult>) -> String {
        let Some(result) = result else {
            return String::new();
        };
        let git = git_in_root(&self.below);
        let path = |path: &String| {
            let path = std::path::Path::new(&self.below).join(path);
            quote::word(path.as_os_str())
        };
        match (&result.fix_patch, &result.culprit_commit) {
            (Some(fix), _) => format!("{git} apply {} mends {}", path(fix), self.arguments.from),
            (None, Some(commit)) => format!("{git} show {}", &commit.id[..commit.id.len().min(10)]),
            (None, None) => String::new(),
        }
    }
}

/// The changes of a culprit one by one.
fn changes(found: &Broken) -> Vec<ChangedLines> {
    let commit = match &found.suspects[..] {
        [commit] => Some(report_commit(commit)),
        _ => None,
    };
    let mut changes = Vec::new();
    for hunk in &found.hunks {
        for span in found.space.difference().spans(&hunk.atoms) {
            changes.push(ChangedLines {
                without: hunk.without.map(reported),
                ..changed_lines(span, commit.clone(), None, 1)
            });
        }
    }
    changes
}
