//! Reports of all commands, for whoever tells them without knowing what they are about.

use std::any::Any;
use std::io::{self, Write};

use serde::Serialize;

use crate::{
    Changes, ChangesResult, ExplainReport, ExplainResult, FlipReport, FlipResult, HistoryReport,
    HistoryResult, Reduction, ReductionResult, Report, Status, Story, Trials, WhyReport, WhyResult,
};

/// The answer of a command.
pub trait Answer: Serialize + Sized {
    /// Whether it may have so many parts that they are not worth an indentation each.
    const IS_LONG: bool = false;

    /// The report for people.
    fn text(report: &Report<Self>) -> String;

    /// The same for every format.
    fn story(report: &Report<Self>) -> Story;
}

/// Nothing, where a call ends before there is an answer.
impl Answer for () {
    fn text(_: &Report<()>) -> String {
        String::new()
    }

    fn story(_: &Report<()>) -> Story {
        Story::default()
    }
}

impl Answer for ReductionResult {
    fn text(report: &Reduction) -> String {
        report.text()
    }

    fn story(report: &Reduction) -> Story {
        report.story()
    }
}

impl Answer for ChangesResult {
    fn text(report: &Changes) -> String {
        report.text()
    }

    fn story(report: &Changes) -> Story {
        report.story()
    }
}

impl Answer for HistoryResult {
    fn text(report: &HistoryReport) -> String {
        report.text()
    }

    fn story(report: &HistoryReport) -> Story {
        report.story()
    }
}

impl Answer for ExplainResult {
    fn text(report: &ExplainReport) -> String {
        report.text()
    }

    fn story(report: &ExplainReport) -> Story {
        report.story()
    }
}

impl Answer for FlipResult {
    fn text(report: &FlipReport) -> String {
        report.text()
    }

    fn story(report: &FlipReport) -> Story {
        report.story()
    }
}

impl Answer for WhyResult {
    fn text(report: &WhyReport) -> String {
        report.text()
    }

    fn story(report: &WhyReport) -> Story {
        report.story()
    }
}

/// A report, whatever its answer is.
pub trait AnyReport {
    /// The report for people.
    fn text(&self) -> String;

    /// What every format tells of it.
    fn story(&self) -> Story;

    /// Whether it may be too long to be kept whole.
    fn is_long(&self) -> bool;

    /// The directory of the run.
    fn run(&self) -> Option<&str>;

    /// How it ended.
    fn status(&self) -> Status;

    /// What it took: trials, and seconds.
    fn effort(&self) -> (Trials, f64);

    /// The answer, for whoever knows what it is.
    fn result(&self) -> Option<&dyn Any>;

    /// The page that tells it, once there is one.
    fn page(&self) -> Option<&str>;

    /// Takes note of the page that tells it.
    fn set_page(&mut self, page: String);

    /// What each pass gained, for people who want to know more.
    fn passes_text(&self) -> String;

    /// Writes the report as one JSON object, piece by piece: it may be bigger than memory.
    ///
    /// # Errors
    /// If it cannot be written.
    fn write_json(&self, writer: &mut dyn Write) -> io::Result<()>;

    /// The same on one line.
    ///
    /// # Errors
    /// If it cannot be written.
    fn write_json_line(&self, writer: &mut dyn Write) -> io::Result<()>;
}

impl<R: Answer + 'static> AnyReport for Report<R> {
    fn text(&self) -> String {
        R::text(self)
    }

    fn story(&self) -> Story {
        R::story(self)
    }

    fn is_long(&self) -> bool {
        R::IS_LONG
    }

    fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    fn status(&self) -> Status {
        self.status
    }

    fn effort(&self) -> (Trials, f64) {
        (self.trials, self.seconds)
    }

    fn result(&self) -> Option<&dyn Any> {
        self.result.as_ref().map(|result| result as &dyn Any)
    }

    fn page(&self) -> Option<&str> {
        self.page.as_deref()
    }

    fn set_page(&mut self, page: String) {
        self.page = Some(page);
    }

    fn passes_text(&self) -> String {
        Report::passes_text(self)
    }

    fn write_json(&self, writer: &mut dyn Write) -> io::Result<()> {
        if R::IS_LONG {
            return self.write_json_line(writer);
        }
        Ok(serde_json::to_writer_pretty(writer, self)?)
    }

    fn write_json_line(&self, writer: &mut dyn Write) -> io::Result<()> {
        Ok(serde_json::to_writer(writer, self)?)
    }
}
