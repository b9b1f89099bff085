use proptest::prelude::*;
use yester_core::{Grouping, Outcome, Stop, Subset, Tester, dd, dd_plus, ddmin, minimise};

use crate::synthetic::{
    Ahead, Synthetic, Witness, ambiguous, any_space, inconsistent, plain, wild,
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

const ALL: [(&str, Search); 4] = [
    ("dd", run_dd),
    ("dd_plus", run_dd_plus),
    ("ddmin", run_ddmin),
    ("minimise", run_minimise),
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
    fn ddmin_stays_within_its_bound(space in wild(40)) {
        let (_, asked) = search(run_ddmin, &space);
        prop_assert!(asked <= space.universe * space.universe + 3 * space.universe);
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
