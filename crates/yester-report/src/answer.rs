//! Reports of all commands, for whoever tells them without knowing what they are about.

use std::io::{self, Write};

use serde::Serialize;

use crate::{
    Changes, ChangesResult, ExplainReport, ExplainResult, FlipReport, FlipResult, HistoryReport,
    HistoryResult, Reduction, ReductionResult, Report,
};

/// The answer of a command.
pub trait Answer: Serialize + Sized {
    /// Whether it may have so many parts that they are not worth an indentation each.
    const IS_LONG: bool = false;

    /// The report for people.
    fn text(report: &Report<Self>) -> String;
}

/// Nothing, where a call ends before there is an answer.
impl Answer for () {
    fn text(_: &Report<()>) -> String {
        String::new()
    }
}

impl Answer for ReductionResult {
    fn text(report: &Reduction) -> String {
        report.text()
    }
}

impl Answer for ChangesResult {
    fn text(report: &Changes) -> String {
        report.text()
    }
}

impl Answer for HistoryResult {
    fn text(report: &HistoryReport) -> String {
        report.text()
    }
}

impl Answer for ExplainResult {
    fn text(report: &ExplainReport) -> String {
        report.text()
    }
}

impl Answer for FlipResult {
    fn text(report: &FlipReport) -> String {
        report.text()
    }
}

/// A report, whatever its answer is.
pub trait AnyReport {
    /// The report for people.
    fn text(&self) -> String;

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

impl<R: Answer> AnyReport for Report<R> {
    fn text(&self) -> String {
        R::text(self)
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
