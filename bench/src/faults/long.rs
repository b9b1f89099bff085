//! Every system call fails, and the power goes at every moment.

use std::path::Path;

use crate::case::{
    CHANGES_HISTORY, CHANGES_TREES, Case, Harm, Prepared, REDUCE_DIRECTORY, REDUCE_FILE,
};
use crate::injection::{Fault, Interposer, Tally, faults};
use crate::power;

const CASES: [Case; 4] = [
    REDUCE_FILE,
    REDUCE_DIRECTORY,
    CHANGES_TREES,
    CHANGES_HISTORY,
];

const HARMS: [Harm; 5] = [
    Harm::Unclear,
    Harm::Wrong,
    Harm::Lost,
    Harm::Litter,
    Harm::Hung,
];

/// Tries a fault at every call, until a run does not come that far.
fn try_all(interposer: &Interposer, prepared: &Prepared<'_>, fault: &Fault) -> Tally {
    let mut tally = Tally::default();
    for nth in 1.. {
        match interposer.try_once(prepared, fault, nth) {
            Ok(None) => break,
            Ok(Some(has_answered)) => tally.answered += usize::from(has_answered),
            Err(violation) => tally.violations.push(violation),
        }
        tally.points += 1;
        // After that many the rest would only say the same.
        if tally.violations.len() >= 20 {
            break;
        }
    }
    tally
}

/// So many ended with a clear error, and the call after with the answer.
fn refused(tally: &Tally) -> usize {
    tally.points - tally.answered - tally.violations.len()
}

/// Prints a row for each fault of each case, or of those with these words in their names. Whether all is well.
pub fn run(yester: &Path, words: &[String]) -> bool {
    let is_asked_for =
        |name: &str| words.is_empty() || words.iter().all(|word| name.contains(word));
    println!(
        "| case | in | call | error | points | answer | clear error | unclear | wrong | lost | litter | hung |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let interposer = Interposer::new();
    let mut total = Tally::default();
    for case in &CASES {
        let prepared = Prepared::new(case, yester);
        for fault in faults() {
            let error = format!(
                "{}{}",
                fault.error.0,
                if fault.lasting { " from then on" } else { "" }
            );
            let name = format!(
                "{} | {} | {} | {error}",
                case.name,
                fault.who.name(),
                fault.kind
            );
            if is_asked_for(&name) {
                row(&name, try_all(&interposer, &prepared, &fault), &mut total);
            }
        }
        let name = format!("{} | yester | power |", case.name);
        if is_asked_for(&name) {
            row(
                &name,
                power::lose_everywhere(&interposer, &prepared, 1),
                &mut total,
            );
        }
    }
    println!(
        "\n{} points, {} answers, {} clear errors, {} violations",
        total.points,
        total.answered,
        refused(&total),
        total.violations.len()
    );
    total.violations.is_empty()
}

fn row(name: &str, tally: Tally, total: &mut Tally) {
    if tally.points > 0 {
        print!(
            "| {name} | {} | {} | {} |",
            tally.points,
            tally.answered,
            refused(&tally)
        );
        for harm in HARMS {
            let violations = tally.violations.iter();
            let count = violations.filter(|(_, violation)| violation.harm == harm);
            print!(" {} |", count.count());
        }
        println!();
        for (place, violation) in &tally.violations {
            eprintln!("{place}\n    {:?}: {}", violation.harm, violation.what);
        }
    }
    total.points += tally.points;
    total.answered += tally.answered;
    total.violations.extend(tally.violations);
}
