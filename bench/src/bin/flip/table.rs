//! The rows of the tables, and what they add up to.

use std::process::ExitCode;

use yester_bench::median;
use yester_bench::seeded::{CaseRow, groups};

use crate::options::Way;
use crate::search::{FlipRun, WayRun};

/// What the paper calls a good score.
const GOOD_SCORE: f64 = 0.8;
/// What the paper calls a small report.
const FEW_PLACES: usize = 7;
/// What is fast enough.
const FEW_SECONDS: f64 = 10.0;

/// The head of the table of cases.
pub const CASE_HEAD: &str = "\
| case | family | kind | way | score | one way | rank | places | first | runs | seconds | lines | |
|---|---|---|---|---|---|---|---|---|---|---|---|---|";

const TOTAL_HEAD: &str = "\
| cases of | | 80 or better | one way | first | in three | in five | anywhere | without places | median places | at most 7 | median seconds | within 10 s |
|---|---|---|---|---|---|---|---|---|---|---|---|---|";

/// Table 4 of the paper: the share of the buggy programs in each row of scores, in percent.
const PAPER_METHODS: [&str; 4] = ["NN/Perm", "CT/relevance", "CT/infected", "APG"];
const PAPER_SHARES: [[f64; 4]; 11] = [
    [0.00, 5.43, 4.55, 0.93],
    [16.51, 30.23, 26.36, 34.58],
    [9.17, 6.20, 10.91, 8.41],
    [11.93, 6.20, 13.64, 8.41],
    [13.76, 9.30, 4.55, 5.61],
    [19.27, 10.08, 6.36, 4.67],
    [3.67, 3.88, 1.82, 7.48],
    [6.42, 10.08, 3.64, 4.67],
    [1.83, 3.10, 7.27, 9.35],
    [0.00, 10.85, 0.00, 1.87],
    [17.43, 4.65, 20.91, 14.02],
];

/// Prints the rows of a case.
pub fn print(CaseRow { fault, run }: &CaseRow<FlipRun>) {
    for own in &run.ways {
        println!(
            "| {} | {} | {} | {} | {:.1} | {:.1} | {} | {} | {} | {} | {:.2} | {}{} | {} |",
            fault.name(),
            fault.family.name(),
            fault.kind,
            own.way.name(),
            100.0 * own.score,
            100.0 * own.directed,
            own.rank.map_or(String::new(), |rank| rank.to_string()),
            own.places,
            own.first,
            own.runs,
            own.seconds,
            run.lines,
            if run.is_in_graph {
                ""
            } else {
                ", not the fault"
            },
            [&own.problem, &run.problem]
                .into_iter()
                .flatten()
                .map(|problem| problem.replace(['\n', '|'], " "))
                .collect::<Vec<_>>()
                .join("; "),
        );
    }
}

/// The row of Table 4 that a score belongs to. Nothing but rounding makes a hundred: a report has at least one line.
fn paper_row(score: f64) -> usize {
    let percent = 100.0 * score;
    match percent {
        _ if percent >= 99.5 => 0,
        _ => 10 - (percent / 10.0).floor().clamp(0.0, 9.0) as usize,
    }
}

/// What a row of Table 4 is called.
fn paper_row_name(row: usize) -> String {
    match row {
        0 => "100 %".to_owned(),
        _ => format!("{}-{} %", 100 - 10 * row, 109 - 10 * row),
    }
}

/// What some cases add up to in one way.
#[derive(Debug, PartialEq)]
struct Total {
    count: usize,
    rows: [usize; 11],
    good: usize,
    good_directed: usize,
    /// Where the line is: first, in three, in five, anywhere.
    ranks: [usize; 4],
    without_places: usize,
    places: f64,
    small: usize,
    seconds: f64,
    fast: usize,
}

impl Total {
    /// Nothing for no cases.
    fn of<'a>(runs: impl Iterator<Item = &'a WayRun>) -> Option<Total> {
        let runs: Vec<&WayRun> = runs.collect();
        if runs.is_empty() {
            return None;
        }
        let count = |is_counted: &dyn Fn(&WayRun) -> bool| {
            let counted = runs.iter().filter(|run| is_counted(run));
            counted.count()
        };
        let middle =
            |value: &dyn Fn(&WayRun) -> f64| median(runs.iter().map(|run| value(run)).collect());
        let mut rows = [0; 11];
        for run in &runs {
            rows[paper_row(run.score)] += 1;
        }
        let within = |most: usize| count(&|run| run.rank.is_some_and(|rank| rank <= most));
        Some(Total {
            count: runs.len(),
            rows,
            good: count(&|run| run.score >= GOOD_SCORE),
            good_directed: count(&|run| run.directed >= GOOD_SCORE),
            ranks: [1, 3, 5, usize::MAX].map(within),
            without_places: count(&|run| run.places == 0),
            places: middle(&|run| run.places as f64),
            small: count(&|run| (1..=FEW_PLACES).contains(&run.places)),
            seconds: middle(&|run| run.seconds),
            fast: count(&|run| run.problem.is_none() && run.seconds <= FEW_SECONDS),
        })
    }

    fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.count as f64
    }

    fn print(&self, name: &str) {
        let percent = |count: usize| format!("{:.0} %", self.percent(count));
        println!(
            "| {name} | {} | {} | {} | {} | {} | {:.0} | {} | {:.2} | {} |",
            self.count,
            percent(self.good),
            percent(self.good_directed),
            self.ranks.map(percent).join(" | "),
            self.without_places,
            self.places,
            percent(self.small),
            self.seconds,
            percent(self.fast),
        );
    }

    /// What has to be shown, and whether it is.
    fn bars(&self) -> Vec<Bar> {
        let least = |what: &str, count: usize, least: f64| Bar {
            is_met: self.percent(count) >= least,
            text: format!("{what}: {:.1} % (at least {least} %)", self.percent(count)),
        };
        vec![
            least("score 80 or better", self.good, 75.0),
            least("faulty line first", self.ranks[0], 50.0),
            least("faulty line in three", self.ranks[1], 68.0),
            least("faulty line in five", self.ranks[2], 75.0),
            least("faulty line anywhere", self.ranks[3], 85.0),
            Bar {
                is_met: self.places <= FEW_PLACES as f64,
                text: format!("median places: {:.0} (at most {FEW_PLACES})", self.places),
            },
            least("within 10 seconds", self.fast, 90.0),
        ]
    }
}

struct Bar {
    is_met: bool,
    text: String,
}

/// Prints what the cases add up to, by way, program, role, family and kind, and whether the bars are met.
pub fn print_totals(rows: &[CaseRow<FlipRun>], ways: &[Way]) -> ExitCode {
    let total = |runs: &[&FlipRun], way: Way| {
        let own = runs.iter().flat_map(|run| &run.ways);
        Total::of(own.filter(|run| run.way == way))
    };
    let groups = groups(rows);
    for &way in ways {
        println!("\n{}:\n\n{TOTAL_HEAD}", way.name());
        for group in &groups {
            if let Some(total) = total(&group.runs, way) {
                total.print(&group.name);
            }
        }
    }
    let all: Vec<&FlipRun> = rows.iter().map(|row| &row.run).collect();
    let totals: Vec<Total> = ways.iter().filter_map(|way| total(&all, *way)).collect();
    print_scores(ways, &totals);
    let outside = all.iter().filter(|run| !run.is_in_graph).count();
    println!(
        "\nin {outside} cases no faulty line is in the graph: their score is 0 unless the report has the line"
    );
    println!();
    let Some(total) = total(&all, Way::All) else {
        println!("the bars are for all ways together");
        return ExitCode::from(u8::from(rows.is_empty()));
    };
    let bars = total.bars();
    for bar in &bars {
        println!(
            "{}: {}",
            if bar.is_met { "met" } else { "NOT met" },
            bar.text
        );
    }
    ExitCode::from(u8::from(bars.iter().any(|bar| !bar.is_met)))
}

/// Prints the distribution of the scores next to that of the paper.
fn print_scores(ways: &[Way], totals: &[Total]) {
    let ours = ways.iter().map(|way| format!("flip, {}", way.name()));
    let heads: Vec<String> = PAPER_METHODS
        .into_iter()
        .map(str::to_owned)
        .chain(ours)
        .collect();
    println!("\n| score | {} |", heads.join(" | "));
    println!("|---|{}", "---|".repeat(heads.len()));
    let line = |name: &str, paper: [f64; 4], ours: &dyn Fn(&Total) -> f64| {
        let shares = paper.into_iter().chain(totals.iter().map(ours));
        let shares: Vec<String> = shares.map(|share| format!("{share:.2}")).collect();
        println!("| {name} | {} |", shares.join(" | "));
    };
    for (row, paper) in PAPER_SHARES.into_iter().enumerate() {
        line(&paper_row_name(row), paper, &|total| {
            total.percent(total.rows[row])
        });
    }
    let best = [0, 1, 2, 3].map(|method| PAPER_SHARES[..3].iter().map(|row| row[method]).sum());
    line("80 or better", best, &|total| total.percent(total.good));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(score: f64, rank: Option<usize>, places: usize, seconds: f64) -> WayRun {
        WayRun {
            way: Way::All,
            score,
            directed: score,
            rank,
            places,
            first: String::new(),
            runs: 0,
            seconds,
            problem: None,
        }
    }

    fn missed(total: &Total) -> Vec<String> {
        let bars = total.bars().into_iter();
        bars.filter(|bar| !bar.is_met).map(|bar| bar.text).collect()
    }

    #[test]
    fn a_score_is_in_the_row_of_its_tens_and_nearly_all_is_a_hundred() {
        let row = |score| paper_row_name(paper_row(score));
        assert_eq!(row(1.0), "100 %");
        assert_eq!(row(0.996), "100 %");
        assert_eq!(row(0.99), "90-99 %");
        assert_eq!(row(0.8), "80-89 %");
        assert_eq!(row(0.7999), "70-79 %");
        assert_eq!(row(0.1), "10-19 %");
        assert_eq!(row(0.0), "0-9 %");
    }

    #[test]
    fn every_column_of_the_paper_is_a_distribution() {
        for method in 0..4 {
            let sum: f64 = PAPER_SHARES.iter().map(|row| row[method]).sum();
            assert!(
                (sum - 100.0).abs() < 0.1,
                "{}: {sum}",
                PAPER_METHODS[method]
            );
        }
    }

    #[test]
    fn cases_add_up_and_meet_the_bars_if_they_are_good_enough() {
        let mut runs = vec![run(0.99, Some(1), 3, 0.5); 9];
        runs.push(run(0.5, None, 0, 11.0));
        let total = Total::of(runs.iter()).expect("cases");
        assert_eq!((total.good, total.rows[1], total.rows[5]), (9, 9, 1));
        assert_eq!(total.ranks, [9; 4]);
        assert_eq!((total.small, total.without_places, total.fast), (9, 1, 9));
        assert_eq!(missed(&total), Vec::<String>::new());
    }

    #[test]
    fn each_bar_can_be_missed() {
        let mut late = run(0.95, Some(6), 9, 12.0);
        late.problem = Some("takes too long".to_owned());
        let runs = [late, run(0.1, None, 8, 3.0), run(0.0, None, 9, 30.0)];
        let total = Total::of(runs.iter()).expect("cases");
        assert_eq!(total.ranks, [0, 0, 0, 1]);
        assert_eq!(missed(&total).len(), 7, "{:?}", missed(&total));
        assert_eq!(Total::of([].iter()), None);
    }
}
