//! Tokens that cannot be left out become simple ones.

use std::collections::BTreeMap;
use std::ops::Range;

use super::batch::{Batch, Idea, View};
use super::key::Key;
use super::literal::plain_texts;
use super::name::is_name;
use crate::Change;

/// A long token that has to be as long as it is becomes a simple one of that length, wherever it stands. A number gets
/// fewer digits, and a name that could not become any letter keeps its first two.
pub(super) fn simple_tokens(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    if view.detail > 0 || document.text.len() > view.tuning.small_text {
        return Vec::new();
    }
    let mut places: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
    for (range, _) in plain_texts(view) {
        places
            .entry(&document.text[range.clone()])
            .or_default()
            .push(range);
    }
    let mut ideas = Vec::new();
    for (text, ranges) in &places {
        let simple = simple(text, view.tuning.long_token);
        for with in simple
            .into_iter()
            .filter(|with| !places.contains_key(&with[..]))
        {
            let changes = ranges.iter().cloned();
            let changes = changes.map(|range| Change::Put(range, with.as_slice().into()));
            ideas.push(Idea {
                key: Key::words(&[text, &with[..]]),
                gain: (ranges.len() * (text.len() - with.len())) as u64,
                changes: changes.collect(),
            });
        }
    }
    // The search goes from the back, and big ideas come first.
    ideas.sort_by_key(|idea| idea.gain);
    let surplus = ideas.len().saturating_sub(view.tuning.simple_ideas);
    vec![view.batch(ideas.split_off(surplus))]
}

/// Simpler texts that may do as well.
fn simple(text: &[u8], long: usize) -> Vec<Vec<u8>> {
    if text.first().is_some_and(u8::is_ascii_digit) {
        // Many a number only has to be big enough.
        let mut numbers: Vec<Vec<u8>> = (1..text.len().min(long))
            .map(|digits| vec![b'9'; digits])
            .collect();
        if text.len() >= long && text.iter().all(u8::is_ascii_digit) {
            let mut round = vec![b'0'; text.len()];
            round[0] = b'1';
            numbers.push(round);
        }
        return numbers;
    }
    let two = (text.len() > 1 && is_name(text)).then(|| text[..2.min(text.len() - 1)].to_vec());
    if text.len() < long {
        return two.into_iter().collect();
    }
    let is_simple = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let letter = match text[0] {
        _ if !is_name(text) => b'0',
        first if first < b'a' => b'A',
        _ => b'a',
    };
    // Signs may have a meaning where they stand.
    let with: Vec<u8> = (text.iter())
        .map(|byte| if is_simple(*byte) { letter } else { *byte })
        .collect();
    let with = (with < text.to_vec()).then_some(with);
    two.into_iter().chain(with).collect()
}
