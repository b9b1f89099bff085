//! Who knows languages for the crate that knows changes.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use yester_patch::{FileEntity, FileOutline, Outliner};
use yester_tree::{Checker, Language};

/// Longer texts are not parsed: a tree takes sixty times the text, and parsing it longer than most tests.
const LONGEST: usize = 16 << 20;

/// Tells what is in a file by the parsers of yester-tree.
#[derive(Default)]
pub struct Languages {
    /// The parsed files of BAD, each with its text.
    checkers: Mutex<HashMap<String, (Vec<u8>, Checker)>>,
}

fn language(path: &str, content: &[u8]) -> Option<&'static Language> {
    Language::by_path(Path::new(path)).filter(|_| content.len() <= LONGEST)
}

impl Outliner for Languages {
    fn outline(&self, path: &str, content: &[u8]) -> Option<FileOutline> {
        let outline = yester_tree::outline(language(path, content)?, content)?;
        let entity = |entity: yester_tree::Entity| FileEntity {
            name: entity.name,
            kind: entity.kind.to_owned(),
            lines: entity.lines,
            depth: entity.depth as u32,
        };
        Some(FileOutline {
            entities: outline.entities.into_iter().map(entity).collect(),
            definitions: outline.definitions,
            locals: outline.locals,
            uses: outline.uses,
            comments: outline.comments,
            open: outline.open,
            faults: outline.faults,
        })
    }

    fn faults(&self, path: &str, like: &[u8], content: &[u8]) -> Vec<u32> {
        let Some(language) = language(path, content).and(language(path, like)) else {
            return Vec::new();
        };
        let mut checkers = self.checkers.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || (like.to_vec(), Checker::new(language, like.to_vec()));
        let checker = checkers.entry(path.to_owned()).or_insert_with(make);
        if checker.0 != like {
            *checker = make();
        }
        checker.1.faults(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_text_has_faults_whatever_was_asked_before() {
        let languages = Languages::default();
        let good = b"def f():\n    return 1\n";
        assert!(languages.faults("a.py", good, good).is_empty());
        assert!(
            !languages
                .faults("a.py", good, b"def f(:\n    return 1\n")
                .is_empty()
        );
        let other = b"def f():\n    return 2\n";
        assert!(languages.faults("a.py", good, other).is_empty());
        let unknown = languages.faults("a.unknown", good, b"def f(:");
        assert!(unknown.is_empty());
    }

    #[test]
    fn what_is_known_of_a_text_is_handed_on() {
        let languages = Languages::default();
        let outline = languages.outline("src/a.py", b"# why\ndef f():\n    return g()\n");
        let outline = outline.expect("Python is known");
        assert_eq!(outline.entities[0].name, "f");
        assert!(
            outline
                .uses
                .iter()
                .any(|(name, line)| name == "g" && *line == 2)
        );
        assert_eq!(outline.comments.len(), 1);
        assert!(languages.outline("a.unknown", b"").is_none());
    }
}
