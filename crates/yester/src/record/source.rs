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
    /// The version, if it is a single file. Then its sources are where the user stands, and where the file is.
    pub file: Option<&'a Path>,
}

/// The name of a file without the first of these directories that it is in.
pub fn short_name(file: &Path, bases: &[&Path]) -> String {
    let short = bases.iter().find_map(|base| file.strip_prefix(base).ok());
    let short = short.unwrap_or(file);
    let short = short.strip_prefix(".").unwrap_or(short);
    short.display().to_string()
}

impl TreeSources<'_> {
    /// The name of a file as the user knows it.
    pub fn name(&self, file: &str) -> String {
        short_name(Path::new(file), &[self.root, self.start])
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
        let path = self.start.join(path);
        let is_own = path.starts_with(self.root)
            || self.file.is_some_and(|file| {
                let file = self.start.join(file);
                let beside = file.parent().is_some_and(|beside| path.starts_with(beside));
                beside || path.starts_with(self.start)
            });
        if !is_own {
            return None;
        }
        let text = file::read(&path, file::BIGGEST_INPUT).ok()?;
        let text = String::from_utf8_lossy(&text);
        Some(text.lines().map(str::to_owned).collect())
    }
}
