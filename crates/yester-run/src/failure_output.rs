//! How the bad one of two versions fails: what it always prints and the good one does not.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::output_line::{Printed, is_announcement, pieces, shape, telling_lines};

/// The lines that show that a version fails as the bad one does.
///
/// The input of the test is the same for all versions, so values and numbers count. What differs between runs of the bad
/// version itself does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureOutput {
    expected: Vec<ExpectedLine>,
    /// The announcements of errors that are known from either version, without their numbers.
    known: BTreeSet<String>,
    /// At a step of a history: the lines of which at least one must be printed, and nothing may be that was not seen.
    step: Option<Vec<ExpectedLine>>,
    /// Whether lines may be printed at a step that were not seen, unless they stand there instead of one that was.
    is_across_history: bool,
    seen: SeenLines,
}

/// What the versions print that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SeenLines {
    texts: BTreeSet<String>,
    /// Lines like these have other numbers in every run, or in every version that passes.
    shapes: BTreeSet<String>,
    /// Whether even the lines themselves differ from run to run.
    is_unstable: bool,
}

/// A line that must be printed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ExpectedLine {
    /// As the first run printed it.
    text: String,
    /// Texts and numbers in turn, without the numbers that varied.
    pieces: Vec<Option<String>>,
}

/// How far an output is from the failure that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputDifference {
    /// These lines are missing.
    Missing(Vec<String>),
    /// A line is printed that makes it another failure: an error that neither version announces, or another value.
    Foreign(String),
}

impl FailureOutput {
    /// What every run of the bad version prints and no run of the good one.
    pub fn between(bad: &[&dyn Printed], good: &[&dyn Printed], names: &[String]) -> FailureOutput {
        let lines = |runs: &[&dyn Printed]| -> Vec<Vec<String>> {
            runs.iter().map(|run| telling_lines(*run, names)).collect()
        };
        let (bad, good) = (lines(bad), lines(good));
        let both = || bad.iter().chain(&good);
        let known = both().flatten().filter(|line| is_announcement(line));
        let good_lines = PrintedLines::new(good.iter().flatten());
        let mut expected = common(&bad);
        expected.retain(|line| !good_lines.have(line));
        FailureOutput {
            expected,
            known: known.map(|line| shape(line)).collect(),
            step: None,
            is_across_history: false,
            seen: SeenLines {
                texts: both().flatten().cloned().collect(),
                shapes: varying(&bad).union(&varying(&good)).cloned().collect(),
                is_unstable: is_unstable(&bad),
            },
        }
    }

    /// The same failure at any step of a history. There, the bad version may print more that has come later. So lines may
    /// be missing, except for those that announce the error, but none may stand there instead: a version that prints
    /// something which neither version prints has another value.
    pub fn at_any_step(&self) -> FailureOutput {
        let is_needed = |line: &&ExpectedLine| {
            if self.seen.is_unstable {
                // Whether a line stands there instead cannot be told.
                line.is_constant()
            } else {
                is_announcement(&line.text)
            }
        };
        let constant = |line: &&ExpectedLine| line.is_constant();
        let mut some: Vec<ExpectedLine> = self.expected.iter().filter(constant).cloned().collect();
        if some.is_empty() {
            some.clone_from(&self.expected);
        }
        FailureOutput {
            expected: self.expected.iter().filter(is_needed).cloned().collect(),
            step: Some(some),
            ..self.clone()
        }
    }

    /// The same failure anywhere in a history of which no version is known that passes: the same errors are announced, and no
    /// others. Other lines may be there or not, since older versions print other things, but none of a line's numbers
    /// may be others, for that is another value. If no error is announced, at least one line must be the same.
    pub fn across_history(&self) -> FailureOutput {
        FailureOutput {
            is_across_history: true,
            ..self.at_any_step()
        }
    }

    /// The same failure, where another version that passes prints this. Lines of a shape that has other numbers in every
    /// version that passes, such as a version number, say nothing about the failure.
    pub fn with_passing(&self, passing: &[&dyn Printed], names: &[String]) -> FailureOutput {
        let runs: Vec<Vec<String>> = passing
            .iter()
            .map(|run| telling_lines(*run, names))
            .collect();
        let mut failure = self.clone();
        failure.seen.shapes.extend(varying(&runs));
        failure.seen.texts.extend(runs.into_iter().flatten());
        let shapes = &failure.seen.shapes;
        failure
            .expected
            .retain(|line| !shapes.contains(&shape(&line.text)));
        failure
    }

    /// The same failure between two versions that lie closer together: what these two tell apart, as far as the bad
    /// version of this one prints it too.
    pub fn narrowed(
        &self,
        closer: FailureOutput,
        bad: &dyn Printed,
        names: &[String],
    ) -> FailureOutput {
        let bad = telling_lines(bad, names);
        let printed = PrintedLines::new(bad.iter());
        let FailureOutput {
            mut expected,
            known,
            seen,
            ..
        } = closer;
        expected.retain(|line| printed.have(line));
        if expected.is_empty() {
            expected.clone_from(&self.expected);
        }
        let mut failure = self.clone();
        failure.expected = expected;
        failure.known.extend(known);
        failure.seen.texts.extend(seen.texts);
        // Between two neighbours little changes: what neither prints is another failure.
        failure.step = Some(Vec::new());
        failure
    }

    /// Only the line that tells most, whatever its numbers are.
    pub fn loose(&self) -> FailureOutput {
        let mut headline: Vec<ExpectedLine> = self.headline_line().into_iter().cloned().collect();
        for line in &mut headline {
            line.pieces
                .iter_mut()
                .skip(1)
                .step_by(2)
                .for_each(|number| *number = None);
        }
        FailureOutput {
            expected: headline,
            ..self.clone()
        }
    }

    /// What makes the output of a run another failure than this one.
    pub fn difference(&self, printed: &dyn Printed, names: &[String]) -> Option<OutputDifference> {
        let lines = telling_lines(printed, names);
        let index = PrintedLines::new(lines.iter());
        let missing = self
            .expected
            .iter()
            .filter(|expected| !index.have(expected));
        let missing: Vec<String> = missing.map(|expected| expected.text.clone()).collect();
        if !missing.is_empty() {
            return Some(OutputDifference::Missing(missing));
        }
        let some = self.step.as_deref().unwrap_or_default();
        if !some.is_empty() && !some.iter().any(|line| index.have(line)) {
            let texts = some.iter().map(|line| line.text.clone());
            return Some(OutputDifference::Missing(texts.collect()));
        }
        let is_replaced = |line: &String| {
            let shape_of_line = shape(line);
            let is_gone = |lost: &&ExpectedLine| {
                lost.is_constant() && shape(&lost.text) == shape_of_line && !index.have(lost)
            };
            some.iter().any(|expected| is_gone(&expected))
        };
        let is_foreign = |line: &&String| {
            let is_error = is_announcement(line) && !self.known.contains(&shape(line));
            let is_new = || self.step.is_some() && !self.is_known(line);
            is_error || is_new() && (!self.is_across_history || is_replaced(line))
        };
        let foreign = lines.iter().find(is_foreign);
        foreign.map(|line| OutputDifference::Foreign(line.clone()))
    }

    /// Whether either version prints a line, but for numbers that mean nothing.
    fn is_known(&self, line: &str) -> bool {
        let SeenLines {
            texts,
            shapes,
            is_unstable,
        } = &self.seen;
        *is_unstable || texts.contains(line) || shapes.contains(&shape(line))
    }

    /// The line that tells people most: the first that announces an error, or else the first that is always the same.
    pub fn headline(&self) -> Option<&str> {
        self.headline_line().map(|line| line.text.as_str())
    }

    fn headline_line(&self) -> Option<&ExpectedLine> {
        let announced = |line: &&ExpectedLine| is_announcement(&line.text);
        let some = self.step.as_deref().unwrap_or_default();
        let lines = || self.expected.iter().chain(some);
        let line = lines().find(announced);
        line.or_else(|| lines().find(|line| line.is_constant()))
            .or_else(|| lines().next())
    }

    /// How many lines must be printed.
    pub fn len(&self) -> usize {
        self.expected.len()
    }

    /// Whether no line has to be printed.
    pub fn is_empty(&self) -> bool {
        self.expected.is_empty()
    }
}

impl ExpectedLine {
    fn new(text: &str) -> ExpectedLine {
        ExpectedLine {
            text: text.to_owned(),
            pieces: pieces(text)
                .into_iter()
                .map(|piece| Some(piece.to_owned()))
                .collect(),
        }
    }

    fn is_constant(&self) -> bool {
        self.pieces.iter().all(Option::is_some)
    }

    fn matches(&self, line: &str) -> bool {
        let others = pieces(line);
        self.pieces.len() == others.len()
            && self
                .pieces
                .iter()
                .zip(others)
                .all(|(piece, other)| piece.as_ref().is_none_or(|piece| piece == other))
    }

    /// Forgets the numbers that another run has printed otherwise.
    fn vary(&mut self, line: &str) {
        for (piece, other) in self.pieces.iter_mut().zip(pieces(line)) {
            piece.take_if(|piece| piece != other);
        }
    }
}

/// The lines of an output, found without going through all of them.
struct PrintedLines<'a> {
    texts: HashSet<&'a str>,
    shapes: HashMap<String, Vec<&'a str>>,
}

impl<'a> PrintedLines<'a> {
    fn new(lines: impl Iterator<Item = &'a String>) -> Self {
        let mut index = PrintedLines {
            texts: HashSet::new(),
            shapes: HashMap::new(),
        };
        for line in lines {
            if index.texts.insert(line) {
                index.shapes.entry(shape(line)).or_default().push(line);
            }
        }
        index
    }

    fn have(&self, expected: &ExpectedLine) -> bool {
        if self.texts.contains(expected.text.as_str()) {
            return true;
        }
        !expected.is_constant()
            && self
                .shapes
                .get(&shape(&expected.text))
                .is_some_and(|lines| lines.iter().any(|line| expected.matches(line)))
    }
}

/// The shapes of which every run prints one line, with other numbers in some of them.
fn varying(runs: &[Vec<String>]) -> BTreeSet<String> {
    let mut texts: BTreeMap<String, BTreeSet<&String>> = BTreeMap::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for lines in runs {
        for line in lines {
            texts.entry(shape(line)).or_default().insert(line);
            *counts.entry(shape(line)).or_default() += 1;
        }
    }
    let varies = |shape: &String| texts[shape].len() > 1 && counts[shape] == runs.len();
    let shapes = texts.keys().filter(|shape| varies(shape));
    shapes.cloned().collect()
}

/// Whether one run prints lines of which another prints nothing alike.
fn is_unstable(runs: &[Vec<String>]) -> bool {
    let shapes = |lines: &Vec<String>| {
        lines
            .iter()
            .map(|line| shape(line))
            .collect::<BTreeSet<_>>()
    };
    runs.windows(2)
        .any(|pair| shapes(&pair[0]) != shapes(&pair[1]))
}

/// The lines that all runs print, whatever numbers vary in them, each once.
fn common(runs: &[Vec<String>]) -> Vec<ExpectedLine> {
    let Some((first, others)) = runs.split_first() else {
        return Vec::new();
    };
    let others: Vec<PrintedLines<'_>> = others
        .iter()
        .map(|lines| PrintedLines::new(lines.iter()))
        .collect();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut seen = BTreeSet::new();
    let mut common = Vec::new();
    for line in first.iter().filter(|line| seen.insert(line.as_str())) {
        let shape = shape(line);
        let place = places.entry(shape.clone()).or_default();
        let mut expected = ExpectedLine::new(line);
        let is_in_all = others.iter().all(|other| {
            if other.texts.contains(line.as_str()) {
                return true;
            }
            // Of several lines of one shape, those at the same place are the same line.
            let alike = other.shapes.get(&shape).and_then(|alike| alike.get(*place));
            if let Some(alike) = alike {
                expected.vary(alike);
            }
            alike.is_some()
        });
        *place += 1;
        if is_in_all {
            common.push(expected);
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Recorder;
    use crate::{Ending, Observation};

    fn printed(stdout: &str) -> Observation {
        let mut recorder = Recorder::default();
        recorder.push(stdout.as_bytes());
        Observation {
            stdout: recorder.finish(),
            ..Observation::unseen(Ending::Exit(1))
        }
    }

    fn failure(bad: &[&str], good: &str) -> FailureOutput {
        let bad: Vec<Observation> = bad.iter().map(|text| printed(text)).collect();
        let bad: Vec<&dyn Printed> = bad.iter().map(|run| run as &dyn Printed).collect();
        FailureOutput::between(&bad, &[&printed(good)], &[])
    }

    fn is_same(failure: &FailureOutput, text: &str) -> bool {
        failure.difference(&printed(text), &[]).is_none()
    }

    #[test]
    fn values_tell_one_failure_from_another() {
        let failure = failure(&["start\nwrong model: 8\n"], "start\nfine\n");
        assert!(is_same(&failure, "hello\nwrong model: 8\n"));
        assert!(!is_same(&failure, "start\nwrong model: 1\n"));
        assert!(!is_same(&failure, "start\n"));
    }

    #[test]
    fn an_error_that_neither_version_announces_is_another_failure() {
        let failure = failure(&["got FAIL\n"], "got PASS\n");
        assert!(is_same(&failure, "got FAIL\nlooking around\n"));
        let other = printed("got FAIL\nSyntaxError: Unexpected identifier\n");
        assert_eq!(
            failure.difference(&other, &[]),
            Some(OutputDifference::Foreign(
                "SyntaxError: Unexpected identifier".to_owned()
            ))
        );
    }

    #[test]
    fn errors_that_the_good_version_prints_too_are_known() {
        let failure = failure(&["error: 3 left\nsum is 5\n"], "error: 9 left\nsum is 4\n");
        assert!(is_same(&failure, "error: 3 left\nsum is 5\n"));
    }

    #[test]
    fn numbers_that_vary_between_runs_of_the_bad_version_do_not_count() {
        let failure = failure(
            &[
                "step 1 of 3\nwrong 5 after 17\nid 4\n",
                "step 1 of 3\nwrong 5 after 21\nid 9\n",
            ],
            "",
        );
        assert!(is_same(&failure, "step 1 of 3\nwrong 5 after 99\nid 1\n"));
        assert!(!is_same(&failure, "step 1 of 3\nwrong 6 after 17\nid 1\n"));
        assert!(!is_same(&failure, "step 2 of 3\nwrong 5 after 17\nid 1\n"));
    }

    #[test]
    fn lines_that_are_not_always_printed_do_not_count() {
        let failure = failure(&["sum is 5\ncache is warm\n", "sum is 5\n"], "");
        assert!(is_same(&failure, "sum is 5\n"));
        assert_eq!(failure.len(), 1);
    }

    #[test]
    fn at_a_step_of_a_history_lines_may_be_missing_but_not_replaced() {
        let bad = "new feature\nERROR: wrong\nvalue 27\n";
        let failure = failure(&[bad], "fine\n");
        assert!(!is_same(&failure, "ERROR: wrong\nvalue 27\n"));
        let step = failure.at_any_step();
        assert!(is_same(&step, "ERROR: wrong\nvalue 27\n"));
        assert!(is_same(&step, "fine\nERROR: wrong\n"));
        assert!(!is_same(&step, "ERROR: wrong\nvalue 24\n"));
        assert!(!is_same(&step, "ERROR: wrong\nit is odd\n"));
        assert!(!is_same(&step, "new feature\nvalue 27\n"));
        assert_eq!(failure.headline(), Some("ERROR: wrong"));
    }

    #[test]
    fn across_a_history_other_lines_may_come_and_go_but_values_stay() {
        let bad = "building 12 files\nERROR: wrong\nvalue 27\n";
        let failure = failure(&[bad], "").across_history();
        assert!(is_same(&failure, "cc old.c\nERROR: wrong\nvalue 27\n"));
        assert!(is_same(&failure, "ERROR: wrong\n"));
        assert!(!is_same(&failure, "building 12 files\nvalue 27\n"));
        assert!(!is_same(&failure, "ERROR: wrong\nvalue 26\n"));
        assert!(!is_same(
            &failure,
            "ERROR: wrong\nvalue 27\nError: no module\n"
        ));
    }

    #[test]
    fn without_an_announcement_at_least_one_line_of_the_failure_is_there() {
        let step = failure(&["adding 3\ngot 24\n"], "got 21\n").at_any_step();
        assert!(is_same(&step, "got 24\n"));
        assert!(!is_same(&step, "got 23\n"));
        assert!(!is_same(&step, ""));
    }

    #[test]
    fn numbers_that_differ_between_versions_that_pass_do_not_count() {
        let wide = failure(&["release 7\ngot 24\n"], "release 1\ngot 21\n");
        let (one, other) = (
            printed("release 1\ngot 21\n"),
            printed("release 4\ngot 21\n"),
        );
        let wide = wide.with_passing(&[&one, &other], &[]);
        assert!(is_same(&wide, "release 5\ngot 24\n"));
        assert!(is_same(&wide.at_any_step(), "release 5\ngot 24\n"));
        assert!(!is_same(&wide.at_any_step(), "release 7\ngot 25\n"));
    }

    #[test]
    fn the_loose_rule_keeps_one_line_without_its_numbers() {
        let loose = failure(&["adding 3\nerror: got 24 of 7\n"], "").loose();
        assert!(is_same(&loose, "error: got 5 of 9\n"));
        assert!(!is_same(&loose, "adding 3\n"));
    }

    #[test]
    fn one_number_in_ten_thousand_lines_makes_another_failure() {
        let lines = |odd: u32| -> String {
            let line =
                |line: u32| format!("line {line} is {}\n", if line == 777 { odd } else { 1 });
            (0..10_000).map(line).collect()
        };
        // A recorder keeps the beginning and the end of an output, and this line is near the beginning.
        let failure = failure(&[&lines(1), &lines(1)], "nothing\n");
        assert!(is_same(&failure, &lines(1)));
        assert!(!is_same(&failure, &lines(2)));
    }

    #[test]
    fn between_closer_versions_only_what_the_bad_one_prints_too_counts() {
        let bad = printed("total 7\nnew line\n");
        let wide = failure(&["total 7\nnew line\n"], "total 6\n");
        let close = failure(&["total 7\nold line\n"], "total 6\n");
        let narrowed = wide.narrowed(close, &bad, &[]);
        assert!(is_same(&narrowed, "total 7\n"));
        assert!(!is_same(&narrowed, "old line\n"));
    }

    #[test]
    fn what_is_printed_by_nobody_else_may_be_nothing() {
        let failure = failure(&[""], "fine\n");
        assert!(failure.is_empty());
        assert!(is_same(&failure, "anything\n"));
        assert!(!is_same(&failure, "sh: 1: prog: not found\n"));
    }
}
