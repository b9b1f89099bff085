//! What the commands share that run programs: `trace`, `explain` and `flip`. What they run is `yester_record`.

mod call;
mod failure;
mod flip_place;
mod input;
mod program_command;
mod source;
mod version;

pub use self::call::{
    check_apart, confinement, plain_input, program, program_input, recipe, refusals, unfollowed,
};
pub use self::flip_place::{name_definitions, near_report};
pub use self::input::{changed_sources, write_changed};
pub use self::program_command::{Keeping, ProgramCommand};
pub use self::source::{TreeSources, short_name};
pub use self::version::{two_versions, version};
