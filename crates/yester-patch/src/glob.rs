//! Patterns for paths, as people know them from the shell and from `.gitignore`.

use regex::Regex;

/// A pattern: `*` and `?` stay within a name, `**` does not. A pattern without a slash is about names anywhere; one that
/// matches a directory is about all that lies in it.
#[derive(Debug)]
pub struct Glob(Regex);

impl Glob {
    /// A pattern as a user writes it.
    pub fn new(pattern: &str) -> Glob {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        let mut text = if pattern.contains('/') {
            "^".to_owned()
        } else {
            "^(.*/)?".to_owned()
        };
        let mut rest = pattern.trim_start_matches('/');
        while let Some(character) = rest.chars().next() {
            let (length, part) = match character {
                _ if rest.starts_with("**/") => (3, "(.*/)?".to_owned()),
                _ if rest.starts_with("**") => (2, ".*".to_owned()),
                '*' => (1, "[^/]*".to_owned()),
                '?' => (1, "[^/]".to_owned()),
                other => (other.len_utf8(), regex::escape(&other.to_string())),
            };
            text.push_str(&part);
            rest = &rest[length..];
        }
        text.push_str("(/.*)?$");
        Glob(Regex::new(&text).expect("all of it is escaped"))
    }

    /// Whether a path is one of those that are meant.
    pub fn matches(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_to_git() {
        for (pattern, path, matches) in [
            ("*.json", "data/a.json", true),
            ("*.json", "data/a.js", false),
            ("tests", "a/tests/b.c", true),
            ("tests/", "tests/b.c", true),
            ("tests/**", "tests/x/b.c", true),
            ("src/*.c", "src/a.c", true),
            ("src/*.c", "src/x/a.c", false),
            ("src/**/a.c", "src/a.c", true),
            ("./src/?.c", "src/b.c", true),
            ("a+b(c)", "a+b(c)", true),
            ("/top", "top", true),
            ("/top/x", "a/top/x", false),
        ] {
            assert_eq!(
                Glob::new(pattern).matches(path),
                matches,
                "{pattern} {path}"
            );
        }
    }
}
