//! What a right run on the user's input looks like.

use crate::intervention::{Effect, Fnv, ResultRecord, flag};
use crate::program::{Printed, RunEnd, Shown};

/// What a right run looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Right {
    /// What it prints, if that is known.
    pub stdout: Option<RightOutput>,
    /// How it ends.
    pub exit: RightExit,
}

/// What a right run prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RightOutput {
    /// What tells it from other outputs.
    pub printed: Printed,
    /// All of it, if it is known.
    pub whole: Option<Vec<u8>>,
}

impl RightOutput {
    /// What a run has printed.
    pub fn of(observation: &impl Shown) -> RightOutput {
        RightOutput {
            printed: observation.printed(),
            whole: observation.whole_output(),
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
    pub fn by_default(failing: &impl Shown) -> Right {
        Right {
            stdout: None,
            exit: match failing.end() {
                RunEnd::Exit(_) => RightExit::Code(0),
                _ => RightExit::Any,
            },
        }
    }

    /// Whether a run was right.
    pub fn holds(&self, observation: &impl Shown) -> bool {
        let is_exit = match (observation.end(), self.exit) {
            (RunEnd::Exit(code), RightExit::Code(wanted)) => code == wanted,
            (RunEnd::Exit(_), RightExit::Any) => true,
            _ => false,
        };
        let is_output = self
            .stdout
            .as_ref()
            .is_none_or(|stdout| observation.printed() == stdout.printed);
        is_exit && is_output
    }

    /// Whether records of interventions tell it.
    pub fn is_in_records(&self) -> bool {
        self.stdout.as_ref().is_none_or(|one| one.whole.is_some())
    }

    /// What a right run prints, as far as it is known.
    pub fn expected(&self) -> &[u8] {
        let whole = self.stdout.as_ref().and_then(|one| one.whole.as_deref());
        whole.unwrap_or_default()
    }

    /// How many bytes at the beginning of the output of a run are right.
    pub fn common(&self, observation: &impl Shown) -> Option<u64> {
        let printed = observation.whole_output()?;
        let pairs = self.expected().iter().zip(&printed);
        Some(pairs.take_while(|(one, other)| one == other).count() as u64)
    }

    /// How much of its output has to be right for a run to be nearer than the failing one.
    pub fn nearer_from(&self, failing: &impl Shown) -> Option<u64> {
        self.stdout.as_ref()?;
        Some(self.common(failing)? + 1)
    }

    /// Whether a run is nearer than the failing one.
    pub fn is_nearer(&self, observation: &impl Shown, nearer: Option<u64>) -> bool {
        let (Some(nearer), Some(printed)) = (nearer, observation.whole_output()) else {
            return false;
        };
        let nearer = nearer as usize;
        printed.get(..nearer) == self.expected().get(..nearer)
    }

    /// What an intervention of a batch was, as far as its record tells. `nearer` is what has to be right for it to be nearer.
    pub fn effect(&self, record: &ResultRecord, nearer: Option<u64>) -> Effect {
        let is_exit = match (exit_code(record), self.exit) {
            (Some(code), RightExit::Code(wanted)) => code == wanted,
            (Some(_), RightExit::Any) => true,
            (None, _) => false,
        };
        let is_output = self.stdout.as_ref().is_none_or(|stdout| {
            let hash = stdout.whole.as_deref().map(Fnv::of);
            record.output_bytes == stdout.printed.bytes && Some(record.output) == hash
        });
        match record.applied {
            0 => Effect::None,
            _ if is_exit && is_output => Effect::Right,
            _ if nearer.is_some_and(|nearer| record.common >= nearer) => Effect::Nearer,
            _ => Effect::None,
        }
    }
}

/// The code that an intervention exited with, if it did.
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
            stdout: Some(RightOutput {
                printed: Printed {
                    bytes: 2,
                    digest: String::new(),
                },
                whole: Some(b"7\n".to_vec()),
            }),
            exit: RightExit::Code(0),
        };
        let record = ResultRecord {
            applied: 1,
            output_bytes: 2,
            output: Fnv::of(b"7\n"),
            ..ResultRecord::default()
        };
        assert_eq!(right.effect(&record, None), Effect::Right);
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
        let nearer = ResultRecord {
            output_bytes: 9,
            common: 5,
            ..record
        };
        assert_eq!(right.effect(&nearer, Some(5)), Effect::Nearer);
        assert_eq!(right.effect(&nearer, Some(6)), Effect::None);
        for record in wrong {
            assert_eq!(right.effect(&record, None), Effect::None, "{record:?}");
        }
    }
}
