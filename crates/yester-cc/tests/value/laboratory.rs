//! Compiles programs that record their values, runs them and reads the values.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use yester_path::{ExpressionText, Recording, SiteKind, ValueEvent, processes};

pub const CC: &str = env!("CARGO_BIN_EXE_yester-cc");
pub const CXX: &str = env!("CARGO_BIN_EXE_yester-cxx");

/// How a program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Values and events.
    Trace,
    /// Values, events, and how they depend on the input.
    Symbolic,
    /// All that, and predicates.
    Predicates,
    /// As always.
    WithoutValues,
}

pub struct Laboratory {
    directory: TempDir,
}

impl Laboratory {
    /// Compiles a C program.
    pub fn c(text: &str, build: Build) -> Self {
        Laboratory::new(CC, "program.c", text, build, &[])
    }

    /// Compiles a C++ program.
    pub fn cxx(text: &str, build: Build) -> Self {
        Laboratory::new(CXX, "program.cc", text, build, &[])
    }

    pub fn new(compiler: &str, name: &str, text: &str, build: Build, words: &[&str]) -> Self {
        let laboratory = Laboratory {
            directory: tempfile::tempdir().expect("a directory"),
        };
        fs::write(laboratory.path(name), text).expect("a file");
        let output = Command::new(compiler)
            .args([name, "-o", "program", "-pthread", "-lm"])
            .args(words)
            .current_dir(laboratory.directory.path())
            .env(
                "YESTER_CC_MODE",
                match build {
                    Build::Trace => "trace,values",
                    Build::WithoutValues => "",
                    _ => "values",
                },
            )
            .env(
                "YESTER_CC_PREDICATES",
                if build == Build::Predicates { "1" } else { "0" },
            )
            .output()
            .expect("it starts");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{complaint}");
        laboratory
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs the program with this standard input, which is followed. It is a pipe, whose length is no part of the input.
    pub fn run(&self, input: &str) -> Output {
        let mut command = self.command();
        command
            .env("YESTER_SYMBOLIC", "stdin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        // A program may end without reading it.
        let mut pipe = child.stdin.take().expect("a pipe");
        let _ = pipe.write_all(input.as_bytes());
        drop(pipe);
        child.wait_with_output().expect("it ends")
    }

    /// The program, which records.
    pub fn command(&self) -> Command {
        let mut command = Command::new(self.path("program"));
        command
            .current_dir(self.directory.path())
            .env("YESTER_RECORD", self.path("record"));
        command
    }

    /// The recordings of all processes, the first process first.
    pub fn recordings(&self) -> Vec<Recording> {
        let directories = processes(&self.path("record")).expect("recordings");
        let open = |path: PathBuf| Recording::open(&path).expect("a recording");
        directories.into_iter().map(open).collect()
    }

    /// Runs the program, which must succeed, and tells the values of its first thread.
    pub fn values(&self) -> Vec<String> {
        let output = self.run("");
        assert!(output.status.success(), "{output:?}");
        told(&self.recordings()[0], 0)
    }
}

/// The values of a C program.
pub fn values(text: &str) -> Vec<String> {
    let told = Laboratory::c(text, Build::Trace).values();
    let symbolic = Laboratory::c(text, Build::Symbolic).values();
    assert_eq!(told, symbolic, "both builds record the same");
    let predicates = Laboratory::c(text, Build::Predicates).values();
    assert_eq!(told, predicates, "predicates change no value");
    told
}

/// The values of a thread as `line name = value`.
pub fn told(recording: &Recording, stream: usize) -> Vec<String> {
    let values = recording.value_events(stream).expect("values");
    values.map(|value| tell(recording, &value)).collect()
}

pub fn tell(recording: &Recording, value: &ValueEvent) -> String {
    let function = recording
        .sites
        .function(value.function)
        .expect("a function");
    let site = &function.sites[value.site as usize];
    let SiteKind::Value { name, form } = &site.kind else {
        panic!("{site:?} is no value");
    };
    let text = form.text(value.value);
    match value.node {
        None => format!("{} {name} = {text}", site.line),
        Some(node) => {
            let expressions =
                ExpressionText::new(&recording.graph, &recording.input, &recording.sources);
            format!(
                "{} {name} = {text}: {}",
                site.line,
                expressions.number(node)
            )
        }
    }
}
