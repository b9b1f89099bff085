use std::ops::Range;
use std::sync::Arc;

use crate::Kind;

/// Tells an idea apart from the others of its source, also after the text has changed elsewhere.
///
/// A key is exact: two ideas of one text that change different things never share one. The certificate that every idea
/// was rejected rests on that, since an idea whose key was seen is not tried.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The idea is about this place.
    Place { start: u32, end: u32, what: What },
    /// The idea is about these words, wherever they stand.
    Words(Box<[Box<[u8]>]>),
}

/// What an idea does with a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// Removes it.
    Gone,
    /// Puts this text there.
    Text(Arc<[u8]>),
    /// Does what its source does with a node of this kind. The level counts the nodes of the same kind around it that
    /// have the same place.
    Node { kind: Kind, level: usize },
    /// Does the same with several nodes that are there.
    Several,
    /// Puts it in the place of a node that is longer by so many bytes.
    Around(usize),
    /// Removes so many bytes at its start and so many at its end.
    Pair { first: usize, second: usize },
    /// Removes it and lowers the number so many bytes before it.
    Length {
        distance: usize,
        width: usize,
        is_little: bool,
    },
}

impl Key {
    pub fn place(range: Range<usize>, what: What) -> Key {
        Key::Place {
            start: range.start as u32,
            end: range.end as u32,
            what,
        }
    }

    pub fn words<W: AsRef<[u8]>>(words: &[W]) -> Key {
        Key::Words(words.iter().map(|word| word.as_ref().into()).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;

    use super::super::batch::{RemovalModes, View};
    use super::super::source::SOURCES;
    use super::Key;
    use crate::{Change, Document, Grammar, Language, ReduceTuning, Structure};

    /// Asks every source about a text, and compares what ideas of one key do.
    fn check(name: &str, text: &[u8], grammar: Arc<dyn Grammar>) {
        let valid = grammar.is_strict();
        let document = Document::new(text, grammar);
        for source in SOURCES {
            let mut view = View {
                source,
                document: &document,
                valid,
                detail: 0,
                removal_modes: &mut RemovalModes::default(),
                tuning: &ReduceTuning::default(),
            };
            let mut known: HashMap<Key, Vec<Change>> = HashMap::new();
            let batches = (source.propose)(&mut view);
            for idea in batches.into_iter().flat_map(|batch| batch.ideas) {
                let changes = known
                    .entry(idea.key.clone())
                    .or_insert_with(|| idea.changes.clone());
                assert_eq!(
                    *changes, idea.changes,
                    "{name}, {}: {:?}",
                    source.name, idea.key
                );
            }
        }
    }

    #[test]
    fn ideas_that_differ_have_different_keys_in_every_language() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/samples");
        for file in fs::read_dir(samples).expect("there are samples") {
            let path = file.expect("a sample").path();
            if let Some(language) = Language::by_path(&path) {
                let text = fs::read(&path).expect("a sample");
                check(language.name, &text, Arc::new(language.grammar()));
            }
        }
    }

    #[cfg(feature = "c")]
    #[test]
    fn the_first_and_the_last_of_many_arguments_are_two_ideas() {
        let arguments: Vec<String> = (0..600).map(|number| format!("a{number}")).collect();
        let arguments = arguments.join(",");
        let text = format!("int f({arguments}); int g = f({arguments});");
        let grammar = Language::by_name("c").expect("compiled in").grammar();
        check("c", text.as_bytes(), Arc::new(grammar));
    }

    #[test]
    fn a_length_that_can_be_read_in_two_ways_is_two_ideas() {
        // 257, whichever byte comes first; 9 in two and in four bytes.
        for length in [&[1, 1][..], &[9, 0, 0, 0]] {
            let text = [length, &[7; 600]].concat();
            check("binary", &text, Arc::new(Structure::binary()));
        }
    }
}
