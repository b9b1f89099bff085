use serde::Serialize;

use crate::sheet::Sheet;
use crate::{ReportedCommit, TestOutcome};

/// A merge that fails though the version before it passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedMerge {
    /// The merge.
    pub commit: ReportedCommit,
    /// What broke it.
    pub cause: ReportedMergeCause,
    /// What it merged: the branch to blame, or else all that were looked at.
    pub merged: Vec<MergedBranch>,
}

/// A branch that was merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MergedBranch {
    /// The full id of its last commit.
    pub id: String,
    /// The outcome of that commit by itself.
    pub outcome: TestOutcome,
}

/// What is to blame for a merge that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedMergeCause {
    /// A commit of the branch, which fails by itself.
    Branch,
    /// The merge itself: what it merged passes, or failed before it branched off.
    Merge,
    /// Nobody can say: what it merged gives no answer by itself.
    Unknown,
}

impl ReportedMerge {
    /// What is known of it, after its name where that is not the commit that is blamed.
    pub(crate) fn told(&self) -> String {
        let ids = self
            .merged
            .iter()
            .map(|branch| &branch.id[..branch.id.len().min(10)]);
        let ids = ids.collect::<Vec<_>>().join(" and ");
        let merged = match ids.as_str() {
            "" => "what it merged".to_owned(),
            ids => format!("what it merged ({ids})"),
        };
        let (verb, them) = match self.merged.len() {
            0 | 1 => ("passes", "itself"),
            _ => ("pass", "themselves"),
        };
        let has_failed = |branch: &MergedBranch| branch.outcome == TestOutcome::Fail;
        match self.cause {
            ReportedMergeCause::Branch => format!("{} brought it in", self.commit.named()),
            ReportedMergeCause::Merge if self.merged.is_empty() => {
                "the merge itself broke it".to_owned()
            }
            ReportedMergeCause::Merge if self.merged.iter().any(has_failed) => format!(
                "{merged} failed before it branched off, so the merge has undone what repaired that"
            ),
            ReportedMergeCause::Merge => {
                format!("{merged} {verb} by {them}, so the merge itself broke it")
            }
            ReportedMergeCause::Unknown => {
                format!("{merged} was not cleared: that or the merge itself broke it")
            }
        }
    }
}

/// Says how the commit to blame came in.
pub(crate) fn tell_merges(merges: &[ReportedMerge], sheet: &mut Sheet) {
    for merge in merges {
        sheet.line(format!("merge    {}", merge.told()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(cause: ReportedMergeCause, outcomes: &[TestOutcome]) -> String {
        let merged = outcomes.iter().map(|outcome| MergedBranch {
            id: "0123456789abcdef".to_owned(),
            outcome: *outcome,
        });
        let commit = ReportedCommit {
            id: "fedcba9876543210".to_owned(),
            author: "Ada <ada@example.org>".to_owned(),
            date: "2026-03-06T12:00:00Z".to_owned(),
            subject: "Merge branch 'side'".to_owned(),
        };
        let merged = merged.collect();
        let merge = ReportedMerge {
            commit,
            cause,
            merged,
        };
        merge.told()
    }

    #[test]
    fn each_cause_is_told_by_what_was_seen() {
        let (pass, fail) = (TestOutcome::Pass, TestOutcome::Fail);
        for (cause, outcomes, text) in [
            (
                ReportedMergeCause::Branch,
                &[fail][..],
                "fedcba9876 Ada, 2026-03-06, Merge branch 'side' brought it in",
            ),
            (
                ReportedMergeCause::Merge,
                &[pass],
                "what it merged (0123456789) passes by itself, so the merge itself broke it",
            ),
            (
                ReportedMergeCause::Merge,
                &[pass, pass],
                "what it merged (0123456789 and 0123456789) pass by themselves, so the merge itself broke it",
            ),
            (
                ReportedMergeCause::Merge,
                &[fail],
                "what it merged (0123456789) failed before it branched off, so the merge has undone what repaired that",
            ),
            (
                ReportedMergeCause::Unknown,
                &[TestOutcome::Unresolved],
                "what it merged (0123456789) was not cleared: that or the merge itself broke it",
            ),
            (
                ReportedMergeCause::Unknown,
                &[],
                "what it merged was not cleared: that or the merge itself broke it",
            ),
        ] {
            assert_eq!(told(cause, outcomes), text);
        }
    }
}
