//! `yester flip`, from the command line.

#[path = "../../../../tests/called.rs"]
mod called;
mod cause;
mod check;
mod dependence;
mod intervention;
mod kinds;
mod limit;
mod missing;
mod oddity;
mod order;
mod path;
mod place;
mod several;
mod solved;
