//! The languages that are compiled in: their names, their files, and their grammars.

mod sitter;

use std::path::Path;

pub use sitter::SitterGrammar;

/// A language that is compiled in.
pub struct Language {
    /// What it is called after `--language`.
    pub name: &'static str,
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

    /// The language of a file by its name.
    pub fn by_path(path: &Path) -> Option<&'static Language> {
        let name = path.file_name()?.to_str()?;
        let extension = path.extension().and_then(|extension| extension.to_str());
        LANGUAGES.iter().find(|language| {
            language.file_names.contains(&name)
                || extension.is_some_and(|extension| language.extensions.contains(&extension))
        })
    }

    /// Its grammar, ready to parse.
    pub fn grammar(&self) -> SitterGrammar {
        SitterGrammar::new(self.name, &(self.parser)(), self.table)
    }
}

macro_rules! language {
    ($name:literal, $parser:expr, [$($extension:literal),*], [$($file:literal),*]) => {
        Language {
            name: $name,
            extensions: &[$($extension),*],
            file_names: &[$($file),*],
            parser: || $parser.into(),
            table: "",
        }
    };
}

static LANGUAGES: &[Language] = &[
    #[cfg(feature = "bash")]
    language!("bash", tree_sitter_bash::LANGUAGE, ["sh", "bash"], []),
    #[cfg(feature = "c")]
    language!("c", tree_sitter_c::LANGUAGE, ["c", "h", "i"], []),
    #[cfg(feature = "cpp")]
    language!(
        "cpp",
        tree_sitter_cpp::LANGUAGE,
        ["cc", "cpp", "cxx", "hpp", "hh", "hxx", "ii", "C"],
        []
    ),
    #[cfg(feature = "css")]
    language!("css", tree_sitter_css::LANGUAGE, ["css"], []),
    #[cfg(feature = "go")]
    language!("go", tree_sitter_go::LANGUAGE, ["go"], []),
    #[cfg(feature = "html")]
    language!("html", tree_sitter_html::LANGUAGE, ["html", "htm"], []),
    #[cfg(feature = "java")]
    language!("java", tree_sitter_java::LANGUAGE, ["java"], []),
    #[cfg(feature = "javascript")]
    language!(
        "javascript",
        tree_sitter_javascript::LANGUAGE,
        ["js", "mjs", "cjs", "jsx"],
        []
    ),
    #[cfg(feature = "json")]
    language!("json", tree_sitter_json::LANGUAGE, ["json", "geojson"], []),
    #[cfg(feature = "python")]
    language!("python", tree_sitter_python::LANGUAGE, ["py", "pyi"], []),
    #[cfg(feature = "rust")]
    language!("rust", tree_sitter_rust::LANGUAGE, ["rs"], []),
    #[cfg(feature = "sql")]
    language!("sql", tree_sitter_sequel::LANGUAGE, ["sql"], []),
    #[cfg(feature = "toml")]
    language!("toml", tree_sitter_toml_ng::LANGUAGE, ["toml"], []),
    #[cfg(feature = "typescript")]
    language!("tsx", tree_sitter_typescript::LANGUAGE_TSX, ["tsx"], []),
    #[cfg(feature = "typescript")]
    language!(
        "typescript",
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        ["ts", "mts", "cts"],
        []
    ),
    #[cfg(feature = "xml")]
    language!(
        "xml",
        tree_sitter_xml::LANGUAGE_XML,
        ["xml", "svg", "xsl", "xslt", "xsd", "rng"],
        []
    ),
    #[cfg(feature = "yaml")]
    language!("yaml", tree_sitter_yaml::LANGUAGE, ["yaml", "yml"], []),
];
