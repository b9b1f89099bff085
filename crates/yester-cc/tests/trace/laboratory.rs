//! Compiles programs, runs them and reads what they recorded.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use yester_pathrt::format::{self, event};
use yester_pathrt::pack;

pub const CC: &str = env!("CARGO_BIN_EXE_yester-cc");
pub const CXX: &str = env!("CARGO_BIN_EXE_yester-cxx");

pub struct Laboratory {
    pub directory: TempDir,
}

impl Laboratory {
    pub fn new() -> Self {
        Laboratory {
            directory: tempfile::tempdir().expect("a directory"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) -> &Self {
        fs::write(self.path(name), text).expect("a file");
        self
    }

    /// Calls a compiler, which has to succeed without a word.
    pub fn compile(&self, compiler: &str, words: &[&str]) -> &Self {
        let output = self.call(compiler, words);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && text.is_empty(),
            "{words:?}: {text}"
        );
        self
    }

    /// Calls something in the directory.
    pub fn call(&self, program: &str, words: &[&str]) -> Output {
        Command::new(program)
            .args(words)
            .current_dir(self.directory.path())
            .env("YESTER_CC_MODE", "trace")
            .output()
            .expect("it starts")
    }

    /// The command of a program that records.
    pub fn recorded(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(self.path(program));
        command
            .args(words)
            .current_dir(self.directory.path())
            .env("YESTER_RECORD", self.path("record"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a program that records and reads what the first process did.
    pub fn record(&self, program: &str, words: &[&str]) -> (Output, Recording) {
        let output = self.recorded(program, words).output().expect("it starts");
        (output, Recording::read(&self.path("record/0")))
    }

    /// Compiles a C program as `program`.
    pub fn c(text: &str) -> Self {
        let laboratory = Laboratory::new();
        laboratory
            .write("program.c", text)
            .compile(CC, &["program.c", "-o", "program", "-pthread"]);
        laboratory
    }

    /// All recordings but the first.
    pub fn others(&self) -> BTreeMap<String, Recording> {
        fs::read_dir(self.path("record"))
            .expect("recordings")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name != "0")
            .map(|name| {
                let recording = Recording::read(&self.path("record").join(&name));
                (name, recording)
            })
            .collect()
    }
}

pub fn signal(output: &Output) -> Option<i32> {
    output.status.signal()
}

pub struct Site {
    pub kind: String,
    pub line: u32,
    pub column: u32,
    pub cases: Vec<i64>,
    pub dependence: String,
    pub successors: String,
    pub post_dominator: String,
}

pub struct Function {
    pub name: String,
    pub file: String,
    pub sites: Vec<Site>,
}

pub struct Recording {
    pub head: Vec<u64>,
    pub functions: BTreeMap<u32, Function>,
    pub lost: String,
    pub streams: Vec<Vec<u8>>,
}

impl Recording {
    pub fn read(directory: &Path) -> Self {
        let part = |name: &str, bytes: u64| {
            // Files have their full capacity, most of it holes.
            let file = fs::File::open(directory.join(name));
            let mut content = Vec::new();
            file.and_then(|file| file.take(bytes).read_to_end(&mut content))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            content
        };
        let file = |name: &str| part(name, 1 << 20);
        let head: Vec<u64> = file("head")
            .chunks(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")))
            .collect();
        assert_eq!(head[format::head::MAGIC], format::MAGIC);
        let text =
            |name: &str, word: usize| String::from_utf8(part(name, head[word])).expect("text");
        let streams = (0..head[format::head::STREAMS])
            .map(|stream| {
                let (events, window) = (format!("events-{stream}"), format!("window-{stream}"));
                let used = head[format::head::STREAM + stream as usize];
                pack::stream(&part(&events, used), &file(&window))
            })
            .collect();
        Recording {
            functions: functions(&text("sites", format::head::SITES)),
            lost: text("lost", format::head::LOST),
            streams,
            head,
        }
    }

    /// The first stream, one word for each event but calls.
    pub fn events(&self) -> Vec<String> {
        self.stream(0)
    }

    pub fn stream(&self, stream: usize) -> Vec<String> {
        let mut told = self.stream_with_calls(stream);
        told.retain(|event| !event.starts_with("call "));
        told
    }

    pub fn stream_with_calls(&self, stream: usize) -> Vec<String> {
        let bytes = &self.streams[stream];
        let mut told = Vec::new();
        let mut stack: Vec<(u32, Option<u32>)> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let size = format::event_bytes(bytes[at]).expect("an event");
            let operand = bytes[at + 1..at + size]
                .iter()
                .rev()
                .fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
            let name = |id: &u32| self.functions[id].name.clone();
            match bytes[at] {
                event::ENTER => {
                    stack.push((operand, None));
                    told.push(format!("{}(", name(&operand)));
                }
                event::RETURN => {
                    let (id, _) = stack.pop().expect("a function");
                    told.push(format!("){}", name(&id)));
                }
                event::FRAME => stack.last_mut().expect("a function").1 = Some(operand),
                event::LAND => {
                    while stack.last().expect("the frame").1 != Some(operand) {
                        stack.pop();
                    }
                    told.push(format!("land {}", name(&stack.last().expect("a frame").0)));
                }
                event::EXIT => told.push(format!("exit {operand}")),
                event::ABORT => told.push("abort".to_owned()),
                first => {
                    let code = if first < event::WIDE {
                        u32::from(first)
                    } else {
                        operand
                    };
                    let (id, _) = stack.last().expect("a function");
                    told.push(self.functions[id].outcome(code));
                }
            }
            at += size;
        }
        told
    }

    pub fn function(&self, name: &str) -> &Function {
        self.functions
            .values()
            .find(|function| function.name == name)
            .expect("the function")
    }
}

impl Function {
    /// The calls: where, and on what they depend.
    pub fn calls(&self) -> Vec<String> {
        let calls = self.sites.iter().filter(|site| site.kind == "call");
        let told = calls.map(|site| format!("{}:{} {}", site.line, site.column, site.dependence));
        told.collect()
    }

    fn outcome(&self, code: u32) -> String {
        let mut first = 0;
        for site in &self.sites {
            let outcomes = match site.kind.as_str() {
                "switch" => site.cases.len() as u32 + 1,
                "call" => 1,
                _ => 2,
            };
            if code < first + outcomes {
                let outcome = code - first;
                let (line, column) = (site.line, site.column);
                return match (site.kind.as_str(), outcome) {
                    ("call", _) => format!("call {line}:{column}"),
                    ("switch", 0) => format!("{line}:{column}=default"),
                    ("switch", _) => {
                        format!("{line}:{column}={}", site.cases[outcome as usize - 1])
                    }
                    _ => format!("{line}:{column}{}", if outcome == 1 { "+" } else { "-" }),
                };
            }
            first += outcomes;
        }
        panic!("{} has no code {code}", self.name);
    }
}

fn functions(text: &str) -> BTreeMap<u32, Function> {
    let mut functions: BTreeMap<u32, Function> = BTreeMap::new();
    let mut next = 0;
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["class", _] => {}
            ["module", first, _] => next = first.parse().expect("a number"),
            ["function", name, file, _, _] => {
                functions.insert(
                    next,
                    Function {
                        name: name.to_owned(),
                        file: file.to_owned(),
                        sites: Vec::new(),
                    },
                );
                next += 1;
            }
            [
                kind @ ("branch" | "switch" | "call"),
                _,
                line,
                column,
                ..,
                dependence,
                successors,
                post_dominator,
            ] => {
                let site = Site {
                    kind: kind.to_owned(),
                    line: line.parse().expect("a number"),
                    column: column.parse().expect("a number"),
                    cases: match fields[..] {
                        ["switch", _, _, _, "", ..] => Vec::new(),
                        ["switch", _, _, _, cases, ..] => cases
                            .split(',')
                            .map(|case| case.parse().expect("a number"))
                            .collect(),
                        _ => Vec::new(),
                    },
                    dependence: dependence.to_owned(),
                    successors: successors.to_owned(),
                    post_dominator: post_dominator.to_owned(),
                };
                functions
                    .get_mut(&(next - 1))
                    .expect("a function")
                    .sites
                    .push(site);
            }
            _ => panic!("{line:?}"),
        }
    }
    functions
}
