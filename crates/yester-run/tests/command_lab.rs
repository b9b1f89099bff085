//! The lab with an executor that only pretends to run things, in whatever order the test wants.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use yester_core::{
    Candidate, Grouping, Hash, Infeasible, Lab, Limit, Outcome, Space, Stop, Subset, dd_plus,
    minimise,
};
use yester_run::{
    Action, ActionEvent, BestSoFar, CommandLab, Containment, Ending, Events, Executor, Failing,
    Invocation, Journal, Judge, LabSettings, Observation, Reading, Repeat, Runner, Session, Stage,
    Subject, Wakeup,
};

/// A text of letters; a piece is a letter.
struct Letters(Vec<u8>);

impl Space for Letters {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn label(&self, delta: usize) -> String {
        delta.to_string()
    }

    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible> {
        if subset.contains(0) && !subset.contains(1) {
            return Err(Infeasible {
                reason: "the first letter needs the second".to_owned(),
            });
        }
        let text: Vec<u8> = subset.iter().map(|letter| self.0[letter]).collect();
        Ok(Candidate::file(text))
    }
}

#[derive(Default)]
struct Seen {
    /// What was started, in order.
    started: Vec<Vec<u8>>,
    /// What ended by itself.
    done: Vec<Vec<u8>>,
    cancelled: usize,
    /// How many workers were busy at each wait.
    busy: Vec<usize>,
}

type Program = dyn Fn(&[u8]) -> i32;

struct Run {
    text: Vec<u8>,
    cancelled: bool,
    stage: RunStage,
}

#[derive(PartialEq)]
enum RunStage {
    Build,
    Wait,
    Test,
}

struct Pretender {
    program: Rc<Program>,
    /// What is built of a text, when something is built.
    product: Option<fn(&[u8]) -> String>,
    running: Vec<Option<Run>>,
    seen: Rc<RefCell<Seen>>,
    random: u64,
}

impl Executor for Pretender {
    fn workers(&self) -> usize {
        self.running.len()
    }

    fn provide(&mut self, _: Hash, _: &Path) {}

    fn start(&mut self, worker: usize, action: &Action) -> io::Result<()> {
        let Candidate::File(text) = &action.candidate else {
            panic!("a file")
        };
        assert!(
            self.running[worker].is_none(),
            "only an idle worker is started"
        );
        self.running[worker] = Some(Run {
            text: text.to_vec(),
            cancelled: false,
            stage: match self.product {
                Some(_) => RunStage::Build,
                None => RunStage::Test,
            },
        });
        self.seen.borrow_mut().started.push(text.to_vec());
        Ok(())
    }

    fn go_on(&mut self, worker: usize) {
        let run = self.running[worker].as_mut().expect("it waits");
        assert!(run.stage == RunStage::Wait && !run.cancelled);
        run.stage = RunStage::Test;
    }

    fn cancel(&mut self, worker: usize) {
        self.running[worker]
            .as_mut()
            .expect("only a busy worker is cancelled")
            .cancelled = true;
    }

    fn wait(&mut self, _deadline: Option<Instant>) -> io::Result<Wakeup> {
        let busy: Vec<usize> = (0..self.running.len())
            .filter(|worker| {
                let run = self.running[*worker].as_ref();
                run.is_some_and(|run| run.cancelled || run.stage != RunStage::Wait)
            })
            .collect();
        assert!(!busy.is_empty(), "nothing is waited for when nothing runs");
        self.seen.borrow_mut().busy.push(busy.len());
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let worker = busy[(self.random >> 33) as usize % busy.len()];
        let mut run = self.running[worker].take().expect("it is busy");
        if let Some(product) = self.product
            && run.stage == RunStage::Build
        {
            let product = product(&run.text);
            run.stage = RunStage::Wait;
            self.running[worker] = Some(run);
            return Ok(Wakeup::Worker(worker, ActionEvent::Built(product)));
        }
        let text = run.text;
        let ending = if run.cancelled {
            self.seen.borrow_mut().cancelled += 1;
            Ending::Cancelled
        } else {
            self.seen.borrow_mut().done.push(text.clone());
            Ending::Exit((self.program)(&text))
        };
        let observation = Observation {
            ending,
            elapsed: Duration::from_millis(1),
            cpu: Duration::ZERO,
            memory: 0,
            stdout: Default::default(),
            stderr: Default::default(),
            stage: Stage::Test,
            build: None,
            product: self.product.map(|product| product(&text)),
            unmade: Vec::new(),
            read: None,
            changed_tree: false,
            refused: Default::default(),
        };
        Ok(Wakeup::Worker(
            worker,
            ActionEvent::Done(Box::new(observation), None),
        ))
    }

    fn containment(&self) -> Option<Containment> {
        None
    }
}

fn lab(
    program: Rc<Program>,
    jobs: usize,
    random: u64,
    journal: &Path,
    max_trials: Option<u64>,
) -> (CommandLab<Smallest>, Rc<RefCell<Seen>>) {
    building_lab(program, None, jobs, random, journal, max_trials)
}

fn building_lab(
    program: Rc<Program>,
    product: Option<fn(&[u8]) -> String>,
    jobs: usize,
    random: u64,
    journal: &Path,
    max_trials: Option<u64>,
) -> (CommandLab<Smallest>, Rc<RefCell<Seen>>) {
    let seen = Rc::new(RefCell::new(Seen::default()));
    let running = (0..jobs).map(|_| None).collect();
    let executor = Pretender {
        program,
        product,
        running,
        seen: Rc::clone(&seen),
        random,
    };
    let journal = Journal::open(journal).expect("a journal");
    let runner = Runner {
        session: Session::new(Box::new(executor), journal, None, Events::default()),
        invocation: Arc::new(Invocation {
            is_guarded: false,
            program: "pretended".into(),
            program_in_tree: None,
            arguments: Vec::new(),
            environment: Vec::new(),
            stdin: false,
            timeout: Duration::from_secs(1),
            memory: None,
            build: None,
            counterpart: None,
            helpers: Vec::new(),
            has_placeholders: true,
        }),
        subject: Arc::new(Subject::File {
            name: "letters".into(),
            executable: false,
        }),
    };
    let judge = Judge {
        reading: Reading::Interesting,
        timeout_fails: false,
        names: Vec::new(),
        whole_message: false,
    };
    let settings = LabSettings {
        judge,
        repeat: Repeat::Once,
        max_trials,
        spent_trials: 0,
        always_clean: false,
        keep_outputs: false,
    };
    let best = Smallest(Candidate::file(vec![0; 10_000]));
    (CommandLab::new(runner, settings, best), seen)
}

/// Keeps the smallest candidate.
#[derive(Clone, Debug, PartialEq)]
struct Smallest(Candidate);

impl BestSoFar for Smallest {
    fn consider(&mut self, failing: &Failing<'_>) -> io::Result<Option<u64>> {
        let bytes = failing.candidate.bytes();
        let is_smaller = bytes < self.0.bytes();
        if is_smaller {
            self.0 = failing.candidate.clone();
        }
        Ok(is_smaller.then_some(bytes))
    }
}

/// Exit 0 while three letters are there, 125 when a fourth is there without a fifth.
fn three_letters(text: &[u8]) -> i32 {
    let has = |letter: u8| text.contains(&letter);
    match (has(b'q') && !has(b'r'), has(b'd') && has(b'k') && has(b'x')) {
        (true, _) => 125,
        (false, true) => 0,
        (false, false) => 1,
    }
}

fn alphabet(times: usize) -> Letters {
    Letters(
        (0..26 * times)
            .map(|index| b'a' + (index % 26) as u8)
            .collect(),
    )
}

fn new_journal() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_number_of_jobs_and_any_order_give_the_same_answer(jobs in 2usize..9, random in any::<u64>(), times in 1usize..4) {
        let space = alphabet(times);
        let all = Subset::full(space.len());
        let mut answers = Vec::new();
        for jobs in [1, jobs] {
            let directory = new_journal();
            let program: Rc<Program> = Rc::new(three_letters);
            let (mut lab, seen) = lab(program, jobs, random, &directory.path().join("j"), None);
            let kept = minimise(&mut *lab.tester(&space), &all, |_| 1).expect("no stop");
            let grouped = dd_plus(&mut *lab.tester(&space), &Grouping::flat(space.len()), &all).expect("no stop");
            let seen = seen.borrow();
            let once: HashSet<_> = seen.done.iter().collect();
            prop_assert_eq!(once.len(), seen.done.len(), "nothing is run to its end twice");
            answers.push((kept, grouped));
        }
        prop_assert_eq!(&answers[0], &answers[1]);
    }

    #[test]
    fn a_run_that_is_stopped_anywhere_goes_on_without_running_anything_again(
        limit in 1u64..60, jobs in 1usize..5, random in any::<u64>()
    ) {
        let space = alphabet(2);
        let all = Subset::full(space.len());
        let directory = new_journal();
        let path = directory.path().join("journal.jsonl");
        let program: Rc<Program> = Rc::new(three_letters);
        let (mut first, before) = lab(Rc::clone(&program), jobs, random, &path, Some(limit));
        let stopped = minimise(&mut *first.tester(&space), &all, |_| 1);
        drop(first);
        let (mut second, after) = lab(Rc::clone(&program), jobs, !random, &path, None);
        let answer = minimise(&mut *second.tester(&space), &all, |_| 1).expect("no stop");
        drop(second);
        let known: HashSet<Vec<u8>> = before.borrow().done.iter().cloned().collect();
        prop_assert!(after.borrow().started.iter().all(|text| !known.contains(text)));
        if let Ok(whole) = stopped {
            prop_assert_eq!(&whole, &answer);
            prop_assert!(after.borrow().started.is_empty());
        }
        let other = new_journal();
        let (mut straight, _) = lab(program, 1, 0, &other.path().join("j"), None);
        prop_assert_eq!(answer, minimise(&mut *straight.tester(&space), &all, |_| 1).expect("no stop"));
    }
}

#[test]
fn every_job_is_busy_while_there_is_something_useful_to_test() {
    let space = alphabet(4);
    // Nothing can be left out, so that every question but the last few can be asked ahead.
    let whole = space.0.clone();
    let program = move |text: &[u8]| i32::from(text != whole);
    let directory = new_journal();
    let (mut lab, seen) = lab(Rc::new(program), 4, 7, &directory.path().join("j"), None);
    let all = Subset::full(space.len());
    minimise(&mut *lab.tester(&space), &all, |_| 1).expect("no stop");
    let busy = &seen.borrow().busy;
    let idle: usize = busy.iter().map(|busy| 4 - busy).sum();
    assert!(
        idle * 20 < 4 * busy.len(),
        "{idle} idle workers in {} waits: {busy:?}",
        busy.len()
    );
}

#[test]
fn what_an_answer_made_useless_is_cancelled() {
    let space = alphabet(4);
    let directory = new_journal();
    let (mut lab, seen) = lab(
        Rc::new(three_letters),
        4,
        7,
        &directory.path().join("j"),
        None,
    );
    let mut tester = lab.tester(&space);
    let size = space.len();
    let found = tester
        .first(
            &mut (0..50).map(|first| Subset::of(size, first..size)),
            Outcome::Fail,
        )
        .expect("no stop");
    assert_eq!(found, Some(0), "the others were tested ahead in vain");
    tester
        .first(
            &mut (0..9).map(|last| Subset::of(size, [last])),
            Outcome::Fail,
        )
        .expect("no stop");
    assert!(seen.borrow().cancelled > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_limit_stops_at_the_same_place_with_any_number_of_jobs(limit in 1u64..50, jobs in 2usize..9, random in any::<u64>()) {
        let space = alphabet(2);
        let all = Subset::full(space.len());
        let mut stops = Vec::new();
        for jobs in [1, jobs] {
            let directory = new_journal();
            let program: Rc<Program> = Rc::new(three_letters);
            let (mut lab, _) = lab(program, jobs, random, &directory.path().join("j"), Some(limit));
            let stop = minimise(&mut *lab.tester(&space), &all, |_| 1);
            let is_limit = matches!(stop, Err(Stop::Limit(Limit::Trials)));
            prop_assert!(is_limit || stop.is_ok());
            stops.push((is_limit, lab.best().clone()));
        }
        prop_assert_eq!(&stops[0], &stops[1]);
    }
}

/// All that the three letters' program looks at.
fn telling_letters(text: &[u8]) -> String {
    let telling = "dkqrx".bytes().filter(|letter| text.contains(letter));
    telling.map(char::from).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn equal_products_change_no_answer_with_any_number_of_jobs_and_any_stop(
        limit in 1u64..60, jobs in 2usize..9, random in any::<u64>()
    ) {
        let space = alphabet(2);
        let all = Subset::full(space.len());
        let program: Rc<Program> = Rc::new(three_letters);
        let directory = new_journal();
        let (mut plain, seen) = lab(Rc::clone(&program), 1, 0, &directory.path().join("j"), None);
        let answer = minimise(&mut *plain.tester(&space), &all, |_| 1).expect("no stop");
        let tests = seen.borrow().done.len();
        for jobs in [1, jobs] {
            let directory = new_journal();
            let path = directory.path().join("j");
            let lab = |limit| {
                building_lab(Rc::clone(&program), Some(telling_letters), jobs, random, &path, limit)
            };
            let (mut first, before) = lab(Some(limit));
            let _ = minimise(&mut *first.tester(&space), &all, |_| 1);
            drop(first);
            let (mut second, after) = lab(None);
            let found = minimise(&mut *second.tester(&space), &all, |_| 1).expect("no stop");
            prop_assert_eq!(&found, &answer);
            let known: HashSet<String> = before.borrow().done.iter().map(|text| telling_letters(text)).collect();
            prop_assert!(after.borrow().done.iter().all(|text| !known.contains(&telling_letters(text))));
            if jobs == 1 {
                let built = second.counts().same_product;
                prop_assert!(before.borrow().done.len() + after.borrow().done.len() <= 32.min(tests));
                prop_assert!(built > 0 || limit > 10);
            }
        }
    }
}
