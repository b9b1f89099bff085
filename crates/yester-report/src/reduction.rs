use serde::Serialize;

use crate::sheet::Sheet;
use crate::{Report, Status, Sure, Trials, count, grouped, percent, seconds};

/// The report of `yester reduce`.
pub type Reduction = Report<ReductionResult>;

/// The reduced input.
#[derive(Clone, Debug, Serialize)]
pub struct ReductionResult {
    /// Where it is.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The size before.
    pub original_bytes: u64,
    /// How many tokens it has: words, numbers, quoted strings, and other visible bytes.
    pub tokens: u64,
    /// Whether trials have shown that no single byte can be left out.
    pub one_minimal: bool,
    /// What trials have shown about its size.
    pub minimality: Minimality,
    /// All of it, if it is short and readable.
    pub text: Option<String>,
    /// With `--isolate`: where the closest passing input is.
    pub passing: Option<String>,
    /// With `--isolate`: how many differences to the passing input there were, and how many are left.
    pub differences: Option<(u64, u64)>,
}

/// What is known of an answer, apart from the fact that it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Minimality {
    /// No single byte can be left out.
    Bytes,
    /// No single node of its tree can be left out.
    Nodes,
    /// None of the ideas makes it smaller.
    Ideas,
    /// It passes without the difference, and no part of the difference can be left out.
    Difference,
    /// Nothing.
    Unknown,
}

impl Reduction {
    /// The report in four lines: what, where, how sure, what next. A line more for each other failure.
    pub fn text(&self) -> String {
        let Some(result) = &self.result else {
            return String::new();
        };
        let mut sheet = Sheet::default();
        let so_far = if self.status == Status::Found {
            ""
        } else {
            ", so far"
        };
        let gone = result.original_bytes.saturating_sub(result.bytes);
        let removed = percent(gone, result.original_bytes);
        if let Some((before, after)) = result.differences {
            sheet.line(format!(
                "narrowed {} to {} in {}, {}",
                count(before, "difference"),
                grouped(after),
                count(self.trials.run, "trial"),
                seconds(self.seconds),
            ));
        } else {
            sheet.line(format!(
                "reduced  {} bytes to {} ({removed} removed) in {}, {}{so_far}",
                grouped(result.original_bytes),
                grouped(result.bytes),
                count(self.trials.run, "trial"),
                seconds(self.seconds),
            ));
        }
        sheet.line(format!("result   {}", result.path));
        if let Some(passing) = &result.passing {
            sheet.line(format!("passing  {passing}"));
        }
        sheet.line(format!("sure     {}", self.sureness(result)));
        sheet.line(format!("next     {}", self.next));
        self.tell_page(&mut sheet);
        let Trials {
            cancelled, unused, ..
        } = self.trials;
        if cancelled + unused > 0 {
            sheet.line(format!(
                "wasted   {} run ahead and not needed",
                count(cancelled + unused, "trial")
            ));
        }
        for other in &self.also_seen {
            sheet.line(format!(
                "also     {} ({} ×): {}",
                other.failure,
                grouped(other.seen),
                other.path
            ));
        }
        if let Some(short) = result
            .text
            .as_ref()
            .filter(|_| self.status == Status::Found)
        {
            sheet.line("");
            sheet.block(short);
        }
        sheet.finish()
    }

    pub(crate) fn sureness(&self, result: &ReductionResult) -> String {
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
