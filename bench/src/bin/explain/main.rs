//! Lets yester explain why seeded versions of small programs differ from the right ones, and says how near it comes.

mod options;
mod release;
mod search;
mod table;

use std::process::ExitCode;

use options::{ExplainOptions, USAGE};
use table::CASE_HEAD;
use yester_bench::seeded::{SELECTION_USAGE, print_list, print_missed, run_all};

fn main() -> ExitCode {
    let options = match ExplainOptions::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\n{USAGE}\n{SELECTION_USAGE}");
            return ExitCode::from(2);
        }
    };
    if options.releases {
        return match release::run_all(&options) {
            Ok(code) => code,
            Err(message) => {
                eprintln!("{message}");
                ExitCode::FAILURE
            }
        };
    }
    let selection = &options.selection;
    let faults = match selection.faults() {
        Ok(faults) => faults,
        Err(message) => return print_missed(&[message]),
    };
    if selection.list {
        print_list(&faults);
        return ExitCode::SUCCESS;
    }
    println!("{CASE_HEAD}");
    let rows = run_all(
        selection,
        &faults,
        |fault, directory| search::run(fault, &options, directory),
        table::print,
    );
    print_missed(&match rows {
        Ok(rows) => table::print_totals(&rows),
        Err(message) => vec![message],
    })
}
