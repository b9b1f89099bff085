//! Lets yester say what, taken the other way, would have made seeded faults pass, and says how near it comes to them.

mod fit;
mod options;
mod search;
mod table;

use std::path::Path;
use std::process::ExitCode;

use options::{FlipOptions, USAGE};
use yester_bench::seeded::{Fault, SELECTION_USAGE, print_list, print_missed, run_all};

fn main() -> ExitCode {
    let options = match FlipOptions::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\n{USAGE}\n{SELECTION_USAGE}");
            return ExitCode::from(2);
        }
    };
    let selection = &options.selection;
    let faults = match selection.faults() {
        Ok(faults) => faults,
        Err(message) => return print_missed(&[message]),
    };
    if selection.list {
        print_list(&faults);
        return ExitCode::SUCCESS;
    }
    if options.fits {
        let run = |fault: &Fault, directory: &Path| fit::run(fault, &options, directory);
        return match run_all(selection, &faults, run, |_| {}) {
            Ok(rows) => {
                fit::print(&rows);
                ExitCode::SUCCESS
            }
            Err(message) => print_missed(&[message]),
        };
    }
    println!("{}", table::CASE_HEAD);
    let rows = run_all(
        selection,
        &faults,
        |fault, directory| search::run(fault, &options, directory),
        table::print,
    );
    match rows {
        Ok(rows) => table::print_totals(&rows, &options.ways),
        Err(message) => print_missed(&[message]),
    }
}
