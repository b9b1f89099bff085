//! `yester flip`: one failing run of a program, and what, done otherwise, would make it pass.
#![allow(dead_code, unused_imports)]

mod judge;
mod path;
