//! The symbolic half of the runtime: which values depend on the input, how, and what the program decided because of it.
//!
//! Instrumented code keeps beside each value the number of a node of the [`graph`](graph::Graph), 0 for what does not depend
//! on the input, and calls the functions of [`hook`] only for what does. What is in memory has its nodes in
//! [`shadow`](shadow::Shadow). Library functions that matter are replaced by those of [`model`].
//!
//! Nothing is believed that can be checked: a node that does not have the value that is really there is dropped and the loss
//! recorded, and no condition is recorded that does not hold.

pub mod address;
pub mod call;
pub mod condition;
pub mod engine;
pub mod external;
pub mod graph;
pub mod hook;
pub mod input;
pub mod intrinsic;
pub mod memory;
pub mod model;
pub mod object;
pub mod page;
pub mod shadow;
mod simplify;
#[cfg(test)]
mod test;
pub mod value;

pub use engine::{Engine, begin, enter, forked, is_active};
