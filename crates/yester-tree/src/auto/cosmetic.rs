//! Ideas that leave the structure alone and make the text shorter.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::batch::{Batch, Idea, View};
use super::key::{Key, What};
use super::literal::plain_texts;
use super::name::{is_dashed_name, is_name};
use crate::Change;
use crate::removal::would_merge;
use crate::size::tokens;

/// Every long name gets a short one that nothing else has.
pub(super) fn names(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let mut places: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
    for (range, _) in plain_texts(view) {
        let text = &view.document.text[range.clone()];
        if (is_name(text) || is_dashed_name(text)) && text.len() > 1 {
            places.entry(text).or_default().push(range);
        }
    }
    let taken: BTreeSet<&[u8]> = tokens(&view.document.text).collect();
    let mut free = (b'a'..=b'z')
        .map(|letter| vec![letter])
        .chain((b'a'..=b'z').flat_map(|one| (b'0'..=b'9').map(move |other| vec![one, other])))
        .filter(|name| !taken.contains(&name[..]));
    let mut ideas = Vec::new();
    for (name, ranges) in places {
        let Some(short) = free.next().filter(|short| short.len() < name.len()) else {
            continue;
        };
        ideas.push(Idea {
            key: Key::words(&[name]),
            gain: (ranges.len() * (name.len() - short.len())) as u64,
            changes: ranges
                .into_iter()
                .map(|range| Change::Put(range, short.as_slice().into()))
                .collect(),
        });
    }
    vec![Batch {
        together: true,
        ..view.batch(ideas)
    }]
}

/// White space between tokens: none where none is needed, else as little as possible. So is what else the tree does not
/// show, such as a byte order mark or the backslash before a line end.
pub(super) fn whitespace(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let text = &view.document.text;
    let tree = view.document.tree();
    let (mut none, mut little) = (Vec::new(), Vec::new());
    let mut end = 0;
    for token in tree
        .leaves()
        .map(|leaf| tree.range(leaf))
        .chain(std::iter::once(text.len()..text.len()))
    {
        let gap = end..token.start;
        end = end.max(token.end);
        if gap.is_empty() {
            continue;
        }
        for gap in blanks_around_text(text, &gap).chain([gap.clone()]) {
            let needs_blank = gap.start > 0
                && gap.end < text.len()
                && would_merge(text[gap.start - 1], text[gap.end]);
            let propose = |ideas: &mut Vec<Idea>, with: &[u8]| {
                if with.len() < gap.len() {
                    ideas.push(Idea {
                        key: Key::place(gap.clone(), What::Text(with.into())),
                        gain: (gap.len() - with.len()) as u64,
                        changes: vec![Change::Put(gap.clone(), with.into())],
                    });
                }
            };
            let one: &[u8] = if text[gap.clone()].contains(&b'\n') {
                b"\n"
            } else {
                b" "
            };
            if !needs_blank {
                propose(&mut none, b"");
            }
            propose(&mut little, one);
        }
    }
    let batch = |ideas| Batch {
        together: true,
        ..view.batch(ideas)
    };
    vec![batch(none), batch(little)]
}

/// The blanks before the first and behind the last visible byte of a gap between tokens, and what is behind these. A gap
/// that is all white space has none: it is looked at as a whole.
fn blanks_around_text(text: &[u8], gap: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let inside = &text[gap.clone()];
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let start = gap.start + inside.len() - inside.trim_ascii_start().len();
    let end = gap.end - (inside.len() - inside.trim_ascii_end().len());
    let before = text[gap.start..start].iter().rev().take_while(is_blank);
    let behind = text[end..gap.end].iter().take_while(is_blank);
    let line_end = end + behind.count();
    let around = [
        start - before.count()..start,
        end..line_end,
        line_end..gap.end,
    ];
    let has_text = start < end;
    around
        .into_iter()
        .filter(move |range| has_text && !range.is_empty())
}
