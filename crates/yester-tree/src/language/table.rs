use std::collections::HashMap;

use crate::Kind;

/// What was made from a grammar ahead of time, by kind. A line has a kind, its shortest text, its places, and a text that
/// is a better one for most of them.
pub(super) struct KindTable {
    rows: Vec<KindRow>,
}

#[derive(Clone, Default)]
struct KindRow {
    minimal: Option<Box<str>>,
    preferred: Option<Box<str>>,
    /// The numbers of the places where a node of this kind may stand, in order.
    places: Vec<u16>,
}

impl KindTable {
    /// Reads a table. Several kinds of a language may have one name: each has what is said about the name.
    pub(super) fn new(language: &tree_sitter::Language, table: &'static str) -> KindTable {
        let lines: HashMap<&str, &str> = table
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .collect();
        let mut numbers: HashMap<&str, u16> = HashMap::new();
        let mut read = |line: &'static str| {
            let mut columns = line.split('\t');
            let mut column = || columns.next().unwrap_or_default();
            let minimal = match column() {
                "-" => None,
                text => Some(unescape(text)),
            };
            let places = column().split(',').filter(|place| !place.is_empty());
            let mut places: Vec<u16> = places
                .map(|place| {
                    let next = u16::try_from(numbers.len()).expect("few places");
                    *numbers.entry(place).or_insert(next)
                })
                .collect();
            places.sort_unstable();
            let preferred = Some(unescape(column())).filter(|text| !text.is_empty());
            KindRow {
                minimal,
                preferred,
                places,
            }
        };
        let rows = (0..language.node_kind_count())
            .map(|kind| {
                let kind = Kind::try_from(kind).expect("a kind is a number");
                let name = language.node_kind_for_id(kind);
                let line = name.and_then(|name| lines.get(name));
                match line.filter(|_| language.node_kind_is_named(kind)) {
                    Some(line) => read(line),
                    None => KindRow::default(),
                }
            })
            .collect();
        KindTable { rows }
    }

    pub(super) fn minimal(&self, kind: Kind) -> Option<&str> {
        self.rows.get(usize::from(kind))?.minimal.as_deref()
    }

    pub(super) fn preferred(&self, kind: Kind) -> Option<&str> {
        self.rows.get(usize::from(kind))?.preferred.as_deref()
    }

    /// Whether two kinds have a place in common.
    pub(super) fn share_a_place(&self, one: Kind, other: Kind) -> bool {
        let places = |kind: Kind| {
            let row = self.rows.get(usize::from(kind));
            row.map_or(&[][..], |row| &row.places)
        };
        let (mut one, mut other) = (places(one), places(other));
        while let ([first, one_after @ ..], [second, other_after @ ..]) = (one, other) {
            match first.cmp(second) {
                std::cmp::Ordering::Less => one = one_after,
                std::cmp::Ordering::Greater => other = other_after,
                std::cmp::Ordering::Equal => return true,
            }
        }
        false
    }
}

/// The text that a column tells.
fn unescape(column: &str) -> Box<str> {
    let mut text = String::with_capacity(column.len());
    let mut characters = column.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    text.into()
}
