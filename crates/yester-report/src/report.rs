use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::{Sheet, amount, grouped, seconds};

/// The version of the JSON. A new field needs no new version; a field that changes its meaning does.
pub const SCHEMA: u32 = 1;

/// yester's own version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The report of a command: how it went, and what it found.
#[derive(Clone, Debug, Serialize)]
pub struct Report<R> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of yester.
    pub yester: &'static str,
    /// The command of yester, or `yester` if the call names none.
    pub command: String,
    /// The words of the call, with those that `yester.toml` adds.
    pub call: Vec<String>,
    /// What was searched. Nothing if the call ended before that was known.
    pub input: Option<ReportedInput>,
    /// How it ended.
    pub status: Status,
    /// How many trials it took.
    pub trials: Trials,
    /// What each pass of the search gained, in the order in which they first began.
    pub passes: Vec<PassGain>,
    /// The wall time of all sessions of the run.
    pub seconds: f64,
    /// The answer, or the best so far. Nothing if there is nothing to search for.
    pub result: Option<R>,
    /// The directory where the run keeps its journal and its best.
    pub run: Option<String>,
    /// What counts as the failure.
    pub failure: Option<String>,
    /// How sure the answer is.
    pub sure: Option<Sure>,
    /// Other failures that the search came across.
    pub also_seen: Vec<SeenFailure>,
    /// What went wrong.
    pub error: Option<ReportedError>,
    /// The command that shows the answer.
    #[serde(skip)]
    pub next: String,
    /// The page that tells it in a browser, once there is one.
    pub page: Option<String>,
}

/// What a call is about, in the user's words.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedInput {
    /// FILE, GOOD and BAD, or whatever else the command takes, quoted for a shell.
    pub target: String,
    /// The test, quoted for a shell.
    pub test: String,
    /// How big it is, for commands that search in it.
    pub size: Option<u64>,
    /// What the size counts.
    pub unit: Option<&'static str>,
}

/// What one pass of the search gained: everything that was tried under one name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassGain {
    /// What it tried.
    pub pass: String,
    /// How many candidates were tried.
    pub tried: u64,
    /// How many of them failed as wanted.
    pub succeeded: u64,
    /// By how much the best so far became smaller, in the unit of the input.
    pub removed: u64,
    /// How long it took in this session.
    pub seconds: f64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// With the answer.
    Found,
    /// With an answer that is proved only in part.
    Unproved,
    /// The baseline does not hold, there is nothing to debug.
    Nothing,
    /// The call is wrong, or a version does not build.
    Usage,
    /// By a limit; the best so far is written.
    Limit,
    /// By the user; the best so far is written.
    Interrupted,
    /// By a bug in yester.
    Bug,
}

/// How many trials there were.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Trials {
    /// Finished runs of the user's command in all sessions of the run, with those of the baseline.
    pub run: u64,
    /// Runs that were started ahead and cancelled, because nobody needed their answer any more.
    pub cancelled: u64,
    /// Finished runs that were started ahead and whose answer nobody needed.
    pub unused: u64,
    /// Questions answered from memory or from the journal.
    pub cached: u64,
    /// Trials that were built and not tested, because an equal product had been tested.
    pub same_product: u64,
    /// Questions answered without running anything.
    pub predicted: u64,
    /// Runs that passed.
    pub pass: u64,
    /// Runs that failed as the input does.
    pub fail: u64,
    /// Runs that did neither.
    pub unresolved: u64,
}

impl AddAssign for Trials {
    fn add_assign(&mut self, other: Trials) {
        self.run += other.run;
        self.cancelled += other.cancelled;
        self.unused += other.unused;
        self.cached += other.cached;
        self.same_product += other.same_product;
        self.predicted += other.predicted;
        self.pass += other.pass;
        self.fail += other.fail;
        self.unresolved += other.unresolved;
    }
}

/// How the answer was confirmed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Sure {
    /// How many of the confirming runs failed as the input does.
    pub failures: usize,
    /// How many confirming runs there were, each in a clean directory.
    pub runs: usize,
    /// For a test that does not always fail: the confidence of each single decision.
    pub confidence: Option<f64>,
}

/// A failure that differs from the one that was searched for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeenFailure {
    /// How it shows.
    pub failure: String,
    /// How many candidates showed it.
    pub seen: u64,
    /// Where the smallest of them is.
    pub path: String,
}

/// What went wrong and what to do about it.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedError {
    /// What kind of error it is, for programs. The manual lists them.
    pub code: &'static str,
    /// What went wrong.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl<R: Serialize> Report<R> {
    /// The report as one JSON object.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data")
    }
}

impl<R> Report<R> {
    /// Names the page, if there is one.
    pub(crate) fn tell_page(&self, sheet: &mut Sheet) {
        if let Some(line) = self.page_line() {
            sheet.line(line);
        }
    }

    /// Names the page and the Markdown beside it, if they are there.
    pub fn page_line(&self) -> Option<String> {
        let page = self.page.as_ref()?;
        Some(format!("report   {page}, and report.md beside it"))
    }

    /// What each pass gained, as a table.
    pub fn passes_text(&self) -> String {
        let unit = self.input.as_ref().and_then(|input| input.unit);
        let unit = unit.unwrap_or("units");
        let mut sheet = Sheet::default();
        for gain in &self.passes {
            sheet.line(format!(
                "pass     {}: {} removed, {} of {} succeeded, {}",
                gain.pass,
                amount(gain.removed, unit),
                grouped(gain.succeeded),
                grouped(gain.tried),
                seconds(gain.seconds),
            ));
        }
        sheet.finish()
    }
}
