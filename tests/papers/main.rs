//! Every table of the papers that can be executed, executed.

mod artho;
mod case_study;
mod shape;
mod table;
mod zeller;
