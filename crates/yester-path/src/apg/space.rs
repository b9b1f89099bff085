//! The paths of the program for path generation: which branches of the failing run are turned. A path is met by solving for one branch
//! after the other, running, and looking how far the run goes as it should.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use yester_core::Outcome;

use super::path_generation::PathSpace;
use super::taken::TakenRun;
use super::tree::{FAILING, Next, Stop, Tree};
use crate::alignment::Distance;
use crate::program::Program;

/// So many steps bring a run onto its path at most.
const MOST_STEPS: usize = 24;
/// So many ways through what is met only behind a turned branch are tried.
const MOST_VARIANTS: usize = 4;

/// The branches of the failing run that go another way, in order.
pub(super) type Turned = Rc<[usize]>;

/// What became of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Realised {
    /// A run takes it and succeeds.
    Succeeds,
    /// Runs take it, and none of them succeeds.
    Fails,
    /// No input takes it. What forbids it begins at this event of the failing run.
    Infeasible(usize),
    /// No run is known that takes it.
    Unknown,
}

pub(super) struct TreeSpace<'t, 'a, P: Program> {
    pub tree: &'t mut Tree<'a, P>,
    pub known: HashMap<Turned, Realised>,
    /// Whether paths were given up for what no input does from some branch on. That is so unless what comes before changes what is
    /// computed there.
    pub has_given_up_rests: bool,
}

impl<P: Program> PathSpace for TreeSpace<'_, '_, P> {
    type Path = Turned;
    type Stop = Stop<P::Stop>;

    fn alternatives(&mut self, path: &Turned, branch: usize) -> Result<Vec<Turned>, Stop<P::Stop>> {
        let mut turned = vec![branch];
        turned.extend(path.iter());
        // What is farther than a run that succeeds is not wanted any more.
        let is_near = self
            .tree
            .nearest()
            .is_none_or(|nearest| Distance(turned.clone()) < *nearest);
        Ok(is_near.then(|| turned.into()).into_iter().collect())
    }

    fn is_infeasible_from(&mut self, path: &Turned, branch: usize) -> Result<bool, Stop<P::Stop>> {
        let is_infeasible =
            matches!(self.realise(path)?, Realised::Infeasible(from) if from >= branch);
        self.has_given_up_rests |= is_infeasible;
        Ok(is_infeasible)
    }

    fn is_success(&mut self, path: &Turned) -> Result<bool, Stop<P::Stop>> {
        Ok(self.realise(path)? == Realised::Succeeds)
    }
}

impl<'t, 'a, P: Program> TreeSpace<'t, 'a, P> {
    pub fn new(tree: &'t mut Tree<'a, P>) -> Self {
        TreeSpace {
            tree,
            known: HashMap::new(),
            has_given_up_rests: false,
        }
    }

    fn realise(&mut self, turned: &Turned) -> Result<Realised, Stop<P::Stop>> {
        if let Some(known) = self.known.get(turned) {
            return Ok(known.clone());
        }
        let realised = self.search(turned)?;
        self.known.insert(Rc::clone(turned), realised.clone());
        Ok(realised)
    }

    fn search(&mut self, turned: &Turned) -> Result<Realised, Stop<P::Stop>> {
        let mut open = vec![FAILING];
        let mut seen: HashSet<usize> = [FAILING].into();
        let mut variants = 0;
        let mut is_met = false;
        let mut is_unknown = false;
        let mut forbidden_from = usize::MAX;
        for _ in 0..MOST_STEPS {
            let Some(run) = open.pop() else { break };
            let taken = self.tree.taken(run)?;
            // Where the run leaves its path, or nothing if it takes it; and which branches that nobody asked for may be turned.
            let (leaves, mut others) = match self.leaves(&taken, turned) {
                Leaves::Nowhere => {
                    is_met = true;
                    if self.tree.outcome(run)? == Outcome::Pass {
                        return Ok(Realised::Succeeds);
                    }
                    (None, inner_branches(&taken, taken.run.events.len()))
                }
                Leaves::Lost => {
                    is_unknown = true;
                    continue;
                }
                Leaves::At(event) => (Some(event), inner_branches(&taken, event)),
            };
            if let Some(event) = leaves {
                match self.tree.turn(run, event)? {
                    Next::Run(next) => {
                        if seen.insert(next) {
                            open.push(next);
                        }
                        continue;
                    }
                    Next::Unknown => {
                        is_unknown = true;
                        continue;
                    }
                    Next::Decided => forbidden_from = 0,
                    Next::Never(core) => {
                        others.retain(|event| core.contains(event));
                        let from = core.iter().map(|event| known_event(&taken, *event));
                        forbidden_from = forbidden_from.min(from.min().unwrap_or(0));
                    }
                }
            }
            for event in others {
                if variants == MOST_VARIANTS {
                    is_unknown = true;
                    break;
                }
                variants += 1;
                match self.tree.turn(run, event)? {
                    Next::Run(next) if seen.insert(next) => open.push(next),
                    Next::Run(_) => {}
                    Next::Unknown => is_unknown = true,
                    Next::Decided => forbidden_from = 0,
                    Next::Never(core) => {
                        let from = core.iter().map(|event| known_event(&taken, *event));
                        forbidden_from = forbidden_from.min(from.min().unwrap_or(0));
                    }
                }
            }
        }
        Ok(match (is_met, is_unknown || !open.is_empty()) {
            (true, _) => Realised::Fails,
            (false, true) => Realised::Unknown,
            (false, false) => Realised::Infeasible(forbidden_from),
        })
    }

    /// Where a run first leaves a path.
    fn leaves(&self, taken: &TakenRun<P::Shown>, turned: &Turned) -> Leaves {
        let failing = &self.tree.failing.run;
        let mut met = 0;
        for (event, partner) in taken.partners.iter().enumerate() {
            let Some(partner) = *partner else { continue };
            let is_turned = turned.binary_search(&partner).is_ok();
            let is_other = failing.events[partner].outcome != taken.run.events[event].outcome;
            if is_turned != is_other {
                return Leaves::At(event);
            }
            met += usize::from(is_turned);
        }
        if met == turned.len() {
            Leaves::Nowhere
        } else {
            Leaves::Lost
        }
    }
}

/// Where a run leaves a path.
enum Leaves {
    Nowhere,
    /// At this event.
    At(usize),
    /// It does not meet all branches that should be turned.
    Lost,
}

/// The branches before an event that the failing run does not have, and that the input decides, the last first.
fn inner_branches<S>(taken: &TakenRun<S>, end: usize) -> Vec<usize> {
    let mut found = taken.turnable();
    found.retain(|event| *event < end && taken.partners[*event].is_none());
    found.reverse();
    found
}

/// The event of the failing run that an event corresponds to, or the last one that it depends on which does.
fn known_event<S>(taken: &TakenRun<S>, event: usize) -> usize {
    let mut at = Some(event);
    while let Some(event) = at {
        if let Some(partner) = taken.partners[event] {
            return partner;
        }
        at = taken.run.events[event].dependence();
    }
    0
}
