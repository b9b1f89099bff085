//! One of some texts.

use std::sync::Arc;

use yester_core::{Candidate, Infeasible, Lab, Outcome, Phase, Space, Stop, Subset};

/// The first of some texts that fails. Each is made when it is needed.
pub(super) fn choose(
    lab: &mut dyn Lab,
    what: &'static str,
    count: usize,
    text: &(dyn Fn(usize) -> Arc<[u8]> + Send + Sync),
) -> Result<Option<usize>, Stop> {
    lab.enter(Phase {
        what,
        deltas: count,
    });
    let choices = Choices { count, text };
    let mut subsets = (0..count).map(|choice| Subset::empty(count).with(&[choice]));
    lab.tester(&choices).first(&mut subsets, Outcome::Fail)
}

/// Texts of which one is to be chosen: a subset of one delta is the text of that number.
struct Choices<'a> {
    count: usize,
    text: &'a (dyn Fn(usize) -> Arc<[u8]> + Send + Sync),
}

impl Space for Choices<'_> {
    fn len(&self) -> usize {
        self.count
    }

    fn label(&self, delta: usize) -> String {
        format!("choice {}", delta + 1)
    }

    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible> {
        let mut chosen = subset.iter();
        match (chosen.next(), chosen.next()) {
            (Some(choice), None) => Ok(Candidate::File((self.text)(choice))),
            _ => Err(Infeasible {
                reason: "one text is chosen at a time".to_owned(),
            }),
        }
    }
}
