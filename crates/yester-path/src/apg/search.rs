//! The whole search from a failing input: it gets shorter first, and paths are generated from there.

use std::time::{Duration, Instant};

use super::{PathFindings, PathSettings, ReductionLimits, generate, reduce};
use crate::darwin::Asking;
use crate::input::ProgramInput;
use crate::program::Program;
use crate::recording::InputSource;

/// So many runs generate paths.
const MOST_RUNS: usize = 240;
/// So many runs reduce the input.
const MOST_REDUCING_RUNS: usize = 160;

/// How far the search goes, and with what.
pub struct PathSearch<'a> {
    /// What of the input may vary.
    pub symbolic: &'a [InputSource],
    /// How the solver is asked.
    pub asking: Asking,
    /// How long a run may take.
    pub timeout: Duration,
    /// How long one may take whose input is followed.
    pub recording_timeout: Duration,
    /// How many runs there may be, if somebody says so.
    pub most_runs: Option<usize>,
    /// When to stop at the latest.
    pub deadline: Option<Instant>,
}

impl PathSearch<'_> {
    /// Looks for inputs that take another path than this one, on which the program fails, and succeed. Gives what was found, and the input that it is
    /// compared with: the same one, or a shorter one that fails in the same way.
    ///
    /// # Errors
    /// If the program ends the search.
    pub fn carry_out<P: Program>(
        self,
        program: &mut P,
        input: &ProgramInput,
    ) -> Result<(PathFindings, ProgramInput), P::Stop> {
        let most = self
            .most_runs
            .map_or(MOST_REDUCING_RUNS, |most| MOST_REDUCING_RUNS.min(most / 2));
        let limits = ReductionLimits {
            most_runs: most,
            deadline: self.deadline,
            timeout: self.timeout,
        };
        let reduction = reduce(program, input, self.symbolic, &limits)?;
        let settings = PathSettings {
            symbolic: self.symbolic,
            asking: self.asking,
            timeout: self.recording_timeout,
            most_runs: self
                .most_runs
                .map_or(MOST_RUNS, |most| most.saturating_sub(reduction.runs)),
            deadline: self.deadline,
        };
        let mut findings = generate(&settings, program, &reduction.input)?;
        findings.runs += reduction.runs;
        Ok((findings, reduction.input))
    }
}
