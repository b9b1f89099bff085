//! The end of a text: what the user wrote, after the headers.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use yester_core::{Lab, Reach, Stop};

use super::Core;
use super::choice::choose;
use super::rest::Rest;
use crate::entity::{Idea, Sort, Want};
use yester_tree::{Auto, Replacement, tokens};

/// The user's own declarations are expected in so many bytes at the end.
pub(super) const TAIL_BYTES: usize = 1 << 13;

/// A simpler tail is tried if one byte of so many is not needed any more.
const LEVERAGE: usize = 50;

/// How many simpler tails are weighed, and how many of them are tried.
const WEIGHED: usize = 64;
const TRIED: usize = 12;

impl Core<'_> {
    /// Removes what can go of the last declarations: these are the user's, and most of the others are needed by them only.
    pub fn reduce_tail(&mut self, lab: &mut dyn Lab) -> Result<(), Stop> {
        let parts = self.listing.entities.tail(&self.want);
        let ideas = parts.into_iter().map(|(part, bytes)| Idea {
            parts: vec![part],
            bytes,
            sort: Sort::Unmentioned,
        });
        let ideas: Vec<Idea> = ideas.collect();
        let rest = Rest {
            core: self,
            ideas: &ideas,
        };
        let kept = rest.sweep(lab, "removing statements at the end", Reach::Everything)?;
        let gone = ideas
            .into_iter()
            .enumerate()
            .filter(|(idea, _)| !kept.contains(*idea));
        self.want
            .unwanted
            .extend(gone.flat_map(|(_, idea)| idea.parts));
        Ok(())
    }

    /// Makes the last declarations simpler where that makes much unneeded: a parameter less, another type.
    pub fn simplify_tail(&mut self, lab: &mut dyn Lab, engine: &Auto<'_>) -> Result<(), Stop> {
        let entities = &self.listing.entities;
        let Some(range) = entities.last(TAIL_BYTES) else {
            return Ok(());
        };
        let edit = entities.edit(&entities.needed(&self.want), None);
        let with = edit.apply_within(&self.listing.text, range.clone());
        let mut tail = Replacement {
            range,
            with: with.into(),
        };
        let mut refused: HashSet<Arc<[u8]>> = HashSet::new();
        // The tail as it is comes first: as words it may need something else than its items do.
        let mut choices = vec![tail.clone()];
        loop {
            let text = |choice: usize| self.text_of(&self.want_with(&choices[choice]));
            let found = choose(lab, "simplifying the end", choices.len(), &text)?;
            let Some(found) = found else {
                return Ok(());
            };
            refused.extend(choices.drain(..found).map(|choice| choice.with));
            tail = choices.swap_remove(0);
            self.want.tail = Some(tail.clone());
            choices = self.simpler_tails(engine, &tail, &refused);
        }
    }

    fn want_with(&self, tail: &Replacement) -> Want {
        Want {
            tail: Some(tail.clone()),
            ..self.want.clone()
        }
    }

    /// Tails that are a little simpler and need much less, those first that gain most for little.
    fn simpler_tails(
        &self,
        engine: &Auto<'_>,
        tail: &Replacement,
        refused: &HashSet<Arc<[u8]>>,
    ) -> Vec<Replacement> {
        let entities = &self.listing.entities;
        let length = self.length();
        let leverage = entities.leverage(&self.want, &tail.with);
        let mut simpler: Vec<(usize, Arc<[u8]>)> = Vec::new();
        for with in engine.one_step(&tail.with) {
            let gone = missing_words(&tail.with, &with);
            let most = gone.into_iter().filter_map(|word| leverage.get(word)).max();
            if let Some(most) = most
                && with.len() < tail.with.len()
                && most * LEVERAGE >= length
            {
                simpler.push((most / (tail.with.len() - with.len() + 8), with));
            }
        }
        simpler.sort_by_key(|(gain, with)| (Reverse(*gain), with.len()));
        simpler.dedup();
        simpler.truncate(WEIGHED);
        let mut weighed: Vec<(usize, Replacement)> = Vec::new();
        for (_, with) in simpler {
            let changed = tail.with.len() - with.len();
            let range = tail.range.clone();
            let settled = entities.settle(&self.want, &Replacement { range, with });
            let left = entities.bytes(&entities.needed(&self.want_with(&settled)));
            let gain = length.saturating_sub(left);
            if gain * LEVERAGE >= length && !refused.contains(&settled.with) {
                weighed.push((gain / (changed + 8), settled));
            }
        }
        weighed.sort_by_key(|(gain, tail)| (Reverse(*gain), tail.with.len()));
        weighed.truncate(TRIED);
        weighed.into_iter().map(|(_, tail)| tail).collect()
    }
}

/// The words that occur more often in one text than in another one.
fn missing_words<'a>(text: &'a [u8], other: &[u8]) -> Vec<&'a [u8]> {
    let mut counts: HashMap<&[u8], isize> = HashMap::new();
    for word in tokens(other) {
        *counts.entry(word).or_default() -= 1;
    }
    let mut missing = Vec::new();
    for word in tokens(text) {
        let count = counts.entry(word).or_default();
        *count += 1;
        if *count > 0 {
            missing.push(word);
        }
    }
    missing
}
