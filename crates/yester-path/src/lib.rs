//! The path that one run of a C or C++ program took, and which other input takes another one.
//!
//! A program that was built with `yester-cc` records its run. A [`Recording`] reads that: the [`Events`] of each thread,
//! the [`Graph`] of everything that was computed from the input, and the constraints that branches have put on it. A
//! [`Condition`] is the conjunction of those; a [`Query`] asks for an input that goes another way, and a [`Solver`]
//! answers it. [`align`] and [`alignment::Run`] say which branches of two runs correspond.
//!
//! # Invariants
//!
//! - A recording is what a crashing program has left. Everything in it is checked when it is read, so that nothing
//!   that comes after can fail on it.
//! - Nothing calls itself for each level of an expression: graphs are a million nodes deep.
//! - A model is evaluated before it is believed. What a solver says is never taken on trust, but for "unsatisfiable".
//! - Only a solver is started here, never the user's program.

pub mod alignment;
mod branch;
mod condition;
mod expression;
mod recording;
mod site;
mod solver;

pub use alignment::{Alignment, Common, align};
pub use branch::{Branch, Branches};
pub use condition::{Condition, Constraint, Kind, Query, Term};
pub use expression::{Evaluator, Expression, Graph, NodeId, Script, Text};
pub use recording::{
    Blocks, Event, Events, InputByte, Loss, Recording, RecordingError, Source, Step, processes,
};
pub use site::{Dependence, Function, Site, SiteKind, Sites};
pub use solver::{Answer, Model, Program, Solver, SolverError};
