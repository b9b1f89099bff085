//! Testers that answer by a rule, and spaces whose causes are known.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use yester_core::{Answer, Hash, Knowledge, Outcome, Stop, Subset, Tester, first_in_order};

/// A space with known causes. All its deltas together always fail.
#[derive(Clone, Debug)]
pub struct Synthetic {
    pub universe: usize,
    /// The failure occurs when all deltas of one of these are applied.
    pub causes: Vec<Vec<usize>>,
    /// Without the second, the first cannot be applied.
    pub needs: Vec<(usize, usize)>,
    /// Outcomes that follow no rule at all, from this seed.
    pub noise: Option<u64>,
}

impl Synthetic {
    pub fn full(&self) -> Subset {
        Subset::full(self.universe)
    }

    pub fn outcome(&self, subset: &Subset) -> Outcome {
        let holds = |deltas: &Vec<usize>| deltas.iter().all(|delta| subset.contains(*delta));
        if subset.len() == self.universe {
            return Outcome::Fail;
        }
        if let Some(seed) = self.noise {
            let text = format!("{seed} {}", subset.key());
            return match Hash::of(text.as_bytes()).to_string().as_bytes()[0] {
                b'0'..=b'3' => Outcome::Fail,
                b'4'..=b'7' => Outcome::Unresolved,
                _ => Outcome::Pass,
            };
        }
        if self.lacking(subset).next().is_some() {
            Outcome::Unresolved
        } else if self.causes.iter().any(holds) {
            Outcome::Fail
        } else {
            Outcome::Pass
        }
    }

    /// The needs that are not met.
    pub fn lacking(&self, subset: &Subset) -> impl Iterator<Item = (usize, usize)> {
        let lacks =
            |(one, other): &(usize, usize)| subset.contains(*one) && !subset.contains(*other);
        self.needs.iter().copied().filter(lacks)
    }

    pub fn knowledge(&self) -> Knowledge {
        let mut knowledge = Knowledge::none(self.universe);
        for (delta, needed) in &self.needs {
            knowledge.need(*delta, *needed);
        }
        knowledge
    }

    pub fn is_one_minimal(&self, subset: &Subset) -> bool {
        self.outcome(subset) == Outcome::Fail
            && subset
                .iter()
                .all(|delta| self.outcome(&subset.without(&[delta])) != Outcome::Fail)
    }
}

fn deltas(universe: usize, most: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..universe, 1..=most)
}

/// One cause and no unresolved outcome: what dd is made for.
pub fn plain(most: usize) -> impl Strategy<Value = Synthetic> {
    (1..=most)
        .prop_flat_map(|universe| (Just(universe), deltas(universe, 12)))
        .prop_map(|(universe, cause)| Synthetic {
            universe,
            causes: vec![cause],
            needs: Vec::new(),
            noise: None,
        })
}

/// Several causes, each sufficient.
pub fn ambiguous(most: usize) -> impl Strategy<Value = Synthetic> {
    (1..=most)
        .prop_flat_map(|universe| {
            let causes = prop::collection::vec(deltas(universe, 5), 1..4);
            (Just(universe), causes)
        })
        .prop_map(|(universe, causes)| Synthetic {
            universe,
            causes,
            needs: Vec::new(),
            noise: None,
        })
}

/// Deltas that need others, mostly near ones; some need each other.
pub fn inconsistent(most: usize) -> impl Strategy<Value = Synthetic> {
    ambiguous(most).prop_flat_map(|space| {
        let last = space.universe - 1;
        let need = (0..=last, 1usize..20, prop::bool::weighted(0.8)).prop_map(
            move |(delta, far, back)| {
                let needed = if back {
                    delta.saturating_sub(far)
                } else {
                    last.min(delta + far)
                };
                (delta, needed)
            },
        );
        let needs = prop::collection::vec(need, 0..=space.universe);
        (Just(space), needs).prop_map(|(space, mut needs)| {
            needs.retain(|(one, other)| one != other);
            Synthetic { needs, ..space }
        })
    })
}

/// No rule: the hardest space for a promise.
pub fn wild(most: usize) -> impl Strategy<Value = Synthetic> {
    (1..=most, any::<u64>()).prop_map(|(universe, seed)| Synthetic {
        universe,
        causes: Vec::new(),
        needs: Vec::new(),
        noise: Some(seed),
    })
}

pub fn any_space(most: usize) -> impl Strategy<Value = Synthetic> {
    prop_oneof![
        plain(most),
        ambiguous(most),
        inconsistent(most),
        wild(most.min(40))
    ]
}

/// Answers in order, remembers what it was asked for, and does not accept a question twice.
pub struct Witness<'a> {
    space: &'a Synthetic,
    pub asked: HashSet<Subset>,
}

impl<'a> Witness<'a> {
    pub fn new(space: &'a Synthetic) -> Self {
        Witness {
            space,
            asked: HashSet::new(),
        }
    }
}

impl Tester for Witness<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        assert!(self.asked.insert(subset.clone()), "asked twice: {subset:?}");
        Ok(Answer::known(self.space.outcome(subset)))
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        first_in_order(self, candidates, wanted)
    }

    fn foresee(&mut self, _: &mut dyn Iterator<Item = Subset>) {}
}

/// Takes questions only within the last failing subset.
pub struct Shrinking<'a> {
    space: &'a Synthetic,
    failing: Subset,
}

impl<'a> Shrinking<'a> {
    pub fn new(space: &'a Synthetic) -> Self {
        Shrinking {
            space,
            failing: space.full(),
        }
    }
}

impl Tester for Shrinking<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        assert!(
            subset.is_subset(&self.failing),
            "{subset:?} leaves {:?}",
            self.failing
        );
        let outcome = self.space.outcome(subset);
        if outcome == Outcome::Fail {
            self.failing = subset.clone();
        }
        Ok(Answer::known(outcome))
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        first_in_order(self, candidates, wanted)
    }

    fn foresee(&mut self, _: &mut dyn Iterator<Item = Subset>) {}
}

/// Answers by a rule of four deltas.
pub struct Rule(pub fn([bool; 4]) -> Outcome);

impl Tester for Rule {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        let applied = [0, 1, 2, 3].map(|delta| subset.contains(delta));
        Ok(Answer::known((self.0)(applied)))
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        first_in_order(self, candidates, wanted)
    }

    fn foresee(&mut self, _: &mut dyn Iterator<Item = Subset>) {}
}

/// Tests like several jobs: whole windows at once, the last one first, and what is foreseen ahead of the question.
pub struct Ahead<'a> {
    space: &'a Synthetic,
    jobs: usize,
    foreseen: Vec<Subset>,
    known: HashMap<Subset, Outcome>,
    /// How often all jobs had to be waited for.
    pub rounds: usize,
}

impl<'a> Ahead<'a> {
    pub fn new(space: &'a Synthetic, jobs: usize) -> Self {
        Ahead {
            space,
            jobs,
            foreseen: Vec::new(),
            known: HashMap::new(),
            rounds: 0,
        }
    }

    /// Tests these and, with the jobs left, what is foreseen.
    fn round(&mut self, window: &[Subset]) {
        let unknown = |subset: &&Subset| !self.known.contains_key(*subset);
        let batch: Vec<Subset> = window.iter().filter(unknown).cloned().collect();
        if batch.is_empty() {
            return;
        }
        self.rounds += 1;
        let spare = self.jobs.saturating_sub(batch.len());
        let ahead: Vec<Subset> = self
            .foreseen
            .iter()
            .filter(unknown)
            .take(spare)
            .cloned()
            .collect();
        for subset in batch.into_iter().chain(ahead).rev() {
            let outcome = self.space.outcome(&subset);
            self.known.insert(subset, outcome);
        }
    }
}

impl Tester for Ahead<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        self.round(std::slice::from_ref(subset));
        self.foreseen.clear();
        Ok(Answer::known(self.known[subset]))
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        let mut start = 0;
        loop {
            let window: Vec<Subset> = (&mut *candidates).take(self.jobs).collect();
            if window.is_empty() {
                self.foreseen.clear();
                return Ok(None);
            }
            self.round(&window);
            if let Some(place) = window
                .iter()
                .position(|subset| self.known[subset] == wanted)
            {
                self.foreseen.clear();
                return Ok(Some(start + place));
            }
            start += window.len();
        }
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        self.foreseen = subsets.take(self.jobs).collect();
    }
}
