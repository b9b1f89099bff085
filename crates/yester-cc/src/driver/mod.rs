//! The driver: takes a compiler's command line, runs clang, and instruments in between.
//!
//! clang compiles each source to unoptimised bitcode, [`crate::pass`] instruments it, and clang optimises the result and writes
//! the object. Commands that generate no code go to clang unchanged.

mod compiler_command;
mod link;
mod response;
mod stream;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::{env, fs, io};

use compiler_command::{CompilerCommand, Goal, InputContent, PartRole};
use tempfile::TempDir;

use crate::mode::{Mode, ModeError, Purpose};
use crate::pass::predicate::PredicateChoice;

/// In bytes; longer command lines go through a response file.
const LONGEST_COMMAND_LINE: usize = 100_000;
/// Where LLVM was installed when this crate was built.
const LLVM_PREFIX: Option<&str> = option_env!("LLVM_SYS_191_PREFIX");

/// Which compiler this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// `yester-cc`, which compiles C++ too but does not link its library.
    C,
    /// `yester-c++`.
    Cxx,
}

/// Why the driver itself failed.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// clang is not installed.
    #[error(
        "run {0}: not found\nhint: apt install clang-19, or set LLVM_SYS_191_PREFIX to where LLVM 19 is installed"
    )]
    NoClang(String),
    /// clang does not start.
    #[error("start {0}: {1}")]
    Start(PathBuf, io::Error),
    /// A temporary file cannot be written or read.
    #[error("use the temporary file {0}: {1}")]
    File(PathBuf, io::Error),
    /// The runtime exists for x86-64 only.
    #[error(
        "instrument code for {0}: yester-cc supports x86-64 only\nhint: remove the flag, or compile this file with clang"
    )]
    Target(String),
    /// The environment asks for something unknown.
    #[error(transparent)]
    Mode(#[from] ModeError),
    /// The pass failed.
    #[error("instrument {0}: {1}")]
    Pass(String, crate::module::LlvmError),
}

/// Runs the compiler with the arguments of this process.
#[must_use]
pub fn main(driver: Driver) -> ExitCode {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    match Compilation::new(driver).and_then(|compilation| compilation.run(&words)) {
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

/// One run of the driver.
struct Compilation {
    driver: Driver,
    purpose: Purpose,
    clang: PathBuf,
    scratch: TempDir,
}

/// How a run of clang ended.
enum ClangExit {
    Done,
    Failed(ExitCode),
}

impl Compilation {
    fn new(driver: Driver) -> Result<Self, DriverError> {
        let scratch = tempfile::Builder::new()
            .prefix("yester-cc-")
            .tempdir()
            .map_err(|error| DriverError::File(env::temp_dir(), error))?;
        Ok(Compilation {
            driver,
            purpose: Purpose::read(|name| env::var_os(name))?,
            clang: find(driver)?,
            scratch,
        })
    }

    fn run(&self, words: &[OsString]) -> Result<ExitCode, DriverError> {
        let expanded = response::expand(words);
        let compiler_command = CompilerCommand::read(&expanded);
        let goal = compiler_command.goal();
        let inputs: Vec<(usize, InputContent)> = compiler_command.inputs().collect();
        let has_input = !inputs.is_empty()
            || compiler_command.has_prefix("-l")
            || compiler_command.has_prefix("-Wl,");
        if goal == Some(Goal::NoCode) || !has_input {
            return self.leave(words);
        }
        if inputs
            .iter()
            .any(|(_, content)| *content == InputContent::Header)
        {
            return self.precompile(&compiler_command);
        }
        let made = inputs
            .iter()
            .filter(|(_, content)| *content != InputContent::Linkable)
            .count();
        match goal {
            Some(goal) if made == 0 || (made > 1 && compiler_command.output().is_some()) => {
                // clang warns or fails; leave the message to it.
                debug_assert!(goal != Goal::NoCode);
                self.leave(words)
            }
            Some(goal) => {
                for (number, content) in inputs {
                    if content == InputContent::Linkable {
                        continue;
                    }
                    let output = compiler_command
                        .output()
                        .unwrap_or_else(|| default(&compiler_command, number, goal));
                    if let ClangExit::Failed(code) =
                        self.make(&compiler_command, number, content, goal, &output)?
                    {
                        return Ok(code);
                    }
                }
                Ok(ExitCode::SUCCESS)
            }
            None => self.build(&compiler_command, &inputs),
        }
    }

    /// Compiles the sources and links.
    fn build(
        &self,
        compiler_command: &CompilerCommand,
        inputs: &[(usize, InputContent)],
    ) -> Result<ExitCode, DriverError> {
        let mut objects = Vec::new();
        for (number, content) in inputs {
            if *content == InputContent::Linkable {
                continue;
            }
            let object = self.scratch.path().join(format!("{number}.o"));
            let step = self.make(
                compiler_command,
                *number,
                *content,
                Goal::Object,
                object.as_os_str(),
            )?;
            if let ClangExit::Failed(code) = step {
                return Ok(code);
            }
            objects.push((*number, object));
        }
        let words = link::words(compiler_command, &objects, self.scratch.path())?;
        match self.clang(&words)? {
            ClangExit::Done => Ok(ExitCode::SUCCESS),
            ClangExit::Failed(code) => Ok(code),
        }
    }

    /// Compiles one source to an object or to assembler.
    fn make(
        &self,
        compiler_command: &CompilerCommand,
        number: usize,
        content: InputContent,
        goal: Goal,
        output: &OsStr,
    ) -> Result<ClangExit, DriverError> {
        let linked = compiler_command.goal().is_none();
        let is_cxx = matches!(content, InputContent::Source { .. })
            && is_cxx(self.driver, compiler_command, number);
        let path = &compiler_command.parts[number].words[0];
        let mut words: Vec<OsString> = Vec::new();
        let add = |words: &mut Vec<OsString>, new: &[&str]| {
            words.extend(new.iter().map(OsString::from));
        };
        let is_source = matches!(content, InputContent::Source { .. });
        if is_source {
            if let Some(target) = foreign(compiler_command) {
                return Err(DriverError::Target(target));
            }
            add(&mut words, accepted_by_gcc(compiler_command, number));
        }
        for part in &compiler_command.parts {
            let wanted = match &part.role {
                PartRole::Code | PartRole::Other => true,
                PartRole::Dependency => !is_cxx,
                PartRole::Linker => !linked,
                PartRole::Assembler | PartRole::Optimisation => !is_source,
                _ => false,
            };
            if wanted {
                words.extend(part.words.iter().cloned());
            }
        }
        if linked {
            add(&mut words, &["-Qunused-arguments"]);
        }
        if is_cxx {
            let step = self.list_headers(compiler_command, number, output)?;
            if matches!(step, ClangExit::Failed(_)) {
                return Ok(step);
            }
            let path = self.scratch.path().join("strings.h");
            fs::write(&path, OWN_STRINGS)
                .map_err(|error| DriverError::File(path.clone(), error))?;
            add(&mut words, &["-include"]);
            words.push(path.into());
            add(&mut words, &["-isystem"]);
            words.push(stream::write(self.scratch.path())?.into());
        } else {
            words.extend(dependencies(compiler_command, number, output));
        }
        let bitcode = self.scratch.path().join(format!("{number}.bc"));
        let Purpose { mode, predicates } = &self.purpose;
        if is_source {
            let fast = last_optimisation(compiler_command).is_some_and(|level| level == "-Ofast");
            add(&mut words, if fast { &["-ffast-math"] } else { &[] });
            if wraps_around(compiler_command) {
                add(&mut words, &["-fwrapv"]);
            }
            // The pass needs places. Variables would not be found anyway: they become values. Only predicates and recorded values
            // need their names, and those of members.
            let has_names = mode.has_values() || mode.has_places();
            let debug: &[&str] = if has_names {
                &["-g", "-fno-discard-value-names"]
            } else if *predicates == PredicateChoice::None {
                &["-gline-tables-only"]
            } else {
                &["-g"]
            };
            add(&mut words, debug);
            // A function that nothing calls may be one whose call is missing. C++ would get all of its headers.
            if mode.has_places() && !is_cxx {
                add(&mut words, &["-femit-all-decls"]);
            }
            // clang's own passes would inline, and sanitizers would add branches that are not in the source.
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
        if let Some(language) = compiler_command.language(number) {
            add(&mut words, &["-x"]);
            words.push(language.to_owned());
        }
        if path.to_string_lossy().starts_with('-') && path != "-" {
            add(&mut words, &["--"]);
        }
        words.push(path.clone());
        let step = self.clang(&words)?;
        if !is_source || matches!(step, ClangExit::Failed(_)) {
            return Ok(step);
        }

        let code = fs::read(&bitcode).map_err(|error| DriverError::File(bitcode.clone(), error))?;
        let options = crate::pass::PassOptions {
            faithful: is_plain(compiler_command),
            debug: wants_debug(compiler_command),
            mode: *mode,
            predicates: predicates.clone(),
        };
        let code = crate::pass::instrument(&code, &options)
            .map_err(|error| DriverError::Pass(path.to_string_lossy().into_owned(), error))?;
        fs::write(&bitcode, code).map_err(|error| DriverError::File(bitcode.clone(), error))?;

        let mut words: Vec<OsString> = Vec::new();
        for part in &compiler_command.parts {
            if matches!(part.role, PartRole::Code | PartRole::Assembler) {
                words.extend(part.words.iter().cloned());
            }
        }
        let level = match last_optimisation(compiler_command).as_deref() {
            // Shadows are computed by the runtime, so optimising the rest costs more than it gains.
            _ if mode.is_symbolic() => "-O0".to_owned(),
            // What is wanted is that nothing is reordered across the places of interventions, and quick runs.
            _ if *mode == Mode::Intervene => "-O1".to_owned(),
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

    /// Lists the headers of a C++ source, if that is asked for, without the one that is included for instrumentation.
    fn list_headers(
        &self,
        compiler_command: &CompilerCommand,
        number: usize,
        output: &OsStr,
    ) -> Result<ClangExit, DriverError> {
        let dependencies = dependencies(compiler_command, number, output);
        let parts = compiler_command.parts.iter();
        let asks = parts.clone().any(|part| part.role == PartRole::Dependency);
        if !asks && dependencies.is_empty() {
            return Ok(ClangExit::Done);
        }
        let wanted = parts.filter(|part| {
            matches!(
                part.role,
                PartRole::Code | PartRole::Other | PartRole::Dependency
            )
        });
        let mut words: Vec<OsString> = wanted.flat_map(|part| part.words.clone()).collect();
        words.extend(dependencies);
        words.extend(["-w", "-Qunused-arguments", "-E", "-o"].map(OsString::from));
        words.push(self.scratch.path().join(format!("{number}.ii")).into());
        if let Some(language) = compiler_command.language(number) {
            words.push("-x".into());
            words.push(language.to_owned());
        }
        words.push(compiler_command.parts[number].words[0].clone());
        self.clang(&words)
    }

    /// Precompiles a header with the flags that its sources are compiled with; clang rejects it otherwise.
    fn precompile(&self, compiler_command: &CompilerCommand) -> Result<ExitCode, DriverError> {
        let mut words = Vec::new();
        for part in &compiler_command.parts {
            if !matches!(part.role, PartRole::Optimisation | PartRole::Dropped) {
                words.extend(part.words.iter().cloned());
            }
        }
        words.push("-O0".into());
        if wraps_around(compiler_command) {
            words.push("-fwrapv".into());
        }
        self.leave(&words)
    }

    /// Becomes clang, with these arguments.
    fn leave(&self, words: &[OsString]) -> Result<ExitCode, DriverError> {
        // exec runs no destructors.
        let _ = fs::remove_dir_all(self.scratch.path());
        let error = Command::new(&self.clang).args(words).exec();
        Err(DriverError::Start(self.clang.clone(), error))
    }

    fn clang(&self, words: &[OsString]) -> Result<ClangExit, DriverError> {
        let mut command = Command::new(&self.clang);
        if words.iter().map(|word| word.len() + 1).sum::<usize>() > LONGEST_COMMAND_LINE {
            let path = self.scratch.path().join("words");
            response::write(&path, words)
                .map_err(|error| DriverError::File(path.clone(), error))?;
            let mut word = OsString::from("@");
            word.push(&path);
            command.arg(word);
        } else {
            command.args(words);
        }
        let status = command
            .status()
            .map_err(|error| DriverError::Start(self.clang.clone(), error))?;
        Ok(step(status))
    }
}

fn step(status: ExitStatus) -> ClangExit {
    match (status.code(), status.signal()) {
        (Some(0), _) => ClangExit::Done,
        (Some(code), _) => ClangExit::Failed(ExitCode::from(u8::try_from(code).unwrap_or(1))),
        (None, signal) => {
            let signal = u8::try_from(signal.unwrap_or_default()).unwrap_or_default();
            ClangExit::Failed(ExitCode::from(128 + signal))
        }
    }
}

/// The clang whose version matches the LLVM that this crate links.
fn find(driver: Driver) -> Result<PathBuf, DriverError> {
    let (plain, versioned) = match driver {
        Driver::C => ("clang", "clang-19"),
        Driver::Cxx => ("clang++", "clang++-19"),
    };
    let prefix = env::var_os("LLVM_SYS_191_PREFIX").or_else(|| LLVM_PREFIX.map(OsString::from));
    let beside = prefix.map(|prefix| Path::new(&prefix).join("bin").join(plain));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|directory| directory.join(versioned));
    beside
        .into_iter()
        .chain(on_path)
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| DriverError::NoClang(versioned.to_owned()))
}

fn last_optimisation(compiler_command: &CompilerCommand) -> Option<String> {
    let part = compiler_command
        .parts
        .iter()
        .rfind(|part| part.role == PartRole::Optimisation)?;
    Some(part.words[0].to_string_lossy().into_owned())
}

/// Makes the program instantiate `std::string` itself, so that it is instrumented. The library's own is not. libstdc++ does the same
/// when its assertions are on.
const OWN_STRINGS: &str = "#if __has_include(<bits/c++config.h>)\n#include <bits/c++config.h>\n\
    #undef _GLIBCXX_EXTERN_TEMPLATE\n#define _GLIBCXX_EXTERN_TEMPLATE -1\n#endif\n";

/// Whether a source is C++.
fn is_cxx(driver: Driver, compiler_command: &CompilerCommand, number: usize) -> bool {
    let path = Path::new(&compiler_command.parts[number].words[0]);
    if let Some(language) = compiler_command.language(number) {
        // Standard input can be read only once, so its headers are not listed first.
        return language == "c++" && path != "-";
    }
    match path.extension().and_then(OsStr::to_str) {
        Some("cc" | "cp" | "cxx" | "cpp" | "CPP" | "CXX" | "c++" | "C") => true,
        Some("c") => driver == Driver::Cxx,
        _ => false,
    }
}

/// Flags that make clang warn of what it refuses, but gcc accepts: old C. They stand first, so that the user's own flags win.
fn accepted_by_gcc(compiler_command: &CompilerCommand, number: usize) -> &'static [&'static str] {
    let name = compiler_command.parts[number].words[0].as_bytes();
    let is_c = match compiler_command.language(number) {
        Some(language) => language == "c" || language == "cpp-output",
        None => name.ends_with(b".c") || name.ends_with(b".i"),
    };
    let asks_for_errors =
        compiler_command.has("-Werror") || compiler_command.has("-pedantic-errors");
    if !is_c || asks_for_errors {
        return &[];
    }
    &[
        "-Wno-error=implicit-function-declaration",
        "-Wno-error=implicit-int",
        "-Wno-error=int-conversion",
        "-Wno-error=incompatible-function-pointer-types",
        "-Wno-error=return-mismatch",
        "-Wno-error=return-type",
    ]
}

/// Whether the command line asks for what debuggers need. The pass needs the places of branches in any case.
fn wants_debug(compiler_command: &CompilerCommand) -> bool {
    let words = compiler_command.parts.iter().map(|part| &part.words[0]);
    let mut levels = words.filter(|word| word.as_bytes().starts_with(b"-g"));
    levels.next_back().is_some_and(|level| level != "-g0")
}

/// Whether the command line asks for no optimisation.
fn is_plain(compiler_command: &CompilerCommand) -> bool {
    matches!(
        last_optimisation(compiler_command).as_deref(),
        None | Some("-O0")
    )
}

/// Whether signed overflow has to wrap, as it does in code that is not optimised.
fn wraps_around(compiler_command: &CompilerCommand) -> bool {
    is_plain(compiler_command)
        && !compiler_command.has("-ftrapv")
        && !compiler_command.has_prefix("-fsanitize")
}

/// The flag that asks for a processor other than x86-64.
fn foreign(compiler_command: &CompilerCommand) -> Option<String> {
    let words = compiler_command.parts.iter().map(|part| {
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

/// The name of the output if no `-o` is given.
fn default(compiler_command: &CompilerCommand, number: usize, goal: Goal) -> OsString {
    let path = Path::new(&compiler_command.parts[number].words[0]);
    let mut name = path.file_stem().unwrap_or(path.as_os_str()).to_owned();
    name.push(if goal == Goal::Object { ".o" } else { ".s" });
    name
}

/// Flags that name the dependency file and its target. clang would derive both from its output, which is a temporary file here.
fn dependencies(
    compiler_command: &CompilerCommand,
    number: usize,
    output: &OsStr,
) -> Vec<OsString> {
    let listing = compiler_command.has("-MD") || compiler_command.has("-MMD");
    let by_preprocessor =
        compiler_command.has_prefix("-Wp,-MD") || compiler_command.has_prefix("-Wp,-MMD");
    let mut words = Vec::new();
    let object = match compiler_command.goal() {
        Some(_) => output.to_owned(),
        None => default(compiler_command, number, Goal::Object),
    };
    if listing && !compiler_command.has_prefix("-MF") {
        let name = compiler_command.output().unwrap_or_else(|| object.clone());
        words.push("-MF".into());
        words.push(Path::new(&name).with_extension("d").into());
    }
    if (listing || by_preprocessor)
        && !compiler_command.has_prefix("-MT")
        && !compiler_command.has_prefix("-MQ")
    {
        words.push("-MQ".into());
        words.push(object);
    }
    words
}
