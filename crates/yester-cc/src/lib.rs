//! Compiler drivers for C and C++. clang compiles, [`pass`] instruments, and the driver links the program with the runtime
//! (`yester-pathrt`) that records which branches it takes.

#![warn(clippy::undocumented_unsafe_blocks)]

pub mod driver;
mod emitter;
mod ir;
mod llvm;
pub mod pass;
