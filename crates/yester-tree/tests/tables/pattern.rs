//! The shortest texts that a regular expression matches.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::phrase::rank;

/// How many texts are kept for a part of a pattern.
const KEPT: usize = 3;

/// The shortest texts that a pattern matches, best first.
pub fn shortest(pattern: &str, flags: &str) -> Vec<String> {
    let is_indifferent = flags.contains('i');
    let parsed = regex_syntax::ParserBuilder::new()
        .case_insensitive(is_indifferent)
        .build()
        .parse(pattern);
    let hir = parsed.unwrap_or_else(|error| panic!("{pattern} is no pattern: {error}"));
    texts(&hir)
}

fn texts(hir: &Hir) -> Vec<String> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => vec![String::from_utf8_lossy(&literal.0).into_owned()],
        HirKind::Class(class) => characters(class),
        HirKind::Repetition(repetition) => {
            let once = texts(&repetition.sub);
            match repetition.min {
                // Nothing is shortest, but a token of nothing is often not one.
                0 => best([vec![String::new()], once].concat()),
                times => once
                    .iter()
                    .map(|text| text.repeat(times as usize))
                    .collect(),
            }
        }
        HirKind::Capture(capture) => texts(&capture.sub),
        HirKind::Concat(parts) => parts.iter().fold(vec![String::new()], |before, part| {
            let part = texts(part);
            let pairs = before
                .iter()
                .flat_map(|one| part.iter().map(move |two| format!("{one}{two}")));
            best(pairs.collect())
        }),
        HirKind::Alternation(parts) => best(parts.iter().flat_map(texts).collect()),
    }
}

fn characters(class: &Class) -> Vec<String> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class
            .iter()
            .map(|range| (range.start(), range.end()))
            .collect(),
        Class::Bytes(class) => class
            .iter()
            .map(|range| (char::from(range.start()), char::from(range.end())))
            .collect(),
    };
    let mut characters: Vec<char> = (0..128u8)
        .map(char::from)
        .filter(|character| {
            ranges
                .iter()
                .any(|(from, to)| (from..=to).contains(&character))
        })
        .collect();
    characters.sort_by_key(|character| rank(*character));
    // A digit and a letter may be different things later, two digits are not.
    let first_of_class = |class: u8| {
        let mut found = characters.iter().filter(move |one| rank(**one).0 == class);
        found.next().copied()
    };
    let mut chosen: Vec<char> = (0..8).filter_map(first_of_class).collect();
    chosen.extend(ranges.first().map(|(from, _)| *from));
    chosen.truncate(KEPT);
    chosen.into_iter().map(String::from).collect()
}

fn best(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_by_key(|text| (text.len(), text.chars().map(rank).collect::<Vec<_>>()));
    texts.dedup();
    texts.truncate(KEPT);
    texts
}
