//! Wrong calls get the hint that helps: one table, with the exact words.

use std::fs;
use std::path::Path;

use crate::changes::{commit, git, repository};
use crate::place::Place;

/// A call, what is wrong with it, and what to do about it.
struct WrongCall {
    words: &'static [&'static str],
    code: i32,
    message: &'static str,
    hint: &'static str,
}

const fn wrong(
    words: &'static [&'static str],
    message: &'static str,
    hint: &'static str,
) -> WrongCall {
    WrongCall {
        words,
        code: 2,
        message,
        hint,
    }
}

/// The same for a call that is only found to be wrong by running the test.
const fn refuted(
    words: &'static [&'static str],
    message: &'static str,
    hint: &'static str,
) -> WrongCall {
    WrongCall {
        code: 1,
        ..wrong(words, message, hint)
    }
}

const CALLS: &[WrongCall] = &[
    wrong(
        &[
            "reduce",
            "input.txt",
            "--timeout",
            "99999999999999999999s",
            "--",
            "./interesting.sh",
            "{}",
        ],
        "invalid value '99999999999999999999s' for '--timeout <TIME>': '99999999999999999999s' is too long",
        "",
    ),
    wrong(
        &["languages", "other"],
        "unexpected argument 'other' found",
        "yester languages --help says more",
    ),
    wrong(
        &["reduce", "-dash.txt", "--", "./interesting.sh", "{}"],
        "unexpected argument '-d' found",
        "a name that begins with a dash is written with its directory: ./-dash.txt",
    ),
    wrong(
        &[
            "reduce",
            "input.txt",
            "-j",
            "-1",
            "--",
            "./interesting.sh",
            "{}",
        ],
        "invalid value '-1' for '--jobs <N>': expected a whole number from 1 to 1000",
        "",
    ),
    wrong(
        &[
            "changes",
            "v1",
            "HEAD",
            "--timeout",
            "-1s",
            "--",
            "./test.sh",
        ],
        "unexpected argument '-1' found",
        "'-1s' cannot be the value of --timeout: it is less than zero",
    ),
    wrong(
        &["reduce", "input.txt", "./interesting.sh", "{}"],
        "unexpected argument './interesting.sh' found",
        "the test comes after --: yester reduce input.txt -- ./interesting.sh {}",
    ),
    wrong(
        &["reduce", "input.txt"],
        "the following required arguments were not provided:",
        "the test comes after --: yester reduce input.txt -- COMMAND",
    ),
    wrong(
        &["changes", "v1", "HEAD", "sh", "check.sh"],
        "unexpected argument 'sh' found",
        "the test comes after --: yester changes v1 HEAD -- sh check.sh",
    ),
    wrong(
        &["changes", "v1..HEAD", "./test.sh"],
        "the following required arguments were not provided:",
        "the test comes after --: yester changes v1..HEAD -- ./test.sh",
    ),
    wrong(
        &["changes", "v1..HEAD", "HEAD", "--", "./test.sh"],
        "'v1..HEAD' names both versions already",
        "leave out HEAD; if it belongs to the test, put -- before it",
    ),
    wrong(
        &["changes", "v1.0..HEAD", "--", "./test.sh"],
        "'v1.0' is neither a directory nor a revision of this repository",
        "git log --oneline --all and git tag list revisions; a branch of a server may need git fetch",
    ),
    wrong(
        &["history", "./test.sh"],
        "unexpected argument './test.sh' found",
        "the test comes after --: yester history -- ./test.sh",
    ),
    wrong(
        &["explain", "old.c", "new.c", "{}", "7"],
        "unexpected argument '{}' found",
        "the test comes after --: yester explain old.c new.c -- {} 7",
    ),
    wrong(
        &["flip", "old.c", "{}", "7"],
        "unexpected argument '{}' found",
        "the test comes after --: yester flip old.c -- {} 7",
    ),
    wrong(
        &["trace", "./app", "7"],
        "unexpected argument './app' found",
        "the test comes after --: yester trace -- ./app 7",
    ),
    refuted(
        &[
            "reduce",
            "input.txt",
            "--",
            "grep",
            "needle",
            "{}",
            "|",
            "grep",
            "-v",
            "a b",
        ],
        "an empty input is judged the same as the full one: exit 2",
        r"only a shell understands '|': -- sh -c 'grep needle {} | grep -v '\''a b'\'''",
    ),
    refuted(
        &[
            "changes", "v1", "HEAD", "--", "cat", "calc.sh", "&&", "sh", "check.sh",
        ],
        "the good version fails in a way of its own",
        "only a shell understands '&&': -- sh -c 'cat calc.sh && sh check.sh'",
    ),
    // It fails as it should, so that this is only said.
    refuted(
        &["history", "--", "cat", "nothing", "2>&1"],
        "only a shell understands '2>&1': -- sh -c 'cat nothing 2>&1'",
        "",
    ),
    wrong(
        &[
            "reduce",
            "input.txt",
            "--",
            "LANG=C",
            "./interesting.sh",
            "{}",
        ],
        "the command 'LANG=C' was not found",
        "env gives a command a variable: -- env LANG=C ./interesting.sh {}",
    ),
    wrong(
        &["history", "--", "LANG=C", "./test.sh"],
        "the command 'LANG=C' was not found",
        "env gives a command a variable: -- env LANG=C ./test.sh",
    ),
    wrong(
        &["reduce", "input.txt", "--language", "pyhton", "--", "true"],
        "there is no language 'pyhton'",
        "did you mean python? yester languages lists them",
    ),
    wrong(
        &["reduce", "input.txt", "--language", "C++", "--", "true"],
        "there is no language 'C++'",
        "did you mean cpp? yester languages lists them",
    ),
    wrong(
        &["reduce", "input.txt", "--language", "klingon", "--", "true"],
        "there is no language 'klingon'",
        "yester languages lists them; --grammar and --lexer take one of your own",
    ),
    wrong(
        &[
            "reduce",
            "input.txt",
            "--fail-if",
            "stderr=foo",
            "--",
            "true",
        ],
        "invalid value 'stderr=foo' for '--fail-if <RULE>': unknown rule 'stderr=foo'; write stderr~foo",
        "",
    ),
    wrong(
        &["changes", "v1", "HEAD", "--fail-if", "exit~1", "--", "true"],
        "invalid value 'exit~1' for '--fail-if <RULE>': unknown rule 'exit~1'; write exit=1",
        "",
    ),
    wrong(
        &["redcue", "input.txt", "--", "true"],
        "unrecognized subcommand 'redcue'",
        "did you mean 'reduce'?",
    ),
    wrong(
        &["input.txt", "--", "./interesting.sh", "{}"],
        "unrecognized subcommand 'input.txt'",
        "the command comes first, such as: yester reduce input.txt -- COMMAND",
    ),
    wrong(
        &["reduce", "input.txt", "--tiemout", "5s", "--", "true"],
        "unexpected argument '--tiemout' found",
        "did you mean '--timeout'?",
    ),
    wrong(
        &["reduce", "input.txt", "--carry", "x", "--", "true"],
        "unexpected argument '--carry' found",
        "--carry is a flag of yester changes, yester history, yester why",
    ),
    wrong(
        &["reduce", "input.txt", "--max-time", "1h30", "--", "true"],
        "invalid value '1h30' for '--max-time <TIME>': 30 has no unit in '1h30'; use ms, s, m or h",
        "",
    ),
    wrong(
        &["reduce", "sub/input.txt", "--", "cat", "sub/input.txt"],
        "sub/input.txt in the command is the whole input, which stays the same in every trial",
        "write {} in its place: it stands for the candidate's path",
    ),
    wrong(
        &["changes", "v1", "HEAD", "--", "./app"],
        "the command './app' was not found",
        "the versions have a Makefile, and nothing is built: --build make builds each of them first",
    ),
    wrong(
        &["history", "--", "./app"],
        "the command './app' was not found",
        "the versions have a Makefile, and nothing is built: --build make builds each of them first",
    ),
    refuted(
        &["changes", "v1", "HEAD", "--", "sh", "-c", "./app"],
        "the command cannot be run on both versions",
        "the versions have a Makefile, and nothing is built: --build make builds each of them first",
    ),
    refuted(
        &["history", "--", "sh", "-c", "./app"],
        "the command cannot be run on HEAD",
        "the versions have a Makefile, and nothing is built: --build make builds each of them first",
    ),
    refuted(
        &[
            "changes",
            "v1",
            "HEAD",
            "--build",
            "make",
            "--product",
            "ap",
            "--",
            "./test.sh",
        ],
        "the build does not make ap",
        "--product takes the path of a file that --build makes, from the root of the tree; run the command above to see",
    ),
    refuted(
        &[
            "history",
            "--build",
            "make",
            "--product",
            "ap",
            "--",
            "./test.sh",
        ],
        "the build does not make ap",
        "--product takes the path of a file that --build makes, from the root of the tree; run the command above to see",
    ),
    wrong(
        &[
            "changes",
            "v1",
            "HEAD",
            "-o",
            "input.txt",
            "--",
            "./test.sh",
        ],
        "input.txt is not a directory",
        "-o takes a directory",
    ),
    wrong(
        &[
            "reduce",
            "input.txt",
            "-o",
            "input.txt/out",
            "--",
            "./interesting.sh",
            "{}",
        ],
        "failed to write input.txt/out: not a directory",
        "-o OUT puts the result somewhere else",
    ),
];

/// A repository with a Makefile, and the files of [`Place::with_needle`] beside it.
fn place() -> Place {
    let place = repository();
    // Before the first tag, so that all versions have it.
    git(place.path(), &["tag", "--delete", "v1"]);
    place.write("Makefile", "app: calc.sh\n\tcp calc.sh app\n");
    commit(&place, "build");
    git(place.path(), &["tag", "v1"]);
    place.write(
        "calc.sh",
        place.read("calc.sh").replace("$1 * $2", "$1 - $2"),
    );
    commit(&place, "break");
    let needle = Place::with_needle();
    for name in ["input.txt", "interesting.sh"] {
        fs::copy(needle.file(name), place.file(name)).expect("room");
    }
    fs::create_dir(place.file("sub")).expect("room");
    fs::copy(needle.file("input.txt"), place.file("sub/input.txt")).expect("room");
    place.write("-dash.txt", "needle\n");
    place.write("old.c", "int main(void) { return 0; }\n");
    place.write("new.c", "int main(void) { return 1; }\n");
    place
}

#[test]
fn every_wrong_call_gets_its_hint() {
    let place = place();
    let faults: Vec<String> = CALLS
        .iter()
        .filter_map(|call| fault(&place, call))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What is not as the table has it.
fn fault(place: &Place, call: &WrongCall) -> Option<String> {
    let called = place.call(call.words);
    let message = format!("yester: {}\n", call.message);
    let is_told = call.message.is_empty() || called.stderr.contains(&message);
    let hints = called.stderr.lines();
    let hints: Vec<&str> = hints
        .filter_map(|line| line.strip_prefix("hint: "))
        .collect();
    let expected: &[&str] = if call.hint.is_empty() {
        &[]
    } else {
        &[call.hint]
    };
    let is_right = called.code == call.code && is_told && hints == expected;
    (!is_right).then(|| format!("{:?} exits {}\n{}", call.words, called.code, called.stderr))
}

/// What `yester.toml` says, and what is wrong with it. Whatever is called, it is told.
#[test]
fn every_wrong_setting_gets_its_hint() {
    let place = Place::with_needle();
    for (text, message, hint) in [
        (
            "timeout = \"soon\"",
            "yester.toml: invalid value 'soon' for '--timeout <TIME>': unknown unit 'soon' in 'soon'; use ms, s, m or h",
            "",
        ),
        (
            "jobs = 0",
            "yester.toml: invalid value '0' for '--jobs <N>': expected a whole number from 1 to 1000",
            "",
        ),
        (
            "quiet = \"yes\"",
            "yester.toml: 'quiet' cannot be the text \"yes\"",
            "it is on or off: quiet = true",
        ),
        (
            "verbose = \"very\"",
            "yester.toml: 'verbose' cannot be the text \"very\"",
            "it is a number: verbose = 1",
        ),
        (
            "timeout = true",
            "yester.toml: 'timeout' cannot be true",
            "it takes a value: timeout = \"...\"",
        ),
        (
            "timeout = [\"1s\", \"2s\"]",
            "yester.toml: 'timeout' cannot be a list",
            "it takes one value: timeout = \"...\"",
        ),
        (
            "[reduce]\ntimeout = \"5s\"",
            "yester.toml: unknown setting 'reduce'",
            "there are no sections: write timeout = \"5s\" without [reduce], and every command that knows it takes it",
        ),
        (
            "time-out = \"5s\"",
            "yester.toml: unknown setting 'time-out'",
            "did you mean 'timeout'?",
        ),
        (
            // A setting of another command.
            "first-parent = 7",
            "yester.toml: 'first-parent' cannot be 7",
            "it is on or off: first-parent = true",
        ),
    ] {
        place.write("yester.toml", text);
        let called = place.call(&["reduce", "input.txt", "--", "./interesting.sh", "{}"]);
        let shown = format!("{text}\n{}", called.stderr);
        assert_eq!(called.code, 2, "{shown}");
        assert!(
            called.stderr.contains(&format!("yester: {message}\n")),
            "{shown}"
        );
        let told = called
            .stderr
            .lines()
            .find_map(|line| line.strip_prefix("hint: "));
        assert_eq!(told.unwrap_or_default(), hint, "{shown}");
    }
}

#[test]
fn a_shallow_clone_says_how_to_get_the_rest() {
    let place = repository();
    let shallow = Place::new();
    let from = format!("file://{}", place.path().display());
    git(
        shallow.path(),
        &["clone", "--quiet", "--depth", "1", &from, "."],
    );
    let hint = "hint: this is a shallow clone, and older revisions are missing: git fetch --unshallow --tags gets them";
    for words in [
        &["changes", "v1", "HEAD", "--", "./test.sh"][..],
        &["explain", "v1", "HEAD", "--build", "make", "--", "./app"],
        &["flip", "v1", "--build", "make", "--", "./app"],
    ] {
        shallow.call(words).exits(2).says(hint);
    }
}

#[test]
fn a_machine_without_git_is_told_apart_from_a_place_without_a_repository() {
    let place = repository();
    let empty = Place::new();
    for (words, hint) in [
        (
            &["changes", "v1", "HEAD", "--", "/bin/true"][..],
            "hint: git is not installed, or not on the PATH: without it there are no revisions",
        ),
        (
            &["history", "--", "/bin/true"],
            "hint: git has to be installed and on the PATH",
        ),
    ] {
        let output = place.command(words).env("PATH", empty.path()).output();
        crate::place::called(output.expect("yester starts"))
            .exits(2)
            .says(hint);
    }
}

#[test]
fn a_time_may_have_several_units() {
    Place::with_needle()
        .call(&[
            "reduce",
            "input.txt",
            "--max-time",
            "1h30m",
            "--",
            "./interesting.sh",
            "{}",
        ])
        .exits(0);
}

#[test]
fn a_directory_for_the_result_is_made_when_there_is_one() {
    let place = Place::with_needle();
    let call = |output: &str, test: &str| {
        place.call(&["reduce", "input.txt", "-o", output, "--", test, "{}"])
    };
    call("out/here/small.txt", "false").exits(1);
    assert!(!place.file("out").exists());
    call("out/here/small.txt", "./interesting.sh").exits(0);
    assert_eq!(place.read("out/here/small.txt"), "needle");
    let place = repository();
    for (command, output) in [
        (&["changes", "v1", "HEAD"][..], "a/b"),
        (&["history"], "c/d"),
    ] {
        let words = |test| [command, &["-o", output, "--", test]].concat();
        place.call(&words("true")).exits(1);
        assert!(!place.file(output).exists());
        place.call(&words("./test.sh")).exits(0);
        assert!(
            Path::new(&place.file(output))
                .join("culprit.patch")
                .exists()
        );
    }
}
