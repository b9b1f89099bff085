//! The ways in which a run ends, and what is said and kept then.

use yester_core::{Breakage, BreakageKind, Limit, Stop};
use yester_report::{Report, SeenFailure, Status, Sure, Trials};
use yester_run::Counts;

use super::{Drive, Presentation, Standing};
use crate::failure::{Exit, Failure, MAKE_SPACE};
use crate::interrupt;
use crate::runs::RunStatus;

/// How a call of a command ended.
pub struct Ended<R> {
    pub exit: Exit,
    pub report: Report<R>,
    pub failure: Option<Failure>,
    /// The answer itself, where it goes to standard output.
    pub answer: Option<Vec<u8>>,
}

impl<I: Presentation> Drive<'_, I> {
    pub(super) fn found(
        &mut self,
        findings: &[I::Finding],
        counts: Counts,
        failure: String,
        others: Vec<SeenFailure>,
    ) -> Result<Ended<I::Result>, Failure> {
        let result = self.investigation.write(&self.frame.run, findings)?;
        let (exit, status, record) = match I::standing(findings) {
            Standing::Found => (Exit::Found, Status::Found, RunStatus::Found),
            Standing::Unproved => (Exit::Unproved, Status::Unproved, RunStatus::Found),
            Standing::Nothing => (Exit::Nothing, Status::Nothing, RunStatus::Stopped),
        };
        self.finish_record(record, I::left(&result));
        Ok(Ended {
            exit,
            report: Report {
                status,
                next: self.investigation.next(&self.frame.run, Some(&result)),
                result: Some(result),
                failure: Some(failure),
                sure: findings.iter().find_map(I::sure),
                ..self.report(counts, others)
            },
            failure: None,
            answer: self.investigation.answer(findings),
        })
    }

    /// There is nothing to search for.
    pub(super) fn nothing(&mut self, failure: Failure, counts: Counts) -> Ended<I::Result> {
        self.finish_record(RunStatus::Stopped, self.investigation.scope().size);
        Ended {
            exit: failure.exit,
            report: Report {
                error: Some(failure.reported()),
                ..self.report(counts, Vec::new())
            },
            failure: Some(failure),
            answer: None,
        }
    }

    /// What was found does not hold.
    pub(super) fn refuted(
        &mut self,
        counts: Counts,
        reading: String,
        sure: Option<Sure>,
        others: Vec<SeenFailure>,
    ) -> Ended<I::Result> {
        let failure = Failure {
            exit: Exit::Nothing,
            code: Some("not_reproduced"),
            message: self.investigation.refuted().to_owned(),
            evidence: Vec::new(),
            hint: Some(
                "the test does not always give the same answer: try --fresh with --repeat 10, or --jobs 1"
                    .to_owned(),
            ),
        };
        let ended = self.nothing(failure, counts);
        Ended {
            report: Report {
                failure: Some(reading),
                sure,
                also_seen: others,
                ..ended.report
            },
            ..ended
        }
    }

    /// The best so far, with the reason why it is not better. `best` has the findings and what counts as the failure.
    pub(super) fn stopped(
        &mut self,
        stop: Stop,
        counts: Counts,
        best: Option<(Vec<I::Finding>, String)>,
        others: Vec<SeenFailure>,
    ) -> Ended<I::Result> {
        let failure = reason(stop);
        let mut report = Report {
            status: match failure.exit {
                Exit::Interrupted => Status::Interrupted,
                _ => Status::Limit,
            },
            error: Some(failure.reported()),
            ..self.report(counts, others)
        };
        let mut answer = None;
        if let Some((findings, reading)) = best {
            report.failure = Some(reading);
            if !findings.is_empty() {
                // On a full disk the journal still knows the way.
                report.result = self.investigation.write(&self.frame.run, &findings).ok();
                answer = self.investigation.answer(&findings);
                let result = report.result.as_ref();
                report.next = self.investigation.next(&self.frame.run, result);
            }
        }
        let left = report.result.as_ref().map(I::left);
        let left = left.unwrap_or(self.investigation.scope().size);
        self.finish_record(RunStatus::Stopped, left);
        Ended {
            exit: failure.exit,
            report,
            failure: Some(failure),
            answer,
        }
    }

    fn finish_record(&mut self, status: RunStatus, left: u64) {
        let extent = self.investigation.extent(left);
        self.frame.finish(status, extent);
    }

    fn report(&self, counts: Counts, also_seen: Vec<SeenFailure>) -> Report<I::Result> {
        Report {
            next: self.investigation.next(&self.frame.run, None),
            ..self.frame.report(counts, also_seen)
        }
    }
}

/// The counts of a lab as they are reported, over all sessions of the run.
pub(super) fn trials(counts: Counts, earlier: Counts) -> Trials {
    let Counts {
        run,
        cancelled,
        unused,
        cached,
        same_product,
        predicted,
        pass,
        fail,
        unresolved,
    } = counts;
    let (run, pass, fail) = (run + earlier.run, pass + earlier.pass, fail + earlier.fail);
    // Nobody knows how to read the runs of a baseline that does not hold.
    let unread = run.saturating_sub(pass + fail + unresolved + earlier.unresolved);
    Trials {
        run,
        cancelled,
        unused,
        cached,
        same_product: same_product + earlier.same_product,
        predicted,
        pass,
        fail,
        unresolved: unresolved + earlier.unresolved + unread,
    }
}

/// The trials of a command that counts its runs itself: one process may carry out many.
pub fn with_runs(trials: Trials, runs: u64) -> Trials {
    let read = trials.pass + trials.fail;
    let run = runs.max(read);
    Trials {
        run,
        unresolved: run - read,
        ..trials
    }
}

/// Why a search had to stop, and how to go on.
pub fn reason(stop: Stop) -> Failure {
    let failure = |message: String, hint: Option<&str>| Failure {
        exit: Exit::Limit,
        code: None,
        message,
        evidence: Vec::new(),
        hint: hint.map(str::to_owned),
    };
    match stop {
        Stop::Limit(limit) => failure(
            format!("stopped: the limit of {limit} is reached"),
            Some("the same command with a higher limit goes on from here"),
        )
        .code(match limit {
            Limit::Trials => "max_trials",
            Limit::Time => "max_time",
        }),
        Stop::Interrupted => {
            interrupt::heard();
            interrupt::interrupted(interrupt::GO_ON)
        }
        Stop::Broken(Breakage { kind, message }) => match kind {
                BreakageKind::FullDisk => failure(message, Some(MAKE_SPACE)).code("disk_full"),
                BreakageKind::Unsupported => Failure::usage(message).hint(
                    "if the message names this directory, start in another one; --sandbox auto takes the strongest \
                     sandbox that this machine allows",
                ),
                BreakageKind::Other => failure(message, Some(interrupt::GO_ON)),
        },
    }
}
