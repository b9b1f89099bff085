//! Zeller's search, as the readers of his paper expect it: dd or dd+ over the hunks.

use yester_core::{Lab, Outcome, Phase, Space, Stop, Subset, dd, dd_plus};

use super::{CulpritSearch, Isolated};
use crate::DeltaLevel;

/// The algorithms of "Yesterday, my program worked. Today, it does not. Why?"
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZellerAlgorithm {
    /// His first, which takes every version for one that can be tested.
    Dd,
    /// His second, for versions without an outcome.
    DdPlus,
}

impl CulpritSearch<'_> {
    /// The changes that induce the failure, as the paper finds them. What is known or likely beforehand is not used, but
    /// for what is never a version: it is Unresolved without a trial.
    ///
    /// The paper's answer may need what stayed applied while it was found. Where it does not fail by itself, and all else
    /// passes, that is the version that passes.
    pub fn by(&self, algorithm: ZellerAlgorithm, lab: &mut dyn Lab) -> Result<Isolated, Stop> {
        let space = self.space.of(&self.start, DeltaLevel::Hunk);
        let grouping = space.grouping(|_| 0);
        let all = Subset::full(space.len());
        lab.enter(Phase {
            what: match algorithm {
                ZellerAlgorithm::Dd => "looking for the hunks by dd",
                ZellerAlgorithm::DdPlus => "looking for the hunks by dd+",
            },
            deltas: space.len(),
        });
        let tester = &mut *lab.tester(&space);
        let inducing = match algorithm {
            ZellerAlgorithm::Dd => dd(tester, &grouping, &all)?,
            ZellerAlgorithm::DdPlus => dd_plus(tester, &grouping, &all)?,
        };
        let mut passing = Subset::empty(space.len());
        if tester.test(&inducing)?.outcome != Outcome::Fail {
            let rest = all.difference(&inducing);
            if tester.test(&rest)?.outcome == Outcome::Pass {
                passing = rest;
            }
        }
        Ok(Isolated {
            failing: space.atoms(&passing.union(&inducing)),
            passing: space.atoms(&passing),
        })
    }
}
