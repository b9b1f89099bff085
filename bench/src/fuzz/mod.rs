//! Feeds damaged inputs to everything that reads strangers' bytes.
//!
//! The input of an execution follows from its number alone, so that a crash is known by its number however the process
//! ended, and can be repeated.

mod mutation;
mod target;

pub use mutation::{Numbers, mutated};
pub use target::{FuzzTarget, targets};

/// The input with this number.
pub fn input(target: &FuzzTarget, number: u64) -> Vec<u8> {
    // Different targets with the same seeds get different inputs.
    let salt = target
        .name
        .bytes()
        .fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
    let mut numbers = Numbers::new(salt.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number);
    mutated(&target.seeds, &mut numbers)
}
