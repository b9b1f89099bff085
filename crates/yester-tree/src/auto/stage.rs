use super::batch::Phase;

/// What is looked at now: first only big things, then everything, and in the end once more what was tried before the last
/// success.
pub(super) struct Stage {
    /// Nodes with fewer bytes are not looked at yet.
    pub detail: usize,
    /// Whether ideas count that were tried on a text that was hardly different.
    pub also_old: bool,
    phase: usize,
    /// How many phases there were since the last success.
    quiet: usize,
}

/// Nodes smaller than this part of the text are looked at later.
const COARSE: usize = 100;
/// How much finer the next look is.
const FINER: usize = 4;
/// From here on everything is looked at.
const FINE: usize = 16;

/// The phases as long as only big things are looked at.
const COARSE_PHASES: [Phase; 2] = [Phase::Cuts, Phase::Shapes];
/// The phases when everything is.
const PHASES: [Phase; 4] = [Phase::Cuts, Phase::Shapes, Phase::Looks, Phase::Details];

impl Stage {
    /// The first look at a text of so many bytes.
    pub fn first(bytes: usize) -> Stage {
        Stage {
            detail: detail(bytes / COARSE),
            also_old: false,
            phase: 0,
            quiet: 0,
        }
    }

    pub fn phase(&self) -> Phase {
        self.phases()[self.phase]
    }

    fn phases(&self) -> &'static [Phase] {
        if self.detail > 0 {
            &COARSE_PHASES
        } else {
            &PHASES
        }
    }

    /// Something worked, and so many bytes are left.
    pub fn success(&mut self, bytes: usize) {
        self.detail = detail(self.detail.min(bytes / COARSE));
        self.also_old = false;
        self.quiet = 0;
    }

    /// Nothing works any more in this phase. False when there is nothing else to look at.
    pub fn next(&mut self, bytes: usize) -> bool {
        self.phase = (self.phase + 1) % self.phases().len();
        self.quiet += 1;
        if self.quiet < self.phases().len() {
            return true;
        }
        self.quiet = 0;
        if self.detail > 0 {
            self.detail = detail((self.detail / FINER).min(bytes / COARSE));
            return true;
        }
        !std::mem::replace(&mut self.also_old, true)
    }
}

fn detail(bytes: usize) -> usize {
    if bytes < FINE { 0 } else { bytes }
}
