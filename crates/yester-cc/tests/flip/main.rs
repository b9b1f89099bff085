//! `yester flip`, from the command line.

mod cause;
mod dependence;
mod forced;
mod path;
mod place;
