//! Compiles small programs, runs them with symbolic input and asks the solver for inputs that go another way.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use yester_path::{
    ConstraintKind, ExpressionText, InputSource, Model, PathCondition, Recording, Solver,
    SolverAnswer,
};

/// A program that was instrumented.
pub struct Laboratory {
    directory: TempDir,
    /// The instrumented program.
    pub program: PathBuf,
}

/// A search for an input ends after so many runs.
const MOST_RUNS: usize = 60;

/// What a program gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Input {
    pub stdin: Vec<u8>,
    pub arguments: Vec<Vec<u8>>,
    /// The file `input` in the current directory.
    pub file: Option<Vec<u8>>,
    /// Arguments and file are not symbolic.
    pub only_stdin: bool,
}

impl Input {
    pub fn stdin(text: &str) -> Input {
        Input {
            stdin: text.as_bytes().to_vec(),
            ..Input::default()
        }
    }

    pub fn argument(text: &str) -> Input {
        Input {
            arguments: vec![text.as_bytes().to_vec()],
            ..Input::default()
        }
    }

    pub fn file(text: &str) -> Input {
        Input {
            file: Some(text.as_bytes().to_vec()),
            ..Input::default()
        }
    }

    fn sources(&self) -> String {
        if self.only_stdin {
            return "stdin".to_owned();
        }
        let mut sources = Vec::new();
        if !self.stdin.is_empty() {
            sources.push("stdin".to_owned());
        }
        if self.file.is_some() {
            sources.push("file:input".to_owned());
        }
        for number in 1..=self.arguments.len() {
            sources.push(format!("arg:{number}"));
        }
        sources.join("\n")
    }

    fn set(&mut self, source: &InputSource, offset: usize, value: u8) {
        match source {
            InputSource::Stdin => self.stdin[offset] = value,
            InputSource::File(_) => self.file.as_mut().expect("a file")[offset] = value,
            InputSource::Argument(number) => self.arguments[number - 1][offset] = value,
        }
    }
}

impl Laboratory {
    /// Compiles a program with the instrumenting compiler.
    pub fn new(source: &str) -> Laboratory {
        Laboratory::with_language(source, "c", &[])
    }

    pub fn with_language(source: &str, extension: &str, flags: &[&str]) -> Laboratory {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join(format!("program.{extension}"));
        fs::write(&file, source).expect("written");
        let program = directory.path().join("program");
        let compiler = if extension == "c" {
            env!("CARGO_BIN_EXE_yester-cc")
        } else {
            env!("CARGO_BIN_EXE_yester-cxx")
        };
        let output = Command::new(compiler)
            .args(["-w", "-o"])
            .arg(&program)
            .arg(&file)
            .args(flags)
            .output()
            .expect("the compiler runs");
        assert!(
            output.status.success(),
            "{}\n{source}",
            String::from_utf8_lossy(&output.stderr)
        );
        Laboratory { directory, program }
    }

    /// What the same program does when clang compiles it.
    pub fn plain(&self, input: &Input) -> Output {
        self.plain_with(input, &[])
    }

    pub fn plain_with(&self, input: &Input, flags: &[&str]) -> Output {
        let plain = self.directory.path().join("plain");
        if !plain.exists() {
            let status = Command::new("clang-19")
                .args(["-w", "-O0", "-fwrapv", "-o"])
                .arg(&plain)
                .arg(self.directory.path().join("program.c"))
                .args(flags.iter().filter(|flag| **flag != "-flto"))
                .status()
                .expect("clang runs");
            assert!(status.success());
        }
        self.start(&plain, input, None)
    }

    fn start(&self, program: &PathBuf, input: &Input, record: Option<&PathBuf>) -> Output {
        use std::os::unix::ffi::OsStrExt;
        let mut command = Command::new(program);
        command
            .args(
                input
                    .arguments
                    .iter()
                    .map(|argument| std::ffi::OsStr::from_bytes(argument)),
            )
            .current_dir(self.directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(record) = record {
            command
                .env("YESTER_RECORD", record)
                .env("YESTER_SYMBOLIC", input.sources());
        }
        if let Some(file) = &input.file {
            fs::write(self.directory.path().join("input"), file).expect("written");
        }
        let mut child = command.spawn().expect("the program runs");
        // A program may end before it has read everything.
        let _ = child.stdin.take().expect("a pipe").write_all(&input.stdin);
        child.wait_with_output().expect("it ends")
    }

    /// Runs and records. Every constraint that was recorded holds, and the output is that of an unrecorded run.
    pub fn record(&self, input: &Input) -> (Output, Recording) {
        let record = self.directory.path().join("record");
        let _ = fs::remove_dir_all(&record);
        let output = self.start(&self.program, input, Some(&record));
        let recording = Recording::open(&record.join("0")).expect("a recording");
        let condition = PathCondition::new(&recording.graph, &recording.constraints);
        assert_eq!(condition.violated(&recording.values()), None);
        for loss in &recording.lost {
            assert!(!loss.what.starts_with("unsound"), "{loss:?}");
        }
        for branch in recording.branches() {
            branch.expect("events can be read");
        }
        (output, recording)
    }

    /// The recording of the only child of the last run.
    pub fn child(&self) -> Recording {
        let record = self.directory.path().join("record");
        let processes = yester_path::processes(&record).expect("a directory");
        assert_eq!(processes.len(), 2);
        Recording::open(&processes[1]).expect("a recording")
    }

    /// Takes branches the other way, one after the other, until the program prints `wanted`. The input that does it.
    pub fn reach(&self, input: &Input, wanted: &str) -> Option<Input> {
        let mut pending = VecDeque::from([input.clone()]);
        let mut seen = HashSet::from([input.clone()]);
        while let Some(input) = pending.pop_front() {
            for other in self.turned(&input) {
                if !seen.insert(other.clone()) || seen.len() > MOST_RUNS {
                    continue;
                }
                let (output, _) = self.record(&other);
                if String::from_utf8_lossy(&output.stdout).contains(wanted) {
                    return Some(other);
                }
                pending.push_back(other);
            }
        }
        None
    }

    /// The same, with the arguments as they are.
    pub fn reach_by_stdin(&self, input: &Input, wanted: &str) -> Option<Input> {
        let input = Input {
            only_stdin: true,
            ..input.clone()
        };
        self.reach(&input, wanted)
    }

    /// An input with the bytes of a model.
    pub fn changed(&self, input: &Input, recording: &Recording, model: &Model) -> Input {
        let mut other = input.clone();
        for (byte, value) in model.bytes() {
            let byte = recording.input[byte as usize];
            let source = &recording.sources[byte.source];
            other.set(source, byte.offset as usize, value);
        }
        other
    }

    /// For each branch of a run an input that takes it the other way, the last first.
    pub fn turned(&self, input: &Input) -> Vec<Input> {
        let (_, recording) = self.record(input);
        let condition = PathCondition::new(&recording.graph, &recording.constraints);
        // Only a backstop: a busy machine must not turn an answer into none.
        let limit = Duration::from_secs(300);
        let mut solver = Solver::new(
            &recording.graph,
            recording.values(),
            Default::default(),
            limit,
        );
        if std::env::var_os("YESTER_SHOW").is_some() {
            let text = ExpressionText::new(&recording.graph, &recording.input, &recording.sources);
            for constraint in &recording.constraints {
                println!(
                    "{:?} {}",
                    constraint.kind,
                    text.condition(constraint.node, true)
                );
            }
            println!("{input:?} {:?}", recording.lost);
        }
        let mut found = Vec::new();
        for (index, constraint) in recording.constraints.iter().enumerate().rev() {
            if constraint.kind != ConstraintKind::Branch {
                continue;
            }
            let query = condition.negate(index).expect("a branch");
            let SolverAnswer::Satisfiable(model) = solver.solve(&query).expect("the solver runs")
            else {
                continue;
            };
            let other = self.changed(input, &recording, &model);
            found.push(other);
        }
        found
    }
}
