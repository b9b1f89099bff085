//! Inputs as trees: what a text consists of, and what can be removed from it.
//!
//! # Invariants
//!
//! - Any bytes are an input: nothing here needs valid UTF-8, a last newline, or lines at all.
//! - Keeping every piece gives the input back, byte for byte.

mod auto;
mod choice;
mod difference;
mod directory;
mod document;
mod edit;
mod flat;
mod front;
mod grammar;
mod hdd;
mod language;
mod outline;
mod pruning;
mod removal;
mod size;
mod structure;
mod text;
mod tree;

pub use auto::{Auto, ReduceTuning, source_names};
pub use choice::{ChosenLanguage, LanguageChoice, NamedLanguage};
pub use difference::TextDifferences;
pub use directory::{Choose, Files, reduce_directory};
pub use document::{Document, Proposal, Wrap};
pub use edit::{Edit, Replacement};
pub use flat::{Flat, Unit, ddmin_text};
pub use front::Front;
pub use grammar::{Grammar, Parse};
pub use hdd::{Hdd, Variant};
pub use language::{
    BoundRoles, CallRoles, DeclarationRoles, FunctionRoles, Language, LanguageRoles, Refusal,
    SitterGrammar, TagRoles, TypeRoles, VariableRoles,
};
pub use outline::{Checker, Entity, Outline, faults, outline};
pub use removal::Change;
pub use size::{Extent, Size, is_word, tokens};
pub use structure::Structure;
pub use text::{BIGGEST_TREE, ReducedText, reduce_text};
pub use tree::{Kind, Node, Tree};
