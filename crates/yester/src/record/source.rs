//! The sources of a version that was built: their names as the user knows them, and their lines.

use std::collections::BTreeSet;
use std::path::Path;

use yester_report::SourceText;
use yester_run::file;

/// Where the sources of a version are.
pub struct TreeSources<'a> {
    /// The tree in which it was built.
    pub root: &'a Path,
    /// Where the user stands.
    pub start: &'a Path,
    /// Whether the version is a single file. Then its sources are where the user stands.
    pub is_file: bool,
}

impl TreeSources<'_> {
    /// The name of a file as the user knows it.
    pub fn name(&self, file: &str) -> String {
        let path = Path::new(file);
        let bases = [self.root, self.start];
        let short = bases.iter().find_map(|base| path.strip_prefix(base).ok());
        let short = short.unwrap_or(path);
        let short = short.strip_prefix(".").unwrap_or(short);
        short.display().to_string()
    }

    /// The texts of these files, by the names that the user knows.
    pub fn texts<'n>(&self, files: impl Iterator<Item = &'n str>) -> Vec<SourceText> {
        let files: BTreeSet<&str> = files.collect();
        let texts = files.into_iter().filter_map(|file| {
            let mut paths = [self.root, self.start].into_iter();
            let lines = paths.find_map(|base| self.lines(&base.join(file)))?;
            Some(SourceText {
                version: "",
                file: file.to_owned(),
                lines,
                before: None,
            })
        });
        texts.collect()
    }

    /// A line of one of the version's own sources.
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        let lines = self.lines(Path::new(file))?;
        lines.into_iter().nth((line as usize).checked_sub(1)?)
    }

    /// All lines of one of the version's own sources.
    pub fn lines(&self, path: &Path) -> Option<Vec<String>> {
        let is_own = path.starts_with(self.root) || self.is_file && path.starts_with(self.start);
        if !is_own {
            return None;
        }
        let text = file::read(path, file::BIGGEST_INPUT).ok()?;
        let text = String::from_utf8_lossy(&text);
        Some(text.lines().map(str::to_owned).collect())
    }
}
