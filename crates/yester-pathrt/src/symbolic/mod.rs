//! The symbolic half of the runtime: which values depend on the input, how, and what the program decided because of it.
//!
//! For each value, instrumented code keeps the number of a node in the [`graph`](graph::NodeGraph), 0 if the value does not depend
//! on the input. It calls the functions of [`hook`] only for values that do. [`shadow`](shadow::Shadow) has the nodes of memory,
//! and [`model`] replaces the library functions that matter.
//!
//! Whatever can be checked is checked. A node whose value is not the program's is dropped and the loss recorded, and a condition
//! that does not hold is not recorded.

pub mod address;
pub mod call;
pub mod condition;
pub mod engine;
pub mod external;
pub mod float;
pub mod float_hook;
#[cfg(test)]
mod float_test;
pub mod graph;
pub mod hook;
pub mod input;
pub mod intrinsic;
pub mod memory;
pub mod model;
pub mod object;
pub mod output;
pub mod page;
pub mod shadow;
mod simplify;
#[cfg(test)]
mod test;
pub mod value;

pub use engine::{begin, begin_output, enter, forked, is_active};
