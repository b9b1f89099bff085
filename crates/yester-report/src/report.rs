use serde::Serialize;

/// The version of the JSON. Fields may be added without a new one; none changes its meaning.
pub const SCHEMA: u32 = 1;

/// What a command has to say: how it went, and what it found.
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
    /// The wall time of this session.
    pub seconds: f64,
    /// The answer, or the best so far. Nothing when there is nothing to search for.
    pub result: Option<R>,
    /// Where the run keeps its journal and its best.
    pub run: Option<String>,
    /// What counts as the failure.
    pub failure: Option<String>,
    /// How sure the answer is.
    pub sure: Option<Sure>,
    /// Other failures that were met on the way.
    pub also_seen: Vec<SeenFailure>,
    /// What went wrong.
    pub error: Option<ReportedError>,
    /// The command to look at the answer with.
    #[serde(skip)]
    pub next: String,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// With the answer.
    Found,
    /// The baseline does not hold, there is nothing to debug.
    Nothing,
    /// By a limit; the best so far is written.
    Limit,
    /// By the user; the best so far is written.
    Interrupted,
}

/// How many trials there were.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Trials {
    /// Runs of the user's command in this session that came to their end, the baseline's among them.
    pub run: u64,
    /// Runs that were tested ahead and ended early, since their answer was not needed any more.
    pub cancelled: u64,
    /// Questions answered from memory or from the journal.
    pub cached: u64,
    /// Trials that were built and not tested, since an equal product had been tested.
    pub same_product: u64,
    /// Questions answered without running anything.
    pub predicted: u64,
    /// Runs that passed.
    pub pass: u64,
    /// Runs that failed as the input does.
    pub fail: u64,
    /// Runs that were neither.
    pub unresolved: u64,
}

/// What was done to be sure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Sure {
    /// How many of the confirming runs failed as the input does.
    pub failures: usize,
    /// How many confirming runs there were, each in a clean directory.
    pub runs: usize,
    /// For a test that does not always fail: how sure each single decision is.
    pub confidence: Option<f64>,
}

/// A failure that is not the one that was looked for.
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
