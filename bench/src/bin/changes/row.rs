//! The rows of a table, and what they add up to.

use std::time::Duration;

use yester_bench::case::Purpose;
use yester_bench::regression::Regression;
use yester_core::Outcome;

/// A row of a table.
pub struct ChangesRow {
    /// What was run.
    pub tool: &'static str,
    /// How often it called the test, or the build before it.
    pub trials: u64,
    /// How many of these calls gave no answer.
    pub unresolved: u64,
    /// How long it took.
    pub wall: Duration,
    /// Files, hunks and lines.
    pub size: [u64; 3],
    /// Good with the answer, bad without it.
    pub verified: [Outcome; 2],
    /// Whether the guilty commit is named, if it is known.
    pub is_right_commit: Option<bool>,
    /// Whether the answer fails as the bad version does, if that was tried.
    pub is_same_failure: Option<bool>,
    /// How it ended.
    pub note: String,
}

/// The head of a table.
pub const HEAD: &str = "\
| tool | trials | unresolved | wall s | files | hunks | lines | verified | commit | failure | note |
|---|---|---|---|---|---|---|---|---|---|---|";

impl ChangesRow {
    /// Prints the row.
    pub fn print(&self) {
        let [files, hunks, lines] = self.size;
        let [with, without] = self.verified.map(|outcome| match outcome {
            Outcome::Pass => "passes",
            Outcome::Fail => "fails",
            Outcome::Unresolved => "unresolved",
        });
        let word = |answer: Option<bool>, words: [&'static str; 2]| match answer {
            Some(true) => words[0],
            Some(false) => words[1],
            None => "",
        };
        let commit = word(self.is_right_commit, ["right", "**wrong**"]);
        let failure = word(self.is_same_failure, ["same", "**other**"]);
        println!(
            "| {} | {} | {} | {:.1} | {files} | {hunks} | {lines} | {with}, {without} | {commit} | {failure} | {} |",
            self.tool,
            self.trials,
            self.unresolved,
            self.wall.as_secs_f64(),
            self.note,
        );
    }
}

/// What yester did with one case.
struct Figure {
    purpose: Purpose,
    /// Whether a single commit is known to be guilty.
    is_single: bool,
    trials: u64,
    unresolved: u64,
    lines: u64,
    is_right_commit: Option<bool>,
    is_same_failure: bool,
}

/// What is added up over all cases.
#[derive(Default)]
pub struct Total {
    figures: Vec<Figure>,
    /// The bars that are not met.
    pub missed: Vec<String>,
}

impl Total {
    /// Adds yester's row for a case.
    pub fn add(&mut self, regression: &Regression, row: &ChangesRow) {
        self.figures.push(Figure {
            purpose: regression.purpose,
            is_single: regression.truth.is_some(),
            trials: row.trials,
            unresolved: row.unresolved,
            lines: row.size[2],
            is_right_commit: row.is_right_commit,
            is_same_failure: row.is_same_failure == Some(true),
        });
    }

    /// The share of the trials that gave no answer, if there were any.
    pub fn unresolved(&self) -> Option<f64> {
        share(&self.figures.iter().collect::<Vec<_>>())
    }

    /// Prints what the rows of each group, and of all, add up to.
    pub fn print(&self) {
        println!(
            "| group | cases | same failure | right commit | median lines | median trials | unresolved |"
        );
        println!("|---|---|---|---|---|---|---|");
        for (name, purpose) in [
            ("tune", Some(Purpose::Tune)),
            ("check", Some(Purpose::Check)),
            ("all", None),
        ] {
            let is_wanted =
                |figure: &&Figure| purpose.is_none_or(|purpose| figure.purpose == purpose);
            let figures: Vec<&Figure> = self.figures.iter().filter(is_wanted).collect();
            let Some(share) = share(&figures) else {
                continue;
            };
            let single = || figures.iter().filter(|figure| figure.is_single);
            let same = figures.iter().filter(|figure| figure.is_same_failure);
            let right = single().filter(|figure| figure.is_right_commit == Some(true));
            println!(
                "| {name} | {} | {} | {} of {} | {} | {} | {:.0} % |",
                figures.len(),
                same.count(),
                right.count(),
                single().count(),
                middle(single().map(|figure| figure.lines)),
                middle(single().map(|figure| figure.trials)),
                100.0 * share,
            );
        }
        println!("\nMedians and commits are of the cases where a single commit is guilty.\n");
    }
}

fn share(figures: &[&Figure]) -> Option<f64> {
    let sum = |count: fn(&Figure) -> u64| figures.iter().map(|figure| count(figure)).sum::<u64>();
    let trials = sum(|figure| figure.trials);
    (trials > 0).then(|| sum(|figure| figure.unresolved) as f64 / trials as f64)
}

/// The median, or nothing of nothing.
fn middle(values: impl Iterator<Item = u64>) -> String {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values
        .get(values.len() / 2)
        .map_or(String::new(), u64::to_string)
}
