//! The flags of `yester report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::flag::STATE;

/// Show what a run has found: as a page for people, for an issue, or for a program
///
/// Everything comes from the directory of the run: any time later, and also while the run goes on or after it was
/// stopped. When a run ends, yester writes report.html and report.md into that directory.
///
/// A RUN is named by its directory, or by any part of the directory's name that no other run has.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  yester report                              the newest run, as text
  yester report --open                       its page, in your browser
  yester report crash -o crash.html          the run with crash in its name, as a page to send
  yester report --format markdown            text for an issue, or for an agent
  yester report --format sarif -o out.sarif  for code scanning and editors
  yester report --format github              annotations for a job of GitHub Actions

The page is one file. It loads nothing from anywhere, and it can be read without scripts.")]
pub struct ReportArguments {
    /// The run [default: the newest]
    pub run: Option<String>,

    /// What to write [default: what the name of OUT says, otherwise text]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,

    /// Write it to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Show the page in a browser
    #[arg(long)]
    pub open: bool,

    /// Look for runs in this directory
    #[arg(long, value_name = "DIR", default_value = STATE)]
    pub state_dir: PathBuf,
}

/// How a run is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One HTML page with everything
    Html,
    /// Short, for an issue tracker or an agent
    Markdown,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// Annotations for GitHub Actions
    Github,
    /// What --json prints
    Json,
    /// What the run printed
    Text,
}

impl ReportFormat {
    /// What a file of this name is expected to be.
    pub fn of_name(path: &std::path::Path) -> Option<ReportFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "html" | "htm" => Some(ReportFormat::Html),
            "md" | "markdown" => Some(ReportFormat::Markdown),
            "sarif" => Some(ReportFormat::Sarif),
            "json" => Some(ReportFormat::Json),
            "txt" => Some(ReportFormat::Text),
            _ => None,
        }
    }
}
