use serde::Serialize;

/// The version of the JSON. A new field needs no new version; a field that changes its meaning does.
pub const SCHEMA: u32 = 1;

/// The report of a command: how it went, and what it found.
#[derive(Clone, Debug, Serialize)]
pub struct Report<R> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The command of yester.
    pub command: &'static str,
    /// How it ended.
    pub status: Status,
    /// How many trials it took.
    pub trials: Trials,
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

/// How the answer was confirmed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Sure {
    /// How many of the confirming runs failed as the input does.
    pub failures: usize,
    /// How many confirming runs there were, each in a clean directory.
    pub runs: usize,
    /// For a test that does not always fail: the confidence of each single decision.
    pub confidence: Option<f64>,
}

/// A failure that differs from the one that was searched for.
#[derive(Clone, Debug, Serialize)]
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
