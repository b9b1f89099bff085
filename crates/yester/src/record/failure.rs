//! What a user is told about programs that were not built, run, read or judged, and what to do about it.

use std::env;
use std::io;

use rustix::io::Errno;
use yester_record::{InputError, RecordError};
use yester_report::visible_line;
use yester_run::Ending;

use crate::driver::reason;
use crate::failure::{Exit, Failure};
use crate::versions::failed;

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Failure {
        match error {
            RecordError::Io { doing, source } => Failure::io(doing, &source),
            RecordError::NoSpace(place) => {
                let full = io::Error::from(Errno::NOSPC);
                Failure::io(format!("write to {}", place.display()), &full)
                    .hint("make space there, or set TMPDIR to another directory")
            }
            RecordError::Stopped(stop) => reason(stop),
            RecordError::Unguarded(message) => unguarded(message),
            RecordError::NotStarted { .. } | RecordError::ReferenceNotEnded(_) => {
                Failure::usage(error)
            }
            RecordError::NotRecorded { program, ending } => not_recorded(&program, &ending),
            RecordError::Recording(error) => error.into(),
            RecordError::Solver(error) => error.into(),
            RecordError::Version(error) => failed(&error),
            RecordError::NoCompiler(_) => {
                Failure::usage(error).hint("run make install in yester's sources to get it")
            }
            RecordError::NotBuilt {
                version,
                is_file,
                ending,
                lines,
            } => not_built(&version, is_file, &ending, &lines),
            RecordError::CommandNotRun { ref lines, .. } => {
                let lines = lines.iter().map(|line| visible_line(line).into_owned());
                Failure {
                    evidence: lines.collect(),
                    ..Failure::usage(&error)
                }
                .hint("it runs in the root of the built tree; a path is one from there")
            }
            RecordError::NotInstrumented { .. } => Failure::usage(error)
                .hint("the line of --build has to compile the program: is it built before, or by another compiler than CC?"),
            RecordError::NoTime => Failure {
                exit: Exit::Limit,
                ..Failure::usage(error)
            }
            .hint("--max-time is for all runs together: give it a multiple of what the command takes"),
            RecordError::NoProduct { .. } => Failure::usage(error)
                .hint("PROG is a path from the root of the tree; --build makes it"),
            RecordError::CheckNotRun { what, lines } => Failure {
                evidence: lines,
                ..Failure::usage(format!("the command of --check cannot be run: {what}"))
            }
            .hint("try it by hand; relative paths start where yester was started"),
            RecordError::AllLeftOut(ref files) => {
                let files = files.iter().map(|path| path.display().to_string());
                let files: Vec<String> = files.take(8).collect();
                let files = files.join(", ");
                Failure::usage(error)
                    .hint(format!("give paths in the tree; the program has code in {files}"))
            }
            RecordError::IsRight => {
                Failure::nothing(format!("{error}: there is nothing to debug"))
                    .hint("check the input and what judges it")
            }
            RecordError::IsUnknown => Failure::usage(error)
                .hint("the judge has to say that the run on your input is wrong"),
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Failure {
        let hint = match &error {
            InputError::NoStdin => "--stdin FILE gives the program one",
            InputError::NoArgument(_) => "the first argument after PROG is arg:1",
            InputError::Outside(_) => "name the file as an argument of PROG",
            InputError::NoFile(_) => "give its path from the directory that the program runs in",
            InputError::Read { path, source } => return Failure::unreadable(path, source),
            InputError::Version(error) => return failed(error),
        };
        Failure::usage(error).hint(hint)
    }
}

fn unguarded(message: String) -> Failure {
    Failure {
        evidence: vec![message],
        ..Failure::usage("cannot protect your files from code that only runs because yester makes it run")
    }
    .hint("allow user namespaces, or take the risk with --allow-writes: such runs can then change and delete your files")
    .code("cannot_guard")
}

fn not_recorded(program: &str, ending: &Ending) -> Failure {
    let has_compiler = env::var_os("PATH").is_some_and(|path| {
        env::split_paths(&path).any(|directory| directory.join("yester-cc").is_file())
    });
    let message = format!("{program} recorded nothing ({ending}): it was not built with yester-cc");
    let build =
        "rebuild the program with it, for example: make clean && make CC=yester-cc CXX=yester-c++";
    Failure::usage(message).hint(if has_compiler {
        build.to_owned()
    } else {
        format!("run make install in yester's sources to get yester-cc; then {build}")
    })
}

fn not_built(version: &str, is_file: bool, ending: &Ending, lines: &[String]) -> Failure {
    if *ending == Ending::Timeout {
        let message = format!("the build of {version} takes too long");
        return Failure::usage(message).hint("--build-timeout TIME gives it more time");
    }
    let has_no_space = |line: &String| {
        let words = ["No space left on device", "Disk quota exceeded"];
        words.iter().any(|words| line.contains(words))
    };
    if let Some(line) = lines.iter().find(|line| has_no_space(line)) {
        let full = io::Error::from(Errno::NOSPC);
        return Failure {
            evidence: vec![visible_line(line).into_owned()],
            ..Failure::io(format!("build {version}"), &full)
        }
        .hint("make space in the temporary directory, or set TMPDIR to another one");
    }
    // What fails without a word of the compiler fails for another reason.
    let is_of_compiler = is_file || lines.iter().any(|line| line.contains("error"));
    let (message, hint) = if is_of_compiler {
        (
            "does not build with yester's compilers",
            "they are built on clang 19: does the same line work with CC=clang-19?",
        )
    } else {
        (
            "does not build",
            "--build runs in the root of a clean copy of the tree: does it work in one by hand?",
        )
    };
    let lines = lines.iter().map(|line| visible_line(line).into_owned());
    Failure {
        evidence: lines.collect(),
        ..Failure::usage(format!("{version} {message}: {ending}"))
    }
    .hint(hint)
    .code("does_not_build")
}
