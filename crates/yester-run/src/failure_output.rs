//! How the bad one of two versions fails: what it always prints and the good one does not.

use std::collections::{BTreeSet, HashMap};

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
    /// An error is announced that neither version announces.
    Foreign(String),
}

impl FailureOutput {
    /// What every run of the bad version prints and no run of the good one.
    pub fn between(bad: &[&dyn Printed], good: &[&dyn Printed], names: &[String]) -> FailureOutput {
        let lines = |runs: &[&dyn Printed]| -> Vec<Vec<String>> {
            runs.iter().map(|run| telling_lines(*run, names)).collect()
        };
        let (bad, good) = (lines(bad), lines(good));
        let announced = bad.iter().chain(&good).flatten();
        let known = announced
            .filter(|line| is_announcement(line))
            .map(|line| shape(line))
            .collect();
        let mut expected = common(&bad);
        expected.retain(|line| !good.iter().flatten().any(|other| line.matches(other)));
        FailureOutput { expected, known }
    }

    /// The same failure at a step of a history, where the bad version may print more that has come later: only what
    /// announces an error counts, if anything does.
    pub fn core(&self) -> FailureOutput {
        let announced = self
            .expected
            .iter()
            .filter(|line| is_announcement(&line.text));
        let announced: Vec<ExpectedLine> = announced.cloned().collect();
        FailureOutput {
            expected: match announced.is_empty() {
                true => self.expected.clone(),
                false => announced,
            },
            known: self.known.clone(),
        }
    }

    /// The same failure between two versions that lie closer together: what these two tell apart, as far as the bad
    /// version of this one prints it too.
    pub fn narrowed(
        &self,
        closer: FailureOutput,
        bad: &dyn Printed,
        names: &[String],
    ) -> FailureOutput {
        let printed = telling_lines(bad, names);
        let FailureOutput {
            mut expected,
            known,
        } = closer;
        expected.retain(|line| printed.iter().any(|other| line.matches(other)));
        if expected.is_empty() {
            expected.clone_from(&self.core().expected);
        }
        FailureOutput {
            expected,
            known: self.known.union(&known).cloned().collect(),
        }
    }

    /// What makes the output of a run another failure than this one.
    pub fn difference(&self, printed: &dyn Printed, names: &[String]) -> Option<OutputDifference> {
        let lines = telling_lines(printed, names);
        let is_missing =
            |expected: &&ExpectedLine| !lines.iter().any(|line| expected.matches(line));
        let missing = self.expected.iter().filter(is_missing);
        let missing: Vec<String> = missing.map(|expected| expected.text.clone()).collect();
        if !missing.is_empty() {
            return Some(OutputDifference::Missing(missing));
        }
        let is_foreign =
            |line: &&String| is_announcement(line) && !self.known.contains(&shape(line));
        let foreign = lines.iter().find(is_foreign);
        foreign.map(|line| OutputDifference::Foreign(line.clone()))
    }

    /// The line that tells people most: the first that announces an error, or else the first that is always the same.
    pub fn headline(&self) -> Option<&str> {
        let announced = |line: &&ExpectedLine| is_announcement(&line.text);
        let constant = |line: &&ExpectedLine| line.pieces.iter().all(Option::is_some);
        let lines = || self.expected.iter();
        let line = lines().find(announced).or_else(|| lines().find(constant));
        line.or_else(|| lines().next())
            .map(|line| line.text.as_str())
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

/// The lines that all runs print, whatever numbers vary in them, each once.
fn common(runs: &[Vec<String>]) -> Vec<ExpectedLine> {
    let Some((first, others)) = runs.split_first() else {
        return Vec::new();
    };
    let by_shape: Vec<HashMap<String, Vec<&String>>> = others
        .iter()
        .map(|lines| {
            let mut shapes: HashMap<String, Vec<&String>> = HashMap::new();
            for line in lines {
                shapes.entry(shape(line)).or_default().push(line);
            }
            shapes
        })
        .collect();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut seen = BTreeSet::new();
    let mut common = Vec::new();
    for line in first {
        let shape = shape(line);
        let place = places.entry(shape.clone()).or_default();
        let mut expected = ExpectedLine::new(line);
        let is_in_all = by_shape.iter().all(|shapes| {
            let alike = shapes.get(&shape).map_or(&[][..], |alike| alike);
            // Of several lines of one shape, those at the same place are the same line.
            let same = alike.iter().find(|other| expected.matches(other));
            match same.or_else(|| alike.get(*place)) {
                Some(other) => {
                    expected.vary(other);
                    true
                }
                None => false,
            }
        });
        *place += 1;
        if is_in_all && seen.insert(line) {
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
    fn in_a_history_what_announces_the_error_counts() {
        let failure = failure(&["new feature\nKeyError: 'x'\nbye\n"], "");
        assert!(!is_same(&failure, "KeyError: 'x'\n"));
        assert!(is_same(&failure.core(), "KeyError: 'x'\n"));
        assert!(!is_same(&failure.core(), "KeyError: 'y'\n"));
        assert_eq!(failure.headline(), Some("KeyError: 'x'"));
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
