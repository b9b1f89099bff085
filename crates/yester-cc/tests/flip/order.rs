//! What `yester flip` does first where it may not do everything.

use serde_json::Value;

use super::place::Place;

/// So much has nothing to do with what goes wrong: four comparisons in each line.
const NOISE: usize = 20;

/// A program that does much that does not matter before it does `rest`, which begins at line [`FIRST`].
fn noisy(rest: &str) -> String {
    let noise = "    if (count > 3 || count > 4 || count > 5 || count > 6) waste++;\n";
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\nstatic int waste;\n\
         int main(int count, char **words) {{\n{}{rest}}}\n",
        noise.repeat(NOISE)
    )
}

/// The first line behind what does not matter.
const FIRST: u64 = 5 + NOISE as u64;

fn has_line(result: &Value, line: u64) -> bool {
    let places = result["places"].as_array().expect("places");
    places.iter().any(|place| place["line"] == line)
}

#[test]
fn what_the_wrong_output_depends_on_comes_before_the_rest() {
    let source = noisy(
        "    int above = atoi(words[1]) > 10;\n    printf(\"%d\\n\", above);\n    return 0;\n",
    );
    let place = Place::new(&[("noisy.c", &source), ("right", "1\n")]);
    let words = [
        "noisy.c",
        "--expect",
        "right",
        "--by",
        "interventions",
        "--max-interventions",
        "12",
        "--",
        "{}",
        "10",
    ];
    let result = place.result("", &words);
    assert!(has_line(&result, FIRST), "{result}");
    assert!(
        result["left"].as_u64().expect("a number") > 60,
        "the rest is left out: {result}"
    );
}

#[test]
fn what_a_crash_depends_on_comes_before_the_rest() {
    let source = noisy(
        "    int *at = words[1][0] > 'a' ? &waste : (int *)8;\n    return *at == 0 && count > 9;\n",
    );
    let place = Place::new(&[("noisy.c", &source)]);
    let words = [
        "noisy.c",
        "--by",
        "interventions",
        "--max-interventions",
        "12",
        "--",
        "{}",
        "a",
    ];
    let result = place.result("", &words);
    assert!(has_line(&result, FIRST), "{result}");
}

#[test]
fn what_only_the_last_process_of_a_script_does_comes_before_the_rest() {
    // Everything happens once, and most of it after what is wrong.
    let noise =
        "    if (count > 3 || count > 4 || count > 5 || count > 6) waste++;\n".repeat(NOISE);
    let source = format!(
        "#include <stdio.h>\n#include <stdlib.h>\nstatic int waste;\n\
         int main(int count, char **words) {{\n    int all = 0;\n    if (words[1][0] == 'a')\n\
         \x20       all = atoi(words[2]) > 10;\n{noise}    printf(\"%d\\n\", all);\n    return 0;\n}}\n"
    );
    let script = "#!/bin/sh\n\
        test \"$(./noisy b 10)\" = 0 || exit 1\n\
        test \"$(./noisy a 10)\" = 1 || exit 1\n";
    let place = Place::new(&[
        ("noisy.c", &source),
        ("Makefile", "noisy: noisy.c\n\t$(CC) -g -o noisy noisy.c\n"),
        ("run-tests", script),
    ]);
    let words = [
        "--build",
        "make",
        "--max-interventions",
        "12",
        "--",
        "./run-tests",
    ];
    let result = place.result("", &words);
    assert!(has_line(&result, 7), "{result}");
    assert!(
        result["left"].as_u64().expect("a number") > 60,
        "the rest is left out: {result}"
    );
}
