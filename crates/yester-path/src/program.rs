//! A program under test, as the searches see it. Whoever implements it starts processes; nothing in this crate does.

use std::any::Any;
use std::time::Duration;

use yester_core::Outcome;

use crate::input::ProgramInput;
use crate::recording::{InputSource, Recording, RecordingError};
use crate::solver::SolverError;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// It exited with this code.
    Exit(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It ran out of time.
    Timeout,
    /// It says nothing.
    Other,
}

/// What was written to a stream. Equal digests, equal bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// How many bytes there are.
    pub bytes: u64,
    /// Their hash.
    pub digest: String,
}

/// What a run showed to the outside.
pub trait Shown: Clone {
    /// How it ended.
    fn end(&self) -> RunEnd;
    /// How long it took.
    fn elapsed(&self) -> Duration;
    /// What it wrote to its standard output.
    fn printed(&self) -> Printed;
    /// All of that, if it was not too much to be kept.
    fn whole_output(&self) -> Option<Vec<u8>>;
}

/// One run that is wanted.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The input.
    pub input: &'a ProgramInput,
    /// What of the input is followed. If nothing is, only the path is recorded, and much faster.
    pub symbolic: &'a [InputSource],
    /// How long it may take.
    pub timeout: Duration,
}

/// One run that was recorded.
pub struct Recorded<S> {
    /// What it recorded.
    pub recording: Recording,
    /// What it showed.
    pub observation: S,
    /// How many other processes were recorded.
    pub others: usize,
    /// The recording reads its events from files that are there as long as this is.
    pub files: Box<dyn Any>,
}

/// A run that is to be judged.
pub struct JudgedRun<'a, S> {
    /// Its input.
    pub input: &'a ProgramInput,
    /// What it showed.
    pub observation: &'a S,
}

impl<S> Clone for JudgedRun<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for JudgedRun<'_, S> {}

/// A program that runs on any input, and somebody who can tell what is right.
pub trait Program {
    /// What a run shows.
    type Shown: Shown;
    /// A way to fail.
    type Failure: Clone;
    /// Why a search has to end.
    type Stop: From<RecordingError> + From<SolverError>;

    /// Runs it and reads what it recorded.
    ///
    /// # Errors
    /// If it leaves no recording, or the search has to end.
    fn record(&mut self, run: Run<'_>) -> Result<Recorded<Self::Shown>, Self::Stop>;

    /// Runs it on several inputs. Nothing for those on which it leaves no recording.
    ///
    /// # Errors
    /// If the search has to end.
    fn record_all(&mut self, runs: &[Run<'_>]) -> Recordings<Self>;

    /// Runs it on several inputs without looking into it.
    ///
    /// # Errors
    /// If the search has to end.
    fn observe_all(&mut self, runs: &[Run<'_>]) -> Result<Vec<Self::Shown>, Self::Stop>;

    /// What runs are. A run of which nobody can tell is unresolved.
    ///
    /// # Errors
    /// If the search has to end.
    fn judge(&mut self, runs: &[JudgedRun<'_, Self::Shown>]) -> Result<Vec<Outcome>, Self::Stop>;

    /// Whether each answer costs a person time. Then only the best runs are worth a question.
    fn is_judged_by_person(&self) -> bool;

    /// How a run failed that has to fail in the same way when its input gets shorter.
    fn failure(&self, observation: &Self::Shown) -> Self::Failure;

    /// Whether a run fails in this way.
    fn fails_so(&self, failure: &Self::Failure, observation: &Self::Shown) -> bool;
}

/// What several runs have recorded.
pub type Recordings<P> = RecordedRuns<<P as Program>::Shown, <P as Program>::Stop>;

/// What several runs have recorded: nothing of those that leave no recording, unless something ends them all.
pub type RecordedRuns<S, E> = Result<Vec<Option<Recorded<S>>>, E>;
