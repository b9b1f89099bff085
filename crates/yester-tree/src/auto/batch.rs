use std::collections::HashMap;
use std::ops::Range;

use crate::document::Document;
use crate::{Change, Kind};

use super::key::{Key, What};
use super::tuning::ReduceTuning;
use super::{
    call, cosmetic, declaration, everywhere, hoist, indentation, inline, length, literal, name,
    pair, part, phrase, replacement, return_value, simple, tag, type_bound, type_wrapper,
};

/// Where ideas come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// Remove comments.
    Comments,
    /// Remove declarations of a long list together with what needs them.
    Declarations,
    /// Remove all parts of a kind everywhere, such as modifiers, annotations or attributes.
    Kinds,
    /// Remove parts of a node.
    Parts,
    /// Put the biggest part that fits in the place of the whole.
    Hoists,
    /// Put another part in the place of the whole than [`Source::Hoists`] does.
    OtherHoists,
    /// Put a body that any function may have in the place of the bodies of functions.
    Stubs,
    /// Put an expression in the place of the statement that it is in.
    Phrases,
    /// Put the shortest text of its kind in the place of a node that cannot be removed.
    Shortest,
    /// The same for a node that can.
    OtherShortest,
    /// Put a short text that is likely to make sense in the place of a node.
    Preferred,
    /// Put a shorter text of as many tokens in the place of a node.
    Shorter,
    /// Put the smallest similar node of the text in the place of a node.
    Similar,
    /// Remove everything that mentions a name.
    Mentions,
    /// Remove a parameter with all arguments for it.
    Parameters,
    /// Replace one name by another, and remove the declaration of the first.
    NameMerges,
    /// Replace the uses of a name by something else, and remove its declaration.
    Inlines,
    /// Put the body of a function in the place of its calls.
    Calls,
    /// Put something smaller in all places where the same text stands.
    Everywhere,
    /// Put the bound of a type where that type is used.
    TypeBounds,
    /// Replace a type that only wraps another one by that one.
    TypeWrappers,
    /// Hoist something at every mention of a name at once.
    HoistsAtMentions,
    /// Shorten a block of binary data together with the number that is its length.
    Lengths,
    /// Let a function return nothing.
    ReturnValues,
    /// Remove neighbouring tokens, whatever they are part of.
    Tokens,
    /// Remove lines, whatever is on them.
    Lines,
    /// Remove characters of words, in a text without a language.
    Characters,
    /// Shorten literals.
    Literals,
    /// Shorten names.
    Names,
    /// Remove white space.
    Whitespace,
    /// Make the indentation narrower.
    Indentation,
    /// Write an element without content as one tag.
    EmptyTags,
    /// Put simple tokens in the place of long ones.
    SimpleTokens,
    /// Make two changes that only work together.
    Pairs,
}

/// Stands for several kinds of nodes.
pub(super) const SEVERAL_KINDS: Kind = Kind::MAX - 1;

/// When a source is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// From the beginning: it removes much.
    Removals,
    /// When nothing can be removed any more at the present detail.
    Replacements,
    /// When nothing big works any more: it changes little, and much of that is rejected.
    Details,
    /// Before the details: it leaves the structure alone, and later ideas have less to read.
    Cosmetics,
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
    /// For each idea the ideas that have to be rejected with it. Empty if no idea needs another one.
    pub needs: Vec<Vec<usize>>,
}

impl Batch {
    /// What each idea changes.
    pub fn changes(&self) -> Vec<&[Change]> {
        self.ideas.iter().map(|idea| &idea.changes[..]).collect()
    }
}

/// What sources look at.
pub(super) struct View<'a> {
    pub document: &'a Document,
    /// Whether candidates with new syntax errors are not tried.
    pub valid: bool,
    /// Nodes with fewer bytes are not looked at yet.
    pub detail: usize,
    /// What was found out about removing a child of a kind, from one document to the next.
    pub removal_modes: &'a mut RemovalModes,
    /// The numbers of the search.
    pub tuning: &'a ReduceTuning,
}

/// What was found out about removing nodes.
#[derive(Default)]
pub(super) struct RemovalModes {
    /// How children can be removed, by the kind of their parent, their own kind and their field, and from how many
    /// examples that is known.
    by_kind: HashMap<(Kind, Kind, u16), (RemovalMode, usize)>,
    /// The same for single nodes of the present document.
    by_node: HashMap<usize, RemovalMode>,
}

impl RemovalModes {
    /// Forgets what holds for the nodes of one document only.
    pub fn forget_nodes(&mut self) {
        self.by_node.clear();
    }
}

/// How a node can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemovalMode {
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
    pub const ALL: [Source; 34] = [
        Source::Comments,
        Source::Declarations,
        Source::Kinds,
        Source::Parts,
        Source::Hoists,
        Source::OtherHoists,
        Source::Stubs,
        Source::Shortest,
        Source::OtherShortest,
        Source::Preferred,
        Source::Shorter,
        Source::Similar,
        Source::Mentions,
        Source::Parameters,
        Source::NameMerges,
        Source::Inlines,
        Source::Calls,
        Source::Everywhere,
        Source::TypeBounds,
        Source::TypeWrappers,
        Source::HoistsAtMentions,
        Source::Lengths,
        Source::ReturnValues,
        Source::Tokens,
        Source::Lines,
        Source::Characters,
        Source::Literals,
        Source::Names,
        Source::Whitespace,
        Source::Indentation,
        Source::EmptyTags,
        Source::Phrases,
        Source::SimpleTokens,
        Source::Pairs,
    ];

    /// Big removals come before small ones. In a text without a language, white space is as good as anything else.
    pub fn tier(self, has_language: bool) -> Tier {
        match self {
            Source::Whitespace if !has_language => Tier::Removals,
            Source::Comments
            | Source::Declarations
            | Source::Kinds
            | Source::Parts
            | Source::Stubs
            | Source::Shortest => Tier::Removals,
            Source::Hoists | Source::Preferred | Source::Mentions => Tier::Replacements,
            Source::OtherHoists
            | Source::OtherShortest
            | Source::Shorter
            | Source::Similar
            | Source::Parameters
            | Source::NameMerges
            | Source::Inlines
            | Source::Calls
            | Source::Everywhere
            | Source::TypeBounds
            | Source::TypeWrappers
            | Source::HoistsAtMentions
            | Source::Lengths
            | Source::ReturnValues
            | Source::Tokens
            | Source::Lines
            | Source::Characters
            | Source::Phrases
            | Source::SimpleTokens
            | Source::Pairs => Tier::Details,
            Source::Literals
            | Source::Names
            | Source::Whitespace
            | Source::Indentation
            | Source::EmptyTags => Tier::Cosmetics,
        }
    }

    /// Whether it makes sense in a text without a language.
    fn is_for_any_text(self) -> bool {
        matches!(
            self,
            Source::Parts
                | Source::Hoists
                | Source::Lengths
                | Source::Lines
                | Source::Characters
                | Source::Literals
                | Source::Whitespace
        )
    }

    /// Whether its ideas mostly work all or none, so that a batch may have any number of them.
    pub fn is_uniform(self) -> bool {
        matches!(self, Source::Stubs | Source::Names | Source::Whitespace)
    }

    /// Whether an idea of it seldom works, and hardly ever on a text that differs little from one on which it did not.
    pub fn is_guess(self) -> bool {
        matches!(
            self,
            Source::Similar
                | Source::NameMerges
                | Source::Inlines
                | Source::Calls
                | Source::Everywhere
                | Source::TypeBounds
                | Source::TypeWrappers
                | Source::HoistsAtMentions
                | Source::SimpleTokens
                | Source::Pairs
        )
    }

    /// What a person reads while it is tried.
    pub fn name(self) -> &'static str {
        match self {
            Source::Comments => "removing comments",
            Source::Declarations => "removing declarations with their uses",
            Source::Kinds => "removing all parts of a kind",
            Source::Parts => "removing parts",
            Source::Hoists | Source::OtherHoists => "hoisting parts",
            Source::HoistsAtMentions => "hoisting at all mentions of a name",
            Source::Shortest | Source::OtherShortest | Source::Preferred => {
                "replacing parts by the shortest text"
            }
            Source::Stubs => "emptying functions",
            Source::Shorter => "replacing parts by shorter text",
            Source::Similar => "replacing parts by smaller similar ones",
            Source::Mentions => "removing names with all mentions",
            Source::Parameters => "removing parameters with their arguments",
            Source::NameMerges => "merging names",
            Source::Inlines => "inlining names",
            Source::Calls => "inlining calls",
            Source::Everywhere => "replacing all places of a text",
            Source::TypeBounds => "moving bounds of types",
            Source::TypeWrappers => "unwrapping types",
            Source::Lengths => "shortening blocks with their lengths",
            Source::ReturnValues => "removing return values",
            Source::Tokens => "removing tokens",
            Source::Lines => "removing lines",
            Source::Characters => "removing characters",
            Source::Literals => "shortening literals",
            Source::Names => "shortening names",
            Source::Whitespace | Source::Indentation => "removing white space",
            Source::EmptyTags => "joining tags without content",
            Source::Phrases => "making expressions statements",
            Source::SimpleTokens => "simplifying tokens",
            Source::Pairs => "making two changes at once",
        }
    }

    pub fn propose(self, view: &mut View<'_>) -> Vec<Batch> {
        if !view.document.grammar.is_strict() && !self.is_for_any_text() {
            return Vec::new();
        }
        match self {
            Source::Comments => part::comments(view),
            Source::Declarations => declaration::declarations(view),
            Source::Kinds => part::kinds(view),
            Source::Parts => part::parts(view),
            Source::Hoists => hoist::hoists(view),
            Source::OtherHoists => hoist::other_hoists(view),
            Source::Stubs => replacement::stubs(view),
            Source::Shortest => replacement::shortest(view, false),
            Source::OtherShortest => replacement::shortest(view, true),
            Source::Preferred => replacement::preferred(view),
            Source::Shorter => replacement::shorter(view),
            Source::Similar => replacement::similar(view),
            Source::Mentions => name::mentions(view),
            Source::Parameters => name::parameters(view),
            Source::NameMerges => name::name_merges(view),
            Source::Inlines => inline::inlines(view),
            Source::Calls => call::calls(view),
            Source::Everywhere => everywhere::everywhere(view),
            Source::TypeBounds => type_bound::type_bounds(view),
            Source::TypeWrappers => type_wrapper::type_wrappers(view),
            Source::HoistsAtMentions => hoist::hoists_at_mentions(view),
            Source::Lengths => length::lengths(view),
            Source::ReturnValues => return_value::return_values(view),
            Source::Tokens => part::tokens(view),
            Source::Lines => part::lines(view),
            Source::Characters => part::characters(view),
            Source::Literals => literal::literals(view),
            Source::Names => cosmetic::names(view),
            Source::Whitespace => cosmetic::whitespace(view),
            Source::Indentation => indentation::indentation(view),
            Source::EmptyTags => tag::empty_tags(view),
            Source::Phrases => phrase::phrases(view),
            Source::SimpleTokens => simple::simple_tokens(view),
            Source::Pairs => pair::pairs(view),
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

    /// How a node can be removed. In a text that is big or hard to parse this is found out once for each kind of child of
    /// each kind of node, in others for each node.
    pub fn removal_mode(&mut self, node: usize) -> RemovalMode {
        let tree = self.document.tree();
        if !self.document.grammar.is_strict() && self.touches_next(node) {
            return RemovalMode::Exact;
        }
        if !self.valid {
            return RemovalMode::Item;
        }
        let Some(parent) = tree.parent(node) else {
            return RemovalMode::Never;
        };
        let class = (
            tree.node(parent).kind,
            tree.node(node).kind,
            tree.node(node).field,
        );
        let known = self.removal_modes.by_kind.get(&class).copied();
        if (tree.len() >= self.tuning.small_tree || self.document.parse.is_hard)
            && let Some((mode, seen)) = known
            && (mode != RemovalMode::Never || seen >= self.tuning.examples)
        {
            return mode;
        }
        if let Some(mode) = self.removal_modes.by_node.get(&node) {
            return *mode;
        }
        let mode = if self.document.allows(&[Change::Item(node)]) {
            RemovalMode::Item
        } else if self.document.allows(&[Change::Cut(tree.range(node))]) {
            RemovalMode::Cut
        } else {
            RemovalMode::Never
        };
        let seen = known.map_or(0, |(_, seen)| seen).saturating_add(1);
        self.removal_modes.by_kind.insert(class, (mode, seen));
        self.removal_modes.by_node.insert(node, mode);
        mode
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
                .nth(self.tuning.long_list)
                .is_some()
        })
    }

    /// The change that removes a node.
    pub fn removal(&mut self, node: usize) -> Option<Change> {
        match self.removal_mode(node) {
            RemovalMode::Item => Some(Change::Item(node)),
            RemovalMode::Cut => Some(Change::Cut(self.document.tree().range(node))),
            RemovalMode::Exact => {
                let nothing: &[u8] = b"";
                Some(Change::Put(
                    self.document.tree().range(node),
                    nothing.into(),
                ))
            }
            RemovalMode::Never => None,
        }
    }
}
