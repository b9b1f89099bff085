//! What the search needs of a program.

use std::ops::Range;
use std::time::Duration;

use yester_core::Outcome;

use super::{NearInput, Right};
use crate::intervention::ResultRecord;
use crate::program::Shown;
use crate::recording::Recording;
use crate::solver::SolverError;

/// A program that takes interventions, on the user's own input.
pub trait InterventionTarget {
    /// What a run shows.
    type Shown: Shown;
    /// Why a search has to end.
    type Stop: From<SolverError>;

    /// Whether runs with an intervention are guarded against what their code may do.
    fn is_guarded(&self) -> bool;

    /// How many runs were made so far. What an earlier call has seen is none.
    fn runs(&self) -> u64;

    /// Says what is tried from now on, and how often.
    fn begin(&mut self, what: &'static str, count: usize);

    /// Says what interventions have turned out to be that were carried out by the program itself.
    fn judged(&mut self, outcome: Outcome);

    /// Carries out the intervention of a plan, to be sure of it.
    ///
    /// # Errors
    /// If the search has to end.
    fn run(&mut self, plan: &str, timeout: Duration) -> Result<Self::Shown, Self::Stop>;

    /// Carries out the intervention of each plan in a run of its own, and says whether it is right.
    ///
    /// # Errors
    /// If the search has to end.
    fn run_each(
        &mut self,
        plans: &[String],
        right: &Right,
        timeout: Duration,
    ) -> Result<Vec<bool>, Self::Stop>;

    /// The program itself carries out all interventions of each plan, and compares what they print with what is expected.
    ///
    /// # Errors
    /// If the search has to end.
    fn run_batches(
        &mut self,
        plans: &[String],
        expected: &[u8],
        timeout: Duration,
    ) -> Result<Vec<BatchRun>, Self::Stop>;

    /// Carries out the intervention of each plan and records what becomes of the value.
    ///
    /// # Errors
    /// If the search has to end.
    fn follow(
        &mut self,
        plans: &[String],
        timeout: Duration,
        take: &mut dyn FnMut(usize, &Recording) -> Result<(), SolverError>,
    ) -> Result<(), Self::Stop>;

    /// Makes inputs near the user's, with what is right on them, as far as somebody knows. `has_crashed` says that the failing run did.
    ///
    /// # Errors
    /// If the search has to end.
    fn near_inputs(
        &mut self,
        has_crashed: bool,
        timeout: Duration,
    ) -> Result<Vec<NearInput>, Self::Stop>;

    /// The program itself carries out all interventions of a plan on some of these inputs.
    ///
    /// # Errors
    /// If the search has to end.
    fn run_near(
        &mut self,
        plan: &str,
        inputs: Range<usize>,
        timeout: Duration,
    ) -> Result<Vec<BatchRun>, Self::Stop>;

    /// Whether a run is right.
    ///
    /// # Errors
    /// If the search has to end.
    fn is_right(&mut self, observation: &Self::Shown, right: &Right) -> Result<bool, Self::Stop>;
}

/// A run in which the program itself has carried out interventions.
pub struct BatchRun {
    /// Of the interventions that have ended.
    pub results: Vec<ResultRecord>,
    /// Whether it ran out of time.
    pub is_late: bool,
    /// Whether it has changed the tree that it ran in.
    pub changed_tree: bool,
}
