//! Finds the events of two runs that correspond.
//!
//! [`align`] compares plain sequences. [`Run`] also knows control dependence.

mod dependence;
mod edit;

pub use self::dependence::{Distance, Run, RunEvent, Statement, aligned, distance};
pub use self::edit::{Alignment, Common, align, align_with_effort};
