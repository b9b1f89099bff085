//! How much work the search for other paths may do. Work is counted, so that the answer is the same on any machine; the clock is only looked at for
//! `--max-time`, and so that nobody waits forever for a program that is slow in a way that cannot be counted.

use std::time::Instant;

use crate::program::{RunEnd, Shown};

/// So many questions there may be for each run that is allowed. Most that have no answer cost no run.
const QUESTIONS_PER_RUN: usize = 2;
/// So many questions may stay without an answer: each takes as long as the solver may.
const MOST_UNANSWERED: usize = 60;
/// So many runs may run out of time: each takes all of it.
const MOST_HANGS: usize = 8;
/// So many events and nodes all runs may have together. An endless recursion has millions.
const MOST_READ: usize = 20_000_000;

/// What ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The number of runs.
    Runs,
    /// The number of questions to the solver.
    Questions,
    /// The number of questions without an answer.
    Unanswered,
    /// The number of runs that do not end.
    Hangs,
    /// How much was recorded.
    Size,
    /// The clock.
    Time,
}

impl Limit {
    /// In words that fit behind "stopped by".
    pub fn words(self) -> &'static str {
        match self {
            Limit::Runs => "the limit of runs (--max-trials)",
            Limit::Questions => "the limit of questions to the solver (--max-trials)",
            Limit::Unanswered => {
                "questions that the solver could not answer in time (--solver-timeout)"
            }
            Limit::Hangs => "runs that did not end in time (--timeout)",
            Limit::Size => "the size of what was recorded",
            Limit::Time => "the limit of time (--max-time)",
        }
    }
}

/// The work that was done.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// How many runs there were, with those that were repeated.
    pub runs: usize,
    /// How many questions were asked.
    pub questions: usize,
    unanswered: usize,
    hangs: usize,
    /// How many events and nodes they had.
    read: usize,
}

impl Work {
    pub fn ran(&mut self, observation: &impl Shown, size: usize) {
        self.hangs += usize::from(observation.end() == RunEnd::Timeout);
        self.read += size;
    }

    /// Counts questions about a run with so many nodes. Each has to read them.
    pub fn asked(&mut self, questions: usize, nodes: usize) {
        self.questions += questions;
        self.read += questions * nodes;
    }

    pub fn stayed_unanswered(&mut self, questions: usize) {
        self.unanswered += questions;
    }

    /// How many runs may still be made of those that are allowed, and what sets that limit.
    pub fn room(&self, allowed: usize, deadline: Option<Instant>) -> (usize, Limit) {
        let size = self.read / (self.runs + self.questions).max(1);
        let unless = |is_spent: bool| if is_spent { 0 } else { usize::MAX };
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let limits = [
            (allowed.saturating_sub(self.runs), Limit::Runs),
            (
                (allowed * QUESTIONS_PER_RUN).saturating_sub(self.questions),
                Limit::Questions,
            ),
            (
                MOST_READ.saturating_sub(self.read) / size.max(1),
                Limit::Size,
            ),
            (
                unless(self.unanswered >= MOST_UNANSWERED),
                Limit::Unanswered,
            ),
            (unless(self.hangs >= MOST_HANGS), Limit::Hangs),
            (unless(is_late), Limit::Time),
        ];
        let tightest = limits.into_iter().min_by_key(|(room, _)| *room);
        tightest.expect("there are limits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_limit_is_told() {
        let mut work = Work {
            runs: 10,
            ..Work::default()
        };
        assert_eq!(work.room(30, None), (20, Limit::Runs));
        work.asked(55, 0);
        assert_eq!(work.room(30, None), (5, Limit::Questions));
        work.stayed_unanswered(MOST_UNANSWERED);
        assert_eq!(work.room(1000, None), (0, Limit::Unanswered));
        let work = Work {
            read: MOST_READ,
            ..Work::default()
        };
        assert_eq!(work.room(1000, None), (0, Limit::Size));
    }
}
