//! What the name of a file tells about its language.

/// Languages whose files use each other's names.
const FAMILIES: &[&[&str]] = &[
    &[
        "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inc", "m", "mm", "cu", "y", "l",
    ],
    &[
        "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte",
    ],
    &["java", "kt", "kts", "scala", "groovy"],
    &["py", "pyi", "pyx"],
    &["sh", "bash", "zsh"],
    &["css", "scss", "less"],
];

/// Languages in which blanks at the start of a line mean nothing.
const FREE: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cu", "rs", "go", "java", "kt",
    "scala", "cs", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "php", "pl", "pm", "rb",
    "lua", "swift", "dart", "zig", "css", "scss", "less", "json", "xml", "html", "svg", "sql",
    "toml", "sh", "bash", "zsh", "r", "proto",
];

/// Languages in which brackets outside of strings and comments come in pairs.
const BRACKETED: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cu", "rs", "go", "java", "kt",
    "scala", "cs", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "swift", "dart", "zig",
    "css", "scss", "less", "json",
];

/// Languages that a compiler refuses where a name has no definition.
const COMPILED: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inc", "m", "mm", "cu", "rs", "go", "java",
    "kt", "scala", "cs", "swift", "zig",
];

/// Texts for people.
const PROSE: &[&str] = &[
    "", "md", "markdown", "txt", "rst", "adoc", "org", "tex", "po", "html", "svg",
];

/// Names of files for people, without their extensions.
const FOR_PEOPLE: &[&str] = &[
    "readme",
    "license",
    "licence",
    "copying",
    "authors",
    "contributors",
    "contributing",
    "changes",
    "changelog",
    "history",
    "news",
    "todo",
];

/// Whether a file is for people, or for tools beside the program, as far as its name tells.
pub(crate) fn is_for_people(path: &str) -> bool {
    let is_hidden = |part: &str| part.starts_with('.');
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let stem = name.split(['.', '-']).next().unwrap_or_default();
    path.split('/').any(is_hidden)
        || FOR_PEOPLE.contains(&stem)
        || matches!(extension(path).as_str(), "md" | "markdown" | "rst" | "adoc")
}

/// A name for the languages that a file shares names with.
pub(crate) fn family(path: &str) -> String {
    let extension = extension(path);
    let family = FAMILIES
        .iter()
        .find(|family| family.contains(&extension.as_str()));
    family.map_or(extension, |family| family[0].to_owned())
}

/// Whether a compiler reads a file.
pub(crate) fn is_compiled(path: &str) -> bool {
    COMPILED.contains(&extension(path).as_str())
}

/// Whether words in a file are not names.
pub(crate) fn is_prose(path: &str) -> bool {
    PROSE.contains(&extension(path).as_str())
}

/// Whether blanks at the start of a line mean something. They do if the language is unknown.
pub(crate) fn is_indentation_sensitive(path: &str) -> bool {
    !FREE.contains(&extension(path).as_str())
}

/// Whether brackets come in pairs.
pub(crate) fn has_brackets(path: &str) -> bool {
    BRACKETED.contains(&extension(path).as_str())
}

fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    extension.to_ascii_lowercase()
}
