//! What is needed by its words but not missed.

use yester_core::{Candidate, Infeasible, Lab, Phase, Reach, Space, Stop, Subset, sweep};

use super::{Core, SMALL};
use crate::entity::{Idea, Part, Sort};

/// How many ideas are tried before they are weighed again.
const TRIED: usize = 16;

/// A part is not tried by itself unless one of so many bytes goes with it.
const WORTHWHILE: usize = 500;

impl Core<'_> {
    /// Removes statements, bodies and declarations that are mentioned but not missed. Begins with those that take most with
    /// them.
    pub fn remove_unmissed(&mut self, lab: &mut dyn Lab) -> Result<(), Stop> {
        while self.length() > SMALL {
            let mut ideas = self.worthwhile();
            let reach = match ideas.first() {
                None => return Ok(()),
                Some(first) => match first.sort {
                    Sort::Inside(_) => {
                        ideas = self.groups(&first.parts, first.sort);
                        Reach::Everything
                    }
                    _ => Reach::Single,
                },
            };
            let rest = Rest {
                core: self,
                ideas: &ideas,
            };
            let kept = rest.sweep(lab, "removing declarations", reach)?;
            let length = self.length();
            for (number, idea) in ideas.into_iter().enumerate() {
                let (tried, good) = self.tries.entry(idea.sort).or_insert((0, 0));
                *tried += 1;
                if kept.contains(number) {
                    if let [part] = idea.parts[..] {
                        self.refused.insert(part, length);
                    }
                } else {
                    *good += 1;
                    self.want.unwanted.extend(idea.parts);
                }
            }
        }
        Ok(())
    }

    /// The next ideas to be tried: what is in one item, or single parts, of which the last one promises most.
    fn worthwhile(&self) -> Vec<Idea> {
        let length = self.length();
        let is_open = |idea: &Idea| match idea.parts[..] {
            [part] => (self.refused.get(&part)).is_none_or(|before| length < before / 2),
            _ => true,
        };
        let rank = |idea: &Idea| {
            let bytes = idea.bytes as u64 * 1000;
            match (idea.sort, self.tries.get(&idea.sort)) {
                (Sort::Inside(_), None) => bytes / 2,
                (Sort::Inside(_), Some((tried, good))) => bytes / 4 * good / tried,
                (_, Some((tried, good))) => bytes * good / tried,
                (_, None) => 0,
            }
        };
        let mut ideas = (self.listing.entities).ideas(&self.want, is_open, rank);
        ideas.retain(|idea| idea.bytes * WORTHWHILE >= length);
        let Some(first) = ideas.first() else {
            return ideas;
        };
        if let Sort::Inside(_) = first.sort {
            ideas.truncate(1);
        } else {
            let most = first.bytes;
            ideas.retain(|idea| !matches!(idea.sort, Sort::Inside(_)) && idea.bytes * 4 >= most);
            ideas.truncate(TRIED);
            ideas.reverse();
        }
        ideas
    }

    /// Neighbours together, so that there are not too many ideas.
    fn groups(&self, parts: &[Part], sort: Sort) -> Vec<Idea> {
        let entities = &self.listing.entities;
        let length = self.length();
        let idea = |parts: &[Part]| Idea {
            bytes: length
                .saturating_sub(entities.bytes_without(&self.want, parts))
                .max(1),
            parts: parts.to_vec(),
            sort,
        };
        let size = parts.len().div_ceil(TRIED);
        parts.chunks(size).map(idea).collect()
    }
}

/// Ideas of what else can go from a text.
pub(super) struct Rest<'a> {
    pub core: &'a Core<'a>,
    pub ideas: &'a [Idea],
}

impl Rest<'_> {
    pub fn sweep(
        &self,
        lab: &mut dyn Lab,
        what: &'static str,
        reach: Reach,
    ) -> Result<Subset, Stop> {
        let deltas = self.ideas.len();
        lab.enter(Phase { what, deltas });
        let all = Subset::full(deltas);
        let weight = |idea| self.weight(idea);
        sweep(&mut *lab.tester(self), &all, weight, reach)
    }
}

impl Space for Rest<'_> {
    fn len(&self) -> usize {
        self.ideas.len()
    }

    fn label(&self, delta: usize) -> String {
        format!("part {}", delta + 1)
    }

    fn weight(&self, delta: usize) -> u64 {
        self.ideas[delta].bytes as u64
    }

    fn render(&self, kept: &Subset) -> Result<Candidate, Infeasible> {
        let mut want = self.core.want.clone();
        let gone = (0..self.ideas.len()).filter(|idea| !kept.contains(*idea));
        want.unwanted
            .extend(gone.flat_map(|idea| &self.ideas[idea].parts));
        Ok(Candidate::File(self.core.text_of(&want)))
    }
}
