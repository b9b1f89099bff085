//! yester, Artho's plain walk and `git bisect` on histories whose old revisions cannot run the test.

mod bisect;
mod options;
mod search;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use options::{HistoryOptions, HistoryTool, USAGE};
use search::SearchTarget;
use table::{CASE_HEAD, CHECK_HEAD, CaseRow, REPOSITORY_HEAD, RepositoryRow, Total};
use yester_bench::history::{
    GeneratedRepository, ProjectLanguage, RealCase, RepositoryName, SIZES,
};
use yester_bench::script::fresh;

/// How many revisions of a repository are checked.
const CHECKED: usize = 60;

/// Artho's walk tests each revision, which takes too long for more.
const MOST_PLAIN_COMMITS: usize = 500;

fn main() -> ExitCode {
    let options = match HistoryOptions::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let own = std::env::current_exe().expect("a running program has a path");
    let target = own
        .parent()
        .and_then(Path::parent)
        .expect("target/release/history");
    let place = match &options.keep {
        Some(directory) => directory.clone(),
        None => target.join("bench-history"),
    };
    let mut total = Total::default();
    let done = if options.check {
        check(&options, &place, &mut total)
    } else {
        run_cases(&options, &place, &mut total)
            .and_then(|()| run_repositories(&options, &place, &mut total))
    };
    if let Err(message) = done {
        total.missed.push(message);
    }
    total.print();
    ExitCode::from(u8::from(!total.missed.is_empty()))
}

/// The names of the repositories that are wanted, small ones first.
fn names(options: &HistoryOptions) -> Vec<RepositoryName> {
    let mut names = Vec::new();
    for commits in SIZES {
        for language in ProjectLanguage::ALL {
            for seed in 1..=options.seeds {
                names.push(RepositoryName {
                    language,
                    commits,
                    seed,
                });
            }
        }
    }
    names.retain(|name| options.wants(&name.to_string()));
    names
}

/// Whether every repository is what it claims to be.
fn check(options: &HistoryOptions, place: &Path, total: &mut Total) -> Result<(), String> {
    println!("{CHECK_HEAD}");
    for name in names(options) {
        let place = fresh(&place.join(name.to_string()))?;
        let repository = GeneratedRepository::generate(name, &place)?;
        let checked = repository.check(CHECKED);
        table::print_check(&repository, &checked)?;
        match checked {
            Ok(()) => forget(options, &place),
            Err(message) => total.missed.push(format!("{name}: {message}")),
        }
    }
    println!();
    Ok(())
}

fn run_cases(options: &HistoryOptions, place: &Path, total: &mut Total) -> Result<(), String> {
    let directory = match &options.cases {
        Some(directory) => directory.clone(),
        None => PathBuf::from("bench/cases/history"),
    };
    let cases = if options.cases.is_some() || directory.exists() {
        RealCase::all(&directory)?
    } else {
        Vec::new()
    };
    let mut is_begun = false;
    for case in cases {
        if !options.wants(&case.name) {
            continue;
        }
        if !is_begun {
            println!("{CASE_HEAD}");
            is_begun = true;
        }
        let place = fresh(&place.join(&case.name))?;
        let mut is_right = true;
        for tool in [HistoryTool::Yester, HistoryTool::Plain] {
            // Artho's walk takes its time on real repositories, so it has to be asked for.
            let is_wanted = match tool {
                HistoryTool::Plain => options.tools.contains(&tool),
                _ => options.uses(tool),
            };
            if !is_wanted {
                continue;
            }
            let target = SearchTarget {
                source: &case.bundle,
                test: &case.test,
            };
            eprintln!("history: {} on {}", tool.name(), case.name);
            let run = search::run(&target, tool, options, &place)?;
            let row = CaseRow {
                case: &case,
                tool,
                run: &run,
            };
            row.print();
            is_right &= run.names(&case.truth.guilty);
            if tool == HistoryTool::Yester {
                total.add_case(&row);
            }
        }
        if is_right {
            forget(options, &place);
        }
    }
    if is_begun {
        println!();
    }
    Ok(())
}

fn run_repositories(
    options: &HistoryOptions,
    place: &Path,
    total: &mut Total,
) -> Result<(), String> {
    let names = names(options);
    if !names.is_empty() {
        println!("{REPOSITORY_HEAD}");
    }
    for name in names {
        let place = fresh(&place.join(name.to_string()))?;
        let repository = GeneratedRepository::generate(name, &place)?;
        let (source, test) = (repository.repository(), repository.test());
        let target = SearchTarget {
            source: &source,
            test: &test,
        };
        let search = |tool: HistoryTool| {
            eprintln!("history: {} on {name}", tool.name());
            search::run(&target, tool, options, &place)
        };
        let yester = if options.uses(HistoryTool::Yester) {
            Some(search(HistoryTool::Yester)?)
        } else {
            None
        };
        // Who asks for the walk gets it at any size.
        let is_plain_wanted = options.tools.contains(&HistoryTool::Plain)
            || (options.tools.is_empty() && name.commits <= MOST_PLAIN_COMMITS);
        let plain = if is_plain_wanted {
            Some(search(HistoryTool::Plain)?)
        } else {
            None
        };
        let bisect = if options.uses(HistoryTool::Bisect) {
            eprintln!("history: git bisect on {name}");
            Some(bisect::run(&target, options.limit, &place)?)
        } else {
            None
        };
        let row = RepositoryRow {
            repository: &repository,
            yester,
            plain,
            bisect,
        };
        row.print();
        total.add_repository(&row);
        if row.is_right() != Some(false) {
            forget(options, &place);
        }
    }
    println!();
    Ok(())
}

/// Deletes what is of no further interest.
fn forget(options: &HistoryOptions, place: &Path) {
    if options.keep.is_none() {
        let _ = fs::remove_dir_all(place);
    }
}
