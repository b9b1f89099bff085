//! What a command has to say for the driver to carry it out: what is searched, how, and what the answer looks like.

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use yester_core::{Candidate, Hash, Stop};
use yester_report::{Answer, Sure};
use yester_run::{
    Baseline, BestSoFar, CommandLab, Consumer, Events, Expectation, Invocation, Repeat,
    RunDirectory, Runner, Subject,
};

use super::frame::RunTarget;
use crate::cli::{RunArguments, TrialArguments};
use crate::failure::{Exit, Failure};
use crate::runs::Extent;

/// The flags that every command has, and the name of the run.
pub struct SharedArguments<'a> {
    /// The name of the run that this call is, the first time and every time after.
    pub name: &'a str,
    pub trial: &'a TrialArguments,
    pub run: &'a RunArguments,
}

/// What is searched, in the user's words and in numbers.
pub struct Scope {
    pub target: RunTarget,
    /// How big what is searched is.
    pub size: u64,
    /// The whole input, where candidates are parts of one.
    pub whole: Option<Candidate>,
    /// What was run at the baseline and failed, in words.
    pub failing_side: String,
}

/// What a command says of itself.
pub struct Words {
    /// What its sizes count.
    pub unit: &'static str,
    /// What `introduce` does, for the screen.
    pub introduction: &'static str,
    /// What `prepare` does.
    pub preparation: &'static str,
    /// What the baseline does.
    pub baseline: &'static str,
}

/// What a trial runs, and on what.
pub struct TrialSetup {
    pub invocation: Invocation,
    pub subject: Subject,
    /// Where the tree lies that trials start from.
    pub base: Option<(Hash, PathBuf)>,
    /// The directories that a test must be able to read in every sandbox.
    pub visible: Vec<PathBuf>,
}

/// What findings are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The proofs have shown all that they should.
    Found,
    /// They are proved in part, and not called found.
    Unproved,
    /// All was searched, and they say that there is nothing, and why.
    Nothing,
}

/// Why there is no answer.
pub enum Halt {
    /// The search had to stop. The same call goes on.
    Stop(Stop),
    /// There is nothing to search for.
    Nothing(Failure),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

/// What is searched, and what has to hold before.
pub trait Problem {
    const WORDS: Words;

    /// What its baseline has established.
    type Baseline;

    fn arguments(&self) -> SharedArguments<'_>;
    fn scope(&self) -> Scope;
    /// Says what the user's words were taken for.
    fn introduce(&mut self, events: &Events) -> Result<(), Failure>;
    /// Why nothing has to be run to know that there is nothing to search for.
    fn nothing_to_search(&self) -> Option<Failure>;
    /// Makes what every trial starts from.
    fn prepare(&self, run: &RunDirectory) -> Result<TrialSetup, Failure>;
    fn expectation(&self) -> Expectation;
    /// Sees that the command answers as promised. Where it does not, leaves in the run what shows it.
    fn establish(
        &self,
        runner: &mut Runner,
        expectation: &Expectation,
        run: &RunDirectory,
    ) -> Result<Self::Baseline, Halt>;
    fn baseline(baseline: &Self::Baseline) -> &Baseline;
    /// What a person should know before the search begins.
    fn remarks(&self, baseline: &Self::Baseline) -> Vec<String>;
    /// Whether no trial may start from what another has left.
    fn needs_clean_trees(&self, baseline: &Self::Baseline) -> bool;
}

/// How an answer is looked for and proved.
pub trait Search: Problem {
    /// Whether its search learns from what trials without an outcome print.
    const KEEPS_OUTPUTS: bool;
    /// Whether a second look forgets the trials of the first, since they ran in reused trees.
    const STARTS_CLEAN_JOURNAL: bool;
    /// How often it is searched again, with more care, when an answer does not hold.
    const LOOKS: usize;

    /// Where it keeps the best answer so far.
    type Best: BestSoFar;
    /// An answer, and its proof once it has one.
    type Finding;

    /// Begins to keep the best answer so far.
    fn best(&self, run: &Rc<RunDirectory>) -> Result<Self::Best, Failure>;
    /// Tells the lab what the baseline knows.
    fn teach(&self, lab: &mut CommandLab<Self::Best>, baseline: &Self::Baseline);
    /// Looks for an answer beside those that were found.
    fn search(
        &self,
        lab: &mut CommandLab<Self::Best>,
        baseline: &Self::Baseline,
        found: &[Self::Finding],
    ) -> Result<Self::Finding, Halt>;
    /// Runs an answer in clean places. Says whether it holds there.
    fn prove(
        &self,
        lab: &mut CommandLab<Self::Best>,
        baseline: &Self::Baseline,
        finding: &mut Self::Finding,
        found: &[Self::Finding],
    ) -> Result<bool, Halt>;
    fn is_proved(finding: &Self::Finding) -> bool;
    /// Whether these findings are all that the user wants.
    fn is_complete(&self, found: &[Self::Finding]) -> bool;
    /// The best so far of a search that was stopped, if it is worth reporting.
    fn unfinished(&self, best: &Self::Best) -> Option<Self::Finding>;
    /// What to say before searching again with more care, when an answer did not hold. Nothing if that is of no use.
    fn second_look(&self, repeat: &Repeat) -> Option<&'static str>;
    /// What to say when it does not hold then either.
    fn refuted(&self) -> &'static str;
}

/// How findings are kept and told.
pub trait Presentation: Search {
    /// All findings, as they are reported.
    type Result: Answer + 'static;

    /// What is left of what is searched, for `yester runs`.
    fn extent(&self, left: u64) -> Extent;
    /// Who else wants to know what happens in the run.
    fn consumers(&self, run: &Rc<RunDirectory>) -> Vec<Box<dyn Consumer>>;
    /// What the findings are worth, once they are proved as far as they can be.
    fn standing(findings: &[Self::Finding]) -> Standing;
    /// Writes the findings for the user, and says what they are.
    fn write(
        &self,
        run: &RunDirectory,
        findings: &[Self::Finding],
    ) -> Result<Self::Result, Failure>;
    /// The answer itself, where it goes to standard output.
    fn answer(&self, _: &[Self::Finding]) -> Option<Vec<u8>> {
        None
    }
    fn left(result: &Self::Result) -> u64;
    fn sure(finding: &Self::Finding) -> Option<Sure>;
    /// How to look at the answer.
    fn next(&self, run: &RunDirectory, result: Option<&Self::Result>) -> String;
    /// Puts a candidate below the run's directory. Gives the path that shows it.
    fn save(&self, run: &RunDirectory, place: &Path, candidate: &Candidate) -> io::Result<PathBuf>;
    /// Removes what only the trials needed.
    fn clean_up(&self, run: &RunDirectory, exit: Exit);
}
