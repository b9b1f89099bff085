//! Inputs with a structure: languages, trees of files, differences.

use std::fs;

use crate::place::Place;

const PROGRAM: &str = "\
#include <stdio.h>
/* Everything that the report needs. */
struct order { int count; int price; };
static int total(struct order *orders, int size) {
    int sum = 0;
    for (int at = 0; at < size; at++) {
        sum += orders[at].count * orders[at].price;
    }
    return sum;
}
static int average(int sum, int size) {
    if (size > 0) {
        return sum / size;
    }
    return sum / 0;
}
int main(void) {
    struct order orders[2] = {{1, 2}, {3, 4}};
    printf(\"%d %d\\n\", total(orders, 2), average(total(orders, 2), 2));
    return 0;
}
";

fn with_program() -> Place {
    let place = Place::new();
    place.write("program.c", PROGRAM);
    // What it is given is written down, so that a test can look at it.
    place.script(
        "divides.sh",
        "cat \"$1\" >> \"$YESTER_START/seen\"; printf '\\0' >> \"$YESTER_START/seen\"\ngrep -q 'sum */ *0' \"$1\"",
    );
    place
}

#[test]
fn a_program_is_reduced_by_its_syntax_and_every_candidate_parses() {
    let place = with_program();
    let call = ["reduce", "program.c", "-j1", "--", "./divides.sh", "{}"];
    let called = place.call(&call).exits(0);
    called
        .says("language: c")
        .prints("nothing that was tried makes it smaller")
        .prints("\n{sum/0;}\n");
    assert_eq!(place.read("program.reduced.c"), "{sum/0;}");
    let seen = place.read("seen");
    let candidates: Vec<&str> = seen.split('\0').filter(|text| !text.is_empty()).collect();
    assert!(candidates.len() > 5);
    for candidate in candidates {
        let count = |sign| candidate.matches(sign).count();
        assert_eq!(count('{'), count('}'), "{candidate}");
        assert_eq!(count('('), count(')'), "{candidate}");
    }
}

#[test]
fn without_syntax_a_program_becomes_as_small_as_its_test_allows() {
    let place = with_program();
    let call = [
        "reduce",
        "program.c",
        "--allow-invalid",
        "--",
        "./divides.sh",
        "{}",
    ];
    place
        .call(&call)
        .exits(0)
        .prints("no single byte can be left out");
    assert_eq!(place.read("program.reduced.c"), "sum/0");
}

#[test]
fn any_number_of_jobs_gives_the_same_answer_in_every_language() {
    for (file, text, wanted) in [
        ("a.c", PROGRAM, "orders"),
        (
            "a.json",
            "{\"a\": [1, {\"b\": null}, \"needle\"], \"c\": {}}",
            "needle",
        ),
        (
            "a.py",
            "import os\ndef f(x):\n    if x:\n        return os.needle\n    return 1\n",
            "needle",
        ),
        ("a.xml", "<a b=\"1\"><c/><d>some needle</d></a>", "needle"),
        (
            "a.txt",
            "one\ntwo (three, needle, four)\n\nfive\n",
            "needle",
        ),
    ] {
        let answers = ["-j1", "-j2", "-j5"].map(|jobs| {
            let place = Place::new();
            place.write(file, text);
            let call = [
                "reduce", file, jobs, "-o", "out", "--", "grep", "-q", wanted, "{}",
            ];
            place.call(&call).exits(0);
            place.read("out")
        });
        assert!(answers[0].contains(wanted));
        assert_eq!(answers[0], answers[1], "{file}");
        assert_eq!(answers[0], answers[2], "{file}");
    }
}

#[test]
fn the_algorithms_of_the_thesis_say_what_they_guarantee() {
    let place = with_program();
    let sizes = ["hdd", "hdd+", "hdd*", "ddmin"].map(|algorithm| {
        let call = [
            "reduce",
            "program.c",
            "--algorithm",
            algorithm,
            "--",
            "./divides.sh",
            "{}",
        ];
        let called = place.call(&call).exits(0);
        let sure = match algorithm {
            "hdd" => "it may not be minimal",
            "ddmin" => "no single byte can be left out",
            _ => "no single node can be left out (1-tree-minimal)",
        };
        called.prints(sure);
        let text = place.read("program.reduced.c");
        assert!(text.contains("sum") && text.contains('0'), "{text}");
        text.len()
    });
    assert!(sizes[0] >= sizes[1] && sizes[0] >= sizes[2], "{sizes:?}");
    let call = [
        "reduce",
        "program.c",
        "--algorithm",
        "hdd*",
        "--by-branch",
        "--hoist",
    ];
    let call = [&call[..], &["--", "./divides.sh", "{}"]].concat();
    place.call(&call).exits(0);
    assert!(place.read("program.reduced.c").len() <= sizes[2]);
}

#[test]
fn a_language_can_be_named_and_an_unknown_one_is_an_error() {
    let place = Place::with_needle();
    let call = |language| {
        place.call(&[
            "reduce",
            "input.txt",
            "--language",
            language,
            "--",
            "./interesting.sh",
            "{}",
        ])
    };
    call("text").exits(0).says("language: text");
    call("klingon")
        .exits(2)
        .says("there is no language 'klingon'")
        .says("yester languages lists them");
    let listed = place.call(&["languages"]).exits(0);
    let names: Vec<&str> = listed
        .stdout
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let all = "bash c cpp css go html java javascript json python rust sql toml tsx typescript xml yaml text binary";
    assert_eq!(names, all.split(' ').collect::<Vec<_>>());
}

#[test]
fn a_language_of_ones_own_is_read_from_its_grammar() {
    let place = Place::new();
    place.write("in.txt", "((1+(2*3))/(2-2))+(3*5)");
    place.write(
        "calc.y",
        "%token N\n%%\nE: E '*' E | E '/' E | E '+' E | E '-' E | '(' E ')' | N;\n",
    );
    place.write(
        "calc.l",
        "%%\n[0-9]+ { return N; }\n[-+*/()] { return yytext[0]; }\n[ \\n] ;\n",
    );
    // Dividing is enough.
    let grammar = [
        "--grammar",
        "calc.y",
        "--lexer",
        "calc.l",
        "--",
        "grep",
        "-q",
        "/",
        "{}",
    ];
    let call = [&["reduce", "in.txt"], &grammar[..]].concat();
    let called = place.call(&call).exits(0);
    called.says("shift/reduce conflicts").says("language: calc");
    assert_eq!(place.read("in.reduced.txt"), "0/0");

    place.write("calc.y", "%token N\n%%\nE: E '*' F | N;\n");
    place.call(&call).exits(2).says("calc.y:3:");
}

#[test]
fn a_directory_is_reduced_with_all_that_is_in_it() {
    let place = Place::new();
    fs::create_dir_all(place.file("project/src/deep")).expect("room");
    place.write(
        "project/src/main.py",
        "import os\n\ndef main():\n    print('hello')\n    needle()\n",
    );
    place.write(
        "project/src/deep/data.json",
        "{\"needed\": [1, 2, 3], \"other\": null}",
    );
    place.write("project/README.md", "# A project\n\nwith words.\n");
    place.write("project/run.sh", "#!/bin/sh\ntrue\n");
    place.script(
        "test.sh",
        "grep -q needle \"$1/src/main.py\" && grep -q needed \"$1/src/deep/data.json\"",
    );
    let before = place.read("project/src/main.py");
    let call = ["reduce", "project/", "--", "./test.sh", "{}"];
    let called = place.call(&call).exits(0);
    called.prints("result   project.reduced");
    assert_eq!(place.read("project.reduced/src/main.py"), "needle");
    assert_eq!(
        place.read("project.reduced/src/deep/data.json"),
        "\"needed\""
    );
    assert!(!place.file("project.reduced/README.md").exists());
    assert!(!place.file("project.reduced/run.sh").exists());
    assert_eq!(place.read("project/src/main.py"), before);
    // The same again replaces its own answer, but nothing else.
    place.call(&call).exits(0);
    // Inside the input nothing may be written, also when it is where one is.
    let inside = [
        "reduce",
        "project",
        "-o",
        "project/out",
        "--",
        "./test.sh",
        "{}",
    ];
    place
        .call(&inside)
        .exits(2)
        .says("project/out is in the input");
    place.write("project.reduced/mine", "");
    place
        .call(&call)
        .exits(2)
        .says("project.reduced is there already and has other things in it");
}

#[test]
fn a_passing_relative_narrows_the_difference_from_both_sides() {
    let place = Place::new();
    place.write("good.txt", "a quick fox\njumps over\nthe dog\n");
    place.write("bad.txt", "a quick brown fox\nleaps over\nthe lazy dog\n");
    place.script("test.sh", "! grep -q lazy \"$1\"");
    let call = [
        "reduce",
        "bad.txt",
        "--isolate",
        "good.txt",
        "--failing",
        "--",
        "./test.sh",
        "{}",
    ];
    let called = place.call(&call).exits(0);
    called
        .prints("passing  bad.reduced.passing.txt")
        .prints("no part of the difference can be left out");
    let (failing, passing) = (
        place.read("bad.reduced.txt"),
        place.read("bad.reduced.passing.txt"),
    );
    assert!(failing.contains("lazy") && !passing.contains("lazy"));
    let without = failing.replace("lazy ", "").replace("lazy", "");
    assert_eq!(
        without.split_whitespace().collect::<Vec<_>>(),
        passing.split_whitespace().collect::<Vec<_>>()
    );

    place.write("good.txt", "lazy\n");
    place
        .call(&call)
        .exits(1)
        .says("the input given to --isolate does not pass");
}

#[test]
fn the_way_to_the_answer_can_be_looked_at() {
    let place = with_program();
    place
        .call(&["reduce", "program.c", "--", "./divides.sh", "{}"])
        .exits(0);
    let run = place.runs().remove(0);
    let mut sizes = Vec::new();
    for number in 0.. {
        let Ok(text) = fs::read(run.join(format!("improvements/{number:04}/program.c"))) else {
            break;
        };
        sizes.push(text.len());
    }
    assert!(sizes.len() > 2, "{sizes:?}");
    assert!(sizes.windows(2).all(|pair| pair[1] < pair[0]), "{sizes:?}");
    assert_eq!(sizes.last(), Some(&place.read("program.reduced.c").len()));
}
