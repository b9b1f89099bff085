use std::collections::HashMap;

use crate::Kind;

/// The numbers that a grammar has for the names in a hand-written table.
pub(crate) struct GrammarNumbers<'a> {
    language: &'a tree_sitter::Language,
    kinds: HashMap<&'a str, Vec<Kind>>,
    /// Names that the grammar does not have. Tests see to it that there are none.
    pub unknown: Vec<String>,
}

impl<'a> GrammarNumbers<'a> {
    pub(crate) fn new(language: &'a tree_sitter::Language) -> GrammarNumbers<'a> {
        let count = Kind::try_from(language.node_kind_count()).expect("a kind is a number");
        let mut kinds: HashMap<&str, Vec<Kind>> = HashMap::new();
        for kind in (0..count).filter(|kind| language.node_kind_is_named(*kind)) {
            if let Some(name) = language.node_kind_for_id(kind) {
                kinds.entry(name).or_default().push(kind);
            }
        }
        GrammarNumbers {
            language,
            kinds,
            unknown: Vec::new(),
        }
    }

    /// The kinds of a name: a grammar may have several.
    pub(crate) fn kinds(&mut self, name: &str) -> Vec<Kind> {
        let kinds = self.kinds.get(name);
        if kinds.is_none() {
            self.unknown.push(name.to_owned());
        }
        kinds.cloned().unwrap_or_default()
    }

    /// The field of a name, or none.
    pub(crate) fn field(&self, name: &str) -> Option<u16> {
        self.language.field_id_for_name(name).map(u16::from)
    }

    /// The field of a name that is known to be one.
    pub(crate) fn needed_field(&mut self, name: &str) -> u16 {
        let field = self.field(name);
        if field.is_none() {
            self.unknown.push(name.to_owned());
        }
        field.unwrap_or(0)
    }
}
