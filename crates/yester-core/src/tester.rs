use std::fmt;

use crate::{Answer, Candidate, Outcome, Space, Subset};

/// Why a search ended before it had its answer. What was accepted until then stays valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// A limit was reached.
    #[error("the limit of {0} is reached")]
    Limit(Limit),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A trial could not be carried out at all.
    #[error(transparent)]
    Broken(#[from] Breakage),
}

/// What may be limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// How many trials there are.
    Trials,
    /// How long the search takes.
    Time,
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Limit::Trials => "trials",
            Limit::Time => "time",
        })
    }
}

/// Something around the trials that broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Breakage {
    /// What can be done about it depends on this.
    pub kind: BreakageKind,
    /// What happened.
    pub message: String,
}

/// What kind of thing broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakageKind {
    /// A disk is full.
    FullDisk,
    /// This machine cannot contain trials as the user asked.
    Unsupported,
    /// Something else: a command that is gone, a disk or a repository that cannot be read now.
    Other,
}

/// Answers what happens when a subset of the deltas is applied.
///
/// No method has a default: a wrapper that forgot to hand on `first` or `foresee` would make every search below it
/// sequential, and nobody would notice.
pub trait Tester {
    /// The answer for one subset.
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop>;

    /// The lowest index among `candidates` whose outcome is `wanted`.
    ///
    /// An implementation may test several candidates at once and later ones before earlier ones, but it returns what
    /// testing them in order would give. Candidates are made only when they are needed.
    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop>;

    /// A hint: the search is likely to ask for these subsets after the next question, the likeliest first.
    ///
    /// A hint replaces the one before and never changes an answer. A tester with idle jobs may test them ahead.
    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>);
}

/// [`Tester::first`] for a tester with a single job: asks for one candidate after the other.
pub fn first_in_order<T: Tester + ?Sized>(
    tester: &mut T,
    candidates: &mut dyn Iterator<Item = Subset>,
    wanted: Outcome,
) -> Result<Option<usize>, Stop> {
    for (index, candidate) in candidates.enumerate() {
        if tester.test(&candidate)?.outcome == wanted {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// A tester with a single job that answers by a function.
pub struct Sequential<F>(pub F);

impl<F: FnMut(&Subset) -> Result<Answer, Stop>> Tester for Sequential<F> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        (self.0)(subset)
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        first_in_order(self, candidates, wanted)
    }

    fn foresee(&mut self, _: &mut dyn Iterator<Item = Subset>) {}
}

/// Makes testers, for searches that go through one space after the other.
pub trait Lab {
    /// A tester for the deltas of a space.
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a>;

    /// The same for a search that will probably ask for `next` afterwards, the likeliest first. A lab with idle jobs may
    /// test these ahead. They are made only when it takes them, and never change an answer.
    fn tester_before<'a>(
        &'a mut self,
        space: &'a dyn Space,
        next: &'a mut dyn Iterator<Item = Candidate>,
    ) -> Box<dyn Tester + 'a> {
        let _ = next;
        self.tester(space)
    }

    /// The search says what it does now. Nothing depends on it; people like to know.
    fn enter(&mut self, phase: Phase);

    /// What the command printed for the unreduced candidate. It may name the places that are to blame.
    fn messages(&self) -> &str {
        ""
    }
}

/// A lab that can also prove: in clean places it runs candidates again, whatever the search knows of them.
pub trait ProvingLab: Lab {
    /// What a run showed, for people.
    type Run;

    /// Runs candidates in clean places with clean builds. Gives for each the outcome that all of its runs add up to, and a
    /// run that shows it.
    fn test_clean(&mut self, candidates: &[&Candidate]) -> Result<Vec<(Outcome, Self::Run)>, Stop>;
}

/// What a search does for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What it does, such as "removing lines".
    pub what: &'static str,
    /// How many deltas it has to try.
    pub deltas: usize,
}

impl<T: Tester + ?Sized> Tester for &mut T {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        (**self).test(subset)
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        (**self).first(candidates, wanted)
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        (**self).foresee(subsets);
    }
}
