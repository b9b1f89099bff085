//! Texts of megabytes: most of such a text is declarations that the failing part does not need.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use yester_core::{Candidate, Infeasible, Lab, Outcome, Phase, Reach, Space, Stop, Subset, sweep};

use crate::document::Wrap;
use crate::entity::{Bodies, Needed, Part, Want};
use crate::{Auto, Depth, Entities, Grammar, ReduceTuning, Replacement};

/// A text that is not longer is left to the engine.
pub(crate) const BIG: usize = 1 << 18;

/// So is what is left of a longer one once it is not longer than this.
const SMALL: usize = 1 << 13;

/// How long the root is at least: a few declarations at the end tell more than one.
const ROOT_BYTES: usize = 1 << 9;

/// Of how many parts it is found out what goes with each, and for how many declarations in all. How many of these parts are
/// tried then.
const WEIGHED: usize = 1000;
const WEIGHED_ITEMS: usize = 20_000_000;
const TRIED: usize = 16;

/// A part is not tried by itself unless one of so many bytes goes with it.
const WORTHWHILE: usize = 200;

/// Reduces a big text by its declarations, until the rest is small or nothing goes any more.
///
/// What something needs stands before it. So what comes behind the failing declaration goes first. The last few
/// declarations that are left are the root: all goes that neither they nor anything they need mentions. If the root needs
/// more than its words tell, that is searched for. Then the engine reduces the root, and every candidate has only what the
/// rest of the root needs: where a statement goes, all goes in the same trial that only this statement needed. In the same
/// way declarations go that are mentioned but not missed, those first with which most goes.
pub(crate) fn reduce_declarations(
    lab: &mut dyn Lab,
    mut text: Arc<[u8]>,
    grammar: &Arc<dyn Grammar>,
    valid: bool,
    tuning: ReduceTuning,
) -> Result<Arc<[u8]>, Stop> {
    let engine = |lab: &mut dyn Lab, wrap: Wrap<'_>, text| {
        let auto = Auto {
            grammar: Arc::clone(grammar),
            valid,
            wrap,
            enough: 0,
            depth: Depth::Statements,
            tuning,
        };
        auto.reduce(lab, text)
    };
    while text.len() > SMALL {
        let before = text.len();
        let Some(listing) = Listing::new(grammar, &text) else {
            break;
        };
        text = without_rest(lab, &listing)?;
        let Some(listing) = Listing::new(grammar, &text) else {
            break;
        };
        let mut core = Core::new(&listing);
        if !core.choose_bodies(lab)? {
            core.is_all_needed = true;
            core.reduce_root(lab, &engine)?;
            core.is_all_needed = false;
            if !core.choose_bodies(lab)? && !core.find_missing(lab)? {
                break;
            }
        }
        core.reduce_root(lab, &engine)?;
        core.remove_unmissed(lab)?;
        text = core.text();
        if text.len() > before - before / 10 {
            break;
        }
    }
    Ok(text)
}

/// Reduces a text that is a part of every candidate.
type Engine<'a> = dyn Fn(&mut dyn Lab, Wrap<'_>, Arc<[u8]>) -> Result<Arc<[u8]>, Stop> + 'a;

/// A text and its declarations.
struct Listing {
    text: Arc<[u8]>,
    entities: Entities,
    /// The declarations that stand in no class.
    outer: Vec<usize>,
}

impl Listing {
    /// Nothing in a language whose declarations cannot be told, and of a text without any.
    fn new(grammar: &Arc<dyn Grammar>, text: &Arc<[u8]>) -> Option<Listing> {
        let entities = grammar.entities(text)?;
        let outer = entities.outer();
        (!outer.is_empty()).then(|| Listing {
            text: Arc::clone(text),
            entities,
            outer,
        })
    }

    /// The last few declarations that stand side by side.
    fn root(&self) -> Range<usize> {
        let last = *self.outer.last().expect("there are some");
        let end = self.entities.range(last).end;
        let neighbours = self.outer.iter().rev();
        let neighbours = neighbours
            .take_while(|item| self.entities.parent(**item) == self.entities.parent(last));
        let starts = neighbours.map(|item| self.entities.range(*item).start);
        let mut start = end;
        for earlier in starts {
            if end - start >= ROOT_BYTES {
                break;
            }
            start = earlier;
        }
        start..end
    }

    /// What is needed of the text, with something in the place of the root.
    fn with(&self, root: &Replacement, needed: &Needed) -> Arc<[u8]> {
        self.entities
            .edit(needed, Some(root))
            .apply(&self.text)
            .into()
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
        let stays = listing.entities.up_to(end);
        let upto = listing.entities.edit(&stays, None).apply(&listing.text);
        let upto: Arc<[u8]> = upto.into();
        match choose(lab, "removing the end", vec![Arc::clone(&upto)])? {
            Some(_) => (failing, shortest) = (next, upto),
            None => passing = next,
        }
    }
    Ok(shortest)
}

/// The root of a text and what it needs: a text that fails.
struct Core<'a> {
    listing: &'a Listing,
    /// The root as it is now, and where it was.
    root: Replacement,
    /// Whether all that is before the root stays.
    is_all_needed: bool,
    bodies: Bodies,
    /// What the root needs though its words do not tell.
    missing: Vec<usize>,
    /// What it does not need though its words tell.
    unmissed: Vec<Part>,
}

impl<'a> Core<'a> {
    fn new(listing: &'a Listing) -> Core<'a> {
        let range = listing.root();
        Core {
            listing,
            root: Replacement {
                with: listing.text[range.clone()].into(),
                range,
            },
            is_all_needed: false,
            bodies: Bodies::All,
            missing: Vec::new(),
            unmissed: Vec::new(),
        }
    }

    /// Searches for what the root needs though its words do not tell. False if that is the whole text.
    fn find_missing(&mut self, lab: &mut dyn Lab) -> Result<bool, Stop> {
        let entities = &self.listing.entities;
        let is_other = |item: &&usize| entities.range(**item).start < self.root.range.start;
        let others: Vec<usize> = (self.listing.outer.iter().filter(is_other))
            .copied()
            .collect();
        let weight = |item: &usize| entities.range(*item).len() as u64;
        let rest = Rest {
            core: self,
            weights: others.iter().map(weight).collect(),
            adjust: &|want, kept| want.items.extend(kept.iter().map(|part| others[part])),
        };
        let kept = rest.sweep(lab, "searching for what else is needed", Reach::Everything)?;
        self.missing = kept.iter().map(|part| others[part]).collect();
        self.choose_bodies(lab)?;
        Ok(self.missing.len() < others.len())
    }

    /// Whether it fails without most bodies, with those of what is near the root, or with all. Takes the fewest.
    fn choose_bodies(&mut self, lab: &mut dyn Lab) -> Result<bool, Stop> {
        let choices = [0, 1, 4].map(Bodies::Near).into_iter();
        let choices: Vec<Bodies> = choices.chain([Bodies::All]).collect();
        let texts = choices.iter().map(|bodies| {
            self.bodies = *bodies;
            self.text()
        });
        let texts = texts.collect();
        let found = choose(lab, "keeping what the end needs", texts)?;
        self.bodies = found.map_or(Bodies::All, |choice| choices[choice]);
        Ok(found.is_some())
    }

    fn want<'b>(&self, root: &'b [u8]) -> Want<'b> {
        Want {
            words: root,
            items: self.missing.clone(),
            bodies: self.bodies,
            unwanted: self.unmissed.clone(),
        }
    }

    fn text(&self) -> Arc<[u8]> {
        self.text_with(Arc::clone(&self.root.with))
    }

    /// The text with something else in the place of the root, and only what that needs.
    fn text_with(&self, root: Arc<[u8]>) -> Arc<[u8]> {
        let entities = &self.listing.entities;
        let needed = match self.is_all_needed {
            true => entities.all(),
            false => entities.needed(&self.want(&root)),
        };
        let root = Replacement {
            range: self.root.range.clone(),
            with: root,
        };
        self.listing.with(&root, &needed)
    }

    /// Reduces the root, by statements rather than by expressions.
    fn reduce_root(&mut self, lab: &mut dyn Lab, engine: &Engine<'_>) -> Result<(), Stop> {
        let whole = |root: Arc<[u8]>| Candidate::File(self.text_with(root));
        self.root.with = engine(lab, &whole, Arc::clone(&self.root.with))?;
        Ok(())
    }

    /// Removes declarations and bodies that are mentioned but not missed: what has the same name as something else, or is
    /// mentioned where it does not matter. Begins with those that take most with them.
    fn remove_unmissed(&mut self, lab: &mut dyn Lab) -> Result<(), Stop> {
        let mut refused: Vec<Part> = Vec::new();
        loop {
            let parts = self.worthwhile(&refused);
            if parts.is_empty() {
                return Ok(());
            }
            let rest = Rest {
                core: self,
                weights: parts.iter().map(|(_, bytes)| *bytes as u64).collect(),
                adjust: &|want, kept| {
                    let gone = (0..parts.len()).filter(|part| !kept.contains(*part));
                    want.unwanted.extend(gone.map(|part| parts[part].0));
                },
            };
            let kept = rest.sweep(lab, "removing declarations", Reach::Single)?;
            for (number, (part, _)) in parts.iter().enumerate() {
                match kept.contains(number) {
                    true => refused.push(*part),
                    false => self.unmissed.push(*part),
                }
            }
        }
    }

    /// The next parts to be tried, and how many bytes go with each. The last one has most.
    fn worthwhile(&self, refused: &[Part]) -> Vec<(Part, usize)> {
        let entities = &self.listing.entities;
        let mut want = self.want(&self.root.with);
        let needed = entities.needed(&want);
        let bytes = entities.bytes(&needed);
        let parts = entities.parts(&needed);
        let parts = parts.into_iter().filter(|part| !refused.contains(part));
        let mut weighed: Vec<(Part, usize)> = Vec::new();
        let most = WEIGHED.min(WEIGHED_ITEMS / entities.len().max(1));
        for part in parts.take(most) {
            want.unwanted.push(part);
            let left = entities.bytes(&entities.needed(&want));
            want.unwanted.pop();
            weighed.push((part, bytes.saturating_sub(left)));
        }
        weighed.retain(|(_, gone)| gone * WORTHWHILE >= bytes);
        weighed.sort_by_key(|(_, gone)| Reverse(*gone));
        weighed.truncate(TRIED);
        weighed.reverse();
        weighed
    }
}

/// Some parts of what is left of a text.
struct Rest<'a> {
    core: &'a Core<'a>,
    weights: Vec<u64>,
    /// What is wanted when these parts are kept.
    adjust: &'a (dyn Fn(&mut Want<'_>, &Subset) + Sync),
}

impl Rest<'_> {
    fn sweep(&self, lab: &mut dyn Lab, what: &'static str, reach: Reach) -> Result<Subset, Stop> {
        let deltas = self.weights.len();
        lab.enter(Phase { what, deltas });
        let all = Subset::full(deltas);
        sweep(
            &mut *lab.tester(self),
            &all,
            |part| self.weights[part],
            reach,
        )
    }
}

impl Space for Rest<'_> {
    fn len(&self) -> usize {
        self.weights.len()
    }

    fn label(&self, delta: usize) -> String {
        format!("part {}", delta + 1)
    }

    fn weight(&self, delta: usize) -> u64 {
        self.weights[delta]
    }

    fn render(&self, kept: &Subset) -> Result<Candidate, Infeasible> {
        let Core { listing, root, .. } = self.core;
        let mut want = self.core.want(&root.with);
        (self.adjust)(&mut want, kept);
        Ok(Candidate::File(
            listing.with(root, &listing.entities.needed(&want)),
        ))
    }
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
