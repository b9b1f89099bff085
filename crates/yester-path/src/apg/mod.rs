//! The path is generated: inputs near to the failing one that take another path and succeed, after Wang and Roychoudhury (2005).
//!
//! First each branch is turned by itself, at the last and the first time that it is met: one question and one run each, all of which
//! the rest builds on. Then sets of branches are turned in the order of the paper, until nothing nearer is left. Last come the other
//! times at which a branch is met, if nothing was found. How much all of it may work is in `work`.

mod finding;
pub mod path_generation;
mod reduction;
mod search;
mod space;
mod taken;
mod tree;
mod work;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use yester_core::Outcome;

pub use self::finding::{PathFindings, PathPlace, PathSuccess};
use self::path_generation::{Turnable, generate_paths};
pub use self::reduction::{Reduction, ReductionLimits, reduce};
pub use self::search::PathSearch;
use self::space::{Realised, TreeSpace};
use self::taken::TakenRun;
pub use self::tree::PathSettings;
use self::tree::{Stop, Tree};
pub use self::work::Limit;
use crate::input::ProgramInput;
use crate::program::Program;

/// So many branches are turned together at most.
const MOST_TURNED: usize = 6;
/// So many branches go to the solvers at once. The number does not depend on the number of jobs, so that the answers do not.
const CHUNK: usize = 32;
/// So many runs are shown to a user before sets of branches are turned.
const MOST_SHOWN: usize = 6;

/// Looks for inputs that take another path than this one, on which the program fails, and succeed.
///
/// # Errors
/// If the program ends the search.
pub fn generate<P: Program>(
    settings: &PathSettings<'_>,
    program: &mut P,
    input: &ProgramInput,
) -> Result<PathFindings, P::Stop> {
    let mut tree = Tree::new(settings, program, input)?;
    let turnable = turnable(&tree.failing);
    let (chosen, rest) = in_order(&tree.failing, &turnable);
    let mut is_exhausted = false;
    let mut notes = Vec::new();
    if turnable.branches.is_empty() {
        notes.push("no branch of the failing run depends on the input that may vary".to_owned());
    }
    tree.allowed = settings.most_runs / 2;
    turn_each(&mut tree, &chosen)?;
    show_best(&mut tree)?;
    tree.allowed = settings.most_runs - settings.most_runs / 4;
    // Rounds of loops are many. They are worth the runs only as long as nothing is known.
    let mut turnable = turnable;
    let mut leaves_out_loops = false;
    if let Some(nearest) = tree.nearest() {
        let first = nearest.0.first().copied().unwrap_or_default();
        leaves_out_loops = turnable.loops.iter().any(|event| *event > first);
        let loops = std::mem::take(&mut turnable.loops);
        turnable.branches.retain(|event| !loops.contains(event));
    }
    let failing = Rc::clone(&tree.failing);
    let mut space = TreeSpace::new(&mut tree);
    let ended = generate_paths(&failing.run, &turnable, Rc::from([]), &mut space);
    let is_unknown = space.known.values().any(|one| *one == Realised::Unknown);
    let has_given_up_rests = space.has_given_up_rests;
    match ended {
        Ok(generated) => {
            is_exhausted = generated.is_whole && !is_unknown && !leaves_out_loops;
        }
        Err(Stop::Budget) => {}
        Err(Stop::Failed(failure)) => return Err(failure),
    }
    if is_exhausted && has_given_up_rests {
        notes.push(
            "some nearer paths were excluded because no input takes their last part; that is certain unless what comes \
             before changes what is computed there"
                .to_owned(),
        );
    }
    if tree.nearest().is_none() {
        tree.allowed = settings.most_runs;
        turn_each(&mut tree, &rest)?;
    }
    Ok(PathFindings::new(&tree, is_exhausted, notes))
}

/// Turns branches of the failing run, each by itself, as long as runs are left.
fn turn_each<P: Program>(tree: &mut Tree<'_, P>, branches: &[usize]) -> Result<(), P::Stop> {
    for chunk in branches.chunks(CHUNK) {
        match tree.turn_all(chunk) {
            Ok(()) => {}
            Err(Stop::Failed(failure)) => return Err(failure),
            Err(Stop::Budget) => break,
        }
    }
    Ok(())
}

/// If a user is the judge, asks about the best runs until one is right.
fn show_best<P: Program>(tree: &mut Tree<'_, P>) -> Result<(), P::Stop> {
    if !tree.is_judged_by_person() {
        return Ok(());
    }
    let mut runs: Vec<usize> = (1..tree.runs.len())
        .filter(|run| !tree.runs[*run].changed.is_empty())
        .collect();
    runs.sort_by_key(|run| (tree.runs[*run].changed.len(), tree.runs[*run].distance()));
    for run in runs.into_iter().take(MOST_SHOWN) {
        match tree.outcome(run) {
            Ok(Outcome::Pass) => break,
            Ok(_) => {}
            Err(Stop::Failed(failure)) => return Err(failure),
            Err(Stop::Budget) => break,
        }
    }
    Ok(())
}

fn turnable<S>(failing: &TakenRun<S>) -> Turnable {
    let branches = failing.turnable();
    let sites = &failing.recorded.recording.sites;
    let mut of_loops = HashMap::new();
    let loops = branches.iter().copied().filter(|event| {
        let statement = failing.run.events[*event].statement();
        *of_loops
            .entry(statement)
            .or_insert_with(|| sites.is_loop(statement))
    });
    Turnable {
        loops: loops.collect(),
        branches,
        most: MOST_TURNED,
    }
}

/// The last time that each branch is met, from the end, and the first time: those of loops after the others. Then all other times, from
/// the end.
fn in_order<S>(failing: &TakenRun<S>, turnable: &Turnable) -> (Vec<usize>, Vec<usize>) {
    let mut times: HashMap<_, (usize, usize)> = HashMap::new();
    for &event in &turnable.branches {
        let statement = failing.run.events[event].statement();
        times.entry(statement).or_insert((event, event)).1 = event;
    }
    let mut chosen: Vec<(bool, bool, usize)> = Vec::new();
    for (first, last) in times.into_values() {
        let is_loop = turnable.loops.contains(&last);
        chosen.push((is_loop, false, last));
        if first != last {
            chosen.push((is_loop, true, first));
        }
    }
    chosen
        .sort_unstable_by_key(|(is_loop, is_first, event)| (*is_loop, *is_first, Reverse(*event)));
    let chosen: Vec<usize> = chosen.into_iter().map(|(.., event)| event).collect();
    let known: HashSet<usize> = chosen.iter().copied().collect();
    let rest = turnable.branches.iter().rev().copied();
    let rest = rest.filter(|event| !known.contains(event)).collect();
    (chosen, rest)
}
