//! Which language a text is taken for.

use std::path::Path;
use std::sync::Arc;

use crate::{BIGGEST_TREE, Grammar, Language, Structure};

/// What a user may take a text for.
#[derive(Clone, Copy)]
pub enum NamedLanguage {
    /// A language with a grammar.
    Language(&'static Language),
    /// Any text.
    Text,
    /// Any bytes.
    Binary,
}

impl NamedLanguage {
    /// The language of this name.
    pub fn by_name(name: &str) -> Option<NamedLanguage> {
        match name {
            "text" => Some(NamedLanguage::Text),
            "binary" => Some(NamedLanguage::Binary),
            _ => Language::by_name(name).map(NamedLanguage::Language),
        }
    }
}

/// What the user says about the language of a text.
#[derive(Default)]
pub struct LanguageChoice {
    /// The user's own language, which goes before all others.
    pub own: Option<Arc<dyn Grammar>>,
    /// The language that the user has named.
    pub named: Option<NamedLanguage>,
    /// Whether candidates have to parse.
    pub valid: Option<bool>,
}

/// The language of a text.
pub struct ChosenLanguage {
    /// Its grammar.
    pub grammar: Arc<dyn Grammar>,
    /// Whether candidates have to parse.
    pub valid: bool,
    /// Why it is not the language that the text seems to be in.
    pub reason: Option<String>,
}

impl LanguageChoice {
    /// Chooses the language of a text by what the user says, by its name, and by how it begins.
    pub fn of(&self, path: &Path, content: &[u8]) -> ChosenLanguage {
        let grammar: Arc<dyn Grammar> = match (&self.own, self.named) {
            (Some(own), _) => Arc::clone(own),
            (None, Some(NamedLanguage::Language(language))) => Arc::new(language.grammar()),
            (None, Some(NamedLanguage::Text)) => Arc::new(Structure::text()),
            (None, Some(NamedLanguage::Binary)) => Arc::new(Structure::binary()),
            (None, None) => {
                let by_content = || Language::by_content(content);
                match Language::by_path(path).or_else(by_content) {
                    Some(language) => Arc::new(language.grammar()),
                    None => Arc::new(Structure::of(content)),
                }
            }
        };
        let refusal = match content.len() {
            // It is cut in another way first.
            BIGGEST_TREE.. => None,
            _ => grammar.refusal(content),
        };
        let reason = refusal.map(|refusal| format!("{refusal} of {}", grammar.name()));
        let grammar = match refusal {
            Some(_) => Arc::new(Structure::of(content)),
            None => grammar,
        };
        ChosenLanguage {
            valid: grammar.is_strict() && self.valid.unwrap_or(true),
            grammar,
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_says_goes_before_the_name_and_the_name_before_the_beginning() {
        let (path, text) = (Path::new("a.json"), b"#!/bin/sh\n[1]");
        let name =
            |choice: &LanguageChoice, path: &Path| choice.of(path, text).grammar.name().to_owned();
        let mut choice = LanguageChoice::default();
        assert_eq!(name(&choice, path), "json");
        assert_eq!(name(&choice, Path::new("a")), "bash");
        choice.named = NamedLanguage::by_name("python");
        assert_eq!(name(&choice, path), "python");
    }

    #[test]
    fn candidates_have_to_parse_unless_the_user_or_the_language_allows_otherwise() {
        let is_valid = |named: &str, valid| {
            let named = NamedLanguage::by_name(named);
            let choice = LanguageChoice {
                own: None,
                named,
                valid,
            };
            choice.of(Path::new("a"), b"[]").valid
        };
        assert!(is_valid("json", None));
        assert!(!is_valid("json", Some(false)));
        assert!(!is_valid("text", Some(true)));
    }
}
