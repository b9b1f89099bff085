use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::output_line::without_colours;
use crate::{Ending, Observation};

/// *How* a run failed, so that another bug is never taken for this one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signature {
    /// The exit code or the signal.
    pub ending: Ending,
    /// The line of the output that says most about the failure, with everything masked that changes from run to run
    /// or with the input. Nothing when no line says anything.
    pub line: Option<String>,
}

impl Signature {
    /// The signature of a failed run. `names` are the paths and names under which the candidate went.
    pub fn of(observation: &Observation, names: &[String]) -> Signature {
        let line = telling_line(&observation.stderr.text(), names)
            .or_else(|| telling_line(&observation.stdout.text(), names));
        Signature {
            ending: observation.ending.clone(),
            line,
        }
    }

    /// The same with all of the line, but for what changes from run to run. Where no line announces a failure, the last
    /// one that was printed says most.
    pub fn with_whole_line(observation: &Observation, names: &[String]) -> Signature {
        let outputs = [&observation.stderr, &observation.stdout].map(|output| output.text());
        let announced = outputs.iter().find_map(|text| whole_line(text, names));
        let line = announced.or_else(|| outputs.iter().find_map(|text| last_line(text, names)));
        Signature {
            ending: observation.ending.clone(),
            line,
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.line {
            Some(line) => write!(formatter, "{}, \"{line}\"", self.ending),
            None => self.ending.fmt(formatter),
        }
    }
}

/// How failures announce themselves, the most telling first.
///
/// The first group speaks of places inside the failing program, so its words are kept. The second often quotes the
/// input, so that quotations and numbers are masked: a smaller input has others.
static ANNOUNCEMENTS: LazyLock<Vec<(Regex, Quotes)>> = LazyLock::new(|| {
    [
        (
            r"(Address|Leak|Memory|Thread|UndefinedBehavior)Sanitizer: \S+",
            Quotes::Keep,
        ),
        (r"runtime error: ", Quotes::Keep),
        (r"(?i)\bassert(ion)?\b.*\bfail", Quotes::Keep),
        (r"\bpanicked at\b|^panic: ", Quotes::Keep),
        (
            r"(?i)internal (compiler )?error|terminate called|stack overflow|unreachable",
            Quotes::Keep,
        ),
        (
            r"^([A-Za-z_][\w]*\.)*[A-Z]\w*(Error|Exception|Interrupt|Exit|Warning)\b",
            Quotes::Mask,
        ),
        (
            r"^Exception in thread|^Unhandled exception|^Uncaught ",
            Quotes::Mask,
        ),
        (r"(?i)\bfatal\b", Quotes::Mask),
        (r"(?i)\berror\b\s*(\[\w+\])?:", Quotes::Mask),
    ]
    .into_iter()
    .map(|(pattern, quotes)| (Regex::new(pattern).expect("a constant"), quotes))
    .collect()
});

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Keep,
    Mask,
}

/// No whole line is kept beyond this: it quotes the input.
const LONGEST_LINE: usize = 2000;

fn whole_line(text: &str, names: &[String]) -> Option<String> {
    let text = &without_colours(text);
    let mut announcements = ANNOUNCEMENTS.iter();
    let line = announcements
        .find_map(|(announcement, _)| text.lines().find(|line| announcement.is_match(line)))?;
    Some(
        mask(line.trim(), names)
            .chars()
            .take(LONGEST_LINE)
            .collect(),
    )
}

fn last_line(text: &str, names: &[String]) -> Option<String> {
    let text = &without_colours(text);
    let line = text.lines().rfind(|line| !line.trim().is_empty())?;
    Some(
        mask(line.trim(), names)
            .chars()
            .take(LONGEST_LINE)
            .collect(),
    )
}

fn telling_line(text: &str, names: &[String]) -> Option<String> {
    let text = &without_colours(text);
    ANNOUNCEMENTS.iter().find_map(|(announcement, quotes)| {
        let line = text.lines().find(|line| announcement.is_match(line))?;
        let mut line = mask(line.trim(), names).into_owned();
        if *quotes == Quotes::Mask {
            line = QUOTATIONS.replace_all(&line, "'…'").into_owned();
            line = NUMBERS.replace_all(&line, "N").into_owned();
        }
        // Room for a long message, but not for a quoted input.
        Some(line.chars().take(300).collect())
    })
}

static QUOTATIONS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"'[^']*'|"[^"]*"|‘[^’]*’|`[^`']*[`']"#).expect("a constant"));
static NUMBERS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b\d+\b").expect("a constant"));

/// What changes from one run to the next though nothing has changed, and what to put in its place.
static CHANGING: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    [
        (r"\b0x[0-9a-fA-F]{7,}\b", "0xN"),
        (r"\baddress 0x[0-9a-fA-F]+\b", "address 0xN"),
        (r"==\d+==", "==PID=="),
        (r"(?i)\b(pid|tid|process|thread)([ =:#]+)\d+\b", "${1}${2}N"),
        (r"(thread '[^']*') \(\d+\)", "${1}"),
        (r"\[\d+\]", "[N]"),
        (r"\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?", "DATE"),
        (r"\b\d\d:\d\d:\d\d(\.\d+)?\b", "TIME"),
        (
            r"\b\d+(\.\d+)?\s?(ns|us|µs|ms|s|sec|secs|seconds)\b",
            "DURATION",
        ),
        (r"/tmp/[^\s:,;()'`]+", "TEMPORARY"),
        (
            r"(?i)\b(line|column|col|offset|position|byte|char|character|index)([ :=#]+)\d+\b",
            "${1}${2}N",
        ),
    ]
    .into_iter()
    .map(|(pattern, replacement)| (Regex::new(pattern).expect("a constant"), replacement))
    .collect()
});

fn mask<'a>(line: &'a str, names: &[String]) -> Cow<'a, str> {
    let mut line = mask_names(line, names);
    for (pattern, replacement) in CHANGING.iter() {
        if pattern.is_match(&line) {
            line = Cow::Owned(pattern.replace_all(&line, *replacement).into_owned());
        }
    }
    line
}

/// The line with `{}` for the paths and names of the candidate. A position in it goes too: it moves when the candidate
/// changes.
pub(crate) fn mask_names<'a>(line: &'a str, names: &[String]) -> Cow<'a, str> {
    let mut line = Cow::Borrowed(line);
    for name in names {
        if name.is_empty() || !line.contains(name.as_str()) {
            continue;
        }
        let mut parts = line.split(name.as_str());
        let mut masked = parts.next().unwrap_or_default().to_owned();
        for rest in parts {
            let position = POSITION.find(rest).map_or(0, |found| found.end());
            masked.push_str("{}");
            masked.push_str(&rest[position..]);
        }
        line = Cow::Owned(masked);
    }
    line
}

static POSITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^(:\d+)+|^\(\d+(,\d+)?\)|^"?,? line \d+"#).expect("a constant"));

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Option<String> {
        telling_line(
            text,
            &["/tmp/yester-1/work/in.c".to_owned(), "in.c".to_owned()],
        )
    }

    #[test]
    fn the_same_failure_has_the_same_line_at_another_place_of_a_smaller_input() {
        for (one, other) in [
            (
                "in.c:3:5: error: 'alpha' undeclared",
                "in.c:1:2: error: 'b' undeclared",
            ),
            (
                "/tmp/yester-1/work/in.c:30: fatal error: x",
                "/tmp/yester-1/work/in.c:4: fatal error: x",
            ),
            (
                "==12==ERROR: AddressSanitizer: SEGV on unknown address 0x0010",
                "==7==ERROR: AddressSanitizer: SEGV on unknown address 0xff",
            ),
            (
                "thread 'main' (4711) panicked at src/lib.rs:3:9:",
                "thread 'main' (12) panicked at src/lib.rs:3:9:",
            ),
            (
                "Traceback:\n  x\nValueError: bad literal 'abcdef' at line 12",
                "Traceback:\nValueError: bad literal 'a' at line 1",
            ),
        ] {
            assert!(line(one).is_some(), "{one}");
            assert_eq!(line(one), line(other));
        }
    }

    #[test]
    fn different_failures_have_different_lines() {
        for (one, other) in [
            (
                "jq: src/jv_unicode.c:101: encode: Assertion `0 <= c' failed.",
                "jq: src/jv.c:9: get: Assertion `0 <= c' failed.",
            ),
            (
                "thread 'main' panicked at src/lib.rs:3:9:",
                "thread 'main' panicked at src/lib.rs:8:9:",
            ),
            (
                "in.c:1:1: error: expected ';'",
                "in.c:1:1: error: unknown type name 'x'",
            ),
            ("KeyError: 'x'", "ValueError: 'x'"),
        ] {
            assert_ne!(line(one), line(other));
        }
    }

    #[test]
    fn the_most_telling_line_wins_wherever_it_stands() {
        let text = "error: cannot do it\nnote: 5 things\nprog.c:10: f: Assertion `x > 0' failed.\n";
        assert_eq!(
            line(text).as_deref(),
            Some("prog.c:10: f: Assertion `x > 0' failed.")
        );
    }

    #[test]
    fn a_candidate_may_be_called_like_its_own_mask() {
        assert_eq!(
            telling_line("error: {} bad {}:3", &["{}".to_owned()]).as_deref(),
            Some("error: {} bad {}")
        );
        assert_eq!(
            telling_line("error: { bad", &["{".to_owned()]).as_deref(),
            Some("error: {} bad")
        );
    }

    #[test]
    fn a_whole_line_keeps_its_quotations_and_numbers_but_no_place() {
        let names = ["in.js".to_owned()];
        let text = "in.js:7\nnull.d\n\nTypeError: null (reading 'd'), 3 times, at line 7\n";
        assert_eq!(
            whole_line(text, &names).as_deref(),
            Some("TypeError: null (reading 'd'), 3 times, at line N")
        );
        assert_eq!(whole_line("hello\n", &names), None);
        assert_eq!(
            last_line("hello\nin.js:7: 3 left\n\n", &names).as_deref(),
            Some("{}: 3 left")
        );
    }

    #[test]
    fn output_that_announces_nothing_gives_no_line() {
        assert_eq!(line("hello\nworld 12\n"), None);
    }
}
