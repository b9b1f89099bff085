//! Texts of megabytes: most of such a text is declarations that the failing part does not need.

use std::sync::Arc;

use yester_core::{Candidate, Infeasible, Lab, Outcome, Phase, Space, Stop, Subset};

use crate::entity::Bodies;
use crate::{Auto, Depth, Entities, Grammar, ReduceTuning};

/// How long the end of a text is that is reduced first, and how much longer the next one.
const FIRST_END: usize = 1 << 9;
const LONGER: usize = 8;

/// A text that is not longer is left to the engine.
pub(crate) const BIG: usize = 1 << 18;

/// So is what is left of a longer one once it is not longer than this.
const SMALL: usize = 1 << 16;

/// Reduces the end of a text, and leaves out of what is before it all that the end does not need.
///
/// What something needs stands before it. So first all goes that is behind what fails. Then the engine reduces a short end, and every candidate has of the rest only what that end mentions, with
/// what that needs. Where a statement goes, all goes in the same trial that only the statement needed. Then the same is
/// done with a longer end.
pub(crate) fn reduce_end(
    lab: &mut dyn Lab,
    mut text: Arc<[u8]>,
    grammar: &Arc<dyn Grammar>,
    valid: bool,
    tuning: ReduceTuning,
) -> Result<Arc<[u8]>, Stop> {
    let mut length = FIRST_END;
    while text.len() > SMALL && length < text.len() / 2 {
        let Some(starts) = starts(&**grammar, &text) else {
            break;
        };
        let shorter = without_rest(lab, &text, &starts)?;
        if shorter.len() < text.len() {
            text = shorter;
            length = FIRST_END;
        }
        let starts: Vec<usize> = starts
            .into_iter()
            .filter(|start| *start < text.len())
            .collect();
        let Some(end) = failing_end(lab, &text, grammar, &starts, length)? else {
            break;
        };
        let whole = |tail: Arc<[u8]>| Candidate::File(end.with(&tail).into());
        let auto = Auto {
            grammar: Arc::clone(grammar),
            valid,
            wrap: &whole,
            enough: 0,
            depth: Depth::Statements,
            tuning,
        };
        let tail = auto.reduce(lab, Arc::clone(&end.tail))?;
        text = end.with(&tail).into();
        length = LONGER * length.max(tail.len());
    }
    Ok(text)
}

/// Where the outermost declarations of a text start.
fn starts(grammar: &dyn Grammar, text: &[u8]) -> Option<Vec<usize>> {
    let entities = grammar.entities(text)?;
    Some(entities.starts().collect())
}

/// The end of a text, and the declarations before it.
struct End {
    head: Arc<[u8]>,
    entities: Entities,
    bodies: Bodies,
    tail: Arc<[u8]>,
}

impl End {
    /// What a tail needs, and the tail.
    fn with(&self, tail: &[u8]) -> Vec<u8> {
        let needed = self.entities.needed_by(tail, self.bodies);
        let mut text = self.entities.edit(&needed).apply(&self.head);
        text.extend_from_slice(tail);
        text
    }
}

/// The shortest end of at least this length that fails with what it needs: without most bodies, or with them.
fn failing_end(
    lab: &mut dyn Lab,
    text: &Arc<[u8]>,
    grammar: &Arc<dyn Grammar>,
    starts: &[usize],
    mut length: usize,
) -> Result<Option<End>, Stop> {
    while length < text.len() / 2 {
        let is_long = |start: &&usize| text.len() - **start >= length;
        let Some(start) = starts.iter().rev().find(is_long) else {
            break;
        };
        let (head, tail) = text.split_at(*start);
        let Some(entities) = grammar.entities(head) else {
            break;
        };
        let mut end = End {
            head: head.into(),
            entities,
            bodies: Bodies::Few,
            tail: tail.into(),
        };
        let texts = [Bodies::Few, Bodies::All].map(|bodies| {
            end.bodies = bodies;
            end.with(tail).into()
        });
        let found = choose(lab, "keeping what the end needs", texts.into())?;
        if let Some(choice) = found {
            end.bodies = [Bodies::Few, Bodies::All][choice];
            return Ok(Some(end));
        }
        length = LONGER * tail.len();
    }
    Ok(None)
}

/// The shortest beginning of a text that fails, up to a declaration. Mostly that is all of it.
fn without_rest(lab: &mut dyn Lab, text: &Arc<[u8]>, starts: &[usize]) -> Result<Arc<[u8]>, Stop> {
    let (mut passing, mut failing) = (0, starts.len());
    let upto = |start: usize| -> Arc<[u8]> {
        let end = starts.get(start).copied().unwrap_or(text.len());
        text[..end].into()
    };
    let mut next = failing.saturating_sub(1);
    while passing < next && next < failing {
        match choose(lab, "removing the end", vec![upto(next)])? {
            Some(_) => failing = next,
            None => passing = next,
        }
        next = passing.midpoint(failing);
    }
    Ok(upto(failing))
}

/// The first of some texts that fails.
fn choose(
    lab: &mut dyn Lab,
    what: &'static str,
    texts: Vec<Arc<[u8]>>,
) -> Result<Option<usize>, Stop> {
    lab.enter(Phase {
        what,
        deltas: texts.len(),
    });
    let choices = Choices(texts);
    let all = 0..choices.len();
    let mut subsets = all.map(|choice| Subset::empty(choices.len()).with(&[choice]));
    lab.tester(&choices).first(&mut subsets, Outcome::Fail)
}

/// Texts of which one is to be chosen: a subset of one delta is the text of that number.
struct Choices(Vec<Arc<[u8]>>);

impl Space for Choices {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn label(&self, delta: usize) -> String {
        format!("choice {}", delta + 1)
    }

    fn weight(&self, delta: usize) -> u64 {
        self.0[delta].len() as u64
    }

    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible> {
        let mut chosen = subset.iter();
        match (chosen.next(), chosen.next()) {
            (Some(choice), None) => Ok(Candidate::File(Arc::clone(&self.0[choice]))),
            _ => Err(Infeasible {
                reason: "one text is chosen at a time".to_owned(),
            }),
        }
    }
}
