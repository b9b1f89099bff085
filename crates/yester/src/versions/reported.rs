//! Changes, commits and runs as they are reported.

use yester_core::Outcome;
use yester_patch::patch::{PatchHunk, PatchSection};
use yester_patch::{BrokenMerge, ChangeSpan, MergeCause};
use yester_report::{
    ChangedLines, MergedBranch, ReportedCommit, ReportedMerge, ReportedMergeCause, ShownFile,
    ShownHunk, ShownPatch, TestOutcome,
};
use yester_run::{Stage, Trial};

/// Changes as they are reported.
pub fn changed_lines(
    span: ChangeSpan,
    commit: Option<ReportedCommit>,
    without: Option<Outcome>,
    set: usize,
) -> ChangedLines {
    // As in a diff without context: no lines stand after the line that is named.
    let start =
        |lines: &std::ops::Range<u32>| u64::from(lines.start) + u64::from(!lines.is_empty());
    ChangedLines {
        old_start: start(&span.old),
        old_lines: span.old.len() as u64,
        new_start: start(&span.new),
        new_lines: span.new.len() as u64,
        file: span.path,
        kind: span.kind,
        commit,
        without: without.map(reported),
        set,
    }
}

pub fn report_commit(commit: &yester_patch::Commit) -> ReportedCommit {
    ReportedCommit {
        id: commit.id.clone(),
        author: commit.author.clone(),
        date: commit.date.clone(),
        subject: commit.subject.clone(),
    }
}

pub fn report_merge(merge: &BrokenMerge) -> ReportedMerge {
    let branch = |(tip, outcome): &(yester_patch::Commit, Outcome)| MergedBranch {
        id: tip.id.clone(),
        outcome: reported(*outcome),
    };
    ReportedMerge {
        commit: report_commit(&merge.commit),
        cause: match merge.cause {
            MergeCause::Branch => ReportedMergeCause::Branch,
            MergeCause::Merge => ReportedMergeCause::Merge,
            MergeCause::Unknown => ReportedMergeCause::Unknown,
        },
        merged: merge.merged.iter().map(branch).collect(),
    }
}

/// A patch as people see it.
pub fn shown_patch(sections: Vec<PatchSection>) -> ShownPatch {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let hunk = |hunk: PatchHunk| ShownHunk {
        // As in a diff: no lines stand after the line that is named.
        old_start: u64::from(hunk.old.start) + u64::from(!hunk.old.is_empty()),
        old_lines: hunk.old.len() as u64,
        text: text(&hunk.text),
    };
    let file = |section: PatchSection| {
        let mut header = text(&section.header);
        // Nobody reads what follows.
        if let Some(at) = header.find("GIT binary patch\n") {
            header.truncate(at + "GIT binary patch\n".len());
        }
        ShownFile {
            path: section.path,
            header,
            hunks: section.hunks.into_iter().map(hunk).collect(),
        }
    };
    ShownPatch {
        files: sections.into_iter().map(file).collect(),
    }
}

/// A patch that is short enough to be shown.
pub fn short_text(patch: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(patch).ok()?;
    let is_plain = |character: char| !character.is_control() || "\n\t\r".contains(character);
    let is_short = text.len() <= 4000 && text.lines().count() <= 40;
    (is_short && !text.is_empty() && text.chars().all(is_plain)).then(|| text.to_owned())
}

pub fn outcome(trial: &Trial) -> Outcome {
    trial.outcome.unwrap_or(Outcome::Unresolved)
}

/// How a run ended, in words.
pub fn ending(trial: &Trial) -> String {
    match trial.stage {
        Stage::Build => format!("the build fails with {}", trial.ending),
        Stage::Test | Stage::Counterpart => trial.ending.to_string(),
    }
}

pub fn reported(outcome: Outcome) -> TestOutcome {
    match outcome {
        Outcome::Pass => TestOutcome::Pass,
        Outcome::Fail => TestOutcome::Fail,
        Outcome::Unresolved => TestOutcome::Unresolved,
    }
}
