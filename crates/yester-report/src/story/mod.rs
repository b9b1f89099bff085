//! What a run has found, told the same way whichever command found it.
//!
//! A report holds what one command knows, in its own fields. A story holds what a person wants to
//! read, and every format renders it without knowing the commands. It is kept in the directory of
//! the run, so that the run can be told at any time.

mod changes;
mod explain;
mod flip;
mod history;
mod reduction;
mod source;

use serde::{Deserialize, Serialize};

pub use self::source::{SourceText, StorySource};

/// What a run has found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Story {
    /// The answer in one sentence.
    pub headline: String,
    /// What runs have shown, a sentence each.
    pub proofs: Vec<String>,
    /// What was not tried, and other reasons to look twice.
    pub doubts: Vec<String>,
    /// What to call to see the answer.
    pub commands: Vec<StoryCommand>,
    /// The part of the input that is to blame.
    pub input: Option<StoryInput>,
    /// The commits that the story mentions, the guilty one first.
    pub commits: Vec<StoryCommit>,
    /// Patches: what broke it, and what repairs it.
    pub patches: Vec<StoryPatch>,
    /// Places in the source, the best first.
    pub places: Vec<StoryPlace>,
    /// The parts of the sources that they are in.
    pub sources: Vec<StorySource>,
    /// Inputs that yester made.
    pub made_inputs: Vec<MadeInput>,
    /// How the patch that keeps the test running grew on the way through the history.
    pub patch_sizes: Vec<PatchSize>,
    /// The stories of the steps, where several commands had a part in it.
    pub steps: Vec<StoryStep>,
}

/// A command that somebody may copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryCommand {
    /// What it does.
    pub what: String,
    /// Its words, quoted for a shell.
    pub words: String,
}

/// A reduced input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryInput {
    /// Where it is, as the user would write it.
    pub path: String,
    /// Where the whole input is, as the user would write it.
    #[serde(default)]
    pub original: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The size before.
    pub original_bytes: u64,
    /// All of it, if it is short and readable.
    pub text: Option<String>,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryCommit {
    /// Its full id.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// The day, in ISO 8601.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
    /// What it has to do with the failure.
    pub role: CommitRole,
}

/// What a commit has to do with a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitRole {
    /// It is the first that fails.
    Culprit,
    /// One of several of which one is the first that fails.
    Suspect,
    /// It passes.
    Good,
    /// It fails.
    Bad,
    /// It gave no answer.
    Skipped,
    /// It made a part of the guilty change.
    Author,
    /// It merged the branch of the guilty one.
    Merge,
}

/// A patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryPatch {
    /// What it does: `culprit`, `fix`, `backport` or `passing`.
    pub role: PatchRole,
    /// Where it is, as the user would write it.
    pub path: String,
    /// What it applies to, in words.
    pub base: String,
    /// The patch itself, where it is short enough to be read.
    pub text: Option<String>,
    /// What it changes.
    pub changes: Vec<StoryChange>,
}

/// What a patch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchRole {
    /// It breaks the version that passes.
    Culprit,
    /// It makes the version that fails pass.
    Fix,
    /// It makes the test run on an old version.
    Backport,
    /// It leads to the closest version that passes.
    Passing,
}

/// Neighbouring lines that a patch changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryChange {
    /// The file.
    pub file: String,
    /// The first line in the version that fails.
    pub line: u64,
    /// The line in the version that the user asks about, where that is another one and has it.
    #[serde(default)]
    pub here: Option<u64>,
    /// How many lines go.
    #[serde(default)]
    pub removed: u64,
    /// How many lines come.
    #[serde(default)]
    pub added: u64,
    /// What happens to it, in words.
    pub what: String,
    /// Whether the failure is gone without it. Nothing if that is not known.
    pub is_cause: Option<bool>,
    /// The commit that made it, by its index in the story.
    pub commit: Option<usize>,
}

/// A place in the source with what was seen there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoryPlace {
    /// What it means, in a few words.
    pub title: String,
    /// The version that it is in: `old` or `new`; empty if there is one only.
    pub version: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The line in the version that the user asks about, where that is another one and has it.
    pub here: Option<u32>,
    /// The column.
    pub column: u32,
    /// The function, if it is known.
    pub function: String,
    /// What was seen there: the values of the runs.
    pub seen: String,
    /// The same as values, run by run.
    pub values: Vec<StoryValue>,
    /// How it was found.
    pub evidence: String,
    /// The line of the source, if it could be read.
    pub source: String,
    /// The part of that line that is meant, in bytes.
    pub span: (usize, usize),
    /// What leads to it from the input, and from it to the output.
    pub steps: Vec<PlaceStep>,
    /// What else there is to say, a line each.
    pub notes: Vec<String>,
}

impl StoryPlace {
    /// The line for people who look at the version that they asked about.
    pub fn shown_line(&self) -> u32 {
        self.here.unwrap_or(self.line)
    }
}

impl StoryChange {
    /// The line for people who look at the version that they asked about.
    pub fn shown_line(&self) -> u64 {
        self.here.unwrap_or(self.line)
    }
}

/// What something was in one of the runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryValue {
    /// The run, in words.
    pub run: String,
    /// What it was.
    pub value: String,
}

impl StoryValue {
    /// Two of them. Nothing where one of them is not known.
    fn both(was: (&str, &str), becomes: (&str, &str)) -> Vec<StoryValue> {
        if was.1.is_empty() || becomes.1.is_empty() {
            return Vec::new();
        }
        let values = [was, becomes].map(|(run, value)| StoryValue {
            run: run.to_owned(),
            value: value.to_owned(),
        });
        values.to_vec()
    }
}

/// A step on the way from the input to the output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceStep {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// What it does.
    pub what: String,
    /// Whether it comes before the place or after it.
    pub is_before: bool,
}

/// An input that yester made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MadeInput {
    /// What it shows.
    pub title: String,
    /// Your input and the new one below each other, in a font whose letters are equally wide.
    pub difference: String,
    /// What happens on it, a line each.
    pub effects: Vec<String>,
}

/// The patch that keeps a test running, at a revision where another one was needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchSize {
    /// The full id of the revision.
    pub revision: String,
    /// The day, in ISO 8601.
    pub date: String,
    /// Whether it was met on the way to newer revisions.
    pub is_forward: bool,
    /// How many lines the whole difference has.
    pub before: u64,
    /// How many lines the patch has.
    pub after: u64,
    /// What was wrong with the patch before.
    pub outcome: String,
}

/// A part of an answer that one command has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryStep {
    /// The command.
    pub command: String,
    /// Why it was called, in a sentence.
    pub why: String,
    /// What it has found.
    pub story: Story,
}

impl Story {
    /// The best place of the story or of its steps, the last step first: it has the smallest input.
    pub fn best_places(&self) -> &[StoryPlace] {
        let of_steps = self.steps.iter().rev().map(|step| step.story.best_places());
        let mut all = std::iter::once(&self.places[..]).chain(of_steps);
        all.find(|places| !places.is_empty()).unwrap_or_default()
    }

    /// All patches with the commits of their changes, those of the steps too.
    pub fn all_patches(&self) -> Vec<(&StoryPatch, &[StoryCommit])> {
        let own = self.patches.iter().map(|patch| (patch, &self.commits[..]));
        let of_steps = self.steps.iter().flat_map(|step| step.story.all_patches());
        own.chain(of_steps).collect()
    }
}

impl CommitRole {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            CommitRole::Culprit => "first that fails",
            CommitRole::Suspect => "suspect",
            CommitRole::Good => "passes",
            CommitRole::Bad => "fails",
            CommitRole::Skipped => "no answer",
            CommitRole::Author => "made a part of it",
            CommitRole::Merge => "brought it in",
        }
    }
}

impl PatchRole {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            PatchRole::Culprit => "culprit",
            PatchRole::Fix => "fix",
            PatchRole::Backport => "back-port",
            PatchRole::Passing => "passing version",
        }
    }

    /// What the patch is for.
    pub fn purpose(self) -> &'static str {
        match self {
            PatchRole::Culprit => "breaks the version that passes",
            PatchRole::Fix => "makes the version that fails pass",
            PatchRole::Backport => "makes the test run on the old version",
            PatchRole::Passing => "leads to the closest version that passes",
        }
    }
}

/// Sentences, without those that say nothing.
fn sentences(parts: impl IntoIterator<Item = String>) -> Vec<String> {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect()
}
