use super::lexer::Lexed;
use super::table::ParserStep;
use yester_tree::{Kind, Node, Tree};

/// Takes down the steps of the parser and makes a tree of them. A text may be nested as deep as it is long, so nothing
/// here calls itself.
#[derive(Default)]
pub(super) struct Growth {
    nodes: Vec<Grown>,
    /// The parts of all rules, one rule's after the other's.
    parts: Vec<u32>,
    /// What is not yet part of something.
    loose: Vec<u32>,
}

struct Grown {
    kind: Kind,
    /// Where its text is, if it has any.
    range: Option<(u32, u32)>,
    parts: (usize, usize),
}

impl Growth {
    /// Takes down a step. Tokens are numbered after the rules.
    pub fn step(&mut self, step: ParserStep, rules: usize) {
        let grown = match step {
            ParserStep::Shift(Lexed { token, start, end }) => Grown {
                kind: (rules + token) as Kind,
                range: Some((start as u32, end as u32)),
                parts: (0, 0),
            },
            ParserStep::Reduce { rule, parts } => {
                let from = self.loose.len() - parts;
                let first = self.parts.len();
                let ranges = || {
                    let parts = self.loose[from..].iter();
                    parts.filter_map(|part| self.nodes[*part as usize].range)
                };
                let range = ranges()
                    .next()
                    .zip(ranges().next_back())
                    .map(|((start, _), (_, end))| (start, end));
                self.parts.extend(self.loose.drain(from..));
                Grown {
                    kind: rule as Kind,
                    range,
                    parts: (first, self.parts.len()),
                }
            }
        };
        self.loose.push(self.nodes.len() as u32);
        self.nodes.push(grown);
    }

    /// The tree of a text of this length. Its root is the whole text, with the white space at both ends.
    pub fn tree(self, length: usize, is_named: &[bool]) -> Tree {
        enum Task {
            Open(u32),
            Close,
        }
        let mut tree = Tree::new();
        let root = *self.loose.last().expect("an accepted text has a root");
        let mut tasks = vec![Task::Open(root)];
        // Where a node without text belongs: after the last token, but within its parent.
        let mut cursor = 0;
        while let Some(task) = tasks.pop() {
            let Task::Open(number) = task else {
                tree.close();
                continue;
            };
            let Grown { kind, range, parts } = self.nodes[number as usize];
            let (start, end) = match range {
                _ if number == root => (0, length as u32),
                Some(range) => range,
                None => (cursor, cursor),
            };
            tree.open(Node {
                start,
                end,
                ..blank(kind, is_named[kind as usize])
            });
            let is_leaf = parts.0 == parts.1;
            cursor = cursor.max(if is_leaf && number != root {
                end
            } else {
                start
            });
            tasks.push(Task::Close);
            let parts = self.parts[parts.0..parts.1].iter().rev();
            tasks.extend(parts.map(|part| Task::Open(*part)));
        }
        tree
    }
}

/// The tree of a text that makes no sense.
pub(super) fn fault(length: usize, kind: Kind) -> Tree {
    let mut tree = Tree::new();
    tree.open(Node {
        is_fault: true,
        end: length as u32,
        ..blank(kind, true)
    });
    tree.close();
    tree
}

fn blank(kind: Kind, is_named: bool) -> Node {
    Node {
        kind,
        field: 0,
        is_named,
        is_extra: false,
        is_fault: false,
        parent: 0,
        after: 0,
        start: 0,
        end: 0,
    }
}
