//! Lets yester explain why seeded versions of small programs differ from the right ones, and says how near it comes.

mod options;
mod release;
mod search;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

use options::{ExplainOptions, USAGE};
use table::{CASE_HEAD, CaseRow};
use yester_bench::script::fresh;
use yester_bench::seeded::{Fault, programs};

fn main() -> ExitCode {
    let options = match ExplainOptions::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
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
    let rows = wanted(&options).and_then(|faults| match options.list {
        true => {
            list(&faults);
            Ok(None)
        }
        false => run_all(&options, &faults).map(Some),
    });
    let missed = match rows {
        Ok(None) => return ExitCode::SUCCESS,
        Ok(Some(rows)) => table::print_totals(&rows),
        Err(message) => vec![message],
    };
    println!();
    for bar in &missed {
        println!("NOT met: {bar}");
    }
    if missed.is_empty() {
        println!("all bars are met");
    }
    ExitCode::from(u8::from(!missed.is_empty()))
}

fn wanted(options: &ExplainOptions) -> Result<Vec<Fault>, String> {
    let mut wanted = Vec::new();
    for program in programs()? {
        let faults = program.faults()?.into_iter();
        wanted.extend(faults.filter(|fault| options.wants(fault)));
    }
    Ok(wanted)
}

fn list(faults: &[Fault]) {
    println!("| case | role | family | kind | function | lines of old | lines of new |");
    println!("|---|---|---|---|---|---|---|");
    for fault in faults {
        let truth = fault.truth();
        println!(
            "| {} | {} | {} | {} | {} | {:?} | {:?} |",
            fault.name(),
            truth.role.name(),
            fault.family.name(),
            truth.kind,
            truth.function.as_deref().unwrap_or("-"),
            truth.lines_old,
            truth.lines_new,
        );
    }
}

/// Runs some cases at a time and prints them in their order.
fn run_all(options: &ExplainOptions, faults: &[Fault]) -> Result<Vec<CaseRow>, String> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let place = options.keep.as_deref().unwrap_or(scratch.path());
    let next = Mutex::new(0);
    let rows = Mutex::new(Printed::default());
    println!("{CASE_HEAD}");
    thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                loop {
                    let index = {
                        let mut next = next.lock().expect("no thread panics");
                        *next += 1;
                        *next - 1
                    };
                    let Some(fault) = faults.get(index) else {
                        break;
                    };
                    let row = run_one(options, fault, place);
                    rows.lock().expect("no thread panics").put(index, row);
                }
            });
        }
    });
    rows.into_inner().expect("no thread panics").finish()
}

fn run_one(options: &ExplainOptions, fault: &Fault, place: &Path) -> Result<CaseRow, String> {
    let directory = directory_of(place, &fault.name())?;
    let run = search::run(fault, options, &directory)?;
    Ok(CaseRow {
        fault: fault.clone(),
        run,
    })
}

/// An empty directory for a case, without links on the way.
fn directory_of(place: &Path, name: &str) -> Result<PathBuf, String> {
    let directory = fresh(&place.join(name))?;
    directory.canonicalize().map_err(|error| error.to_string())
}

/// Rows that are printed as soon as all before them are.
#[derive(Default)]
struct Printed {
    rows: Vec<Option<Result<CaseRow, String>>>,
    count: usize,
}

impl Printed {
    fn put(&mut self, index: usize, row: Result<CaseRow, String>) {
        if self.rows.len() <= index {
            self.rows.resize_with(index + 1, || None);
        }
        self.rows[index] = Some(row);
        while let Some(Some(row)) = self.rows.get(self.count) {
            if let Ok(row) = row {
                row.print();
            }
            self.count += 1;
        }
    }

    fn finish(self) -> Result<Vec<CaseRow>, String> {
        self.rows.into_iter().flatten().collect()
    }
}
