//! `yester flip`, from the command line.

mod cause;
mod check;
mod dependence;
mod forced;
mod kinds;
mod limit;
mod oddity;
mod path;
mod place;
mod solved;
