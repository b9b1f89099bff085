//! Changes that name files, moved to a version where these files go by other names.

use std::collections::BTreeMap;

use crate::FileState;
use crate::line::{LineEnds, hunks, is_text};

/// What files and directories are called in another version.
pub(crate) struct RenamedPaths<'a> {
    /// The paths of files.
    pub paths: &'a BTreeMap<String, String>,
    /// Directories whose files have moved to another one, each with that one.
    directories: BTreeMap<String, String>,
    /// Texts by which changes name files, each with what to write instead, the longest first.
    words: Vec<(String, String)>,
}

impl<'a> RenamedPaths<'a> {
    pub fn new(paths: &'a BTreeMap<String, String>) -> Self {
        let mut directories = BTreeMap::new();
        for (old, new) in paths {
            if let (Some((from, _)), Some((to, _))) = (old.rsplit_once('/'), new.rsplit_once('/'))
                && from != to
            {
                directories
                    .entry(from.to_owned())
                    .or_insert_with(|| to.to_owned());
            }
        }
        let mut words = Vec::new();
        for (old, new) in paths.iter().chain(&directories) {
            words.push((old.clone(), new.clone()));
            let (old_stem, new_stem) = (stem(old), stem(new));
            words.push((old_stem.replace('/', "."), new_stem.replace('/', ".")));
            words.push((old_stem.to_owned(), new_stem.to_owned()));
            words.push((name(old).to_owned(), name(new).to_owned()));
        }
        // A single short word may mean anything.
        words.retain(|(old, new)| old != new && old.contains(['/', '.']));
        words.sort_by_key(|(old, _)| (usize::MAX - old.len(), old.clone()));
        words.dedup_by(|one, other| one.0 == other.0);
        RenamedPaths {
            paths,
            directories,
            words,
        }
    }

    /// A changed file with the names of the other version in the lines that were changed, and in the directory of the other
    /// version if it is new.
    pub fn rewritten(
        &self,
        old: Option<&(String, FileState)>,
        (path, state): (String, FileState),
    ) -> (String, FileState) {
        let path = match (old, path.rsplit_once('/')) {
            (None, Some((directory, name))) => match self.directories.get(directory) {
                Some(other) => format!("{other}/{name}"),
                None => path,
            },
            _ => path,
        };
        let before = old.map_or(&[][..], |(_, old)| &old.content);
        if self.words.is_empty() || !is_text(&state.content) || !is_text(before) {
            return (path, state);
        }
        let ends = LineEnds::of(&state.content);
        let mut content = Vec::with_capacity(state.content.len());
        let mut at = 0;
        for hunk in hunks(before, &state.content) {
            content.extend_from_slice(&state.content[ends.bytes(&(at..hunk.new.start))]);
            let lines = String::from_utf8_lossy(&state.content[ends.bytes(&hunk.new)]);
            content.extend_from_slice(self.replaced(&lines).as_bytes());
            at = hunk.new.end;
        }
        content.extend_from_slice(&state.content[ends.bytes(&(at..ends.len()))]);
        let content = content.into();
        (path, FileState { content, ..state })
    }

    /// A text with each name replaced once, from the left.
    fn replaced(&self, text: &str) -> String {
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = None;
        while let Some(character) = rest.chars().next() {
            let is_part = |character: Option<char>| {
                character.is_some_and(|character| character.is_alphanumeric() || character == '_')
            };
            let word = self.words.iter().find(|(old, _)| {
                rest.starts_with(old.as_str())
                    && !is_part(before)
                    && !is_part(rest[old.len()..].chars().next())
            });
            let length = match word {
                Some((old, new)) => {
                    replaced.push_str(new);
                    old.len()
                }
                None => {
                    replaced.push(character);
                    character.len_utf8()
                }
            };
            before = rest[..length].chars().next_back();
            rest = &rest[length..];
        }
        replaced
    }
}

/// A path without the extension of its file.
fn stem(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && !extension.contains('/') => stem,
        _ => path,
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileKind;

    fn rewritten(
        renames: &[(&str, &str)],
        path: &str,
        old: Option<&str>,
        new: &str,
    ) -> (String, String) {
        let renames: BTreeMap<String, String> = renames
            .iter()
            .map(|(old, new)| ((*old).to_owned(), (*new).to_owned()))
            .collect();
        let state = |text: &str| FileState {
            kind: FileKind::File,
            content: text.as_bytes().into(),
        };
        let old = old.map(|old| (path.to_owned(), state(old)));
        let new = (path.to_owned(), state(new));
        let (path, state) = RenamedPaths::new(&renames).rewritten(old.as_ref(), new);
        (path, String::from_utf8_lossy(&state.content).into_owned())
    }

    #[test]
    fn new_lines_name_files_as_the_other_version_does() {
        let renames = [("shop/money/tax.py", "shop/billing/tax.py")];
        let (old, new) = (
            "import shop.money.tax\n",
            "import shop.money.tax\nfrom shop.money.sum import x\nopen('shop/money/tax.py')\nshop.moneys\n",
        );
        assert_eq!(
            rewritten(&renames, "main.py", Some(old), new).1,
            "import shop.money.tax\nfrom shop.billing.sum import x\nopen('shop/billing/tax.py')\nshop.moneys\n"
        );
        let renames = [("src/tax.h", "src/rate.h")];
        assert_eq!(
            rewritten(
                &renames,
                "a.c",
                Some(""),
                "#include \"tax.h\"\n#include \"my_tax.h\"\n"
            )
            .1,
            "#include \"rate.h\"\n#include \"my_tax.h\"\n"
        );
    }

    #[test]
    fn a_new_file_goes_where_its_neighbours_are() {
        let renames = [("shop/money/tax.py", "shop/billing/tax.py")];
        let (path, _) = rewritten(&renames, "shop/money/sum.py", None, "x = 1\n");
        assert_eq!(path, "shop/billing/sum.py");
        let (path, _) = rewritten(&renames, "shop/other/sum.py", None, "x = 1\n");
        assert_eq!(path, "shop/other/sum.py");
    }
}
