//! What a right run on the user's input looks like.

use yester_path::forced::{Fnv, ResultRecord, flag};
use yester_run::{Capture, Ending, Observation};

/// What a right run looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Right {
    /// What it prints, if that is known.
    pub stdout: Option<RightOutput>,
    pub exit: RightExit,
}

/// What a right run prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RightOutput {
    capture: Capture,
    /// As the programs themselves compute it.
    hash: Option<u64>,
}

impl RightOutput {
    pub fn of(bytes: &[u8]) -> RightOutput {
        RightOutput {
            capture: Capture::of(bytes),
            hash: Some(Fnv::of(bytes)),
        }
    }
}

impl From<Capture> for RightOutput {
    fn from(capture: Capture) -> RightOutput {
        RightOutput {
            hash: capture.whole().map(|bytes| Fnv::of(&bytes)),
            capture,
        }
    }
}

/// How a right run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RightExit {
    /// With this code.
    Code(i32),
    /// By itself: no signal, no timeout.
    Any,
}

impl Right {
    /// What is taken for right if the user says nothing: a test that exits with 0, or a program that does not crash.
    pub fn by_default(failing: &Observation) -> Right {
        Right {
            stdout: None,
            exit: match failing.ending {
                Ending::Exit(_) => RightExit::Code(0),
                _ => RightExit::Any,
            },
        }
    }

    /// Whether a run was right.
    pub fn holds(&self, observation: &Observation) -> bool {
        let is_exit = match (&observation.ending, self.exit) {
            (Ending::Exit(code), RightExit::Code(wanted)) => *code == wanted,
            (Ending::Exit(_), RightExit::Any) => true,
            _ => false,
        };
        let is_output = self
            .stdout
            .as_ref()
            .is_none_or(|stdout| observation.stdout == stdout.capture);
        is_exit && is_output
    }

    /// Whether records of experiments tell it.
    pub fn is_in_records(&self) -> bool {
        self.stdout.as_ref().is_none_or(|one| one.hash.is_some())
    }

    /// Whether an experiment of a batch was right, as far as its record tells.
    pub fn holds_for(&self, record: &ResultRecord) -> bool {
        let is_exit = match (exit_code(record), self.exit) {
            (Some(code), RightExit::Code(wanted)) => code == wanted,
            (Some(_), RightExit::Any) => true,
            (None, _) => false,
        };
        let is_output = self.stdout.as_ref().is_none_or(|stdout| {
            record.output_bytes == stdout.capture.bytes && Some(record.output) == stdout.hash
        });
        is_exit && is_output && record.applied > 0
    }
}

/// The code that an experiment exited with, if it did.
fn exit_code(record: &ResultRecord) -> Option<i32> {
    let is_exit =
        record.status & 0x7F == 0 && record.flags & (flag::LATE | flag::SPENT | flag::NOT_RUN) == 0;
    is_exit.then_some((record.status >> 8 & 0xFF) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_right_if_output_and_exit_are() {
        let right = Right {
            stdout: Some(RightOutput::of(b"7\n")),
            exit: RightExit::Code(0),
        };
        let record = ResultRecord {
            applied: 1,
            output_bytes: 2,
            output: Fnv::of(b"7\n"),
            ..ResultRecord::default()
        };
        assert!(right.holds_for(&record));
        let wrong = [
            ResultRecord {
                output: Fnv::of(b"8\n"),
                ..record
            },
            ResultRecord {
                status: 1 << 8,
                ..record
            },
            ResultRecord {
                status: 11,
                ..record
            },
            ResultRecord {
                flags: flag::SPENT,
                ..record
            },
            ResultRecord {
                applied: 0,
                ..record
            },
        ];
        for record in wrong {
            assert!(!right.holds_for(&record), "{record:?}");
        }
    }
}
