//! Asks the real parser whether a text is what the table says.

use yester_tree::{Grammar, SitterGrammar};

use crate::context::Context;
use crate::phrase::{Phrase, Spacing};

/// Whether a text in a context is without faults, and which of its forms is a node of the kind.
pub fn confirm(
    grammar: &SitterGrammar,
    spacing: &Spacing,
    kind: &str,
    phrase: &Phrase,
    context: &Context,
) -> Option<String> {
    let (text, start) = put(spacing, phrase, context);
    let parse = grammar.parse(text.as_bytes());
    if parse.faults > 0 {
        return None;
    }
    // A scanner may leave out white space that belongs to its token, such as the end of a line.
    let whole = &text[start..start + phrase.text.len()];
    [whole, whole.trim_end(), whole.trim_start(), whole.trim()]
        .into_iter()
        .filter(|form| whole.is_empty() || !form.is_empty())
        .find(|form| {
            let start = start + whole.find(form).expect("a form is part of the whole");
            let range = start..start + form.len();
            (0..parse.tree.len()).any(|number| {
                let node = parse.tree.node(number);
                node.is_named
                    && parse.tree.range(number) == range
                    && grammar.kind_name(node.kind) == kind
            })
        })
        .map(str::to_owned)
}

/// Whether a text in a context is without faults, whatever it is.
pub fn is_valid(
    grammar: &SitterGrammar,
    spacing: &Spacing,
    phrase: &Phrase,
    context: &Context,
) -> bool {
    let (text, _) = put(spacing, phrase, context);
    grammar.parse(text.as_bytes()).faults == 0
}

fn put(spacing: &Spacing, phrase: &Phrase, context: &Context) -> (String, usize) {
    let before = spacing.join(&context.before, phrase);
    let start = before.text.len() - phrase.text.len();
    (spacing.join(&before, &context.after).text, start)
}
