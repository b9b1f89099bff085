//! Patches are applied by the real programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use yester_core::{Space, Subset};
use yester_patch::{
    AtomSet, ChangeSpace, DeltaLevel, FileKind, FileState, Version, VersionDifference, patch,
};

type States = BTreeMap<String, FileState>;

fn states(files: &[(&str, FileKind, &[u8])]) -> States {
    let state = |kind, content: &[u8]| FileState {
        kind,
        content: content.into(),
    };
    files
        .iter()
        .map(|(path, kind, content)| ((*path).to_owned(), state(*kind, content)))
        .collect()
}

fn space(good: &States, bad: &States) -> ChangeSpace {
    let (good, bad) = (Version::of(good.clone()), Version::of(bad.clone()));
    let difference = VersionDifference::between(&good, &bad).expect("both are in memory");
    ChangeSpace::new(difference, DeltaLevel::Line, None)
}

/// Applies a patch to a version with a program, and reads what is there then.
fn apply(program: &[&str], version: &States, patch: &[u8]) -> States {
    let directory = tempfile::tempdir().expect("a temporary directory");
    Version::of(version.clone())
        .materialise(directory.path())
        .expect("it can be written");
    if !patch.is_empty() {
        run(program, directory.path(), patch);
    }
    read(directory.path())
}

fn run(program: &[&str], directory: &Path, input: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), input).expect("it can be written");
    let output = Command::new(program[0])
        .args(&program[1..])
        .current_dir(directory)
        .env("GIT_CEILING_DIRECTORIES", directory)
        .stdin(Stdio::from(
            fs::File::open(file.path()).expect("it can be read"),
        ))
        .output()
        .expect("the program is installed");
    assert!(
        output.status.success(),
        "{program:?}: {}{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        String::from_utf8_lossy(input),
    );
}

fn read(directory: &Path) -> States {
    let version = Version::directory(directory).expect("it can be read");
    let state = |path: &str| {
        version
            .state(path)
            .expect("it can be read")
            .expect("it is listed")
    };
    version
        .paths()
        .map(|(path, _)| (path.to_owned(), state(path)))
        .collect()
}

/// GOOD with some atoms.
fn with(space: &ChangeSpace, good: &States, atoms: &AtomSet) -> States {
    let mut states = good.clone();
    for change in &space.difference().changes {
        let count = change.edits.len();
        let own = Subset::of(
            count,
            (0..count).filter(|place| atoms.contains(change.first + place)),
        );
        change
            .old
            .iter()
            .chain(&change.new)
            .for_each(|(path, _)| drop(states.remove(path)));
        states.extend(
            change
                .state(&own)
                .map(|(path, state)| (path.to_owned(), state)),
        );
    }
    states
}

fn check(program: &[&str], good: &States, bad: &States, choose: impl Fn(usize) -> bool) {
    let space = space(good, bad);
    let count = space.difference().atoms();
    let atoms = AtomSet::of(count, (0..count).filter(|atom| choose(*atom)));
    let culprit = patch::culprit_patch(&space, &atoms).expect("it can be written");
    assert_eq!(apply(program, good, &culprit), with(&space, good, &atoms));
    let fix = patch::fix_patch(&space, &atoms).expect("it can be written");
    let rest = AtomSet::full(count).difference(&atoms);
    assert_eq!(apply(program, bad, &fix), with(&space, good, &rest));
}

const GIT: &[&str] = &["git", "apply", "--whitespace=nowarn", "-"];
// A person would be asked whether an empty file may go; git's own patches have that too.
const PATCH: &[&str] = &["patch", "-p1", "--binary", "--quiet", "--force"];

fn everything() -> (States, States) {
    let long: String = (0..40).map(|line| format!("line {line}\n")).collect();
    let edited = long
        .replace("line 3\n", "line three\n")
        .replace("line 30\n", "")
        .replace("line 39\n", "last");
    let good = states(&[
        ("windows.txt", FileKind::File, b"one\r\ntwo\r\nthree\r\n"),
        ("no end", FileKind::File, b"a\nb"),
        (
            "with blanks/in its name.txt",
            FileKind::File,
            long.as_bytes(),
        ),
        (
            "old.txt",
            FileKind::File,
            long.replace("line", "other").as_bytes(),
        ),
        ("script", FileKind::File, b"#!/bin/sh\n"),
        ("gone", FileKind::File, b"1\n2\n3\n"),
        ("link", FileKind::Symlink, b"windows.txt"),
        ("\u{fc}ml\u{e4}ut", FileKind::File, b"\xff\xfe latin\n"),
    ]);
    let bad = states(&[
        ("windows.txt", FileKind::File, b"one\r\n2\r\nthree\r\n4\n"),
        ("no end", FileKind::File, b"a\nb\nc"),
        (
            "with blanks/in its name.txt",
            FileKind::File,
            edited.as_bytes(),
        ),
        (
            "new.txt",
            FileKind::File,
            edited.replace("line", "other").as_bytes(),
        ),
        ("script", FileKind::Executable, b"#!/bin/sh\nexit 1\n"),
        ("empty", FileKind::File, b""),
        ("link", FileKind::Symlink, b"script"),
        ("deep/er/new", FileKind::Executable, b"no newline"),
        ("\u{fc}ml\u{e4}ut", FileKind::File, b"\xff\xfe Latin\n"),
    ]);
    (good, bad)
}

#[test]
fn git_applies_all_of_it() {
    let (good, bad) = everything();
    check(GIT, &good, &bad, |_| true);
}

#[test]
fn patch_applies_all_of_it() {
    let (good, bad) = everything();
    check(PATCH, &good, &bad, |_| true);
}

#[test]
fn git_and_patch_apply_half_of_it() {
    let (good, bad) = everything();
    for odd in [0, 1] {
        check(GIT, &good, &bad, |atom| atom % 2 == odd);
        check(PATCH, &good, &bad, |atom| atom % 2 == odd);
    }
}

#[test]
fn git_applies_binary_files_types_and_names_that_need_quotes() {
    let good = states(&[
        ("picture", FileKind::File, b"\0\x01\x02old"),
        ("gone.bin", FileKind::Executable, b"\0\0\0"),
        ("turns", FileKind::File, b"text\n"),
        ("quo\"te\\\tb", FileKind::File, b"1\n"),
    ]);
    let bad = states(&[
        ("picture", FileKind::Executable, b"\0\x01\x02new"),
        ("new.bin", FileKind::File, b"\0\xff\xfe"),
        ("turns", FileKind::Symlink, b"picture"),
        ("quo\"te\\\tb", FileKind::File, b"2\n"),
    ]);
    check(GIT, &good, &bad, |_| true);
    for atom in 0..space(&good, &bad).len() {
        check(GIT, &good, &bad, |other| other == atom);
    }
}

#[test]
fn git_puts_a_file_in_the_place_of_a_directory_and_back() {
    let good = states(&[
        ("a/b", FileKind::File, b"1\n"),
        ("a/c", FileKind::File, b"2\n"),
        ("x", FileKind::Symlink, b"a"),
    ]);
    let bad = states(&[
        ("a", FileKind::File, b"other\n"),
        ("x/y", FileKind::File, b"3\n"),
    ]);
    check(GIT, &good, &bad, |_| true);
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let lines = prop::collection::vec(
        prop::sample::select(vec!["a\n", "b\n", "c\n", "\n", "d\r\n"]),
        0..30,
    );
    let last = prop::sample::select(vec!["", "", "end"]);
    (lines, last).prop_map(|(lines, last)| (lines.concat() + last).into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn git_applies_any_subset(
        good in prop::collection::btree_map("[ab]/[xyz]", text(), 0..4),
        bad in prop::collection::btree_map("[ab]/[xyz]", text(), 0..4),
        choice in prop::collection::vec(any::<bool>(), 64),
    ) {
        let states = |files: BTreeMap<String, Vec<u8>>| -> States {
            let state = |content: Vec<u8>| FileState { kind: FileKind::File, content: content.into() };
            files.into_iter().map(|(path, content)| (path, state(content))).collect()
        };
        check(GIT, &states(good), &states(bad), |atom| choice[atom % choice.len()]);
    }
}
