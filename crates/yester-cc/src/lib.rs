//! Compiler drivers for C and C++. clang compiles, a pass instruments, and the driver links the program with the runtime
//! (`yester-pathrt`) that records which branches it takes.
//!
//! The binaries call [`main`]. [`dependence`], which computes the control dependence that recordings carry, can be used alone:
//!
//! ```
//! use yester_cc::dependence::{FlowEdge, control_dependence, post_dominators};
//!
//! // if (a) { b } c: block 0 branches to block 1 or skips it.
//! let graph = [vec![1, 2], vec![2], vec![]];
//! let decides = FlowEdge { block: 0, successor: 0 };
//! let above = post_dominators(&graph);
//! assert_eq!(control_dependence(&graph, &above), [vec![], vec![decides], vec![]]);
//! ```

#![warn(clippy::undocumented_unsafe_blocks)]

mod block;
mod debug;
mod driver;
mod emitter;
mod ir;
mod llvm;
mod metadata;
mod mode;
mod module;
mod pass;
mod variable;

pub use driver::{Driver, main};
pub use pass::dependence;
