//! Small sets of changes that are worth a trial of their own, whatever they seem to need.

use std::collections::{BTreeMap, BTreeSet};

use yester_core::{Knowledge, Space, Subset};

use super::suspicion::Suspicion;
use super::tuning::TUNING;
use crate::ChangeSpace;

/// The parts of a failing set that may fail by themselves, the likeliest first.
///
/// These are what nothing else in the set needs, what the guilty commits changed, each file, and each delta. Twice as many
/// lines are worth one more trial. What makes no sense for itself costs none and is not counted.
pub(super) fn small_sets(
    space: &ChangeSpace,
    knowledge: &Knowledge,
    suspicion: &Suspicion,
    guilty: &BTreeSet<usize>,
    failing: &Subset,
) -> Vec<Subset> {
    let weight = |subset: &Subset| subset.iter().map(|delta| space.weight(delta)).sum::<u64>();
    let all = weight(failing);
    let trials = (all / TUNING.few_lines as u64).checked_ilog2().unwrap_or(0) as usize;
    if trials == 0 {
        return Vec::new();
    }
    let subset = |deltas: Vec<usize>| Subset::of(space.len(), deltas);
    let is_guilty = |delta: &usize| {
        let atoms = &space.deltas[*delta].atoms;
        atoms.iter().any(|atom| guilty.contains(&(*atom as usize)))
    };
    let by_mass = |sets: &mut Vec<Subset>| {
        let mass = |set: &Subset| set.iter().map(|delta| suspicion.mass(delta)).sum::<f64>();
        sets.sort_by(|one, other| mass(other).total_cmp(&mass(one)));
    };
    let mut files: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for delta in failing.iter() {
        let change = space
            .difference()
            .change_of(space.deltas[delta].atoms[0] as usize);
        files.entry(change).or_default().push(delta);
    }
    let mut files: Vec<Subset> = files.into_values().map(subset).collect();
    by_mass(&mut files);
    let mut single: Vec<Subset> = failing.iter().map(|delta| subset(vec![delta])).collect();
    by_mass(&mut single);
    let top = top(knowledge, failing);
    let guilty = subset(failing.iter().filter(is_guilty).collect());
    let sets = [top, guilty].into_iter().chain(files).chain(single);
    let mut known = BTreeSet::new();
    let mut doubtful = 0;
    // A compiler refuses what an interpreter never comes to.
    let mut is_worth_it = |set: &Subset| {
        let lacks = knowledge.closure(set) != *set;
        let is_doubtful = lacks && set.iter().any(|delta| space.is_compiled(delta));
        doubtful += usize::from(is_doubtful);
        !is_doubtful || doubtful <= TUNING.doubtful_sets
    };
    sets.filter(|set| !set.is_empty() && weight(set) <= all / 2)
        .filter(|set| known.insert(set.iter().collect::<Vec<_>>()))
        .take(TUNING.looked_at)
        .filter(|set| space.render(set).is_ok() && is_worth_it(set))
        .take(trials)
        .collect()
}

/// What nothing else in a set needs.
fn top(knowledge: &Knowledge, failing: &Subset) -> Subset {
    let is_top = |delta: &usize| {
        let left = knowledge.interior(&failing.without(&[*delta]));
        left.len() + 1 == failing.len()
    };
    Subset::of(failing.universe(), failing.iter().filter(is_top))
}
