use std::collections::HashMap;

use yester_core::{Reach, Subset};

use super::batch::{Batch, Idea, SEVERAL_KINDS};
use super::key::Key;
use super::source::{Nature, Source};
use super::tuning::ReduceTuning;
use crate::{Edit, Kind};

/// Decides what is tried next, from what each source has gained so far and what has been tried already.
pub(super) struct Schedule {
    tuning: ReduceTuning,
    /// How often the text has changed.
    generation: u64,
    bytes: usize,
    /// When the ideas of a source were tried last.
    marks: HashMap<&'static str, HashMap<Key, Mark>>,
    shares: Shares,
}

/// Which share of what a source proposed was accepted lately, by source and kind of node.
#[derive(Clone)]
struct Shares {
    tuning: ReduceTuning,
    shares: HashMap<(&'static str, Kind), f64>,
}

/// When an idea was tried last.
#[derive(Clone, Copy)]
struct Mark {
    generation: u64,
    bytes: usize,
}

/// The novelty of an idea for each change of the text since it was tried: of ideas that are hardly new, the one that was
/// tried first is tried first again.
const NOVELTY_OF_A_CHANGE: f64 = 0.0001;
/// No share is less than this, so that no source is given up.
const LEAST_SHARE: f64 = 0.001;

/// Stands for all kinds of a source.
const ANY: Kind = Kind::MAX;

impl Schedule {
    pub fn new(bytes: usize, tuning: ReduceTuning) -> Schedule {
        Schedule {
            tuning,
            generation: 0,
            bytes,
            marks: HashMap::new(),
            shares: Shares {
                tuning,
                shares: HashMap::new(),
            },
        }
    }

    fn mark(&self, source: &Source, idea: &Idea) -> Option<&Mark> {
        self.marks.get(source.name)?.get(&idea.key)
    }

    /// How much the text has shrunk since an idea was tried: 1 for one that never was, 0 for one that was just now.
    fn novelty(&self, source: &Source, idea: &Idea) -> f64 {
        match self.mark(source, idea) {
            None => 1.0,
            Some(mark) if mark.generation == self.generation => 0.0,
            Some(mark) => {
                let shrunk = 1.0 - self.bytes as f64 / mark.bytes.max(1) as f64;
                let age = (self.generation - mark.generation).min(100) as f64;
                shrunk.clamp(NOVELTY_OF_A_CHANGE * age, 0.9)
            }
        }
    }

    /// Removes what was just tried, or all that is not rather new.
    pub fn sift(&self, batches: Vec<Batch>, also_old: bool) -> Vec<Batch> {
        let mut sifted = Vec::new();
        for batch in batches {
            if !batch.needs.is_empty() {
                sifted.extend(self.sift_needing(batch, also_old));
                continue;
            }
            // What is left of several lists or chains is none.
            let is_pool = batch.kind == SEVERAL_KINDS;
            let is_one = match batch.source.nature {
                Nature::List => !is_pool && batch.ideas.len() > 2 * self.tuning.batch_ideas,
                Nature::Chain => !is_pool,
                Nature::Uniform => true,
                Nature::Mixed | Nature::Guess => false,
            };
            let most = if is_one {
                usize::MAX
            } else {
                self.tuning.batch_ideas
            };
            let Batch {
                source,
                kind,
                ideas,
                together,
                likely,
                ..
            } = batch;
            let (mut new, mut old) = (Vec::new(), Vec::new());
            for idea in ideas {
                match self.novelty(source, &idea) {
                    0.0 => {}
                    novelty if novelty >= self.tuning.retry_shrinkage => new.push(idea),
                    novelty
                        if source.nature == Nature::Guess
                            && novelty < self.tuning.guess_shrinkage => {}
                    _ if also_old => old.push(idea),
                    _ => {}
                }
            }
            for (ideas, together) in [(new, together), (old, false)] {
                let mut ideas = ideas.into_iter().peekable();
                while ideas.peek().is_some() {
                    sifted.push(Batch {
                        source,
                        kind,
                        ideas: ideas.by_ref().take(most).collect(),
                        together,
                        needs: Vec::new(),
                        likely,
                    });
                }
            }
        }
        sifted
    }

    /// Removes from ideas that need each other those that were just tried, and all that are needed by these.
    fn sift_needing(&self, batch: Batch, also_old: bool) -> Option<Batch> {
        let is_new = |idea: &Idea| {
            let novelty = self.novelty(batch.source, idea);
            novelty >= self.tuning.retry_shrinkage || also_old && novelty > 0.0
        };
        let mut is_fixed: Vec<bool> = batch.ideas.iter().map(|idea| !is_new(idea)).collect();
        let mut open: Vec<usize> = (0..is_fixed.len()).filter(|idea| is_fixed[*idea]).collect();
        while let Some(idea) = open.pop() {
            for needed in &batch.needs[idea] {
                if !std::mem::replace(&mut is_fixed[*needed], true) {
                    open.push(*needed);
                }
            }
        }
        let places: HashMap<usize, usize> = (0..is_fixed.len())
            .filter(|idea| !is_fixed[*idea])
            .enumerate()
            .map(|(place, idea)| (idea, place))
            .collect();
        let needs = (batch.needs.iter().zip(&is_fixed))
            .filter(|(_, is_fixed)| !**is_fixed)
            .map(|(needed, _)| {
                needed
                    .iter()
                    .filter_map(|idea| places.get(idea).copied())
                    .collect()
            });
        let needs: Vec<Vec<usize>> = needs.collect();
        let ideas = (batch.ideas.into_iter().zip(is_fixed))
            .filter(|(_, is_fixed)| !is_fixed)
            .map(|(idea, _)| idea);
        let ideas: Vec<Idea> = ideas.collect();
        (!ideas.is_empty()).then_some(Batch {
            ideas,
            needs,
            ..batch
        })
    }

    /// The batch that is likely to gain most per trial.
    pub fn next(&self, batches: &[Batch]) -> Option<usize> {
        let batches = batches.iter().collect::<Vec<_>>();
        self.best(&self.shares, &batches)
    }

    /// The batches that come after this one if all its ideas are rejected, and all of theirs.
    pub fn after<'a>(
        &'a self,
        batch: &'a Batch,
        batches: &'a [Batch],
    ) -> impl Iterator<Item = &'a Batch> {
        let mut shares = None;
        let mut left: Vec<&Batch> = batches.iter().collect();
        let mut last = batch;
        std::iter::from_fn(move || {
            let shares = shares.get_or_insert_with(|| self.shares.clone());
            shares.note(last, 0);
            last = left.swap_remove(self.best(shares, &left)?);
            Some(last)
        })
    }

    fn best(&self, shares: &Shares, batches: &[&Batch]) -> Option<usize> {
        let priorities = batches.iter().map(|batch| self.priority(shares, batch));
        let best = priorities
            .enumerate()
            .max_by(|(one, left), (other, right)| {
                // Of equals the first.
                left.total_cmp(right).then(other.cmp(one))
            });
        best.map(|(index, _)| index)
    }

    fn priority(&self, shares: &Shares, batch: &Batch) -> f64 {
        let hope: f64 = batch
            .ideas
            .iter()
            .map(|idea| self.promise(idea) * self.novelty(batch.source, idea))
            .sum();
        let share = shares.expected(batch);
        let mut count = batch.ideas.len() as f64;
        if !batch.needs.is_empty() {
            // Most of them follow from others.
            count = count.sqrt();
        }
        // What stays costs about a trial for each idea, what goes together next to nothing.
        let trials = match self.reach_with(shares, batch) {
            Reach::Everything => 1.0 + self.tuning.rejection_cost * count * (1.0 - share),
            Reach::Single => count,
        };
        hope * share / trials
    }

    /// What an idea would bring if each of a few places of the text has to stay, wherever they are: what is nearly the
    /// whole text hardly ever goes.
    fn promise(&self, idea: &Idea) -> f64 {
        let gain = idea.gain.max(1) as f64;
        let rest = (1.0 - gain / self.bytes.max(1) as f64).max(0.001);
        gain * rest.powf(self.tuning.needed_places)
    }

    /// Whether a batch is begun with everything at once.
    pub fn reach(&self, batch: &Batch) -> Reach {
        self.reach_with(&self.shares, batch)
    }

    fn reach_with(&self, shares: &Shares, batch: &Batch) -> Reach {
        let is_new = |idea: &&Idea| self.mark(batch.source, idea).is_none();
        let new = batch.ideas.iter().filter(is_new).count();
        let is_hopeful = shares.expected(batch) >= self.tuning.hopeless_share;
        if batch.together && is_hopeful && batch.ideas.len() > 2 && 2 * new >= batch.ideas.len() {
            Reach::Everything
        } else {
            Reach::Single
        }
    }

    /// Whether what has to stay of a long list is all over it. The gaps are too short for parts of this size then: each
    /// further look at such parts would cost a trial for nearly every one of them.
    pub fn is_scattered(&self, batch: &Batch, rejected: &Subset) -> bool {
        batch.source.nature == Nature::List
            && batch.ideas.len() > self.tuning.batch_ideas
            && self.tuning.scattered_part * rejected.len() >= batch.ideas.len()
    }

    /// Notes that a batch was tried, and which of its ideas were rejected.
    pub fn done(&mut self, batch: &Batch, rejected: &Subset, gain: u64) {
        self.shares.note(batch, gain);
        let mark = Mark {
            generation: self.generation,
            bytes: self.bytes,
        };
        let marks = self.marks.entry(batch.source.name).or_default();
        marks.extend(
            rejected
                .iter()
                .map(|idea| (batch.ideas[idea].key.clone(), mark)),
        );
    }

    /// Notes that the text has changed: what is known about places moves with them.
    pub fn moved(&mut self, edit: &Edit, bytes: usize) {
        self.generation += 1;
        self.bytes = bytes;
        let moves = edit.moves();
        for marks in self.marks.values_mut() {
            let moved = std::mem::take(marks).into_iter().filter_map(|(key, mark)| {
                let key = match key {
                    Key::Words(_) => key,
                    Key::Place { start, end, what } => {
                        Key::place(moves.range(start as usize..end as usize)?, what)
                    }
                };
                Some((key, mark))
            });
            *marks = moved.collect();
        }
    }
}

impl Shares {
    /// How much of what could go is expected to go.
    fn expected(&self, batch: &Batch) -> f64 {
        let of_kind = self.shares.get(&(batch.source.name, batch.kind));
        let of_source = self.shares.get(&(batch.source.name, ANY));
        let of_source = of_source.filter(|_| !batch.likely);
        let known = of_kind.or(of_source).copied();
        known.unwrap_or(if batch.likely {
            self.tuning.likely_share
        } else {
            self.tuning.expected_share
        })
    }

    /// Notes how many bytes a batch gained.
    fn note(&mut self, batch: &Batch, gain: u64) {
        let possible: u64 = batch.ideas.iter().map(|idea| idea.gain.max(1)).sum();
        let share = (gain as f64 / possible as f64).min(1.0);
        for kind in [batch.kind, ANY] {
            let known = self
                .shares
                .entry((batch.source.name, kind))
                .or_insert(self.tuning.expected_share);
            *known += self.tuning.last_share * (share - *known);
            *known = known.max(LEAST_SHARE);
        }
    }
}
