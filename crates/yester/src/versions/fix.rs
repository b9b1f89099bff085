//! The fixes of an answer, the best first.

use std::ffi::OsStr;

use yester_core::{Candidate, Outcome, Stop};
use yester_patch::WholeFix;
use yester_report::{AlsoRun, FixKind, ReportedFix};
use yester_run::{BestSoFar, CommandLab, Invocation, RunDirectory};

use super::{PatchFiles, run_also, short_text};
use crate::failure::Failure;

/// The fix that is recommended, and the names that another one has.
const FIX: &str = "fix.patch";
const MINIMAL: &str = "fix.minimal.patch";
const WHOLE: &str = "fix.whole.patch";

/// The names that fixes may have.
pub const FIX_NAMES: [&str; 3] = [FIX, MINIMAL, WHOLE];

/// A patch with which the version that fails passes, as a run in a clean tree has shown.
pub struct ProvedFix {
    pub patch: Vec<u8>,
    /// How many lines it removes and adds.
    pub lines: u64,
    /// The version with it.
    pub candidate: Candidate,
}

/// The fixes of an answer.
pub struct Fixes {
    /// The smallest one that was found.
    pub minimal: ProvedFix,
    /// The one that takes back all that the commit did where the culprit is.
    pub whole: WholeFix<ProvedFix>,
    /// That commit, as people write it.
    pub commit: String,
    /// What speaks against the whole one.
    pub objection: Option<&'static str>,
    /// What the other command says of each, the whole one first.
    pub also: Vec<AlsoRun>,
}

impl Fixes {
    /// Asks the other command about each of them.
    pub fn ask_also<B: BestSoFar>(
        &mut self,
        lab: &mut CommandLab<B>,
        line: &OsStr,
        test: Invocation,
        before: &Candidate,
    ) -> Result<(), Stop> {
        let all = self.whole.passing().into_iter().chain([&self.minimal]);
        let all: Vec<&Candidate> = all.map(|fix| &fix.candidate).collect();
        self.also = run_also(lab, line, test, before, &all)?;
        if let [whole, minimal] = &self.also[..]
            && is_worse(whole, minimal)
        {
            self.objection = Some("the other command is worse off with more taken back");
        }
        Ok(())
    }

    /// Writes their patches, the recommended one first. `what` says what each is good for.
    pub fn write(
        &self,
        outputs: &PatchFiles,
        run: &RunDirectory,
        what: &str,
    ) -> Result<Vec<ReportedFix>, Failure> {
        let mut fixes = Vec::new();
        for (index, (fix, kind, reason)) in self.ranked().into_iter().enumerate() {
            let name = match (index, kind) {
                (0, _) => FIX,
                (_, FixKind::Whole) => WHOLE,
                (_, FixKind::Minimal) => MINIMAL,
            };
            let also = match (self.also.len(), kind) {
                (2, FixKind::Minimal) => self.also.last(),
                _ => self.also.first(),
            };
            fixes.push(ReportedFix {
                patch: outputs.put(run, name, &format!("{what}; {reason}"), &fix.patch)?,
                kind,
                lines: fix.lines,
                recommended: index == 0,
                reason,
                also: also.cloned(),
                text: short_text(&fix.patch),
            });
        }
        remove_fixes(outputs, &fixes);
        Ok(fixes)
    }

    /// The fixes with what they are and why, the recommended one first.
    fn ranked(&self) -> Vec<(&ProvedFix, FixKind, String)> {
        let commit = &self.commit;
        let all = format!("takes back all that {commit} changed there");
        let fewest = "the fewest lines that pass";
        let minimal = |reason: String| (&self.minimal, FixKind::Minimal, reason);
        match (&self.whole, self.objection) {
            (WholeFix::Passes(whole), None) => vec![
                (whole, FixKind::Whole, all),
                minimal(format!(
                    "{fewest}, which may do no more than hide the failure"
                )),
            ],
            (WholeFix::Passes(whole), Some(objection)) => vec![
                minimal(format!("{fewest}; {objection}")),
                (whole, FixKind::Whole, all),
            ],
            (WholeFix::Same, _) => vec![(&self.minimal, FixKind::Whole, all)],
            (WholeFix::Unknown, _) => vec![minimal(fewest.to_owned())],
            (WholeFix::Conflict, _) => vec![minimal(format!(
                "{fewest}; later changes touch what else {commit} changed there"
            ))],
            (WholeFix::Refuted(outcome), _) => {
                let outcome = match outcome {
                    Outcome::Fail => "it still fails",
                    _ => "the test gives no answer",
                };
                vec![minimal(format!(
                    "{fewest}; with all taken back that {commit} changed there, {outcome}"
                ))]
            }
        }
    }
}

/// Whether the other command says worse of one fix than of another.
fn is_worse(one: &AlsoRun, other: &AlsoRun) -> bool {
    let passes = |also: &AlsoRun| also.after == "exit 0";
    !passes(one) && (passes(other) || one.broken.len() > other.broken.len())
}

/// Removes fixes of earlier answers that this one does not have.
pub fn remove_fixes(outputs: &PatchFiles, fixes: &[ReportedFix]) {
    for name in FIX_NAMES {
        let path = outputs.path(name).display().to_string();
        if fixes.iter().all(|fix| fix.patch != path) {
            outputs.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proved(lines: u64) -> ProvedFix {
        ProvedFix {
            patch: Vec::new(),
            lines,
            candidate: Candidate::Tree(Default::default()),
        }
    }

    fn fixes(whole: WholeFix<ProvedFix>) -> Fixes {
        Fixes {
            minimal: proved(1),
            whole,
            commit: "0123456789".to_owned(),
            objection: None,
            also: Vec::new(),
        }
    }

    fn ranked(fixes: &Fixes) -> Vec<(u64, FixKind)> {
        let ranked = fixes.ranked().into_iter();
        ranked.map(|(fix, kind, _)| (fix.lines, kind)).collect()
    }

    #[test]
    fn the_whole_reversal_comes_first_unless_something_speaks_against_it() {
        let mut both = fixes(WholeFix::Passes(proved(9)));
        assert_eq!(ranked(&both), [(9, FixKind::Whole), (1, FixKind::Minimal)]);
        both.objection = Some("it breaks more");
        assert_eq!(ranked(&both), [(1, FixKind::Minimal), (9, FixKind::Whole)]);
        let same = fixes(WholeFix::Same);
        assert_eq!(ranked(&same), [(1, FixKind::Whole)]);
    }

    #[test]
    fn it_is_said_why_there_is_no_whole_reversal() {
        for (whole, reason) in [
            (
                WholeFix::Refuted(Outcome::Fail),
                "the fewest lines that pass; with all taken back that 0123456789 changed there, it still fails",
            ),
            (
                WholeFix::Conflict,
                "the fewest lines that pass; later changes touch what else 0123456789 changed there",
            ),
        ] {
            let fixes = fixes(whole);
            let [(_, FixKind::Minimal, told)] = &fixes.ranked()[..] else {
                panic!("it is the only one");
            };
            assert_eq!(told, reason);
        }
    }

    #[test]
    fn a_fix_is_worse_if_the_other_command_fails_more_with_it() {
        let also = |after: &str, broken: usize| AlsoRun {
            before: "exit 0".to_owned(),
            after: after.to_owned(),
            broken: vec!["error".to_owned(); broken],
        };
        assert!(is_worse(&also("exit 1", 0), &also("exit 0", 0)));
        assert!(is_worse(&also("exit 1", 2), &also("exit 1", 1)));
        assert!(!is_worse(&also("exit 0", 0), &also("exit 1", 1)));
        assert!(!is_worse(&also("exit 1", 1), &also("exit 2", 1)));
    }
}
