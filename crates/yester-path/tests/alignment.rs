//! Alignment against the plainest way to compute it, and against what the paper says of its own example.

use proptest::prelude::*;
use yester_path::alignment::{Distance, Run, Statement, aligned, distance};
use yester_path::{
    EventKind, RecordingError, Sites, TraceEvent, align, alignment::align_with_effort,
};

/// The fewest gaps, by the whole table.
fn fewest_gaps(left: &[u8], right: &[u8]) -> usize {
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, one) in left.iter().enumerate() {
        let mut this = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let gap = above[column + 1].min(this[column]) + 1;
            let change = above[column] + if one == other { 0 } else { 2 };
            this.push(gap.min(change));
        }
        above = this;
    }
    above[right.len()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_alignment_has_fewer_gaps(
        left in prop::collection::vec(0..4u8, 0..60),
        right in prop::collection::vec(0..4u8, 0..60),
    ) {
        let alignment = align(&left, &right);
        prop_assert!(alignment.is_best);
        prop_assert_eq!(alignment.gaps, fewest_gaps(&left, &right));
        let pairs: Vec<_> = alignment.pairs().collect();
        prop_assert!(pairs.iter().all(|(one, other)| left[*one] == right[*other]));
        prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        prop_assert_eq!(left.len() + right.len() - 2 * pairs.len(), alignment.gaps);
    }

    #[test]
    fn with_any_effort_it_is_an_alignment(
        left in prop::collection::vec(0..3u8, 0..80),
        right in prop::collection::vec(0..3u8, 0..80),
        effort in 0..6usize,
    ) {
        let alignment = align_with_effort(&left, &right, effort);
        let pairs: Vec<_> = alignment.pairs().collect();
        prop_assert!(pairs.iter().all(|(one, other)| left[*one] == right[*other]));
        prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        let fewest = fewest_gaps(&left, &right);
        prop_assert!(alignment.gaps >= fewest);
        prop_assert!(!alignment.is_best || alignment.gaps == fewest);
    }
}

/// The branches of the paper's Figure 2, at lines 1, 3, 5 and 6; the last one is reached when the one before is true.
const FIGURE_2: &str = "module\t0\tfigure.c\nfunction\tmain\tfigure.c\t1\t4\n\
                        branch\t\t1\t1\t\nbranch\t\t3\t1\t\nbranch\t\t5\t1\t\nbranch\t\t6\t1\t2:1\n";

fn run(sites: &Sites, steps: impl IntoIterator<Item = EventKind>) -> Run {
    let mut depth = 0;
    let events = steps.into_iter().enumerate().map(|(index, kind)| {
        depth += usize::from(matches!(kind, EventKind::Enter { .. }));
        let event = TraceEvent {
            offset: index as u64,
            depth,
            kind,
        };
        depth -= usize::from(matches!(kind, EventKind::Return { .. }));
        Ok::<_, RecordingError>(event)
    });
    Run::new(sites, events).expect("events without errors")
}

/// A run through Figure 2, given as the lines that it goes through.
fn figure_2(sites: &Sites, lines: &[u32]) -> Run {
    let branch = |site, outcome: bool| EventKind::Branch {
        function: 0,
        site,
        outcome: outcome.into(),
    };
    let goes = |line| lines.contains(&line);
    let mut steps = vec![EventKind::Enter { function: 0 }];
    for (site, line, then) in [(0, 1, 2), (1, 3, 4), (2, 5, 6), (3, 6, 7)] {
        if goes(line) {
            steps.push(branch(site, goes(then)));
        }
    }
    run(sites, steps)
}

/// The lines of the branches in a distance.
fn lines(run: &Run, distance: &Distance) -> Vec<u32> {
    let line = |event: &usize| match run.events[*event].statement() {
        Statement::Branch { site, .. } => [1, 3, 5, 6][site as usize],
        Statement::Entry { .. } => 0,
    };
    distance.0.iter().map(line).collect()
}

#[test]
fn the_example_of_the_paper_has_the_distances_that_it_says() {
    let sites = Sites::parse(FIGURE_2).expect("it is right");
    let failing = figure_2(&sites, &[1, 3, 5, 6, 7, 10]);
    let one = distance(&failing, &figure_2(&sites, &[1, 3, 4, 5, 6, 9, 10]));
    let other = distance(&failing, &figure_2(&sites, &[1, 2, 3, 5, 6, 9, 10]));
    assert_eq!(lines(&failing, &one), [3, 6]);
    assert_eq!(lines(&failing, &other), [1, 6]);
    assert!(one < other);
}

#[test]
fn the_runs_of_table_2_come_from_near_to_far() {
    let sites = Sites::parse(FIGURE_2).expect("it is right");
    let failing = figure_2(&sites, &[1, 3, 5, 6, 7, 10]);
    let table: [(&[u32], &[u32]); 11] = [
        (&[6], &[1, 3, 5, 6, 9, 10]),
        (&[3, 6], &[1, 3, 4, 5, 6, 9, 10]),
        (&[1, 3, 6], &[1, 2, 3, 4, 5, 6, 9, 10]),
        (&[1, 6], &[1, 2, 3, 5, 6, 9, 10]),
        (&[5], &[1, 3, 5, 10]),
        (&[3, 5], &[1, 3, 4, 5, 10]),
        (&[1, 3, 5], &[1, 2, 3, 4, 5, 10]),
        (&[1, 5], &[1, 2, 3, 5, 10]),
        (&[3], &[1, 3, 4, 5, 6, 7, 10]),
        (&[1, 3], &[1, 2, 3, 4, 5, 6, 7, 10]),
        (&[1], &[1, 2, 3, 5, 6, 7, 10]),
    ];
    let distances: Vec<Distance> = table
        .iter()
        .map(|(expected, through)| {
            let distance = distance(&failing, &figure_2(&sites, through));
            assert_eq!(lines(&failing, &distance), *expected);
            distance
        })
        .collect();
    assert!(distances.windows(2).all(|two| two[0] < two[1]));
    let same = distance(&failing, &failing);
    assert!(distances.iter().all(|distance| *distance < same));
}

/// main: a loop (site 0, which depends on itself) with a branch (site 1) that decides whether f is called, and then g is
/// called in any case. f has a branch.
const LOOP: &str = "module\t0\tloop.c\nfunction\tmain\tloop.c\t1\t4\nbranch\t\t2\t1\t0:1\nbranch\t\t3\t1\t0:1\n\
                    call\t\t4\t1\t1:1\ncall\t\t5\t1\t0:1\nfunction\tf\tloop.c\t9\t1\nbranch\t\t10\t1\t\nfunction\tg\tloop.c\t19\t1\nbranch\t\t20\t1\t\n";

/// A run of it: for each round whether f is called and how its branch goes, and how g's goes.
fn rounds(rounds: &[(Option<u32>, u32)]) -> Vec<EventKind> {
    let branch = |function, site, outcome| EventKind::Branch {
        function,
        site,
        outcome,
    };
    let mut steps = vec![EventKind::Enter { function: 0 }];
    for (f, g) in rounds {
        steps.push(branch(0, 0, 1));
        steps.push(branch(0, 1, f.is_some().into()));
        for (function, outcome) in f.map(|f| (1, f)).into_iter().chain([(2, *g)]) {
            steps.push(EventKind::Call {
                function: 0,
                site: function + 1,
            });
            steps.push(EventKind::Enter { function });
            steps.push(branch(function, 0, outcome));
            steps.push(EventKind::Return { function });
        }
    }
    steps.push(branch(0, 0, 0));
    steps.push(EventKind::Return { function: 0 });
    steps
}

#[test]
fn a_round_of_a_loop_is_aligned_with_the_same_round() {
    let sites = Sites::parse(LOOP).expect("it is right");
    let left = run(&sites, rounds(&[(Some(0), 0), (None, 1), (Some(1), 0)]));
    let right = run(&sites, rounds(&[(None, 0), (None, 1), (Some(0), 0)]));
    let partners = aligned(&left, &right);
    let differing = distance(&left, &right).0;
    let differing: Vec<Statement> = differing
        .iter()
        .map(|event| left.events[*event].statement())
        .collect();
    assert_eq!(
        differing,
        [
            Statement::Branch {
                function: 0,
                site: 1
            },
            Statement::Branch {
                function: 1,
                site: 0
            },
        ]
    );
    // Everything of the right run has a partner, and only the first call of f with its branch has none on the left.
    assert_eq!(partners.iter().flatten().count(), right.events.len());
    assert_eq!(left.events.len() - right.events.len(), 2);
    assert!(partners[3].is_none() && partners[4].is_none());
}

#[test]
fn each_event_depends_on_what_decided_that_it_happens() {
    let sites = Sites::parse(LOOP).expect("it is right");
    let run = run(&sites, rounds(&[(Some(0), 0), (None, 1)]));
    let dependence: Vec<_> = run.events.iter().map(|event| event.dependence()).collect();
    // entry, loop, branch, f, f's branch, g, g's branch, loop, branch, g, g's branch, loop
    let expected = [
        None,
        Some(0),
        Some(1),
        Some(2),
        Some(3),
        Some(1),
        Some(5),
        Some(1),
        Some(7),
        Some(7),
        Some(9),
        Some(7),
    ];
    assert_eq!(dependence, expected);
}

/// main: a branch (site 0) with a call when it is true (site 1), one when it is false (site 2), and one behind it (site 3),
/// each through a pointer. The functions 1 and 2 have a branch each.
const SIDES: &str = "module\t0\tsides.c\nfunction\tmain\tsides.c\t1\t4\nbranch\t\t2\t1\t\ncall\t\t3\t1\t0:1\n\
                     call\t\t4\t1\t0:0\ncall\t\t5\t1\t\nfunction\tf\tsides.c\t9\t1\nbranch\t\t10\t1\t\n\
                     function\tg\tsides.c\t19\t1\nbranch\t\t20\t1\t\n";

/// A run of it: how the branch goes, and the functions that are entered on its side and behind it, which may be many if
/// something that is not recorded calls them.
fn sides(outcome: u32, side: &[u32], behind: &[u32]) -> Vec<EventKind> {
    let branch = |function, outcome| EventKind::Branch {
        function,
        site: 0,
        outcome,
    };
    let mut steps = vec![EventKind::Enter { function: 0 }, branch(0, outcome)];
    for (site, entered) in [(2 - outcome, side), (3, behind)] {
        steps.push(EventKind::Call { function: 0, site });
        for function in entered.iter().copied() {
            steps.push(EventKind::Enter { function });
            steps.push(branch(function, 1));
            steps.push(EventKind::Return { function });
        }
    }
    steps.push(EventKind::Return { function: 0 });
    steps
}

#[test]
fn calls_on_two_sides_of_a_branch_are_not_aligned_with_each_other() {
    let sites = Sites::parse(SIDES).expect("it is right");
    let left = run(&sites, sides(1, &[1], &[1]));
    let right = run(&sites, sides(0, &[1], &[1]));
    // main, its branch, f on a side, its branch, f behind it, its branch
    let behind = [Some(0), Some(1), None, None, Some(4), Some(5)];
    assert_eq!(aligned(&left, &right), behind);
    assert_eq!(distance(&left, &right), Distance(vec![1]));
    let same = run(&sites, sides(1, &[1], &[1]));
    let all: Vec<Option<usize>> = (0..6).map(Some).collect();
    assert_eq!(aligned(&left, &same), all);
    // The same function from another call is another event, whichever function the pointer leads to.
    let other = run(&sites, sides(1, &[2], &[1]));
    assert_eq!(aligned(&left, &other), behind);
}

#[test]
fn a_call_of_something_that_is_not_recorded_may_enter_nothing_or_many_functions() {
    let sites = Sites::parse(SIDES).expect("it is right");
    let left = run(&sites, sides(1, &[], &[1]));
    let right = run(&sites, sides(1, &[1, 2, 1], &[1]));
    assert_eq!(aligned(&left, &right), [Some(0), Some(1), Some(8), Some(9)]);
    let dependence: Vec<_> = right
        .events
        .iter()
        .map(|event| event.dependence())
        .collect();
    let on = [0, 1, 2, 1, 4, 1, 6, 0, 8].map(Some);
    assert_eq!(dependence[0], None);
    assert_eq!(dependence[1..], on);
}

#[test]
fn what_is_entered_without_a_call_depends_on_the_entry() {
    let sites = Sites::parse(SIDES).expect("it is right");
    let branch = EventKind::Branch {
        function: 0,
        site: 0,
        outcome: 1,
    };
    let (call, enter) = (
        EventKind::Call {
            function: 0,
            site: 1,
        },
        EventKind::Enter { function: 1 },
    );
    let leave = EventKind::Return { function: 1 };
    for clears in [branch, EventKind::Land { function: 0 }] {
        let run = run(
            &sites,
            [
                EventKind::Enter { function: 0 },
                branch,
                enter,
                leave,
                call,
                clears,
                enter,
            ],
        );
        let entries = run
            .events
            .iter()
            .filter(|event| event.statement() == Statement::Entry { function: 1 });
        let dependence: Vec<_> = entries.map(|event| event.dependence()).collect();
        assert_eq!(dependence, [Some(0), Some(0)]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_alignment_is_the_one_that_the_definition_says(
        one in prop::collection::vec((prop::option::of(0..2u32), 0..2u32), 0..8),
        other in prop::collection::vec((prop::option::of(0..2u32), 0..2u32), 0..8),
    ) {
        let sites = Sites::parse(LOOP).expect("it is right");
        let (left, right) = (run(&sites, rounds(&one)), run(&sites, rounds(&other)));
        let partners = aligned(&left, &right);
        for (index, event) in left.events.iter().enumerate() {
            // In this program no event has two children of the same statement, so that the definition is a search.
            let expected = (0..right.events.len()).find(|candidate| {
                let candidate = &right.events[*candidate];
                let dependence = match (event.dependence(), candidate.dependence()) {
                    (None, None) => true,
                    (Some(event), Some(candidate)) => partners[event] == Some(candidate),
                    _ => false,
                };
                dependence && candidate.statement() == event.statement()
            });
            prop_assert_eq!(partners[index], expected, "event {}", index);
        }
        let differing = distance(&left, &right);
        if one == other {
            prop_assert_eq!(differing.0, vec![0]);
        } else {
            prop_assert!(!differing.0.is_empty());
            prop_assert!(differing < distance(&left, &left));
        }
    }
}
