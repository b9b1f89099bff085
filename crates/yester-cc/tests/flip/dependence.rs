//! What a place depends on, and what depends on it.

use serde_json::{Value, json};

use super::place::Place;

/// The lines of a chain, with what they do.
fn chain(place: &Value, key: &str) -> Vec<(u64, String)> {
    let links = place["dependences"][key].as_array();
    let links = links.unwrap_or_else(|| panic!("{place}"));
    let link = |link: &Value| {
        let does = link["does"].as_str().expect("a text");
        (link["line"].as_u64().expect("a line"), does.to_owned())
    };
    links.iter().map(link).collect()
}

fn links(links: &[(u64, &str)]) -> Vec<(u64, String)> {
    let links = links.iter().map(|(line, does)| (*line, (*does).to_owned()));
    links.collect()
}

/// Counts the letters above a limit; the comparison is wrong.
const LETTERS: &str = "\
#include <stdio.h>
static int is_late(int letter) {
    return letter > 'm';
}
int main(void) {
    int c, late = 0, all = 0;
    while ((c = getchar()) != EOF) {
        all++;
        if (is_late(c))
            late++;
    }
    printf(\"%d\\n\", all);
    printf(\"%d late\\n\", late);
    return 0;
}
";

#[test]
fn a_place_is_told_with_the_way_from_the_input_and_to_the_output() {
    let place = Place::new(&[("late.c", LETTERS), ("right", "3\n2 late\n"), ("in", "amz")]);
    let words = [
        "late.c",
        "--stdin",
        "in",
        "--expect",
        "right",
        "--by",
        "interventions",
        "--",
        "{}",
    ];
    let result = place.result("", &words);
    let first = &result["places"][0];
    assert_eq!(first["line"], 3, "{result}");
    assert_eq!(
        chain(first, "from_input"),
        links(&[
            (7, "reads it with getchar"),
            (9, "passes it to is_late"),
            (3, "returns")
        ])
    );
    assert_eq!(
        chain(first, "to_output"),
        links(&[
            (3, "returns"),
            (9, "decides"),
            (10, "assigns"),
            (13, "writes it with printf")
        ])
    );
    // What is right is written by another line, which is on no way.
    let places = result["places"].as_array().expect("places").iter();
    for place in places.filter(|place| !place["dependences"].is_null()) {
        let mut links = chain(place, "from_input");
        links.extend(chain(place, "to_output"));
        assert!(links.iter().all(|(line, _)| *line != 12), "{place}");
    }
    let text = place.call("", &words).stdout;
    assert!(text.contains("from the input: line 7 reads it"), "{text}");
}

#[test]
fn a_condition_is_told_with_the_bytes_that_it_depends_on() {
    let source = "\
#include <stdio.h>
int main(void) {
    int first = getchar(), second = getchar();
    if (second >= 'x')
        return 3;
    return first == 'q' ? 4 : 0;
}
";
    let place = Place::new(&[("two.c", source), ("in", "ax")]);
    let words = [
        "two.c",
        "--stdin",
        "in",
        "--by",
        "interventions",
        "--",
        "{}",
    ];
    let result = place.result("", &words);
    let first = &result["places"][0];
    assert_eq!(first["line"], 4, "{result}");
    let bytes = json!([{"source": "stdin", "offsets": [1]}]);
    assert_eq!(first["dependences"]["input"], bytes, "{result}");
    // Nothing is expected of the output, so it is the exit code that is wrong.
    let end = chain(first, "to_output").pop();
    assert_eq!(end, Some((7, "returns".to_owned())), "{result}");
}

#[test]
fn what_went_through_memory_behind_pointers_is_not_called_certain() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    int *cells = malloc(2 * sizeof *cells);
    cells[0] = 7;
    cells[1] = count;
    printf(\"%d\\n\", cells[0]);
    return words == NULL;
}
";
    let place = Place::new(&[("cells.c", source), ("right", "8\n")]);
    let words = [
        "cells.c",
        "--expect",
        "right",
        "--by",
        "interventions",
        "--",
        "{}",
    ];
    let result = place.result("", &words);
    let places = result["places"].as_array().expect("places");
    let links = places
        .iter()
        .filter_map(|place| place["dependences"]["to_output"].as_array());
    // Of the lines that assign to the cells, none is said to be certain to be what is printed.
    let mut links = links.filter(|links| [5, 6].contains(&links[0]["line"].as_u64().unwrap_or(0)));
    assert!(
        links.all(|links| links[1..].iter().any(|link| link["certain"] == false)),
        "{result}"
    );
}

#[test]
fn of_a_test_it_is_not_known_what_it_looks_at() {
    let test = "#!/bin/sh\ntest \"$(printf amz | ./late | tail -1)\" = '2 late'\n";
    let make = "late: late.c\n\t$(CC) -g -o late late.c\n";
    let place = Place::new(&[("late.c", LETTERS), ("Makefile", make), ("run-tests", test)]);
    let words = ["--build", "make", "--", "./run-tests"];
    let result = place.result("", &words);
    let first = &result["places"][0];
    assert_eq!(chain(first, "from_input").len(), 3, "{result}");
    assert_eq!(chain(first, "to_output"), [], "{result}");
    // One of several processes had the intervention, and another may have been recorded.
    let both = test.replacen(
        "\ntest",
        "\n./late </dev/null >/dev/null || exit 1\ntest",
        1,
    );
    std::fs::write(place.path("run-tests"), both).expect("room");
    let result = place.result("", &words);
    for one in result["places"].as_array().expect("places") {
        assert_eq!(one["dependences"], Value::Null, "{result}");
    }
}
