//! `yester changes`: from two versions to the changes that broke the second.

mod answer;
mod complaint;
mod ending;
mod job;
mod outliner;
mod output;
mod search;
mod side;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use yester_core::Candidate;
use yester_patch::{AtomSet, CommitTrees};
use yester_report::{SCHEMA, count};
use yester_run::{
    Best, Between, BetweenError, Expectation, Journal, Laboratory, RunDirectory, Subject, Why,
    Workbench,
};

use self::ending::Ended;
use self::job::Job;
use self::search::Verdict;
use crate::cli::ChangesArguments;
use crate::failure::{Exit, Failure};
use crate::log::Log;
use crate::progress::Progress;
use crate::quote;
use crate::runs::{Extent, Record, RunStatus};
use crate::session::{self, Attempt, Session};

pub fn run(arguments: ChangesArguments, start: &Path) -> Result<Exit, Failure> {
    let begin = Instant::now();
    let job = Job::new(arguments, start)?;
    let ended =
        session::until_it_holds(job.arguments.run.fresh, |fresh| attempt(&job, fresh, begin))?;
    ended.tell(
        job.arguments.output_style.json,
        yester_report::Changes::text,
    )
}

/// Works on the run until it has its answer or has to stop.
fn attempt(job: &Job, fresh: bool, begin: Instant) -> Result<Attempt<Ended>, Failure> {
    let run = Rc::new(session::open(
        &job.arguments.run.state_dir,
        &job.run,
        fresh,
    )?);
    let earlier = Record::read(run.path());
    let was_found = earlier
        .as_ref()
        .is_some_and(|record| record.status == RunStatus::Found);
    let lines = job.lines();
    let sides = [&job.arguments.good, &job.arguments.bad];
    let record = Record {
        schema: SCHEMA,
        command: "changes".to_owned(),
        file: quote::command(sides.map(|word| word.as_os_str())),
        test: quote::command(job.command.words.iter().map(|word| word.as_os_str())),
        started: earlier.map_or_else(Record::now, |record| record.started),
        status: RunStatus::Running,
        extent: Extent::Lines {
            lines,
            original_lines: lines,
        },
    };
    record
        .write(&run)
        .map_err(|error| Failure::io(format!("write to {}", run.path().display()), &error))?;
    let style = &job.arguments.output_style;
    let log = Log::open(&run.path().join("debug.log"));
    let progress = Progress::new(log, style.quiet, style.verbose, (lines, "changed lines"));
    let progress = Rc::new(RefCell::new(progress));
    let commits = introduce(job, &mut progress.borrow_mut())?;
    let good = run.path().join("good");
    let mut work = Work {
        job,
        run,
        progress,
        record,
        lines,
        commits,
        good,
        begin,
    };
    let ended = work.carry_out(was_found);
    work.progress.borrow_mut().finish();
    let ended = ended?;
    if ended.exit != Exit::Nothing && !job.arguments.trial.keep {
        // A plain copy that anybody can make again.
        session::discard(&work.good);
    }
    if was_found && ended.exit == Exit::Nothing {
        work.progress
            .borrow_mut()
            .say("the earlier answer of this run does not hold any more; starting over");
        return Ok(Attempt::Outdated);
    }
    Ok(Attempt::Ended(Box::new(ended)))
}

/// Says what the user's words were taken for, and finds the commits in between.
fn introduce(job: &Job, progress: &mut Progress) -> Result<Option<CommitTrees>, Failure> {
    progress.note(&format!("yester {} changes", env!("CARGO_PKG_VERSION")));
    for (name, side) in [("good", &job.good), ("bad", &job.bad)] {
        progress.say(&format!("{name}: {} is {}", side.word, side.describe()));
        for note in side.version.notes() {
            progress.say(&format!("{name}: {note}"));
        }
    }
    if let Some(path) = &job.program_in_tree {
        progress.say(&format!("test: {path} in the tree of each version"));
    }
    let commits = match job.commits()? {
        Ok(commits) => Some(commits),
        Err(note) => {
            progress.say(&note);
            None
        }
    };
    let files = job.space.difference().changes.len() as u64;
    let mut size = format!(
        "{} in {}",
        count(job.lines(), "changed line"),
        count(files, "file")
    );
    if let Some(commits) = &commits {
        let number = commits.history().commits.len() as u64;
        size.push_str(&format!(", {}", count(number, "commit")));
    }
    progress.say(&size);
    if job.has_ccache() && job.arguments.output_style.verbose > 0 {
        progress.say("compilers are called through ccache");
    }
    Ok(commits)
}

/// How going from the baseline to the answer has ended.
enum Round {
    Over(Box<Result<Ended, Failure>>),
    /// With an answer that does not hold in clean trees.
    Unconfirmed(Box<Workbench>),
}

/// The work on a run.
struct Work<'a> {
    job: &'a Job,
    run: Rc<RunDirectory>,
    progress: Rc<RefCell<Progress>>,
    record: Record,
    /// How many changed lines there are.
    lines: u64,
    commits: Option<CommitTrees>,
    /// A plain copy of GOOD, the base of all trials.
    good: PathBuf,
    begin: Instant,
}

/// A run of fewer seconds is short: the other jobs do not run ahead of the search then.
const SHORT: f64 = 2.0;

/// The journal of trials in trees that are made anew each time, after those in warm trees have misled.
const CLEAN_JOURNAL: &str = "journal.clean.jsonl";

impl Work<'_> {
    fn carry_out(&mut self, was_found: bool) -> Result<Ended, Failure> {
        if self.job.space.difference().atoms() == 0 {
            return Ok(self.nothing(self.no_difference(), Default::default()));
        }
        let base = self.prepare()?;
        // Once warm trees have misled this run, no session of it trusts them.
        let mut clean = self.run.path().join(CLEAN_JOURNAL).exists();
        let journal = self.journal(clean, was_found)?;
        session::recount(&self.run, &journal, &mut self.progress.borrow_mut());
        let subject = Subject::Tree { base: base.clone() };
        let visible = self.job.visible(&base)?;
        let mut workbench =
            self.lab()
                .workbench(journal, self.job.invocation(), subject, visible)?;
        let mut expectation = self.job.expectation();
        loop {
            expectation.doubtful = clean;
            workbench = match self.round(workbench, &expectation, clean) {
                Round::Over(ended) => return *ended,
                Round::Unconfirmed(workbench) => *workbench,
            };
            if clean || was_found {
                return Ok(self.unconfirmed(workbench.counts));
            }
            self.progress.borrow_mut().say(
                "the answer does not hold in a clean tree; searching again with a clean tree for every trial",
            );
            clean = true;
            workbench.journal = self.journal(clean, was_found)?;
        }
    }

    fn journal(&self, clean: bool, was_found: bool) -> Result<Journal, Failure> {
        let name = if clean {
            CLEAN_JOURNAL
        } else {
            "journal.jsonl"
        };
        let mut journal = session::journal(&self.run, name)?;
        if was_found {
            // The answer is known, but whether it still holds has to be seen.
            journal.forget(Why::Confirmation);
        }
        Ok(journal)
    }

    /// Makes the copy of GOOD that all trials start from.
    fn prepare(&self) -> Result<PathBuf, Failure> {
        let _ = yester_run::remove(&self.good);
        self.job
            .good
            .version
            .materialise(&self.good)
            .map_err(|error| Failure {
                exit: Exit::Limit,
                ..side::failed(&error)
            })?;
        job::equalise_times(&self.good)
            .and_then(|()| self.good.canonicalize())
            .map_err(|error| Failure::io(format!("write {}", self.good.display()), &error))
    }

    /// From the baseline to the answer, once.
    fn round(&mut self, mut workbench: Workbench, expectation: &Expectation, clean: bool) -> Round {
        let over = |ended| Round::Over(Box::new(ended));
        let atoms = self.job.space.difference().atoms();
        let (good, bad) = (Candidate::Tree(Default::default()), AtomSet::full(atoms));
        let bad = match answer::version(&self.job.space, &bad) {
            Ok(bad) => bad,
            Err(infeasible) => {
                let message = format!(
                    "failed to make {}: {}",
                    self.job.bad.word, infeasible.reason
                );
                return over(Err(Failure::usage(message)));
            }
        };
        let between = match Between::establish(&mut workbench, &bad, &good, expectation) {
            Ok(between) => between,
            Err(BetweenError::Stop(stop)) => {
                return over(self.stopped(stop, workbench.counts, None, Vec::new()));
            }
            Err(BetweenError::Misfit(misfit)) => return over(Ok(self.misfit(&misfit, workbench))),
        };
        self.lab()
            .introduce(&self.job.bad.word, &between.baseline, &workbench);
        if !between.warm {
            self.progress.borrow_mut().say(
                "a tree that was built in before gives other answers than a new one; every trial gets a new one",
            );
        }
        let mut laboratory = Laboratory::new(
            workbench,
            between.baseline.judge.clone(),
            between.baseline.repeat.clone(),
            self.job.arguments.run.max_trials.map(|most| most as u64),
            between.baseline.trials,
            // The search knows itself what is best: how many bytes a version has says nothing here.
            Best {
                candidate: bad.clone(),
                size: |_| (0, 0),
                save: Box::new(|_| Ok(())),
            },
        );
        between.teach(&mut laboratory, &bad, &good);
        laboratory.keep_outputs();
        if between.bad.seconds.max(between.good.seconds) < SHORT {
            laboratory.look_no_further();
        }
        if clean {
            laboratory.always_fresh();
        }
        let searched = self.search(&mut laboratory, &between);
        let others = self.save_others(&laboratory);
        let failure = session::failure(&between.baseline);
        match searched {
            Ok(Verdict::Holds(found)) => {
                let mut report = self.report(laboratory.counts(), others);
                report.failure = Some(failure);
                over(self.found(&found, report))
            }
            Ok(Verdict::Fails) => Round::Unconfirmed(Box::new(laboratory.into_workbench())),
            Err((stop, best)) => {
                let best = Some((best, failure));
                over(self.stopped(stop, laboratory.counts(), best, others))
            }
        }
    }

    fn lab(&self) -> Session<'_> {
        Session {
            run: &self.job.run,
            trial: &self.job.arguments.trial,
            limits: &self.job.arguments.run,
            begin: self.begin,
            progress: &self.progress,
        }
    }
}
