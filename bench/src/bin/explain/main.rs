//! Lets yester explain why seeded versions of small programs differ from the right ones, and says how near it comes.

mod search;
mod table;

use std::process::ExitCode;

use table::CASE_HEAD;
use yester_bench::seeded::{SELECTION_USAGE, Selection, print_list, print_missed, run_all};

const USAGE: &str = "\
usage: bench/explain [--only NAME]... [--role ROLE] [--kind KIND]... [--jobs N] [--limit SECONDS]
                     [--keep DIRECTORY] [--yester PROGRAM] [--list]
";

fn main() -> ExitCode {
    let selection = match Selection::parse(std::env::args().skip(1)) {
        Ok(selection) => selection,
        Err(message) => {
            eprintln!("{message}\n{USAGE}\n{SELECTION_USAGE}");
            return ExitCode::from(2);
        }
    };
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
        &selection,
        &faults,
        |fault, directory| search::run(fault, &selection, directory),
        table::print,
    );
    print_missed(&match rows {
        Ok(rows) => table::print_totals(&rows),
        Err(message) => vec![message],
    })
}
