//! Inputs near the user's. An intervention that stands for the cause helps on other inputs that fail, and leaves those alone that pass.
//!
//! Each differs from the user's by one small edit or two, so most of them reach what the failing run reaches. The same input gives the same list.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::input::ProgramInput;
use crate::recording::InputSource;

/// Bigger inputs are not copied so often.
const BIGGEST: usize = 1 << 20;

/// At most so many inputs that differ from this one in these sources: half of them by one edit, the others by two.
pub fn near_inputs(
    input: &ProgramInput,
    sources: &[InputSource],
    most: usize,
) -> Vec<ProgramInput> {
    let mut found = edited_once(input, sources, most.div_ceil(2));
    let mut seen: HashSet<ProgramInput> = found.iter().chain([input]).cloned().collect();
    for index in 0..found.len() {
        if found.len() == most {
            break;
        }
        // Each with another edit behind its own, so that not all of them share one.
        let edits = edited_once(&found[index], sources, index + 1);
        let new = edits.into_iter().rev().find(|one| seen.insert(one.clone()));
        found.extend(new);
    }
    found
}

/// At most so many inputs that differ from this one by one edit. Edits of each kind are spread evenly over the input, and the kinds come in turn.
fn edited_once(input: &ProgramInput, sources: &[InputSource], most: usize) -> Vec<ProgramInput> {
    let mut kinds: Vec<Vec<(&InputSource, Vec<u8>)>> = Vec::new();
    for source in sources {
        let Some(content) = input.content(source) else {
            continue;
        };
        if content.len() > BIGGEST {
            continue;
        }
        let is_argument = matches!(source, InputSource::Argument(_));
        for edits in edits(content, most) {
            let fits = |edited: &Vec<u8>| !is_argument || !edited.contains(&0);
            let edits = edits.into_iter().filter(fits);
            kinds.push(edits.map(|edited| (source, edited)).collect());
        }
    }
    let mut seen: HashSet<ProgramInput> = HashSet::from([input.clone()]);
    let mut found = Vec::new();
    let longest = kinds.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..longest {
        // Each kind begins elsewhere.
        let chosen = kinds
            .iter()
            .enumerate()
            .filter(|(_, kind)| round < kind.len());
        for (source, edited) in chosen.map(|(index, kind)| &kind[(round + index) % kind.len()]) {
            let near = with(input, source, edited);
            if seen.insert(near.clone()) {
                found.push(near);
            }
            if found.len() == most {
                return found;
            }
        }
    }
    found
}

fn with(input: &ProgramInput, source: &InputSource, content: &[u8]) -> ProgramInput {
    let mut near = input.clone();
    match source {
        InputSource::Argument(number) => {
            near.arguments[number - 1] = OsString::from_vec(content.to_vec());
        }
        source => near.replace(source, content.to_vec()),
    }
    near
}

/// The edits of a text, at most so many of each kind: numbers become others, lines and words go or come twice, bytes change.
fn edits(text: &[u8], most: usize) -> Vec<Vec<Vec<u8>>> {
    let numbers = tokens(text, |byte| byte.is_ascii_digit());
    let lines = lines(text);
    let words = tokens(text, |byte| !byte.is_ascii_whitespace());
    let bytes: Vec<(usize, usize)> = (0..text.len()).map(|at| (at, at + 1)).collect();
    let kind = |places: &[(usize, usize)], edit: &dyn Fn(&[u8]) -> Vec<u8>| -> Vec<Vec<u8>> {
        let places = spread(places, most).into_iter();
        let edited = places.map(|(from, to)| {
            let mut edited = text[..from].to_vec();
            edited.extend(edit(&text[from..to]));
            edited.extend(&text[to..]);
            edited
        });
        edited.collect()
    };
    let more = |change: i64| {
        move |number: &[u8]| {
            let number = std::str::from_utf8(number).ok();
            let number = number.and_then(|number| number.parse::<i64>().ok());
            let changed = number.and_then(|number| number.checked_add(change));
            changed.unwrap_or_default().to_string().into_bytes()
        }
    };
    let twice = |part: &[u8]| [part, part].concat();
    vec![
        kind(&numbers, &more(1)),
        kind(&lines, &|_| Vec::new()),
        kind(&numbers, &more(-1)),
        kind(&words, &|_| Vec::new()),
        kind(&lines, &twice),
        kind(&numbers, &|number| [number, b"0"].concat()),
        kind(&bytes, &|_| Vec::new()),
        kind(&numbers, &|_| b"0".to_vec()),
        kind(&bytes, &|byte| vec![byte[0] ^ 1]),
        kind(&words, &|word| [word, b" ", word].concat()),
        kind(&bytes, &twice),
    ]
}

/// At most so many of these, however few of them evenly spread: the middle, the quarters, the eighths.
fn spread(places: &[(usize, usize)], most: usize) -> Vec<(usize, usize)> {
    let bits = places.len().next_power_of_two().trailing_zeros();
    let order = (1..=1_usize << bits).map(|number| {
        let reversed = number.reverse_bits() >> (usize::BITS - bits - 1);
        (reversed * places.len()) >> (bits + 1)
    });
    let mut seen = HashSet::new();
    let order = order.filter(|index| seen.insert(*index));
    order
        .take(most)
        .filter_map(|index| places.get(index).copied())
        .collect()
}

/// The longest parts of a text whose bytes are all of a class.
fn tokens(text: &[u8], is_of_class: impl Fn(u8) -> bool) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        if !is_of_class(*byte) {
            continue;
        }
        match found.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => found.push((at, at + 1)),
        }
    }
    found
}

/// The lines of a text, with their ends.
fn lines(text: &[u8]) -> Vec<(usize, usize)> {
    let mut from = 0;
    let lines = text.split_inclusive(|byte| *byte == b'\n').map(|line| {
        let begin = from;
        from += line.len();
        (begin, from)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn input(text: &[u8]) -> ProgramInput {
        ProgramInput {
            arguments: vec!["-n".into(), "41".into()],
            stdin: Some(Arc::new(text.to_vec())),
            files: Vec::new(),
        }
    }

    #[test]
    fn inputs_differ_from_the_own_one_and_from_each_other_and_only_in_what_varies() {
        let own = input(b"add 3 4\nsub 9 1\n");
        let near = near_inputs(&own, &[InputSource::Stdin], 80);
        assert_eq!(near.len(), 80);
        let different: HashSet<&ProgramInput> = near.iter().chain([&own]).collect();
        assert_eq!(different.len(), 81);
        assert!(near.iter().all(|one| one.arguments == own.arguments));
        let texts: Vec<&[u8]> = near
            .iter()
            .filter_map(|one| one.content(&InputSource::Stdin))
            .collect();
        for wanted in [
            &b"add 3 4\nsub 10 1\n"[..],
            b"add 3 4\n",
            b"add 3 4\nsub 8 1\n",
        ] {
            assert!(texts.contains(&wanted), "{wanted:?}");
        }
    }

    #[test]
    fn numbers_in_arguments_become_others() {
        let near = near_inputs(&input(b""), &[InputSource::Argument(2)], 100);
        let arguments: Vec<&OsString> = near.iter().map(|one| &one.arguments[1]).collect();
        for wanted in ["42", "40", "410", "0"] {
            assert!(arguments.contains(&&OsString::from(wanted)), "{wanted}");
        }
    }

    #[test]
    fn an_argument_never_has_a_zero_and_nothing_comes_of_nothing() {
        let mut own = input(b"");
        own.arguments[1] = OsString::from_vec(vec![1, 1]);
        let near = near_inputs(&own, &[InputSource::Argument(2)], 100);
        let has_zero = |one: &ProgramInput| one.arguments[1].as_encoded_bytes().contains(&0);
        assert!(!near.is_empty() && !near.iter().any(has_zero));
        assert_eq!(near_inputs(&own, &[InputSource::Stdin], 9), []);
        assert_eq!(near_inputs(&own, &[], 9), []);
    }

    #[test]
    fn the_middle_comes_first_and_everything_once() {
        let places: Vec<(usize, usize)> = (0..5).map(|at| (at, at + 1)).collect();
        let order = |most| {
            let found = spread(&places, most).into_iter();
            found.map(|(at, _)| at).collect::<Vec<_>>()
        };
        assert_eq!(order(3), [2, 1, 3]);
        let mut all = order(9);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4]);
        assert_eq!(spread(&[], 3), []);
        assert_eq!(spread(&places[..1], 3), places[..1]);
    }

    #[test]
    fn few_edits_are_spread_over_a_long_input() {
        let text: Vec<u8> = (0..1000)
            .flat_map(|line| format!("{line}\n").into_bytes())
            .collect();
        let own = input(&text);
        let near = near_inputs(&own, &[InputSource::Stdin], 33);
        let first_change = |one: &ProgramInput| {
            let changed = one.content(&InputSource::Stdin).expect("it has one");
            let pairs = changed.iter().zip(&text);
            pairs.take_while(|(one, other)| one == other).count()
        };
        let quarters: HashSet<usize> = near
            .iter()
            .map(|one| 4 * first_change(one) / text.len())
            .collect();
        assert_eq!(quarters.len(), 4);
    }
}
