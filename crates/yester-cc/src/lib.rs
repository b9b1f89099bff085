//! Compiler drivers for C and C++: clang compiles, a pass of ours instruments, and the program is linked with the runtime
//! that records which way it goes.

#![warn(clippy::undocumented_unsafe_blocks)]

pub mod driver;
mod emitter;
mod ir;
mod llvm;
pub mod pass;
