//! `yester flip`, from the command line.

mod forced;
mod kinds;
mod path;
mod place;
mod solved;
