//! Every table of the papers that can be executed, executed.

mod archive;
mod artho;
mod case_study;
mod ddd;
mod idd;
mod java;
mod misherghi;
mod shape;
mod simulation;
mod table;
mod zeller;
