use yester_core::Outcome;

/// How many runs one outcome takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Repeat {
    /// The test always says the same: one.
    Once,
    /// Up to this many; one failure is enough.
    UpTo(usize),
    /// So many, and all of them have to fail: the unreduced input always does, but some parts of it only now and then.
    Always(usize),
    /// As many as it takes to tell a failure rate like the baseline's from one ten times smaller, by Wald's
    /// sequential test, with at most [`ERROR_RATE`] of the decisions wrong in either direction.
    Sequential {
        /// How often the unreduced input failed.
        failure_rate: f64,
    },
}

/// The share of wrong decisions that the sequential test accepts.
pub const ERROR_RATE: f64 = 0.01;

impl Repeat {
    /// The outcome that these runs add up to, or nothing when more are needed.
    ///
    /// A failure weighs more than many passes, since a test that cannot fail never does.
    pub(crate) fn decide(&self, runs: &[Outcome]) -> Option<Outcome> {
        let failures = runs
            .iter()
            .filter(|outcome| **outcome == Outcome::Fail)
            .count();
        let without_failure = || {
            let passed = runs.contains(&Outcome::Pass);
            if passed {
                Outcome::Pass
            } else {
                Outcome::Unresolved
            }
        };
        match self {
            Repeat::Once => runs.first().copied(),
            Repeat::UpTo(_) if failures > 0 => Some(Outcome::Fail),
            Repeat::UpTo(most) => (runs.len() >= *most).then(without_failure),
            Repeat::Always(_) if failures < runs.len() => Some(without_failure()),
            Repeat::Always(all) => (failures >= *all).then_some(Outcome::Fail),
            Repeat::Sequential { failure_rate } => {
                let likely = failure_rate.clamp(0.01, 0.99);
                let unlikely = likely / 10.0;
                let evidence = failures as f64 * (likely / unlikely).ln()
                    + (runs.len() - failures) as f64 * ((1.0 - likely) / (1.0 - unlikely)).ln();
                let bound = ((1.0 - ERROR_RATE) / ERROR_RATE).ln();
                if evidence >= bound {
                    Some(Outcome::Fail)
                } else if evidence <= -bound {
                    Some(without_failure())
                } else {
                    None
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass, Unresolved};

    #[test]
    fn a_fixed_number_of_runs_ends_with_the_first_failure() {
        let repeat = Repeat::UpTo(3);
        assert_eq!(repeat.decide(&[]), None);
        assert_eq!(repeat.decide(&[Pass, Fail]), Some(Fail));
        assert_eq!(repeat.decide(&[Pass, Pass]), None);
        assert_eq!(repeat.decide(&[Unresolved, Pass, Unresolved]), Some(Pass));
        assert_eq!(repeat.decide(&[Unresolved; 3]), Some(Unresolved));
    }

    #[test]
    fn what_has_to_fail_always_is_given_up_with_the_first_run_that_does_not() {
        let repeat = Repeat::Always(3);
        assert_eq!(repeat.decide(&[]), None);
        assert_eq!(repeat.decide(&[Fail, Fail]), None);
        assert_eq!(repeat.decide(&[Fail; 3]), Some(Fail));
        assert_eq!(repeat.decide(&[Fail, Pass]), Some(Pass));
        assert_eq!(repeat.decide(&[Unresolved]), Some(Unresolved));
    }

    /// A small generator, so that the test needs no luck.
    fn simulate(repeat: &Repeat, rate: f64, seed: u64) -> (Outcome, usize) {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut runs = Vec::new();
        loop {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let random = (state >> 11) as f64 / (1u64 << 53) as f64;
            runs.push(if random < rate { Fail } else { Pass });
            if let Some(outcome) = repeat.decide(&runs) {
                return (outcome, runs.len());
            }
        }
    }

    #[test]
    fn the_sequential_test_keeps_its_promise_at_a_failure_rate_of_thirty_percent() {
        let repeat = Repeat::Sequential { failure_rate: 0.3 };
        let decisions = 2000;
        let wrong = |rate: f64, right: Outcome| {
            (0..decisions)
                .filter(|seed| simulate(&repeat, rate, *seed).0 != right)
                .count() as f64
                / decisions as f64
        };
        assert!(wrong(0.3, Fail) <= ERROR_RATE, "{}", wrong(0.3, Fail));
        assert!(
            wrong(0.03, Pass) <= 2.0 * ERROR_RATE,
            "{}",
            wrong(0.03, Pass)
        );
        assert_eq!(wrong(0.0, Pass), 0.0);
        let runs = (0..decisions)
            .map(|seed| simulate(&repeat, 0.0, seed).1)
            .max();
        assert!(
            runs <= Some(20),
            "a candidate that never fails is given up after {runs:?} runs"
        );
    }
}
