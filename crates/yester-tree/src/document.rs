use std::borrow::Cow;
use std::sync::Arc;

use yester_core::{Candidate, Infeasible, Space, Subset, abridged};

use crate::{Change, Edit, Grammar, Parse, Tree, removal};

/// A text with its tree, at one moment of a reduction.
pub struct Document {
    /// The text.
    pub text: Arc<[u8]>,
    /// Its language.
    pub grammar: Arc<dyn Grammar>,
    /// Its tree.
    pub parse: Parse,
}

impl Document {
    /// Parses a text.
    pub fn new(text: impl Into<Arc<[u8]>>, grammar: Arc<dyn Grammar>) -> Document {
        let text = text.into();
        let parse = grammar.parse(&text);
        Document {
            text,
            grammar,
            parse,
        }
    }

    /// The tree of the text.
    pub fn tree(&self) -> &Tree {
        &self.parse.tree
    }

    /// The text of a node.
    pub fn slice(&self, node: usize) -> &[u8] {
        &self.text[self.parse.tree.range(node)]
    }

    /// The text after an edit, unless that has more faults than the text.
    pub fn sound(&self, edit: &Edit) -> Option<Arc<[u8]>> {
        let after = edit.apply_shared(&self.text);
        let faults = self.grammar.faults_after(&self.parse, edit, &after);
        (faults <= self.parse.faults).then_some(after)
    }

    /// Whether these changes leave a text without new faults.
    pub fn allows(&self, changes: &[Change]) -> bool {
        self.sound(&removal::edit(&self.text, self.tree(), changes))
            .is_some()
    }
}

/// How a text is handed to the test: as it is, or as a file of a tree.
pub type Wrap<'a> = &'a (dyn Fn(Arc<[u8]>) -> Candidate + Send + Sync);

/// Ideas about one document as deltas. Applying a delta means rejecting that idea; the empty subset follows all of them.
pub struct Proposal<'a> {
    /// What the changes are about.
    pub document: &'a Document,
    /// What each idea changes.
    pub ideas: &'a [&'a [Change]],
    /// For each idea the ideas that are rejected with it. Empty if no idea needs another one.
    pub needs: &'a [Vec<usize>],
    /// Whether a candidate with new faults is not even tried.
    pub valid: bool,
    /// Makes candidates.
    pub wrap: Wrap<'a>,
}

impl Proposal<'_> {
    /// What following all ideas but these does to the text.
    pub fn edit(&self, kept: &Subset) -> Edit {
        let kept = self.closure(kept);
        let changes = (0..self.ideas.len())
            .filter(|idea| !kept.contains(*idea))
            .flat_map(|idea| self.ideas[idea]);
        removal::edit(&self.document.text, self.document.tree(), changes)
    }

    fn closure<'b>(&self, kept: &'b Subset) -> Cow<'b, Subset> {
        if self.needs.is_empty() {
            return Cow::Borrowed(kept);
        }
        let mut closed = kept.clone();
        let mut open: Vec<usize> = kept.iter().collect();
        while let Some(idea) = open.pop() {
            for needed in &self.needs[idea] {
                if !closed.contains(*needed) {
                    closed.insert(*needed);
                    open.push(*needed);
                }
            }
        }
        Cow::Owned(closed)
    }
}

/// The beginning of a text, in one line.
fn excerpt(text: &[u8]) -> String {
    const MOST: usize = 24;
    let start = text.iter().take_while(|byte| byte.is_ascii_whitespace());
    let text = &text[start.count()..];
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let shown = String::from_utf8_lossy(&line[..line.len().min(MOST)]);
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("“{}{more}”", shown.trim_end())
}

impl Space for Proposal<'_> {
    fn len(&self) -> usize {
        self.ideas.len()
    }

    fn label(&self, delta: usize) -> String {
        format!("idea {}", delta + 1)
    }

    fn describe(&self, kept: &Subset) -> String {
        let followed = || (0..self.len()).filter(|idea| !kept.contains(*idea));
        let text = &self.document.text;
        // What goes, and what comes in its place.
        let change = |idea: usize| match self.ideas[idea].first()? {
            Change::Item(node) => Some((self.document.slice(*node), &b""[..])),
            Change::Cut(range) => Some((&text[range.clone()], &b""[..])),
            Change::Put(range, with) => Some((&text[range.clone()], &with[..])),
        };
        let count = self.len() - kept.len();
        if count == 0 {
            return String::new();
        }
        let is_cut = |idea| change(idea).is_some_and(|(_, with)| with.is_empty());
        if followed().take(2).all(is_cut) {
            let labels = followed().filter_map(change);
            let labels = labels.map(|(was, _)| excerpt(was));
            return format!("without {}", abridged(labels, count));
        }
        let labels = followed().filter_map(change).map(|(was, with)| {
            if with.is_empty() {
                format!("without {}", excerpt(was))
            } else {
                format!("{} for {}", excerpt(with), excerpt(was))
            }
        });
        abridged(labels, count)
    }

    fn weight(&self, delta: usize) -> u64 {
        let sizes = self.ideas[delta].iter().map(|change| match change {
            Change::Item(node) => self.document.tree().range(*node).len(),
            Change::Cut(range) | Change::Put(range, _) => range.len(),
        });
        sizes.sum::<usize>() as u64
    }

    fn render(&self, kept: &Subset) -> Result<Candidate, Infeasible> {
        if kept.len() == self.ideas.len() {
            return Ok((self.wrap)(Arc::clone(&self.document.text)));
        }
        let edit = self.edit(kept);
        let text = if self.valid {
            self.document.sound(&edit).ok_or_else(|| Infeasible {
                reason: "it does not parse".to_owned(),
            })?
        } else {
            edit.apply_shared(&self.document.text)
        };
        Ok((self.wrap)(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn a_candidate_is_described_by_what_goes_and_what_comes() {
        let grammar = Language::by_name("json").expect("compiled in").grammar();
        let text = &b"[12, \"a long text that nobody reads to its end\", 3]"[..];
        let document = Document::new(text, Arc::new(grammar));
        let ideas: [&[Change]; 3] = [
            &[Change::Cut(1..5)],
            &[Change::Cut(5..49)],
            &[Change::Put(1..3, b"0"[..].into())],
        ];
        let proposal = Proposal {
            document: &document,
            ideas: &ideas,
            needs: &[],
            valid: false,
            wrap: &Candidate::File,
        };
        let followed = |ideas: &[usize]| proposal.describe(&Subset::full(3).without(ideas));
        assert_eq!(followed(&[]), "");
        assert_eq!(followed(&[0]), "without “12,”");
        assert_eq!(
            followed(&[0, 1]),
            "without “12,”, “\"a long text that nobody…”"
        );
        assert_eq!(followed(&[0, 2]), "without “12,”, “0” for “12”");
    }
}
