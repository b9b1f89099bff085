//! What another command says of fixes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::time::Duration;

use yester_core::{Candidate, Stop};
use yester_report::AlsoRun;
use yester_run::{BestSoFar, Build, CommandLab, Ending, Invocation, Trial, announcements};

use super::ending;
use crate::failure::Failure;

/// How long the other command may take: it is not known, and a whole test suite may take long.
const LONGEST: Duration = Duration::from_secs(3600);

/// Refuses a line that is no command.
pub fn check_also(line: Option<&OsString>) -> Result<(), Failure> {
    match line.is_some_and(|line| line.is_empty()) {
        true => Err(Failure::usage("--also needs a command")),
        false => Ok(()),
    }
}

/// Runs the line of `--also` on the version that fails, and on the same with each fix, in the place of the test.
pub fn run_also<B: BestSoFar>(
    lab: &mut CommandLab<B>,
    line: &OsStr,
    test: Invocation,
    before: &Candidate,
    fixes: &[&Candidate],
) -> Result<Vec<AlsoRun>, Stop> {
    let invocation = Invocation {
        program: "/bin/sh".into(),
        program_in_tree: None,
        arguments: vec![OsString::from("-c"), line.to_owned()],
        timeout: LONGEST,
        build: test.build.map(|build| Build {
            timeout: LONGEST,
            ..build
        }),
        ..test
    };
    let versions = [&[before], fixes].concat();
    let trials = lab.run_also(invocation, &versions)?;
    let lines = |trial: &Trial| match &trial.observation {
        Some(observation) => announcements(observation, &lab.judge().names),
        None => Vec::new(),
    };
    let (before, after) = trials.split_first().expect("one run for each");
    let known: BTreeSet<String> = lines(before).into_iter().collect();
    let of_fix = |after: &Trial| AlsoRun {
        before: ending(before),
        after: ending(after),
        broken: match after.ending {
            Ending::Exit(0) => Vec::new(),
            _ => lines(after)
                .into_iter()
                .filter(|line| !known.contains(line))
                .collect(),
        },
    };
    Ok(after.iter().map(of_fix).collect())
}
