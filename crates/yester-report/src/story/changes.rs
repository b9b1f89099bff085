use super::{
    CommitRole, PatchRole, Story, StoryChange, StoryCommand, StoryCommit, StoryPatch, sentences,
};
use crate::{
    ChangedLines, Changes, FixKind, ReportedCommit, ReportedFix, ReportedMerge, ReportedMergeCause,
    Status, TestOutcome, count, grouped,
};

impl Changes {
    /// What every format tells of it.
    pub fn story(&self) -> Story {
        let Some(result) = &self.result else {
            return Story::default();
        };
        let mut commits = Commits::default();
        if let Some(commit) = &result.commit {
            commits.add(commit, CommitRole::Culprit);
        }
        for commit in &result.suspects {
            commits.add(commit, CommitRole::Suspect);
        }
        let of_merges = commits.merges(&result.merges);
        let mut patches: Vec<StoryPatch> = Vec::new();
        for (index, set) in result.sets.iter().enumerate() {
            let changes = result.changes.iter();
            let changes =
                changes.filter(|change| change.set == index + 1 || result.sets.len() == 1);
            patches.push(StoryPatch {
                role: PatchRole::Culprit,
                path: set.culprit_patch.clone(),
                base: result.base_word.clone(),
                text: result.text.clone().filter(|_| result.sets.len() == 1),
                changes: changes.map(|change| commits.change(change)).collect(),
            });
        }
        if let Some(passing) = &result.passing_patch {
            patches.push(StoryPatch {
                role: PatchRole::Passing,
                path: passing.clone(),
                base: result.base_word.clone(),
                text: None,
                changes: Vec::new(),
            });
        }
        let fixes = result.fixes.iter();
        patches.extend(fixes.map(|fix| fix.story("the version that fails")));
        let lines = format!(
            "{} of {} in {}",
            grouped(result.lines),
            count(result.original_lines, "changed line"),
            count(result.files, "file")
        );
        let so_far = match self.status {
            Status::Found | Status::Unproved => "",
            _ => " so far",
        };
        let headline = match &result.commit {
            Some(commit) => format!("{} broke it: {lines}{so_far}", commit.titled()),
            None => format!("{lines} broke it{so_far}"),
        };
        let sureness = self.sureness(result);
        let (proof, minimality) = sureness.rsplit_once("; ").unwrap_or((&sureness, ""));
        let (mut proofs, mut doubts) = if result.one_minimal {
            (vec![proof.to_owned(), minimality.to_owned()], Vec::new())
        } else {
            (vec![proof.to_owned()], vec![minimality.to_owned()])
        };
        if self.status == Status::Unproved {
            doubts.insert(0, "the answer is proved only in part".to_owned());
        }
        let verified = &result.verified;
        doubts.extend(
            verified
                .missing_output
                .iter()
                .map(|line| format!("the bad version also prints \"{line}\"")),
        );
        if verified.bad_minus_culprit == Some(TestOutcome::Fail) {
            doubts.push("without the culprit the bad version still fails".to_owned());
        }
        if let Some(relapse) = &result.relapse {
            proofs.push(format!(
                "it was there before: it came with {} and went with {}",
                relapse.came.named(),
                relapse.went.named()
            ));
        }
        proofs.extend(of_merges);
        doubts.extend(doubtful_fixes(&result.fixes));
        Story {
            headline,
            proofs: sentences(proofs),
            doubts: sentences(doubts),
            commands: steps(&self.next),
            commits: commits.0,
            patches,
            ..Story::default()
        }
    }
}

/// What there is to say of fixes that take back no more than they have to.
pub(super) fn doubtful_fixes(fixes: &[ReportedFix]) -> impl Iterator<Item = String> {
    let of_few_lines = |fix: &&ReportedFix| fix.kind == FixKind::Minimal;
    let fixes = fixes.iter().filter(of_few_lines);
    fixes.map(|fix| format!("{}: {}", fix.patch, fix.reason))
}

/// The commands of a line like `on v1.0: git apply culprit.patch breaks it; on HEAD: …`.
pub(super) fn steps(next: &str) -> Vec<StoryCommand> {
    let parts = next.split("; ").filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (place, rest) = part.split_once(": ").unwrap_or(("", part));
            let (words, what) = match rest.find(".patch ") {
                Some(at) => rest.split_at(at + ".patch".len()),
                None => (rest, ""),
            };
            StoryCommand {
                what: format!("{place} {what}")
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" "),
                words: words.to_owned(),
            }
        })
        .collect()
}

/// The commits of a story, each once.
#[derive(Default)]
pub(super) struct Commits(pub(super) Vec<StoryCommit>);

impl Commits {
    pub(super) fn add(&mut self, commit: &ReportedCommit, role: CommitRole) -> usize {
        if let Some(known) = self.0.iter().position(|known| known.id == commit.id) {
            return known;
        }
        self.0.push(StoryCommit {
            id: commit.id.clone(),
            author: commit
                .author
                .split(" <")
                .next()
                .unwrap_or_default()
                .to_owned(),
            date: commit.date.split('T').next().unwrap_or_default().to_owned(),
            subject: commit.subject.clone(),
            role,
        });
        self.0.len() - 1
    }

    /// Adds the merges that brought something in. Gives what there is to say of one that is to blame itself.
    pub(super) fn merges(&mut self, merges: &[ReportedMerge]) -> Option<String> {
        let mut told = None;
        for merge in merges {
            match merge.cause {
                ReportedMergeCause::Branch => {
                    self.add(&merge.commit, CommitRole::Merge);
                }
                _ => told = Some(merge.told()),
            }
        }
        told
    }

    pub(super) fn change(&mut self, change: &ChangedLines) -> StoryChange {
        StoryChange {
            here: None,
            file: change.file.clone(),
            // Without lines on this side, the change is after the line that is named.
            line: change.new_start.max(1),
            removed: change.old_lines,
            added: change.new_lines,
            what: change.what(),
            is_cause: match change.without {
                Some(TestOutcome::Pass) => Some(true),
                Some(TestOutcome::Unresolved) => Some(false),
                _ => None,
            },
            commit: change
                .commit
                .as_ref()
                .map(|commit| self.add(commit, CommitRole::Author)),
        }
    }
}

impl ReportedCommit {
    /// What the headline says of it: who made it and when stands below, once.
    pub(super) fn titled(&self) -> String {
        format!("“{}” ({})", self.subject, &self.id[..self.id.len().min(10)])
    }
}
