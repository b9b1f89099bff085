use super::changes::{Commits, doubtful_fixes, steps};
use super::{CommitRole, PatchRole, PatchSize, Story, StoryPatch, sentences};
use crate::{BorderDirection, HistoryReport, ReportedBorder, Status, count, grouped};

impl HistoryReport {
    /// What every format tells of it.
    pub fn story(&self) -> Story {
        let Some(result) = &self.result else {
            return Story::default();
        };
        let mut commits = Commits::default();
        if let Some(commit) = &result.culprit_commit {
            commits.add(commit, CommitRole::Culprit);
        }
        for commit in &result.suspects {
            commits.add(commit, CommitRole::Suspect);
        }
        let of_merges = commits.merges(&result.merges);
        let changes = result.changes.iter().map(|change| commits.change(change));
        let changes = changes.collect();
        for commit in &result.skipped {
            commits.add(commit, CommitRole::Skipped);
        }
        let mut patches = Vec::new();
        let good = result.good.as_deref().map(short);
        if let Some(path) = &result.culprit_patch {
            let base = match (good, &result.backport_patch) {
                (Some(good), Some(_)) => format!("{good}, after the back-port"),
                (good, _) => good.unwrap_or_default().to_owned(),
            };
            patches.push(StoryPatch {
                role: PatchRole::Culprit,
                path: path.clone(),
                base,
                text: result.text.clone(),
                changes,
            });
        }
        let fixes = result.fixes.iter();
        patches.extend(fixes.map(|fix| fix.story("the newest revision")));
        if let Some(path) = &result.backport_patch {
            let base = good.unwrap_or(short(&result.bad));
            patches.push(patch(PatchRole::Backport, path, base));
        }
        let so_far = match self.status {
            Status::Found | Status::Unproved | Status::Nothing => "",
            _ => " so far",
        };
        let headline = match (&result.culprit_commit, good) {
            (Some(commit), _) => format!(
                "{} broke it: {} in {}{so_far}",
                commit.titled(),
                count(result.lines, "line"),
                count(result.files, "file")
            ),
            (None, Some(good)) => format!("{good} was right, the next revision is not{so_far}"),
            (None, None) => match &result.reason {
                Some(reason) => reason.clone(),
                None if !so_far.is_empty() => format!(
                    "no revision is known that passes: {} still fails, and the walk through {} is not over",
                    short(&result.bad),
                    count(result.revisions, "revision")
                ),
                None => format!(
                    "no revision passes: {} still fails, of {}",
                    short(&result.bad),
                    count(result.revisions, "revision")
                ),
            },
        };
        let sureness = self.sureness(result);
        let (proof, minimality) = sureness.rsplit_once("; ").unwrap_or((&sureness, ""));
        let (mut proofs, mut doubts) = match (good, result.one_minimal) {
            (None, _) => (Vec::new(), Vec::new()),
            (_, true) => (vec![proof.to_owned(), minimality.to_owned()], Vec::new()),
            (_, false) => (vec![proof.to_owned()], vec![minimality.to_owned()]),
        };
        proofs.extend(of_merges);
        doubts.extend(doubtful_fixes(&result.fixes));
        doubts.extend(result.notes.iter().cloned());
        if !result.skipped.is_empty() {
            let skipped = count(result.skipped.len() as u64, "revision");
            doubts.push(format!(
                "{skipped} gave no answer and {} passed over",
                match result.skipped.len() {
                    1 => "was",
                    _ => "were",
                }
            ));
        }
        Story {
            headline,
            proofs: sentences(proofs),
            doubts: sentences(doubts),
            commands: steps(&self.next),
            commits: commits.0,
            patches,
            patch_sizes: result.borders.iter().map(size).collect(),
            ..Story::default()
        }
    }
}

fn short(id: &str) -> &str {
    &id[..id.len().min(10)]
}

fn patch(role: PatchRole, path: &str, base: &str) -> StoryPatch {
    StoryPatch {
        role,
        path: path.to_owned(),
        base: base.to_owned(),
        text: None,
        changes: Vec::new(),
    }
}

fn size(border: &ReportedBorder) -> PatchSize {
    PatchSize {
        revision: border.revision.clone(),
        date: border.date.split('T').next().unwrap_or_default().to_owned(),
        is_forward: border.direction == BorderDirection::Forward,
        before: border.patch_before,
        after: border.patch_after,
        outcome: format!(
            "{} ({})",
            border.outcome,
            grouped(border.trials) + " trials"
        ),
    }
}
