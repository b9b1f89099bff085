//! One question of a search: which of these is the first that fits.

use std::collections::VecDeque;

use yester_core::{Answer, Outcome, Space, Stop, Subset};

use super::question::{NextCandidates, Question};
use super::{BestSoFar, CommandLab};
use crate::session::Work;
use crate::{Observation, Outputs, Session};

/// Goes through candidates in order until one has an outcome that fits.
pub(super) struct Inquiry<'a, 'n, B> {
    pub lab: &'a mut CommandLab<B>,
    pub space: &'a dyn Space,
    pub next: &'a mut NextCandidates<'n>,
    pub candidates: &'a mut dyn Iterator<Item = Subset>,
    pub fits: &'a dyn Fn(Outcome) -> bool,
    /// Those that were taken of the candidates and have no answer yet.
    pub questions: VecDeque<Question>,
    /// How many were answered before these.
    pub index: usize,
    /// Whether there may be more candidates.
    pub has_more: bool,
    pub found: Option<(usize, Answer)>,
}

impl<B: BestSoFar> Work for Inquiry<'_, '_, B> {
    fn session(&mut self) -> &mut Session {
        &mut self.lab.runner.session
    }

    fn give_out(&mut self) -> Result<bool, Stop> {
        loop {
            while let Some(question) = self.questions.front() {
                let Some(outcome) = self.lab.recall(question) else {
                    break;
                };
                self.lab.give(self.space, question, outcome)?;
                if (self.fits)(outcome) {
                    self.found = Some((self.index, self.lab.answer(question, outcome)));
                    return Ok(false);
                }
                self.index += 1;
                self.questions.pop_front();
            }
            let is_open = |question: &&Question| self.lab.is_open(question);
            let open = self.questions.iter().filter(is_open).count();
            if self.has_more && open < self.lab.busy.len() {
                match self.candidates.next() {
                    Some(subset) => {
                        let question = Question::new(self.space, subset);
                        self.lab.recall(&question);
                        self.questions.push_back(question);
                    }
                    None => self.has_more = false,
                }
            } else if self.questions.is_empty() {
                return Ok(false);
            } else {
                self.lab.check_limit()?;
                self.lab.schedule(self.space, self.next, &self.questions)?;
                return Ok(true);
            }
        }
    }

    fn take_product(&mut self, worker: usize, product: String) {
        self.lab.recognise(worker, product);
    }

    fn take_in(
        &mut self,
        worker: usize,
        observation: Observation,
        _: Option<Outputs>,
    ) -> Result<(), Stop> {
        self.lab.write_down(worker, &observation)
    }
}

/// What is still running when nobody needs it any more.
pub(super) struct Rest<'a, B>(pub &'a mut CommandLab<B>);

impl<B: BestSoFar> Work for Rest<'_, B> {
    fn session(&mut self) -> &mut Session {
        &mut self.0.runner.session
    }

    fn give_out(&mut self) -> Result<bool, Stop> {
        Ok(self.0.busy.iter().any(Option::is_some))
    }

    fn take_product(&mut self, worker: usize, product: String) {
        self.0.recognise(worker, product);
    }

    fn take_in(
        &mut self,
        worker: usize,
        observation: Observation,
        _: Option<Outputs>,
    ) -> Result<(), Stop> {
        self.0.write_down(worker, &observation)
    }
}
