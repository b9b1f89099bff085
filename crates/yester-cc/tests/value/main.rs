//! The values that programs record when they are built for it.

mod laboratory;
mod place;
mod process;
mod version;
