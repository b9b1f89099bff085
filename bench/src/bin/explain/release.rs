//! Faults in releases of real programs, which take longer: one at a time.

use std::process::ExitCode;

use yester_bench::median;
use yester_bench::script::fresh;
use yester_bench::seeded::{LocalizationClass, ReleaseFault};

use crate::options::ExplainOptions;
use crate::search::{self, CaseRun};

const HEAD: &str = "\
| case | kind | changed lines | line | class | rank | places | method | seconds | |
|---|---|---|---|---|---|---|---|---|---|";

/// Runs and prints all that are wanted. Succeeds if each has a report.
pub fn run_all(options: &ExplainOptions) -> Result<ExitCode, String> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let place = options.selection.keep.as_deref().unwrap_or(scratch.path());
    let faults = ReleaseFault::all()?.into_iter();
    let faults: Vec<ReleaseFault> = faults
        .filter(|fault| options.wants_release(fault))
        .collect();
    let mut runs = Vec::new();
    println!("{HEAD}");
    for fault in &faults {
        let directory = fresh(&place.join(&fault.name))?;
        let directory = directory
            .canonicalize()
            .map_err(|error| error.to_string())?;
        let run = search::run_release(fault, options, &directory)?;
        print(fault, &run);
        runs.push(run);
    }
    if runs.is_empty() {
        return Err("no case is meant".to_owned());
    }
    let count =
        |is_meant: &dyn Fn(&CaseRun) -> bool| runs.iter().filter(|run| is_meant(run)).count();
    let missing = count(&|run| run.places == 0);
    let seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    println!(
        "\nclass 1 or 1a: {} of {}, first: {}, in three: {}, without places: {missing}, seconds: median {:.1}, most {:.1}",
        count(&|run| run.class <= LocalizationClass::IdenticalLine),
        runs.len(),
        count(&|run| run.rank == Some(1)),
        count(&|run| run.rank.is_some_and(|rank| rank <= 3)),
        median(seconds.clone()),
        seconds.iter().copied().fold(0.0, f64::max),
    );
    Ok(ExitCode::from(u8::from(missing > 0)))
}

fn print(fault: &ReleaseFault, run: &CaseRun) {
    println!(
        "| {} | {} | {} | {}:{} | {} | {} | {} | {} | {:.1} | {} |",
        fault.name,
        fault.kind,
        run.changed,
        fault.file,
        fault.line,
        run.class.name(),
        run.rank.map_or(String::new(), |rank| rank.to_string()),
        run.places,
        run.method,
        run.seconds,
        run.problem.as_deref().unwrap_or_default(),
    );
}
