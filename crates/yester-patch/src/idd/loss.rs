//! Does the fix leave the test something to test?

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::Backport;

/// Lines that define something, in most languages.
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    let word = r"(?m)^[ \t]*(?:\w+[ \t]+)*(?:def|class|function|func|fn|sub|struct|interface|enum)[ \t]+(\w+)";
    let call = r"(?m)^(?:[\w*]+[ \t*]+)*(\w+)[ \t]*\([^;\n]*$";
    Regex::new(&format!("{word}|{call}")).expect("a constant")
});

/// A name that the text of a test uses and a fix takes out: then the test may pass because it tests nothing any more.
pub fn lost_name(fix: &Backport, test: &str) -> Option<String> {
    let (mut gone, mut there) = (BTreeSet::new(), BTreeSet::new());
    for change in &fix.space().difference().changes {
        for (side, names) in [(&change.old, &mut gone), (&change.new, &mut there)] {
            let text = side.as_ref().map(|(_, state)| &*state.content);
            let text = String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
            names.extend(defined(&text));
        }
    }
    let words: BTreeSet<&str> = test
        .split(|character: char| !character.is_alphanumeric() && character != '_')
        .collect();
    let mut lost = gone.difference(&there);
    lost.find(|name| words.contains(name.as_str())).cloned()
}

/// The names that a text defines.
fn defined(text: &str) -> BTreeSet<String> {
    let names = DEFINITION.captures_iter(text);
    let names = names.filter_map(|found| found.get(1).or_else(|| found.get(2)));
    let is_word = |name: &&str| !["if", "for", "while", "switch", "return", "catch"].contains(name);
    let names = names.map(|name| name.as_str()).filter(is_word);
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_told_from_calls() {
        let text = "long tax_of(long amount) {\n  tax_rest(1);\n}\ndouble() {\n}\nif (x) {\nclass Order:\n    def pay(self):\n\
                    export async function load(\npub fn walk(\ntax_of(3);\n";
        let names: Vec<String> = defined(text).into_iter().collect();
        assert_eq!(names, ["Order", "double", "load", "pay", "tax_of", "walk"]);
    }
}
