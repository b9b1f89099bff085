//! The default reduction: many sources of ideas, and one engine that tries what has gained most so far.
//!
//! An idea is a few changes of the text. Ideas come in batches, and [`sweep`] goes through a batch: all ideas at once where
//! that looks likely, then halves, then one by one. Ideas that work together are accepted together. A rejected idea is
//! tried again only when the text has become smaller since. The search ends when every idea was rejected on the very text
//! that is the answer.

mod batch;
mod call;
mod cosmetic;
mod declaration;
mod everywhere;
mod focus;
mod hoist;
mod indentation;
mod inline;
mod key;
mod length;
mod literal;
mod name;
mod pair;
mod part;
mod phrase;
mod replacement;
mod return_value;
mod schedule;
mod simple;
mod source;
mod tag;
mod tuning;
mod type_bound;
mod type_wrapper;
mod witness;

use std::cell::Cell;
use std::sync::Arc;

use yester_core::{Candidate, Lab, Phase, Reach, Space, Stop, Subset, first_questions, sweep};

use self::batch::{Batch, RemovalModes, View};
use self::focus::Focus;
use self::schedule::Schedule;
pub use self::source::source_names;
use self::source::{Tier, sources};
pub use self::tuning::ReduceTuning;
use self::witness::Witness;
use crate::document::{Document, Proposal, Wrap};
use crate::{Change, Edit, Extent, Front, Grammar};

/// The engine, and what it needs to know besides the text.
pub struct Auto<'a> {
    /// The language of the text.
    pub grammar: Arc<dyn Grammar>,
    /// Whether a candidate with new syntax errors is not even tried.
    pub valid: bool,
    /// Makes candidates of texts.
    pub wrap: Wrap<'a>,
    /// A text of so few bytes is small enough.
    pub enough: usize,
    /// The numbers of the search.
    pub tuning: ReduceTuning,
}

/// How many questions about a batch are foreseen before it is begun.
const FIRST_QUESTIONS: usize = 8;

/// A smaller text, and how it came about.
type Smaller = (Edit, Arc<[u8]>);

impl Auto<'_> {
    /// The smallest text that the ideas lead to and that still fails: none of them makes it smaller.
    pub fn reduce(&self, lab: &mut dyn Lab, text: Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
        let mut document = Document::new(text, Arc::clone(&self.grammar));
        let mut front = Front::new(Extent::of(&document.text), Arc::clone(&document.text));
        let mut schedule = Schedule::new(document.text.len(), self.tuning);
        let mut removal_modes = RemovalModes::default();
        let mut focus = Focus::first(document.text.len(), self.tuning);
        while document.text.len() > self.enough {
            let proposed = self.ideas(&document, focus.tier(), focus.detail, &mut removal_modes);
            let mut batches = schedule.sift(proposed, focus.also_old);
            let mut smaller = None;
            let mut is_scattered = false;
            while smaller.is_none()
                && let Some(next) = schedule.next(&batches)
            {
                let batch = batches.swap_remove(next);
                lab.enter(Phase {
                    what: batch.source.what,
                    deltas: batch.ideas.len()
                        + batches.iter().map(|batch| batch.ideas.len()).sum::<usize>(),
                });
                let (rejected, found) =
                    self.follow(lab, &document, &batch, &batches, &schedule, &mut front)?;
                if found.is_none() && rejected.len() < batch.ideas.len() {
                    // Some ideas work without making the text smaller. The others were rejected together with those,
                    // so they have to be tried without them.
                    let useless = Subset::full(batch.ideas.len()).difference(&rejected);
                    schedule.done(&batch, &useless, 0);
                    batches.extend(schedule.sift(vec![batch], focus.also_old));
                    continue;
                }
                let left = found
                    .as_ref()
                    .map_or(document.text.len(), |(_, text)| text.len());
                let gain = document.text.len().saturating_sub(left);
                schedule.done(&batch, &rejected, gain as u64);
                is_scattered = schedule.is_scattered(&batch, &rejected);
                smaller = found;
            }
            match smaller {
                Some((edit, text)) => {
                    document = Document::new(text, Arc::clone(&self.grammar));
                    removal_modes.forget_nodes();
                    schedule.moved(&edit, document.text.len());
                    focus.success(document.text.len(), is_scattered);
                }
                None if focus.next(document.text.len()) => {}
                None => break,
            }
        }
        Ok(document.text)
    }

    /// The texts that one idea each makes of a text, those that remove something first.
    pub fn one_step(&self, text: &Arc<[u8]>) -> Vec<Arc<[u8]>> {
        let document = Document::new(Arc::clone(text), Arc::clone(&self.grammar));
        let mut texts = Vec::new();
        let mut removal_modes = RemovalModes::default();
        for tier in [Tier::Removals, Tier::Replacements] {
            for batch in self.ideas(&document, tier, 0, &mut removal_modes) {
                let ideas = batch.changes();
                let proposal = self.proposal(&document, &batch, &ideas);
                let all = Subset::full(ideas.len());
                for idea in 0..ideas.len() {
                    let edit =
                        proposal.edit(&all.difference(&Subset::empty(ideas.len()).with(&[idea])));
                    let after = if self.valid {
                        document.sound(&edit)
                    } else {
                        Some(edit.apply_shared(text))
                    };
                    texts.extend(after);
                }
            }
        }
        texts
    }

    /// What the sources of a tier propose for nodes of at least so many bytes.
    fn ideas(
        &self,
        document: &Document,
        tier: Tier,
        detail: usize,
        removal_modes: &mut RemovalModes,
    ) -> Vec<Batch> {
        let sources = sources(tier, self.grammar.is_strict());
        let sources = sources.filter(|source| self.tuning.without != Some(source.name));
        let ideas = sources.flat_map(|source| {
            (source.propose)(&mut View {
                source,
                document,
                valid: self.valid,
                detail,
                removal_modes,
                tuning: &self.tuning,
            })
        });
        ideas.collect()
    }

    /// Accepts as many ideas of a batch as possible. Gives those that were rejected, and what came of the others. The
    /// `others` come next if all are rejected.
    fn follow(
        &self,
        lab: &mut dyn Lab,
        document: &Document,
        batch: &Batch,
        others: &[Batch],
        schedule: &Schedule,
        front: &mut Front<Arc<[u8]>>,
    ) -> Result<(Subset, Option<Smaller>), Stop> {
        let ideas = batch.changes();
        let proposal = self.proposal(document, batch, &ideas);
        let all = Subset::full(ideas.len());
        let reach = schedule.reach(batch);
        let weight = |idea: usize| batch.ideas[idea].gain;
        let works = Cell::new(false);
        let mut next = schedule
            .after(batch, others)
            .flat_map(|batch| self.first_candidates(document, batch, schedule.reach(batch)))
            .take_while(|_| !works.get());
        let mut witness = Witness {
            tester: &mut *lab.tester_before(&proposal, &mut next),
            tell: |kept: &Subset| {
                works.set(true);
                let text = proposal.edit(kept).apply_shared(&document.text);
                front.add(Extent::of(&text), text);
            },
        };
        let kept = sweep(&mut witness, &all, weight, reach)?;
        let best = Arc::clone(front.best());
        let smaller = (best != document.text).then(|| {
            let edit = proposal.edit(&kept);
            // Of many ideas that work, some may make the text larger.
            if edit.makes(&document.text, &best) {
                (edit, best)
            } else {
                (Edit::between(&document.text, &best), best)
            }
        });
        Ok((kept, smaller))
    }

    fn proposal<'a>(
        &'a self,
        document: &'a Document,
        batch: &'a Batch,
        ideas: &'a [&'a [Change]],
    ) -> Proposal<'a> {
        Proposal {
            document,
            ideas,
            needs: &batch.needs,
            valid: self.valid,
            wrap: self.wrap,
        }
    }

    /// What is asked first when a batch comes.
    fn first_candidates(
        &self,
        document: &Document,
        batch: &Batch,
        reach: Reach,
    ) -> impl Iterator<Item = Candidate> {
        let all = Subset::full(batch.ideas.len());
        let weight = |idea: usize| batch.ideas[idea].gain;
        let questions = first_questions(&all, weight, reach, FIRST_QUESTIONS);
        questions.into_iter().filter_map(move |kept| {
            let ideas = batch.changes();
            self.proposal(document, batch, &ideas).render(&kept).ok()
        })
    }
}
