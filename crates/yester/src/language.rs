//! `yester languages`.

use serde::Serialize;
use yester_report::{SCHEMA, Sheet, VERSION};
use yester_tree::Language;

use crate::cli::LanguagesArguments;
use crate::failure::{Exit, Failure};
use crate::output;

/// What there is besides languages with a grammar.
const OTHERS: [(&str, &str, &str); 2] = [
    (
        "text",
        "any text",
        "by paragraphs, lines, brackets, words and characters",
    ),
    ("binary", "any bytes", "by chunks and bytes"),
];

#[derive(Serialize)]
struct Languages {
    schema: u32,
    yester: &'static str,
    languages: Vec<ListedLanguage>,
}

/// A language as programs see it.
#[derive(Serialize)]
struct ListedLanguage {
    /// What `--language` takes.
    name: &'static str,
    title: &'static str,
    /// The extensions of its files, without a dot.
    extensions: Vec<&'static str>,
    /// Whole names of files that are in it.
    file_names: Vec<&'static str>,
    /// Whether it has a grammar.
    grammar: bool,
}

pub fn list(arguments: &LanguagesArguments) -> Result<Exit, Failure> {
    if arguments.json {
        let text = serde_json::to_string_pretty(&listed()).expect("plain data");
        return output::print(format!("{text}\n").as_bytes());
    }
    let mut sheet = Sheet::default();
    let mut line =
        |name: &str, title: &str, files: &str| sheet.line(format!("{name:<12}{title:<21}{files}"));
    for language in Language::all() {
        let extensions = language.extensions.iter();
        let files = extensions
            .map(|extension| format!(".{extension}"))
            .chain(language.file_names.iter().map(ToString::to_string));
        let files: Vec<String> = files.collect();
        line(language.name, language.title, &files.join(" "));
    }
    OTHERS
        .iter()
        .for_each(|(name, title, how)| line(name, title, how));
    output::print_text(&sheet.finish())
}

fn listed() -> Languages {
    let known = Language::all().iter().map(|language| ListedLanguage {
        name: language.name,
        title: language.title,
        extensions: language.extensions.to_vec(),
        file_names: language.file_names.to_vec(),
        grammar: true,
    });
    let others = OTHERS.iter().map(|(name, title, _)| ListedLanguage {
        name,
        title,
        extensions: Vec::new(),
        file_names: Vec::new(),
        grammar: false,
    });
    Languages {
        schema: SCHEMA,
        yester: VERSION,
        languages: known.chain(others).collect(),
    }
}
