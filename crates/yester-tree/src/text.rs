//! The default reduction of one text, from beginning to end.

use std::sync::Arc;

use yester_core::{Candidate, Lab, Phase, Space, Stop, Subset, minimise};

use crate::{Auto, Flat, Grammar, ReduceTuning, Structure, Unit};

/// A bigger text is cut along its brackets and lines first: its syntax tree would take sixty times its size.
pub const BIGGEST_TREE: usize = 1 << 20;

/// A text that cannot be reduced any further.
pub struct ReducedText {
    /// The text.
    pub text: Arc<[u8]>,
    /// Whether it is known that no single byte can be removed.
    pub is_one_minimal: bool,
}

/// Reduces a text with the engine. Where candidates need not be valid, single bytes come last.
pub fn reduce_text(
    lab: &mut dyn Lab,
    mut text: Arc<[u8]>,
    mut grammar: Arc<dyn Grammar>,
    valid: bool,
    tuning: ReduceTuning,
) -> Result<ReducedText, Stop> {
    let engine = |grammar: &Arc<dyn Grammar>, valid, enough| Auto {
        grammar: Arc::clone(grammar),
        valid,
        wrap: &Candidate::File,
        enough,
        tuning,
    };
    let by_ideas = |text| ReducedText {
        text,
        is_one_minimal: false,
    };
    if text.len() > BIGGEST_TREE && grammar.is_strict() {
        let coarse: Arc<dyn Grammar> = Arc::new(Structure::of(&text));
        text = engine(&coarse, false, BIGGEST_TREE).reduce(lab, text)?;
        if text.len() > BIGGEST_TREE {
            return Ok(by_ideas(text));
        }
    }
    // What was cut without a look at its language may be too much for the parser.
    if valid && grammar.refusal(&text).is_none() {
        return engine(&grammar, true, 0).reduce(lab, text).map(by_ideas);
    }
    loop {
        if grammar.refusal(&text).is_some() {
            grammar = Arc::new(Structure::of(&text));
        }
        text = engine(&grammar, false, 0).reduce(lab, text)?;
        lab.enter(Phase {
            what: "removing bytes",
            deltas: text.len(),
        });
        let space = Flat::new(Arc::clone(&text), Unit::Byte);
        let all = Subset::full(space.len());
        let kept = minimise(&mut *lab.tester(&space), &all, |byte| space.weight(byte))?;
        if kept == all {
            return Ok(ReducedText {
                text,
                is_one_minimal: true,
            });
        }
        text = space.text(&kept);
    }
}
