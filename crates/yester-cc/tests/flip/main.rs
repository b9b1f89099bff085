//! `yester flip`, from the command line.

mod forced;
mod path;
mod place;
mod solved;
