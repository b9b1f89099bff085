//! Everything that is known about a run: what every format renders.

use crate::{Lineage, PassGain, SeenFailure, Story, Sure};

/// Everything that is known about a run, whether it has ended or not.
#[derive(Clone, Debug, Default)]
pub struct Dossier {
    /// The name of its directory.
    pub name: String,
    /// How it stands.
    pub state: RunState,
    /// Why it ended, if it did not end with an answer.
    pub reason: String,
    /// The answer, or the best so far.
    pub story: Story,
    /// The command of yester.
    pub command: String,
    /// The call, quoted for a shell.
    pub call: String,
    /// The call that goes on with the run, if it can be called again.
    pub resume: Option<String>,
    /// What the run works on, in the user's words.
    pub target: String,
    /// The test, in the user's words.
    pub test: String,
    /// What counts as the failure.
    pub failure: String,
    /// When it was called, as people read it.
    pub started: String,
    /// The version of yester.
    pub yester: String,
    /// How long it took.
    pub seconds: f64,
    /// What its sizes count: bytes, changed lines.
    pub unit: String,
    /// How big it was at the beginning. Nothing if the run makes nothing smaller.
    pub original_size: Option<u64>,
    /// How the best became smaller.
    pub sizes: Vec<SizeStep>,
    /// The versions of the history that were tested, the oldest first.
    pub versions: Vec<DossierVersion>,
    /// How the answer was confirmed.
    pub sure: Option<Sure>,
    /// Which part of the input went when.
    pub lineage: Option<Lineage>,
    /// What each pass of the search gained.
    pub passes: Vec<PassGain>,
    /// Other failures that the search came across.
    pub also_seen: Vec<SeenFailure>,
    /// All runs of the user's command, in order.
    pub trials: Vec<DossierTrial>,
    /// Lines of the journal that could not be read.
    pub unreadable: usize,
    /// The report that the run printed for people.
    pub text: String,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    /// It has an answer.
    Found,
    /// It goes on at this moment.
    Running,
    /// It has ended without an answer, or with the best so far.
    #[default]
    Stopped,
    /// It was killed.
    Killed,
}

/// A best so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeStep {
    /// How many trials there were.
    pub trials: u64,
    /// How big it was then.
    pub size: u64,
}

/// A version of the history with its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct DossierVersion {
    /// How many versions are older. Nothing for one beside the line of the others.
    pub position: Option<usize>,
    /// How many versions there are.
    pub of: usize,
    /// The full id of its commit.
    pub id: String,
    /// When it was made, in ISO 8601.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
    /// The outcome.
    pub outcome: TrialOutcome,
}

/// A run of the user's command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DossierTrial {
    /// Its number.
    pub number: u64,
    /// Why it was run: `search`, `baseline`…
    pub why: String,
    /// What the search did then: the name of its pass.
    pub pass: String,
    /// In which way the candidate differs from the others, in words.
    pub difference: String,
    /// `pass`, `fail` or `unresolved`; nothing at the baseline, from which the judge is made.
    pub outcome: Option<TrialOutcome>,
    /// How it ended.
    pub ending: String,
    /// How big the candidate was, in bytes.
    pub bytes: u64,
    /// How long it took.
    pub seconds: f64,
    /// What it printed, as far as that was kept.
    pub output: String,
    /// The content hash of the candidate.
    pub candidate: String,
}

/// What a trial said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialOutcome {
    /// The failure does not occur.
    Pass,
    /// The failure occurs.
    Fail,
    /// Neither can be said.
    Unresolved,
}

impl RunState {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            RunState::Found => "found",
            RunState::Running => "running",
            RunState::Stopped => "stopped",
            RunState::Killed => "killed",
        }
    }
}

impl TrialOutcome {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            TrialOutcome::Pass => "pass",
            TrialOutcome::Fail => "fail",
            TrialOutcome::Unresolved => "unresolved",
        }
    }
}

impl Dossier {
    /// The answer in one sentence, or what there is instead of one.
    pub fn headline(&self) -> String {
        let known = &self.story.headline;
        match self.state {
            _ if !known.is_empty() => known.clone(),
            RunState::Running => "the search goes on; there is no answer yet".to_owned(),
            RunState::Killed => "yester was killed before it had an answer".to_owned(),
            _ if !self.reason.is_empty() => self.reason.clone(),
            _ => "no answer was found".to_owned(),
        }
    }
}
