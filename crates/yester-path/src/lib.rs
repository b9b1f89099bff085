//! The path that one run of a C or C++ program took, and the inputs that take another one.
//!
//! A program that was built with `yester-cc` records its run. A [`Recording`] reads that: the [`TraceEvents`] of each thread, the
//! [`ExpressionGraph`] of everything that was computed from the input, and the constraints that branches put on it. A
//! [`PathCondition`] is the conjunction of these. A [`Query`] asks for an input that takes another path, and a [`Solver`] answers
//! it. [`align`] and [`alignment::Run`] find the branches of two runs that correspond.
//!
//! ```
//! use yester_path::{EventKind, TraceEvents, Sites, align};
//!
//! // What the compiler says about `int main(void) { while (...) ...; }`, and two runs: three rounds, and one.
//! let sites = Sites::parse("module\t0\ta.c\nfunction\tmain\ta.c\t1\t1\nbranch\t\t2\t5\t0:1\n")?;
//! let outcomes = |stream: &[u8]| -> Result<Vec<u32>, yester_path::RecordingError> {
//!     let mut outcomes = Vec::new();
//!     for event in TraceEvents::new(&sites, stream, "events-0") {
//!         if let EventKind::Branch { outcome, .. } = event?.kind {
//!             outcomes.push(outcome);
//!         }
//!     }
//!     Ok(outcomes)
//! };
//! const ENTER_MAIN: [u8; 5] = [0xF8, 0, 0, 0, 0];
//! let three = outcomes(&[&ENTER_MAIN[..], &[1, 1, 1, 0, 0xF9]].concat())?;
//! let one = outcomes(&[&ENTER_MAIN[..], &[1, 0, 0xF9]].concat())?;
//! assert_eq!(three, [1, 1, 1, 0]);
//! assert_eq!(align(&three, &one).gaps, 2);
//! # Ok::<(), yester_path::RecordingError>(())
//! ```
//!
//! # Invariants
//!
//! - A recording is what a crashing program left behind. It is checked when it is read, so that no later code can fail on it.
//! - Nothing recurses over expressions: graphs are up to a million nodes deep.
//! - A model is evaluated before it is used. Only "unsatisfiable" is taken from the solver unchecked.
//! - This crate starts a solver, and never the user's program.

mod address;
pub mod alignment;
pub mod apg;
mod attempt;
mod branch;
mod comparison;
mod condition;
mod control;
mod darwin;
mod definition;
pub mod explanation;
mod export;
mod expression;
mod input;
pub mod intervention;
mod joint;
mod last_step;
mod matching;
mod near_input;
mod negation;
mod origin;
mod parting;
mod place;
mod program;
mod query;
mod recording;
mod relevance;
mod selection;
mod site;
mod slice;
mod solver;
mod turn;
mod value;
mod version_comparison;

pub use address::fix_addresses;
pub use alignment::{Alignment, Common, align};
pub use branch::{Branch, Branches, DependentBranches};
pub use comparison::{DifferentBranch, evaluated_differently, first_difference, same_path};
pub use condition::{Constraint, ConstraintKind, PathCondition};
pub use control::DecidingBranch;
pub use darwin::{Asking, Deviation, deviations, open_constraints};
pub use definition::{Definition, macros_used};
pub use expression::{Evaluator, Expression, ExpressionGraph, ExpressionText, NodeId};
pub use input::{ProgramInput, is_below};
pub use joint::{Joint, JointRun};
pub use last_step::last_step;
pub use matching::Matching;
pub use near_input::near_inputs;
pub use negation::{NegatedInput, Negation, NegationError};
pub use origin::{Origin, SourcePlace};
pub use parting::partings;
pub use program::{
    JudgedRun, Printed, Program, Recorded, RecordedRuns, Recordings, Run, RunEnd, Shown,
};
pub use query::{ByteRange, Query, Term};
pub use recording::{
    Blocks, EventKind, InputByte, InputSource, Loss, Output, OutputByte, OutputPiece, OutputTarget,
    Recording, RecordingError, SourceLength, TraceEvent, TraceEvents, ValueEvent, ValueEvents,
    processes,
};
pub use relevance::{
    ChainEnd, ChainLine, ChainLink, DependenceEdge, DependenceGraph, DependenceKind, LineChains,
    LinkRole, RelevantSlice, RelevantSlicer,
};
pub use selection::Selection;
pub use site::{Dependence, Function, Site, SiteKind, Sites, readable, readable_words};
pub use slice::{Slice, SlicedBranch, Slicer};
pub use solver::{Model, Solver, SolverAnswer, SolverError, SolverProgram};
pub use turn::{Turn, turns};
pub use value::ValueForm;
pub use version_comparison::{DifferenceKind, StepDifference, StepPlace, step_differences};
pub use yester_pathrt::format::{FILLER, is_system_file};
