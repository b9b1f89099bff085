//! The lines of an output that can tell one failure from another.
//!
//! Between two versions of a program the code moves and changes, though the failure stays the same. So the frames of
//! stack traces and quoted source lines do not count, nor do the tests that pass and the totals of test runners.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::signature::mask_names;
use crate::{Observation, Output};

/// The lines of both streams that can tell one failure from another, in order. What changes from run to run is masked;
/// other values and numbers are kept. `names` are the paths and names of files in the candidate's tree.
pub(crate) fn telling_lines(printed: &dyn Printed, names: &[String]) -> Vec<String> {
    printed
        .streams()
        .iter()
        .flat_map(|text| of_stream(text, names))
        .collect()
}

/// What a run has printed, or the beginning and the end of it.
pub trait Printed {
    /// The complaints, then the rest.
    fn streams(&self) -> [Cow<'_, str>; 2];
}

impl Printed for Observation {
    fn streams(&self) -> [Cow<'_, str>; 2] {
        [self.stderr.text(), self.stdout.text()]
    }
}

impl Printed for Output {
    fn streams(&self) -> [Cow<'_, str>; 2] {
        [Cow::Borrowed(&self.stderr), Cow::Borrowed(&self.stdout)]
    }
}

fn of_stream(text: &str, names: &[String]) -> Vec<String> {
    let text = without_colours(text);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let told = without_places(&lines, names);
    lines
        .iter()
        .zip(told)
        .filter(|(line, is_told)| *is_told && !line.is_empty() && !NO_FAILURE.is_match(line))
        .map(|(line, _)| normal(line, names))
        .collect()
}

/// The text without what makes it coloured on a terminal.
pub(crate) fn without_colours(text: &str) -> Cow<'_, str> {
    COLOURS.replace_all(text, "")
}

/// The line without what changes from one run of the same program to the next.
fn normal(line: &str, names: &[String]) -> String {
    let mut line = mask_names(line, names);
    for (pattern, replacement) in CHANGING.iter() {
        if pattern.is_match(&line) {
            line = Cow::Owned(pattern.replace_all(&line, *replacement).into_owned());
        }
    }
    if TOTALS.is_match(&line) {
        return shape(&line);
    }
    line.into_owned()
}

/// The line without its numbers.
pub(crate) fn shape(line: &str) -> String {
    NUMBER.replace_all(line, "N").into_owned()
}

/// The texts between the numbers of a line and the numbers themselves, in turn: first a text, which may be empty.
pub(crate) fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut end = 0;
    for number in NUMBER.find_iter(line) {
        pieces.extend([&line[end..number.start()], number.as_str()]);
        end = number.end();
    }
    pieces.push(&line[end..]);
    pieces
}

/// Whether a line announces an error of the program, of an interpreter, of a compiler or of the shell.
pub(crate) fn is_announcement(line: &str) -> bool {
    ANNOUNCEMENTS.is_match(line)
}

/// The lines of an output that announce errors, without what changes from run to run.
pub fn announcements(printed: &dyn Printed, names: &[String]) -> Vec<String> {
    let lines = telling_lines(printed, names).into_iter();
    lines.filter(|line| is_announcement(line)).collect()
}

/// Which lines are more than a place in the code: no frames of stack traces and no quoted source.
///
/// The first frames of a Python trace stay if they are in files of the tree that are the same in all versions, such as the
/// test: they tell one assertion from another.
fn without_places(lines: &[&str], names: &[String]) -> Vec<bool> {
    let mut told = vec![true; lines.len()];
    let mut in_frame = false;
    let mut in_test = false;
    let mut in_pytest_failure = false;
    for (index, line) in lines.iter().enumerate() {
        let next = lines.get(index + 1).copied().unwrap_or_default();
        if let Some(title) = PYTEST_SECTION.captures(line) {
            in_pytest_failure = matches!(&title[1], "FAILURES" | "ERRORS");
        }
        if line.starts_with("Traceback ") {
            in_test = true;
        }
        // Further in, which frames there are depends on the code.
        in_test &= !PYTHON_FRAME.is_match(line) || is_fixed_place(line, names);
        let is_python_frame = PYTHON_FRAME.is_match(line) && !in_test;
        let is_quoted_by_frame = in_frame && line.starts_with("    ");
        in_frame = is_python_frame || is_quoted_by_frame;
        let is_in_go_frame = GO_PLACE.is_match(next);
        let is_in_rust_frame = RUST_FRAME.is_match(line) && JAVASCRIPT_FRAME.is_match(next);
        // pytest shows the source of the test around what went wrong.
        let is_around_pytest = in_pytest_failure && !line.starts_with("E ");
        if is_python_frame
            || is_quoted_by_frame
            || is_in_go_frame
            || is_in_rust_frame
            || is_around_pytest
            || FRAMES.is_match(line)
        {
            told[index] = false;
        }
        if CARETS.is_match(line) {
            told[index] = false;
            if let Some(before) = index.checked_sub(1) {
                told[before] = false;
            }
        }
        // The lines next to where a long output was cut are not whole.
        if *line == "[…]" {
            let around = index.saturating_sub(1)..(index + 2).min(lines.len());
            told[around].fill(false);
        }
    }
    // A quotation with line numbers, one of which is marked.
    let mut start = 0;
    while start < lines.len() {
        let length = lines[start..]
            .iter()
            .take_while(|line| GUTTER.is_match(line))
            .count();
        let block = start..start + length;
        if lines[block.clone()].iter().any(|line| MARK.is_match(line)) {
            told[block].fill(false);
        }
        start += length.max(1);
    }
    told
}

/// Whether a line names a place in a file of the tree that no version changes.
fn is_fixed_place(line: &str, names: &[String]) -> bool {
    let is_directory = |name: &&String| name.starts_with('/');
    let mut directories = names.iter().filter(is_directory);
    let mut changed = names.iter().filter(|name| !is_directory(name));
    directories.any(|directory| line.contains(directory.as_str()))
        && !changed.any(|name| line.contains(name.as_str()))
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant")
}

fn set(patterns: &[&str]) -> RegexSet {
    RegexSet::new(patterns).expect("constants")
}

/// What makes text coloured on a terminal.
static COLOURS: LazyLock<Regex> = LazyLock::new(|| regex(r"\x1b\[[0-9;]*m"));

static NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"[0-9]+"));

static PYTHON_FRAME: LazyLock<Regex> = LazyLock::new(|| regex(r#"^\s*File ".*", line \d+"#));
static GO_PLACE: LazyLock<Regex> = LazyLock::new(|| regex(r"^\t\S+\.go:\d+"));
static RUST_FRAME: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s+\d+: "));
static JAVASCRIPT_FRAME: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s+at .*(\(|:\d+)"));
static PYTEST_SECTION: LazyLock<Regex> = LazyLock::new(|| regex(r"^=+ (.+?) =+$"));

/// Frames of stack traces that are told by themselves.
static FRAMES: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        // JavaScript, Java and C#; Rust's places.
        r"^\s+at .*(\(|:\d+)",
        r"^\s+\.\.\. \d+ more$",
        // Sanitizers and gdb.
        r"^\s*#\d+\s+(0x|\S+ \()",
        // Ruby.
        r"^\s+from .*:\d+:in ",
        // Go.
        r"^goroutine \d+ \[",
        r"^\t\S+\.go:\d+",
        r"^created by \S+ in goroutine",
        // A place and nothing else, as node prints it above an error.
        r"^\S+\.\w+:\d+(:\d+)?$",
    ])
});

/// A line that points at the line above it.
static CARETS: LazyLock<Regex> = LazyLock::new(|| regex(r"^[\s|~]*\^[\s~^]*$"));
static GUTTER: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*>?\s*\d*\s+\|"));
static MARK: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*>\s*\d+\s+\||^\s*\|\s*\^"));

/// What test runners print about tests that pass, or before they know.
static NO_FAILURE: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"^\s*ok \d+\b",
        r"^\s*(✓|✔|√)",
        r"\.\.\. (ok|skipped.*)$",
        r"^(PASS|PASSED|=== RUN|--- PASS|\[ +(OK|RUN|PASSED) +\])\b?",
        r"\bPASSED( +\[ *\d+%\])?$",
        r"^\d+\.\.\d+$",
        // What a compiler says about code that it accepts.
        r": (warning|note|remark)(:| )",
        r"^\S+: (In|At) (\w+ )*(function|method|scope|constructor|lambda)\b",
        r"^(In file included| {17}) from ",
        // The line of dots that pytest and unittest print on the way.
        r"^(\S+ )?[.FEsxXuf]+(\s+\[ *\d+%\])?$",
    ])
});

/// The totals of test runners: other tests may come and go.
static TOTALS: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"^Ran \d+ tests?\b",
        r"^(=+ )?collected \d+ items?\b",
        r"^FAILED \((failures|errors)=",
        r"^=+ .*\b\d+ (passed|failed|errors?)\b.* =+$",
        r"^\s*\d+ (passed|failed|passing|failing)\b",
        r"^# (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ",
        r"^(Tests|Test Suites|Snapshots|Time): ",
        r"^test result: ",
        r"^Tests run: ",
        r"^\d+ examples?, ",
        r"^\s*not ok \d+\b",
    ])
});

/// What changes from one run to the next though nothing has changed, and what to put in its place.
static CHANGING: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    [
        (r"\b0x[0-9a-fA-F]{7,}\b", "0xADDRESS"),
        (
            r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
            "UUID",
        ),
        (r"==\d+==", "==PID=="),
        (r"(thread '[^']*') \(\d+\)", "${1}"),
        (
            r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?",
            "TIME",
        ),
        (r"^\[?\d\d:\d\d:\d\d([.,]\d+)?\]?", "TIME"),
        (
            r"\b\d+(\.\d+)?\s?(ns|us|µs|ms|s|sec|secs|seconds)\b",
            "DURATION",
        ),
        (r"/tmp/[^\s:,;()'`]+", "TEMPORARY"),
    ]
    .into_iter()
    .map(|(pattern, replacement)| (regex(pattern), replacement))
    .collect()
});

/// How programs, interpreters, compilers and shells announce an error.
static ANNOUNCEMENTS: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        r"(Address|Leak|Memory|Thread|UndefinedBehavior)Sanitizer: ",
        r"runtime error: ",
        r"(?i)\bassert(ion)?\b.*\bfail",
        r"\bpanicked at\b|^panic: ",
        r"(?i)internal (compiler )?error|terminate called|stack overflow",
        r"^(E\s+|Uncaught |Caused by: )?([A-Za-z_]\w*\.)*[A-Z]\w*(Error|Exception)\b",
        r"^Exception in thread|^Unhandled exception",
        r"(?i)\bfatal( error)?:",
        r"(?i)(^|[\s:])error(\[\w+\])?:",
        r"(?i)command not found|: not found$|cannot find module|segmentation fault|undefined symbol",
        r"No such file or directory|cannot open shared object",
    ])
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ending;
    use crate::capture::Recorder;

    fn told(text: &str) -> Vec<String> {
        let mut recorder = Recorder::default();
        recorder.push(text.as_bytes());
        let observation = Observation {
            stderr: recorder.finish(),
            ..Observation::unseen(Ending::Exit(1))
        };
        let names = ["/work/0/tree".to_owned(), "price.py".to_owned()];
        telling_lines(&observation, &names)
    }

    #[test]
    fn frames_and_quoted_source_do_not_count() {
        let python = "Traceback (most recent call last):\n  File \"/work/0/tree/t.py\", line 3, in <module>\n    \
                      f(1)\n    ~^^^\n  File \"x.py\", line 9, in f\n    return g(\nValueError: wrong model: 8\n";
        assert_eq!(
            told(python),
            [
                "Traceback (most recent call last):",
                "  File \"{}/t.py\", line 3, in <module>",
                "ValueError: wrong model: 8"
            ]
        );
        let node = "/work/0/tree/t.js:12\n    throw new Error('x');\n    ^\n\nError: x is 3\n    at f (/work/0/tree/t.js:12:9)\n    \
                    at node:internal/main/run_main_module:28:49\n\nNode.js v20.1.0\n";
        assert_eq!(told(node), ["Error: x is 3", "Node.js v20.1.0"]);
        let gcc = "a.c: In function 'f':\na.c:3:5: error: 'x' undeclared\n    3 |     x = 1;\n      |     ^\n";
        assert_eq!(told(gcc), ["a.c:3:5: error: 'x' undeclared"]);
        let warning = "a.c:3:5: warning: unused variable 'x' [-Wunused]\n    3 |     int x;\n      |         ^\nsum is 3\n";
        assert_eq!(told(warning), ["sum is 3"]);
        let rust = "stack backtrace:\n   0: std::begin\n             at /rustc/x.rs:3:5\n   1: main::f\n             at ./src/main.rs:3\n";
        assert_eq!(told(rust), ["stack backtrace:"]);
        let go = "panic: boom 7\n\ngoroutine 1 [running]:\nmain.f(...)\n\t/work/m.go:5 +0x1d\n";
        assert_eq!(told(go), ["panic: boom 7"]);
        let pytest = "=== FAILURES ===\n___ test_x ___\n\n    def test_x():\n>       assert f() == 3\nE       assert 4 == 3\n\
                      t.py:5: AssertionError\n=== short test summary info ===\nFAILED t.py::test_x - assert 4 == 3\n";
        assert_eq!(
            told(pytest),
            [
                "E       assert 4 == 3",
                "=== short test summary info ===",
                "FAILED t.py::test_x - assert 4 == 3"
            ]
        );
    }

    #[test]
    fn tables_and_lists_of_values_do_count() {
        let table = "   1 | apple\n   2 | pear\n  3: plum\nat noon\n";
        assert_eq!(
            told(table),
            ["   1 | apple", "   2 | pear", "  3: plum", "at noon"]
        );
    }

    #[test]
    fn values_stay_and_what_changes_by_itself_goes() {
        for (line, normal) in [
            ("error: the sum is 2727", "error: the sum is 2727"),
            ("/work/0/tree/price.py:7: bad value 8", "{}/{}: bad value 8"),
            ("at 0x7f00deadbeef in 12 ms", "at 0xADDRESS in DURATION"),
            (
                "[12:30:01] wrong date 2026-03-06",
                "TIME wrong date 2026-03-06",
            ),
            ("Ran 57 tests in 0.012s", "Ran N tests in DURATION"),
        ] {
            assert_eq!(told(line), [normal]);
        }
    }

    #[test]
    fn tests_that_pass_do_not_count() {
        let output = "ok 1 - a\nnot ok 2 - b\ntest_x (t.T) ... ok\n1..2\n  ✓ adds\nt.py::test_a PASSED [ 50%]\n";
        assert_eq!(told(output), ["not ok N - b"]);
    }

    #[test]
    fn errors_are_told_from_other_lines() {
        for line in [
            "SyntaxError: Unexpected identifier",
            "a.c:3:5: error: 'x' undeclared",
            "sh: 1: foo: not found",
            "Error: Cannot find module './x'",
            "thread 'main' panicked at src/lib.rs:3:9:",
        ] {
            assert!(is_announcement(line), "{line}");
        }
        for line in [
            "got FAIL",
            "DeprecationWarning: old",
            "0 errors",
            "wrong model: 8",
        ] {
            assert!(!is_announcement(line), "{line}");
        }
    }
}
