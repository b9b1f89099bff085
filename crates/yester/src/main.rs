//! It worked yesterday, today it does not: why?

mod cli;
mod command;
mod complaint;
mod failure;
mod identity;
mod interrupt;
mod log;
mod progress;
mod quantity;
mod quote;
mod reduce;
mod runs;
mod settings;

fn main() -> std::process::ExitCode {
    yester_run::become_warden_if_asked();
    failure::guard(cli::run)
}
