//! The ways in which a reduction ends, and what is said and kept then.

use std::path::Path;

use yester_core::{Candidate, Stop};
use yester_report::{Minimality, Reduction, ReportedError, SCHEMA, SeenFailure, Status};
use yester_run::{BaselineError, Counts, Laboratory, Workbench};

use super::search::{Answer, NotPassing, measure};
use super::{Work, output, save};
use crate::cli::ReduceArguments;
use crate::complaint;
use crate::failure::{Exit, Failure};
use crate::runs::{Extent, RunStatus};
use crate::session;

pub(super) type Ended = session::Ended<yester_report::ReductionResult>;

impl Work<'_> {
    pub(super) fn found(
        &mut self,
        answer: &Answer,
        mut report: Reduction,
    ) -> Result<Ended, Failure> {
        self.job.write_output(&answer.candidate)?;
        report.status = Status::Found;
        let mut result = self.result(&answer.candidate, answer.minimality);
        result.differences = answer.differences;
        if let Some(passing) = &answer.passing {
            let path = output::with_word(&self.job.output, "passing");
            crate::output::replace(&path, passing, 0o644)?;
            result.passing = Some(path.display().to_string());
        }
        report.result = Some(result);
        self.finish_record(RunStatus::Found, answer.candidate.bytes());
        Ok(Ended {
            exit: Exit::Found,
            report,
            failure: None,
        })
    }

    pub(super) fn no_baseline(
        &mut self,
        error: &BaselineError,
        workbench: Workbench,
    ) -> Result<Ended, Failure> {
        let directory = self.run.path().join("baseline");
        let shown = match error {
            BaselineError::EmptyFails(_) => self.job.input.nothing(),
            _ => self.job.input.candidate(),
        };
        // Without room for it the message still says what to look at.
        let _ = save(&self.run, Path::new("baseline"), &self.job.name, &shown);
        let ReduceArguments { exit, reading, .. } = &self.job.arguments;
        let failure = complaint::about(
            error,
            &self.job.command_in(&directory),
            exit.interesting || exit.failing,
            !reading.fail_if.is_empty(),
        );
        let counts = workbench.counts;
        // What was seen must not stand in the way of a second attempt with the test mended.
        drop(workbench);
        let _ = std::fs::remove_file(self.run.path().join("journal.jsonl"));
        Ok(self.nothing(failure, counts))
    }

    /// There is nothing to search for.
    pub(super) fn nothing(&mut self, failure: Failure, counts: Counts) -> Ended {
        let mut report = self.report(counts, Vec::new());
        report.error = Some(ReportedError {
            message: failure.whole_message(),
            hint: failure.hint.clone(),
        });
        self.finish_record(RunStatus::Stopped, self.original);
        Ended {
            exit: failure.exit,
            report,
            failure: Some(failure),
        }
    }

    pub(super) fn unconfirmed(&mut self, mut report: Reduction) -> Ended {
        let failure = Failure {
            exit: Exit::Nothing,
            message:
                "the smallest failing input does not fail when it is run again in a clean directory"
                    .to_owned(),
            evidence: Vec::new(),
            hint: Some(
                "the test does not always say the same: try --fresh with --repeat 10, or --jobs 1"
                    .to_owned(),
            ),
        };
        report.error = Some(ReportedError {
            message: failure.whole_message(),
            hint: failure.hint.clone(),
        });
        self.finish_record(RunStatus::Stopped, self.original);
        Ended {
            exit: Exit::Nothing,
            report,
            failure: Some(failure),
        }
    }

    /// The best so far, with the reason why it is not better.
    pub(super) fn stopped(
        &mut self,
        stop: Stop,
        counts: Counts,
        best: Option<(Candidate, String)>,
        others: Vec<SeenFailure>,
    ) -> Result<Ended, Failure> {
        if let Stop::Broken(error) = &stop
            && error.is::<NotPassing>()
        {
            let failure = Failure {
                exit: Exit::Nothing,
                message: error.to_string(),
                evidence: Vec::new(),
                hint: Some("--isolate takes an input that is like FILE but works".to_owned()),
            };
            return Ok(self.nothing(failure, counts));
        }
        let failure = session::stopped(stop);
        let mut report = self.report(counts, others);
        report.status = if failure.exit == Exit::Interrupted {
            Status::Interrupted
        } else {
            Status::Limit
        };
        report.error = Some(ReportedError {
            message: failure.whole_message(),
            hint: failure.hint.clone(),
        });
        let mut bytes = self.original;
        if let Some((best, reading)) = best {
            bytes = best.bytes();
            report.failure = Some(reading);
            // On a full disk the best so far is still in the run's directory.
            if self.job.write_output(&best).is_ok() {
                report.result = Some(self.result(&best, Minimality::Unknown));
            }
        }
        self.finish_record(RunStatus::Stopped, bytes);
        Ok(Ended {
            exit: failure.exit,
            report,
            failure: Some(failure),
        })
    }

    fn finish_record(&mut self, status: RunStatus, bytes: u64) {
        self.record.status = status;
        self.record.extent = Extent::Bytes {
            bytes,
            original_bytes: self.original,
        };
        // The journal knows it all; this is for `yester runs`.
        let _ = self.record.write(&self.run);
        self.progress
            .borrow_mut()
            .note(&format!("ended: {status:?}, {bytes} bytes"));
    }

    fn result(&self, answer: &Candidate, minimality: Minimality) -> yester_report::ReductionResult {
        let (tokens, _) = measure(answer);
        yester_report::ReductionResult {
            path: self.job.output.display().to_string(),
            bytes: answer.bytes(),
            original_bytes: self.original,
            tokens,
            one_minimal: minimality == Minimality::Bytes,
            minimality,
            text: short_text(answer),
            passing: None,
            differences: None,
        }
    }

    pub(super) fn report(&self, counts: Counts, also_seen: Vec<SeenFailure>) -> Reduction {
        Reduction {
            schema: SCHEMA,
            command: "reduce",
            status: Status::Nothing,
            trials: session::trials(counts),
            seconds: self.begin.elapsed().as_secs_f64(),
            result: None,
            run: Some(self.run.path().display().to_string()),
            failure: None,
            sure: None,
            also_seen,
            error: None,
            next: self.next(),
        }
    }

    /// How to look at the answer.
    fn next(&self) -> String {
        if self.job.command.has_placeholder() || self.job.arguments.stdin {
            self.job.command_on(&self.job.output)
        } else {
            self.job.command_in(&self.run.path().join("best"))
        }
    }

    pub(super) fn save_others(&self, laboratory: &Laboratory) -> Vec<SeenFailure> {
        let others = laboratory.others().into_iter().enumerate();
        others
            .filter_map(|(index, (signature, other))| {
                let directory = Path::new("other").join((index + 1).to_string());
                save(&self.run, &directory, &self.job.name, &other.smallest).ok()?;
                let path = match other.smallest {
                    Candidate::File(_) => directory.join(&self.job.name),
                    Candidate::Tree(_) => directory,
                };
                Some(SeenFailure {
                    failure: signature.to_string(),
                    seen: other.seen,
                    path: self.run.path().join(path).display().to_string(),
                })
            })
            .take(5)
            .collect()
    }
}

/// An answer that is short enough to be shown.
fn short_text(answer: &Candidate) -> Option<String> {
    let Candidate::File(text) = answer else {
        return None;
    };
    let text = std::str::from_utf8(text).ok()?;
    let is_plain = |character: char| !character.is_control() || "\n\t\r".contains(character);
    let is_short = text.len() <= 2000 && text.lines().count() <= 40;
    (is_short && !text.is_empty() && text.chars().all(is_plain)).then(|| text.to_owned())
}
