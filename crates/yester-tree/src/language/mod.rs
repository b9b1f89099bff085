//! The languages that are compiled in: their names, their files, and their grammars.

mod content;
mod fault;
mod guard;
mod number;
mod parser;
mod registry;
mod role;
mod sitter;
mod table;

use std::path::Path;

pub(crate) use number::GrammarNumbers;
pub(crate) use parser::Parser;
pub use parser::Refusal;
use registry::LANGUAGES;
pub(crate) use role::NO_ROLES;
pub use role::{
    BoundRoles, CallRoles, DeclarationRoles, FunctionRoles, LanguageRoles, TagRoles, TypeRoles,
    VariableRoles,
};
pub use sitter::SitterGrammar;

/// A language that is compiled in.
pub struct Language {
    /// What it is called after `--language`.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The extensions of its files.
    pub extensions: &'static [&'static str],
    /// Whole names of its files.
    pub file_names: &'static [&'static str],
    parser: fn() -> tree_sitter::Language,
    /// Made from the grammar: a kind, its shortest text, and the places where it may stand, a line each.
    table: &'static str,
}

impl Language {
    /// All languages, by name.
    pub fn all() -> &'static [Language] {
        LANGUAGES
    }

    /// The language with this name.
    pub fn by_name(name: &str) -> Option<&'static Language> {
        LANGUAGES.iter().find(|language| language.name == name)
    }

    /// The language of a file by its name: its whole name, or its extension in small or big letters. Only `C` and `c`
    /// are two extensions.
    pub fn by_path(path: &Path) -> Option<&'static Language> {
        let name = path.file_name()?.to_str()?;
        let by_name = LANGUAGES
            .iter()
            .find(|language| language.file_names.contains(&name));
        by_name.or_else(|| {
            let extension = path.extension()?.to_str()?;
            let small = extension.to_ascii_lowercase();
            let with = |extension: &str| {
                let mut languages = LANGUAGES.iter();
                languages.find(|language| language.extensions.contains(&extension))
            };
            with(extension).or_else(|| with(&small))
        })
    }

    /// The language of a text by how it begins, if that leaves little doubt.
    pub fn by_content(text: &[u8]) -> Option<&'static Language> {
        content::language(text).and_then(Language::by_name)
    }

    /// Its grammar, ready to parse.
    pub fn grammar(&self) -> SitterGrammar {
        SitterGrammar::new(self.name, &(self.parser)(), self.table)
    }

    /// Its parser alone, for those who need no table: this takes no time.
    pub(crate) fn parser(&self) -> Parser {
        Parser::new(self.name, &(self.parser)())
    }

    /// What its nodes mean.
    pub(crate) fn roles(&self) -> LanguageRoles {
        LanguageRoles::new(self.name, &(self.parser)())
    }
}
