//! `yester flip`, from the command line.

mod cause;
mod forced;
mod path;
mod place;
