//! Megabytes of C and C++: which declarations the failing part does not need, told without a syntax tree.

mod big;
mod entity;

pub use big::reduce_declarations;
