//! What a run found, as plain data, and how to show it: to people as text, to programs as JSON.
//!
//! ```
//! use yester_report::{Minimality, Reduction, ReductionResult, SCHEMA, Status, Trials};
//!
//! let report = Reduction {
//!     schema: SCHEMA,
//!     yester: "0.1.0",
//!     command: "reduce".to_owned(),
//!     call: ["yester", "reduce", "crash.json", "--", "jq", "{}"].map(str::to_owned).to_vec(),
//!     input: None,
//!     status: Status::Found,
//!     trials: Trials { run: 1, ..Trials::default() },
//!     passes: Vec::new(),
//!     seconds: 0.5,
//!     result: Some(ReductionResult {
//!         // A name that would clear a terminal.
//!         path: "crash\u{1b}[2J.json".to_owned(),
//!         bytes: 2,
//!         original_bytes: 4000,
//!         tokens: 2,
//!         one_minimal: true,
//!         minimality: Minimality::Bytes,
//!         text: None,
//!         passing: None,
//!         differences: None,
//!     }),
//!     run: None,
//!     failure: Some("exit 1".to_owned()),
//!     sure: None,
//!     also_seen: Vec::new(),
//!     error: None,
//!     next: String::new(),
//!     page: None,
//! };
//! assert!(report.text().starts_with("reduced  4,000 bytes to 2 "));
//! assert!(!report.text().contains('\u{1b}'));
//! assert!(report.json().contains(r#""minimality": "bytes""#));
//! ```
//!
//! # Invariants
//!
//! - A report holds what was observed. Nothing here runs, reads or decides anything.
//! - Text for people passes through `visible`: a terminal obeys nothing in it, and no value breaks its line.

mod answer;
mod changed_source;
mod changes;
mod colour;
mod dossier;
#[cfg(test)]
mod example;
mod excerpt;
mod explain;
mod fix;
mod flip;
mod github;
mod history;
mod lineage;
mod markdown;
mod merge;
mod number;
mod page;
mod place;
mod plain;
pub mod quantity;
pub mod quote;
mod reduction;
mod report;
mod sarif;
mod sheet;
mod shown_patch;
pub mod spelling;
mod story;
mod trace;
mod visible;
mod why;

pub use answer::{Answer, AnyReport};
pub use changed_source::ChangedSource;
pub use changes::{
    ChangedLines, Changes, ChangesResult, CulpritSet, ReportedCommit, ReportedRelapse, TestOutcome,
    Verified,
};
pub use colour::coloured;
pub use dossier::{Dossier, DossierTrial, DossierVersion, RunState, SizeStep, TrialOutcome};
pub use explain::{
    AlternateInput, CrashPlace, ExplainPlace, ExplainReport, ExplainResult, ShownBehaviour,
};
pub use fix::{FixKind, ReportedFix};
pub use flip::{
    FlipBytes, FlipCure, FlipDependences, FlipLink, FlipNear, FlipPlace, FlipReport, FlipResult,
    SameCause,
};
pub use history::{
    AlsoRun, BorderDirection, HistoryReport, HistoryResult, HistoryTrials, HistoryVerified,
    ReportedBorder,
};
pub use lineage::{Lineage, LineagePart};
pub use merge::{MergedBranch, ReportedMerge, ReportedMergeCause};
pub use number::{amount, count, grouped, percent, seconds};
pub use place::{Place, Spot};
pub use reduction::{Minimality, Reduction, ReductionResult};
pub use report::{
    PassGain, Report, ReportedError, ReportedInput, SCHEMA, SeenFailure, Status, Sure, Trials,
    VERSION,
};
pub use sheet::Sheet;
pub use shown_patch::{ShownFile, ShownHunk, ShownPatch};
pub use story::{
    CommitRole, MadeInput, PatchRole, PatchSize, PlaceStep, SourceText, Story, StoryChange,
    StoryCommand, StoryCommit, StoryInput, StoryPatch, StoryPlace, StorySource, StoryStep,
    StoryValue,
};
pub use trace::{
    Lost, Negated, NegatedSource, TraceBranch, TraceConditions, TraceConstraint, TraceResult,
};
pub use visible::{visible, visible_line};
pub use why::{WhyPlace, WhyReport, WhyResult, WhyStep};
