//! `bench/reduce --sensitivity`: what happens when a number of the reduction engine is halved or doubled.
//!
//! The engine runs in this process, one trial after another. All runs of a case share what is known about candidates, so
//! that only candidates that no run had before are tested. A trial is a candidate that a run asks for the first time.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use yester_core::{
    Answer, Candidate, Hash, Lab, Limit, Outcome, Phase, Sequential, Space, Stop, Subset, Tester,
};
use yester_tree::{Grammar, Language, ReduceTuning, Size, Structure, reduce_text};

use crate::case::Case;

/// What came of a run.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// How many candidates it asked for, at most as many as the limit.
    pub trials: usize,
    /// How many tokens its smallest failing text has.
    pub tokens: usize,
}

/// A number, and what came of each case with half of it and with twice as much.
pub struct Sensitivity {
    /// The name of the number.
    pub name: &'static str,
    /// With half of it, in the order of the cases.
    pub half: Vec<Measure>,
    /// With twice as much.
    pub double: Vec<Measure>,
}

/// Runs all cases with all numbers, each case in a thread of its own. Gives what came of the cases with the numbers as they
/// are, and of each number.
pub fn measure(cases: &[Case], limit: usize) -> (Vec<Measure>, Vec<Sensitivity>) {
    let of_case = |case: &Case| {
        let mut subject = SensitivitySubject::new(case, limit);
        let tuning = ReduceTuning::default();
        let usual = subject.run(tuning);
        let others = ReduceTuning::NAMES.iter().map(|name| {
            eprintln!("reduce: {name} on {}", case.name);
            [0.5, 2.0].map(|factor| subject.run(tuning.scaled(name, factor)))
        });
        (usual, others.collect::<Vec<_>>())
    };
    let measured: Vec<(Measure, Vec<[Measure; 2]>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = cases
            .iter()
            .map(|case| scope.spawn(move || of_case(case)))
            .collect();
        let measured = threads.into_iter().map(|thread| thread.join());
        measured.map(|one| one.expect("no panic")).collect()
    });
    let of = |number: usize, which: usize| {
        let each = measured.iter().map(|(_, others)| others[number][which]);
        each.collect()
    };
    let numbers = ReduceTuning::NAMES.iter().enumerate();
    let numbers = numbers.map(|(number, name)| Sensitivity {
        name,
        half: of(number, 0),
        double: of(number, 1),
    });
    let numbers = numbers.collect();
    (measured.iter().map(|(usual, _)| *usual).collect(), numbers)
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
            tokens: Size::of(&input).tokens,
            asked: HashSet::new(),
            subject: self,
        };
        // A run that is stopped by the limit is judged by the best that it had.
        let _ = reduce_text(&mut run, input, grammar, valid, tuning);
        Measure {
            trials: run.asked.len(),
            tokens: run.tokens,
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
            match accepts(case, &place) {
                true => Outcome::Fail,
                false => Outcome::Pass,
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
    /// The fewest tokens of a failing text so far.
    tokens: usize,
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
                self.tokens = self.tokens.min(Size::of(text).tokens);
            }
            Ok(Answer::known(outcome))
        }))
    }

    fn enter(&mut self, _: Phase) {}
}
