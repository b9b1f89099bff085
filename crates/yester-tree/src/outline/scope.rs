//! Which names a text leaves open: used where nothing around defines them.

use std::collections::{HashMap, HashSet};

/// The bodies of a text, and which names they define and use.
///
/// A name counts as defined for all of the body around its definition, and for the whole text if it is defined outside of
/// bodies or for other places. So it is rather not called open: what is open has no definition at all.
pub(super) struct Scopes<'a> {
    /// The body around each body. The first is the text itself.
    around: Vec<usize>,
    /// Where the bodies end that are open, and which they are.
    open: Vec<(usize, usize)>,
    defined: HashSet<(usize, &'a [u8])>,
    used: Vec<(usize, &'a [u8], u32)>,
}

impl<'a> Scopes<'a> {
    pub(super) fn new() -> Self {
        Scopes {
            around: vec![0],
            open: Vec::new(),
            defined: HashSet::new(),
            used: Vec::new(),
        }
    }

    /// All bodies that end before this place are left.
    pub(super) fn leave(&mut self, place: usize) {
        while self.open.last().is_some_and(|(end, _)| *end <= place) {
            self.open.pop();
        }
    }

    /// A body starts that ends there.
    pub(super) fn enter(&mut self, end: usize) {
        self.around.push(self.innermost());
        self.open.push((end, self.around.len() - 1));
    }

    /// Whether this place is in a body.
    pub(super) fn is_inside(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn define_here(&mut self, name: &'a [u8]) {
        self.defined.insert((self.innermost(), name));
    }

    pub(super) fn define_everywhere(&mut self, name: &'a [u8]) {
        self.defined.insert((0, name));
    }

    pub(super) fn use_here(&mut self, name: &'a [u8], line: u32) {
        self.used.push((self.innermost(), name, line));
    }

    /// The names that are used and not defined, each with the first line that uses it so.
    pub(super) fn left_open(&self) -> Vec<(String, u32)> {
        let mut first: HashMap<&[u8], u32> = HashMap::new();
        for (body, name, line) in &self.used {
            if !self.is_defined(*body, name) {
                let first = first.entry(name).or_insert(*line);
                *first = (*first).min(*line);
            }
        }
        let mut open: Vec<(String, u32)> = first
            .into_iter()
            .map(|(name, line)| (String::from_utf8_lossy(name).into_owned(), line))
            .collect();
        open.sort_unstable_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
        open
    }

    fn is_defined(&self, mut body: usize, name: &'a [u8]) -> bool {
        loop {
            if self.defined.contains(&(body, name)) {
                return true;
            }
            if body == 0 {
                return false;
            }
            body = self.around[body];
        }
    }

    fn innermost(&self) -> usize {
        self.open.last().map_or(0, |(_, body)| *body)
    }
}
