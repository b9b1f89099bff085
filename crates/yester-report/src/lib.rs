//! What a run found, as plain data, and how it is told: to people as text, to programs as JSON.
//!
//! # Invariants
//!
//! - A report holds what was observed. Nothing here runs, reads or decides anything.

mod number;
mod reduction;

pub use number::{count, grouped, percent, seconds};
pub use reduction::{
    Error, Minimality, OtherFailure, Reduction, Result, SCHEMA, Status, Sure, Trials,
};
