//! The lab as a search through versions sees it.

use yester_core::{Candidate, Lab, Outcome, Phase, ProvingLab, Space, Stop, Tester};
use yester_patch::Commit;
use yester_run::{BestSoFar, CommandLab, Event, Events, Trial, VersionTested};

use super::outcome;

/// A lab, and somebody whom the search tells more than a lab has to know.
pub struct FollowedLab<'a, B, F> {
    pub lab: &'a mut CommandLab<B>,
    pub follower: F,
}

/// Says what a version of a history has given. `history` has the oldest one first.
pub fn tell_version(events: &Events, commit: &Commit, history: &[Commit], outcome: Outcome) {
    events.emit(&Event::Version(VersionTested {
        position: history.iter().position(|known| known.id == commit.id),
        of: history.len(),
        id: &commit.id,
        date: &commit.date,
        subject: &commit.subject,
        outcome,
    }));
}

impl<B: BestSoFar, F> Lab for FollowedLab<'_, B, F> {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        self.lab.tester(space)
    }

    fn tester_before<'a>(
        &'a mut self,
        space: &'a dyn Space,
        next: &'a mut dyn Iterator<Item = Candidate>,
    ) -> Box<dyn Tester + 'a> {
        self.lab.tester_before(space, next)
    }

    fn enter(&mut self, phase: Phase) {
        self.lab.enter(phase);
    }

    fn messages(&self) -> &str {
        self.lab.messages()
    }
}

impl<B: BestSoFar, F> ProvingLab for FollowedLab<'_, B, F> {
    type Run = Trial;

    fn test_clean(&mut self, candidates: &[&Candidate]) -> Result<Vec<(Outcome, Trial)>, Stop> {
        let trials = self.lab.test_clean(candidates)?.into_iter();
        Ok(trials.map(|trial| (outcome(&trial), trial)).collect())
    }
}
