//! The lab as the search through a history sees it, and how far that has come.

use std::io;
use std::rc::Rc;

use yester_core::{Candidate, Outcome};
use yester_patch::idd::{Border, BorderReason, Direction, WalkLab, WalkNews};
use yester_patch::{Commit, Entries};
use yester_report::{BorderDirection, ReportedBorder, count};
use yester_run::{BestSoFar, Event, Failing};

use crate::versions::{FollowedLab, tell_version};

/// What is known if the walk has to stop now.
#[derive(Default)]
pub struct HowFar {
    /// The oldest revision that fails: how far back it is.
    pub oldest: Option<usize>,
    pub borders: Vec<ReportedBorder>,
}

impl BestSoFar for HowFar {
    fn consider(&mut self, _: &Failing<'_>) -> io::Result<Option<u64>> {
        Ok(None)
    }
}

/// Tells people how far the walk has come.
pub struct Walker {
    /// All revisions, the oldest first.
    pub revisions: Rc<[Commit]>,
}

impl WalkLab for FollowedLab<'_, HowFar, Walker> {
    fn answered(&self) -> u64 {
        self.lab.answered()
    }

    fn tell(&mut self, news: WalkNews<'_>) {
        match news {
            WalkNews::Tested {
                revision,
                commit,
                outcome,
            } => {
                let word = match outcome {
                    Outcome::Pass => "passes",
                    Outcome::Fail => "fails as before",
                    Outcome::Unresolved => "gives no answer",
                };
                let text = format!("revision {revision}, {}: {word}", commit.short());
                self.lab.events().note(&text);
                tell_version(self.lab.events(), commit, &self.follower.revisions, outcome);
                if outcome == Outcome::Fail {
                    self.has_failed(revision);
                }
            }
            WalkNews::Border(border) => self.add(border),
            WalkNews::CameBack(commit) => self.lab.events().say(&format!(
                "{} is without it and passes; searching after that",
                commit.short()
            )),
        }
    }
}

impl FollowedLab<'_, HowFar, Walker> {
    fn has_failed(&mut self, revision: usize) {
        let oldest = &mut self.lab.best_mut().oldest;
        if oldest.is_none_or(|oldest| oldest < revision) {
            *oldest = Some(revision);
            let left = (self.follower.revisions.len() - 1 - revision) as u64;
            let candidate = &Candidate::Tree(Entries::new());
            let improved = Event::Improved { left, candidate };
            self.lab.events().emit(&improved);
        }
    }

    fn add(&mut self, border: &Border) {
        let (direction, outcome) = match (border.direction, border.reason) {
            (Direction::Back, BorderReason::OtherOutcome) => {
                (BorderDirection::Back, "no longer fails as before")
            }
            (Direction::Back, BorderReason::Conflict) => {
                (BorderDirection::Back, "the patch does not fit")
            }
            (Direction::Forward, _) => (BorderDirection::Forward, "the fix does not fit"),
        };
        if border.direction == Direction::Back {
            self.lab.events().say(&format!(
                "{} of {}: {outcome}; {} make a patch of {}, {}",
                border.commit.short(),
                border.commit.date.split('T').next().unwrap_or_default(),
                count(border.lines_before, "changed line"),
                count(border.lines_after, "line"),
                count(border.trials, "trial"),
            ));
        }
        self.lab.best_mut().borders.push(ReportedBorder {
            revision: border.commit.id.clone(),
            date: border.commit.date.clone(),
            direction,
            patch_before: border.lines_before,
            patch_after: border.lines_after,
            trials: border.trials,
            outcome: outcome.to_owned(),
        });
    }
}
