//! How far a run with an intervention may go, and how long interventions may take together.

use std::time::{Duration, Instant};

use crate::intervention::{Intervention, Profile, plan_text};

/// A run with an intervention may take so many branches more than the failing run, and so many times more.
const MORE_BRANCHES: u64 = 1_000_000;
const TIMES_BRANCHES: u64 = 50;

/// The share of a time limit, in percent, after which what was found is confirmed.
const SHARE_OF_SEARCH: u32 = 80;

/// Interventions are tried for some time, so that there is time left to confirm what they found.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeLimit {
    /// When all of it has to be over.
    deadline: Option<Instant>,
    /// When to stop trying.
    search_until: Option<Instant>,
}

impl TimeLimit {
    /// Everything has to be over by then. Otherwise new interventions begin within `patience`, where somebody has some.
    pub fn new(deadline: Option<Instant>, patience: Option<Duration>) -> TimeLimit {
        let now = Instant::now();
        let share = |deadline: Instant| {
            now + deadline.saturating_duration_since(now) * SHARE_OF_SEARCH / 100
        };
        let patient_until = patience.map(|patience| now + patience);
        TimeLimit {
            deadline,
            search_until: deadline.map(share).or(patient_until),
        }
    }

    /// Whether there is an end.
    pub fn is_set(&self) -> bool {
        self.search_until.is_some()
    }

    /// Whether there is time to try more.
    pub fn goes_on(&self) -> bool {
        self.search_until.is_none_or(|end| Instant::now() < end)
    }

    /// How long a run may take that needs no more than `wanted`. None if the time is over.
    pub fn time_for(&self, wanted: Duration) -> Option<Duration> {
        let Some(deadline) = self.deadline else {
            return Some(wanted);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        (!left.is_zero()).then(|| left.min(wanted))
    }
}

/// How far a run with an intervention may go.
pub(super) struct Limits {
    fuel: u64,
    patience: u64,
}

impl Limits {
    /// For the run of a profile with an intervention.
    pub fn of(profile: &Profile, timeout: Duration, is_endless: bool) -> Limits {
        let times = if is_endless { 0 } else { TIMES_BRANCHES };
        let fuel = profile.branches().saturating_mul(times);
        Limits {
            fuel: fuel.saturating_add(MORE_BRANCHES),
            patience: timeout.as_millis() as u64,
        }
    }

    pub fn plan(&self, profile: &Profile, interventions: &[Intervention]) -> String {
        plan_text(profile, interventions, self.fuel, self.patience)
    }
}
