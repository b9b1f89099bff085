//! Caching, prediction and grouping.

use proptest::prelude::*;
use yester_core::{Answer, Cached, Grouping, Knowledge, Outcome, Predicted, Stop, Subset, Tester};

use crate::synthetic::{Ahead, Synthetic, Witness, any_space, inconsistent};

fn subsets(universe: usize, most: usize) -> impl Strategy<Value = Vec<Subset>> {
    let subset = prop::collection::vec(any::<bool>(), universe)
        .prop_map(move |bits| Subset::of(universe, (0..universe).filter(|delta| bits[*delta])));
    prop::collection::vec(subset, 1..=most)
}

/// A space, and lists of candidates out of a few subsets, so that they come again.
fn questions() -> impl Strategy<Value = (Synthetic, Vec<Vec<Subset>>)> {
    any_space(12).prop_flat_map(|space| {
        let lists = subsets(space.universe, 12).prop_flat_map(|pool| {
            prop::collection::vec(
                prop::collection::vec(prop::sample::select(pool), 0..10),
                1..8,
            )
        });
        (Just(space), lists)
    })
}

const OUTCOMES: [Outcome; 3] = [Outcome::Pass, Outcome::Fail, Outcome::Unresolved];

/// What asking in order gives.
fn lowest(
    candidates: &[Subset],
    wanted: Outcome,
    outcome: impl Fn(&Subset) -> Outcome,
) -> Option<usize> {
    candidates
        .iter()
        .position(|candidate| outcome(candidate) == wanted)
}

/// Writes down how many candidates each call of `first` was given.
struct Calls<'a> {
    inner: Witness<'a>,
    calls: &'a mut Vec<usize>,
}

impl Tester for Calls<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        self.inner.test(subset)
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        let mut count = 0;
        let index = self
            .inner
            .first(&mut candidates.inspect(|_| count += 1), wanted);
        self.calls.push(count);
        index
    }

    fn foresee(&mut self, _: &mut dyn Iterator<Item = Subset>) {}
}

proptest! {
    #[test]
    fn a_cache_gives_the_lowest_index_however_often_it_is_asked((space, lists) in questions(), jobs in 1usize..6) {
        let mut cached = Cached::new(Ahead::new(&space, jobs));
        for (list, wanted) in lists.iter().zip(OUTCOMES.iter().cycle()) {
            let index = cached.first(&mut list.iter().cloned(), *wanted).unwrap();
            prop_assert_eq!(index, lowest(list, *wanted, |subset| space.outcome(subset)));
            for candidate in list.iter().take(2) {
                prop_assert_eq!(cached.test(candidate).unwrap().outcome, space.outcome(candidate));
            }
        }
    }

    #[test]
    fn a_cache_asks_nothing_twice_when_one_outcome_is_wanted((space, lists) in questions()) {
        // The witness panics on a question that comes twice.
        let mut cached = Cached::new(Witness::new(&space));
        for list in &lists {
            let index = cached.first(&mut list.iter().cloned(), Outcome::Fail).unwrap();
            prop_assert_eq!(index, lowest(list, Outcome::Fail, |subset| space.outcome(subset)));
        }
    }

    #[test]
    fn a_prediction_skips_only_what_is_unresolved((space, lists) in questions(), jobs in 1usize..6) {
        let knowledge = space.knowledge();
        let predictable = |subset: &Subset| space.noise.is_none() && space.lacking(subset).next().is_some();
        let outcome = |subset: &Subset| {
            if predictable(subset) { Outcome::Unresolved } else { space.outcome(subset) }
        };
        let mut predicted = Predicted::new(Ahead::new(&space, jobs), &knowledge);
        let mut expected = 0;
        for (list, wanted) in lists.iter().zip(OUTCOMES.iter().cycle()) {
            let index = predicted.first(&mut list.iter().cloned(), *wanted).unwrap();
            prop_assert_eq!(index, lowest(list, *wanted, outcome));
            let seen = index.map_or(list.len(), |index| index + 1);
            expected += list[..seen].iter().filter(|subset| predictable(subset)).count() as u64;
            prop_assert_eq!(predicted.predicted(), expected);
        }
    }

    #[test]
    fn a_closure_is_the_least_allowed_superset_and_an_interior_the_largest_allowed_subset(
        space in inconsistent(10),
        ranks in prop::option::of(prop::collection::vec(0usize..4, 10)),
        bits in any::<u16>(),
    ) {
        let universe = space.universe;
        let mut knowledge = space.knowledge();
        if let Some(ranks) = ranks {
            knowledge.order(ranks[..universe].to_vec());
        }
        let of = |bits: u32| Subset::of(universe, (0..universe).filter(|delta| bits >> delta & 1 == 1));
        let subset = of(u32::from(bits));
        let allowed: Vec<Subset> = (0..1u32 << universe).map(of).filter(|one| knowledge.allows(one)).collect();
        let supersets = allowed.iter().filter(|one| subset.is_subset(one));
        let least = supersets.fold(Subset::full(universe), |least, one| least.intersection(one));
        prop_assert_eq!(knowledge.closure(&subset), least);
        let inside = allowed.iter().filter(|one| one.is_subset(&subset));
        let largest = inside.fold(Subset::empty(universe), |largest, one| largest.union(one));
        prop_assert_eq!(knowledge.interior(&subset), largest);
    }

    #[test]
    fn a_partition_cuts_a_group_only_when_there_are_too_few_groups(
        names in prop::collection::vec((0usize..4, 0usize..3), 1..60),
        left_out in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        parts in any::<prop::sample::Index>(),
    ) {
        let universe = names.len();
        let left_out: Vec<usize> = left_out.iter().map(|index| index.index(universe)).collect();
        let subset = Subset::full(universe).without(&left_out);
        prop_assume!(!subset.is_empty());
        let parts = 1 + parts.index(subset.len());
        let grouping = Grouping::by(universe, |delta| vec![names[delta].0, names[delta].1]);
        let partition = grouping.partition(&subset, parts);
        prop_assert_eq!(partition.count(), parts);
        prop_assert!(partition.iter().all(|part| !part.is_empty()));
        let mut members: Vec<usize> = partition.iter().flatten().copied().collect();
        members.sort_unstable();
        prop_assert_eq!(members, subset.iter().collect::<Vec<_>>());
        let whole = |name: &dyn Fn(usize) -> usize| {
            let mut groups: Vec<usize> = subset.iter().map(name).collect();
            groups.sort_unstable();
            groups.dedup();
            let parts_of = |group: usize| {
                partition.iter().filter(|part| part.iter().any(|delta| name(*delta) == group)).count()
            };
            (groups.len(), groups.iter().all(|group| parts_of(*group) == 1))
        };
        let (outer, outer_whole) = whole(&|delta| names[delta].0);
        let (inner, inner_whole) = whole(&|delta| 10 * names[delta].0 + names[delta].1);
        prop_assert!(outer_whole || parts > outer);
        prop_assert!(inner_whole || parts > inner);
    }

    #[test]
    fn a_flat_partition_is_even(universe in 1usize..500, parts in any::<prop::sample::Index>()) {
        let parts = 1 + parts.index(universe);
        let partition = Grouping::flat(universe).partition(&Subset::full(universe), parts);
        let sizes: Vec<usize> = partition.iter().map(<[usize]>::len).collect();
        prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{:?}", sizes);
    }
}

#[test]
fn what_is_known_in_the_middle_of_a_list_does_not_cut_it_into_several_calls() {
    let space = Synthetic {
        universe: 8,
        causes: vec![vec![0, 1]],
        needs: Vec::new(),
        noise: None,
    };
    let mut calls = Vec::new();
    let mut cached = Cached::new(Calls {
        inner: Witness::new(&space),
        calls: &mut calls,
    });
    let single = |delta| Subset::of(8, [delta]);
    for delta in [1, 3, 5] {
        cached.test(&single(delta)).unwrap();
    }
    let index = cached.first(&mut (0..8).map(single), Outcome::Fail);
    assert_eq!(index.unwrap(), None);
    assert_eq!(calls, [5]);
}

#[test]
fn deltas_that_conflict_are_not_allowed_together() {
    let mut knowledge = Knowledge::none(4);
    knowledge.conflict(vec![1, 3]);
    assert!(!knowledge.allows(&Subset::full(4)));
    assert!(knowledge.allows(&Subset::of(4, [0, 1, 2])));
}
