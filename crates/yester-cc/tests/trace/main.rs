//! What instrumented programs record: compiled, run and read again.

mod call;
mod ending;
mod laboratory;
mod process;
mod way;
