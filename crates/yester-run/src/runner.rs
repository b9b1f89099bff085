//! Runs the user's command on candidates.

use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use yester_core::{Candidate, Hash, Stop};

use crate::session::RunError;
use crate::{Action, Ending, Exchange, Invocation, Judge, Request, Session, Subject, Trial, Why};

/// Runs one command on candidates of one kind, in a session.
pub struct Runner {
    /// Makes the runs.
    pub session: Session,
    /// The command.
    pub invocation: Arc<Invocation>,
    /// What candidates are.
    pub subject: Arc<Subject>,
}

/// The state of the directory that a run starts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// What the last run left may stay, such as build products.
    Reused,
    /// Nothing is left of earlier runs.
    Clean,
    /// Clean, and the run says which files it reads.
    CleanAndWatched,
}

/// Runs of one candidate that somebody wants to see.
pub(crate) struct ObservationRequest<'a> {
    pub candidate: &'a Candidate,
    pub why: Why,
    pub freshness: Freshness,
    pub times: usize,
    /// The worker that it should start on, if that is idle.
    pub worker: usize,
}

/// The action that runs a command on a candidate.
fn action(
    invocation: &Arc<Invocation>,
    subject: &Arc<Subject>,
    candidate: &Candidate,
    freshness: Freshness,
    trial: u64,
) -> Action {
    Action {
        invocation: Arc::clone(invocation),
        subject: Arc::clone(subject),
        candidate: candidate.clone(),
        trial,
        fresh: freshness != Freshness::Reused,
        watch: freshness == Freshness::CleanAndWatched,
        exchange: Exchange::default(),
    }
}

impl Runner {
    /// Starts the command on a candidate. Gives the number of the trial.
    pub(crate) fn start(
        &mut self,
        worker: usize,
        candidate: &Candidate,
        why: Why,
        freshness: Freshness,
    ) -> Result<u64, Stop> {
        let trial = self.session.journal.next_number();
        let action = action(&self.invocation, &self.subject, candidate, freshness, trial);
        self.session.start(worker, &action, why)?;
        Ok(trial)
    }

    /// Runs the command so many times on one candidate, on all workers at once. Runs of an earlier session count.
    ///
    /// The judge says what to write down as the outcome; the baseline has none yet.
    pub(crate) fn observe(
        &mut self,
        candidate: &Candidate,
        why: Why,
        freshness: Freshness,
        times: usize,
        judge: Option<&Judge>,
    ) -> Result<Vec<Trial>, Stop> {
        let request = ObservationRequest {
            candidate,
            why,
            freshness,
            times,
            worker: 0,
        };
        let mut trials = self.observe_all(&[request], judge)?;
        Ok(trials.pop().expect("one list of runs for each request"))
    }

    /// The same for several candidates, all on all workers at once. Gives the runs of each.
    pub(crate) fn observe_all(
        &mut self,
        requests: &[ObservationRequest<'_>],
        judge: Option<&Judge>,
    ) -> Result<Vec<Vec<Trial>>, Stop> {
        let (invocation, subject) = (&self.invocation, &self.subject);
        let wanted: Vec<Request<'_>> = requests
            .iter()
            .map(|request| Request {
                key: key(request, invocation),
                bytes: request.candidate.bytes(),
                why: request.why,
                times: request.times,
                worker: request.worker,
                action: Box::new(|trial| {
                    let ObservationRequest {
                        candidate,
                        freshness,
                        ..
                    } = request;
                    action(invocation, subject, candidate, *freshness, trial)
                }),
            })
            .collect();
        let mut trials: Vec<Vec<Trial>> = vec![Vec::new(); requests.len()];
        self.session.run_all(
            &wanted,
            &|_, observation| judge.map(|judge| judge.judge(observation)),
            &mut |index, ran| {
                if let Ending::NotStarted(why) = &ran.trial.ending {
                    return Err(RunError::Command(why.clone()).into());
                }
                trials[index].push(ran.trial);
                Ok(())
            },
        )?;
        Ok(trials)
    }
}

/// What runs for a request are known by. The test is the same in all runs of a run directory; another command may be another
/// one in the next call.
fn key(request: &ObservationRequest<'_>, invocation: &Invocation) -> Hash {
    let candidate = request.candidate.hash();
    if request.why != Why::Also {
        return candidate;
    }
    let mut text = candidate.to_string().into_bytes();
    for argument in &invocation.arguments {
        text.push(0);
        text.extend_from_slice(argument.as_bytes());
    }
    Hash::of(&text)
}
