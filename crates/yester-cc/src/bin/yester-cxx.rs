//! A C++ compiler whose programs record which branches they take.

use std::process::ExitCode;

fn main() -> ExitCode {
    yester_cc::main(yester_cc::Driver::Cxx)
}
