//! Which functions and sites of two versions of a program correspond.
//!
//! Lines move from version to version, so they count for nothing here. Functions correspond by their names; those that are left
//! over by the likeness of their sites, since functions are renamed too. The sites of two functions correspond in order, the more
//! alike the sooner: first those with the same kind, column, depth and the same sites below them, at last those of the same kind.
//! Values correspond last, between the other sites: first those with the same name, at last those of the same form.

mod text;
mod value;

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use self::text::texts;
use crate::alignment::align;
use crate::site::{Function, SiteKind, Sites};

/// Renamed functions have at least so many sites.
const FEWEST_SITES: usize = 2;
/// With fewer sites than this, all of them have to be the same.
const FEWEST_UNLIKE: usize = 5;
/// And at least so many of a hundred in common.
const LIKENESS: usize = 60;
/// So many functions of each version at most are compared with each other.
const MOST_COMPARED: usize = 400;

/// Which functions and sites of two versions correspond.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// By the number of the old function.
    new_of_old: HashMap<u32, FunctionMatch>,
    /// By the number of the new function.
    old_of_new: HashMap<u32, FunctionMatch>,
    /// The texts of the lines of sites, by function, where they are known.
    old_texts: HashMap<u32, Vec<Option<String>>>,
    new_texts: HashMap<u32, Vec<Option<String>>>,
}

/// The partner of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FunctionMatch {
    function: u32,
    /// For each site its partner.
    sites: Vec<Option<u32>>,
}

impl Matching {
    /// Compares the tables of two versions.
    pub fn new(old: &Sites, new: &Sites) -> Matching {
        Matching::with_texts(old, new, |_| None, |_| None)
    }

    /// The same with the texts of lines in the old and in the new version, by file and line. Sites in lines with the same text
    /// correspond before all others.
    pub fn with_texts(
        old: &Sites,
        new: &Sites,
        old_text: impl Fn((&str, u32)) -> Option<String>,
        new_text: impl Fn((&str, u32)) -> Option<String>,
    ) -> Matching {
        let mut matching = Matching {
            old_texts: texts(old, old_text),
            new_texts: texts(new, new_text),
            ..Matching::default()
        };
        let mut of_name: HashMap<&str, Vec<&Function>> = HashMap::new();
        for function in new.functions() {
            of_name.entry(&function.name).or_default().push(function);
        }
        let mut left = Vec::new();
        for function in old.functions() {
            let named = of_name.get_mut(function.name.as_str());
            match named.and_then(|named| take_nearest(function, named)) {
                Some(partner) => matching.add(function, partner),
                None => left.push(function),
            }
        }
        let free = new
            .functions()
            .iter()
            .filter(|function| !matching.old_of_new.contains_key(&function.id));
        matching.renamed(left, free.collect());
        matching
    }

    /// The new number of an old function.
    pub fn new_function(&self, old: u32) -> Option<u32> {
        self.new_of_old.get(&old).map(|found| found.function)
    }

    /// The old number of a new function.
    pub fn old_function(&self, new: u32) -> Option<u32> {
        self.old_of_new.get(&new).map(|found| found.function)
    }

    /// The new function and site of an old site.
    pub fn new_site(&self, function: u32, site: u32) -> Option<(u32, u32)> {
        partner(&self.new_of_old, function, site)
    }

    /// The old function and site of a new site.
    pub fn old_site(&self, function: u32, site: u32) -> Option<(u32, u32)> {
        partner(&self.old_of_new, function, site)
    }

    fn add(&mut self, old: &Function, new: &Function) {
        let texts = [(&self.old_texts, old), (&self.new_texts, new)];
        let texts = texts.map(|(texts, function)| texts.get(&function.id).map(Vec::as_slice));
        let pairs = match texts {
            [Some(old_texts), Some(new_texts)] => {
                let same = text::same_lines((old, old_texts), (new, new_texts));
                pairs(old, new, &same)
            }
            _ => pairs(old, new, &[]),
        };
        let mut there = vec![None; old.sites.len()];
        let mut back = vec![None; new.sites.len()];
        for (one, other) in pairs {
            there[one] = Some(other as u32);
            back[other] = Some(one as u32);
        }
        let (function, sites) = (new.id, there);
        self.new_of_old
            .insert(old.id, FunctionMatch { function, sites });
        let (function, sites) = (old.id, back);
        self.old_of_new
            .insert(new.id, FunctionMatch { function, sites });
    }

    /// Functions whose names are in one version only: the most alike first.
    fn renamed(&mut self, old: Vec<&Function>, new: Vec<&Function>) {
        let size = |function: &Function| {
            let events = function.sites.iter().filter(|site| site.has_events());
            events.count()
        };
        let is_big = |function: &&&Function| size(function) >= FEWEST_SITES;
        let mut candidates = Vec::new();
        for one in old.iter().filter(is_big).take(MOST_COMPARED) {
            for other in new.iter().filter(is_big).take(MOST_COMPARED) {
                let most = size(one).max(size(other));
                if size(one).min(size(other)) * 100 < most * LIKENESS {
                    continue;
                }
                let (shapes, others) = (shapes(one).1, shapes(other).1);
                let gaps = align(&shapes, &others).gaps;
                let common = (shapes.len() + others.len() - gaps) / 2;
                let is_alike = if most < FEWEST_UNLIKE {
                    common == most
                } else {
                    common * 100 >= most * LIKENESS
                };
                if is_alike {
                    candidates.push((most - common, one.id, other.id, *one, *other));
                }
            }
        }
        candidates.sort_by_key(|(unlike, one, other, ..)| (*unlike, *one, *other));
        for (_, _, _, one, other) in candidates {
            if !self.new_of_old.contains_key(&one.id) && !self.old_of_new.contains_key(&other.id) {
                self.add(one, other);
            }
        }
    }
}

fn partner(matches: &HashMap<u32, FunctionMatch>, function: u32, site: u32) -> Option<(u32, u32)> {
    let found = matches.get(&function)?;
    let site = (*found.sites.get(site as usize)?)?;
    Some((found.function, site))
}

/// Takes the function of this name from the list: that of the same file if there are several, since `static` functions of
/// several files have the same name.
fn take_nearest<'a>(function: &Function, named: &mut Vec<&'a Function>) -> Option<&'a Function> {
    let file = |function: &Function| {
        Path::new(&function.module)
            .file_name()
            .map(ToOwned::to_owned)
    };
    let same_file = named.iter().position(|one| file(one) == file(function));
    let index = match (same_file, named.len()) {
        (Some(index), _) => index,
        (None, 1) => 0,
        (None, _) => return None,
    };
    Some(named.remove(index))
}

/// What a site looks like.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Shape {
    kind: SiteKind,
    column: u32,
    /// How many sites are above it.
    depth: usize,
    /// How many branches, switches, calls and predicates depend on each of its outcomes.
    below: Vec<[u32; 4]>,
}

/// The sites that have events, and what they look like.
fn shapes(function: &Function) -> (Vec<usize>, Vec<Shape>) {
    let mut shapes: Vec<Shape> = function
        .sites
        .iter()
        .map(|site| Shape {
            kind: site.kind.clone(),
            column: site.column,
            depth: 0,
            below: vec![[0; 4]; site.outcomes()],
        })
        .collect();
    for (index, site) in function.sites.iter().enumerate() {
        shapes[index].depth = depth(function, index);
        let kind = match site.kind {
            SiteKind::Branch => 0,
            SiteKind::Switch(_) => 1,
            SiteKind::Call => 2,
            SiteKind::Predicate { .. } => 3,
            SiteKind::Value { .. } => continue,
        };
        for dependence in &site.dependence {
            // A loop depends on itself.
            if dependence.site as usize != index {
                let outcomes = &mut shapes[dependence.site as usize].below;
                outcomes[dependence.outcome as usize][kind] += 1;
            }
        }
    }
    let all = function.sites.iter().enumerate().zip(shapes);
    all.filter(|((_, site), _)| site.has_events())
        .map(|((index, _), shape)| (index, shape))
        .unzip()
}

/// How many sites are above a site, by the last that it depends on and that stands before it.
fn depth(function: &Function, site: usize) -> usize {
    let mut depth = 0;
    let mut site = site;
    while let Some(above) = function.sites[site]
        .dependence
        .iter()
        .map(|dependence| dependence.site as usize)
        .filter(|above| *above < site)
        .max()
    {
        depth += 1;
        site = above;
    }
    depth
}

/// The sites of two functions that correspond, in order.
fn pairs(old: &Function, new: &Function, same: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let ((old_sites, old_shapes), (new_sites, new_shapes)) = (shapes(old), shapes(new));
    let blurred: [fn(&Shape) -> Shape; 5] = [
        Shape::clone,
        // A new condition around it makes everything deeper, and seldom moves it to another column.
        |shape| Shape {
            depth: 0,
            ..shape.clone()
        },
        |shape| Shape {
            depth: 0,
            below: Vec::new(),
            ..shape.clone()
        },
        |shape| Shape {
            column: 0,
            ..shape.clone()
        },
        |shape| Shape {
            column: 0,
            depth: 0,
            below: Vec::new(),
            // A switch with another case is still the same.
            kind: match shape.kind {
                SiteKind::Switch(_) => SiteKind::Switch(Vec::new()),
                ref kind => kind.clone(),
            },
        },
    ];
    let known = same.iter().filter_map(|(one, other)| {
        let one = old_sites.binary_search(one).ok()?;
        Some((one, new_sites.binary_search(other).ok()?))
    });
    let mut pairs: Vec<(usize, usize)> = known.collect();
    for blur in blurred {
        let one: Vec<Shape> = old_shapes.iter().map(blur).collect();
        let other: Vec<Shape> = new_shapes.iter().map(blur).collect();
        pairs = between(&pairs, (one.len(), other.len()), |from, there| {
            let aligned = align(&one[from.clone()], &other[there.clone()]);
            let shift = |(one, other)| (from.start + one, there.start + other);
            aligned.pairs().map(shift).collect()
        });
    }
    let pairs = pairs.into_iter();
    let pairs = pairs.map(|(one, other)| (old_sites[one], new_sites[other]));
    let pairs = text::in_order(pairs.collect(), same);
    value::with_values(old, new, pairs)
}

/// Adds to pairs, which are in order, those that are found between them.
fn between(
    pairs: &[(usize, usize)],
    end: (usize, usize),
    mut find: impl FnMut(Range<usize>, Range<usize>) -> Vec<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut at, mut there) = (0, 0);
    for &(next, next_there) in pairs.iter().chain([&end]) {
        found.extend(find(at..next, there..next_there));
        if (next, next_there) != end {
            found.push((next, next_there));
        }
        (at, there) = (next + 1, next_there + 1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A function of sites that are given by kind and by what they depend on, if on anything.
    pub(super) fn table(name: &str, sites: &[(u8, u8)]) -> String {
        let mut text = format!(
            "module\t0\ta.c\nfunction\t{name}\ta.c\t1\t{}\n",
            sites.len()
        );
        for (index, (kind, above)) in sites.iter().enumerate() {
            // Calls have no outcome that something could depend on.
            let above = usize::from(*above);
            let is_above = above < index && sites[above].0 % 3 != 2;
            let dependence = if is_above {
                format!("{above}:0")
            } else {
                String::new()
            };
            let line = match kind % 3 {
                0 => format!("branch\t\t{index}\t{kind}\t{dependence}\n"),
                1 => format!("switch\t\t{index}\t{kind}\t{kind}\t{dependence}\n"),
                _ => format!("call\t\t{index}\t{kind}\t{dependence}\n"),
            };
            text.push_str(&line);
        }
        text
    }

    fn sites(name: &str, list: &[(u8, u8)]) -> Sites {
        Sites::parse(&table(name, list)).expect("a table")
    }

    #[test]
    fn a_renamed_function_is_found_by_its_sites() {
        let list = [(0, 9), (2, 0), (3, 9), (1, 2), (2, 9)];
        let matching = Matching::new(&sites("before", &list), &sites("after", &list));
        assert_eq!(matching.new_function(0), Some(0));
        assert_eq!(matching.new_site(0, 3), Some((0, 3)));
        let other = [(2, 9), (2, 9), (2, 9), (2, 9), (2, 9)];
        let matching = Matching::new(&sites("before", &list), &sites("after", &other));
        assert_eq!(matching.new_function(0), None);
    }

    #[test]
    fn an_inserted_branch_has_no_partner() {
        let old = [(0, 9), (2, 0), (3, 9)];
        let new = [(0, 9), (2, 0), (6, 9), (3, 9)];
        let matching = Matching::new(&sites("f", &old), &sites("f", &new));
        let partners: Vec<_> = (0..3).map(|site| matching.new_site(0, site)).collect();
        assert_eq!(partners, [Some((0, 0)), Some((0, 1)), Some((0, 3))]);
        assert_eq!(matching.old_site(0, 2), None);
    }

    proptest! {
        #[test]
        fn partners_are_mutual_alike_and_in_order(
            old in prop::collection::vec((0_u8..12, 0_u8..8), 0..20),
            new in prop::collection::vec((0_u8..12, 0_u8..8), 0..20),
        ) {
            let tables = (sites("f", &old), sites("f", &new));
            let matching = Matching::new(&tables.0, &tables.1);
            let mut last = None;
            for site in 0..old.len() as u32 {
                if let Some((function, other)) = matching.new_site(0, site) {
                    prop_assert_eq!(matching.old_site(function, other), Some((0, site)));
                    prop_assert_eq!(old[site as usize].0 % 3, new[other as usize].0 % 3);
                    prop_assert!(last < Some(other));
                    last = Some(other);
                }
            }
            let same = Matching::new(&tables.0, &tables.0);
            for site in 0..old.len() as u32 {
                prop_assert_eq!(same.new_site(0, site), Some((0, site)));
            }
        }
    }
}
