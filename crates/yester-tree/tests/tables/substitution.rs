//! Puts the shortest texts into real ones.

use yester_tree::{Edit, Grammar, Language};

/// How many nodes of a sample were replaced by their shortest texts, and after which the sample was without faults.
pub struct Substitution {
    /// The nodes that have a shortest text.
    pub nodes: usize,
    /// Where the text is still valid with it.
    pub valid: usize,
    /// Where the text is still valid with the preferred text, or the shortest one if there is none.
    pub valid_preferred: usize,
    /// Where the text is still valid without the node.
    pub valid_without: usize,
    /// What went wrong.
    pub wrong: Vec<String>,
}

/// Replaces every named node of a text, one at a time.
pub fn substitute(language: &Language, text: &[u8]) -> Substitution {
    let grammar = language.grammar();
    let parse = grammar.parse(text);
    assert_eq!(parse.faults, 0, "the sample of {} is valid", language.name);
    let mut found = Substitution {
        nodes: 0,
        valid: 0,
        valid_preferred: 0,
        valid_without: 0,
        wrong: Vec::new(),
    };
    for number in 0..parse.tree.len() {
        let node = parse.tree.node(number);
        let range = parse.tree.range(number);
        let Some(minimal) = grammar.minimal(node.kind) else {
            continue;
        };
        if !node.is_named || range.is_empty() {
            continue;
        }
        let is_valid = |with: &str| {
            let mut with = with.to_owned();
            let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let merges = |before: Option<u8>, after: Option<u8>| {
                before.is_some_and(is_word) && after.is_some_and(is_word)
            };
            let before = text[..range.start].last().copied();
            if merges(before, with.bytes().next()) {
                with.insert(0, ' ');
            }
            if merges(with.bytes().last(), text.get(range.end).copied()) {
                with.push(' ');
            }
            let edit = Edit::replace(range.clone(), with.as_bytes());
            grammar.faults_after(&parse, &edit, &edit.apply(text)) == 0
        };
        found.nodes += 1;
        found.valid_without += usize::from(is_valid(""));
        let preferred = grammar.preferred(node.kind).unwrap_or(minimal);
        found.valid_preferred += usize::from(is_valid(preferred));
        if is_valid(minimal) {
            found.valid += 1;
        } else {
            let kind = grammar.kind_name(node.kind);
            let was = String::from_utf8_lossy(&text[range]);
            found.wrong.push(format!("{kind} {minimal:?} for {was:?}"));
        }
    }
    found
}
