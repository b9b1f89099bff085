use yester_core::Outcome;

use crate::{Ending, FailureOutput, Observation, Output, Rule, Signature, Stage};

/// Turns what a run showed into an outcome.
#[derive(Clone, Debug)]
pub struct Judge {
    /// What counts as the failure.
    pub reading: Reading,
    /// Whether a run that takes too long is the failure that is looked for.
    pub timeout_fails: bool,
    /// The paths and names of the candidate, which say nothing about a failure.
    pub names: Vec<String>,
    /// Whether numbers and quotations in a message are a part of the failure.
    pub whole_message: bool,
}

/// What the user's command says with its exit.
#[derive(Clone, Debug)]
pub enum Reading {
    /// 0 means that the candidate is interesting, that is, still fails.
    Interesting,
    /// The command fails, and how it failed at first is how it must fail.
    Failing(Signature),
    /// The command fails with this ending, and prints what the bad one of two versions prints.
    Reproducing(Ending, FailureOutput),
    /// All of these conditions hold.
    Rules(Vec<Rule>),
}

/// What the judge says of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// The failure that was seen, when it is another one than the one that is looked for.
    pub other: Option<Signature>,
}

impl Judge {
    /// Judges one run.
    pub fn judge(&self, observation: &Observation) -> Verdict {
        let plain = |outcome| Verdict {
            outcome,
            other: None,
        };
        if observation.stage != Stage::Test {
            return plain(Outcome::Unresolved);
        }
        match &observation.ending {
            Ending::Timeout if self.timeout_fails => return plain(Outcome::Fail),
            Ending::Timeout | Ending::Cancelled | Ending::Lost | Ending::NotStarted(_) => {
                return plain(Outcome::Unresolved);
            }
            Ending::Exit(_) | Ending::Signal(_) => {}
        }
        if let Reading::Rules(rules) = &self.reading
            && rules.iter().all(|rule| rule.holds(observation))
        {
            return plain(Outcome::Fail);
        }
        if let Ending::Exit(125..=127) = observation.ending {
            // The baseline has shown that the command can be run; that it cannot now is the candidate's doing.
            return plain(Outcome::Unresolved);
        }
        let passed = observation.ending == Ending::Exit(0);
        match &self.reading {
            Reading::Interesting => plain(if passed { Outcome::Fail } else { Outcome::Pass }),
            _ if passed => plain(Outcome::Pass),
            Reading::Failing(expected) if self.is_same(expected, observation) => {
                plain(Outcome::Fail)
            }
            Reading::Reproducing(ending, output)
                if observation.ending == *ending
                    && output.difference(observation, &self.names).is_none() =>
            {
                plain(Outcome::Fail)
            }
            Reading::Failing(_) | Reading::Reproducing(..) | Reading::Rules(_) => Verdict {
                outcome: Outcome::Unresolved,
                other: Some(self.signature(observation)),
            },
        }
    }

    /// The outcome of a run of which only the ending and the output are left, if these decide.
    pub(crate) fn judge_again(&self, ending: &Ending, output: &Output) -> Option<Outcome> {
        let Reading::Reproducing(expected, lines) = &self.reading else {
            return None;
        };
        let is_decided = output.stage == Stage::Test && ending == expected;
        is_decided.then(|| match lines.difference(output, &self.names) {
            None => Outcome::Fail,
            Some(_) => Outcome::Unresolved,
        })
    }

    fn is_same(&self, expected: &Signature, observation: &Observation) -> bool {
        observation.ending == expected.ending
            && (expected.line.is_none() || self.signature(observation).line == expected.line)
    }

    /// How a run failed, as this judge looks at it.
    fn signature(&self, observation: &Observation) -> Signature {
        if self.whole_message {
            Signature::with_whole_line(observation, &self.names)
        } else {
            Signature::of(observation, &self.names)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Recorder;

    fn seen(ending: Ending, stderr: &str) -> Observation {
        let mut recorder = Recorder::default();
        recorder.push(stderr.as_bytes());
        Observation {
            stderr: recorder.finish(),
            ..Observation::unseen(ending)
        }
    }

    fn judge(reading: Reading) -> Judge {
        Judge {
            reading,
            timeout_fails: false,
            names: Vec::new(),
            whole_message: false,
        }
    }

    fn outcomes(judge: &Judge, endings: &[Ending]) -> Vec<Outcome> {
        endings
            .iter()
            .map(|ending| judge.judge(&seen(ending.clone(), "")).outcome)
            .collect()
    }

    use Outcome::{Fail, Pass, Unresolved};

    #[test]
    fn an_interestingness_script_fails_with_zero() {
        let endings = [0, 1, 124, 125, 128].map(Ending::Exit);
        assert_eq!(
            outcomes(&judge(Reading::Interesting), &endings),
            [Fail, Pass, Pass, Unresolved, Pass]
        );
    }

    #[test]
    fn a_failing_program_must_fail_in_the_same_way() {
        let judge = judge(Reading::Failing(Signature {
            ending: Ending::Signal(11),
            line: None,
        }));
        let endings = [
            Ending::Signal(11),
            Ending::Signal(6),
            Ending::Exit(0),
            Ending::Exit(1),
            Ending::Timeout,
        ];
        assert_eq!(
            outcomes(&judge, &endings),
            [Fail, Unresolved, Pass, Unresolved, Unresolved]
        );
        let other = judge.judge(&seen(Ending::Signal(6), "x: Assertion `y' failed."));
        assert_eq!(
            other.other.expect("another failure").line.as_deref(),
            Some("x: Assertion `y' failed.")
        );
    }

    #[test]
    fn another_message_with_the_same_exit_is_another_failure() {
        let first = seen(Ending::Exit(1), "a.c:1: f: Assertion `x' failed.");
        let judge = judge(Reading::Failing(Signature::of(&first, &[])));
        assert_eq!(judge.judge(&first).outcome, Fail);
        assert_eq!(
            judge
                .judge(&seen(Ending::Exit(1), "a.c:9: g: Assertion `y' failed."))
                .outcome,
            Unresolved
        );
        assert_eq!(judge.judge(&seen(Ending::Exit(1), "")).outcome, Unresolved);
    }

    #[test]
    fn a_whole_message_has_its_quotations() {
        let message =
            |name: &str| format!("AttributeError: 'list' object has no attribute '{name}'");
        let first = seen(Ending::Exit(1), &message("total"));
        let judge = Judge {
            whole_message: true,
            ..judge(Reading::Failing(Signature::with_whole_line(&first, &[])))
        };
        assert_eq!(judge.judge(&first).outcome, Fail);
        let other = seen(Ending::Exit(1), &message("d"));
        assert_eq!(judge.judge(&other).outcome, Unresolved);
    }

    #[test]
    fn all_rules_must_hold() {
        let rules = ["exit=3", "stderr~boom"]
            .map(|text| text.parse().expect("a rule"))
            .to_vec();
        let judge = judge(Reading::Rules(rules));
        assert_eq!(
            judge.judge(&seen(Ending::Exit(3), "it goes boom")).outcome,
            Fail
        );
        assert_eq!(
            judge.judge(&seen(Ending::Exit(3), "quiet")).outcome,
            Unresolved
        );
        assert_eq!(judge.judge(&seen(Ending::Exit(0), "boom")).outcome, Pass);
    }

    #[test]
    fn a_timeout_fails_when_hangs_are_hunted() {
        let hunt = Judge {
            timeout_fails: true,
            ..judge(Reading::Failing(Signature {
                ending: Ending::Timeout,
                line: None,
            }))
        };
        assert_eq!(
            outcomes(&hunt, &[Ending::Timeout, Ending::Exit(1), Ending::Exit(0)]),
            [Fail, Unresolved, Pass]
        );
    }

    #[test]
    fn a_failed_build_is_no_failure_whatever_its_exit_says() {
        let rules = vec!["stderr~boom".parse::<Rule>().expect("a rule")];
        for reading in [
            Reading::Interesting,
            Reading::Failing(Signature {
                ending: Ending::Exit(2),
                line: None,
            }),
            Reading::Rules(rules),
        ] {
            let judge = Judge {
                timeout_fails: true,
                ..judge(reading)
            };
            for ending in [Ending::Exit(2), Ending::Signal(11), Ending::Timeout] {
                let observation = Observation {
                    stage: Stage::Build,
                    ..seen(ending, "boom")
                };
                assert_eq!(judge.judge(&observation).outcome, Unresolved);
            }
        }
    }
}
