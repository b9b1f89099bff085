//! Makes the tables of the languages from their grammars and compares them with the committed ones.
//!
//! With `YESTER_WRITE_TABLES=1` they are written instead.

mod check;
mod context;
mod hand;
mod minimal;
mod pattern;
mod phrase;
mod place;
mod rule;
mod substitution;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use yester_tree::Language;

/// The package of each grammar, where its file is in it, and how many kinds have no text that the parser confirms.
const GRAMMARS: [(&str, &str, &str, usize); 17] = [
    ("bash", "tree-sitter-bash", "src", 0),
    ("c", "tree-sitter-c", "src", 0),
    ("cpp", "tree-sitter-cpp", "src", 0),
    ("css", "tree-sitter-css", "src", 0),
    ("go", "tree-sitter-go", "src", 0),
    ("html", "tree-sitter-html", "src", 0),
    ("java", "tree-sitter-java", "src", 0),
    ("javascript", "tree-sitter-javascript", "src", 0),
    ("json", "tree-sitter-json", "src", 0),
    ("python", "tree-sitter-python", "src", 0),
    ("rust", "tree-sitter-rust", "src", 0),
    ("sql", "tree-sitter-sequel", "src", 0),
    ("toml", "tree-sitter-toml-ng", "src", 0),
    ("tsx", "tree-sitter-typescript", "tsx/src", 0),
    ("typescript", "tree-sitter-typescript", "typescript/src", 1),
    ("xml", "tree-sitter-xml", "xml/src", 0),
    ("yaml", "tree-sitter-yaml", "src", 1),
];

#[test]
fn every_table_is_what_its_grammar_gives() {
    let packages = packages();
    let is_writing = env::var_os("YESTER_WRITE_TABLES").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    for (name, package, directory, most) in GRAMMARS {
        let Some(language) = Language::by_name(name) else {
            continue;
        };
        let file = packages[package].join(directory).join("grammar.json");
        let rules = rule::Rules::read(&fs::read_to_string(file).expect("a grammar is shipped"));
        let by_hand = here(&format!("tests/tables/hand/{name}.tsv"));
        let by_hand = hand::Hand::read(&fs::read_to_string(by_hand).unwrap_or_default());
        let table = table::make(language, &rules, &by_hand);
        let unconfirmed = &table.unconfirmed;
        println!(
            "{name}: {} kinds, {} without a text: {}",
            table.kinds.len(),
            unconfirmed.len(),
            unconfirmed.join(" ")
        );
        let file = here(&format!("tables/{name}.tsv"));
        if is_writing {
            fs::write(file, &table.text).expect("the tables can be written");
            continue;
        }
        let committed = fs::read_to_string(file).unwrap_or_default();
        if committed != table.text {
            wrong.push(format!("{name}: the committed table is another"));
        }
        if unconfirmed.len() > most {
            wrong.push(format!("{name}: {} have no text", unconfirmed.join(", ")));
        }
        if table.text.len() > 60_000 {
            wrong.push(format!("{name}: {} bytes are too many", table.text.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A sample of each language, and of how many nodes in a thousand the shortest text must be valid in it. Names of tags
/// must be equal in pairs, so that one of them alone cannot be replaced.
const SAMPLES: [(&str, &str, usize); 17] = [
    ("bash", "sample.sh", 1000),
    ("c", "sample.c", 1000),
    ("cpp", "sample.cpp", 1000),
    ("css", "sample.css", 980),
    ("go", "sample.go", 990),
    ("html", "sample.html", 950),
    ("java", "Sample.java", 1000),
    ("javascript", "sample.js", 1000),
    ("json", "sample.json", 1000),
    ("python", "sample.py", 990),
    ("rust", "sample.rs", 1000),
    ("sql", "sample.sql", 1000),
    ("toml", "sample.toml", 1000),
    ("tsx", "sample.tsx", 1000),
    ("typescript", "sample.ts", 1000),
    ("xml", "sample.xml", 800),
    ("yaml", "sample.yaml", 1000),
];

#[test]
fn the_shortest_texts_are_valid_in_real_ones() {
    let mut low = Vec::new();
    for (name, file, least) in SAMPLES {
        let Some(language) = Language::by_name(name) else {
            continue;
        };
        let text = fs::read(here(&format!("tests/tables/samples/{file}"))).expect("a sample");
        let found = substitution::substitute(language, &text);
        println!(
            "{name}: {} nodes, valid with the shortest text {}, with the preferred one {}, without the node {}",
            found.nodes, found.valid, found.valid_preferred, found.valid_without
        );
        let told = format!("{name}: {}", found.wrong.join("\n  "));
        println!("{told}");
        if found.valid * 1000 < found.nodes * least || found.valid <= found.valid_without {
            low.push(told);
        }
    }
    assert!(low.is_empty(), "{}", low.join("\n"));
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The directory of each package that the workspace depends on. Those of other platforms may not have been downloaded.
fn packages() -> BTreeMap<String, PathBuf> {
    let version = cargo(&["--version", "--verbose"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.expect("cargo knows its host");
    let format = ["metadata", "--format-version", "1", "--offline"];
    let metadata = cargo(&[&format[..], &["--filter-platform", host]].concat());
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata).expect("cargo writes valid JSON");
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .map(|package| {
            let name = package["name"].as_str().expect("a package has a name");
            let manifest = package["manifest_path"].as_str().expect("and a manifest");
            let directory = Path::new(manifest).parent().expect("in a directory");
            (name.to_owned(), directory.to_owned())
        })
        .collect()
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo is there");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo failed: {told}");
    String::from_utf8(output.stdout).expect("cargo writes UTF-8")
}
