//! Repositories that want to start programs, fetch, hang or write somewhere else.

mod place;
mod program;
mod trap;
