//! A C++ compiler whose programs record which branches they take.

use std::process::ExitCode;

fn main() -> ExitCode {
    yester_cc::driver::main(yester_cc::driver::Driver::Cxx)
}
