//! Inputs as deltas: text becomes pieces that a search can keep or leave out.
//!
//! # Invariants
//!
//! - Any bytes are an input: nothing here needs valid UTF-8, a last newline, or lines at all.
//! - Keeping every piece gives the input back, byte for byte.

mod flat;

pub use flat::{Flat, Unit};
