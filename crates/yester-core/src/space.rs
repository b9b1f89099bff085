use crate::{Candidate, Subset};

/// Why a subset cannot be a candidate: it is Unresolved without a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// What is wrong with it, for the log.
    pub reason: String,
}

/// The deltas of one problem, and what applying some of them gives.
pub trait Space: Send + Sync {
    /// How many deltas there are.
    fn len(&self) -> usize;

    /// True when there is nothing to apply.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a person calls this delta.
    fn label(&self, delta: usize) -> String;

    /// What a person reads of a candidate: in which way it differs from the others. Nothing if the candidate itself says it best.
    fn describe(&self, subset: &Subset) -> String {
        let _ = subset;
        String::new()
    }

    /// How much of the whole this delta is, in bytes or lines.
    fn weight(&self, delta: usize) -> u64 {
        let _ = delta;
        1
    }

    /// The candidate with exactly the deltas of `subset` applied.
    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible>;

    /// The smallest units of the problem that a subset stands for, where this space is one of several views of them.
    ///
    /// Whoever keeps the best answer so far can then compare answers of different views.
    fn units(&self, subset: &Subset) -> Option<Subset> {
        let _ = subset;
        None
    }
}

/// So many labels are read, and so many characters of each.
const SHOWN: usize = 2;
const LONGEST: usize = 48;

/// The first of some labels, and how many more there are.
pub fn abridged(labels: impl IntoIterator<Item = String>, count: usize) -> String {
    let short = |label: String| match label.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &label[..end]),
        None => label,
    };
    let shown: Vec<String> = labels.into_iter().take(SHOWN).map(short).collect();
    match count - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_and_long_labels_are_abridged() {
        let of = |labels: &[&str]| {
            abridged(labels.iter().map(|label| (*label).to_owned()), labels.len())
        };
        assert_eq!(of(&["a"]), "a");
        assert_eq!(of(&["a", "b"]), "a, b");
        assert_eq!(of(&["a", "b", "c", "d"]), "a, b and 2 more");
        assert_eq!(of(&[&"é".repeat(60)]), format!("{}…", "é".repeat(48)));
    }
}
