//! `yester flip` with values that are computed from the right output.

use serde_json::Value;

use super::place::Place;

/// The places that are found by computing alone.
fn solved(place: &Place, words: &[&str]) -> Vec<Value> {
    let mut all = vec!["--by", "solved"];
    all.extend(words);
    let result = place.result("", &all);
    result["places"].as_array().expect("places").clone()
}

/// The place in a line, which is told what it was and what it becomes.
fn in_line(places: &[Value], line: u64) -> (String, String) {
    let found = places.iter().find(|place| place["line"] == line);
    let found = found.unwrap_or_else(|| panic!("no line {line}: {places:?}"));
    assert_eq!(found["evidence"], "expected");
    assert_eq!(found["passes"], true);
    let text = |name: &str| found[name].as_str().expect("a text").to_owned();
    (text("was"), text("becomes"))
}

#[test]
fn a_constant_is_computed_back_from_a_number_with_more_digits() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    int rate = 4;
    long total = 0;
    for (int i = 1; i < count; i++)
        total += atoi(words[i]) * rate;
    printf(\"total: %ld\\n\", total - 3);
    return 0;
}
";
    // 37 * (5 + 9 + 2) - 3
    let place = Place::new(&[("rate.c", source), ("right", "total: 589\n")]);
    let places = solved(
        &place,
        &["rate.c", "--expect", "right", "--", "{}", "5", "9", "2"],
    );
    assert_eq!(in_line(&places, 4), ("4".to_owned(), "37".to_owned()));
}

#[test]
fn a_value_that_decides_branches_is_found_on_another_path() {
    // What is printed are letters, which no number tells: only a limit between 60 and 70 gives these.
    let source = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    int limit = 20;
    for (int i = 1; i < count; i++)
        putchar(atoi(words[i]) * 3 < limit * 3 ? 'L' : 'H');
    putchar('\\n');
    return 0;
}
";
    let place = Place::new(&[("limit.c", source), ("right", "LLLH\n")]);
    let places = solved(
        &place,
        &[
            "limit.c", "--expect", "right", "--", "{}", "10", "30", "60", "70",
        ],
    );
    let (was, becomes) = in_line(&places, 4);
    assert_eq!(was, "20");
    let becomes: i64 = becomes.parse().expect("a number");
    assert!((61..=70).contains(&becomes), "{becomes}");
}

#[test]
fn a_number_that_is_not_whole_is_computed_from_the_one_that_is_printed() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double price = atof(words[1]);
    double tax = price * 0.07;
    double sum = price + tax;
    printf(\"%.3f\\n\", sum);
    return count != 2;
}
";
    // With 0.0875.
    let place = Place::new(&[("tax.c", source), ("right", "8.700\n")]);
    let places = solved(&place, &["tax.c", "--expect", "right", "--", "{}", "8"]);
    assert_eq!(in_line(&places, 6).1, "8.7");
    let tax: f64 = in_line(&places, 5).1.parse().expect("a number");
    assert!((tax - 0.7).abs() < 1e-9, "{tax}");
}

#[test]
fn the_same_number_is_added_at_every_execution() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
static int cell(int n) {
    int size = n * 6;
    return size;
}
int main(int count, char **words) {
    for (int i = 1; i < count; i++)
        printf(\"%d\\n\", cell(atoi(words[i])));
    return 0;
}
";
    let place = Place::new(&[("cell.c", source), ("right", "443\n455\n425\n")]);
    let places = solved(
        &place,
        &["cell.c", "--expect", "right", "--", "{}", "3", "5", "0"],
    );
    assert_eq!(
        in_line(&places, 4),
        ("as computed".to_owned(), "425 more".to_owned())
    );
}

#[test]
fn without_a_right_output_nothing_can_be_computed() {
    let source = "int main(void) { return 1; }\n";
    let place = Place::new(&[("one.c", source)]);
    let called = place.call("", &["one.c", "--by", "solved", "--", "{}"]);
    assert_eq!(called.code, Some(2));
    assert!(called.stderr.contains("--expect"), "{}", called.stderr);
}
