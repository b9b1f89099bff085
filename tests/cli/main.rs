//! The command line, end to end.

mod answer;
mod book;
mod changes;
#[path = "../console.rs"]
mod console;
#[path = "../executable.rs"]
mod executable;
mod hard_input;
mod help;
mod history;
#[path = "../leash.rs"]
mod leash;
mod oddity;
mod place;
mod readme;
mod resume;
mod stop;
mod stranger;
mod structured;
mod trace;
mod wrong_use;
