//! `bench/reduce --sensitivity` and `--without`: what happens when a number of the reduction engine is halved or doubled, or a
//! source of its ideas is left out.
//!
//! The engine runs in this process, one trial after another. All runs of a case share what is known about candidates, so
//! that only candidates that no run had before are tested. A trial is a candidate that a run asks for the first time.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use yester_cfamily::reduce_declarations;
use yester_core::{
    Answer, Candidate, Hash, Lab, Limit, Outcome, Phase, Sequential, Space, Stop, Subset, Tester,
};
use yester_tree::{Extent, Grammar, Language, ReduceTuning, Structure, reduce_text};

use crate::case::Case;

/// What came of a run.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// How many candidates it asked for, at most as many as the limit.
    pub trials: usize,
    /// How much there is of its smallest failing text.
    pub extent: Extent,
}

/// Runs all cases in each of these ways, each case in a thread of its own. Gives for each way what came of each case.
pub fn measure(cases: &[Case], limit: usize, ways: &[ReduceTuning]) -> Vec<Vec<Measure>> {
    let of_case = |case: &Case| {
        let mut subject = SensitivitySubject::new(case, limit);
        let measures = ways.iter().enumerate().map(|(number, way)| {
            eprintln!("reduce: {} of {} on {}", number + 1, ways.len(), case.name);
            subject.run(*way)
        });
        measures.collect::<Vec<_>>()
    };
    let measured: Vec<Vec<Measure>> = std::thread::scope(|scope| {
        let threads: Vec<_> = cases
            .iter()
            .map(|case| scope.spawn(move || of_case(case)))
            .collect();
        let measured = threads.into_iter().map(|thread| thread.join());
        measured.map(|one| one.expect("no panic")).collect()
    });
    let of_way = |way: usize| measured.iter().map(|of_case| of_case[way]).collect();
    (0..ways.len()).map(of_way).collect()
}

/// A case, and what is known about its candidates.
struct SensitivitySubject<'a> {
    case: &'a Case,
    input: Arc<[u8]>,
    grammar: Arc<dyn Grammar>,
    known: HashMap<Hash, Outcome>,
    limit: usize,
    place: tempfile::TempDir,
}

impl<'a> SensitivitySubject<'a> {
    fn new(case: &'a Case, limit: usize) -> SensitivitySubject<'a> {
        let input: Arc<[u8]> = fs::read(case.path()).expect("a fetched case").into();
        let by_content = || Language::by_content(&input);
        let language = Language::by_path(&case.path()).or_else(by_content);
        SensitivitySubject {
            case,
            grammar: match language {
                Some(language) => Arc::new(language.grammar()),
                None => Arc::new(Structure::of(&input)),
            },
            input,
            known: HashMap::new(),
            limit,
            place: tempfile::tempdir().expect("room"),
        }
    }

    fn run(&mut self, tuning: ReduceTuning) -> Measure {
        let (input, grammar) = (Arc::clone(&self.input), Arc::clone(&self.grammar));
        let valid = grammar.is_strict();
        let mut run = SensitivityRun {
            extent: Extent::of(&input),
            asked: HashSet::new(),
            subject: self,
        };
        let reduced = reduce_declarations(&mut run, input, &grammar, valid, tuning)
            .and_then(|text| reduce_text(&mut run, text, grammar, valid, tuning));
        Measure {
            trials: run.asked.len(),
            // A run that is stopped by the limit is judged by the best that it had.
            extent: reduced.map_or(run.extent, |reduced| Extent::of(&reduced.text)),
        }
    }

    fn outcome(&mut self, candidate: &Candidate) -> Outcome {
        let case = self.case;
        let place: PathBuf = self.place.path().join(&case.input);
        *self.known.entry(candidate.hash()).or_insert_with(|| {
            let Candidate::File(text) = candidate else {
                unreachable!("the input is a file");
            };
            fs::write(&place, text).expect("room");
            if accepts(case, &place) {
                Outcome::Fail
            } else {
                Outcome::Pass
            }
        })
    }
}

/// Whether a file is interesting. [`Case::accepts`] waits for any child of this process, so that only one thread may call
/// it.
fn accepts(case: &Case, path: &Path) -> bool {
    let directory = tempfile::tempdir().expect("room");
    let status = Command::new("timeout")
        .arg("30")
        .arg(case.test())
        .arg(path)
        .current_dir(&directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.expect("a test that can be run").success()
}

struct SensitivityRun<'a, 'b> {
    subject: &'a mut SensitivitySubject<'b>,
    asked: HashSet<Hash>,
    /// How much there is of the failing text with the fewest tokens so far.
    extent: Extent,
}

impl Lab for SensitivityRun<'_, '_> {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        Box::new(Sequential(|subset: &Subset| {
            let candidate = match space.render(subset) {
                Ok(candidate) => candidate,
                Err(infeasible) => return Ok(Answer::infeasible(infeasible)),
            };
            let hash = candidate.hash();
            if !self.asked.contains(&hash) {
                if self.asked.len() == self.subject.limit {
                    return Err(Stop::Limit(Limit::Trials));
                }
                self.asked.insert(hash);
            }
            let outcome = self.subject.outcome(&candidate);
            if let (Outcome::Fail, Candidate::File(text)) = (outcome, &candidate) {
                let extent = Extent::of(text);
                if (extent.tokens, extent.bytes) < (self.extent.tokens, self.extent.bytes) {
                    self.extent = extent;
                }
            }
            Ok(Answer::known(outcome))
        }))
    }

    fn enter(&mut self, _: Phase) {}
}
