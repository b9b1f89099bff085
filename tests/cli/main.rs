//! The command line, end to end.

mod answer;
mod changes;
mod help;
mod oddity;
mod place;
mod readme;
mod resume;
mod stranger;
mod structured;
mod trace;
mod wrong_use;
