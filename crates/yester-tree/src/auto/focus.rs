use super::batch::Tier;
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
    depth: Depth,
    /// How many tiers were gone through since the last success.
    quiet: usize,
}

/// How far the engine goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Until no part of some length can go: statements rather than expressions.
    Statements,
    /// Until no idea makes the text smaller.
    Everything,
}

/// Shorter parts are not looked at where only statements count.
const SHORT_STATEMENT: usize = 24;

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
    pub fn first(bytes: usize, depth: Depth, tuning: ReduceTuning) -> Focus {
        Focus {
            detail: depth.detail(bytes / tuning.coarsest, tuning),
            tuning,
            depth,
            also_old: false,
            tier: 0,
            quiet: 0,
        }
    }

    pub fn tier(&self) -> Tier {
        self.tiers()[self.tier]
    }

    fn tiers(&self) -> &'static [Tier] {
        match self.depth {
            Depth::Statements => &[Tier::Removals],
            Depth::Everything if self.detail > 0 => &COARSE_TIERS,
            Depth::Everything => &TIERS,
        }
    }

    /// Something worked, and so many bytes are left. If what has to stay is scattered, hardly anything of this size goes
    /// any more.
    pub fn success(&mut self, bytes: usize, is_scattered: bool) {
        let mut detail = self.detail.min(bytes / self.tuning.coarsest);
        if is_scattered {
            detail /= self.tuning.refinement.max(2);
        }
        self.detail = self.depth.detail(detail, self.tuning);
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
        if self.depth == Depth::Statements && self.detail <= SHORT_STATEMENT {
            return false;
        }
        if self.detail > 0 {
            let finer = self.detail / self.tuning.refinement.max(2);
            let finer = finer.min(bytes / self.tuning.coarsest);
            self.detail = self.depth.detail(finer, self.tuning);
            return true;
        }
        !std::mem::replace(&mut self.also_old, true)
    }
}

impl Depth {
    fn detail(self, bytes: usize, tuning: ReduceTuning) -> usize {
        match self {
            Depth::Statements => bytes.max(SHORT_STATEMENT),
            Depth::Everything if bytes < tuning.finest => 0,
            Depth::Everything => bytes,
        }
    }
}
