use serde::Serialize;

use crate::changes::{short_name, tell_authors};
use crate::fix::tell_fixes;
use crate::merge::tell_merges;
use crate::sheet::Sheet;
use crate::{
    ChangedLines, Report, ReportedCommit, ReportedFix, ReportedMerge, ShownPatch, Status,
    TestOutcome, count, grouped, seconds,
};

/// The report of `yester history`.
pub type HistoryReport = Report<HistoryResult>;

/// The revision that was right, what broke the next one, and the fix.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryResult {
    /// The full id of the revision that passes with `backport_patch`. Nothing if none was found.
    pub good: Option<String>,
    /// The full id of the next newer revision that fails; if no good one was found, of the oldest that is known to fail.
    pub bad: String,
    /// The commit that broke it.
    pub culprit_commit: Option<ReportedCommit>,
    /// The commits of which one broke it, oldest first, if those between gave no answer. Otherwise empty.
    pub suspects: Vec<ReportedCommit>,
    /// The merges that brought the commit in, the outermost first, or the merge that is the commit. Each fails, and the version
    /// before it passes.
    pub merges: Vec<ReportedMerge>,
    /// The changes that broke it, in the order of the files. They are those from the good revision to the next.
    pub changes: Vec<ChangedLines>,
    /// How many files they are in.
    pub files: u64,
    /// How many runs of neighbouring lines they are.
    pub hunks: u64,
    /// How many lines they remove and add.
    pub lines: u64,
    /// Whether trials have shown that no single line of them can be left out.
    pub one_minimal: bool,
    /// The patch that keeps the test running on `good`, or on `bad` if no good revision was found. Nothing if none is needed.
    pub backport_patch: Option<String>,
    /// How many lines it removes and adds.
    pub backport_lines: u64,
    /// The patch that breaks `good`, after `backport_patch`.
    pub culprit_patch: Option<String>,
    /// The patch that makes the newest revision pass: the one of `fixes` that is recommended. Nothing if none was found.
    pub fix_patch: Option<String>,
    /// How many lines it removes and adds.
    pub fix_lines: u64,
    /// The patches with which the newest revision passes, the recommended one first.
    pub fixes: Vec<ReportedFix>,
    /// What runs in clean trees have shown.
    pub verified: HistoryVerified,
    /// What another command says of `fix_patch`, with `--also`.
    pub also: Option<AlsoRun>,
    /// Where the test needed another patch, in the order in which that was met: first on the way back, then on the way
    /// forward with the fix.
    pub borders: Vec<ReportedBorder>,
    /// Revisions that gave no answer though their neighbours do, and were passed over.
    pub skipped: Vec<ReportedCommit>,
    /// How many revisions there are to walk through.
    pub revisions: u64,
    /// How many trials each part took, whatever was tested ahead.
    pub trials: HistoryTrials,
    /// Reasons to look twice.
    pub notes: Vec<String>,
    /// Why there is no answer, if there is none.
    pub reason: Option<String>,
    /// The culprit as a patch, if it is short and readable.
    pub text: Option<String>,
    /// The culprit as people see it.
    #[serde(skip)]
    pub shown: ShownPatch,
}

/// What runs in clean trees with clean builds have shown.
#[derive(Clone, Debug, Default, Serialize)]
pub struct HistoryVerified {
    /// The outcome of `good` with `backport_patch`: `pass`.
    pub good: Option<TestOutcome>,
    /// The same with `culprit_patch` too: `fail`.
    pub good_plus_culprit: Option<TestOutcome>,
    /// The outcome of the newest revision with `fix_patch`: `pass`.
    pub fixed: Option<TestOutcome>,
}

/// What another command says of the version that fails, with and without a fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlsoRun {
    /// How it ended without the fix.
    pub before: String,
    /// How it ended with the fix.
    pub after: String,
    /// The lines that it prints only with the fix and that announce an error, if it fails then.
    pub broken: Vec<String>,
}

/// A revision at which the test needed another patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedBorder {
    /// The full id of the revision.
    pub revision: String,
    /// When it was made, in ISO 8601.
    pub date: String,
    /// Whether it was met on the way back or forward.
    pub direction: BorderDirection,
    /// How many lines the whole difference has that the patch was made of.
    pub patch_before: u64,
    /// How many lines the patch has.
    pub patch_after: u64,
    /// How many trials that took.
    pub trials: u64,
    /// What was wrong with the patch before.
    pub outcome: String,
}

/// A way through the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BorderDirection {
    /// To older revisions.
    Back,
    /// To newer ones, with the fix.
    Forward,
}

/// How many trials each part took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HistoryTrials {
    /// From revision to revision.
    pub walk: u64,
    /// The patches that keep the test running.
    pub patches: u64,
    /// The lines that broke it.
    pub culprit: u64,
    /// The fix.
    pub fix: u64,
}

/// How many revisions the text lists.
const SHOWN: usize = 20;

impl Report<HistoryResult> {
    /// The report as text: what, where, how sure, what next; then the borders and the hunks.
    pub fn text(&self) -> String {
        let Some(result) = &self.result else {
            return String::new();
        };
        let mut sheet = Sheet::default();
        let word = match self.status {
            Status::Found => "found   ",
            Status::Unproved => "unproved",
            Status::Nothing => "nothing ",
            Status::Usage | Status::Limit | Status::Interrupted | Status::Bug => "so far  ",
        };
        let HistoryTrials {
            walk,
            patches,
            culprit,
            fix,
        } = result.trials;
        let what = match (&result.reason, result.changes.is_empty()) {
            (Some(reason), _) => reason.clone(),
            (None, true) => "the walk is not over".to_owned(),
            (None, false) => format!(
                "{} in {}, {}",
                count(result.changes.len() as u64, "change"),
                count(result.files, "file"),
                count(result.lines, "line")
            ),
        };
        sheet.line(format!(
            "{word} {what} in {}, {} (walk {walk}, patches {patches}, culprit {culprit}, fix {fix})",
            count(self.trials.run, "trial"),
            seconds(self.seconds),
        ));
        match (&result.culprit_commit, &result.suspects[..]) {
            (Some(commit), _) => sheet.line(format!("commit   {} broke it", commit.named())),
            (None, [first, .., last]) => sheet.line(format!(
                "commit   one of {} broke it: from {} to {}",
                grouped(result.suspects.len() as u64),
                first.named(),
                last.named()
            )),
            _ => {}
        }
        tell_merges(&result.merges, &mut sheet);
        tell_authors(&result.changes, result.culprit_commit.as_ref(), &mut sheet);
        let short = |id: &str| id[..id.len().min(10)].to_owned();
        match &result.good {
            Some(good) => sheet.line(format!("good     {}", short(good))),
            None => sheet.line(format!(
                "oldest   {} still fails, of {}",
                short(&result.bad),
                count(result.revisions, "revision")
            )),
        }
        if let Some(patch) = &result.backport_patch {
            let lines = count(result.backport_lines, "line");
            sheet.line(format!("backport {patch} ({lines})"));
        }
        if let Some(patch) = &result.culprit_patch {
            sheet.line(format!("culprit  {patch}"));
        }
        tell_fixes(&result.fixes, &mut sheet);
        if !result.skipped.is_empty() {
            let skipped = result.skipped.iter().map(|commit| short(&commit.id));
            let skipped: Vec<String> = skipped.take(SHOWN).collect();
            sheet.line(format!(
                "skipped  {}: {}",
                count(result.skipped.len() as u64, "revision"),
                skipped.join(" ")
            ));
        }
        if result.good.is_some() {
            sheet.line(format!("sure     {}", self.sureness(result)));
        }
        for note in &result.notes {
            sheet.line(format!("note     {note}"));
        }
        if !self.next.is_empty() {
            sheet.line(format!("next     {}", self.next));
        }
        self.tell_page(&mut sheet);
        if !result.borders.is_empty() {
            sheet.line("");
            plot(&mut sheet, &result.borders);
        }
        if let Some(patch) = &result.culprit_patch {
            sheet.line("");
            let changes: Vec<&ChangedLines> = result.changes.iter().collect();
            let name = short_name(&result.changes);
            result.shown.tell(&changes, patch, name, &mut sheet);
        }
        sheet.finish()
    }

    pub(crate) fn sureness(&self, result: &HistoryResult) -> String {
        let minimal = if result.one_minimal {
            "no single line of the culprit can be left out"
        } else {
            "not every single line of the culprit was tried"
        };
        let HistoryVerified {
            good,
            good_plus_culprit,
            fixed,
        } = &result.verified;
        let seen = |what: &str, outcome: &Option<TestOutcome>| match outcome {
            Some(TestOutcome::Pass) => format!("{what} passes"),
            Some(TestOutcome::Fail) => format!("{what} fails"),
            Some(TestOutcome::Unresolved) => format!("{what} gives no answer"),
            None => format!("{what} was not run"),
        };
        let backport = match result.backport_patch {
            Some(_) => "good + backport",
            None => "good",
        };
        let fixed = match (fixed, &result.fix_patch) {
            (None, _) => "no fix was found".to_owned(),
            (fixed, _) => seen("with the fix it", fixed),
        };
        format!(
            "{}, {}, {fixed}, all in clean trees; {minimal}",
            seen(backport, good),
            seen(&format!("{backport} + culprit"), good_plus_culprit),
        )
    }
}

impl AlsoRun {
    pub(crate) fn describe(&self) -> String {
        let AlsoRun {
            before,
            after,
            broken,
        } = self;
        match (after.as_str(), before == after, broken.len()) {
            ("exit 0", ..) => "the other command passes with the fix".to_owned(),
            (_, true, 0) => format!("the other command ends with {after}, with the fix or without"),
            (_, _, 0) => {
                format!("the other command ends with {after} with the fix, {before} without")
            }
            (_, _, lines) => format!(
                "the other command ends with {after} with the fix, {before} without; {} only then:",
                count(lines as u64, "line")
            ),
        }
    }
}

/// The longest bar of the plot.
const WIDTH: usize = 40;

/// The size of the patch over the revisions, before and after it was made smaller: one row for each border, as long as the
/// logarithms of the sizes.
fn plot(sheet: &mut Sheet, borders: &[ReportedBorder]) {
    let most = borders.iter().map(|border| border.patch_before).max();
    let most = (most.unwrap_or_default() as f64 + 1.0).log2().max(1.0);
    let length = |lines: u64| ((lines as f64 + 1.0).log2() / most * WIDTH as f64).round() as usize;
    for border in borders {
        let (long, short) = (length(border.patch_before), length(border.patch_after));
        let arrow = match border.direction {
            BorderDirection::Back => "<",
            BorderDirection::Forward => ">",
        };
        sheet.line(format!(
            "{arrow} {} {} {:<WIDTH$} {} of {}, {}",
            border.date.split('T').next().unwrap_or_default(),
            &border.revision[..border.revision.len().min(10)],
            "#".repeat(short) + &"-".repeat(long.saturating_sub(short)),
            grouped(border.patch_after),
            count(border.patch_before, "line"),
            border.outcome,
        ));
    }
}
