//! What a revision lacks, by what it complains about, and where in the history that came in: told by trees, not by trials.

use std::collections::BTreeSet;

use super::TestedHistory;
use crate::{Commit, PatchError, Version, messages};

/// How many names of a complaint are looked for in the history.
const NAMES: usize = 6;

/// The names that a revision complains about, each once.
pub(super) fn missing_names(complaint: &str) -> Vec<String> {
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
pub(super) enum Trace {
    /// A file.
    File(String),
    /// The name itself.
    Name(String),
    /// Some of these lines with the name. The older one has others.
    Lines(String, BTreeSet<String>),
}

impl Trace {
    /// What a revision that fails has of a name and one that gives no answer has not, if there is something.
    pub fn of(
        history: &TestedHistory,
        name: &str,
        (failing, silent): (&Commit, &Commit),
    ) -> Result<Option<Trace>, PatchError> {
        let (newer, older) = (&failing.id, &silent.id);
        let trace = if name.contains(['/', '.']) {
            Trace::File(name.to_owned())
        } else {
            Trace::Name(name.to_owned())
        };
        if !trace.is_in(history, newer)? {
            return Ok(None);
        }
        let is_in_older = trace.is_in(history, older)?;
        if !is_in_older || matches!(trace, Trace::File(_)) {
            return Ok((!is_in_older).then_some(trace));
        }
        let mut lines = lines_with(history, newer, name)?;
        for line in lines_with(history, older, name)? {
            lines.remove(&line);
        }
        let trace = Trace::Lines(name.to_owned(), lines);
        let is_told = trace.is_in(history, newer)? && !trace.is_in(history, older)?;
        Ok(is_told.then_some(trace))
    }

    /// Whether a revision has it.
    pub fn is_in(&self, history: &TestedHistory, commit: &str) -> Result<bool, PatchError> {
        match self {
            Trace::File(name) => {
                let version = Version::revision(&history.repository, commit)?;
                let is_it = |path: &str| {
                    let rest = path.strip_suffix(name.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                };
                Ok(version.paths().any(|(path, _)| is_it(path)))
            }
            Trace::Name(name) => Ok(!lines_with(history, commit, name)?.is_empty()),
            Trace::Lines(name, lines) => {
                // What is defined comes in with its definition, and is used later.
                Ok(!lines.is_disjoint(&lines_with(history, commit, name)?))
            }
        }
    }
}

/// The lines of a revision with a name in them, without the white space around them.
fn lines_with(
    history: &TestedHistory,
    commit: &str,
    name: &str,
) -> Result<BTreeSet<String>, PatchError> {
    let lines = history
        .repository
        .lines_with(commit, name, &history.carried)?;
    let lines = lines.lines().map(|line| line.trim().to_owned());
    Ok(lines.collect())
}
