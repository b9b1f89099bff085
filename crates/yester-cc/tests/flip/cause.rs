//! Places that stand for the same cause are one entry of `yester flip`.

use serde_json::{Value, json};

use super::place::Place;

/// The lines of each entry, the place that leads it first.
fn entries(result: &Value) -> Vec<Vec<u64>> {
    let line = |place: &Value| place["line"].as_u64().expect("a line");
    let places = result["places"].as_array().expect("places");
    let entries = places.iter().map(|place| {
        let others = place["same_cause"].as_array().expect("a list");
        std::iter::once(place).chain(others).map(line).collect()
    });
    entries.collect()
}

#[test]
fn a_variable_and_where_it_is_passed_are_one_entry() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
static int thrice(int n) { return 3 * n; }
int main(int count, char **words) {
    int above = 0;
    for (int i = 1; i < count; i++)
        above += atoi(words[i]) > 10;
    int total = thrice(above);
    printf(\"%d above\\n\", total);
    return 0;
}
";
    let place = Place::new(&[("above.c", source), ("right", "4 above\n")]);
    let words = [
        "above.c",
        "--expect",
        "right",
        "--by",
        "interventions",
        "--",
        "{}",
        "11",
        "12",
        "3",
    ];
    let result = place.result("", &words);
    let entries = entries(&result);
    assert!(entries.contains(&vec![8, 9]), "{result}");
    let what = "with argument 2 of printf 4 instead of 6";
    let passed = json!([
        {"file": "above.c", "line": 9, "column": 5, "kind": "value", "what": what}
    ]);
    let first = &result["places"][0];
    assert_eq!((&first["line"], &first["same_cause"]), (&json!(8), &passed));
    let text = place.call("", &words).stdout;
    let also = format!("= also: line 9, {what}");
    assert!(text.contains(&also), "{text}");
}

#[test]
fn a_condition_and_the_statement_that_it_alone_decides_over_are_one_entry() {
    let source = "\
#include <stdio.h>
static int left = 9;
static void take(int many) {
    left -= many;
}
int main(int count, char **words) {
    if (words[1][0] != 'x')
        take(2);
    take(3);
    printf(\"%d %d\\n\", left, count);
    return 0;
}
";
    let place = Place::new(&[("take.c", source), ("right", "6 2\n")]);
    let words = [
        "take.c",
        "--expect",
        "right",
        "--by",
        "interventions",
        "--",
        "{}",
        "a",
    ];
    let result = place.result("", &words);
    let entries = entries(&result);
    let of_condition = entries.iter().find(|lines| lines.contains(&7));
    let of_condition = of_condition.unwrap_or_else(|| panic!("{result}"));
    assert!(of_condition.contains(&8), "{result}");
    assert!(!of_condition.contains(&9), "{result}");
    // No line is told twice, and none gets lost.
    let mut all: Vec<u64> = entries.concat();
    all.sort_unstable();
    let before = all.len();
    all.dedup();
    assert_eq!(all.len(), before, "{result}");
}

#[test]
fn two_variables_of_the_same_name_are_two_entries() {
    let source = "\
#include <stdio.h>
int main(void) {
    int sum = 0;
    {
        int step = 3;
        sum += step;
    }
    {
        int step = 4;
        sum += step;
    }
    printf(\"%d\\n\", sum);
    return 0;
}
";
    let place = Place::new(&[("steps.c", source), ("right", "8\n")]);
    let words = [
        "steps.c",
        "--expect",
        "right",
        "--by",
        "interventions",
        "--",
        "{}",
    ];
    let result = place.result("", &words);
    let entries = entries(&result);
    let entry_of = |line: u64| entries.iter().position(|lines| lines.contains(&line));
    let (first, second) = (entry_of(5), entry_of(9));
    assert!(first.is_some() && second.is_some(), "{result}");
    assert_ne!(first, second, "{result}");
    // One variable that is assigned twice is one.
    assert_eq!(entry_of(6), entry_of(10), "{result}");
}

#[test]
fn names_of_cpp_functions_are_readable() {
    let source = "\
#include <cstdio>
namespace shop {
static int price(int pieces) {
    if (pieces > 10)
        return pieces * 2;
    return pieces * 3;
}
}
int main() {
    std::printf(\"%d\\n\", shop::price(10));
    return 0;
}
";
    let place = Place::new(&[("price.cc", source), ("right", "20\n")]);
    let words = [
        "price.cc",
        "--expect",
        "right",
        "--by",
        "interventions",
        "--",
        "{}",
    ];
    let result = place.result("", &words);
    let first = &result["places"][0];
    assert_eq!(first["line"], 4, "{result}");
    assert_eq!(first["function"], "shop::price(int)", "{result}");
    assert!(!result.to_string().contains("_Z"), "{result}");
}
