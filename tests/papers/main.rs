//! Every table of the papers that can be executed, executed.

mod zeller;
