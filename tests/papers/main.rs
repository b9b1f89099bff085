//! Every table of the papers that can be executed, executed.

mod artho;
mod table;
mod zeller;
