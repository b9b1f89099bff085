//! Andreas Zeller: Yesterday, my program worked. Today, it does not. Why? (1999)

use yester_core::{Grouping, Knowledge, Outcome, Predicted, Subset, dd, dd_plus};

use crate::table::Table;

/// The failure occurs when all these changes, numbered as in the paper, are applied.
fn needs(changes: &'static [usize]) -> impl Fn(&Subset) -> Outcome {
    move |subset| {
        if changes.iter().all(|change| subset.contains(change - 1)) {
            Outcome::Fail
        } else {
            Outcome::Pass
        }
    }
}

const TABLE_1: &str = "
    1 2 3 4 . . . . ✓
    . . . . 5 6 7 8 ✗
    . . . . 5 6 . . ✓
    . . . . . . 7 8 ✗
    . . . . . . 7 . ✗";

#[test]
fn table_1_searches_a_single_change() {
    let mut table = Table::new(needs(&[7]));
    let found = dd(&mut table, &Grouping::flat(8), &Subset::full(8)).unwrap();
    table.shows(TABLE_1);
    assert_eq!(found.to_string(), ". . . . . . 7 .");
}

/// The paper's table ends after seven tests. Its algorithm has one more: 5 alone did not fail in step 7, so 6 is to be
/// tested before it is found.
const TABLE_2: &str = "
    1 2 3 4 . . . . ✓
    . . . . 5 6 7 8 ✓
    1 2 . . 5 6 7 8 ✓
    . . 3 4 5 6 7 8 ✗
    . . 3 . 5 6 7 8 ✗
    1 2 3 4 5 6 . . ✗
    1 2 3 4 5 . . . ✓
    1 2 3 4 . 6 . . ✗";

#[test]
fn table_2_searches_two_changes_that_interfere() {
    let mut table = Table::new(needs(&[3, 6]));
    let found = dd(&mut table, &Grouping::flat(8), &Subset::full(8)).unwrap();
    table.shows(TABLE_2);
    assert_eq!(found.to_string(), ". . 3 . . 6 . .");
}

const TABLE_3: &str = "
    1 2 3 4 . . . . ✓
    . . . . 5 6 7 8 ✓
    1 2 . . 5 6 7 8 ✓
    . . 3 4 5 6 7 8 ✓
    1 . 3 4 5 6 7 8 ✓
    . 2 3 4 5 6 7 8 ✓
    1 2 3 . 5 6 7 8 ✓
    1 2 . 4 5 6 7 8 ✓
    1 2 3 4 5 6 . . ✓
    1 2 3 4 . . 7 8 ✓
    1 2 3 4 5 . 7 8 ✓
    1 2 3 4 . 6 7 8 ✓
    1 2 3 4 5 6 7 . ✓
    1 2 3 4 5 6 . 8 ✓";

#[test]
fn table_3_searches_eight_changes_in_fourteen_tests() {
    let mut table = Table::new(needs(&[1, 2, 3, 4, 5, 6, 7, 8]));
    let found = dd(&mut table, &Grouping::flat(8), &Subset::full(8)).unwrap();
    table.shows(TABLE_3);
    assert_eq!(found, Subset::full(8));
}

#[test]
fn without_unresolved_outcomes_dd_plus_asks_what_dd_asks() {
    for changes in [&[7][..], &[3, 6], &[1, 2, 3, 4, 5, 6, 7, 8]] {
        let mut plain = Table::new(needs(changes));
        let mut extended = Table::new(needs(changes));
        let grouping = Grouping::flat(8);
        assert_eq!(
            dd(&mut plain, &grouping, &Subset::full(8)).unwrap(),
            dd_plus(&mut extended, &grouping, &Subset::full(8)).unwrap()
        );
        assert_eq!(plain.rows, extended.rows);
    }
}

const TABLE_4: &str = "
    1 2 3 4 . . . . ?
    . . . . 5 6 7 8 ✓
    1 2 . . 5 6 7 8 ✓
    . . 3 4 5 6 7 8 ✗
    . . 3 . 5 6 7 8 ✗";

/// The paper shows the first three rows. For the others it needs a culprit, here 3, and a reason for the unresolved
/// test, here that all of 1 to 4 need one of 5 to 8.
#[test]
fn table_4_prefers_the_part_whose_complement_passes() {
    let mut table = Table::new(|subset: &Subset| {
        if (4..8).any(|change| subset.contains(change)) {
            needs(&[3])(subset)
        } else {
            Outcome::Unresolved
        }
    });
    let found = dd_plus(&mut table, &Grouping::flat(8), &Subset::full(8)).unwrap();
    table.shows(TABLE_4);
    assert_eq!(found.to_string(), ". . 3 . . . . .");
}

const TABLES_5_AND_6: &str = "
    1 2 3 4 . . . . ?
    . . . . 5 6 7 8 ?
    1 2 . . . . . . ?
    . . 3 4 . . . . ?
    . . . . 5 6 . . ✓
    . . . . . . 7 8 ?
    . . 3 4 5 6 7 8 ?
    1 2 . . 5 6 7 8 ?
    1 2 3 4 . . 7 8 ✗
    1 2 3 4 5 6 . . ?
    1 . . . 5 6 . . ✓
    . 2 . . 5 6 . . ?
    . . 3 . 5 6 . . ?
    . . . 4 5 6 . . ✓
    . . . . 5 6 7 . ?
    . . . . 5 6 . 8 ✗";

/// Changes 2, 3 and 7 imply each other.
fn implied(subset: &Subset) -> bool {
    [1, 2, 6].iter().all(|change| subset.contains(*change))
        || ![1, 2, 6].iter().any(|change| subset.contains(*change))
}

#[test]
fn tables_5_and_6_try_again_after_inconsistencies_in_sixteen_tests() {
    let mut table = Table::new(|subset: &Subset| {
        if implied(subset) {
            needs(&[8])(subset)
        } else {
            Outcome::Unresolved
        }
    });
    let found = dd_plus(&mut table, &Grouping::flat(8), &Subset::full(8)).unwrap();
    table.shows(TABLES_5_AND_6);
    assert_eq!(found.to_string(), ". . . . . . . 8");
}

/// Said of Table 6: "if the failure had not been induced by change 8, but by 2, 3, or 7, we would have found it simply
/// by excluding all other changes".
#[test]
fn inseparable_changes_are_found_by_excluding_all_others() {
    let mut table = Table::new(|subset: &Subset| {
        if implied(subset) {
            needs(&[7])(subset)
        } else {
            Outcome::Unresolved
        }
    });
    let found = dd_plus(&mut table, &Grouping::flat(8), &Subset::full(8)).unwrap();
    assert_eq!(found.to_string(), ". 2 3 . . . 7 .");
}

const TABLE_7: &str = "
    1 2 3 4 . . . . ✓
    1 2 3 4 5 6 . . ✓
    1 2 3 4 5 6 7 . ✗";

#[test]
fn table_7_predicts_two_of_five_outcomes_in_a_total_order() {
    let mut knowledge = Knowledge::none(8);
    knowledge.order((0..8).collect());
    let mut table = Table::new(needs(&[7]));
    let mut predicted = Predicted::new(&mut table, &knowledge);
    let found = dd_plus(&mut predicted, &Grouping::flat(8), &Subset::full(8)).unwrap();
    assert_eq!(predicted.predicted(), 2);
    table.shows(TABLE_7);
    assert_eq!(found.to_string(), ". . . . . . 7 .");
}

/// "If we knew about the implications, then only 5 out of 16 tests would actually be carried out."
#[test]
fn known_implications_leave_five_tests_of_table_5_and_6() {
    let mut knowledge = Knowledge::none(8);
    for (change, needed) in [(1, 2), (2, 6), (6, 1)] {
        knowledge.need(change, needed);
    }
    let mut table = Table::new(needs(&[8]));
    let mut predicted = Predicted::new(&mut table, &knowledge);
    let found = dd_plus(&mut predicted, &Grouping::flat(8), &Subset::full(8)).unwrap();
    assert_eq!((predicted.predicted(), table.rows.len()), (11, 5));
    assert_eq!(found.to_string(), ". . . . . . . 8");
}

/// Said of Table 5: "we could keep them in a common subset as long as possible, thereby reducing the number of
/// unresolved test cases".
#[test]
fn grouping_the_changes_that_imply_each_other_leaves_nothing_unresolved() {
    let together = Grouping::by(8, |change| match change {
        1 | 2 | 6 => vec![1],
        _ => vec![10 + change],
    });
    let mut table = Table::new(|subset: &Subset| {
        if implied(subset) {
            needs(&[8])(subset)
        } else {
            Outcome::Unresolved
        }
    });
    let found = dd_plus(&mut table, &together, &Subset::full(8)).unwrap();
    table.shows(
        "
        1 2 3 . . . 7 . ✓
        . . . 4 5 6 . 8 ✗
        . . . 4 5 . . . ✓
        . . . . . 6 . 8 ✗
        . . . . . 6 . . ✓
        . . . . . . . 8 ✗",
    );
    assert_eq!(found.to_string(), ". . . . . . . 8");
}
