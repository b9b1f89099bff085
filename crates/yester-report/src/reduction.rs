use std::fmt::Write;

use serde::Serialize;

use crate::{count, grouped, percent, seconds};

/// The version of the JSON. Fields may be added without a new one; none changes its meaning.
pub const SCHEMA: u32 = 1;

/// What `yester reduce` has to say.
#[derive(Clone, Debug, Serialize)]
pub struct Reduction {
    /// [`SCHEMA`].
    pub schema: u32,
    /// `reduce`
    pub command: &'static str,
    /// How it ended.
    pub status: Status,
    /// How many trials it took.
    pub trials: Trials,
    /// The wall time of this session.
    pub seconds: f64,
    /// The answer, or the best so far. Nothing when there is nothing to search for.
    pub result: Option<Result>,
    /// Where the run keeps its journal and its best.
    pub run: Option<String>,
    /// What counts as the failure.
    pub failure: Option<String>,
    /// How sure the answer is.
    pub sure: Option<Sure>,
    /// Other failures that were met on the way.
    pub also_seen: Vec<OtherFailure>,
    /// What went wrong.
    pub error: Option<Error>,
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
    /// Questions answered without running anything.
    pub predicted: u64,
    /// Runs that passed.
    pub pass: u64,
    /// Runs that failed as the input does.
    pub fail: u64,
    /// Runs that were neither.
    pub unresolved: u64,
}

/// The reduced input.
#[derive(Clone, Debug, Serialize)]
pub struct Result {
    /// Where it is.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The size before.
    pub original_bytes: u64,
    /// How many tokens it has: words, numbers, quoted strings, and other visible bytes.
    pub tokens: u64,
    /// Whether it was shown that no single byte can be left out.
    pub one_minimal: bool,
    /// What was shown about its size.
    pub minimality: Minimality,
    /// The whole of it, when it is short and readable.
    pub text: Option<String>,
    /// With `--isolate`: where the nearest passing input is.
    pub passing: Option<String>,
    /// With `--isolate`: how many differences to the passing input there were, and are left.
    pub differences: Option<(u64, u64)>,
}

/// What is known of an answer besides that it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Minimality {
    /// No single byte can be left out.
    Bytes,
    /// No single node of its tree can be left out.
    Nodes,
    /// None of the ideas makes it smaller.
    Ideas,
    /// It passes without what makes the difference, of which nothing can be left out.
    Difference,
    /// Nothing.
    Unknown,
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
pub struct OtherFailure {
    /// How it shows.
    pub failure: String,
    /// How many candidates showed it.
    pub seen: u64,
    /// Where the smallest of them is.
    pub path: String,
}

/// What went wrong and what to do about it.
#[derive(Clone, Debug, Serialize)]
pub struct Error {
    /// What went wrong.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl Reduction {
    /// The report as one JSON object.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data")
    }

    /// The report in four lines: what, where, how sure, what next. A line more for each other failure.
    pub fn text(&self) -> String {
        let Some(result) = &self.result else {
            return String::new();
        };
        let mut text = String::new();
        let so_far = if self.status == Status::Found {
            ""
        } else {
            ", so far"
        };
        let gone = result.original_bytes.saturating_sub(result.bytes);
        let removed = percent(gone, result.original_bytes);
        if let Some((before, after)) = result.differences {
            let _ = writeln!(
                text,
                "narrowed {} to {} in {}, {}",
                count(before, "difference"),
                grouped(after),
                count(self.trials.run, "trial"),
                seconds(self.seconds),
            );
        } else {
            let _ = writeln!(
                text,
                "reduced  {} bytes to {} ({removed} removed) in {}, {}{so_far}",
                grouped(result.original_bytes),
                grouped(result.bytes),
                count(self.trials.run, "trial"),
                seconds(self.seconds),
            );
        }
        let _ = writeln!(text, "result   {}", result.path);
        if let Some(passing) = &result.passing {
            let _ = writeln!(text, "passing  {passing}");
        }
        let _ = writeln!(text, "sure     {}", self.sureness(result));
        let _ = writeln!(text, "next     {}", self.next);
        for other in &self.also_seen {
            let _ = writeln!(
                text,
                "also     {} ({} ×): {}",
                other.failure,
                grouped(other.seen),
                other.path
            );
        }
        if let Some(short) = result
            .text
            .as_ref()
            .filter(|_| self.status == Status::Found)
        {
            let _ = write!(text, "\n{short}");
            if !short.ends_with('\n') {
                text.push('\n');
            }
        }
        text
    }

    fn sureness(&self, result: &Result) -> String {
        let minimal = match (result.minimality, self.status) {
            (Minimality::Bytes, _) => "no single byte can be left out",
            (Minimality::Nodes, _) => "no single node can be left out (1-tree-minimal)",
            (Minimality::Ideas, _) => "nothing that was tried makes it smaller",
            (Minimality::Difference, _) => "no part of the difference can be left out",
            (Minimality::Unknown, Status::Found) => "it may not be minimal",
            (Minimality::Unknown, _) => "it can probably be smaller",
        };
        match &self.sure {
            None => format!("failed once as the input does; {minimal}"),
            Some(Sure {
                confidence: Some(confidence),
                failures,
                runs,
            }) => format!(
                "failed in {failures} of {runs} runs, each decision at {:.0}% confidence; {minimal}",
                100.0 * confidence
            ),
            Some(_) => {
                format!("fails as the input does, checked again in a clean directory; {minimal}")
            }
        }
    }
}
