//! Nasty tests, kills, a full disk and a flaky test, at full size. The tests run the same scenarios small.
//!
//! With `--long`, every system call of some small runs fails once, and the power goes at every moment of them.

#[path = "../../../tests/faults/case.rs"]
mod case;
#[path = "../../../tests/faults/delta_case.rs"]
mod delta_case;
#[path = "../../../tests/executable.rs"]
mod executable;
#[path = "../../../tests/faults/injection.rs"]
mod injection;
#[path = "../../../tests/leash.rs"]
mod leash;
#[path = "../../../tests/faults/power.rs"]
mod power;
#[path = "../../../tests/faults/program_case.rs"]
mod program_case;
#[path = "../../../tests/faults/scenario.rs"]
mod scenario;

#[path = "../faults/long.rs"]
mod long;
#[path = "../faults/signal.rs"]
mod signal;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use scenario::Verdict;
use yester_bench::yester;

type Scenario = fn(&Path) -> Verdict;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().is_some_and(|word| word == "--long") {
        return ExitCode::from(u8::from(!long::run(
            &yester(),
            &arguments.collect::<Vec<_>>(),
        )));
    }
    let scenarios: [(&str, Scenario); 13] = [
        ("daemonises with setsid", scenario::daemon),
        ("ignores signals, hangs", scenario::deaf_to_signals),
        ("forks without end, full", scenario::fork_bomb),
        ("prints 1 GB", |yester| scenario::flood(yester, 1000)),
        ("closes its files", scenario::closed_files),
        ("deletes its directory", scenario::deleted_directory),
        (
            "1,500 nested directories, 1,024 files",
            scenario::deep_directories,
        ),
        ("deletes /dev/null, full", scenario::deleted_null_device),
        ("writes to the user's tree, full", scenario::vandal),
        ("kill -9 at 200 moments", |yester| {
            scenario::killed(yester, 200)
        }),
        (
            "SIGTERM at 24 moments, 20,000 files",
            signal::at_every_moment,
        ),
        ("512 KB of disk", scenario::full_disk),
        ("fails 3 times in 10", |yester| {
            scenario::flaky(yester, "$(od -An -N2 -tu2 /dev/urandom)")
        }),
    ];
    println!("| fault | seconds | peak MB | verdict |");
    println!("|---|---|---|---|");
    let mut good = true;
    for (name, scenario) in scenarios {
        let start = Instant::now();
        let verdict = scenario(&yester());
        let seconds = start.elapsed().as_secs_f64();
        let peak = peak_megabytes();
        good &= verdict.is_ok() && peak < 200;
        let text = match verdict {
            Ok(what) => what,
            Err(what) => format!("FAILED: {what}"),
        };
        println!(
            "| {name} | {seconds:.1} | {peak} | {} |",
            text.replace('\n', " ").trim()
        );
    }
    println!(
        "\n{}",
        if good {
            "all is well"
        } else {
            "NOT all is well"
        }
    );
    ExitCode::from(u8::from(!good))
}

/// The most memory that yester or anything it waited for has used so far.
fn peak_megabytes() -> i64 {
    // SAFETY: rusage is plain data and the pointer is to a live local.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage.ru_maxrss / 1024
    }
}
