//! What the search asks for, and what it will probably ask for.

use yester_core::{Candidate, Hash, Infeasible, Space, Subset};

/// How many candidates are taken for each worker of what the search will ask for when it is done with a space.
const NEXT_PER_WORKER: usize = 8;

/// A hint of the search. Most are never used, so that they are made into questions only when a worker is idle.
pub(super) enum Hint {
    Subset(Subset),
    Question(Question),
}

/// One question of the search.
pub(super) struct Question {
    pub subset: Subset,
    pub rendered: Result<(Hash, Candidate), Infeasible>,
}

/// Beyond this size nothing is tested ahead: every candidate that waits is in memory as a whole.
const BIG_CANDIDATE: u64 = 16 << 20;

impl Question {
    /// Whether there should be no more than one such candidate at a time.
    pub fn is_big(&self) -> bool {
        let candidate = self.rendered.as_ref();
        candidate.is_ok_and(|(_, candidate)| candidate.bytes() > BIG_CANDIDATE)
    }

    pub fn new(space: &dyn Space, subset: Subset) -> Question {
        Question {
            rendered: space
                .render(&subset)
                .map(|candidate| (candidate.hash(), candidate)),
            subset,
        }
    }
}

/// What the search will probably ask for when it is done with a space.
#[derive(Default)]
pub(super) struct NextCandidates<'a> {
    candidates: Option<&'a mut dyn Iterator<Item = Candidate>>,
    drawn: Vec<Question>,
}

impl<'a> NextCandidates<'a> {
    pub fn new(candidates: &'a mut dyn Iterator<Item = Candidate>) -> NextCandidates<'a> {
        NextCandidates {
            candidates: Some(candidates),
            drawn: Vec::new(),
        }
    }

    /// The likeliest ones come first. No more than a few for each worker are made.
    pub fn get(&mut self, index: usize, workers: usize) -> Option<&Question> {
        if index == self.drawn.len() && index < NEXT_PER_WORKER * workers {
            let candidate = self.candidates.as_mut()?.next()?;
            self.drawn.push(Question {
                subset: Subset::empty(0),
                rendered: Ok((candidate.hash(), candidate)),
            });
        }
        self.drawn.get(index)
    }
}
