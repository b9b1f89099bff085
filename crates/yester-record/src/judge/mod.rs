//! Decides whether a run of the program is right: on an input that yester made, and with `--check` on the user's own.
//!
//! Otherwise the failing test tells for the user's own input. For other inputs somebody has to know what is right: a command, a program that
//! answers right for any input, or the user. A crash needs nobody: whatever the input is, a program should not crash.

mod ask;
mod check;
mod program;

use std::collections::HashMap;
use std::time::Duration;

use yester_core::Outcome;
use yester_path::{JudgedRun, ProgramInput, Run};
use yester_run::{Ending, Observation, Signature};

pub use self::ask::{AskPerson, Asker};
pub use self::check::Checker;
pub use self::program::JudgedProgram;
use crate::error::RecordError;
use crate::intervention_target::RunJudge;
use crate::recorder::{Recorder, Seen};
use crate::session::check_started;

/// A command of the user that judges runs on the user's own input.
pub struct OwnInputChecker<'a> {
    checker: Checker,
    input: &'a ProgramInput,
}

impl<'a> OwnInputChecker<'a> {
    /// Looks at the failing run first, which has to be wrong.
    ///
    /// # Errors
    /// If it is not, or the command cannot be run.
    pub fn open(
        checker: Checker,
        input: &'a ProgramInput,
        failing: &Seen,
    ) -> Result<OwnInputChecker<'a>, RecordError> {
        let mut own = OwnInputChecker { checker, input };
        let outcomes = own.outcomes(&[failing])?;
        must_be_wrong(outcomes.first().copied()).map(|()| own)
    }

    fn outcomes(&mut self, runs: &[&Seen]) -> Result<Vec<Outcome>, RecordError> {
        let runs: Vec<JudgedRun<'_, Seen>> = runs
            .iter()
            .copied()
            .map(|observation| JudgedRun {
                input: self.input,
                observation,
            })
            .collect();
        self.checker.outcomes(&runs)
    }
}

impl RunJudge for OwnInputChecker<'_> {
    fn are_right(&mut self, runs: &[&Seen]) -> Result<Vec<bool>, RecordError> {
        let outcomes = self.outcomes(runs)?.into_iter();
        Ok(outcomes.map(|outcome| outcome == Outcome::Pass).collect())
    }
}

/// Complains if the judge does not call the failing run wrong.
///
/// # Errors
/// If it is right, or nobody can tell.
pub fn must_be_wrong(outcome: Option<Outcome>) -> Result<(), RecordError> {
    match outcome {
        Some(Outcome::Fail) => Ok(()),
        Some(Outcome::Pass) => Err(RecordError::IsRight),
        _ => Err(RecordError::IsUnknown),
    }
}

/// Who decides.
pub enum Judge<'a> {
    /// Nobody has to: the failing run crashed in this way.
    Crash(SameFailure),
    /// A command of the user.
    Check(Checker),
    /// A program that answers right for any input.
    Reference(Reference<'a>),
    /// The user.
    Ask(Asker),
}

/// What has to stay as it is when an input gets shorter.
#[derive(Clone)]
pub enum SameFailure {
    /// It crashes so.
    Crash(Signature),
    /// It ends so.
    Ending(Ending),
}

impl SameFailure {
    /// Whether a run fails in this way.
    pub fn is_of(&self, observation: &Observation) -> bool {
        match self {
            SameFailure::Crash(signature) => Signature::of(observation, &[]) == *signature,
            SameFailure::Ending(ending) => observation.ending == *ending,
        }
    }
}

/// A program that answers right for any input.
pub struct Reference<'a> {
    recorder: Recorder<'a>,
    timeout: Duration,
    /// How it ended and what it printed, for inputs that it was run on.
    known: HashMap<ProgramInput, (Ending, String)>,
}

impl<'a> Judge<'a> {
    /// The judge for a failing run if the user names none. There is none if it did not crash: then it takes somebody to know what is
    /// right.
    pub fn of_crash(failing: &Observation) -> Option<Judge<'a>> {
        has_crashed(failing).then(|| Judge::Crash(SameFailure::Crash(Signature::of(failing, &[]))))
    }

    /// How a run failed that has to fail in the same way when its input gets shorter.
    pub fn failure(&self, observation: &Observation) -> SameFailure {
        let is_signal = matches!(observation.ending, Ending::Signal(_));
        if is_signal || matches!(self, Judge::Crash(_)) {
            SameFailure::Crash(Signature::of(observation, &[]))
        } else {
            // What a shorter input prints is another text, and as wrong.
            SameFailure::Ending(observation.ending.clone())
        }
    }

    /// A program that answers right for any input.
    pub fn reference(recorder: Recorder<'a>, timeout: Duration) -> Judge<'a> {
        Judge::Reference(Reference {
            recorder,
            timeout,
            known: HashMap::new(),
        })
    }

    /// Whether each answer costs the user time. Then only the best runs are worth a question.
    pub fn is_human(&self) -> bool {
        matches!(self, Judge::Ask(_))
    }

    /// What is right, and what is not. A run of which nobody can tell is unresolved.
    ///
    /// # Errors
    /// If the judge cannot be asked, or the search has to end.
    pub fn outcomes(&mut self, runs: &[JudgedRun<'_, Seen>]) -> Result<Vec<Outcome>, RecordError> {
        match self {
            Judge::Crash(crash) => Ok(runs.iter().map(|run| of_crash(crash, run)).collect()),
            Judge::Check(checker) => checker.outcomes(runs),
            Judge::Reference(reference) => reference.outcomes(runs),
            Judge::Ask(asker) => runs.iter().map(|run| asker.outcome(run)).collect(),
        }
    }
}

impl Reference<'_> {
    fn outcomes(&mut self, runs: &[JudgedRun<'_, Seen>]) -> Result<Vec<Outcome>, RecordError> {
        let mut open: Vec<&ProgramInput> = Vec::new();
        for run in runs {
            if !self.known.contains_key(run.input) && !open.contains(&run.input) {
                open.push(run.input);
            }
        }
        let wanted: Vec<Run<'_>> = open
            .iter()
            .map(|input| Run {
                input,
                symbolic: &[],
                timeout: self.timeout,
            })
            .collect();
        let observations = self.recorder.observe_all(&wanted)?;
        for (input, observation) in open.into_iter().zip(observations) {
            check_started(&observation, "the program of --reference")?;
            let right = (
                observation.ending.clone(),
                observation.stdout.digest.clone(),
            );
            self.known.insert(input.clone(), right);
        }
        let outcomes = runs.iter().map(|run| {
            let (ending, digest) = &self.known[run.input];
            let seen = (&run.observation.ending, &run.observation.stdout.digest);
            match (ending, seen.0) {
                // What is right has to end by itself.
                (Ending::Exit(_), _) if (ending, digest) == seen => Outcome::Pass,
                (Ending::Exit(_), Ending::Exit(_) | Ending::Signal(_) | Ending::Timeout) => {
                    Outcome::Fail
                }
                _ => Outcome::Unresolved,
            }
        });
        Ok(outcomes.collect())
    }
}

/// Passes what ends without a crash. A crash of another kind is another bug.
fn of_crash(crash: &SameFailure, run: &JudgedRun<'_, Seen>) -> Outcome {
    match &run.observation.ending {
        _ if crash.is_of(run.observation) => Outcome::Fail,
        Ending::Exit(_) if !has_crashed(run.observation) => Outcome::Pass,
        _ => Outcome::Unresolved,
    }
}

/// Whether a run was killed by a signal, hung, or printed that a sanitizer or an assertion found something.
fn has_crashed(observation: &Observation) -> bool {
    match observation.ending {
        Ending::Signal(_) | Ending::Timeout => true,
        Ending::Exit(_) => observation.stderr.text().lines().any(tells_of_crash),
        _ => false,
    }
}

fn tells_of_crash(line: &str) -> bool {
    let of_assertion = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.contains("assert") && line.contains("fail")
    };
    line.contains("Sanitizer: ") || line.contains("runtime error: ") || of_assertion(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sanitizers_and_assertions_tell_of_a_crash_and_other_messages_do_not() {
        for line in [
            "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1",
            "a.c:3:5: runtime error: signed integer overflow",
            "a: a.c:3: main: Assertion `x > 0' failed.",
            "Assertion failed: (x > 0), function main, file a.c, line 3.",
        ] {
            assert!(tells_of_crash(line), "{line}");
        }
        for line in [
            "error: no such file",
            "usage: a FILE",
            "all assertions hold",
        ] {
            assert!(!tells_of_crash(line), "{line}");
        }
    }
}
