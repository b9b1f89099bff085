//! What is left of a text when nodes are removed from its tree: separators go with their items, and white space stays as
//! a person would leave it.

use std::ops::Range;
use std::sync::Arc;

use crate::{Edit, Replacement, Tree};

/// One change that an idea asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A node goes, and of the separators around it those that are not needed any more.
    Item(usize),
    /// A range goes.
    Cut(Range<usize>),
    /// Something else stands in the place of a range.
    Put(Range<usize>, Arc<[u8]>),
}

/// The edit that makes all of these changes at once. Whatever lies in something that goes, goes with it.
pub fn edit<'a>(text: &[u8], tree: &Tree, changes: impl IntoIterator<Item = &'a Change>) -> Edit {
    let mut items: Vec<usize> = Vec::new();
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut puts: Vec<Replacement> = Vec::new();
    for change in changes {
        match change {
            Change::Item(node) => items.push(*node),
            Change::Cut(range) => cuts.push(range.clone()),
            Change::Put(range, with) => puts.push(Replacement {
                range: range.clone(),
                with: Arc::clone(with),
            }),
        }
    }
    items.sort_unstable_by_key(|item| (tree.node(*item).parent, *item));
    items.dedup();
    for siblings in items.chunk_by(|one, other| tree.node(*one).parent == tree.node(*other).parent)
    {
        leave_out(tree, siblings, &mut cuts);
    }
    let cuts = merge(text, cuts);
    puts.extend(cuts.into_iter().map(|cut| tidy(text, cut)));
    Edit::new(puts)
}

/// Cuts these children of one node, and the separators that stand between nothing then.
fn leave_out(tree: &Tree, gone: &[usize], cuts: &mut Vec<Range<usize>>) {
    cuts.extend(gone.iter().map(|node| tree.range(*node)));
    let Some(parent) = tree.parent(gone[0]) else {
        return;
    };
    let mut gone = gone.iter().copied().peekable();
    // A separator is a token between two items. It goes with the item after it, or when no item before it is left.
    let mut is_any_kept = false;
    let mut separator: Option<usize> = None;
    let mut is_after_item = false;
    for child in tree.children(parent) {
        let node = tree.node(child);
        let is_gone = gone.next_if_eq(&child).is_some();
        if node.is_extra {
            continue;
        }
        // Two items in a row, or two tokens: a new sequence begins.
        if is_after_item == node.is_named && separator.is_none() {
            is_any_kept = false;
        }
        if node.is_named {
            let between = separator.take();
            cuts.extend(
                between
                    .filter(|_| is_gone || !is_any_kept)
                    .map(|separator| tree.range(separator)),
            );
            is_any_kept |= !is_gone;
        } else if separator.take().is_none() && is_after_item {
            separator = Some(child);
        } else {
            is_any_kept = false;
        }
        is_after_item = node.is_named;
    }
}

/// Sorts cuts and joins those that touch, overlap, or have only white space between them.
fn merge(text: &[u8], mut cuts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    cuts.sort_unstable_by_key(|cut| (cut.start, cut.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        match merged.last_mut() {
            Some(last)
                if cut.start <= last.end
                    || text[last.end..cut.start]
                        .iter()
                        .all(u8::is_ascii_whitespace) =>
            {
                last.end = last.end.max(cut.end);
            }
            _ => merged.push(cut),
        }
    }
    merged
}

/// A cut with the white space that goes with it, and a blank where two words would become one.
fn tidy(text: &[u8], cut: Range<usize>) -> Replacement {
    // Whole lines go as they are: what follows is the next line.
    if cut.end > 0 && text[cut.end - 1] == b'\n' {
        return Replacement {
            range: cut,
            with: (&b""[..]).into(),
        };
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\x0c');
    let before = cut.start
        - text[..cut.start]
            .iter()
            .rev()
            .take_while(|byte| is_blank(byte))
            .count();
    let after = cut.end
        + text[cut.end..]
            .iter()
            .take_while(|byte| is_blank(byte))
            .count();
    let starts_line = before == 0 || text[before - 1] == b'\n';
    let ends_line = after == text.len() || text[after] == b'\n';
    let range = match (starts_line, ends_line) {
        (true, true) => before..(after + 1).min(text.len()),
        (false, true) => before..after,
        (false, false) if b";,)]}".contains(&text[after]) => before..after,
        (_, false) => cut.start..after,
    };
    let neighbours = (
        range.start.checked_sub(1).map(|at| text[at]),
        text.get(range.end).copied(),
    );
    let with: &[u8] = match neighbours {
        (Some(left), Some(right)) if would_merge(left, right) => b" ",
        _ => b"",
    };
    Replacement {
        range,
        with: with.into(),
    }
}

/// Whether two bytes next to each other may be read as one token.
pub(crate) fn would_merge(left: u8, right: u8) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    is_word(left) && is_word(right)
        || left == right && left.is_ascii_punctuation() && !b"()[]{};,".contains(&left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grammar, Language};

    fn after(language: &str, text: &str, gone: &[&str]) -> String {
        let grammar = Language::by_name(language).expect("compiled in").grammar();
        let tree = grammar.parse(text.as_bytes()).tree;
        let find = |wanted: &&str| {
            let node = (0..tree.len()).find(|node| &text[tree.range(*node)] == *wanted);
            Change::Item(node.expect("it is in the text"))
        };
        let changes: Vec<Change> = gone.iter().map(find).collect();
        let edited = edit(text.as_bytes(), &tree, &changes).apply(text.as_bytes());
        String::from_utf8(edited).expect("text")
    }

    #[test]
    fn separators_go_with_their_items() {
        let list = "[10, 20, 30, 40]";
        assert_eq!(after("json", list, &["10"]), "[20, 30, 40]");
        assert_eq!(after("json", list, &["20", "30"]), "[10, 40]");
        assert_eq!(after("json", list, &["30", "40"]), "[10, 20]");
        assert_eq!(after("json", list, &["10", "20", "40"]), "[30]");
        assert_eq!(after("json", list, &["10", "20", "30", "40"]), "[]");
        assert_eq!(
            after("json", "{\"a\":1,\"b\":2}", &["\"a\":1"]),
            "{\"b\":2}"
        );
        assert_eq!(after("c", "static int x, y;", &["x"]), "static int y;");
        assert_eq!(after("c", "static int x, y;", &["y"]), "static int x;");
        assert_eq!(after("c", "int x = 12;", &["12"]), "int x;");
        assert_eq!(after("c", "f(a, b);", &["a"]), "f(b);");
    }

    #[test]
    fn white_space_stays_as_a_person_would_leave_it() {
        let block = "void f() {\n    a();\n    b();\n    c();\n}\n";
        assert_eq!(
            after("c", block, &["b();"]),
            "void f() {\n    a();\n    c();\n}\n"
        );
        assert_eq!(
            after("c", block, &["a();", "b();", "c();"]),
            "void f() {\n}\n"
        );
        assert_eq!(after("c", "a(); b(); c();", &["b();"]), "a(); c();");
        assert_eq!(after("c", "x=a*b;", &["a"]), "x=b;");
        assert_eq!(
            after("python", "if x:\n  a()\n  b()\n", &["a()"]),
            "if x:\n  b()\n"
        );
    }
}
