//! `yester flip` with interventions, and the programs that can have them.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::place::{ABOVE, Place};

/// The result of a call that finds something by interventions.
fn found(place: &Place, words: &[&str]) -> Value {
    place.result("", words)
}

/// The lines of its places, the best first.
fn lines(place: &Place, words: &[&str]) -> Vec<u64> {
    let result = found(place, words);
    let places = result["places"].as_array().expect("places");
    places
        .iter()
        .map(|place| place["line"].as_u64().expect("a line"))
        .collect()
}

/// Builds a program for interventions.
fn build(place: &Place, source: &str, program: &str) {
    let status = Command::new(env!("CARGO_BIN_EXE_yester-cc"))
        .args(["-g", source, "-o", program])
        .env("YESTER_CC_MODE", "intervene")
        .current_dir(place.directory.path())
        .status()
        .expect("it starts");
    assert!(status.success());
}

#[test]
fn another_operator_names_the_wrong_comparison_first() {
    let fixed = ABOVE.replace("> 10", ">= 10");
    let place = Place::new(&[("above.c", ABOVE), ("right.c", &fixed)]);
    let mut compiler = Command::new("cc");
    compiler.args(["right.c", "-o", "right"]);
    let status = compiler.current_dir(place.directory.path()).status();
    assert!(status.expect("it starts").success());
    let words = [
        "above.c",
        "--reference",
        "./right",
        "--by",
        "interventions",
        "--",
        "{}",
        "10",
        "11",
        "10",
        "3",
        "4",
    ];
    let result = found(&place, &words);
    let first = &result["places"][0];
    assert_eq!(first["line"], 6);
    assert_eq!(first["kind"], "operator");
    assert_eq!(
        (&first["was"], &first["becomes"]),
        (&">".into(), &">=".into())
    );
    assert_eq!(first["passes"], true);
    assert_eq!(first["evidence"], "intervention");
    // It is right on the other inputs too, on which the program fails and passes.
    let near = &first["near"];
    assert!(
        near["failing"].as_u64() > Some(0) && near["passing"].as_u64() > Some(0),
        "{near}"
    );
    assert_eq!(
        [&near["cured"], &near["kept"]],
        [&near["failing"], &near["passing"]]
    );
}

#[test]
fn any_number_of_jobs_gives_the_same_places() {
    let place = Place::new(&[("above.c", ABOVE), ("right", "3 above\n")]);
    let with = |jobs| {
        found(
            &place,
            &[
                "above.c",
                "--expect",
                "right",
                "--by",
                "interventions",
                "-j",
                jobs,
                "--",
                "{}",
                "10",
                "11",
                "10",
            ],
        )["places"]
            .clone()
    };
    assert_eq!(with("1"), with("3"));
}

#[test]
fn a_fault_that_shows_twice_takes_two_executions() {
    // Of the letters, only b and x are no vowels: no other operator and no single outcome tells them from the others.
    let source = "\
#include <stdio.h>
#include <string.h>
int main(void) {
    int c;
    while ((c = getchar()) != EOF) {
        if (strchr(\"aeio\", c) != NULL)
            printf(\"vowel %c\\n\", c);
        else
            printf(\"other %c\\n\", c);
    }
    return 0;
}
";
    let right = "vowel a\nother x\nvowel u\nother b\nvowel u\nvowel i\nother x\n";
    let place = Place::new(&[("vowel.c", source), ("right", right), ("in", "axubuix")]);
    let result = found(
        &place,
        &[
            "vowel.c",
            "--stdin",
            "in",
            "--expect",
            "right",
            "--by",
            "interventions",
            "--",
            "{}",
        ],
    );
    let places = result["places"].as_array().expect("places");
    let branch = places
        .iter()
        .find(|place| place["line"] == 6 && place["kind"] == "branch");
    let branch = branch.unwrap_or_else(|| panic!("{places:?}"));
    assert_eq!(branch["passes"], true);
    assert_eq!(branch["instances"], serde_json::json!([3, 5]), "{places:?}");
}

#[test]
fn a_crash_is_right_where_it_does_not_happen() {
    let source = "\
#include <string.h>
struct item { const char *name; struct item *next; };
static struct item second = { \"second\", 0 }, first = { \"first\", &second };
int main(int count, char **words) {
    struct item *at = &first;
    while (strcmp(at->name, words[1]) != 0)
        at = at->next;
    return count == 0;
}
";
    let place = Place::new(&[("find.c", source)]);
    let lines = lines(
        &place,
        &["find.c", "--by", "interventions", "--", "{}", "third"],
    );
    assert_eq!(lines.first(), Some(&6), "{lines:?}");
}

#[test]
fn a_test_script_has_interventions_in_the_process_that_fails() {
    let test = "#!/bin/sh\n\
        test \"$(./above 1 2)\" = '0 above' || exit 1\n\
        test \"$(./above 10 11)\" = '2 above' || { echo wrong; exit 1; }\n";
    let place = Place::new(&[
        ("above.c", ABOVE),
        ("Makefile", "above: above.c\n\t$(CC) -g -o above above.c\n"),
        ("run-tests", test),
    ]);
    let words = ["--build", "make", "--", "./run-tests"];
    let result = found(&place, &words);
    assert_eq!(
        (&result["process"], &result["processes"]),
        (&2.into(), &2.into())
    );
    assert_eq!(result["places"][0]["line"], 6, "{result}");
    assert!(
        !place.path("above").exists(),
        "the user's tree stays as it is"
    );
    // The second call knows what the first has seen.
    let again = found(&place, &words);
    assert_eq!(again["places"], result["places"]);
    let runs = |result: &Value| result["runs"].as_u64().expect("a number");
    assert!(
        runs(&again) < runs(&result),
        "{} {}",
        runs(&again),
        runs(&result)
    );
}

#[test]
fn what_passes_is_nothing_to_debug() {
    let place = Place::new(&[("above.c", ABOVE), ("right", "1 above\n")]);
    let called = place.call("", &["above.c", "--expect", "right", "--", "{}", "11"]);
    assert_eq!(called.code, Some(1));
    assert!(
        called.stderr.contains("prints what is expected"),
        "{}",
        called.stderr
    );
    let called = place.call("", &["above.c", "--", "{}", "11"]);
    assert_eq!(called.code, Some(1));
    assert!(called.stderr.contains("--expect FILE"), "{}", called.stderr);
}

#[test]
fn a_program_of_another_compiler_takes_no_intervention() {
    let place = Place::new(&[("run", "#!/bin/sh\nexit 1\n")]);
    let called = place.call("", &["--build", "true", "--", "./run"]);
    assert_eq!(called.code, Some(2));
    assert!(
        called
            .stderr
            .contains("nothing that ./run starts was built with yester-cc"),
        "{}",
        called.stderr
    );
}

#[test]
fn a_run_without_end_is_ended() {
    // What an intervention makes true for ever must not hold up the rest.
    let source = "\
#include <stdio.h>
int main(void) {
    int n = 3;
    while (n > 1) {
        puts(\"round\");
        n--;
    }
    return 0;
}
";
    let place = Place::new(&[("loop.c", source), ("right", "round\nround\nround\n")]);
    let result = found(
        &place,
        &[
            "loop.c",
            "--expect",
            "right",
            "--by",
            "interventions",
            "--",
            "{}",
        ],
    );
    assert_eq!(result["places"][0]["line"], 4, "{result}");
    assert_eq!(result["exhausted"], true);
}

#[test]
fn a_program_without_an_intervention_does_what_it_did() {
    let place = Place::new(&[("above.c", ABOVE)]);
    build(&place, "above.c", "above");
    let output = Command::new(place.path("above"))
        .args(["9", "12", "11"])
        .output()
        .expect("it starts");
    assert_eq!(output.stdout, b"2 above\n");
    assert!(output.status.success());
    // A plan that cannot be read changes nothing either.
    let output = Command::new(place.path("above"))
        .args(["9", "12", "11"])
        .env("YESTER_INTERVENE", "/nonexistent")
        .output()
        .expect("it starts");
    assert_eq!(output.stdout, b"2 above\n");
}

#[test]
fn a_hang_is_right_where_it_ends() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    unsigned steps = 0;
    for (unsigned i = 0; i != (unsigned)atoi(words[1]); i += 2)
        steps++;
    printf(\"%u of %d\\n\", steps, count);
    return 0;
}
";
    let place = Place::new(&[("hang.c", source)]);
    let words = [
        "hang.c",
        "--by",
        "interventions",
        "--timeout",
        "300ms",
        "--max-interventions",
        "60",
        "--",
        "{}",
        "5",
    ];
    let lines = lines(&place, &words);
    assert_eq!(lines.first(), Some(&5), "{lines:?}");
}

#[test]
fn every_way_to_end_has_a_report() {
    let place = Place::new(&[
        ("above.c", ABOVE),
        ("broken.c", "int main(void) { return }\n"),
    ]);
    for (words, code, status) in [
        (["above.c", "--", "{}"].as_slice(), 1, "nothing"),
        (&["broken.c", "--", "{}"], 2, "usage"),
        (&["missing.c", "--", "{}"], 2, "usage"),
    ] {
        let called = place.call("", &[&["--json"], words].concat());
        assert_eq!(called.code, Some(code), "{words:?}: {}", called.stderr);
        let report: Value = serde_json::from_str(&called.stdout).expect("JSON");
        assert_eq!(report["status"], status, "{words:?}");
        assert!(report["error"]["message"].is_string(), "{words:?}");
    }
}

#[test]
fn what_is_written_never_replaces_what_was_given() {
    let place = Place::new(&[("above.c", ABOVE), ("right", "1 above\n")]);
    for given in ["above.c", "right"] {
        let called = place.call(
            "",
            &[
                "above.c", "--expect", "right", "-o", given, "--", "{}", "10",
            ],
        );
        assert_eq!(called.code, Some(2), "{}", called.stderr);
        assert!(called.stderr.contains("would replace"), "{}", called.stderr);
    }
    assert_eq!(
        fs::read(place.path("above.c")).expect("ours"),
        ABOVE.as_bytes()
    );
}

#[test]
fn a_program_that_deletes_what_it_reads_has_a_tree_of_its_own_for_each_intervention() {
    let source = "\
#include <stdio.h>
int main(int count, char **words) {
    int number, above = 0;
    FILE *file = fopen(words[1], \"r\");
    if (file == NULL)
        return 9;
    while (fscanf(file, \"%d\", &number) == 1)
        if (number > 10)
            above++;
    fclose(file);
    remove(words[1]);
    printf(\"%d above\\n\", above);
    return count == 0;
}
";
    let place = Place::new(&[
        ("above.c", source),
        ("right", "2 above\n"),
        ("numbers", "3 10 11\n"),
    ]);
    let words = [
        "above.c",
        "--expect",
        "right",
        "--by",
        "interventions",
        "--",
        "{}",
        "numbers",
    ];
    let result = found(&place, &words);
    assert_eq!(result["places"][0]["line"], 8, "{result}");
    let notes = result["notes"].to_string();
    assert!(notes.contains("a second run in the same tree"), "{notes}");
    assert!(place.path("numbers").exists(), "the user's file stays");
}

#[test]
fn a_command_that_cannot_be_run_is_a_wrong_call() {
    let place = Place::new(&[("above.c", ABOVE)]);
    let called = place.call("", &["--build", "true", "--", "./missing.sh"]);
    assert_eq!(called.code, Some(2), "{}", called.stderr);
    assert!(called.stderr.contains("cannot be run"), "{}", called.stderr);
    let called = place.call("", &["missing.c", "--", "{}"]);
    assert_eq!(called.code, Some(2), "{}", called.stderr);
    assert!(
        called.stderr.contains("there is no file 'missing.c'"),
        "{}",
        called.stderr
    );
    let words = ["above.c", "--by", "interventions", "--ask", "--", "{}", "3"];
    let called = place.call("", &words);
    assert_eq!(called.code, Some(2), "{}", called.stderr);
    assert!(called.stderr.contains("--expect FILE"), "{}", called.stderr);
}

#[test]
fn a_run_that_is_only_nearer_is_shown_and_not_called_found() {
    // Both lines are wrong, each by a number of its own: no single intervention mends both.
    let source = "\
#include <stdio.h>
int main(void) {
    int first = 7, second = 70;
    printf(\"first %d\\n\", first);
    printf(\"second %d\\n\", second);
    return 0;
}
";
    let place = Place::new(&[("two.c", source), ("right", "first 8\nsecond 83\n")]);
    let words = [
        "--json",
        "two.c",
        "--expect",
        "right",
        "--by",
        "interventions",
        "--",
        "{}",
    ];
    let called = place.call("", &words);
    assert_eq!(called.code, Some(3), "{}", called.stderr);
    let report: Value = serde_json::from_str(&called.stdout).expect("JSON");
    assert_eq!(report["status"], "limit");
    let places = report["result"]["places"].as_array().expect("places");
    assert!(!places.is_empty(), "{report}");
    assert!(
        places.iter().all(|place| place["passes"] == false),
        "{report}"
    );
}
