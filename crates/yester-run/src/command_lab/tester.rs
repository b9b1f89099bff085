use yester_core::{Answer, Candidate, Lab, Outcome, Phase, Space, Stop, Subset, Tester};

use super::question::{Hint, NextCandidates};
use super::{BestSoFar, CommandLab};
use crate::Event;

/// How many hints are taken for each worker that may be idle: enough to keep it busy while one question takes long.
const HINTS_PER_WORKER: usize = 8;

/// Tests the subsets of one space in the lab.
struct CommandTester<'a, B> {
    lab: &'a mut CommandLab<B>,
    space: &'a dyn Space,
    next: NextCandidates<'a>,
}

impl<B: BestSoFar> Lab for CommandLab<B> {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        Box::new(CommandTester {
            lab: self,
            space,
            next: NextCandidates::default(),
        })
    }

    fn tester_before<'a>(
        &'a mut self,
        space: &'a dyn Space,
        next: &'a mut dyn Iterator<Item = Candidate>,
    ) -> Box<dyn Tester + 'a> {
        Box::new(CommandTester {
            lab: self,
            space,
            next: NextCandidates::new(next),
        })
    }

    fn enter(&mut self, phase: Phase) {
        self.pass = phase.what;
        self.runner.session.events.emit(&Event::Phase(phase));
    }

    fn messages(&self) -> &str {
        &self.messages
    }
}

impl<B: BestSoFar> Tester for CommandTester<'_, B> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        let mut question = std::iter::once(subset.clone());
        let next = &mut self.next;
        let found = self.lab.find(self.space, next, &mut question, &|_| true)?;
        let (_, answer) = found.expect("any outcome fits");
        Ok(answer)
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        let fits = |outcome| outcome == wanted;
        let next = &mut self.next;
        let found = self.lab.find(self.space, next, candidates, &fits)?;
        Ok(found.map(|(index, _)| index))
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        let hints = HINTS_PER_WORKER * (self.lab.busy.len() - 1);
        self.lab.hints = subsets.take(hints).map(Hint::Subset).collect();
    }
}
