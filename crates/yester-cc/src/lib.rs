//! Compiler drivers for C and C++: clang compiles, a pass of ours instruments, and the program is linked with the runtime
//! that records which way it goes.

pub mod driver;
pub mod llvm;
pub mod pass;
