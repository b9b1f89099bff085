use std::ops::Range;

/// What a node is, as its grammar numbers it.
pub type Kind = u16;

/// A part of the text that its grammar has a name for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The role that it plays for its parent, as its grammar numbers it, or 0.
    pub field: u16,
    /// Whether it is a name or a literal or made of parts, and not a fixed token such as a comma.
    pub is_named: bool,
    /// Whether it may stand anywhere, such as a comment.
    pub is_extra: bool,
    /// Whether the parser could make no sense of it, or had to invent it.
    pub is_fault: bool,
    /// The number of the node that it is part of; the root is its own parent.
    pub parent: u32,
    /// The number of the first node after it that is not part of it.
    pub after: u32,
    /// Where its text starts.
    pub start: u32,
    /// Where its text ends.
    pub end: u32,
}

/// The nodes of a text, each before its parts and these from left to right. The root has number 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<Node>,
    open: Vec<u32>,
}

impl Tree {
    /// A tree without nodes, to be filled with [`Tree::open`] and [`Tree::close`].
    pub fn new() -> Tree {
        Tree::default()
    }

    /// Adds a node as the next part of the one that is open, and opens it. Its parent and its end in the numbering
    /// are found out here.
    pub fn open(&mut self, node: Node) -> usize {
        let number = u32::try_from(self.nodes.len()).expect("fewer nodes than bytes");
        let parent = self.open.last().copied().unwrap_or(number);
        self.nodes.push(Node {
            parent,
            after: number + 1,
            ..node
        });
        self.open.push(number);
        number as usize
    }

    /// Closes the node that was opened last.
    pub fn close(&mut self) {
        let number = self.open.pop().expect("a node is open");
        self.nodes[number as usize].after = self.nodes.len() as u32;
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True for a tree without a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node by its number.
    pub fn node(&self, number: usize) -> &Node {
        &self.nodes[number]
    }

    /// Where the text of a node is.
    pub fn range(&self, number: usize) -> Range<usize> {
        let node = &self.nodes[number];
        node.start as usize..node.end as usize
    }

    /// The node that this one is a part of.
    pub fn parent(&self, number: usize) -> Option<usize> {
        let parent = self.nodes[number].parent as usize;
        (parent != number).then_some(parent)
    }

    /// The parts of a node, from left to right.
    pub fn children(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes[number].after as usize;
        let mut next = number + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.nodes[child].after as usize;
            Some(child)
        })
    }

    /// The node and all of its parts and their parts.
    pub fn within(&self, number: usize) -> Range<usize> {
        number..self.nodes[number].after as usize
    }

    /// Whether a node has no parts: it is a token.
    pub fn is_leaf(&self, number: usize) -> bool {
        self.nodes[number].after as usize == number + 1
    }

    /// The tokens, from left to right.
    pub fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|number| self.is_leaf(*number))
    }
}
