//! What a run found, as plain data, and how it is told: to people as text, to programs as JSON.
//!
//! # Invariants
//!
//! - A report holds what was observed. Nothing here runs, reads or decides anything.
//! - Text for people passes through `visible`: nothing in it is obeyed by a terminal, and no value ends its line.

mod changes;
mod number;
mod reduction;
mod report;
mod sheet;
mod trace;
mod visible;

pub use changes::{ChangedLines, Changes, ChangesResult, CulpritSet, ReportedCommit, Verified};
pub use number::{count, grouped, percent, seconds};
pub use reduction::{Minimality, Reduction, ReductionResult};
pub use report::{Report, ReportedError, SCHEMA, SeenFailure, Status, Sure, Trials};
pub use sheet::Sheet;
pub use trace::{Lost, Negated, NegatedSource, TraceBranch, TraceConstraint, TraceResult};
pub use visible::{visible, visible_line};
