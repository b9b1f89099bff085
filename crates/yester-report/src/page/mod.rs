//! A run as one self-contained HTML page.
//!
//! The page needs no network and no script: what scripts add (a filter, sorting, copying) is left
//! out without them. Its policy allows exactly the one style and the one script that are written
//! here. askama escapes every text; [`visible`] has made it harmless for eyes before.

mod chart;
mod listing;
mod story;
#[cfg(test)]
mod test;

use std::borrow::Cow;
use std::collections::BTreeSet;

use askama::Template;

use self::chart::Figure;
use self::story::Proofs;
use crate::{
    Dossier, DossierTrial, SizeStep, TrialOutcome, count, grouped, percent, seconds, visible,
};

const STYLE: &str = include_str!("../../templates/style.css");
const SCRIPT: &str = include_str!("../../templates/script.js");
/// What the policy of the page allows. A test computes them.
const STYLE_HASH: &str = "sha256-BSIQaWJCv4Xbi4UfEPgLAEy3KYHAO8jdUb8Lh8Y7eXk=";
const SCRIPT_HASH: &str = "sha256-tPOOWAKq1Qyb9aO1yJagNJw+K+g+ZIZSz+mY/I1jIAk=";

/// More trials than this make the page slow; the journal has all of them.
const MOST_ROWS: usize = 20_000;
/// So many characters of outputs are on a page, and so many of one trial.
const MOST_OUTPUT: usize = 400_000;
const WIDEST_OUTPUT: usize = 240;

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    title: String,
    style: &'a str,
    style_hash: &'a str,
    script: &'a str,
    script_hash: &'a str,
    command: &'a str,
    sections: Vec<(String, String)>,
    state: &'static str,
    headline: String,
    reason: String,
    proofs: String,
    facts: Vec<(&'static str, String)>,
    commands: Vec<Command>,
    cause: String,
    has_search: bool,
    figures: Vec<Figure>,
    passes: Vec<Pass>,
    unit: &'a str,
    sureness: String,
    trials_summary: String,
    reasons: BTreeSet<String>,
    rows: Vec<Row>,
    yester: &'a str,
    started: &'a str,
}

struct Command {
    what: String,
    words: String,
}

struct Pass {
    name: String,
    tried: String,
    succeeded: String,
    removed: String,
    time: String,
}

struct Row {
    number: u64,
    why: String,
    outcome: &'static str,
    class: &'static str,
    ending: String,
    bytes: String,
    difference: String,
    seconds: String,
    output: String,
}

/// The text of strangers, without what a reader could not see.
fn safe(text: &str) -> String {
    visible(text).into_owned()
}

impl Dossier {
    /// The run as one HTML page.
    pub fn html(&self) -> String {
        let causes = story::sections(self);
        let figures = chart::figures(self);
        let (rows, left_out) = self.rows();
        let headline = safe(&self.headline());
        let page = Page {
            title: format!("yester {}: {headline}", self.command),
            style: STYLE,
            style_hash: STYLE_HASH,
            script: SCRIPT,
            script_hash: SCRIPT_HASH,
            command: &self.command,
            sections: sections(&causes, !figures.is_empty()),
            state: self.state.word(),
            headline,
            reason: self.shown_reason(),
            proofs: Proofs::html(&self.story.proofs, &self.story.doubts),
            facts: self.facts(),
            commands: self.commands(),
            cause: causes.into_iter().map(|cause| cause.html).collect(),
            has_search: !figures.is_empty() || !self.passes.is_empty(),
            figures,
            passes: self.passes(),
            unit: if self.unit.is_empty() {
                "units"
            } else {
                &self.unit
            },
            sureness: self.sureness(),
            trials_summary: self.trials_summary(left_out),
            reasons: self.trials.iter().map(|trial| safe(&trial.why)).collect(),
            rows,
            yester: &self.yester,
            started: &self.started,
        };
        page.render().expect("a page in memory")
    }

    fn shown_reason(&self) -> String {
        let is_said = self.story.headline.is_empty() && self.headline() == self.reason;
        if is_said {
            String::new()
        } else {
            safe(&self.reason)
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let trials = count(self.trials.len() as u64, "trial");
        let facts = [
            ("Works on", safe(&self.target)),
            ("Test", safe(&self.test)),
            ("Failure", safe(&self.failure)),
            ("Took", format!("{trials}, {}", seconds(self.seconds))),
            ("Started", self.started.clone()),
        ];
        facts
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }

    fn commands(&self) -> Vec<Command> {
        let of_story = self.story.commands.iter();
        let of_story = of_story.map(|command| (safe(&command.what), safe(&command.words)));
        let call = [("the call of this run".to_owned(), safe(&self.call))];
        let resume = self.resume.iter().filter(|resume| **resume != self.call);
        let resume = resume.map(|words| ("goes on with it from anywhere".to_owned(), safe(words)));
        let all = of_story.chain(call).chain(resume);
        all.filter(|(_, words)| !words.is_empty())
            .map(|(what, words)| Command { what, words })
            .collect()
    }

    fn passes(&self) -> Vec<Pass> {
        let passes = self.passes.iter().map(|pass| Pass {
            name: safe(&pass.pass),
            tried: grouped(pass.tried),
            succeeded: grouped(pass.succeeded),
            removed: grouped(pass.removed),
            time: seconds(pass.seconds),
        });
        passes.collect()
    }

    /// What speaks for the answer and against it, and what else was seen.
    fn sureness(&self) -> String {
        let mut proofs = self.story.proofs.clone();
        let mut doubts = self.story.doubts.clone();
        let confirmed = self
            .trials
            .iter()
            .filter(|trial| trial.why == "confirmation")
            .count();
        if confirmed > 0 {
            proofs.push(format!(
                "{} in clean directories",
                count(confirmed as u64, "confirming run")
            ));
        }
        let unresolved = self.trials.iter();
        let unresolved = unresolved.filter(|trial| trial.outcome == Some(TrialOutcome::Unresolved));
        let unresolved = unresolved.count() as u64;
        if unresolved > 0 {
            let share = percent(unresolved, self.trials.len() as u64);
            doubts.push(format!(
                "{} gave no verdict ({share})",
                count(unresolved, "trial")
            ));
        }
        for other in &self.also_seen {
            doubts.push(format!(
                "another failure was seen {} ×: {} ({})",
                grouped(other.seen),
                other.failure,
                other.path
            ));
        }
        if self.unreadable > 0 {
            let lines = count(self.unreadable as u64, "line");
            doubts.push(format!("{lines} of the journal could not be read"));
        }
        if proofs.is_empty() && doubts.is_empty() {
            doubts.push("nothing has been confirmed".to_owned());
        }
        Proofs::html(&proofs, &doubts)
    }

    fn trials_summary(&self, left_out: usize) -> String {
        let of = |outcome| {
            let trials = self
                .trials
                .iter()
                .filter(|trial| trial.outcome == Some(outcome));
            grouped(trials.count() as u64)
        };
        let left_out = match left_out {
            0 => String::new(),
            number => format!(
                " {} of the search are not listed here; the journal has them.",
                grouped(number as u64)
            ),
        };
        format!(
            "{}: {} passed, {} failed, {} gave no verdict.{left_out}",
            count(self.trials.len() as u64, "run of the test")
                .replace("run of the tests", "runs of the test"),
            of(TrialOutcome::Pass),
            of(TrialOutcome::Fail),
            of(TrialOutcome::Unresolved),
        )
    }

    /// The rows of the table, and how many trials have none.
    fn rows(&self) -> (Vec<Row>, usize) {
        let mut best = self.original_size.filter(|_| self.unit == "bytes");
        let mut room = MOST_OUTPUT;
        let mut rows = Vec::new();
        let mut left_out = 0;
        for trial in &self.trials {
            let difference = best.map(|best| difference(trial.bytes, best));
            let is_better = trial.outcome == Some(TrialOutcome::Fail)
                && trial.why == "search"
                && best.is_some_and(|best| trial.bytes < best);
            if is_better {
                best = Some(trial.bytes);
            }
            // Whatever is not one of many of the search is always there.
            if rows.len() >= MOST_ROWS && trial.why == "search" && !is_better {
                left_out += 1;
                continue;
            }
            let output = shown_output(&trial.output);
            let output = if output.len() <= room {
                output
            } else {
                Cow::Borrowed("")
            };
            room -= output.len();
            rows.push(row(
                trial,
                difference.unwrap_or_default(),
                output.into_owned(),
            ));
        }
        (rows, left_out)
    }
}

/// The end of what a trial has printed, in one line: what went wrong usually stands there.
fn shown_output(output: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = output
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let Some(last) = lines.last() else {
        return Cow::Borrowed("");
    };
    let shown = visible(last.trim());
    match shown.char_indices().nth(WIDEST_OUTPUT) {
        Some((end, _)) => Cow::Owned(format!("{}…", &shown[..end])),
        None => Cow::Owned(shown.into_owned()),
    }
}

fn row(trial: &DossierTrial, difference: String, output: String) -> Row {
    Row {
        number: trial.number,
        why: safe(&trial.why),
        outcome: trial.outcome.map_or("", TrialOutcome::word),
        class: trial.outcome.map_or("none", TrialOutcome::word),
        ending: safe(&trial.ending),
        bytes: grouped(trial.bytes),
        difference,
        seconds: format!("{:.3}", trial.seconds),
        output,
    }
}

/// By how much a candidate is bigger or smaller than the best before it.
fn difference(bytes: u64, best: u64) -> String {
    match bytes.checked_sub(best) {
        Some(0) => "0".to_owned(),
        Some(more) => format!("+{}", grouped(more)),
        None => format!("−{}", grouped(best - bytes)),
    }
}

/// The parts of the page that there are.
fn sections(causes: &[story::Section], has_search: bool) -> Vec<(String, String)> {
    let mut sections = vec![
        ("answer".to_owned(), "Answer".to_owned()),
        ("reproduce".to_owned(), "Reproduce".to_owned()),
    ];
    sections.extend(
        causes
            .iter()
            .map(|cause| (cause.id.clone(), cause.name.clone())),
    );
    if has_search {
        sections.push(("search".to_owned(), "Search".to_owned()));
    }
    sections.push(("sure".to_owned(), "How sure".to_owned()));
    sections.push(("trials".to_owned(), "Trials".to_owned()));
    sections
}

impl SizeStep {
    fn of(trials: u64, size: u64) -> SizeStep {
        SizeStep { trials, size }
    }
}
