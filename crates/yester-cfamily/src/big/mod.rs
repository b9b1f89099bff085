//! Texts of megabytes: most of such a text is declarations that the failing part does not need.

mod body;
mod choice;
mod marker;
mod rest;
mod suspect;
mod tail;

use std::collections::HashMap;
use std::sync::Arc;

use yester_core::{Candidate, Lab, Stop};

use self::choice::choose;
use self::suspect::Suspects;
use crate::entity::{Entities, Needed, Part, Sort, Want};
use yester_tree::{Auto, Grammar, ReduceTuning, Replacement};

/// The languages whose declarations are read, by the names of their grammars.
const LANGUAGES: [&str; 2] = ["c", "cpp"];

/// A text that is not longer is left to the engine.
const BIG: usize = 1 << 18;

/// So is what is left of a longer one once it is not longer than this.
const SMALL: usize = 1 << 15;

/// Reduces a big text by its declarations, until the rest is small or nothing goes any more. A small text and one in another
/// language stay as they are.
///
/// What something needs stands before it. So what comes behind the failing declaration goes first. That declaration is the
/// root: all goes that neither it nor anything it needs mentions. If the root needs more than its words tell, that is
/// searched for. Then statements, bodies and declarations go that are needed by their words but not missed, those first with
/// which most goes: every candidate has only what the rest needs.
pub fn reduce_declarations(
    lab: &mut dyn Lab,
    mut text: Arc<[u8]>,
    grammar: &Arc<dyn Grammar>,
    valid: bool,
    tuning: ReduceTuning,
) -> Result<Arc<[u8]>, Stop> {
    if text.len() <= BIG || !LANGUAGES.contains(&grammar.name()) {
        return Ok(text);
    }
    let engine = Auto {
        grammar: Arc::clone(grammar),
        valid,
        wrap: &Candidate::File,
        enough: 0,
        tuning,
    };
    let suspects = Suspects::new(lab.messages(), &text);
    text = marker::without_markers(lab, text)?;
    while text.len() > SMALL {
        let before = text.len();
        let Some(whole) = Listing::new(&text) else {
            break;
        };
        text = without_rest(lab, &whole)?;
        drop(whole);
        let Some(listing) = Listing::new(&text) else {
            break;
        };
        let mut core = Core::new(&listing, &suspects);
        if core.choose_bodies(lab)? {
            core.narrow_bodies(lab)?;
            core.reduce_tail(lab)?;
        } else {
            core.want.everything = true;
            core.reduce_tail(lab)?;
            if !core.choose_bodies(lab)? && !core.find_missing(lab)? {
                text = core.text();
                break;
            }
        }
        core.simplify_tail(lab, &engine)?;
        core.narrow_bodies(lab)?;
        core.remove_unmissed(lab)?;
        text = core.text();
        if text.len() > before - before / 10 {
            break;
        }
    }
    Ok(text)
}

/// A text and its declarations.
struct Listing {
    text: Arc<[u8]>,
    entities: Entities,
    /// The declarations that stand in no class.
    outer: Vec<usize>,
}

impl Listing {
    /// Nothing of a text without any.
    fn new(text: &Arc<[u8]>) -> Option<Listing> {
        let entities = Entities::new(text);
        let outer = entities.outer();
        (!outer.is_empty()).then(|| Listing {
            text: Arc::clone(text),
            entities,
            outer,
        })
    }

    fn with(&self, needed: &Needed, tail: Option<&Replacement>) -> Arc<[u8]> {
        self.entities.edit(needed, tail).apply(&self.text).into()
    }
}

/// How much farther from the end each step goes that looks for the failing declaration.
const STRIDE: usize = 16;

/// The shortest beginning of a text that fails, up to a declaration. Mostly that is all of it or nearly so: steps go from the
/// end on and become longer, then the last one is bisected.
fn without_rest(lab: &mut dyn Lab, listing: &Listing) -> Result<Arc<[u8]>, Stop> {
    let (mut passing, mut failing) = (0, listing.outer.len());
    let mut shortest = Arc::clone(&listing.text);
    let mut step = 1;
    while passing + 1 < failing {
        let next = match passing {
            0 => failing.saturating_sub(step).max(1),
            _ => passing.midpoint(failing),
        };
        step *= STRIDE;
        let end = listing.entities.range(listing.outer[next - 1]).end;
        let upto = listing.with(&Needed::up_to(&listing.entities, end), None);
        match choose(lab, "removing the end", 1, &|_| Arc::clone(&upto))? {
            Some(_) => (failing, shortest) = (next, upto),
            None => passing = next,
        }
    }
    Ok(shortest)
}

/// The root of a text and what it needs: a text that fails.
struct Core<'a> {
    listing: &'a Listing,
    want: Want,
    /// How many ideas of each sort were tried, and how many of them were good.
    tries: HashMap<Sort, (u64, u64)>,
    /// How long the text was when a part was refused.
    refused: HashMap<Part, usize>,
}

impl<'a> Core<'a> {
    fn new(listing: &'a Listing, suspects: &Suspects) -> Core<'a> {
        let places = suspects.places(&listing.text);
        Core {
            listing,
            want: Want {
                items: vec![*listing.outer.last().expect("there are some")],
                everything: false,
                whole_from: listing.text.len().saturating_sub(tail::TAIL_BYTES),
                bodies: body::ALL,
                suspects: Arc::new(listing.entities.bodies_at(&places)),
                unwanted: Vec::new(),
                tail: None,
            },
            tries: HashMap::from([
                (Sort::Space, (4, 2)),
                (Sort::Unmentioned, (4, 2)),
                (Sort::Member, (4, 2)),
                (Sort::Mentioned, (4, 1)),
            ]),
            refused: HashMap::new(),
        }
    }

    fn text(&self) -> Arc<[u8]> {
        self.text_of(&self.want)
    }

    fn text_of(&self, want: &Want) -> Arc<[u8]> {
        let needed = self.listing.entities.needed(want);
        self.listing.with(&needed, want.tail.as_ref())
    }

    fn length(&self) -> usize {
        let entities = &self.listing.entities;
        entities.bytes(&entities.needed(&self.want))
    }
}
