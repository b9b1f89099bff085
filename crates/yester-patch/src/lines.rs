//! Where the lines of one version are in another one.

use crate::{AtomSet, ChangeSpan, PatchError, Version, VersionDifference};

/// What differs between the two. By default nothing is known of them.
#[derive(Debug, Default)]
pub struct Lines(Option<Vec<ChangeSpan>>);

impl Lines {
    /// Compares two versions.
    pub fn between(there: &Version, here: &Version) -> Result<Lines, PatchError> {
        let difference = VersionDifference::between(there, here)?;
        let all = AtomSet::full(difference.atoms());
        Ok(Lines(Some(difference.spans(&all))))
    }

    /// The number of a line. Nothing if it is not there any more.
    pub fn of(&self, file: &str, line: u64) -> Option<u64> {
        let spans = self.0.as_ref()?.iter();
        let mut here = line;
        for span in spans.filter(|span| span.path == file) {
            if span.kind != "lines" {
                return None;
            }
            let (old, new) = (&span.old, &span.new);
            // Spans count from 0.
            let at = line.checked_sub(1)?;
            if u64::from(old.end) <= at {
                here = here + u64::from(new.end - new.start) - u64::from(old.end - old.start);
            } else if u64::from(old.start) <= at {
                return None;
            }
        }
        Some(here)
    }

    /// Where a change is that begins behind so many lines.
    pub fn of_change(&self, file: &str, behind: u64) -> Option<u64> {
        let mut spans = self.0.as_ref()?.iter();
        let begins = |span: &&ChangeSpan| {
            span.path == file && span.kind == "lines" && u64::from(span.old.start) == behind
        };
        spans.find(begins).map(|span| u64::from(span.new.start) + 1)
    }
}
