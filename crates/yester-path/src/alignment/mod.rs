//! Which events of two runs correspond.
//!
//! [`align`] knows nothing but sequences. [`Run`] knows what depends on what.

mod dependence;
mod edit;

pub use self::dependence::{Distance, Happening, Run, Statement, aligned, distance};
pub use self::edit::{Alignment, Common, align, align_with_effort};
