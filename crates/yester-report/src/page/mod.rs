//! A run as one self-contained HTML page.
//!
//! The page needs no network and no script: what scripts add (a filter, sorting, copying) is left
//! out without them. Its policy allows exactly the one style and the one script that are written
//! here. askama escapes every text; [`visible`] has made it harmless for eyes before.

mod beside;
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
    Dossier, DossierTrial, DossierVersion, SizeStep, Sure, TrialOutcome, count, grouped, percent,
    seconds, visible,
};

const STYLE: &str = include_str!("../../templates/style.css");
const SCRIPT: &str = include_str!("../../templates/script.js");
/// What the policy of the page allows. A test computes them.
const STYLE_HASH: &str = "sha256-L9TeMeKexO/yImf1d6B4jl+uObQ+cWE6jgDDJhmRcJo=";
const SCRIPT_HASH: &str = "sha256-arr8M0eYNfeYepzoCOyAhY0MQHljTNuI+Y26X17Eirs=";

/// More trials than this make the page slow; the journal has all of them.
const MOST_ROWS: usize = 20_000;
/// So many characters of outputs are on a page, and so many of one trial.
const MOST_OUTPUT: usize = 400_000;
const WIDEST_OUTPUT: usize = 240;
/// So many characters of what tells candidates apart, in words.
const MOST_DIFFERENCE: usize = 300_000;

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
    versions: Vec<VersionView>,
    passes: Vec<Pass>,
    unit: &'a str,
    steps: Vec<(String, String, String)>,
    sureness: Vec<Sureness>,
    trials_summary: String,
    columns: Columns,
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

struct VersionView {
    outcome: &'static str,
    short: String,
    date: String,
    subject: String,
}

/// A side of how sure the answer is, as a list.
struct Sureness {
    name: &'static str,
    class: &'static str,
    facts: Vec<String>,
}

/// Which columns have something in them.
#[derive(Clone, Copy, Default)]
struct Columns {
    bytes: bool,
    outcome: bool,
    difference: bool,
    output: bool,
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
        let steps = self.story.steps.iter().zip(1..).map(|(step, number)| {
            (
                format!("step{number}"),
                safe(&step.command),
                safe(&step.story.headline),
            )
        });
        let headline = safe(&self.headline());
        let page = Page {
            title: format!("yester {}: {headline}", self.command),
            style: STYLE,
            style_hash: STYLE_HASH,
            script: SCRIPT,
            script_hash: SCRIPT_HASH,
            command: &self.command,
            sections: sections(&causes, !figures.is_empty() || !self.passes.is_empty()),
            state: self.state.word(),
            headline,
            reason: self.shown_reason(),
            proofs: Proofs::html(&self.story.proofs, &self.story.doubts),
            facts: self.facts(),
            commands: self.commands(),
            cause: causes.into_iter().map(|cause| cause.html).collect(),
            has_search: !figures.is_empty() || !self.passes.is_empty(),
            steps: steps.collect(),
            versions: self.versions.iter().map(version).collect(),
            figures,
            passes: self.passes(),
            unit: &self.unit,
            sureness: self.sureness(),
            trials_summary: self.trials_summary(left_out),
            columns: Columns {
                bytes: self.trials.iter().any(|trial| trial.bytes > 0),
                outcome: self.trials.iter().any(|trial| trial.outcome.is_some()),
                difference: rows.iter().any(|row| !row.difference.is_empty()),
                output: rows.iter().any(|row| !row.output.is_empty()),
            },
            reasons: self.trials.iter().map(reason).collect(),
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
        let of_steps = self.story.steps.iter();
        let of_steps = of_steps.flat_map(|step| &step.story.commands);
        let of_steps = of_steps.map(|command| (safe(&command.what), safe(&command.words)));
        let of_story = of_story.chain(of_steps);
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
    fn sureness(&self) -> Vec<Sureness> {
        let list = |name, class, facts: Vec<String>| Sureness {
            name,
            class,
            facts: facts.iter().map(|fact| safe(fact)).collect(),
        };
        let steps = self.story.steps.iter();
        let of_steps = steps.flat_map(|step| {
            let facts = step.story.proofs.iter();
            facts.map(move |fact| format!("{}: {fact}", step.command))
        });
        let proofs = self.story.proofs.iter().cloned().chain(of_steps).collect();
        let others = self.also_seen.iter().map(|other| {
            let times = match other.seen {
                1 => "once".to_owned(),
                seen => format!("{} times", grouped(seen)),
            };
            format!("{}, {times}: {}", other.failure, other.path)
        });
        let all = [
            list("Certificate", "proofs", proofs),
            list("Repeats", "proofs", self.repeats()),
            list("Other failures seen", "doubts", others.collect()),
            list("Not tried, or not known", "doubts", self.open_questions()),
        ];
        let mut sureness: Vec<Sureness> = all
            .into_iter()
            .filter(|one| !one.facts.is_empty())
            .collect();
        if sureness.is_empty() {
            let nothing = vec!["nothing has been confirmed".to_owned()];
            sureness.push(list("Certificate", "doubts", nothing));
        }
        sureness
    }

    /// How often the answer and the beginning were seen.
    fn repeats(&self) -> Vec<String> {
        let because = |why: &str| {
            let trials = self.trials.iter().filter(|trial| trial.why == why);
            trials.count() as u64
        };
        let mut facts = Vec::new();
        if let Some(Sure {
            failures,
            runs,
            confidence,
        }) = self.sure
        {
            facts.push(format!(
                "{failures} of {} of the answer failed as at the beginning",
                count(runs as u64, "confirming run")
            ));
            facts.extend(confidence.map(|confidence| {
                format!(
                    "the test is not steady: each decision has a confidence of {:.0}%",
                    100.0 * confidence
                )
            }));
        } else if because("confirmation") > 0 {
            facts.push(format!(
                "{} in clean directories",
                count(because("confirmation"), "confirming run")
            ));
        }
        if because("baseline") > 0 {
            facts.push(format!(
                "{} before the search",
                count(because("baseline"), "run")
            ));
        }
        if because("warmth") > 0 {
            facts.push(format!(
                "{} to see that a reused tree gives the same results",
                count(because("warmth"), "run")
            ));
        }
        facts
    }

    /// What was not tried, and what gave no answer.
    fn open_questions(&self) -> Vec<String> {
        let mut doubts = self.story.doubts.clone();
        for step in &self.story.steps {
            let of_step = step.story.doubts.iter();
            doubts.extend(of_step.map(|doubt| format!("{}: {doubt}", step.command)));
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
        if self.unreadable > 0 {
            let lines = count(self.unreadable as u64, "line");
            doubts.push(format!("{lines} of the journal could not be read"));
        }
        doubts
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
        let runs = count(self.trials.len() as u64, "run of the test")
            .replace("run of the tests", "runs of the test");
        // Where runs are compared and not judged, all of these are zero.
        if self.trials.iter().all(|trial| trial.outcome.is_none()) {
            return format!("{runs}.{left_out}");
        }
        format!(
            "{runs}: {} passed, {} failed, {} gave no verdict.{left_out}",
            of(TrialOutcome::Pass),
            of(TrialOutcome::Fail),
            of(TrialOutcome::Unresolved),
        )
    }

    /// The rows of the table, and how many trials have none.
    fn rows(&self) -> (Vec<Row>, usize) {
        let mut best = self.original_size.filter(|_| self.unit == "bytes");
        let (mut room, mut word_room) = (MOST_OUTPUT, MOST_DIFFERENCE);
        let mut rows = Vec::new();
        let mut left_out = 0;
        for trial in &self.trials {
            let size = best.map(|best| difference(trial.bytes, best));
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
            let mut words = safe(&trial.difference);
            if words.len() > word_room {
                words.clear();
            }
            word_room -= words.len();
            let difference = match (size, words.as_str()) {
                (Some(size), "") => size,
                (Some(size), words) => format!("{size}: {words}"),
                (None, _) => words,
            };
            rows.push(row(trial, difference, output.into_owned()));
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

/// Why a trial was run: in a search, what the search did then.
fn reason(trial: &DossierTrial) -> String {
    match trial.pass.as_str() {
        pass if !pass.is_empty() && trial.why == "search" => safe(pass),
        _ => safe(&trial.why),
    }
}

fn version(version: &DossierVersion) -> VersionView {
    VersionView {
        outcome: version.outcome.word(),
        short: story::short(&version.id),
        date: safe(version.date.split('T').next().unwrap_or_default()),
        subject: safe(&version.subject),
    }
}

fn row(trial: &DossierTrial, difference: String, output: String) -> Row {
    Row {
        number: trial.number,
        why: reason(trial),
        outcome: trial.outcome.map_or("", TrialOutcome::word),
        class: match trial.outcome {
            Some(TrialOutcome::Pass) => "p",
            Some(TrialOutcome::Fail) => "f",
            Some(TrialOutcome::Unresolved) => "u",
            None => "n",
        },
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
