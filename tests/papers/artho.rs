//! Cyrille Artho: Iterative delta debugging

use yester_core::{Grouping, Outcome, Subset, bisection};

use crate::table::Table;

/// "1" and "0" as in the figure; its "pass" is the desired outcome, which is Fail here.
fn figure(rows: &[(Subset, Outcome)]) -> Vec<String> {
    rows.iter()
        .map(|(subset, outcome)| {
            let bit = |delta| if subset.contains(delta) { '1' } else { '0' };
            let bits: String = (0..subset.universe()).map(bit).collect();
            let verdict = if *outcome == Outcome::Fail {
                "pass"
            } else {
                "fail"
            };
            format!("{bits} {verdict}")
        })
        .collect()
}

fn sixth(subset: &Subset) -> Outcome {
    if subset.contains(5) {
        Outcome::Fail
    } else {
        Outcome::Pass
    }
}

#[test]
fn figure_3_finds_the_sixth_change_in_six_tests() {
    let mut table = Table::new(sixth);
    let found = bisection(&mut table, &Grouping::flat(8), &Subset::full(8)).unwrap();
    assert_eq!(
        figure(&table.rows),
        [
            "00000000 fail",
            "11110000 fail",
            "11111100 pass",
            "11111000 fail",
            "11110100 pass",
            "00000100 pass"
        ]
    );
    assert_eq!(found.to_string(), ". . . . . 6 . .");
}

/// Section 3.4: first whole files, then the hunks of a file that is needed, then its lines.
#[test]
fn the_hierarchical_search_leaves_out_files_before_hunks() {
    let files = [0, 0, 0, 1, 1, 2, 2, 2];
    let hunks = [0, 0, 1, 2, 2, 3, 4, 4];
    let hierarchy = Grouping::by(8, |line| vec![files[line], hunks[line]]);
    let mut table = Table::new(sixth);
    let found = bisection(&mut table, &hierarchy, &Subset::full(8)).unwrap();
    assert_eq!(
        figure(&table.rows),
        [
            "00000000 fail",
            "11111000 fail",
            "11111100 pass",
            "00000100 pass"
        ]
    );
    assert_eq!(found.to_string(), ". . . . . 6 . .");
}
