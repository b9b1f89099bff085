use std::collections::HashMap;
use std::ops::Range;

use crate::document::Document;
use crate::{Change, Kind};

use super::key::{Key, What};
use super::{
    cosmetics, inlines, items, layers, lengths, names, parts, replacements, return_value,
    type_wrapper,
};

/// Where ideas come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// Leave out comments.
    Comments,
    /// Leave out items of a list together with what needs them.
    Items,
    /// Leave out all parts of a kind everywhere, such as modifiers, annotations or attributes.
    Kinds,
    /// Leave out parts of a node.
    Parts,
    /// Put a part in the place of the whole.
    Shells,
    /// Put another part in the place of the whole than [`Source::Shells`] does.
    OtherShells,
    /// Put the shortest text of its kind in the place of a node that cannot be left out.
    Shortest,
    /// The same for a node that could.
    OtherShortest,
    /// Put a short text that is likely to make sense in the place of a node.
    Preferred,
    /// Put a shorter text of as many tokens in the place of a node.
    Shorter,
    /// Put the smallest similar node of the text in the place of a node.
    Twins,
    /// Leave out everything that mentions a name.
    Uses,
    /// Leave out a parameter with all arguments for it.
    Parameters,
    /// Put one name in the place of another and leave out where that was declared.
    Mergers,
    /// Put something else where a name is used and leave out where it was declared.
    Inlines,
    /// Put the only member of a structure in the place of the structure.
    TypeWrappers,
    /// Take what is around every mention of a name away.
    Layers,
    /// Make a block of binary data shorter together with the number that is its length.
    Lengths,
    /// Let a function give nothing back.
    ReturnValues,
    /// Leave out neighbouring tokens, whatever they are part of.
    Tokens,
    /// Leave out lines, whatever is on them.
    Lines,
    /// Make literals shorter.
    Literals,
    /// Make names shorter.
    Names,
    /// Leave out white space.
    Blanks,
}

/// Stands for several kinds of nodes.
pub(super) const SEVERAL_KINDS: Kind = Kind::MAX - 1;

/// When a source is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// From the beginning.
    Cuts,
    /// When no parts of what is looked at go any more.
    Shapes,
    /// When nothing big goes any more.
    Details,
    /// When nothing goes any more.
    Looks,
}

/// A few changes that belong together.
#[derive(Clone, Debug)]
pub(super) struct Idea {
    pub key: Key,
    pub changes: Vec<Change>,
    /// How many bytes would go.
    pub gain: u64,
}

impl Idea {
    /// The same for one more node, which comes after what it was about.
    pub fn joined(self, range: Range<usize>, change: Change, gain: u64) -> Idea {
        let start = match self.key {
            Key::Place { start, .. } => start as usize,
            Key::Words(_) => range.start,
        };
        let mut changes = self.changes;
        changes.push(change);
        Idea {
            key: Key::place(start..range.end, What::Several),
            changes,
            gain: self.gain + gain,
        }
    }
}

/// Ideas that are tried together.
#[derive(Debug)]
pub(super) struct Batch {
    pub source: Source,
    /// The kind of node that they are about, or [`SEVERAL_KINDS`].
    pub kind: Kind,
    pub ideas: Vec<Idea>,
    /// Whether following all of them at once makes sense.
    pub together: bool,
    /// Whether most of them are expected to work.
    pub likely: bool,
    /// The ideas that stay for an idea that stays, or nothing for none.
    pub needs: Vec<Vec<usize>>,
}

/// What sources look at.
pub(super) struct View<'a> {
    pub document: &'a Document,
    /// Whether candidates with new faults are not tried.
    pub valid: bool,
    /// Nodes with fewer bytes are not looked at yet.
    pub detail: usize,
    /// What was found out about leaving out a child of a kind, from one document to the next.
    pub ways: &'a mut Ways,
}

/// How children can be left out, by the kind of their parent, their own and their role, and from how many of them that
/// is known.
pub(super) type Ways = HashMap<(Kind, Kind, u16), (Way, u8)>;

/// How a node can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// With separators that are not needed any more.
    Item,
    /// Just its text, and the white space that goes with it.
    Cut,
    /// Just its text.
    Exact,
    /// Not at all.
    Never,
}

impl Source {
    pub const ALL: [Source; 24] = [
        Source::Comments,
        Source::Items,
        Source::Kinds,
        Source::Parts,
        Source::Shells,
        Source::OtherShells,
        Source::Shortest,
        Source::OtherShortest,
        Source::Preferred,
        Source::Shorter,
        Source::Twins,
        Source::Uses,
        Source::Parameters,
        Source::Mergers,
        Source::Inlines,
        Source::TypeWrappers,
        Source::Layers,
        Source::Lengths,
        Source::ReturnValues,
        Source::Tokens,
        Source::Lines,
        Source::Literals,
        Source::Names,
        Source::Blanks,
    ];

    /// Big cuts come before small ones, and what only looks better comes last.
    pub fn phase(self) -> Phase {
        match self {
            Source::Comments | Source::Items | Source::Kinds | Source::Parts | Source::Shortest => {
                Phase::Cuts
            }
            Source::Shells | Source::Preferred | Source::Uses => Phase::Shapes,
            Source::OtherShells
            | Source::OtherShortest
            | Source::Shorter
            | Source::Twins
            | Source::Parameters
            | Source::Mergers
            | Source::Inlines
            | Source::TypeWrappers
            | Source::Layers
            | Source::Lengths
            | Source::ReturnValues
            | Source::Tokens
            | Source::Lines => Phase::Details,
            Source::Literals | Source::Names | Source::Blanks => Phase::Looks,
        }
    }

    /// Whether it makes sense where there is no language.
    fn is_for_any_text(self) -> bool {
        matches!(
            self,
            Source::Parts
                | Source::Shells
                | Source::Lengths
                | Source::Lines
                | Source::Literals
                | Source::Blanks
        )
    }

    /// Whether its ideas mostly work all or none, so that they are tried together however many they are.
    pub fn is_uniform(self) -> bool {
        matches!(self, Source::Comments | Source::Names | Source::Blanks)
    }

    /// What a person reads while it is tried.
    pub fn name(self) -> &'static str {
        match self {
            Source::Comments => "leaving out comments",
            Source::Items => "leaving out items with what they need",
            Source::Kinds => "leaving out all parts of a kind",
            Source::Parts => "leaving out parts",
            Source::Shells | Source::OtherShells => "putting parts in the place of the whole",
            Source::Shortest | Source::OtherShortest | Source::Preferred => {
                "putting in the shortest text of a kind"
            }
            Source::Shorter => "putting in shorter text",
            Source::Twins => "putting in smaller text of the same kind",
            Source::Uses => "leaving out names with their uses",
            Source::Parameters => "leaving out parameters with their arguments",
            Source::Mergers => "putting one name in the place of another",
            Source::Inlines => "putting something else in the place of a name",
            Source::TypeWrappers => "putting members in the place of structures",
            Source::Layers => "leaving out what is around a name",
            Source::Lengths => "shortening blocks with their lengths",
            Source::ReturnValues => "leaving out results of functions",
            Source::Tokens => "leaving out tokens",
            Source::Lines => "leaving out lines",
            Source::Literals => "shortening literals",
            Source::Names => "shortening names",
            Source::Blanks => "leaving out white space",
        }
    }

    pub fn propose(self, view: &mut View<'_>) -> Vec<Batch> {
        if !view.document.grammar.is_strict() && !self.is_for_any_text() {
            return Vec::new();
        }
        match self {
            Source::Comments => parts::comments(view),
            Source::Items => items::items(view),
            Source::Kinds => parts::kinds(view),
            Source::Parts => parts::parts(view),
            Source::Shells => replacements::shells(view, 0),
            Source::OtherShells => replacements::shells(view, 1),
            Source::Shortest => replacements::shortest(view, false),
            Source::OtherShortest => replacements::shortest(view, true),
            Source::Preferred => replacements::preferred(view),
            Source::Shorter => replacements::shorter(view),
            Source::Twins => replacements::twins(view),
            Source::Uses => names::uses(view),
            Source::Parameters => names::parameters(view),
            Source::Mergers => names::mergers(view),
            Source::Inlines => inlines::inlines(view),
            Source::TypeWrappers => type_wrapper::type_wrappers(view),
            Source::Layers => layers::layers(view),
            Source::Lengths => lengths::lengths(view),
            Source::ReturnValues => return_value::return_values(view),
            Source::Tokens => parts::tokens(view),
            Source::Lines => parts::lines(view),
            Source::Literals => cosmetics::literals(view),
            Source::Names => cosmetics::names(view),
            Source::Blanks => cosmetics::blanks(view),
        }
    }
}

impl View<'_> {
    /// The key of an idea about a node.
    pub fn key(&self, node: usize) -> Key {
        let tree = self.document.tree();
        let range = tree.range(node);
        let kind = tree.node(node).kind;
        let around = std::iter::successors(tree.parent(node), |outer| tree.parent(*outer));
        let level = around
            .take_while(|outer| tree.range(*outer) == range)
            .filter(|outer| tree.node(*outer).kind == kind)
            .count();
        Key::place(range, What::Node { kind, level })
    }

    /// How a node can be left out. In a text that is big or hard to parse this is found out once for each kind of child of
    /// each kind of node, in others for each node.
    pub fn way(&mut self, node: usize) -> Way {
        let tree = self.document.tree();
        if !self.document.grammar.is_strict() && self.touches_next(node) {
            return Way::Exact;
        }
        if !self.valid {
            return Way::Item;
        }
        let Some(parent) = tree.parent(node) else {
            return Way::Never;
        };
        let class = (
            tree.node(parent).kind,
            tree.node(node).kind,
            tree.node(node).field,
        );
        let known = self.ways.get(&class).copied();
        if (tree.len() >= SMALL || self.document.parse.is_hard)
            && let Some((way, seen)) = known
            && (way != Way::Never || seen >= EXAMPLES)
        {
            return way;
        }
        let way = if self.document.allows(&[Change::Item(node)]) {
            Way::Item
        } else if self.document.allows(&[Change::Cut(tree.range(node))]) {
            Way::Cut
        } else {
            Way::Never
        };
        let seen = known.map_or(0, |(_, seen)| seen).saturating_add(1);
        self.ways.insert(class, (way, seen));
        way
    }

    /// Whether there is nothing between a node and the next one, as between characters or lines.
    fn touches_next(&self, node: usize) -> bool {
        let tree = self.document.tree();
        let node = tree.node(node);
        let next = node.after as usize;
        next < tree.len() && tree.node(next).is_named && tree.node(next).start == node.end
    }

    /// Whether a node has many siblings.
    pub fn is_in_long_list(&self, node: usize) -> bool {
        let tree = self.document.tree();
        let siblings = tree.parent(node).map(|parent| tree.children(parent));
        siblings.is_some_and(|siblings| {
            siblings
                .filter(|child| tree.node(*child).is_named)
                .nth(LONG_LIST)
                .is_some()
        })
    }

    /// The change that leaves out a node.
    pub fn removal(&mut self, node: usize) -> Option<Change> {
        match self.way(node) {
            Way::Item => Some(Change::Item(node)),
            Way::Cut => Some(Change::Cut(self.document.tree().range(node))),
            Way::Exact => {
                let nothing: &[u8] = b"";
                Some(Change::Put(
                    self.document.tree().range(node),
                    nothing.into(),
                ))
            }
            Way::Never => None,
        }
    }
}

/// In a tree with fewer nodes each is looked at by itself.
const SMALL: usize = 2000;

/// How many nodes of a kind have to stay before it is believed that all of them have to, in a big text.
const EXAMPLES: u8 = 3;

/// How many items a long list has at least.
const LONG_LIST: usize = 8;
