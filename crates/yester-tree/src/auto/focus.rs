use super::source::Tier;
use super::tuning::ReduceTuning;

/// What is looked at now: first only big nodes, then all of them, and in the end once more what was tried before the last
/// success.
pub(super) struct Focus {
    /// Nodes with fewer bytes are not looked at yet.
    pub detail: usize,
    /// Whether ideas count that were tried on a text that was hardly different.
    pub also_old: bool,
    tier: usize,
    tuning: ReduceTuning,
    /// How many tiers were gone through since the last success.
    quiet: usize,
}

/// The tiers as long as only big nodes are looked at.
const COARSE_TIERS: [Tier; 2] = [Tier::Removals, Tier::Replacements];
/// The tiers when all nodes are.
const TIERS: [Tier; 4] = [
    Tier::Removals,
    Tier::Replacements,
    Tier::Cosmetics,
    Tier::Details,
];

impl Focus {
    /// The first look at a text of so many bytes.
    pub fn first(bytes: usize, tuning: ReduceTuning) -> Focus {
        Focus {
            detail: detail(bytes / tuning.coarsest, tuning),
            tuning,
            also_old: false,
            tier: 0,
            quiet: 0,
        }
    }

    pub fn tier(&self) -> Tier {
        self.tiers()[self.tier]
    }

    fn tiers(&self) -> &'static [Tier] {
        match self.detail {
            0 => &TIERS,
            _ => &COARSE_TIERS,
        }
    }

    /// Something worked, and so many bytes are left. If what has to stay is scattered, hardly anything of this size goes
    /// any more.
    pub fn success(&mut self, bytes: usize, is_scattered: bool) {
        let mut finer = self.detail.min(bytes / self.tuning.coarsest);
        if is_scattered {
            finer /= self.tuning.refinement.max(2);
        }
        self.detail = detail(finer, self.tuning);
        self.also_old = false;
        self.quiet = 0;
    }

    /// Nothing works any more in this tier. False when there is nothing else to look at.
    pub fn next(&mut self, bytes: usize) -> bool {
        self.tier = (self.tier + 1) % self.tiers().len();
        self.quiet += 1;
        if self.quiet < self.tiers().len() {
            return true;
        }
        self.quiet = 0;
        if self.detail > 0 {
            let finer = self.detail / self.tuning.refinement.max(2);
            let finer = finer.min(bytes / self.tuning.coarsest);
            self.detail = detail(finer, self.tuning);
            return true;
        }
        !std::mem::replace(&mut self.also_old, true)
    }
}

/// Below some length, all nodes are looked at.
fn detail(bytes: usize, tuning: ReduceTuning) -> usize {
    match bytes {
        bytes if bytes < tuning.finest => 0,
        bytes => bytes,
    }
}
