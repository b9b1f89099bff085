use proptest::prelude::*;
use yester_core::{
    Answer, BranchLimits, Cached, Grouping, Knowledge, Lesson, Outcome, Reach, Stop, Subset,
    Tester, binary_reduction, bisection, dd, dd_plus, ddmin, isolate, minimise, minimise_closed,
    remove_unneeded, remove_with_dependents, sweep, try_alone,
};

use crate::synthetic::{
    Ahead, Rule, Shrinking, Synthetic, Witness, ambiguous, any_space, inconsistent, plain, wild,
};

type Search = fn(&mut dyn Tester, &Synthetic) -> Result<Subset, Stop>;

fn run_dd(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    dd(tester, &Grouping::flat(space.universe), &space.full())
}

fn run_dd_plus(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    dd_plus(tester, &Grouping::flat(space.universe), &space.full())
}

fn run_ddmin(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    ddmin(tester, &Grouping::flat(space.universe), &space.full())
}

fn run_minimise(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    minimise(tester, &space.full(), |delta| delta as u64 % 7)
}

fn run_bisection(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    bisection(tester, &Grouping::flat(space.universe), &space.full())
}

/// Says which sides it found by leaving out of the failing side what makes no difference.
fn run_isolate(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    let nothing = Subset::empty(space.universe);
    let grouping = Grouping::flat(space.universe);
    Ok(isolate(tester, &grouping, &nothing, &space.full())?.failing)
}

fn run_sweep(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    let mut cached = Cached::new(tester);
    let left = sweep(&mut cached, &space.full(), |_| 1, Reach::Everything)?;
    sweep(&mut cached, &left, |_| 1, Reach::Single)
}

/// Half of the needs are known.
fn half(space: &Synthetic) -> Knowledge {
    let mut knowledge = Knowledge::none(space.universe);
    for (delta, needed) in space.needs.iter().step_by(2) {
        knowledge.need(*delta, *needed);
    }
    knowledge
}

/// Teaches the other half, some of it without saying who needs it.
fn teacher(space: &Synthetic) -> impl FnMut(&Subset, &Answer) -> Lesson {
    |subset, _| Lesson {
        needs: space.lacking(subset).take(1).collect(),
        add: space
            .lacking(subset)
            .map(|(_, needed)| needed)
            .skip(2)
            .collect(),
    }
}

fn run_binary_reduction(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    let grouping = Grouping::flat(space.universe);
    let mass = |delta: usize| 1.0 + delta as f64;
    let learn = &mut teacher(space);
    binary_reduction(
        tester,
        &grouping,
        &mass,
        &mut half(space),
        &space.full(),
        learn,
    )
}

fn run_remove_unneeded(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    let learn = &mut teacher(space);
    let found = remove_unneeded(tester, &mut half(space), &space.full(), 10, learn)?;
    Ok(found.failing)
}

const LIMITS: BranchLimits = BranchLimits {
    lightest: 0.02,
    heaviest: 0.5,
    refusals: 5,
};

fn run_remove_with_dependents(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    let mut knowledge = half(space);
    let weight = |delta: usize| delta as u64 % 7;
    let learn = &mut teacher(space);
    remove_with_dependents(
        tester,
        &mut knowledge,
        &space.full(),
        &weight,
        LIMITS,
        learn,
    )
}

/// Each delta alone, and each with the next one.
fn small_ones(space: &Synthetic) -> impl Iterator<Item = Subset> {
    let universe = space.universe;
    (0..universe).flat_map(move |delta| {
        let next = (delta + 1) % universe;
        [vec![delta], vec![delta, next]].map(|deltas| Subset::of(universe, deltas))
    })
}

fn run_try_alone(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    try_alone(tester, &mut half(space), &space.full(), small_ones(space))
}

/// Knows half of the needs and learns the others from unresolved outcomes.
fn run_closed(tester: &mut dyn Tester, space: &Synthetic) -> Result<Subset, Stop> {
    let mut knowledge = half(space);
    let mut learn = teacher(space);
    let grouping = Grouping::flat(space.universe);
    minimise_closed(
        tester,
        &grouping,
        &|_| 1.0,
        &mut knowledge,
        &space.full(),
        &mut learn,
    )
}

const ALL: [(&str, Search); 12] = [
    ("binary_reduction", run_binary_reduction),
    ("bisection", run_bisection),
    ("isolate", run_isolate),
    ("minimise_closed", run_closed),
    ("dd", run_dd),
    ("dd_plus", run_dd_plus),
    ("ddmin", run_ddmin),
    ("minimise", run_minimise),
    ("remove_unneeded", run_remove_unneeded),
    ("remove_with_dependents", run_remove_with_dependents),
    ("sweep", run_sweep),
    ("try_alone", run_try_alone),
];

/// The result of a search and how many questions it took. Panics when a question comes twice.
fn search(search: Search, space: &Synthetic) -> (Subset, usize) {
    let mut witness = Witness::new(space);
    let found = search(&mut witness, space).expect("nothing stops a synthetic tester");
    (found, witness.asked.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_number_of_jobs_gives_the_result_of_one(space in any_space(80), jobs in 2usize..=8) {
        for (name, run) in ALL {
            let (alone, _) = search(run, &space);
            let mut ahead = Ahead::new(&space, jobs);
            prop_assert_eq!(run(&mut ahead, &space).unwrap(), alone, "{}", name);
        }
    }

    #[test]
    fn ddmin_and_minimise_are_one_minimal_and_asked_for_the_proof(space in any_space(60)) {
        for (name, run) in [("ddmin", run_ddmin as Search), ("minimise", run_minimise)] {
            let mut witness = Witness::new(&space);
            let found = run(&mut witness, &space).unwrap();
            prop_assert!(space.is_one_minimal(&found), "{}: {:?}", name, found);
            for delta in found.iter() {
                prop_assert!(witness.asked.contains(&found.without(&[delta])), "{}: {}", name, delta);
            }
        }
    }

    #[test]
    fn dd_finds_the_one_cause_within_its_bound(space in plain(500)) {
        let (found, asked) = search(run_dd, &space);
        prop_assert_eq!(&found, &Subset::of(space.universe, space.causes[0].clone()));
        prop_assert!(asked <= 2 * space.universe);
        prop_assert_eq!((found, asked), search(run_dd_plus, &space));
    }

    #[test]
    fn dd_finds_a_single_cause_in_ambiguous_spaces(mut space in ambiguous(500)) {
        space.causes.iter_mut().for_each(|cause| cause.truncate(1));
        let (found, _) = search(run_dd, &space);
        prop_assert_eq!(space.outcome(&found), Outcome::Fail);
        prop_assert_eq!(found.len(), 1);
    }

    #[test]
    fn dd_plus_keeps_a_single_culprit_within_its_bound(mut space in inconsistent(300)) {
        space.causes = vec![vec![space.causes[0][0]]];
        let culprit = space.causes[0][0];
        let (found, asked) = search(run_dd_plus, &space);
        prop_assert!(found.contains(culprit), "{:?} misses {}", found, culprit);
        // Twice as many tests as dd, and two more in each of the log n rounds to be sure of the invariant.
        let rounds = 2 * (space.universe.ilog2() as usize + 1);
        prop_assert!(asked <= 4 * space.universe + rounds, "{} for {}", asked, space.universe);
    }

    #[test]
    fn dd_plus_finds_a_part_of_the_cause(mut space in inconsistent(100)) {
        space.causes.truncate(1);
        let (found, _) = search(run_dd_plus, &space);
        let cause = Subset::of(space.universe, space.causes[0].clone());
        let needed = space.knowledge().closure(&cause);
        prop_assert!(!found.intersection(&needed).is_empty(), "{:?} of {:?}", found, needed);
    }

    #[test]
    fn dd_plus_never_ends_with_nothing(space in any_space(100)) {
        let (found, _) = search(run_dd_plus, &space);
        prop_assert!(!found.is_empty());
    }

    #[test]
    fn ddmin_stays_within_its_bound(space in wild(40)) {
        let (_, asked) = search(run_ddmin, &space);
        prop_assert!(asked <= space.universe * space.universe + 3 * space.universe);
    }

    #[test]
    fn bisection_fails_and_stays_within_its_bound(space in any_space(500)) {
        let (found, asked) = search(run_bisection, &space);
        prop_assert_eq!(space.outcome(&found), Outcome::Fail);
        prop_assert!(asked < 2 * space.universe);
    }

    #[test]
    fn bisection_is_one_minimal_in_plain_spaces(space in plain(500)) {
        let (found, _) = search(run_bisection, &space);
        prop_assert!(space.is_one_minimal(&found));
    }

    #[test]
    fn isolate_leaves_no_delta_that_can_be_moved(space in any_space(60)) {
        prop_assume!(space.outcome(&Subset::empty(space.universe)) == Outcome::Pass);
        let mut witness = Witness::new(&space);
        let nothing = Subset::empty(space.universe);
        let sides = isolate(&mut witness, &Grouping::flat(space.universe), &nothing, &space.full()).unwrap();
        prop_assert_eq!(space.outcome(&sides.passing), Outcome::Pass);
        prop_assert_eq!(space.outcome(&sides.failing), Outcome::Fail);
        prop_assert!(sides.passing.is_subset(&sides.failing));
        let deltas = sides.deltas();
        if deltas.len() > 1 {
            for delta in deltas.iter() {
                for moved in [sides.passing.with(&[delta]), sides.failing.without(&[delta])] {
                    prop_assert_eq!(space.outcome(&moved), Outcome::Unresolved);
                    prop_assert!(witness.asked.contains(&moved));
                }
            }
        }
    }

    #[test]
    fn isolate_takes_log_n_questions_for_any_number_of_causes(space in ambiguous(3000)) {
        let mut witness = Witness::new(&space);
        let nothing = Subset::empty(space.universe);
        let sides = isolate(&mut witness, &Grouping::flat(space.universe), &nothing, &space.full()).unwrap();
        prop_assert_eq!(sides.deltas().len(), 1);
        prop_assert!(witness.asked.len() <= space.universe.ilog2() as usize + 1);
    }

    #[test]
    fn a_closed_result_fails_and_no_delta_can_go_with_all_that_need_it(space in inconsistent(200)) {
        let mut knowledge = space.knowledge();
        let mut witness = Witness::new(&space);
        let grouping = Grouping::flat(space.universe);
        let found = minimise_closed(&mut witness, &grouping, &|_| 1.0, &mut knowledge, &space.full(), &mut |subset, _| {
            panic!("{subset:?} is closed, so it is resolved")
        }).unwrap();
        prop_assert_eq!(space.outcome(&found), Outcome::Fail);
        for delta in found.iter() {
            let smaller = knowledge.interior(&found.without(&[delta]));
            prop_assert!(space.outcome(&smaller) != Outcome::Fail);
            prop_assert!(witness.asked.contains(&smaller));
        }
    }

    #[test]
    fn a_closed_result_is_minimal_even_when_what_is_learned_is_wrong(space in any_space(60), lies in any::<u64>()) {
        let universe = space.universe;
        let lie = |subset: &Subset, salt: usize| (subset.len() + salt) * (lies as usize % 1009 + 1) % universe;
        let mut learn = |subset: &Subset, _: &Answer| Lesson {
            needs: subset.iter().take(3).map(|delta| (delta, lie(subset, delta))).collect(),
            add: vec![lie(subset, 1)],
        };
        let mut knowledge = space.knowledge();
        let mut shrinking = Shrinking::new(&space);
        let grouping = Grouping::flat(universe);
        let found = minimise_closed(&mut shrinking, &grouping, &|_| 1.0, &mut knowledge, &space.full(), &mut learn).unwrap();
        prop_assert_eq!(space.outcome(&found), Outcome::Fail);
        prop_assert_eq!(&knowledge.interior(&found), &found);
        for delta in found.iter() {
            let smaller = knowledge.interior(&found.without(&[delta]));
            prop_assert!(space.outcome(&smaller) != Outcome::Fail);
        }
    }

    #[test]
    fn without_what_nothing_needs_it_fails_and_has_all_it_needs(space in any_space(60)) {
        let mut knowledge = space.knowledge();
        let mut witness = Witness::new(&space);
        let mut learn = |subset: &Subset, _: &Answer| Lesson {
            needs: space.lacking(subset).take(1).collect(),
            add: Vec::new(),
        };
        let found = remove_unneeded(&mut witness, &mut knowledge, &space.full(), usize::MAX, &mut learn).unwrap().failing;
        prop_assert_eq!(space.outcome(&found), Outcome::Fail);
        prop_assert_eq!(&knowledge.interior(&found), &found);
    }

    #[test]
    fn a_binary_reduction_fails_and_has_all_it_needs(space in any_space(80)) {
        let mut knowledge = half(&space);
        let mut witness = Witness::new(&space);
        let grouping = Grouping::flat(space.universe);
        let learn = &mut teacher(&space);
        let found = binary_reduction(&mut witness, &grouping, &|_| 1.0, &mut knowledge, &space.full(), learn).unwrap();
        prop_assert_eq!(space.outcome(&found), Outcome::Fail);
        prop_assert_eq!(&knowledge.closure(&found), &found);
    }

    #[test]
    fn a_small_set_that_fails_is_found_whatever_it_is_said_to_need(space in any_space(60), lies in any::<u64>()) {
        let mut knowledge = space.knowledge();
        for delta in 0..space.universe {
            knowledge.need(delta, (delta + lies as usize % 97 + 1) % space.universe);
        }
        let mut witness = Witness::new(&space);
        let found = try_alone(&mut witness, &mut knowledge, &space.full(), small_ones(&space)).unwrap();
        prop_assert_eq!(space.outcome(&found), Outcome::Fail);
        prop_assert_eq!(&knowledge.closure(&found), &found);
        let is_smaller = |small: &Subset| small.len() < space.universe;
        let first = small_ones(&space).filter(is_smaller).find(|small| space.outcome(small) == Outcome::Fail);
        prop_assert_eq!(found, first.unwrap_or(space.full()));
    }

    #[test]
    fn without_whole_branches_it_fails_and_has_all_it_needs(space in any_space(60)) {
        let mut knowledge = space.knowledge();
        let mut witness = Witness::new(&space);
        let mut learn = |subset: &Subset, _: &Answer| Lesson {
            needs: space.lacking(subset).take(1).collect(),
            add: Vec::new(),
        };
        let found = remove_with_dependents(&mut witness, &mut knowledge, &space.full(), &|_| 1, LIMITS, &mut learn).unwrap();
        prop_assert_eq!(space.outcome(&found), Outcome::Fail);
        prop_assert_eq!(&knowledge.interior(&found), &found);
    }

    #[test]
    fn removing_what_nothing_needs_leaves_just_the_causes_and_what_they_need(space in plain(300)) {
        let mut knowledge = space.knowledge();
        let mut witness = Witness::new(&space);
        let learn = &mut |_: &Subset, _: &Answer| Lesson::default();
        let found = remove_unneeded(&mut witness, &mut knowledge, &space.full(), usize::MAX, learn).unwrap().failing;
        for delta in found.iter() {
            prop_assert!(space.outcome(&found.without(&[delta])) != Outcome::Fail);
        }
    }

    #[test]
    fn minimise_finds_k_of_n_in_about_k_log_n_questions(space in plain(5000)) {
        let (found, asked) = search(|tester, space| minimise(tester, &space.full(), |_| 1), &space);
        let kept = found.len();
        let each = (space.universe as f64 / kept as f64).log2() + 4.0;
        // One question more for the proof of each, and a few to get going.
        let bound = kept as f64 * (2.0 * each + 1.0) + 4.0;
        prop_assert!(asked as f64 <= bound, "{} questions for {} of {}", asked, kept, space.universe);
    }
}

/// Each of the first two can go, but not both.
#[test]
fn dd_plus_drops_only_what_can_go_together() {
    let mut rule = Rule(|applied| match applied {
        [true, true, true, true] | [false, true, true, true] | [true, false, true, true] => {
            Outcome::Fail
        }
        _ => Outcome::Unresolved,
    });
    let found = dd_plus(&mut rule, &Grouping::flat(4), &Subset::full(4)).unwrap();
    assert_eq!(found, Subset::of(4, [1, 2, 3]));
}

/// The first and the third pass alone and fail together, and no complement is resolved.
#[test]
fn dd_plus_does_not_keep_applied_what_fails_together() {
    let mut rule = Rule(|applied| match applied {
        [true, true, true, true] | [true, false, true, false] => Outcome::Fail,
        [true, false, false, false] | [false, false, true, false] => Outcome::Pass,
        _ => Outcome::Unresolved,
    });
    let found = dd_plus(&mut rule, &Grouping::flat(4), &Subset::full(4)).unwrap();
    assert_eq!(found, Subset::of(4, [0, 2]));
}

#[test]
fn ddmin_goes_on_with_the_parts_that_are_left_of_a_complement() {
    let space = Synthetic {
        universe: 8,
        causes: vec![vec![0, 6, 7]],
        needs: Vec::new(),
        noise: None,
    };
    // 2 halves, 4 quarters, 2 complements down to 3 parts, 1 complement, 4 singles, 2 complements, 2 pairs (78 is a quarter).
    assert_eq!(search(run_ddmin, &space).1, 17);
}

#[test]
fn one_culprit_among_a_hundred_thousand_costs_at_most_forty_questions() {
    for culprit in [0, 1, 31_337, 50_000, 99_999] {
        let space = Synthetic {
            universe: 100_000,
            causes: vec![vec![culprit]],
            needs: Vec::new(),
            noise: None,
        };
        let (found, asked) = search(run_minimise, &space);
        assert_eq!(found.iter().collect::<Vec<_>>(), [culprit]);
        assert!(asked <= 40, "{asked}");
    }
}
