//! The default reduction: many sources of ideas, one engine that tries what has paid best so far.
//!
//! An idea is a few changes of the text. Ideas come in batches, and a batch is gone through by [`sweep`]: all at once
//! where that looks likely, then by halves, then one by one. What works together is accepted together. An idea is tried
//! again only when the text has become smaller since, and the search ends when every idea was refused on the very text
//! that is the answer.

mod batch;
mod cosmetics;
mod inlines;
mod items;
mod key;
mod layers;
mod lengths;
mod names;
mod parts;
mod replacements;
mod return_value;
mod schedule;
mod stage;
mod type_wrapper;

use std::sync::Arc;

use yester_core::{Lab, Phase, Stop, Subset, sweep};

use self::batch::{Batch, Source, View, Ways};
use self::schedule::Schedule;
use self::stage::Stage;
use crate::document::{Document, Proposal, Wrap};
use crate::size::Size;
use crate::{Change, Edit, Grammar};

/// What the engine needs to know besides the text.
pub struct Auto<'a> {
    /// The language of the text.
    pub grammar: Arc<dyn Grammar>,
    /// Whether a candidate with new syntax errors is not even tried.
    pub valid: bool,
    /// Makes candidates of texts.
    pub wrap: Wrap<'a>,
    /// A text of so few bytes is small enough.
    pub enough: usize,
}

/// A smaller text, and how it came about.
type Smaller = (Edit, Arc<[u8]>);

impl Auto<'_> {
    /// The smallest text that the ideas lead to and that still fails: none of them makes it smaller.
    pub fn reduce(&self, lab: &mut dyn Lab, text: Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
        let mut document = Document::new(text, Arc::clone(&self.grammar));
        let mut schedule = Schedule::new(document.text.len());
        let mut ways = Ways::new();
        let mut stage = Stage::first(document.text.len());
        while document.text.len() > self.enough {
            let mut view = View {
                document: &document,
                valid: self.valid,
                detail: stage.detail,
                ways: &mut ways,
            };
            let sources = Source::ALL.into_iter();
            let proposed = sources
                .filter(|source| source.phase() == stage.phase())
                .flat_map(|source| source.propose(&mut view))
                .collect();
            let mut batches = schedule.sift(proposed, stage.also_old);
            let mut smaller = None;
            while smaller.is_none()
                && let Some(next) = schedule.next(&batches)
            {
                let batch = batches.swap_remove(next);
                lab.enter(Phase {
                    what: batch.source.name(),
                    deltas: batch.ideas.len()
                        + batches.iter().map(|batch| batch.ideas.len()).sum::<usize>(),
                });
                let (refused, found) = self.follow(lab, &document, &batch, &schedule)?;
                if found.is_none() && refused.len() < batch.ideas.len() {
                    // Some ideas work without making the text smaller. The others were rejected together with those,
                    // so they have to be tried without them.
                    let useless = Subset::full(batch.ideas.len()).difference(&refused);
                    schedule.done(&batch, &useless, 0);
                    batches.extend(schedule.sift(vec![batch], stage.also_old));
                    continue;
                }
                let left = found
                    .as_ref()
                    .map_or(document.text.len(), |(_, text)| text.len());
                let gain = document.text.len().saturating_sub(left);
                schedule.done(&batch, &refused, gain as u64);
                smaller = found;
            }
            match smaller {
                Some((edit, text)) => {
                    document = Document::new(text, Arc::clone(&self.grammar));
                    schedule.moved(&edit, document.text.len());
                    stage.success(document.text.len());
                }
                None if stage.next(document.text.len()) => {}
                None => break,
            }
        }
        Ok(document.text)
    }

    /// Follows as many ideas of a batch as possible. Gives those that were refused, and what came of the others.
    fn follow(
        &self,
        lab: &mut dyn Lab,
        document: &Document,
        batch: &Batch,
        schedule: &Schedule,
    ) -> Result<(Subset, Option<Smaller>), Stop> {
        let ideas: Vec<&[Change]> = batch.ideas.iter().map(|idea| &idea.changes[..]).collect();
        let proposal = Proposal {
            document,
            ideas: &ideas,
            needs: &batch.needs,
            valid: self.valid,
            wrap: self.wrap,
        };
        let all = Subset::full(ideas.len());
        let reach = schedule.reach(batch);
        let weight = |idea: usize| batch.ideas[idea].gain;
        let kept = sweep(&mut *lab.tester(&proposal), &all, weight, reach)?;
        if kept == all {
            return Ok((kept, None));
        }
        let edit = proposal.edit(&kept);
        let text: Arc<[u8]> = edit.apply(&document.text).into();
        let is_smaller = Size::of(&text) < Size::of(&document.text);
        Ok((kept, is_smaller.then_some((edit, text))))
    }
}
