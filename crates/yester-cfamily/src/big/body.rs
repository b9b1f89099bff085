//! What the root needs, and with which bodies.

use yester_core::{Lab, Stop};

use super::Core;
use super::choice::choose;
use crate::entity::{Bodies, Care, Want};

/// How many bytes of declarations at the end are wanted, if the last one alone is not enough.
const ROOT_BYTES: usize = 1 << 9;

/// How many declarations are searched for that the root needs though its words do not tell.
const MOST_MISSING: usize = 8;

/// Which bodies are kept at first, the fewest first.
const BODIES: [Bodies; 8] = [
    Bodies {
        care: Care::None,
        ..bodies(0, 150, ";")
    },
    Bodies {
        care: Care::Usual,
        ..bodies(0, 150, "{}")
    },
    bodies(0, 150, "{}"),
    bodies(0, usize::MAX, "{}"),
    bodies(1, usize::MAX, ";"),
    bodies(4, usize::MAX, "{}"),
    bodies(u32::MAX, usize::MAX, ";"),
    ALL,
];

/// All of them, and whatever else may be needed.
pub(super) const ALL: Bodies = Bodies {
    care: Care::Most,
    ..bodies(u32::MAX, usize::MAX, ";")
};

const fn bodies(near: u32, constant: usize, stub: &'static str) -> Bodies {
    Bodies {
        near,
        constant,
        stub,
        care: Care::Checks,
    }
}

impl Core<'_> {
    /// The last declaration, and the last few.
    fn roots(&self) -> [Vec<usize>; 2] {
        let entities = &self.listing.entities;
        let mut bytes = 0;
        let is_near = |item: &&usize| {
            let is_near = bytes < ROOT_BYTES;
            bytes += entities.range(**item).len();
            is_near
        };
        let few: Vec<usize> = self
            .listing
            .outer
            .iter()
            .rev()
            .take_while(is_near)
            .copied()
            .collect();
        [few[..1].to_vec(), few]
    }

    /// Whether the end fails with what it needs: without most bodies, with those of what is near, or with all. Takes the
    /// fewest.
    pub fn choose_bodies(&mut self, lab: &mut dyn Lab) -> Result<bool, Stop> {
        let mut choices: Vec<Want> = Vec::new();
        for items in self.roots() {
            for bodies in BODIES {
                choices.push(Want {
                    items: items.clone(),
                    everything: false,
                    bodies,
                    ..self.want.clone()
                });
            }
        }
        let text = |choice: usize| self.text_of(&choices[choice]);
        let found = choose(lab, "keeping what the end needs", choices.len(), &text)?;
        if let Some(choice) = found {
            self.want = choices.swap_remove(choice);
        }
        Ok(found.is_some())
    }

    /// Looks for the fewest bodies with which it still fails, by how near their functions are, and whether it does with less
    /// care.
    pub fn narrow_bodies(&mut self, lab: &mut dyn Lab) -> Result<(), Stop> {
        let less = [Care::None, Care::Usual, Care::Checks].into_iter();
        let less = less.filter(|care| *care < self.want.bodies.care);
        let mut choices: Vec<Want> = less
            .map(|care| {
                let mut want = self.want.clone();
                want.bodies.care = care;
                want
            })
            .collect();
        let text = |choice: usize| self.text_of(&choices[choice]);
        let found = choose(lab, "removing what is not mentioned", choices.len(), &text)?;
        if let Some(choice) = found {
            self.want = choices.swap_remove(choice);
        }
        let farthest = self.listing.entities.farthest(&self.want);
        let (mut too_near, mut enough) = (0, self.want.bodies.near.min(farthest));
        while too_near < enough {
            let mut want = self.want.clone();
            want.bodies.near = too_near.midpoint(enough);
            match choose(lab, "removing bodies", 1, &|_| self.text_of(&want))? {
                Some(_) => {
                    enough = want.bodies.near;
                    self.want = want;
                }
                None => too_near = want.bodies.near + 1,
            }
        }
        Ok(())
    }

    /// Searches for what the root needs though its words do not tell, one declaration after the other: the shortest beginning
    /// of a list of others that is enough ends with one that is needed. False if there are too many.
    pub fn find_missing(&mut self, lab: &mut dyn Lab) -> Result<bool, Stop> {
        let mut want = self.want.clone();
        want.everything = false;
        let others = self.listing.entities.unneeded(&want);
        let mut fails = |want: &Want, others: &[usize]| {
            let items = want.items.iter().chain(others).copied();
            let want = Want {
                items: items.collect(),
                ..want.clone()
            };
            let what = "searching for what else is needed";
            choose(lab, what, 1, &|_| self.text_of(&want)).map(|found| found.is_some())
        };
        let mut enough = others.len();
        for _ in 0..MOST_MISSING {
            if fails(&want, &[])? {
                self.want = want;
                return Ok(true);
            }
            if enough == others.len() && !fails(&want, &others)? {
                return Ok(false);
            }
            let mut too_few = 0;
            while too_few + 1 < enough {
                let middle = too_few.midpoint(enough);
                if fails(&want, &others[..middle])? {
                    enough = middle
                } else {
                    too_few = middle
                }
            }
            enough -= 1;
            want.items.push(others[enough]);
        }
        want.items.extend(&others[..enough]);
        self.want = want;
        Ok(enough < others.len() / 2)
    }
}
