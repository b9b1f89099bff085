//! Every system call fails, and the power goes at every moment.

use std::path::Path;

use crate::case::{Case, Harm, Prepared};
use crate::delta_case::{CHANGES_HISTORY, CHANGES_TREES, HISTORY, REDUCE_DIRECTORY, REDUCE_FILE};
use crate::injection::{Fault, Interposer, KINDS, faults};
use crate::power::{self, Tally};
use crate::program_case::{EXPLAIN, FLIP};

/// The cases, and of how many calls one fails or is the last: those that run compilers take seconds.
const CASES: [(Case, usize); 7] = [
    (REDUCE_FILE, 1),
    (REDUCE_DIRECTORY, 1),
    (CHANGES_TREES, 1),
    (CHANGES_HISTORY, 1),
    (HISTORY, 3),
    (EXPLAIN, 23),
    (FLIP, 23),
];

/// So many kills has each case at most, for each kind of call.
const KILLS: usize = 200;

const HARMS: [Harm; 5] = [
    Harm::Unclear,
    Harm::Wrong,
    Harm::Lost,
    Harm::Litter,
    Harm::Hung,
];

/// Tries a fault at every call, until a run does not come that far.
fn try_all(
    interposer: &Interposer,
    prepared: &Prepared<'_>,
    fault: &Fault,
    stride: usize,
) -> Tally {
    let mut tally = Tally::default();
    for nth in (1..).step_by(stride) {
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

/// Kills yester at calls of one kind, as many as come to its share.
fn kill_all(interposer: &Interposer, prepared: &Prepared<'_>, kind: &str) -> Tally {
    let mut tally = Tally::default();
    for nth in 1..=KILLS {
        match interposer.kill_once(prepared, kind, nth) {
            Ok(None) => break,
            Ok(Some(())) => tally.answered += 1,
            Err(violation) => tally.violations.push(violation),
        }
        tally.points += 1;
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
    for (case, stride) in &CASES {
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
                row(
                    &name,
                    try_all(&interposer, &prepared, &fault, *stride),
                    &mut total,
                );
            }
        }
        for (kind, _) in KINDS {
            let name = format!("{} | yester | {kind} | kill -9", case.name);
            if is_asked_for(&name) {
                row(&name, kill_all(&interposer, &prepared, kind), &mut total);
            }
        }
        let name = format!("{} | yester | power |", case.name);
        // What keeps no journal has nothing to lose.
        if is_asked_for(&name) && !case.outputs.is_empty() {
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
