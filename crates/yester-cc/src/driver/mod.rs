//! The driver: takes the command line of a compiler and does with clang what it asks, with the instrumentation in between.
//!
//! Each source goes to clang, which makes bitcode without optimising; to [`crate::pass`]; and to clang again, which optimises
//! and makes the object. Everything that makes no code is left to clang alone.

mod call;
mod link;
mod response;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::{env, fs, io};

use call::{Call, Content, Goal, Role};
use tempfile::TempDir;

/// Command lines that are longer go through a response file.
const LONGEST: usize = 100_000;
/// Where LLVM was when this was built.
const PREFIX: Option<&str> = option_env!("LLVM_SYS_191_PREFIX");

/// Which compiler this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// For C, and for C++ as far as a C compiler knows it.
    C,
    /// For C++.
    Cxx,
}

/// Why the driver itself failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// clang is not there.
    #[error("run {0}: it is not installed\nhint: Debian's package clang-19 has it")]
    NoClang(String),
    /// clang cannot be started.
    #[error("start {0}: {1}")]
    Start(PathBuf, io::Error),
    /// A file of ours cannot be written or read.
    #[error("use {0}: {1}")]
    File(PathBuf, io::Error),
    /// The runtime is made for one processor.
    #[error(
        "instrument code for {0}: the runtime is for x86-64 only\nhint: leave out the flag, or use clang for it"
    )]
    Target(String),
    /// The instrumentation failed.
    #[error("instrument {0}: {1}")]
    Pass(String, crate::pass::Error),
}

/// Does what the command line asks.
#[must_use]
pub fn main(driver: Driver) -> ExitCode {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    match Session::new(driver).and_then(|session| session.run(&words)) {
        Ok(code) => code,
        Err(error) => {
            let name = match driver {
                Driver::C => "yester-cc",
                Driver::Cxx => "yester-c++",
            };
            eprintln!("{name}: failed to {error}");
            ExitCode::FAILURE
        }
    }
}

/// One call of the driver.
struct Session {
    clang: PathBuf,
    scratch: TempDir,
}

/// How a step ended.
enum Step {
    Done,
    Failed(ExitCode),
}

impl Session {
    fn new(driver: Driver) -> Result<Self, Error> {
        let scratch = tempfile::Builder::new()
            .prefix("yester-cc-")
            .tempdir()
            .map_err(|error| Error::File(env::temp_dir(), error))?;
        Ok(Session {
            clang: find(driver)?,
            scratch,
        })
    }

    fn run(&self, words: &[OsString]) -> Result<ExitCode, Error> {
        let expanded = response::expand(words);
        let call = Call::read(&expanded);
        let goal = call.goal();
        let inputs: Vec<(usize, Content)> = call.inputs().collect();
        let has_input = !inputs.is_empty() || call.has_prefix("-l") || call.has_prefix("-Wl,");
        if goal == Some(Goal::Elsewhere) || !has_input {
            return self.leave(words);
        }
        if inputs
            .iter()
            .any(|(_, content)| *content == Content::Header)
        {
            return self.precompile(&call);
        }
        let made = inputs
            .iter()
            .filter(|(_, content)| *content != Content::Linkable)
            .count();
        match goal {
            Some(goal) if made == 0 || (made > 1 && call.output().is_some()) => {
                // clang has something to say about it.
                debug_assert!(goal != Goal::Elsewhere);
                self.leave(words)
            }
            Some(goal) => {
                for (number, content) in inputs {
                    if content == Content::Linkable {
                        continue;
                    }
                    let output = call
                        .output()
                        .unwrap_or_else(|| default(&call, number, goal));
                    if let Step::Failed(code) = self.make(&call, number, content, goal, &output)? {
                        return Ok(code);
                    }
                }
                Ok(ExitCode::SUCCESS)
            }
            None => self.build(&call, &inputs),
        }
    }

    /// Compiles what is to be compiled and links.
    fn build(&self, call: &Call, inputs: &[(usize, Content)]) -> Result<ExitCode, Error> {
        let mut objects = Vec::new();
        for (number, content) in inputs {
            if *content == Content::Linkable {
                continue;
            }
            let object = self.scratch.path().join(format!("{number}.o"));
            let step = self.make(call, *number, *content, Goal::Object, object.as_os_str())?;
            if let Step::Failed(code) = step {
                return Ok(code);
            }
            objects.push((*number, object));
        }
        let words = link::words(call, &objects, self.scratch.path())?;
        match self.clang(&words)? {
            Step::Done => Ok(ExitCode::SUCCESS),
            Step::Failed(code) => Ok(code),
        }
    }

    /// Makes an object or assembler of one source.
    fn make(
        &self,
        call: &Call,
        number: usize,
        content: Content,
        goal: Goal,
        output: &OsStr,
    ) -> Result<Step, Error> {
        let linked = call.goal().is_none();
        let path = &call.parts[number].words[0];
        let mut words: Vec<OsString> = Vec::new();
        let add = |words: &mut Vec<OsString>, new: &[&str]| {
            words.extend(new.iter().map(OsString::from));
        };
        let is_source = matches!(content, Content::Source { .. });
        if is_source {
            if let Some(target) = foreign(call) {
                return Err(Error::Target(target));
            }
            add(&mut words, &["-g"]);
        }
        for part in &call.parts {
            let wanted = match &part.role {
                Role::Code | Role::Other | Role::Dependency => true,
                Role::Linker => !linked,
                Role::Assembler | Role::Optimisation => !is_source,
                _ => false,
            };
            if wanted {
                words.extend(part.words.iter().cloned());
            }
        }
        if linked {
            add(&mut words, &["-Qunused-arguments"]);
        }
        words.extend(dependencies(call, number, output));
        let bitcode = self.scratch.path().join(format!("{number}.bc"));
        if is_source {
            let fast = last_optimisation(call).is_some_and(|level| level == "-Ofast");
            add(&mut words, if fast { &["-ffast-math"] } else { &[] });
            if wraps_around(call) {
                add(&mut words, &["-fwrapv"]);
            }
            // Passes of clang's own would inline, and sanitizers would add branches that nobody wrote.
            add(
                &mut words,
                &[
                    "-O0",
                    "-Xclang",
                    "-disable-O0-optnone",
                    "-Xclang",
                    "-disable-llvm-passes",
                ],
            );
            add(&mut words, &["-c", "-emit-llvm", "-o"]);
            words.push(bitcode.clone().into());
        } else {
            add(
                &mut words,
                &[if goal == Goal::Object { "-c" } else { "-S" }, "-o"],
            );
            words.push(output.to_owned());
        }
        if let Some(language) = call.language(number) {
            add(&mut words, &["-x"]);
            words.push(language.to_owned());
        }
        if path.to_string_lossy().starts_with('-') && path != "-" {
            add(&mut words, &["--"]);
        }
        words.push(path.clone());
        let step = self.clang(&words)?;
        if !is_source || matches!(step, Step::Failed(_)) {
            return Ok(step);
        }

        let code = fs::read(&bitcode).map_err(|error| Error::File(bitcode.clone(), error))?;
        let choice = crate::pass::Choice {
            faithful: is_plain(call),
            symbolic: env::var_os("YESTER_CC_TRACE_ONLY").is_none_or(|value| value != "1"),
        };
        let code = crate::pass::instrument(&code, choice)
            .map_err(|error| Error::Pass(path.to_string_lossy().into_owned(), error))?;
        fs::write(&bitcode, code).map_err(|error| Error::File(bitcode.clone(), error))?;

        let mut words: Vec<OsString> = Vec::new();
        for part in &call.parts {
            if matches!(part.role, Role::Code | Role::Assembler) {
                words.extend(part.words.iter().cloned());
            }
        }
        let level = match last_optimisation(call).as_deref() {
            None | Some("-O0" | "-Og") => "-O1".to_owned(),
            Some("-Ofast") => "-O3".to_owned(),
            Some(level) => level.to_owned(),
        };
        add(&mut words, &[&level, "-w", "-Qunused-arguments"]);
        add(
            &mut words,
            &[if goal == Goal::Object { "-c" } else { "-S" }, "-o"],
        );
        words.push(output.to_owned());
        add(&mut words, &["-x", "ir"]);
        words.push(bitcode.into());
        self.clang(&words)
    }

    /// Headers are compiled in the way in which sources are that use them.
    fn precompile(&self, call: &Call) -> Result<ExitCode, Error> {
        let mut words = Vec::new();
        for part in &call.parts {
            if !matches!(part.role, Role::Optimisation | Role::Dropped) {
                words.extend(part.words.iter().cloned());
            }
        }
        words.push("-O0".into());
        if wraps_around(call) {
            words.push("-fwrapv".into());
        }
        self.leave(&words)
    }

    /// Lets clang do all of it.
    fn leave(&self, words: &[OsString]) -> Result<ExitCode, Error> {
        // Nothing of this program is left to do so afterwards.
        let _ = fs::remove_dir_all(self.scratch.path());
        let error = Command::new(&self.clang).args(words).exec();
        Err(Error::Start(self.clang.clone(), error))
    }

    fn clang(&self, words: &[OsString]) -> Result<Step, Error> {
        let mut command = Command::new(&self.clang);
        if words.iter().map(|word| word.len() + 1).sum::<usize>() > LONGEST {
            let path = self.scratch.path().join("words");
            response::write(&path, words).map_err(|error| Error::File(path.clone(), error))?;
            let mut word = OsString::from("@");
            word.push(&path);
            command.arg(word);
        } else {
            command.args(words);
        }
        let status = command
            .status()
            .map_err(|error| Error::Start(self.clang.clone(), error))?;
        Ok(step(status))
    }
}

fn step(status: ExitStatus) -> Step {
    match (status.code(), status.signal()) {
        (Some(0), _) => Step::Done,
        (Some(code), _) => Step::Failed(ExitCode::from(u8::try_from(code).unwrap_or(1))),
        (None, signal) => {
            let signal = u8::try_from(signal.unwrap_or_default()).unwrap_or_default();
            Step::Failed(ExitCode::from(128 + signal))
        }
    }
}

/// clang, of the version that the instrumentation is made for.
fn find(driver: Driver) -> Result<PathBuf, Error> {
    let (plain, versioned) = match driver {
        Driver::C => ("clang", "clang-19"),
        Driver::Cxx => ("clang++", "clang++-19"),
    };
    let prefix = env::var_os("LLVM_SYS_191_PREFIX").or_else(|| PREFIX.map(OsString::from));
    let beside = prefix.map(|prefix| Path::new(&prefix).join("bin").join(plain));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|directory| directory.join(versioned));
    beside
        .into_iter()
        .chain(on_path)
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| Error::NoClang(versioned.to_owned()))
}

fn last_optimisation(call: &Call) -> Option<String> {
    let part = call
        .parts
        .iter()
        .rfind(|part| part.role == Role::Optimisation)?;
    Some(part.words[0].to_string_lossy().into_owned())
}

/// Whether the user wants no optimisation.
fn is_plain(call: &Call) -> bool {
    matches!(last_optimisation(call).as_deref(), None | Some("-O0"))
}

/// What is not optimised wraps around.
fn wraps_around(call: &Call) -> bool {
    is_plain(call) && !call.has("-ftrapv") && !call.has_prefix("-fsanitize")
}

/// The flag that asks for another processor than the runtime is made for.
fn foreign(call: &Call) -> Option<String> {
    let words = call.parts.iter().map(|part| {
        let words = part.words.iter().map(|word| word.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    });
    let mut foreign = words.filter(|text| {
        let target = text
            .strip_prefix("--target")
            .or(text.strip_prefix("-target"));
        let target = target.map(|target| target.trim_start_matches(['=', ' ']));
        matches!(text.as_str(), "-m32" | "-m16" | "-mx32")
            || target.is_some_and(|target| !target.starts_with("x86_64"))
    });
    foreign.next()
}

/// The name of what is made when the call does not say.
fn default(call: &Call, number: usize, goal: Goal) -> OsString {
    let path = Path::new(&call.parts[number].words[0]);
    let mut name = path.file_stem().unwrap_or(path.as_os_str()).to_owned();
    name.push(if goal == Goal::Object { ".o" } else { ".s" });
    name
}

/// clang names the list of headers and its target after its output, which is not the user's here.
fn dependencies(call: &Call, number: usize, output: &OsStr) -> Vec<OsString> {
    let listing = call.has("-MD") || call.has("-MMD");
    let by_preprocessor = call.has_prefix("-Wp,-MD") || call.has_prefix("-Wp,-MMD");
    let mut words = Vec::new();
    let object = match call.goal() {
        Some(_) => output.to_owned(),
        None => default(call, number, Goal::Object),
    };
    if listing && !call.has_prefix("-MF") {
        let name = call.output().unwrap_or_else(|| object.clone());
        words.push("-MF".into());
        words.push(Path::new(&name).with_extension("d").into());
    }
    if (listing || by_preprocessor) && !call.has_prefix("-MT") && !call.has_prefix("-MQ") {
        words.push("-MQ".into());
        words.push(object);
    }
    words
}
