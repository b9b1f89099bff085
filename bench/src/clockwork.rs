//! Reductions in a time that is only counted: every test takes one tick, whatever else the machine does.

use std::cell::Cell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use yester_core::{Candidate, Hash};
use yester_run::{
    Action, ActionEvent, CommandLab, Containment, Counts, Ending, Events, Executor, Invocation,
    Journal, Judge, LabSettings, Observation, Reading, Repeat, Runner, Session, Stage, Subject,
    Wakeup,
};
use yester_tree::{Grammar, Language, ReduceTuning, Structure, reduce_text};

/// An input, and what of it has to be there, in this order.
pub struct ClockworkCase {
    /// What it is called.
    pub name: &'static str,
    /// Its language, unless it is plain text.
    pub language: Option<&'static str>,
    /// The input.
    pub text: String,
    /// A candidate is interesting if it has all of these, one after the other.
    pub needed: &'static [&'static str],
}

/// How a reduction went.
pub struct ClockworkRun {
    /// How many ticks it took.
    pub ticks: u64,
    /// What was counted.
    pub counts: Counts,
    /// How many candidates the search asked for.
    pub answered: u64,
    /// What was left.
    pub answer: Arc<[u8]>,
}

impl ClockworkCase {
    /// The inputs of the benchmark: copies of small files in a language, with what is needed between them.
    pub fn all() -> Vec<ClockworkCase> {
        let sample = |name: &str| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            let samples = root.join("crates/yester-tree/tests/tables/samples");
            std::fs::read_to_string(samples.join(name)).expect("a sample")
        };
        let between = |sample: String, needed: &str, last: &str| {
            let before = sample.repeat(5);
            let after = sample.repeat(3);
            format!("{before}\n{needed}\n{after}\n{last}\n")
        };
        let objects = (0..150).map(|number| match number {
            40 => {
                r#"{"id": 40, "kind": "shape", "points": [[1, 2], [3, null], [5, 6]]}"#.to_owned()
            }
            111 => r#"{"id": 111, "kind": "link", "to": {"id": 40, "weight": -1.5e3}}"#.to_owned(),
            _ => format!(
                r#"{{"id": {number}, "kind": "shape", "points": [[{number}, 2], [3, {}]]}}"#,
                number * number
            ),
        });
        let objects: Vec<String> = objects.collect();
        let services = (0..80).map(|number| match number {
            20 => "  base: &base\n    image: base:1\n    restart: always\n".to_owned(),
            65 => "  broken:\n    <<: *base\n    ports:\n      - \"8080:80\"\n      - 53\n".to_owned(),
            _ => format!(
                "  service{number}:\n    image: image{number}:latest\n    ports:\n      - \"{number}:80\"\n    environment:\n      NAME: value{number}\n"
            ),
        });
        let log = (0..1500).map(|number| match number {
            300 => "12:05 worker 3 opened connection 77 to db-main\n".to_owned(),
            1100 => "12:41 worker 3 timeout on connection 77 after 30 s\n".to_owned(),
            _ => format!(
                "12:{:02} worker {} did job {number} in {} ms\n",
                number % 60,
                number % 7,
                number * 31 % 977
            ),
        });
        vec![
            ClockworkCase {
                name: "JSON",
                language: Some("json"),
                text: format!("[{}]\n", objects.join(",\n ")),
                needed: &["3, null", "weight", "-1.5"],
            },
            ClockworkCase {
                name: "JavaScript",
                language: Some("javascript"),
                text: between(
                    sample("sample.js"),
                    "function total(order, rate) {\n  const prices = order.items.map((item) => item.price * rate);\n  return prices.reduce((sum, price) => sum + price, 0) / prices.length;\n}",
                    "console.log(total({ items: [] }, 2));",
                ),
                needed: &["function total", ".map(", "/ prices.length", "total({"],
            },
            ClockworkCase {
                name: "YAML",
                language: Some("yaml"),
                text: format!("version: 3\nservices:\n{}", services.collect::<String>()),
                needed: &["&base", "<<: *base", "- 53"],
            },
            ClockworkCase {
                name: "C",
                language: Some("c"),
                text: between(
                    sample("sample.c"),
                    "static int mean(const int *values, int count) {\n  int sum = 0;\n  for (int i = 0; i < count; i++) {\n    if (values[i] > 0) {\n      sum += values[i];\n    }\n  }\n  return sum / count;\n}",
                    "int main(void) { int none[1]; return mean(none, 0); }",
                ),
                needed: &["int mean(", "/ count", "main", "mean(none, 0)"],
            },
            ClockworkCase {
                name: "Python",
                language: Some("python"),
                text: between(
                    sample("sample.py"),
                    "def mean(values, *, skip=None):\n    total = 0\n    for value in values:\n        if value is not skip:\n            total += value\n    return total / len(values)\n",
                    "print(mean([], skip=1))",
                ),
                needed: &["def mean(", "total +=", "/ len(", "mean([]"],
            },
            ClockworkCase {
                name: "text",
                language: None,
                text: log.collect(),
                needed: &["opened", "connection 77", "timeout"],
            },
        ]
    }

    fn grammar(&self) -> Arc<dyn Grammar> {
        match self.language {
            Some(name) => Arc::new(Language::by_name(name).expect("it is there").grammar()),
            None => Arc::new(Structure::text()),
        }
    }

    fn is_interesting(&self, text: &[u8]) -> bool {
        let text = String::from_utf8_lossy(text);
        let mut rest = Some(&text[..]);
        for needed in self.needed {
            rest = rest.and_then(|rest| Some(rest.split_once(needed)?.1));
        }
        rest.is_some()
    }

    /// Reduces the input with so many jobs. The journal goes into a directory of its own.
    pub fn reduce(self: &Rc<ClockworkCase>, jobs: usize) -> ClockworkRun {
        let directory = tempfile::tempdir().expect("room");
        let ticks = Rc::new(Cell::new(0));
        let executor = Clockwork {
            case: Rc::clone(self),
            ticks: Rc::clone(&ticks),
            running: (0..jobs).map(|_| None).collect(),
        };
        let journal = Journal::open(&directory.path().join("journal")).expect("a journal");
        let runner = Runner {
            session: Session::new(Box::new(executor), journal, None, Events::default()),
            invocation: Arc::new(Invocation {
                is_guarded: false,
                program: "clockwork".into(),
                program_in_tree: None,
                arguments: Vec::new(),
                environment: Vec::new(),
                stdin: false,
                timeout: Duration::from_secs(1),
                memory: None,
                build: None,
                counterpart: None,
                has_placeholders: true,
                helpers: Vec::new(),
            }),
            subject: Arc::new(Subject::File {
                name: "input".into(),
                executable: false,
            }),
        };
        let settings = LabSettings {
            judge: Judge {
                reading: Reading::Interesting,
                timeout_fails: false,
                names: Vec::new(),
                whole_message: false,
            },
            repeat: Repeat::Once,
            max_trials: None,
            spent_trials: 0,
            always_clean: false,
            keep_outputs: false,
        };
        let mut lab = CommandLab::new(runner, settings, ());
        let text: Arc<[u8]> = self.text.as_bytes().into();
        assert!(self.is_interesting(&text), "{}", self.name);
        let grammar = self.grammar();
        let valid = grammar.is_strict();
        let tuning = ReduceTuning::default();
        let reduced = reduce_text(&mut lab, text, grammar, valid, tuning).expect("no stop");
        ClockworkRun {
            ticks: ticks.get(),
            counts: lab.counts(),
            answered: lab.answered(),
            answer: reduced.text,
        }
    }
}

/// Runs every test in one tick. A test that is cancelled ends at once.
struct Clockwork {
    case: Rc<ClockworkCase>,
    ticks: Rc<Cell<u64>>,
    running: Vec<Option<Ticking>>,
}

struct Ticking {
    candidate: Candidate,
    end: u64,
    is_cancelled: bool,
}

impl Executor for Clockwork {
    fn workers(&self) -> usize {
        self.running.len()
    }

    fn provide(&mut self, _: Hash, _: &Path) {}

    fn start(&mut self, worker: usize, action: &Action) -> io::Result<()> {
        self.running[worker] = Some(Ticking {
            candidate: action.candidate.clone(),
            end: self.ticks.get() + 1,
            is_cancelled: false,
        });
        Ok(())
    }

    fn go_on(&mut self, _worker: usize) {}

    fn cancel(&mut self, worker: usize) {
        if let Some(ticking) = &mut self.running[worker] {
            ticking.is_cancelled = true;
            ticking.end = self.ticks.get();
        }
    }

    fn wait(&mut self, _deadline: Option<Instant>) -> io::Result<Wakeup> {
        let busy = self.running.iter().enumerate();
        let next = busy.filter_map(|(worker, ticking)| Some((ticking.as_ref()?.end, worker)));
        let Some((end, worker)) = next.min() else {
            return Ok(Wakeup::Deadline);
        };
        self.ticks.set(end);
        let ticking = self.running[worker].take().expect("it runs");
        let Candidate::File(text) = &ticking.candidate else {
            panic!("candidates are files")
        };
        let observation = Observation {
            ending: if ticking.is_cancelled {
                Ending::Cancelled
            } else {
                Ending::Exit(i32::from(!self.case.is_interesting(text)))
            },
            elapsed: Duration::from_millis(1),
            cpu: Duration::ZERO,
            memory: 0,
            stdout: Default::default(),
            stderr: Default::default(),
            stage: Stage::Test,
            build: None,
            product: None,
            read: None,
            changed_tree: false,
            refused: Default::default(),
            unmade: Vec::new(),
        };
        let event = ActionEvent::Done(Box::new(observation), None);
        Ok(Wakeup::Worker(worker, event))
    }

    fn containment(&self) -> Option<Containment> {
        None
    }
}
