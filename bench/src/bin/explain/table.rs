//! The rows of the tables, and what they add up to.

use yester_bench::median;
use yester_bench::seeded::{CaseRow, LocalizationClass, groups};

use crate::search::CaseRun;

/// The share of reports in class 1 or 1a, at least.
const LEAST_SHARE: f64 = 0.8;
/// The median of the seconds, below.
const MOST_SECONDS: f64 = 2.0;
/// The median of the number of places, at most.
const MOST_PLACES: f64 = 5.0;

/// The head of the table of cases.
pub const CASE_HEAD: &str = "\
| case | family | kind | class | rank | places | method | seconds | changed lines | in them | |
|---|---|---|---|---|---|---|---|---|---|---|";

const TOTAL_HEAD: &str = "\
| cases of | | 1 | 1a | 2 | 3 | 4 | class 1 or 1a | first | in three | without places | median places | median seconds | in changed lines | median changed |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";

/// Prints the row of a case.
pub fn print(CaseRow { fault, run }: &CaseRow<CaseRun>) {
    println!(
        "| {} | {} | {} | {} | {} | {} | {} | {:.2} | {} | {} | {} |",
        fault.name(),
        fault.family.name(),
        fault.kind,
        run.class.name(),
        run.rank.map_or(String::new(), |rank| rank.to_string()),
        run.places,
        run.method,
        run.seconds,
        run.changed,
        if run.is_changed { "yes" } else { "no" },
        run.problem.as_deref().unwrap_or_default(),
    );
}

/// What some cases add up to.
#[derive(Debug, PartialEq)]
struct Total {
    count: usize,
    classes: [usize; 5],
    first: usize,
    in_three: usize,
    without_places: usize,
    places: f64,
    seconds: f64,
    in_changed: usize,
    changed: f64,
}

impl Total {
    /// Nothing for no cases.
    fn of<'a>(runs: impl Iterator<Item = &'a CaseRun>) -> Option<Total> {
        let runs: Vec<&CaseRun> = runs.collect();
        if runs.is_empty() {
            return None;
        }
        let count = |is_counted: &dyn Fn(&CaseRun) -> bool| {
            let counted = runs.iter().filter(|run| is_counted(run));
            counted.count()
        };
        let middle =
            |value: &dyn Fn(&CaseRun) -> f64| median(runs.iter().map(|run| value(run)).collect());
        let classes = [
            LocalizationClass::SameLine,
            LocalizationClass::IdenticalLine,
            LocalizationClass::SameFunction,
            LocalizationClass::NeighbourFunction,
            LocalizationClass::Elsewhere,
        ];
        Some(Total {
            count: runs.len(),
            classes: classes.map(|class| count(&|run| run.class == class)),
            first: count(&|run| run.rank == Some(1)),
            in_three: count(&|run| run.rank.is_some_and(|rank| rank <= 3)),
            without_places: count(&|run| run.places == 0),
            places: middle(&|run| run.places as f64),
            seconds: middle(&|run| run.seconds),
            in_changed: count(&|run| run.is_changed),
            changed: middle(&|run| run.changed as f64),
        })
    }

    fn share(&self) -> f64 {
        (self.classes[0] + self.classes[1]) as f64 / self.count as f64
    }

    fn print(&self, name: &str) {
        let percent = |count: usize| format!("{:.0} %", 100.0 * count as f64 / self.count as f64);
        let classes = self.classes.map(|count| count.to_string());
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {:.0} | {:.2} | {} | {:.0} |",
            self.count,
            classes.join(" | "),
            percent(self.classes[0] + self.classes[1]),
            percent(self.first),
            percent(self.in_three),
            self.without_places,
            self.places,
            self.seconds,
            percent(self.in_changed),
            self.changed,
        );
    }

    /// The bars that are not met.
    fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        if self.share() < LEAST_SHARE {
            let share = 100.0 * self.share();
            missed.push(format!("class 1 or 1a: {share:.1} % (at least 80 %)"));
        }
        if self.without_places > 0 {
            missed.push(format!("without places: {} (none)", self.without_places));
        }
        if self.seconds >= MOST_SECONDS {
            missed.push(format!("median seconds: {:.2} (below 2)", self.seconds));
        }
        if self.places > MOST_PLACES {
            missed.push(format!("median places: {:.0} (at most 5)", self.places));
        }
        missed
    }
}

/// Prints what the cases add up to, by program, role, family and kind, and gives the bars that are not met.
pub fn print_totals(rows: &[CaseRow<CaseRun>]) -> Vec<String> {
    println!("\n{TOTAL_HEAD}");
    for group in groups(rows) {
        if let Some(total) = Total::of(group.runs.into_iter()) {
            total.print(&group.name);
        }
    }
    match Total::of(rows.iter().map(|row| &row.run)) {
        Some(total) => total.missed(),
        None => vec!["no case is meant".to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(class: LocalizationClass, rank: Option<usize>, places: usize, seconds: f64) -> CaseRun {
        CaseRun {
            class,
            rank,
            places,
            method: String::new(),
            seconds,
            changed: 2,
            is_changed: class == LocalizationClass::SameLine,
            problem: None,
        }
    }

    #[test]
    fn cases_add_up_and_miss_no_bar_if_they_are_good_enough() {
        let mut runs = vec![run(LocalizationClass::SameLine, Some(1), 3, 0.5); 3];
        runs.push(run(LocalizationClass::IdenticalLine, None, 5, 0.1));
        runs.push(run(LocalizationClass::SameFunction, None, 9, 9.0));
        let total = Total::of(runs.iter()).expect("cases");
        assert_eq!(total.classes, [3, 1, 1, 0, 0]);
        assert_eq!((total.first, total.in_three, total.in_changed), (3, 3, 3));
        assert_eq!((total.places, total.seconds), (3.0, 0.5));
        assert_eq!(total.missed(), Vec::<String>::new());
    }

    #[test]
    fn each_bar_can_be_missed() {
        let runs = [
            run(LocalizationClass::SameLine, Some(4), 6, 2.0),
            run(LocalizationClass::Elsewhere, None, 0, 2.0),
            run(LocalizationClass::SameLine, Some(2), 7, 2.0),
        ];
        let total = Total::of(runs.iter()).expect("cases");
        assert_eq!((total.first, total.in_three), (0, 1));
        assert_eq!(total.missed().len(), 4, "{:?}", total.missed());
        assert_eq!(Total::of([].iter()), None);
    }
}
