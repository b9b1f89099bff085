//! `yester trace`, on a script that records itself as a program of yester-cc would.

use std::fs;

use crate::place::Place;

const SOURCE: &str = "int check(int c) {\n    if (c < 10) return 1;\n    return 0;\n}\nint main(void) {\n    \
                      int a = getchar(), b = getchar();\n    if (a == 'a')\n        check(b);\n    if (a == 'b')\n        \
                      abort();\n    switch (b) { case 1: case 2: ; }\n}\n";

fn place() -> Place {
    let place = Place::new();
    place.executable("app", include_str!("samples/recorder.py"));
    place.write("small.c", SOURCE);
    place.write("in", b"a\x02");
    place
}

#[test]
fn branches_are_shown_with_their_source_and_what_they_ask_of_the_input() {
    let place = place();
    let called = place
        .call(&[
            "trace",
            "--symbolic",
            "stdin",
            "--stdin",
            "in",
            "--",
            "./app",
        ])
        .exits(0);
    let lines: Vec<&str> = called.stdout.lines().collect();
    assert!(lines[0].starts_with("traced   4 branches, 3 constraints, exit 3, "));
    assert_eq!(
        lines[1],
        "next     --negate K -o FILE finds an input that goes the other way at [K]"
    );
    assert!(lines[2].starts_with("report   .yester/trace-app-"));
    assert_eq!(
        &lines[3..],
        [
            "",
            "main small.c:7:11 true  | if (a == 'a')  [0] stdin[0] == 'a'",
            "  check small.c:2:9 true  | if (c < 10) return 1;  [1] stdin[1] < 10",
            "main small.c:9:11 false  | if (a == 'b')  [2] stdin[0] != 'b'",
            "main small.c:11:5 case 2  | switch (b) { case 1: case 2: ; }",
            "",
            "The path condition:",
            "[0] stdin[0] == 'a'",
            "[1] stdin[1] < 10",
            "[2] stdin[0] != 'b'",
        ]
    );
    assert_eq!(called.stderr, "");
    // The run is kept, and what the program prints is only shown when asked for.
    assert_eq!(place.runs().len(), 1);
    place
        .call(&["trace", "-v", "--stdin", "in", "--", "./app"])
        .exits(0)
        .says("a program with an output of its own")
        .prints("main small.c:7:11 true  | if (a == 'a')\n");
}

#[test]
fn predicates_are_shown_with_their_conditions() {
    let place = place();
    let recorder = include_str!("samples/recorder.py");
    let first = "branch\\t\\t7\\t11\\t\\n";
    assert!(recorder.contains(first));
    let predicate = "predicate\\t\\t6\\t9\\ta > b\\t\\n";
    place.executable("app", recorder.replace(first, predicate));
    let words = ["trace", "--symbolic", "stdin", "--stdin", "in", "--"];
    let shown = "main small.c:6:9 true  a > b (predicate)  | int a = getchar(), b = getchar();  [0] stdin[0] == 'a'\n";
    place
        .call(&[&words[..], &["./app"]].concat())
        .exits(0)
        .prints(shown);
    let json = [&words[..5], &["--json", "--", "./app"]].concat();
    let json = place.call(&json).exits(0).json();
    let branches = &json["result"]["branches"];
    assert_eq!(branches[0]["predicate"], "a > b");
    assert!(branches[1].get("predicate").is_none());
}

#[test]
fn the_json_has_every_promised_field() {
    let place = place();
    let words = [
        "trace",
        "--symbolic",
        "stdin",
        "--stdin",
        "in",
        "--json",
        "--",
        "./app",
        "--lossy",
        "--concrete",
    ];
    let json = place.call(&words).exits(0).json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["command"], "trace");
    assert_eq!(json["status"], "found");
    let result = &json["result"];
    assert_eq!(result["branches"].as_array().map(Vec::len), Some(4));
    let first = &result["branches"][1];
    assert_eq!(first["function"], "check");
    assert_eq!(first["file"], "small.c");
    assert_eq!((&first["line"], &first["column"]), (&2.into(), &9.into()));
    assert_eq!(
        (&first["taken"], &first["constraint"]),
        (&true.into(), &2.into())
    );
    assert_eq!(first["depth"], 2);
    assert!(first["dependence"].is_null());
    assert_eq!(result["branches"][3]["dependence"], 0);
    assert_eq!(result["branches"][3]["case"], 2);
    assert!(result["branches"][3]["constraint"].is_null());
    let concretised = &result["constraints"][1];
    assert_eq!(concretised["index"], 1);
    assert_eq!(concretised["kind"], "concretised");
    assert_eq!(concretised["text"], "stdin[1] == 2");
    assert_eq!(
        (&concretised["branch"], &result["constraints"][3]["branch"]),
        (&1.into(), &2.into())
    );
    assert_eq!(result["lost"][0]["what"], "sprintf");
    assert_eq!(result["lost"][0]["place"], "main");
    assert_eq!(result["ending"], "exit 3");
    assert!(result["cpu_seconds"].as_f64().expect("a number") > 0.0);
}

#[test]
fn the_input_of_the_other_way_is_run_and_written() {
    let place = place();
    let negate = |index: &str, rest: &[&str]| {
        let mut words = vec!["trace", "--negate", index, "-o", "out"];
        words.extend(rest);
        place.call(&words)
    };
    let stdin = ["--symbolic", "stdin", "--stdin", "in", "--", "./app"];
    for solver in ["z3", "cvc5"] {
        let with = [&["--solver", solver], &stdin[..]].concat();
        negate("1", &with)
            .exits(0)
            .prints("result   out (stdin)")
            .prints("sure     was run: 1 branch as before, then [1] goes the other way")
            .prints("next     ./app < out");
        let found = fs::read(place.file("out")).expect("it is written");
        assert_eq!((found.len(), found[0]), (2, b'a'));
        assert!(found[1] >= 10);
    }
    negate("0", &stdin).exits(0);
    assert_ne!(fs::read(place.file("out")).expect("it is written")[0], b'a');
    // After a == 'a', a == 'b' cannot be.
    negate("2", &stdin)
        .exits(1)
        .says("no input of the same length takes the same path and the other way at [2]");
    negate("9", &stdin)
        .exits(2)
        .says("constraints are numbered 0 to 2");
    assert_eq!(fs::read(place.file("in")).expect("mine"), b"a\x02");
}

#[test]
fn a_file_and_an_argument_can_be_followed_too() {
    let place = place();
    let words = [
        "trace",
        "--symbolic",
        "file:in",
        "--negate",
        "1",
        "-o",
        "out",
        "--",
        "./app",
        "--file",
        "in",
    ];
    place
        .call(&words)
        .exits(0)
        .prints("next     ./app --file out");
    assert!(fs::read(place.file("out")).expect("it is written")[1] >= 10);
    assert_eq!(fs::read(place.file("in")).expect("mine"), b"a\x02");
    let path = place.file("in");
    let path = path.to_str().expect("text");
    let source = format!("file:{path}");
    let words = [
        "trace",
        "--symbolic",
        &source,
        "--negate",
        "0",
        "-o",
        "out",
        "--",
        "./app",
        "--file",
        path,
    ];
    place.call(&words).exits(0);
    assert_ne!(fs::read(place.file("out")).expect("it is written")[0], b'a');
    let words = [
        "trace",
        "--symbolic",
        &source,
        "--negate",
        "0",
        "-o",
        "out",
        "--",
        "./app",
    ];
    place
        .call(&words)
        .exits(2)
        .says("cannot be given to the program");

    let words = [
        "trace",
        "--symbolic",
        "arg:2",
        "--negate",
        "0",
        "-o",
        "out",
        "--",
        "./app",
        "--arg",
        "ax",
    ];
    place
        .call(&words)
        .exits(0)
        .prints("result   out (arg:2)")
        .prints("next     ./app --arg \"$(cat out)\"");
    let found = fs::read(place.file("out")).expect("it is written");
    assert!(found.len() == 2 && found[0] != b'a');
}

#[test]
fn an_answer_that_takes_another_way_is_not_written() {
    let place = place();
    let words = [
        "trace",
        "--symbolic",
        "stdin",
        "--stdin",
        "in",
        "--negate",
        "0",
        "-o",
        "out",
        "--json",
        "--",
        "./app",
        "--deaf",
    ];
    let called = place.call(&words).exits(3).says("[0] went the same way");
    assert_eq!(called.json()["status"], "limit");
    assert!(!place.file("out").exists());
    // A value that was taken as it was is no reason to say that there is no other: it is tried.
    let words = [
        "trace",
        "--symbolic",
        "stdin",
        "--stdin",
        "in",
        "--negate",
        "2",
        "-o",
        "out",
        "--",
        "./app",
        "--concrete",
    ];
    place.call(&words).exits(0);
    let words = [
        "trace",
        "--symbolic",
        "stdin",
        "--stdin",
        "in",
        "--negate",
        "1",
        "-o",
        "out",
        "--",
        "./app",
        "--concrete",
    ];
    place
        .call(&words)
        .exits(2)
        .says("fixed a value there to what it was");
}

#[test]
fn a_program_that_was_not_built_for_it_is_told_how_to_be() {
    let place = place();
    place
        .call(&["trace", "--", "true"])
        .exits(2)
        .says("true recorded nothing (exit 0): it was not built with yester-cc")
        .says("make CC=yester-cc");
    place
        .call(&["trace", "--symbolic", "arg:1", "--", "./app"])
        .exits(2)
        .says("there is no argument 1");
    place
        .call(&["trace", "--", "./app", "|", "wc"])
        .exits(0)
        .says("only a shell understands '|': -- sh -c './app | wc'");
    place
        .call(&["trace", "--symbolic", "stdout", "--", "./app"])
        .exits(2)
        .says("expected stdin, file:PATH or arg:N");
}

#[test]
fn what_is_piped_in_can_be_followed() {
    let place = place();
    for words in [
        &["trace", "--symbolic", "stdin", "--", "./app"][..],
        &[
            "trace",
            "--symbolic",
            "stdin",
            "--stdin",
            "-",
            "--",
            "./app",
        ],
    ] {
        place
            .pipe(b"b\x01", words)
            .exits(0)
            .prints("main small.c:9:11 true  | if (a == 'b')  [1] stdin[0] == 'b'");
    }
}

#[test]
fn a_program_that_hangs_is_ended_and_shown() {
    let place = place();
    place
        .call(&[
            "trace",
            "--timeout",
            "5s",
            "--stdin",
            "in",
            "--",
            "./app",
            "--hang",
        ])
        .exits(0)
        .prints(", timeout, ")
        .prints("main small.c:9:11 false");
}

#[test]
fn a_long_trace_is_cut_for_people_and_whole_for_programs() {
    let place = place();
    let called = place
        .call(&["trace", "--stdin", "in", "--", "./app", "--long"])
        .exits(0);
    let called = called.prints("… 1,604 more branches, which --json has");
    assert!(called.stdout.lines().count() < 420);
    let json = place
        .call(&["trace", "--json", "--stdin", "in", "--", "./app", "--long"])
        .exits(0)
        .json();
    assert_eq!(
        json["result"]["branches"].as_array().map(Vec::len),
        Some(2_004)
    );
}
