//! What is reported about a reduction.

use yester_core::Candidate;
use yester_report::Minimality;
use yester_tree::Extent;

use super::job::ReduceJob;
use super::output::{self, Destination};
use super::search::Reduced;
use crate::failure::Failure;

impl ReduceJob {
    /// Writes what belongs to an answer, and says what it is.
    pub fn result(&self, finding: &Reduced) -> Result<yester_report::ReductionResult, Failure> {
        let candidate = &finding.candidate;
        let tokens = Extent::of_candidate(candidate).tokens as u64;
        let mut passing_path = None;
        if let Some(passing) = &finding.passing {
            let answer = self.destination.path().unwrap_or(&self.arguments.file);
            let path = output::with_word(answer, "passing");
            crate::output::replace(&path, passing, 0o644)?;
            passing_path = Some(path.display().to_string());
        }
        // What was not proved may have been tried in vain.
        let minimality = match finding.sure {
            Some(_) => finding.minimality,
            None => Minimality::Unknown,
        };
        Ok(yester_report::ReductionResult {
            path: self.destination.describe(),
            bytes: candidate.bytes(),
            original_bytes: self.input.candidate().bytes(),
            tokens,
            one_minimal: minimality == Minimality::Bytes,
            minimality,
            text: match self.destination {
                // It is shown there.
                Destination::Standard => None,
                _ => short_text(candidate),
            },
            passing: passing_path,
            differences: finding.differences,
        })
    }
}

/// An answer that is short enough to be shown.
fn short_text(answer: &Candidate) -> Option<String> {
    let Candidate::File(text) = answer else {
        return None;
    };
    let text = std::str::from_utf8(text).ok()?;
    let is_plain = |character: char| !character.is_control() || "\n\t\r".contains(character);
    let is_short = text.len() <= 2000 && text.lines().count() <= 40;
    (is_short && !text.is_empty() && text.chars().all(is_plain)).then(|| text.to_owned())
}
