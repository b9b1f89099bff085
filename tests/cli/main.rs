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
mod installed;
#[path = "../leash.rs"]
mod leash;
mod oddity;
mod page;
mod place;
mod readme;
mod report;
mod resume;
mod runs;
#[path = "../schema.rs"]
mod schema;
mod stop;
mod stranger;
mod structured;
mod terminal;
mod test_command;
#[path = "../tmux.rs"]
mod tmux;
mod trace;
mod trust;
mod why;
mod wrong_call;
mod wrong_use;
