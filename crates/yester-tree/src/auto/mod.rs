//! The default reduction: many sources of ideas, one engine that tries what has paid best so far.
//!
//! An idea is a few changes of the text. Ideas come in batches, and a batch is gone through by [`sweep`]: all at once
//! where that looks likely, then by halves, then one by one. What works together is accepted together. An idea is tried
//! again only when the text has become smaller since, and the search ends when every idea was refused on the very text
//! that is the answer.

mod batch;
mod cosmetics;
mod items;
mod names;
mod parts;
mod replacements;
mod schedule;

use std::sync::Arc;

use yester_core::{Lab, Stop, Subset, sweep};

use self::batch::{Batch, Phase, Source, View, Ways};
use self::schedule::Schedule;
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
}

/// What the engine is about to do.
pub struct Step {
    /// What kind of idea it tries.
    pub what: &'static str,
    /// How many trials it takes from here to the end if nothing works any more.
    pub left: usize,
}

/// Nodes smaller than this share of the text are looked at later.
const COARSE: usize = 100;
/// How much finer the next look is.
const FINER: usize = 4;

/// The phases as long as only big nodes are looked at.
const COARSE_PHASES: [Phase; 2] = [Phase::Cuts, Phase::Shapes];
/// The phases when all nodes are.
const PHASES: [Phase; 4] = [Phase::Cuts, Phase::Shapes, Phase::Details, Phase::Looks];

impl Auto<'_> {
    /// The smallest text that the ideas lead to and that still fails: none of them makes it smaller.
    pub fn reduce(
        &self,
        lab: &mut dyn Lab,
        text: Arc<[u8]>,
        watch: &mut dyn FnMut(&Step),
    ) -> Result<Arc<[u8]>, Stop> {
        let mut document = Document::new(text, Arc::clone(&self.grammar));
        let mut schedule = Schedule::new(document.text.len());
        let mut ways = Ways::new();
        let mut detail = document.text.len() / COARSE;
        let mut phase = Phase::Cuts;
        let mut without_success = 0;
        loop {
            let mut view = View {
                document: &document,
                valid: self.valid,
                detail,
                ways: &mut ways,
            };
            let proposed = Source::ALL
                .into_iter()
                .filter(|source| source.phase() == phase)
                .flat_map(|source| source.propose(&mut view))
                .collect();
            let mut batches = schedule.sift(proposed);
            let mut smaller = None;
            while smaller.is_none()
                && let Some(next) = schedule.next(&batches)
            {
                let batch = batches.swap_remove(next);
                watch(&Step {
                    what: batch.source.name(),
                    left: batches.iter().map(|batch| batch.ideas.len()).sum(),
                });
                smaller = self.follow(lab, &document, &batch, &schedule)?;
                let gain = smaller.as_ref().map_or(0, |(_, text)| {
                    document.text.len().saturating_sub(text.len())
                });
                if std::env::var_os("YDBG").is_some() {
                    eprintln!(
                        "DBG {:?} {} n={} {:?} detail={} hope={} gain={} size={}",
                        batch.source,
                        document.grammar.kind_name(batch.kind),
                        batch.ideas.len(),
                        schedule.reach(&batch),
                        detail,
                        batch.ideas.iter().map(|i| i.gain).sum::<u64>(),
                        gain,
                        document.text.len()
                    );
                }
                schedule.done(&batch, gain as u64);
            }
            if let Some((edit, text)) = smaller {
                document = Document::new(text, Arc::clone(&self.grammar));
                schedule.moved(&edit, document.text.len());
                detail = detail.min(document.text.len() / COARSE);
                without_success = 0;
                continue;
            }
            without_success += 1;
            let phases: &[Phase] = if detail > 0 { &COARSE_PHASES } else { &PHASES };
            if without_success >= phases.len() {
                if detail == 0 {
                    return Ok(document.text);
                }
                detail = (detail / FINER).min(document.text.len() / COARSE);
                without_success = 0;
            }
            let now = phases.iter().position(|one| *one == phase);
            phase = phases[now.map_or(0, |now| (now + 1) % phases.len())];
        }
    }

    /// Follows as many ideas of a batch as possible.
    fn follow(
        &self,
        lab: &mut dyn Lab,
        document: &Document,
        batch: &Batch,
        schedule: &Schedule,
    ) -> Result<Option<(Edit, Arc<[u8]>)>, Stop> {
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
            return Ok(None);
        }
        let edit = proposal.edit(&kept);
        let text: Arc<[u8]> = edit.apply(&document.text).into();
        let is_smaller = Size::of(&text) < Size::of(&document.text);
        Ok(is_smaller.then_some((edit, text)))
    }
}
