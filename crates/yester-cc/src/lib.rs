//! Compiler drivers for C and C++: clang compiles, a pass of ours instruments, and the program is linked with the runtime
//! that records which way it goes.

pub mod driver;
#[allow(clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)]
pub mod ir;
pub mod llvm;
#[allow(clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)]
pub mod maker;
pub mod pass;
