use super::{Story, StoryCommand, StoryInput, sentences};
use crate::{Minimality, Reduction, Status, count, grouped, percent};

impl Reduction {
    /// What every format tells of it.
    pub fn story(&self) -> Story {
        let Some(result) = &self.result else {
            return Story::default();
        };
        let gone = result.original_bytes.saturating_sub(result.bytes);
        let so_far = match self.status {
            Status::Found => "",
            _ => " so far",
        };
        let target = self
            .input
            .as_ref()
            .map_or("the input", |input| &input.target);
        let headline = match result.differences {
            Some((before, after)) => format!(
                "{} of {} between a passing and a failing input decide{so_far}",
                grouped(after),
                count(before, "difference")
            ),
            None => format!(
                "{} of the {} bytes of {target} make it fail{so_far} ({} removed)",
                grouped(result.bytes),
                grouped(result.original_bytes),
                percent(gone, result.original_bytes)
            ),
        };
        let sureness = self.sureness(result);
        let (proof, minimality) = sureness.split_once("; ").unwrap_or((&sureness, ""));
        let (proofs, doubts) = if result.minimality != Minimality::Unknown {
            (vec![proof.to_owned(), minimality.to_owned()], Vec::new())
        } else {
            (vec![proof.to_owned()], vec![minimality.to_owned()])
        };
        Story {
            headline,
            proofs: sentences(proofs),
            doubts: sentences(doubts),
            commands: vec![StoryCommand {
                what: "shows the failure on the reduced input".to_owned(),
                words: self.next.clone(),
            }],
            input: Some(StoryInput {
                path: result.path.clone(),
                original: self
                    .input
                    .as_ref()
                    .map(|input| unquoted(&input.target).to_owned())
                    .unwrap_or_default(),
                bytes: result.bytes,
                original_bytes: result.original_bytes,
                text: result.text.clone(),
            }),
            ..Story::default()
        }
    }
}

/// A word as it was before it was quoted for a shell, if it is quoted in the simple way.
fn unquoted(word: &str) -> &str {
    let inner = word
        .strip_prefix('\'')
        .and_then(|word| word.strip_suffix('\''));
    inner.filter(|inner| !inner.contains('\'')).unwrap_or(word)
}
