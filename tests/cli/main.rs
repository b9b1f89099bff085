//! The command line, end to end.

mod answer;
mod help;
mod place;
mod readme;
mod resume;
mod wrong_use;
