//! Compiles small programs, runs them with symbolic input and asks the solver for inputs that go another way.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use yester_path::{
    ByteRange, ConstraintKind, ExpressionText, FILLER, InputSource, Model, PathCondition,
    Recording, Solver, SolverAnswer,
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
    /// Standard input is a file instead of a pipe, so that its length is a part of the input.
    pub is_seekable: bool,
}

impl Input {
    pub fn stdin(text: &str) -> Input {
        Input {
            stdin: text.as_bytes().to_vec(),
            ..Input::default()
        }
    }

    /// Standard input that is a file.
    pub fn seekable(text: &str) -> Input {
        Input {
            is_seekable: true,
            ..Input::stdin(text)
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
        if !self.stdin.is_empty() || self.is_seekable {
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

    fn content(&mut self, source: &InputSource) -> &mut Vec<u8> {
        match source {
            InputSource::Stdin => &mut self.stdin,
            InputSource::File(_) => self.file.as_mut().expect("a file"),
            InputSource::Argument(number) => &mut self.arguments[number - 1],
            InputSource::Intervention => unreachable!("there is no intervention here"),
        }
    }
}

impl Laboratory {
    /// Compiles a program with the instrumenting compiler.
    pub fn new(source: &str) -> Laboratory {
        Laboratory::with_language(source, "c", &[])
    }

    pub fn with_language(source: &str, extension: &str, flags: &[&str]) -> Laboratory {
        Laboratory::with_environment(source, extension, flags, &[])
    }

    /// Compiles with settings of the compiler.
    pub fn with_environment(
        source: &str,
        extension: &str,
        flags: &[&str],
        environment: &[(&str, &str)],
    ) -> Laboratory {
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
            .envs(environment.iter().copied())
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
            let source = self.directory.path().join("program.c");
            let (compiler, source) = if source.exists() {
                ("clang-19", source)
            } else {
                ("clang++-19", source.with_extension("cc"))
            };
            let status = Command::new(compiler)
                .args(["-w", "-O0", "-fwrapv", "-o"])
                .arg(&plain)
                .arg(source)
                .args(flags.iter().filter(|flag| **flag != "-flto"))
                .status()
                .expect("clang runs");
            assert!(status.success());
        }
        self.start(&plain, input, None)
    }

    /// Runs, and records the path and the output only.
    pub fn record_output(&self, input: &Input) -> (Output, Recording) {
        let record = self.directory.path().join("record");
        let _ = fs::remove_dir_all(&record);
        let variables = [("YESTER_OUTPUT", "1".to_owned())];
        let output = self.start(&self.program, input, Some((&record, &variables)));
        let recording = Recording::open(&record.join("0")).expect("a recording");
        (output, recording)
    }

    fn start(
        &self,
        program: &PathBuf,
        input: &Input,
        record: Option<(&PathBuf, &[(&str, String)])>,
    ) -> Output {
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
        if input.is_seekable {
            let path = self.directory.path().join("stdin");
            fs::write(&path, &input.stdin).expect("written");
            command.stdin(fs::File::open(path).expect("it was written"));
        }
        if let Some((record, variables)) = record {
            command
                .env("YESTER_RECORD", record)
                .envs(variables.iter().map(|(name, value)| (name, value)));
        }
        if let Some(file) = &input.file {
            fs::write(self.directory.path().join("input"), file).expect("written");
        }
        let mut child = command.spawn().expect("the program runs");
        // A program may end before it has read everything.
        if let Some(mut pipe) = child.stdin.take() {
            let _ = pipe.write_all(&input.stdin);
        }
        child.wait_with_output().expect("it ends")
    }

    /// Runs and records. Every constraint that was recorded holds, and the output is that of an unrecorded run.
    pub fn record(&self, input: &Input) -> (Output, Recording) {
        let record = self.directory.path().join("record");
        let _ = fs::remove_dir_all(&record);
        let variables = [("YESTER_SYMBOLIC", input.sources())];
        let output = self.start(&self.program, input, Some((&record, &variables)));
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
        for length in recording.lengths() {
            let mut value = length.value;
            for (byte, new) in model.bytes() {
                if let Some(place) = length.bytes.iter().position(|known| *known == byte) {
                    value = value & !(0xff << (8 * place)) | u64::from(new) << (8 * place);
                }
            }
            let content = other.content(&recording.sources[length.source]);
            if value != length.value {
                content.resize(value as usize, FILLER);
            }
        }
        for (byte, value) in model.bytes() {
            let byte = recording.input[byte as usize];
            let source = &recording.sources[byte.source];
            let content = other.content(source);
            if matches!(source, InputSource::Argument(_))
                && byte.offset >= content.len() as u64
                && value != 0
            {
                content.resize(byte.offset as usize + 1, 0);
            }
            // What is behind the end matters only for longer inputs.
            if let Some(place) = content.get_mut(byte.offset as usize) {
                *place = value;
            }
        }
        for argument in &mut other.arguments {
            // An argument ends where a C string does.
            let end = argument.iter().position(|byte| *byte == 0);
            argument.truncate(end.unwrap_or(argument.len()));
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
            // An input of the same length if there is one, else one that is as little longer or shorter as possible.
            let limited = |reach: u64| {
                let lengths = recording.lengths().into_iter();
                let ranges = lengths.map(|length| ByteRange {
                    bytes: length.bytes,
                    least: length.value.saturating_sub(reach),
                    most: length.value + reach,
                });
                let ends = recording.argument_ends().into_iter();
                let ends = ends.filter_map(|end| end.get(reach as usize).copied());
                let ends = ends.map(|end| ByteRange {
                    bytes: vec![end],
                    least: 0,
                    most: 0,
                });
                query.clone().within(ranges.chain(ends).collect())
            };
            for query in [0, 1, 64].map(limited) {
                match solver.solve(&query).expect("the solver runs") {
                    SolverAnswer::Satisfiable(model) => {
                        found.push(self.changed(input, &recording, &model));
                        break;
                    }
                    SolverAnswer::Unknown(reason) => println!("unknown: {reason}"),
                    SolverAnswer::Unsatisfiable => {}
                }
            }
        }
        found
    }
}
