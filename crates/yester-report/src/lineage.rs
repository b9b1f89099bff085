//! Which part of an input went when, and what was kept: the way from the input to what is left of it, step by step.

use imara_diff::{Algorithm, Diff, InternedInput};

/// What became of each part of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lineage {
    /// The input.
    pub text: Vec<u8>,
    /// Its parts, in order, without gaps.
    pub parts: Vec<LineagePart>,
    /// How many steps there were.
    pub steps: usize,
}

/// Neighbouring bytes that have the same fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineagePart {
    /// The offset of the first.
    pub begin: usize,
    /// The offset behind the last.
    pub end: usize,
    /// The step that took them out, from 0; nothing if they are there to the end.
    pub gone: Option<usize>,
}

/// Where a byte of a step is from; a byte that was not in the input is from nowhere.
const NOWHERE: u32 = u32::MAX;

impl Lineage {
    /// Follows an input through its steps, each smaller than the one before. Nothing if it is too big for that.
    pub fn follow(input: Vec<u8>, steps: impl IntoIterator<Item = Vec<u8>>) -> Option<Lineage> {
        u32::try_from(input.len())
            .ok()
            .filter(|size| *size < NOWHERE)?;
        let mut fates = vec![None; input.len()];
        let mut origins: Vec<u32> = (0..input.len() as u32).collect();
        let mut before = input.clone();
        let mut count = 0;
        for (step, after) in steps.into_iter().enumerate() {
            let mut kept = vec![NOWHERE; after.len()];
            for same in common(&before, &after) {
                let from = &origins[same.old..same.old + same.length];
                kept[same.new..same.new + same.length].copy_from_slice(from);
            }
            for origin in origins.iter().filter(|origin| **origin != NOWHERE) {
                fates[*origin as usize] = Some(step);
            }
            for origin in kept.iter().filter(|origin| **origin != NOWHERE) {
                fates[*origin as usize] = None;
            }
            (before, origins) = (after, kept);
            count = step + 1;
        }
        let mut parts: Vec<LineagePart> = Vec::new();
        for (at, gone) in fates.into_iter().enumerate() {
            match parts.last_mut().filter(|part| part.gone == gone) {
                Some(part) => part.end = at + 1,
                None => parts.push(LineagePart {
                    begin: at,
                    end: at + 1,
                    gone,
                }),
            }
        }
        Some(Lineage {
            text: input,
            parts,
            steps: count,
        })
    }

    /// How many bytes were there to the end.
    pub fn kept(&self) -> usize {
        let kept = self.parts.iter().filter(|part| part.gone.is_none());
        kept.map(|part| part.end - part.begin).sum()
    }
}

/// A piece that two texts have in common.
struct Common {
    old: usize,
    new: usize,
    length: usize,
}

/// How finely texts are compared.
#[derive(Clone, Copy)]
enum Grain {
    Line,
    Word,
    Byte,
}

/// Longer pieces are not compared by their words, or by their bytes.
const MOST_FOR_WORDS: usize = 1 << 18;
const MOST_FOR_BYTES: usize = 1 << 11;

impl Grain {
    /// The next finer one, for pieces of this size.
    fn finer(self, size: usize) -> Option<Grain> {
        match self {
            Grain::Line if size <= MOST_FOR_WORDS => Some(Grain::Word),
            Grain::Word if size <= MOST_FOR_BYTES => Some(Grain::Byte),
            _ => None,
        }
    }

    fn split(self, text: &[u8]) -> Vec<&[u8]> {
        let is_end = |pair: &[u8]| match self {
            Grain::Line => pair[0] == b'\n',
            Grain::Word => !(is_letter(pair[0]) && is_letter(pair[1])),
            Grain::Byte => true,
        };
        let mut pieces = Vec::new();
        let mut begin = 0;
        for (at, pair) in text.windows(2).enumerate() {
            if is_end(pair) {
                pieces.push(&text[begin..=at]);
                begin = at + 1;
            }
        }
        if begin < text.len() {
            pieces.push(&text[begin..]);
        }
        pieces
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn common(before: &[u8], after: &[u8]) -> Vec<Common> {
    let mut found = Vec::new();
    compare((before, 0), (after, 0), Grain::Line, &mut found);
    found
}

/// Adds what two pieces have in common, which begin at these offsets.
fn compare(
    (old, old_begin): (&[u8], usize),
    (new, new_begin): (&[u8], usize),
    grain: Grain,
    found: &mut Vec<Common>,
) {
    if old.is_empty() || new.is_empty() {
        return;
    }
    let (old_pieces, new_pieces) = (grain.split(old), grain.split(new));
    let mut input = InternedInput::default();
    input.update_before(old_pieces.iter().copied());
    input.update_after(new_pieces.iter().copied());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let (old_ends, new_ends) = (offsets(&old_pieces), offsets(&new_pieces));
    let (mut old_next, mut new_next) = (0, 0);
    let mut same = |old_at: usize, new_at: usize, until: usize| {
        let (from, to) = (old_ends[old_at], old_ends[until]);
        if to > from {
            found.push(Common {
                old: old_begin + from,
                new: new_begin + new_ends[new_at],
                length: to - from,
            });
        }
    };
    let mut differing = Vec::new();
    for hunk in diff.hunks() {
        let (old_range, new_range) = (hunk.before, hunk.after);
        same(old_next, new_next, old_range.start as usize);
        (old_next, new_next) = (old_range.end as usize, new_range.end as usize);
        let old_range = old_ends[old_range.start as usize]..old_ends[old_next];
        let new_range = new_ends[new_range.start as usize]..new_ends[new_next];
        differing.push((old_range, new_range));
    }
    same(old_next, new_next, old_pieces.len());
    for (old_range, new_range) in differing {
        if let Some(finer) = grain.finer(old_range.len() + new_range.len()) {
            let old_part = (&old[old_range.clone()], old_begin + old_range.start);
            let new_part = (&new[new_range.clone()], new_begin + new_range.start);
            compare(old_part, new_part, finer, found);
        }
    }
}

/// Where each piece begins, and where the last one ends.
fn offsets(pieces: &[&[u8]]) -> Vec<usize> {
    let mut at = 0;
    let mut offsets = vec![0];
    for piece in pieces {
        at += piece.len();
        offsets.push(at);
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(input: &str, steps: &[&str]) -> String {
        let steps = steps.iter().map(|step| step.as_bytes().to_vec());
        let lineage = Lineage::follow(input.as_bytes().to_vec(), steps).expect("it is small");
        let digit = |part: &LineagePart| {
            let sign = part.gone.map_or("_".to_owned(), |step| step.to_string());
            sign.repeat(part.end - part.begin)
        };
        lineage.parts.iter().map(digit).collect()
    }

    #[test]
    fn each_byte_goes_with_the_step_that_takes_it_out() {
        assert_eq!(fates("a\nb\nc\nd\n", &["a\nc\nd\n", "a\nd\n"]), "__0011__");
        assert_eq!(fates("", &[]), "");
        assert_eq!(fates("all\n", &[""]), "0000");
    }

    #[test]
    fn words_and_letters_of_a_changed_line_are_found_again() {
        let input = "2026;C1237;teapot;2;2499\n";
        assert_eq!(
            fates(input, &[";C1237;t;2;0\n"]),
            "0000________00000___0000_"
        );
    }

    #[test]
    fn what_a_step_brings_in_is_not_taken_for_a_part_of_the_input() {
        assert_eq!(fates("int value;\n", &["x\n", "\n"]), "0000000000_");
    }
}
