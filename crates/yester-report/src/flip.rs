use std::ops::Deref;

use serde::Serialize;

use crate::excerpt::{Excerpt, span};
use crate::sheet::Sheet;
use crate::{ChangedSource, Place, Report, SourceText, count, grouped, seconds, visible};

/// The report of `yester flip`.
pub type FlipReport = Report<FlipResult>;

/// Which intervention makes a failing run pass: one change applied while the program runs on its own input.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlipResult {
    /// The places, the best first.
    pub places: Vec<FlipPlace>,
    /// The branches that the nearest passing run evaluates differently, as `FILE:LINE`, in the order of the failing run.
    pub distance: Vec<String>,
    /// How many runs there were.
    pub runs: u64,
    /// Whether all was tried that there is to try.
    pub exhausted: bool,
    /// How many interventions were not tried for want of effort.
    pub left: u64,
    /// How the failing run ends.
    pub failing: String,
    /// Which process of the test had the interventions, from 1.
    pub process: u64,
    /// How many processes of the test take interventions.
    pub processes: u64,
    /// How many failing tests there are.
    pub tests: u64,
    /// Reasons to look twice.
    pub notes: Vec<String>,
    /// The files that the places and what they depend on are in.
    #[serde(skip)]
    pub sources: Vec<SourceText>,
}

/// A place at which an intervention makes the run pass.
///
/// What it was is what the failing run did. The evidence is `intervention` for one on your input, `expected` for a value that was
/// computed from the right output, and `input` for an input that was made.
#[derive(Clone, Debug, Serialize)]
pub struct FlipPlace {
    /// Where, and what is another.
    #[serde(flatten)]
    pub place: Place,
    /// Which time the place is executed, from 1, or the first of several times; null is every time.
    pub instance: Option<u64>,
    /// All of these times.
    pub instances: Vec<u64>,
    /// How often the failing run executes it.
    pub executions: u64,
    /// Whether the run passes then; otherwise more of its output is right than before.
    pub passes: bool,
    /// The parts of the input that was made that differ from yours, or from yours as it was reduced.
    pub input: Option<Vec<ChangedSource>>,
    /// Whether that was reduced first.
    pub reduced: bool,
    /// How many executions of the line make the run pass with an intervention.
    pub critical: u64,
    /// How many were tried.
    pub tried: u64,
    /// The tests that pass with an intervention there, and which; none if `passes` is false.
    pub cures: Vec<FlipCure>,
    /// What it does on other inputs, if it was tried there.
    pub near: Option<FlipNear>,
    /// Places that stand for the same cause: the same variable, or one decides over the other.
    pub same_cause: Vec<SameCause>,
    /// What it depends on and what depends on it, of the best places, if the run was recorded.
    pub dependences: Option<FlipDependences>,
}

/// What the program with the change does on inputs that yester made, each near the user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FlipNear {
    /// On how many the program as it is fails.
    pub failing: u64,
    /// On how many of these it passes with the change.
    pub cured: u64,
    /// On how many the program as it is passes.
    pub passing: u64,
    /// On how many of these it passes with the change, too.
    pub kept: u64,
    /// On how many nobody knows what is right.
    pub unknown: u64,
    /// On how many of these the change makes no difference.
    pub unchanged: u64,
}

impl FlipNear {
    /// Whether it is known of any of them what is right there.
    fn is_judged(&self) -> bool {
        self.failing + self.passing > 0
    }

    fn text(&self) -> String {
        let part = |right: u64, all: u64, what: &str| match all {
            0 => None,
            _ => Some(format!("{right} of {all} {what}")),
        };
        let parts = [
            part(self.cured, self.failing, "that fail pass with it"),
            part(self.kept, self.passing, "that pass still do"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("inputs near yours: {}", parts.join(", "))
    }
}

/// What makes one of the tests pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlipCure {
    /// The test, from 1.
    pub test: u64,
    /// `branch`, `value`, `statement` or `operator`.
    pub kind: &'static str,
    /// Which times the place is executed; none is every time.
    pub instances: Vec<u64>,
    /// What it was.
    pub was: String,
    /// What it becomes.
    pub becomes: String,
    /// What the intervention does, in words.
    #[serde(skip)]
    pub what: String,
}

/// A place that stands for the same cause as a better one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SameCause {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// `branch`, `value`, `statement` or `operator`.
    pub kind: &'static str,
    /// What the intervention there does, in words.
    pub what: String,
}

/// How a place depends on the input, and the failing output on the place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FlipDependences {
    /// From the input to the place.
    pub from_input: Vec<FlipLink>,
    /// From the place to what the failing run got wrong.
    pub to_output: Vec<FlipLink>,
    /// The bytes of the input that a condition at the place depends on.
    pub input: Vec<FlipBytes>,
}

/// A step on the way from the input to the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlipLink {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// What it does, in words.
    pub does: String,
    /// Whether it is certain that it depends on the step before it.
    pub certain: bool,
    /// How many steps before it are left out.
    pub left_out: u64,
}

/// Bytes of the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlipBytes {
    /// `stdin`, `file:PATH` or `arg:N`.
    pub source: String,
    /// Where they are, from 0.
    pub offsets: Vec<u64>,
}

/// So many offsets are told in the text.
const MOST_OFFSETS: usize = 8;

impl FlipDependences {
    fn lines(&self, file: &str) -> Vec<String> {
        let tell = |links: &[FlipLink]| {
            let links = links.iter().map(|link| {
                let left_out = match link.left_out {
                    0 => String::new(),
                    left_out => format!("{} more, ", grouped(left_out)),
                };
                let perhaps = if link.certain { "" } else { "perhaps " };
                let place = if link.file == file {
                    format!("line {}", link.line)
                } else {
                    format!("{}:{}", link.file, link.line)
                };
                format!("{left_out}{place} {perhaps}{}", link.does)
            });
            links.collect::<Vec<_>>().join(", ")
        };
        let mut lines = Vec::new();
        if !self.from_input.is_empty() {
            let bytes = self.input.iter().map(FlipBytes::text);
            let bytes: Vec<String> = bytes.collect();
            let bytes = if bytes.is_empty() {
                String::new()
            } else {
                format!(" ({})", bytes.join(", "))
            };
            lines.push(format!("from the input: {}{bytes}", tell(&self.from_input)));
        }
        if !self.to_output.is_empty() {
            lines.push(format!("to the output: {}", tell(&self.to_output)));
        }
        lines
    }
}

impl FlipBytes {
    fn text(&self) -> String {
        let shown = self.offsets.iter().take(MOST_OFFSETS);
        let shown: Vec<String> = shown.map(u64::to_string).collect();
        let more = if self.offsets.len() > MOST_OFFSETS {
            " and more"
        } else {
            ""
        };
        let offset = if self.offsets.len() == 1 {
            "offset"
        } else {
            "offsets"
        };
        format!("{} at {offset} {}{more}", self.source, shown.join(", "))
    }
}

impl FlipReport {
    /// The report as text.
    pub fn text(&self) -> String {
        let Some(result) = &self.result else {
            return String::new();
        };
        let mut text = String::new();
        for (index, place) in result.places.iter().enumerate() {
            text.push_str(&place.text(index + 1, result.tests));
            text.push('\n');
        }
        let mut sheet = Sheet::default();
        if !result.places.iter().any(|place| place.passes) {
            sheet.line(match result.left {
                0 => "nothing that was tried makes it pass",
                _ => "nothing that was tried makes it pass; --max-interventions N tries more",
            });
        }
        if result.processes > 1 {
            sheet.line(format!(
                "process  {} of {} that the test starts",
                result.process, result.processes
            ));
        }
        let left = match result.left {
            0 => String::new(),
            left => format!(", {} left", grouped(left)),
        };
        sheet.line(format!(
            "took     {}{left}, {}",
            count(result.runs, "run"),
            seconds(self.seconds)
        ));
        for note in &result.notes {
            sheet.line(format!("note     {note}"));
        }
        if !self.next.is_empty() {
            sheet.line(format!("next     {}", self.next));
        }
        self.tell_page(&mut sheet);
        text.push_str(&sheet.finish());
        text
    }
}

impl Deref for FlipPlace {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.place
    }
}

impl FlipPlace {
    /// The same place, to be listed below a better one.
    pub fn as_same_cause(&self) -> SameCause {
        SameCause {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            kind: self.kind,
            what: self.what(),
        }
    }

    /// The same, as what makes a test pass; tests are counted from 0.
    pub fn as_cure(&self, test: usize) -> FlipCure {
        FlipCure {
            test: test as u64 + 1,
            kind: self.kind,
            instances: self.instances.clone(),
            was: self.was.clone(),
            becomes: self.becomes.clone(),
            what: self.what(),
        }
    }

    /// What comes of it, if there are so many tests.
    pub(crate) fn effect(&self, tests: u64) -> String {
        match self.cures.len() as u64 {
            _ if !self.passes => "more of the output is right".to_owned(),
            _ if tests == 1 => "it passes".to_owned(),
            cured if cured == tests => format!("all {tests} tests pass"),
            1 => format!("1 of {tests} tests passes"),
            cured => format!("{cured} of {tests} tests pass"),
        }
    }

    /// What the intervention does, in words.
    pub(crate) fn what(&self) -> String {
        let time = match self.instance {
            Some(_) if self.executions == 1 => String::new(),
            Some(_) => {
                let times: Vec<String> = self.instances.iter().copied().map(ordinal).collect();
                format!(" at its {} time", times.join(", "))
            }
            None => String::new(),
        };
        match self.kind {
            _ if self.evidence == "input" => {
                let bytes = self.input.iter().flatten();
                let bytes: usize = bytes.map(|change| change.offsets.len()).sum();
                let from = if self.reduced {
                    " from yours as it was reduced"
                } else {
                    ""
                };
                format!(
                    "on an input that differs in {}{from}, this is {} instead of {}{time}",
                    count(bytes as u64, "byte"),
                    self.becomes,
                    self.was
                )
            }
            "branch" if self.instances.len() > 1 => format!("taken the other way{time}"),
            "branch" => format!("with {} instead of {}{time}", self.becomes, self.was),
            "operator" if self.becomes.ends_with(" on its right") => {
                let more = self.becomes.trim_end_matches(" on its right");
                format!("with {more} on the right of {}", self.was)
            }
            "operator" => format!("with {} instead of {}", self.becomes, self.was),
            // Something is done where nothing is written.
            "statement" if self.was != "executed" => format!("with {}{time}", self.becomes),
            "statement" => match self.instance {
                Some(_) => format!("skipped{time}"),
                None => "always skipped".to_owned(),
            },
            // An assignment that is nowhere in the program has nothing in its place.
            _ if self.was == "left as it is" => {
                format!("with {} {}{time}", self.name, self.becomes)
            }
            _ => format!(
                "with {} {} instead of {}{time}",
                self.name, self.becomes, self.was
            ),
        }
    }

    /// The line of the source with what is to be said about it; `notes` are all that follow.
    pub(crate) fn excerpt(&self, tests: u64) -> Excerpt<'_> {
        let source = self.place.text();
        Excerpt {
            title: format!("{}, {}", self.what(), self.effect(tests)),
            label: match (self.critical, self.tried) {
                (0, _) => String::new(),
                (critical, tried) => {
                    format!("{critical} of {tried} steps of this line are critical")
                }
            },
            source,
            file: &self.file,
            line: self.line,
            span: match self.kind {
                "operator" => operator(source, self.column, &self.name),
                kind => span(source, self.column, kind),
            },
            notes: self.remarks(tests),
        }
    }

    /// Which tests pass, and which other places are the same cause.
    pub(crate) fn remarks(&self, tests: u64) -> Vec<String> {
        let mut notes = Vec::new();
        // Which tests, unless the title says it: all of them, in the same way.
        let what = self.what();
        let is_told =
            self.cures.len() as u64 == tests && self.cures.iter().all(|cure| cure.what == what);
        if tests > 1 && !is_told {
            let cures = self.cures.iter();
            notes.extend(cures.map(|cure| format!("test {}: {}", cure.test, cure.what)));
        }
        let near = self.near.iter().filter(|near| near.is_judged());
        notes.extend(near.map(FlipNear::text));
        for other in &self.same_cause {
            let place = if other.file == self.file {
                format!("line {}", other.line)
            } else {
                format!("{}:{}", other.file, other.line)
            };
            notes.push(format!("also: {place}, {}", other.what));
        }
        notes
    }

    fn text(&self, number: usize, tests: u64) -> String {
        let mut excerpt = self.excerpt(tests).numbered(number);
        if !self.function.is_empty() {
            excerpt.notes.insert(0, format!("in {}", self.function));
        }
        let dependences = self.dependences.iter();
        let dependences = dependences.flat_map(|one| one.lines(&self.file));
        excerpt.notes.extend(dependences);
        let mut text = excerpt.text();
        let mut sheet = Sheet::default();
        for change in self.input.iter().flatten() {
            let name = if self.reduced { "reduced" } else { "input" };
            change.tell([name, "passes"], &mut sheet);
        }
        text.push_str(&sheet.finish());
        visible(&text).into_owned()
    }
}

/// Where an operator is in its line, in bytes; all of the line if it is not where the compiler says.
fn operator(line: &str, column: u32, sign: &str) -> (usize, usize) {
    let begin = (column as usize).saturating_sub(1);
    match line.get(begin..begin + sign.len()) {
        Some(text) if text == sign => (begin, begin + sign.len()),
        _ => span(line, column, "value"),
    }
}

/// `1st`, `2nd`, `3rd`, `4th`.
fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (1, one) if one != 11 => "st",
        (2, two) if two != 12 => "nd",
        (3, three) if three != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_endings() {
        let all = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal);
        assert_eq!(
            all,
            [
                "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"
            ]
        );
    }
}
