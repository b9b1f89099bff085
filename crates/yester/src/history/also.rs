//! What another command says of the fix.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::time::Duration;

use yester_core::{Candidate, Stop};
use yester_patch::idd::Tree;
use yester_report::AlsoRun;
use yester_run::{CommandLab, Ending, Invocation, Trial, announcements};

use super::job::HistoryJob;
use super::walker::HowFar;
use crate::versions::ending;

/// How long the other command may take: it is not known, and a whole test suite may take long.
const LONGEST: Duration = Duration::from_secs(3600);

impl HistoryJob {
    /// Runs the command of `--also` on the newest revision, with the fix and without.
    pub fn run_also(
        &self,
        lab: &mut CommandLab<HowFar>,
        fix: &Tree,
    ) -> Result<Option<AlsoRun>, Stop> {
        let Some(line) = &self.arguments.also else {
            return Ok(None);
        };
        let plain = Tree::plain(&self.history.revisions[0]);
        let candidate = |tree: &Tree| Ok::<_, Stop>(Candidate::Tree(self.history.entries(tree)?));
        let (before, after) = (candidate(&plain)?, candidate(fix)?);
        let invocation = Invocation {
            program: "/bin/sh".into(),
            program_in_tree: None,
            arguments: vec![OsString::from("-c"), line.clone()],
            timeout: LONGEST,
            ..self
                .test
                .invocation(&self.arguments.trial, &self.arguments.build)
        };
        let invocation = Invocation {
            build: invocation.build.map(|build| yester_run::Build {
                timeout: LONGEST,
                ..build
            }),
            ..invocation
        };
        let trials = lab.run_also(invocation, &[&before, &after])?;
        let [before, after] = <[Trial; 2]>::try_from(trials).expect("one run for each");
        let lines = |trial: &Trial| match &trial.observation {
            Some(observation) => announcements(observation, &lab.judge().names),
            None => Vec::new(),
        };
        let known: BTreeSet<String> = lines(&before).into_iter().collect();
        let broken = match after.ending {
            Ending::Exit(0) => Vec::new(),
            _ => lines(&after)
                .into_iter()
                .filter(|line| !known.contains(line))
                .collect(),
        };
        Ok(Some(AlsoRun {
            before: ending(&before),
            after: ending(&after),
            broken,
        }))
    }
}
