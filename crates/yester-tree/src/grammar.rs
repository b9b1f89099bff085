use std::any::Any;

use crate::language::NO_ROLES;
use crate::{Edit, Kind, LanguageRoles, Node, Refusal, Tree};

/// Knows the structure of texts in one language.
pub trait Grammar: Send + Sync {
    /// What people call the language.
    fn name(&self) -> &str;

    /// Whether a text can be wrong in this language at all.
    fn is_strict(&self) -> bool {
        true
    }

    /// The tree of a text. There always is one; what makes no sense is a fault in it.
    /// A text that the parser refuses is one node.
    fn parse(&self, text: &[u8]) -> Parse;

    /// Why the parser refuses a text, if it does. Such a text is better reduced in no language at all.
    fn refusal(&self, _text: &[u8]) -> Option<Refusal> {
        None
    }

    /// How many faults a text has that comes from a parsed one by an edit. The default parses it whole.
    fn faults_after(&self, before: &Parse, edit: &Edit, after: &[u8]) -> usize {
        let _ = (before, edit);
        self.parse(after).faults
    }

    /// What a kind is called in the grammar.
    fn kind_name(&self, kind: Kind) -> &str;

    /// Whether nodes of this kind are the characters of a word.
    fn is_character(&self, _kind: Kind) -> bool {
        false
    }

    /// What its nodes mean to the reduction engine.
    fn roles(&self) -> &LanguageRoles {
        &NO_ROLES
    }

    /// The shortest text that is a node of this kind.
    fn minimal(&self, kind: Kind) -> Option<&str>;

    /// A text that makes more sense in most places of this kind than the shortest one, such as `int` for a type. It need
    /// not be a node of this kind, and there may be places where it does not fit.
    fn preferred(&self, _kind: Kind) -> Option<&str> {
        None
    }

    /// Whether the grammar has a place where a node of either kind may stand.
    fn are_exchangeable(&self, one: Kind, other: Kind) -> bool;
}

/// A text's tree.
pub struct Parse {
    /// Its nodes.
    pub tree: Tree,
    /// How many places the parser could make no sense of.
    pub faults: usize,
    /// Whether a text like this takes much longer to parse than others of its length. Then not every node can be asked
    /// about.
    pub is_hard: bool,
    /// What the grammar wants to have at hand when it parses a similar text.
    pub memory: Option<Box<dyn Any + Send + Sync>>,
}

impl Parse {
    /// All of a text as one node that makes no sense. It has as many faults as there can be, so that no text has more.
    pub(crate) fn without_structure(text: &[u8]) -> Parse {
        let mut tree = Tree::new();
        tree.open(Node {
            kind: Kind::MAX,
            field: 0,
            is_named: true,
            is_extra: false,
            is_fault: true,
            parent: 0,
            after: 0,
            start: 0,
            end: text.len() as u32,
        });
        tree.close();
        Parse {
            tree,
            faults: usize::MAX,
            is_hard: true,
            memory: None,
        }
    }
}
