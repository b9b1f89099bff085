//! Whole searches, over a lab that runs nothing.

mod idd;
mod laboratory;
mod regression;
