//! Every table of the papers that can be executed, executed.

mod artho;
mod case_study;
mod java;
mod misherghi;
mod shape;
mod simulation;
mod table;
mod zeller;
