use crate::{Answer, Candidate, Lab, Outcome, Phase, Space, Stop, Subset, Tester};

/// A lab in which Pass and Fail have changed places: every search for what makes a version fail becomes one for what
/// makes it pass.
pub struct Swapped<'a>(pub &'a mut dyn Lab);

struct SwappedTester<'a>(Box<dyn Tester + 'a>);

fn swapped(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Pass => Outcome::Fail,
        Outcome::Fail => Outcome::Pass,
        Outcome::Unresolved => Outcome::Unresolved,
    }
}

impl Lab for Swapped<'_> {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        Box::new(SwappedTester(self.0.tester(space)))
    }

    fn tester_before<'a>(
        &'a mut self,
        space: &'a dyn Space,
        next: &'a mut dyn Iterator<Item = Candidate>,
    ) -> Box<dyn Tester + 'a> {
        Box::new(SwappedTester(self.0.tester_before(space, next)))
    }

    fn enter(&mut self, phase: Phase) {
        self.0.enter(phase);
    }
}

impl Tester for SwappedTester<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        let answer = self.0.test(subset)?;
        Ok(Answer {
            outcome: swapped(answer.outcome),
            ..answer
        })
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        self.0.first(candidates, swapped(wanted))
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        self.0.foresee(subsets);
    }
}
