//! `yester flip --check`: a command of the user judges runs with an intervention.

use std::fs;

use super::place::{ABOVE, Place};

/// Right is what the command says, which writes down that it was asked.
const CHECK: &str = "echo >> asked; test \"$1\" = 10 && grep -q '^3 above' \"$YESTER_STDOUT\"";

#[test]
fn a_command_judges_runs_on_the_users_own_input() {
    let place = Place::new(&[("above.c", ABOVE)]);
    let words = [
        "above.c",
        "--check",
        CHECK,
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
    let result = place.result("", &words);
    let first = &result["places"][0];
    assert_eq!(
        (&first["line"], &first["kind"]),
        (&6.into(), &"operator".into())
    );
    assert_eq!(first["evidence"], "intervention");
    let asked = || fs::read(place.path("asked")).expect("it was asked").len() as u64;
    let (times, runs) = (asked(), result["runs"].as_u64().expect("a number"));
    // What prints the same for the same input is the same, so that the command is asked about few of the runs. All of them are counted.
    assert!(2 <= times && times < runs / 2, "{times} of {runs}");
    // The second call knows what the command said.
    let again = place.result("", &words);
    assert_eq!(again["places"], result["places"]);
    assert!(again["runs"].as_u64().expect("a number") < runs);
}

#[test]
fn both_ways_are_judged_by_the_command() {
    let place = Place::new(&[("above.c", ABOVE)]);
    let check = "test \"$1\" -lt 10 && right=0 || right=1; test \"$(cat $YESTER_STDOUT)\" = \"$right above\"";
    let words = ["above.c", "--check", check, "--", "{}", "10"];
    let result = place.result("", &words);
    let first = &result["places"][0];
    assert_eq!(
        (&first["line"], &first["kind"]),
        (&6.into(), &"operator".into())
    );
    let input = &first["input"][0];
    assert_eq!(input["source"], "arg:1", "{result}");
    assert_eq!(
        result["distance"],
        serde_json::json!(["above.c:6"]),
        "{result}"
    );
}

#[test]
fn a_command_that_does_not_call_the_run_wrong_ends_the_search() {
    let place = Place::new(&[("above.c", ABOVE)]);
    for (check, code, message) in [
        ("true", 1, "the run is right"),
        ("exit 125", 2, "nobody can tell"),
        ("./no-such-command", 2, "--check"),
    ] {
        let words = [
            "above.c",
            "--check",
            check,
            "--by",
            "interventions",
            "--",
            "{}",
            "10",
        ];
        let called = place.call("", &words);
        assert_eq!(called.code, Some(code), "{check}: {}", called.stderr);
        assert!(
            called.stderr.contains(message),
            "{check}: {}",
            called.stderr
        );
    }
}
