//! From the newest revision to the lines that broke it, in words.

use yester_patch::idd::{NoGoodRevision, Origin, iterate};
use yester_report::{HistoryTrials, HistoryVerified};
use yester_run::{CommandLab, FailingBaseline};

use super::answer::Finding;
use super::job::{BACKPORT, HistoryJob, SHALLOW};
use super::walker::{HowFar, Walker};
use crate::driver::Halt;
use crate::versions::FollowedLab;

impl HistoryJob {
    /// Walks back to a revision that passes, and looks for what broke the next one.
    pub fn find(
        &self,
        lab: &mut CommandLab<HowFar>,
        baseline: &FailingBaseline,
    ) -> Result<Finding, Halt> {
        let origin = iterate(&self.history, &mut self.walker(lab), baseline.read.as_ref())?;
        Ok(Finding {
            reason: origin.reason.as_ref().map(reason),
            trials: HistoryTrials {
                walk: origin.trials.walk,
                patches: origin.trials.patches,
                culprit: origin.trials.culprit,
                ..HistoryTrials::default()
            },
            fixes: None,
            notes: self.notes_on(&origin),
            borders: lab.best().borders.clone(),
            verified: HistoryVerified::default(),
            origin,
        })
    }

    pub fn walker<'a>(&self, lab: &'a mut CommandLab<HowFar>) -> FollowedLab<'a, HowFar, Walker> {
        let revisions = self.history.revisions.iter().rev().cloned().collect();
        let follower = Walker { revisions };
        FollowedLab { lab, follower }
    }

    fn notes_on(&self, origin: &Origin) -> Vec<String> {
        let mut notes = Vec::new();
        if origin.is_patch_doubtful {
            notes.push(
                "without some lines of the backport the good revision fails as the newest one does: see that they are \
                 not the fix themselves"
                    .to_owned(),
            );
        }
        notes.extend(origin.unread.iter().map(|commit| {
            format!(
                "{} cannot be read and was left out: what it changed counts for the next revision",
                commit.short()
            )
        }));
        if origin.broken.is_none() && self.history.repository.is_shallow() {
            notes.push(SHALLOW.to_owned());
        }
        if !self.named_tests.is_empty() && origin.broken.is_some() {
            notes.push(format!(
                "the patches do not have {}, which every revision was tested with: take it from {}",
                self.named_tests.join(" and "),
                self.arguments.from
            ));
        }
        notes
    }
}

/// Why there is nothing.
fn reason(reason: &NoGoodRevision) -> String {
    match reason {
        NoGoodRevision::Stuck(oldest, stuck) => format!(
            "{} fails, and {} cannot be made to without touching pinned files",
            oldest.short(),
            stuck.short()
        ),
        NoGoodRevision::AllFailWithPatches(oldest) => format!(
            "no revision passes: with the patches that they need, all fail as the newest one does, down to {}; what \
             breaks them may be in {BACKPORT}",
            oldest.short()
        ),
        NoGoodRevision::AllFail(oldest) => format!(
            "no revision passes: all fail as the newest one does, down to {}",
            oldest.short()
        ),
        NoGoodRevision::Undecided(oldest) => format!(
            "no revision passes; the oldest that fails is {}",
            oldest.short()
        ),
    }
}
