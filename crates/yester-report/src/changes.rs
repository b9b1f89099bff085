use std::fmt::Write;

use serde::Serialize;

use crate::fix::tell_fixes;
use crate::merge::tell_merges;
use crate::sheet::Sheet;
use crate::shown_patch::places;
use crate::{
    AlsoRun, Report, ReportedFix, ReportedMerge, ShownPatch, Status, count, grouped, seconds,
};

/// The report of `yester changes`.
pub type Changes = Report<ChangesResult>;

/// The changes that are to blame.
///
/// Where the history was searched, the changes are those of the step at which it broke: from the last version that
/// passes to the first one that fails. Otherwise they are those from the good version to the bad one.
#[derive(Clone, Debug, Serialize)]
pub struct ChangesResult {
    /// The changes, set by set, in the order of the files.
    pub changes: Vec<ChangedLines>,
    /// How many files they are in.
    pub files: u64,
    /// How many runs of neighbouring lines they are.
    pub hunks: u64,
    /// How many lines they remove and add.
    pub lines: u64,
    /// How many lines all changes between the two versions remove and add.
    pub original_lines: u64,
    /// What `culprit_patch` applies to: the full id of a commit, or a directory as the user named it. It is the good version, or the last
    /// version of the history that passes if the changes cannot be moved to the good one.
    pub base: String,
    /// What people call `base`.
    #[serde(skip)]
    pub base_word: String,
    /// The same in a sentence: `good`, if it is the good version.
    #[serde(skip)]
    pub base_name: String,
    /// The patch that makes `base` fail; with `--isolate`, the passing version.
    pub culprit_patch: String,
    /// The patch that takes the changes out of the bad version, which passes then: the one of `fixes` that is recommended. Nothing
    /// if none was found.
    pub fix_patch: Option<String>,
    /// The patches with which the bad version passes, the recommended one first.
    pub fixes: Vec<ReportedFix>,
    /// What another command says of `fix_patch`, with `--also`.
    pub also: Option<AlsoRun>,
    /// With `--isolate`: the patch from the good version to the one that passes.
    pub passing_patch: Option<String>,
    /// With `--isolate`: how many changed lines the version that passes has.
    pub passing_lines: Option<u64>,
    /// What runs in clean trees have shown.
    pub verified: Verified,
    /// Whether trials have shown that no single line can be left out.
    pub one_minimal: bool,
    /// The first commit that fails, if the history was searched.
    pub commit: Option<ReportedCommit>,
    /// The commits of which one is the first that fails, oldest first, if those between gave no answer. Otherwise empty.
    pub suspects: Vec<ReportedCommit>,
    /// The merges that brought the commit in, the outermost first, or the merge that is the commit. Each fails, and the version
    /// before it passes.
    pub merges: Vec<ReportedMerge>,
    /// Where the history has seen the culprit before.
    pub relapse: Option<ReportedRelapse>,
    /// Independent sets of changes, each of which makes the good version fail. More than one only with `--all`.
    pub sets: Vec<CulpritSet>,
    /// The whole patch, if it is short and readable.
    pub text: Option<String>,
}

/// One set of changes that makes the good version fail.
#[derive(Clone, Debug, Serialize)]
pub struct CulpritSet {
    /// How many files it is in.
    pub files: u64,
    /// How many runs of neighbouring lines it is.
    pub hunks: u64,
    /// How many lines it removes and adds.
    pub lines: u64,
    /// The patch that makes the good version fail.
    pub culprit_patch: String,
    /// Whether trials have shown that no single line can be left out.
    pub one_minimal: bool,
    /// What runs in clean trees have shown, with this set and all before it taken out of the bad version.
    pub verified: Verified,
    /// The same changes as people see them, in the version that they were found at.
    #[serde(skip)]
    pub shown: ShownPatch,
}

/// Neighbouring lines of one commit, or what happened to a file as a whole.
#[derive(Clone, Debug, Serialize)]
pub struct ChangedLines {
    /// The path in the version that fails, or in the one that passes if the other does not have it.
    pub file: String,
    /// `lines`, `created`, `deleted`, `renamed`, `mode` or `replaced`.
    pub kind: &'static str,
    /// The first line before the change, in the version that passes. If there are none, the line before, as in a diff
    /// without context.
    pub old_start: u64,
    /// How many lines there were.
    pub old_lines: u64,
    /// The first line after the change, in the version that fails, counted in the same way.
    pub new_start: u64,
    /// How many lines there are.
    pub new_lines: u64,
    /// The commit that made the change, where there is a history that tells.
    pub commit: Option<ReportedCommit>,
    /// The outcome of the answer without this: `pass` for a cause, `unresolved` for what the rest cannot do without.
    pub without: Option<TestOutcome>,
    /// The number of its set, from 1.
    pub set: usize,
}

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedCommit {
    /// Its full id.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// When, in ISO 8601.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

/// An earlier life of the culprit in the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedRelapse {
    /// The commit that it came in with; it fails.
    pub came: ReportedCommit,
    /// The commit that took it out again; it passes.
    pub went: ReportedCommit,
}

/// What runs in clean trees with clean builds have shown.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verified {
    /// The outcome of `base` with the culprit: `fail`. With `--isolate`, of the passing version with it.
    pub good_plus_culprit: Option<TestOutcome>,
    /// The outcome of the bad version without the culprit. Nothing if later changes touch the same lines.
    pub bad_minus_culprit: Option<TestOutcome>,
    /// How that run of the bad version ended, when it did not pass, or why there is none.
    pub bad_minus_culprit_ending: Option<String>,
    /// How many lines the smallest fix takes out: more than the culprit has where the rest could not do without them.
    pub taken_out_lines: Option<u64>,
    /// The lines that the bad version always prints, the good one does not, and `base` with the culprit does not either.
    pub missing_output: Vec<String>,
    /// With `--isolate`: the outcome of the passing version.
    pub passing: Option<TestOutcome>,
}

/// What a test said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// The failure does not occur.
    Pass,
    /// The failure occurs.
    Fail,
    /// Neither can be said.
    Unresolved,
}

/// How many places of what is still suspected the text lists.
const SHOWN: usize = 20;

/// How many other commits the text names.
const COMMITS: usize = 5;

impl Report<ChangesResult> {
    /// The report as text: what, where, how sure, what next; then the hunks.
    pub fn text(&self) -> String {
        let Some(result) = &self.result else {
            return String::new();
        };
        let mut sheet = Sheet::default();
        let (word, so_far) = match self.status {
            Status::Found => ("found   ", ""),
            Status::Unproved => ("unproved", ""),
            _ => ("found   ", ", so far"),
        };
        let is_over = so_far.is_empty();
        sheet.line(format!(
            "{word} {} in {}, {} (of {}) in {}, {}{so_far}",
            count(result.changes.len() as u64, "change"),
            count(result.files, "file"),
            count(result.lines, "line"),
            grouped(result.original_lines),
            count(self.trials.run, "trial"),
            seconds(self.seconds),
        ));
        if let Some(commit) = &result.commit {
            sheet.line(format!(
                "commit   {} is the first that fails",
                commit.named()
            ));
        }
        if let [first, .., last] = &result.suspects[..] {
            let number = grouped(result.suspects.len() as u64);
            sheet.line(format!(
                "commit   one of {number} is the first that fails: from {} to {}",
                first.named(),
                last.named()
            ));
        }
        tell_merges(&result.merges, &mut sheet);
        tell_authors(&result.changes, result.commit.as_ref(), &mut sheet);
        if let Some(relapse) = &result.relapse {
            sheet.line(format!(
                "before   it came with {}, and went with {}",
                relapse.came.named(),
                relapse.went.named()
            ));
        }
        for set in &result.sets {
            sheet.line(format!("culprit  {}", set.culprit_patch));
        }
        if let Some(passing) = &result.passing_patch {
            let lines = count(result.passing_lines.unwrap_or_default(), "changed line");
            sheet.line(format!("passing  {passing} ({lines})"));
        }
        tell_fixes(&result.fixes, &mut sheet);
        sheet.line(format!("sure     {}", self.sureness(result)));
        if let [line, more @ ..] = &result.verified.missing_output[..] {
            let more = match more.len() {
                0 => String::new(),
                more => format!(" and {}", count(more as u64, "more line")),
            };
            sheet.line(format!("output   bad also prints \"{line}\"{more}"));
        }
        sheet.line(format!("next     {}", self.next));
        self.tell_page(&mut sheet);
        // Versions in between fail in many ways that mean nothing, so only the JSON has other failures.
        if !is_over && result.changes.len() > SHOWN {
            // A long list of what is still suspected helps nobody.
            return sheet.finish();
        }
        if !is_over {
            sheet.line("");
            places(
                &result.changes.iter().collect::<Vec<_>>(),
                short_name(&result.changes),
                &mut sheet,
            );
            return sheet.finish();
        }
        let several = result.sets.len() > 1;
        for (index, set) in result.sets.iter().enumerate() {
            sheet.line("");
            if several {
                sheet.line(format!("{}. {}", index + 1, set.culprit_patch));
            }
            let own = result
                .changes
                .iter()
                .filter(|change| change.set == index + 1);
            let own: Vec<&ChangedLines> = own.collect();
            set.shown.tell(
                &own,
                &set.culprit_patch,
                short_name(&result.changes),
                &mut sheet,
            );
        }
        sheet.finish()
    }

    pub(crate) fn sureness(&self, result: &ChangesResult) -> String {
        let Verified {
            good_plus_culprit,
            bad_minus_culprit,
            bad_minus_culprit_ending,
            taken_out_lines,
            passing,
            ..
        } = &result.verified;
        let minimal = match (result.one_minimal, self.status) {
            (true, _) => "no single line can be left out",
            (false, Status::Found | Status::Unproved) => {
                "not every single line was tried (--thorough does)"
            }
            (false, _) => "it can probably be smaller",
        };
        if good_plus_culprit.is_none() {
            return format!("failed once as bad does; {minimal}");
        }
        let ending = bad_minus_culprit_ending.as_deref().unwrap_or("no run");
        let taken = if result.sets.len() > 1 {
            "bad − all culprits"
        } else {
            "bad − culprit"
        };
        let bad = match bad_minus_culprit {
            Some(TestOutcome::Pass) => match taken_out_lines {
                Some(lines) if *lines > result.lines => {
                    let more = count(lines - result.lines, "more line");
                    format!("{taken} and {more} passes")
                }
                _ => format!("{taken} passes"),
            },
            Some(TestOutcome::Fail) if result.sets.len() > 1 || passing.is_some() => {
                format!("{taken} still fails")
            }
            Some(TestOutcome::Fail) => {
                format!("{taken} still fails, so there is more than this (--all)")
            }
            Some(TestOutcome::Unresolved) => format!("{taken} gives no answer ({ending})"),
            None => format!("it cannot be taken out of bad ({ending})"),
        };
        let good = match (passing, result.sets.len()) {
            (Some(_), _) => "passing + culprit fails as bad does, passing passes".to_owned(),
            (None, 0 | 1) => format!("{} + culprit fails as bad does", result.base_name),
            (None, _) => "good + each culprit fails as bad does".to_owned(),
        };
        format!("{good}, {bad}, all in clean trees; {minimal}")
    }
}

impl ChangedLines {
    /// Where it is, what it does, and what it is to the failure.
    pub(crate) fn line(&self) -> String {
        let mut text = self.file.clone();
        if self.kind == "lines" {
            // Without lines on this side, the change is after the line that is named.
            let _ = write!(text, ":{}", self.new_start.max(1));
        }
        let _ = write!(text, ": {}", self.what());
        match self.without {
            Some(TestOutcome::Pass) => text.push_str(", cause (passes without it)"),
            Some(TestOutcome::Unresolved) => text.push_str(", needed (no answer without it)"),
            _ => {}
        }
        text
    }

    pub(crate) fn what(&self) -> String {
        match (self.kind, self.old_lines, self.new_lines) {
            ("lines", 0, added) => format!("{} added", count(added, "line")),
            ("lines", removed, 0) => format!("{} removed", count(removed, "line")),
            ("lines", removed, added) => format!("{} changed", count(removed.max(added), "line")),
            (kind, ..) => kind.to_owned(),
        }
    }
}

/// Names the commits that made the changes, each once, but for the guilty one, which is named already.
pub(crate) fn tell_authors(
    changes: &[ChangedLines],
    guilty: Option<&ReportedCommit>,
    sheet: &mut Sheet,
) {
    let mut others: Vec<&ReportedCommit> = Vec::new();
    for commit in changes.iter().filter_map(|change| change.commit.as_ref()) {
        if guilty != Some(commit) && !others.contains(&commit) {
            others.push(commit);
        }
    }
    for commit in others.iter().take(COMMITS) {
        sheet.line(format!("commit   {} made a part of it", commit.named()));
    }
    if others.len() > COMMITS {
        let more = count((others.len() - COMMITS) as u64, "more commit");
        sheet.line(format!(
            "commit   {more} made parts of it, which --json lists"
        ));
    }
}

/// Says of a change which commit made it, where several have made the changes. They are named elsewhere.
pub(crate) fn short_name(changes: &[ChangedLines]) -> impl Fn(&ChangedLines) -> String + Copy {
    let id = |change: &ChangedLines| change.commit.as_ref().map(|commit| commit.id.clone());
    let several = changes.windows(2).any(|two| id(&two[0]) != id(&two[1]));
    move |change| match &change.commit {
        Some(commit) if several => format!(" — {}", commit.short()),
        _ => String::new(),
    }
}

impl ReportedCommit {
    pub(crate) fn short(&self) -> &str {
        &self.id[..self.id.len().min(10)]
    }

    pub(crate) fn named(&self) -> String {
        let short = self.short();
        let author = self.author.split(" <").next().unwrap_or_default();
        let day = self.date.split('T').next().unwrap_or_default();
        format!("{short} {author}, {day}, {}", self.subject)
    }
}
