//! What a revision lacks, by what it complains about, and where in the history that came in: told by trees, not by trials.

use std::collections::BTreeSet;

use yester_patch::{Commit, PatchError, Version, messages};

use super::job::HistoryJob;

/// How many names of a complaint are looked for in the history.
const NAMES: usize = 6;

/// The names that a revision complains about, each once.
pub fn missing_names(complaint: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let messages = messages(complaint).into_iter();
    for name in messages.flat_map(|message| message.names) {
        if names.len() < NAMES && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What a newer revision has of a name and an older one does not.
pub enum Trace {
    /// A file.
    File(String),
    /// The name itself.
    Name(String),
    /// Some of these lines with the name. The older one has others.
    Lines(String, BTreeSet<String>),
}

impl HistoryJob {
    /// What a revision that fails has of a name and one that gives no answer has not, if there is something.
    pub fn trace(
        &self,
        name: &str,
        commits: &[Commit],
        (failing, silent): (usize, usize),
    ) -> Result<Option<Trace>, PatchError> {
        let (newer, older) = (&commits[failing].id, &commits[silent].id);
        let trace = match name.contains(['/', '.']) {
            true => Trace::File(name.to_owned()),
            false => Trace::Name(name.to_owned()),
        };
        if !self.has(&trace, newer)? {
            return Ok(None);
        }
        if !self.has(&trace, older)? || matches!(trace, Trace::File(_)) {
            return Ok((!self.has(&trace, older)?).then_some(trace));
        }
        let mut lines = self.lines_with(newer, name)?;
        for line in self.lines_with(older, name)? {
            lines.remove(&line);
        }
        let trace = Trace::Lines(name.to_owned(), lines);
        let is_told = self.has(&trace, newer)? && !self.has(&trace, older)?;
        Ok(is_told.then_some(trace))
    }

    /// Whether a revision has it.
    pub fn has(&self, trace: &Trace, commit: &str) -> Result<bool, PatchError> {
        match trace {
            Trace::File(name) => {
                let version = Version::revision(&self.repository, commit)?;
                let is_it = |path: &str| {
                    let rest = path.strip_suffix(name.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                };
                Ok(version.paths().any(|(path, _)| is_it(path)))
            }
            Trace::Name(name) => Ok(!self.lines_with(commit, name)?.is_empty()),
            Trace::Lines(name, lines) => {
                // What is defined comes in with its definition, and is used later.
                Ok(!lines.is_disjoint(&self.lines_with(commit, name)?))
            }
        }
    }

    /// The lines of a revision with a name in them, without the white space around them.
    fn lines_with(&self, commit: &str, name: &str) -> Result<BTreeSet<String>, PatchError> {
        let lines = self.repository.lines_with(commit, name, &self.carried)?;
        let lines = lines.lines().map(|line| line.trim().to_owned());
        Ok(lines.collect())
    }
}
