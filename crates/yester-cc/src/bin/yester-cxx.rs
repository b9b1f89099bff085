//! A C++ compiler whose programs can tell which way they went.

use std::process::ExitCode;

fn main() -> ExitCode {
    yester_cc::driver::main(yester_cc::driver::Driver::Cxx)
}
