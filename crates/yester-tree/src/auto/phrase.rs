//! Statements of which only an expression matters.

use super::batch::{Batch, Idea, View};
use super::key::{Key, What};
use crate::{Change, Kind};

/// Over how many levels an expression is taken out of its statement: one, and the parentheses of a condition.
const LEVELS: usize = 2;

/// An expression becomes a statement of its own in the place of the one that it is in: `return a/b;` becomes `a/b;`, and
/// `if(a<b){}` becomes `a<b;`. Where no expression may stand alone, it gets a block.
pub(super) fn phrases(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    let tree = document.tree();
    let phrases = &document.grammar.roles().phrases;
    if view.detail > 0 || document.text.len() > view.tuning.small_text || phrases.is_empty() {
        return Vec::new();
    }
    let mut ideas = Vec::new();
    for statement in 0..tree.len() {
        let kind = tree.node(statement).kind;
        let is_statement = |phrase: &Kind| document.grammar.are_exchangeable(kind, *phrase);
        if phrases.contains(&kind) || !phrases.iter().any(is_statement) {
            continue;
        }
        let range = tree.range(statement);
        let mut parts = vec![statement];
        for _ in 0..LEVELS {
            let inner = parts.iter().flat_map(|part| tree.children(*part));
            parts = inner.filter(|part| tree.node(*part).is_named).collect();
            for part in parts.iter().filter(|part| !tree.is_leaf(**part)) {
                let expression = document.slice(*part);
                let texts = [
                    [expression, b";"].concat(),
                    [b"{", expression, b";}"].concat(),
                ];
                let put = |text: &Vec<u8>| Change::Put(range.clone(), text.as_slice().into());
                let fits =
                    |text: &&Vec<u8>| text.len() < range.len() && document.allows(&[put(text)]);
                if let Some(text) = texts.iter().find(fits) {
                    ideas.push(Idea {
                        key: Key::place(range.clone(), What::Text(text.as_slice().into())),
                        gain: (range.len() - text.len()) as u64,
                        changes: vec![put(text)],
                    });
                }
            }
        }
    }
    vec![view.batch(ideas)]
}
