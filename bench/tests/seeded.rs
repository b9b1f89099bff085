//! The cases of `bench/explain` are what they claim to be.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use yester_bench::case::Purpose;
use yester_bench::seeded::{
    Case, ChangedLines, Classifier, Fault, FaultFamily, Outline, Program, programs,
};

fn all() -> Vec<(Program, Vec<Fault>)> {
    let programs = programs().expect("programs").into_iter();
    programs
        .map(|program| {
            let faults = program.faults().expect("faults");
            (program, faults)
        })
        .collect()
}

fn build(program: &Program, source: &Path) -> PathBuf {
    let built = source.with_extension("built");
    let status = Command::new(program.compiler())
        .args(["-O0", "-w", "-o"])
        .args([&built, source])
        .status()
        .expect("the compiler starts");
    assert!(status.success(), "{} does not compile", source.display());
    built
}

fn run(program: &Path, case: &Case) -> Output {
    let stdin = match &case.stdin {
        Some(path) => File::open(path).expect("an input").into(),
        None => Stdio::null(),
    };
    let mut command = Command::new(program);
    command.args(&case.arguments).stdin(stdin);
    command.output().expect("the program starts")
}

fn shown(output: &Output) -> (String, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.to_string(), text)
}

fn check(program: &Program, faults: &[Fault]) {
    let place = tempfile::tempdir().expect("a directory");
    let source = place
        .path()
        .join("right")
        .with_extension(match program.compiler() {
            "c++" => "cpp",
            _ => "c",
        });
    fs::write(&source, program.right().expect("a text")).expect("room");
    let right = build(program, &source);
    for fault in faults {
        let name = fault.name();
        let directory = place.path().join(&fault.id);
        let case = fault.place(&directory).expect("a case");
        let expected = shown(&run(&right, &case));
        assert_eq!(shown(&run(&right, &case)), expected, "{name} is not stable");
        assert!(
            expected.0.starts_with("exit status"),
            "{name}: {}",
            expected.0
        );
        let new = shown(&run(&build(program, &case.new), &case));
        assert_ne!(new, expected, "{name} does not show");
        if fault.family == FaultFamily::Exposed {
            let old = shown(&run(&build(program, &case.old), &case));
            assert_eq!(old, expected, "{name} shows in the old version");
        } else {
            assert_eq!(
                fs::read_to_string(&case.old).expect("a text"),
                program.right().expect("a text"),
                "{name}"
            );
        }
    }
}

fn check_program(name: &str) {
    let mut all = all().into_iter();
    let (program, faults) = all
        .find(|(program, _)| program.name == name)
        .expect("it is there");
    check(&program, &faults);
}

#[test]
fn every_fault_of_the_programs_with_arguments_shows_on_its_input() {
    check_program("advisory");
    check_program("replacer");
    check_program("statistics");
}

#[test]
fn every_fault_of_the_programs_with_commands_shows_on_its_input() {
    check_program("cells");
    check_program("scheduler");
}

#[test]
fn every_fault_of_the_programs_with_free_input_shows_on_its_input() {
    check_program("chunks");
    check_program("tokenizer");
}

#[test]
fn every_fault_of_the_program_in_cpp_shows_on_its_input() {
    check_program("inventory");
}

#[test]
fn every_program_is_checked_and_has_faults_of_all_families() {
    let names = [
        "advisory",
        "cells",
        "chunks",
        "inventory",
        "replacer",
        "scheduler",
        "statistics",
    ];
    let all = all();
    let found: Vec<&str> = all
        .iter()
        .map(|(program, _)| program.name.as_str())
        .collect();
    assert_eq!(found, [&names[..], &["tokenizer"]].concat());
    for (program, faults) in &all {
        let count = |family| {
            let own = faults.iter().filter(|fault| fault.family == family);
            own.count()
        };
        assert!(count(FaultFamily::Seeded) >= 12, "{}", program.name);
        assert_eq!(count(FaultFamily::Refactored), 4, "{}", program.name);
        assert_eq!(count(FaultFamily::Exposed), 2, "{}", program.name);
        let ids: BTreeSet<&str> = faults.iter().map(|fault| fault.id.as_str()).collect();
        assert_eq!(ids.len(), faults.len(), "{}", program.name);
    }
    let tuned = all
        .iter()
        .filter(|(program, _)| program.purpose == Purpose::Tune);
    assert_eq!(tuned.count(), 3);
}

#[test]
fn the_truth_names_lines_of_its_function_that_say_something() {
    let place = tempfile::tempdir().expect("a directory");
    for (_, faults) in all() {
        for fault in faults {
            let name = fault.name();
            let case = fault.place(&place.path().join(&name)).expect("a case");
            let truth = &case.truth;
            let texts =
                [&case.old, &case.new].map(|path| fs::read_to_string(path).expect("a text"));
            assert!(!truth.lines_new.is_empty(), "{name}");
            for (side, lines) in [&truth.lines_old, &truth.lines_new].into_iter().enumerate() {
                let outline = Outline::of(&texts[side]);
                for &line in lines {
                    let text = texts[side].lines().nth(line as usize - 1).expect("a line");
                    assert!(text.contains(char::is_alphanumeric), "{name}: '{text}'");
                    let function = outline.at(line).map(|function| function.name.clone());
                    // A change may have renamed or split the function.
                    if side == 1 || fault.family != FaultFamily::Refactored {
                        assert_eq!(function, truth.function, "{name}, line {line}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_difference_names_the_line_of_a_seeded_fault_and_never_that_of_an_exposed_one() {
    let place = tempfile::tempdir().expect("a directory");
    let mut has_identical = 0;
    for (_, faults) in all() {
        for fault in faults {
            let name = fault.name();
            let case = fault.place(&place.path().join(&name)).expect("a case");
            let changed = ChangedLines::of(&case).expect("a difference");
            match fault.family {
                FaultFamily::Seeded => assert!(changed.contain_truth(&case), "{name}"),
                FaultFamily::Refactored => assert!(changed.count() > 20, "{name}"),
                FaultFamily::Exposed => {
                    assert!(!changed.contain_truth(&case), "{name}");
                    assert!((5..=40).contains(&changed.count()), "{name}");
                }
            }
            let classifier = Classifier::of(&case).expect("texts");
            has_identical += usize::from(classifier.has_identical_lines());
        }
    }
    assert!(has_identical > 0, "class 1a is never asked for");
}
