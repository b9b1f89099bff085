//! What path generation found, as plain data.

use std::collections::HashSet;

use super::taken::{ChangedBranch, TakenRun};
use super::tree::{FAILING, MadeRun, Tree};
use super::work::Limit;
use crate::alignment::{RunEvent, Statement};
use crate::input::ProgramInput;
use crate::program::{Program, RunEnd, Shown};

/// More places say less.
const MOST_PLACES: usize = 10;
/// So many runs are told.
const MOST_SUCCESSES: usize = 5;

/// What was found.
#[derive(Debug)]
pub struct PathFindings {
    /// Branches that go another way in runs that succeed, the best first. Each place is told once.
    pub places: Vec<PathPlace>,
    /// The runs that they are from: those that end as they should first, of these those with the fewest branches that go another way,
    /// and of these the nearest.
    pub successes: Vec<PathSuccess>,
    /// The nearest run that succeeds, by Definition 4.
    pub nearest: Option<PathSuccess>,
    /// The nearest run that takes another path and still fails.
    pub nearest_failing: Option<PathSuccess>,
    /// How many runs there were.
    pub runs: usize,
    /// How many questions the solver was asked.
    pub questions: usize,
    /// The limit that was in the way of more work, if one was.
    pub stopped_by: Option<Limit>,
    /// Whether everything nearer was tried or is impossible. Otherwise the number of runs was the limit, or a question had no answer.
    pub is_exhausted: bool,
    /// Reasons to look twice.
    pub notes: Vec<String>,
}

impl PathFindings {
    /// What was not found, or may have been missed, in words.
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.nearest.is_none() {
            let mut note = format!(
                "no input that takes another path was seen to pass, in {} and {} to the solver",
                count(self.runs, "run"),
                count(self.questions, "question")
            );
            if let Some(failing) = &self.nearest_failing {
                note.push_str(&format!(
                    "; the nearest differs in {} and goes another way {}",
                    count(failing.bytes, "byte"),
                    match failing.distance.len() {
                        1 => "at one branch".to_owned(),
                        branches => format!("at {branches} branches"),
                    }
                ));
            }
            notes.push(note);
        }
        if !self.is_exhausted {
            let mut note = match self.nearest {
                Some(_) => {
                    "a nearer input that passes may exist: not everything could be tried".to_owned()
                }
                None => "one may exist: not everything could be tried".to_owned(),
            };
            if let Some(limit) = self.stopped_by {
                note.push_str(&format!(
                    "; after {} and {} to the solver it was stopped by {}",
                    count(self.runs, "run"),
                    count(self.questions, "question"),
                    limit.words()
                ));
            }
            notes.push(note);
        }
        notes
    }
}

/// A number of things, in words.
fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// A branch of the failing run that goes another way in a run that succeeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPlace {
    /// The file, as the compiler knows it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The function.
    pub function: String,
    /// Which time it is met in the failing run, from 1.
    pub instance: u64,
    /// How often it is met there.
    pub executions: u64,
    /// Its outcome in the failing run.
    pub was: String,
    /// Its outcome in the other run.
    pub becomes: String,
    /// The run, by its place in [`PathFindings::successes`].
    pub success: usize,
}

/// A run on an input that was made.
#[derive(Clone, Debug)]
pub struct PathSuccess {
    /// The input.
    pub input: ProgramInput,
    /// How many bytes differ from the failing input.
    pub bytes: usize,
    /// The distance from the failing run: the branches that go another way, in the order of the failing run.
    pub distance: Vec<PathPlace>,
}

impl PathFindings {
    pub(super) fn new<P: Program>(
        tree: &Tree<'_, P>,
        is_exhausted: bool,
        notes: Vec<String>,
    ) -> PathFindings {
        let mut best: Vec<&MadeRun<P::Shown>> =
            tree.successes().map(|run| &tree.runs[run]).collect();
        let nearest = best.iter().min_by_key(|run| run.distance()).copied();
        let given = tree.runs[FAILING].observation.end();
        best.sort_by_key(|run| {
            let is_refused = is_refused(given, run.observation.end());
            (is_refused, run.changed.len(), run.distance())
        });
        let failing = tree.runs.iter().skip(1);
        let failing = failing.filter(|run| tree.is_failure(run) && !run.changed.is_empty());
        let nearest_failing = failing.min_by_key(|run| run.distance());
        let told = |index: usize, run: &MadeRun<P::Shown>| success(tree, index, run);
        let mut places = Vec::new();
        let mut known = HashSet::new();
        for (index, run) in best.iter().take(MOST_SUCCESSES).enumerate() {
            for changed in by_cause(run) {
                let statement = tree.failing.run.events[changed.event].statement();
                if places.len() < MOST_PLACES && known.insert(statement) {
                    places.extend(place(&tree.failing, &changed, index));
                }
            }
        }
        let successes = best.iter().take(MOST_SUCCESSES).enumerate();
        PathFindings {
            places,
            successes: successes.map(|(index, run)| told(index, run)).collect(),
            nearest: nearest.map(|run| told(0, run)),
            nearest_failing: nearest_failing.map(|run| told(0, run)),
            runs: tree.work.runs,
            questions: tree.work.questions,
            stopped_by: tree.stopped_by,
            is_exhausted,
            notes,
        }
    }
}

/// Whether a run ends otherwise than the failing one, or than a good one if that crashed. It says less: an input that the program refuses
/// never gets to the fault.
fn is_refused(failing: RunEnd, end: RunEnd) -> bool {
    match failing {
        RunEnd::Exit(_) => failing != end,
        _ => end != RunEnd::Exit(0),
    }
}

fn success<P: Program>(tree: &Tree<'_, P>, index: usize, run: &MadeRun<P::Shown>) -> PathSuccess {
    let changed = run.changed.iter();
    PathSuccess {
        input: run.input.clone(),
        bytes: tree.runs[0].input.differing_bytes(&run.input),
        distance: changed
            .filter_map(|changed| place(&tree.failing, changed, index))
            .collect(),
    }
}

/// The branches that go another way: the one that was turned first, since the others follow from it.
fn by_cause<S>(run: &MadeRun<S>) -> Vec<ChangedBranch> {
    let mut changed = run.changed.clone();
    changed.sort_by_key(|one| (Some(one.event) != run.cause, one.event));
    changed
}

fn place<S>(failing: &TakenRun<S>, changed: &ChangedBranch, success: usize) -> Option<PathPlace> {
    let event = &failing.run.events[changed.event];
    let statement = event.statement();
    let Statement::Branch { function, site } = statement else {
        return None;
    };
    let function = failing.recorded.recording.sites.function(function)?;
    let site = &function.sites[site as usize];
    let times = |events: &[RunEvent]| {
        let same = events.iter().filter(|one| one.statement() == statement);
        same.count() as u64
    };
    Some(PathPlace {
        file: function.file_of(site).to_owned(),
        line: site.line,
        column: site.column,
        function: function.name.clone(),
        instance: times(&failing.run.events[..=changed.event]),
        executions: times(&failing.run.events),
        was: site.outcome(event.outcome),
        becomes: site.outcome(changed.becomes),
        success,
    })
}
