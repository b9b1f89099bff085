//! Learns what each feature of a line is worth, from what yester writes into the log of its runs.
//!
//! Of two lines of a report, one with the fault and one without it, the former should have the higher score. The worths are those for which this is most
//! likely, as in logistic regression, and stay near a guess where the cases say little.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use yester_bench::seeded::{CaseRow, Classifier, Fault, ReportedPlace, VersionSide, YesterRun};
use yester_path::intervention::Feature;

use crate::options::{FlipOptions, JudgeChoice, Way};
use crate::search::{Judge, command};

/// What the features are worth to somebody who has seen no case. The others are worth nothing.
const PRIOR: [(Feature, f64); 19] = [
    (Feature::LikeOperator, 1.6),
    (Feature::OtherOperator, -0.2),
    (Feature::Operand, -0.5),
    (Feature::Branch, 0.7),
    (Feature::Variable, 2.0),
    (Feature::NearValue, 0.3),
    (Feature::LastingValue, 0.5),
    (Feature::Value, -0.2),
    (Feature::Assignment, -0.5),
    (Feature::LastingExit, 0.5),
    (Feature::Exit, -0.5),
    (Feature::LastingCall, 0.5),
    (Feature::Share, 1.3),
    (Feature::InputOutput, -1.5),
    (Feature::Early, 0.5),
    (Feature::Kept, 1.5),
    (Feature::Cured, 1.0),
    (Feature::AllRight, 2.0),
    (Feature::Unchanged, 1.0),
];

/// How strongly worths are drawn to these, and how long they are looked for.
const PULL: f64 = 0.1;
const STEPS: usize = 1500;
const PACE: f64 = 0.5;

/// The lines of one report that make the run right, the best first.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Their features.
    features: Vec<Vec<f64>>,
    /// Whether each is one with the fault.
    guilty: Vec<bool>,
}

/// Runs yester on a case, with each judge that it may have.
pub fn run(fault: &Fault, options: &FlipOptions, directory: &Path) -> Result<Vec<Lines>, String> {
    let case = fault.place(directory)?;
    let classifier = Classifier::of(&case)?;
    let mut reports = Vec::new();
    for (choice, name) in [
        (JudgeChoice::Reference, "reference"),
        (JudgeChoice::Expect, "expect"),
    ] {
        let judge = Judge::build(fault, &case, choice, directory)?;
        let place = yester_bench::script::fresh(&directory.join(name))?;
        let selection = &options.selection;
        let mut command = command(&case, &judge, Way::Interventions, &selection.yester);
        YesterRun::of(&mut command, &place, "report", selection.limit)?;
        reports.push(lines(&log(&place), &classifier));
    }
    Ok(reports)
}

/// The log of the only run in a directory.
fn log(place: &Path) -> String {
    let runs = fs::read_dir(place.join(".yester")).into_iter().flatten();
    let mut runs = runs.flatten().map(|run| run.path().join("debug.log"));
    runs.find_map(|path| fs::read_to_string(path).ok())
        .unwrap_or_default()
}

/// What a log has of the lines.
fn lines(log: &str, classifier: &Classifier) -> Lines {
    let mut lines = Lines::default();
    for line in log.lines() {
        let Some((_, told)) = line.split_once("what speaks for ") else {
            continue;
        };
        let Some((place, values)) = told.split_once(", right: ") else {
            continue;
        };
        let number = place.rsplit(':').next().and_then(|one| one.parse().ok());
        let Some(number) = number else { continue };
        let known: BTreeMap<&str, f64> = values
            .split(' ')
            .filter_map(|pair| pair.split_once('='))
            .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
            .collect();
        let features = Feature::ALL.iter().map(|one| known.get(one.name()));
        lines.features.push(
            features
                .map(|value| value.copied().unwrap_or(0.0))
                .collect(),
        );
        let place = ReportedPlace {
            version: VersionSide::New,
            file: String::new(),
            line: number,
            function: None,
        };
        lines.guilty.push(classifier.rank(&[place]).is_some());
    }
    lines
}

/// Prints the worths, and how good they are: on what they were learned from, and on programs that were left out.
pub fn print(rows: &[CaseRow<Vec<Lines>>]) {
    let all: Vec<&Lines> = rows.iter().flat_map(|row| &row.run).collect();
    let mut programs: Vec<&str> = rows
        .iter()
        .map(|row| row.fault.program.name.as_str())
        .collect();
    programs.dedup();
    println!(
        "| order | reports | with the fault | first | in three | in five | in seven |\n|---|---|---|---|---|---|---|"
    );
    print_ranks(
        "as it is",
        all.iter()
            .filter_map(|lines| lines.rank(|index| -(index as f64))),
        all.len(),
    );
    let learned = fit(&all);
    let by =
        |worths: &[f64], lines: &Lines| lines.rank(|index| score(worths, &lines.features[index]));
    print_ranks(
        "learned",
        all.iter().filter_map(|lines| by(&learned, lines)),
        all.len(),
    );
    let mut left_out = Vec::new();
    for program in &programs {
        let is_of = |row: &&CaseRow<Vec<Lines>>| row.fault.program.name == *program;
        let others = rows.iter().filter(|row| !is_of(row));
        let others: Vec<&Lines> = others.flat_map(|row| &row.run).collect();
        let worths = fit(&others);
        let own = rows.iter().filter(is_of).flat_map(|row| &row.run);
        left_out.extend(own.filter_map(|lines| by(&worths, lines)));
    }
    print_ranks(
        "learned from other programs",
        left_out.into_iter(),
        all.len(),
    );
    println!("\n| feature | worth |\n|---|---|");
    for (feature, worth) in Feature::ALL.iter().zip(learned) {
        println!("| {} | {worth:.1} |", feature.name());
    }
}

fn print_ranks(name: &str, ranks: impl Iterator<Item = usize>, count: usize) {
    let ranks: Vec<usize> = ranks.collect();
    let within = |most: usize| {
        let within = ranks.iter().filter(|rank| **rank <= most).count();
        format!("{:.0} %", 100.0 * within as f64 / count as f64)
    };
    println!(
        "| {name} | {count} | {} | {} | {} | {} | {} |",
        ranks.len(),
        within(1),
        within(3),
        within(5),
        within(7)
    );
}

impl Lines {
    /// Where the first line with the fault is, from 1, if the highest scores come first.
    fn rank(&self, score: impl Fn(usize) -> f64) -> Option<usize> {
        let mut order: Vec<usize> = (0..self.guilty.len()).collect();
        order.sort_by(|one, other| score(*other).total_cmp(&score(*one)));
        let first = order.iter().position(|index| self.guilty[*index]);
        first.map(|index| index + 1)
    }

    /// By how much the best line with the fault is more than each other line, in each feature.
    fn differences(&self) -> Vec<Vec<f64>> {
        let Some(best) = self.guilty.iter().position(|is_guilty| *is_guilty) else {
            return Vec::new();
        };
        let others = self.features.iter().zip(&self.guilty);
        let others = others.filter(|(_, is_guilty)| !**is_guilty);
        let less = others.map(|(other, _)| {
            let pairs = self.features[best].iter().zip(other);
            pairs.map(|(one, other)| one - other).collect()
        });
        less.collect()
    }
}

fn score(worths: &[f64], features: &[f64]) -> f64 {
    worths
        .iter()
        .zip(features)
        .map(|(one, other)| one * other)
        .sum()
}

/// The worths that put lines with the fault first, as far as that goes.
fn fit(reports: &[&Lines]) -> Vec<f64> {
    let pairs: Vec<Vec<Vec<f64>>> = reports.iter().map(|lines| lines.differences()).collect();
    let pairs: Vec<&Vec<Vec<f64>>> = pairs.iter().filter(|one| !one.is_empty()).collect();
    let mut prior = vec![0.0; Feature::ALL.len()];
    for (feature, worth) in PRIOR {
        prior[feature as usize] = worth;
    }
    let mut worths = prior.clone();
    for _ in 0..STEPS {
        let pairs_of = worths.iter().zip(&prior);
        let mut slope: Vec<f64> = pairs_of
            .map(|(worth, prior)| PULL * (prior - worth))
            .collect();
        for differences in &pairs {
            // A long report counts more than a short one, but not as often as it has lines.
            let weight = 1.0 / (differences.len() as f64).sqrt() / pairs.len() as f64;
            for difference in *differences {
                let miss = 1.0 / (1.0 + score(&worths, difference).exp());
                for (slope, more) in slope.iter_mut().zip(difference) {
                    *slope += weight * miss * more;
                }
            }
        }
        for (worth, slope) in worths.iter_mut().zip(slope) {
            *worth += PACE * slope;
        }
    }
    worths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_feature_that_tells_guilty_lines_gets_the_worth() {
        let with = |feature: Feature| {
            let mut values = vec![0.0; Feature::ALL.len()];
            values[feature as usize] = 1.0;
            values
        };
        let report = Lines {
            features: vec![
                with(Feature::Value),
                with(Feature::Variable),
                with(Feature::Skip),
            ],
            guilty: vec![false, true, false],
        };
        let worths = fit(&[&report, &report]);
        assert!(worths[Feature::Variable as usize] > 2.0, "{worths:?}");
        assert!(worths[Feature::Value as usize] < -0.2);
        assert_eq!(report.rank(|index| -(index as f64)), Some(2));
        let by_worth = |index: usize| score(&worths, &report.features[index]);
        assert_eq!(report.rank(by_worth), Some(1));
    }
}
