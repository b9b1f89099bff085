//! The runtime that instrumented programs are linked with.
//!
//! `yester-cc` compiles this crate by itself, with `--cfg yester_runtime`, into the static library that goes into each
//! program. As an ordinary library it has the format of recordings, for those who read them, and what can be tested alone.
#![cfg_attr(not(test), no_std)]

pub mod format;
