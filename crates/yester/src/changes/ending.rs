//! The ways in which a search for changes ends, and what is said and kept then.

use std::path::Path;

use yester_core::{Candidate, Stop};
use yester_report::{Changes, ChangesResult, ReportedError, SCHEMA, SeenFailure, Status};
use yester_run::{Counts, Laboratory, Misfit, Survival, Workbench, write_directory};

use super::answer::{Found, lines};
use super::side::{Place, Side};
use super::{CLEAN_JOURNAL, Work, complaint};
use crate::failure::{Exit, Failure};
use crate::runs::{Extent, RunStatus};
use crate::{quote, session};

pub type Ended = session::Ended<ChangesResult>;

/// So many other failures are told about.
const OTHERS: usize = 3;

impl Work<'_> {
    pub(super) fn found(&mut self, found: &Found, mut report: Changes) -> Result<Ended, Failure> {
        let result = self.write(found)?;
        report.status = Status::Found;
        self.finish_record(RunStatus::Found, result.lines);
        report.result = Some(result);
        Ok(Ended {
            exit: Exit::Found,
            report,
            failure: None,
        })
    }

    pub(super) fn no_difference(&self) -> Failure {
        let (good, bad) = (&self.job.good, &self.job.bad);
        Failure {
            exit: Exit::Nothing,
            message: format!(
                "{} and {} are the same: there is no change to blame",
                good.word, bad.word
            ),
            evidence: Vec::new(),
            hint: Some(format!(
                "{} is {}, {} is {}",
                good.word,
                good.describe(),
                bad.word,
                bad.describe()
            )),
        }
    }

    pub(super) fn misfit(&mut self, misfit: &Misfit, workbench: Workbench) -> Ended {
        let bad = self.run.path().join("bad");
        let _ = yester_run::remove(&bad);
        // Without room for it the message still says what to look at.
        let _ = self.job.bad.version.materialise(&bad);
        let failure = complaint::about(misfit, self.job, &self.good, &bad);
        let counts = workbench.counts;
        // What was seen must not stand in the way of a second attempt with the test mended.
        drop(workbench);
        for name in ["journal.jsonl", CLEAN_JOURNAL] {
            let _ = std::fs::remove_file(self.run.path().join(name));
        }
        self.nothing(failure, counts)
    }

    /// There is nothing to search for.
    pub(super) fn nothing(&mut self, failure: Failure, counts: Counts) -> Ended {
        let mut report = self.report(counts, Vec::new());
        report.error = Some(error(&failure));
        self.finish_record(RunStatus::Stopped, self.lines);
        Ended {
            exit: failure.exit,
            report,
            failure: Some(failure),
        }
    }

    pub(super) fn unconfirmed(&mut self, counts: Counts) -> Ended {
        let failure = Failure {
            exit: Exit::Nothing,
            message:
                "the changes that were found do not make the good version fail in a clean tree"
                    .to_owned(),
            evidence: Vec::new(),
            hint: Some(
                "the test does not always say the same: try --fresh with --repeat 10, or --jobs 1"
                    .to_owned(),
            ),
        };
        self.nothing(failure, counts)
    }

    /// The best so far, with the reason why it is not better.
    pub(super) fn stopped(
        &mut self,
        stop: Stop,
        counts: Counts,
        best: Option<(Found, String)>,
        others: Vec<SeenFailure>,
    ) -> Result<Ended, Failure> {
        let failure = session::stopped(stop);
        let mut report = self.report(counts, others);
        report.status = if failure.exit == Exit::Interrupted {
            Status::Interrupted
        } else {
            Status::Limit
        };
        report.error = Some(error(&failure));
        let mut left = self.lines;
        if let Some((found, reading)) = best {
            report.failure = Some(reading);
            if !found.sets.is_empty() {
                let space = &self.job.space;
                left = lines(space, &found.atoms(space.difference().atoms()));
                // On a full disk the journal still knows the way.
                report.result = self.write(&found).ok();
            }
        }
        self.finish_record(RunStatus::Stopped, left);
        Ok(Ended {
            exit: failure.exit,
            report,
            failure: Some(failure),
        })
    }

    fn finish_record(&mut self, status: RunStatus, lines: u64) {
        self.record.status = status;
        self.record.extent = Extent::Lines {
            lines,
            original_lines: self.lines,
        };
        // The journal knows it all; this is for `yester runs`.
        let _ = self.record.write(&self.run);
        self.progress
            .borrow_mut()
            .note(&format!("ended: {status:?}, {lines} changed lines"));
    }

    pub(super) fn report(&self, counts: Counts, also_seen: Vec<SeenFailure>) -> Changes {
        Changes {
            schema: SCHEMA,
            command: "changes",
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

    /// How to see it with one's own eyes.
    fn next(&self) -> String {
        let outputs = &self.job.outputs;
        let apply = |side: &Side, patches: &[&Path]| {
            let below = match &side.place {
                Place::Revision(_) => self.job.below.as_str(),
                Place::Directory(_) => "",
            };
            let patches = patches.iter();
            let patches: Vec<String> = patches
                .map(|patch| quote::word(Path::new(below).join(patch).as_os_str()))
                .collect();
            match &side.place {
                // Below the root, git passes over what lies elsewhere, and says nothing.
                Place::Revision(_) if !below.is_empty() => {
                    let up = vec![".."; below.split('/').count()].join("/");
                    format!("on {}: git -C {up} apply {}", side.word, patches.join(" "))
                }
                Place::Revision(_) => format!("on {}: git apply {}", side.word, patches.join(" ")),
                Place::Directory(_) => {
                    let directory = quote::word(side.word.as_ref());
                    let patch = |patch: &String| format!("patch -p1 -d {directory} < {patch}");
                    let patches: Vec<String> = patches.iter().map(patch).collect();
                    patches.join(" && ")
                }
            }
        };
        let (culprit, passing, fix) = (outputs.culprit(1), outputs.passing(), outputs.fix());
        let breaking: &[&Path] = match self.job.arguments.answer.isolate {
            true => &[&passing, &culprit],
            false => &[&culprit],
        };
        format!(
            "{} breaks it; {} takes it out",
            apply(&self.job.good, breaking),
            apply(&self.job.bad, &[&fix])
        )
    }

    /// Keeps the files of versions that failed otherwise.
    pub(super) fn save_others(&self, laboratory: &Laboratory) -> Vec<SeenFailure> {
        let others = laboratory.others().into_iter().enumerate();
        others
            .filter_map(|(index, (signature, other))| {
                let place = self.run.path().join("other").join((index + 1).to_string());
                let Candidate::Tree(entries) = &other.smallest else {
                    return None;
                };
                write_directory(&place, entries, Survival::Kill).ok()?;
                Some(SeenFailure {
                    failure: signature.to_string(),
                    seen: other.seen,
                    path: place.display().to_string(),
                })
            })
            .take(OTHERS)
            .collect()
    }
}

fn error(failure: &Failure) -> ReportedError {
    ReportedError {
        message: failure.whole_message(),
        hint: failure.hint.clone(),
    }
}
