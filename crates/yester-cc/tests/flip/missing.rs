//! What is not written can be done too: calls, and ways to leave a function or a loop.

use std::fs;
use std::process::Command;

use serde_json::Value;
use yester_pathrt::protocol::{
    Action, ExitAction, ExitForm, ExitWay, ExitWord, Intervention, Limits, Numbers,
};

use super::place::{Place, places};

/// Whether something before one line or behind the one before it makes the run pass.
fn has(places: &[Value], before: u64, becomes: &str) -> bool {
    let sides = [
        (before, "before this line"),
        (before - 1, "behind this line"),
    ];
    places.iter().any(|place| {
        place["passes"] == true
            && place["kind"] == "statement"
            && place["was"] == "nothing"
            && sides.iter().any(|(line, side)| {
                place["line"] == *line && place["becomes"] == format!("{becomes} {side}")
            })
    })
}

/// A parser that does not ask for the comma between two numbers.
const PARSER: &str = "\
#include <stdio.h>
struct parser { const char *at; int errors; };
static void expect(struct parser *parser, char c) {
    if (*parser->at == c)
        parser->at++;
    else
        parser->errors++;
}
static int number(struct parser *parser) {
    int value = 0;
    while (*parser->at >= '0' && *parser->at <= '9')
        value = 10 * value + *parser->at++ - '0';
    return value;
}
static int sum(struct parser *parser) {
    int first, second;
    expect(parser, '(');
    first = number(parser);
    second = number(parser);
    expect(parser, ',');
    return first + second + number(parser);
}
int main(int count, char **words) {
    struct parser parser = {words[count - 1], 0};
    int value = sum(&parser);
    printf(\"%d %d\\n\", value, parser.errors);
    return 0;
}
";

#[test]
fn a_call_that_is_missing_gets_variables_in_reach_and_numbers_from_other_calls() {
    let places = places(PARSER, "111 0\n", &["(100,10,1"]);
    assert!(has(&places, 19, "expect(parser, 44) called"), "{places:#?}");
}

#[test]
fn a_function_whose_only_call_is_missing_is_called() {
    let source = "\
#include <stdio.h>
#include <string.h>
static void clean(char *line) {
    char *end = strchr(line, '\\t');
    while (end != NULL) {
        *end = ' ';
        end = strchr(end, '\\t');
    }
}
int main(int count, char **words) {
    char line[64];
    strncpy(line, words[count - 1], 63);
    line[63] = strchr(line, 'x') != NULL ? '!' : '\\0';
    printf(\"%s\\n\", line);
    return 0;
}
";
    let places = places(source, "a b c\n", &["a\tb\tc"]);
    assert!(has(&places, 14, "clean(line) called"), "{places:#?}");
}

#[test]
fn a_function_that_nothing_calls_and_that_cannot_be_linked_stays_away() {
    let source = "\
#include <stdio.h>
extern int not_there(int);
static void never(void) { printf(\"%d\", not_there(1)); }
static inline void neither(void) { never(); }
int main(void) { return 3; }
";
    let place = Place::new(&[("wrong.c", source)]);
    for mode in ["intervene", "follow"] {
        let status = Command::new(env!("CARGO_BIN_EXE_yester-cc"))
            .args(["-g", "wrong.c", "-o", "wrong"])
            .env("YESTER_CC_MODE", mode)
            .current_dir(place.directory.path())
            .status();
        assert!(status.expect("it starts").success(), "{mode}");
    }
}

#[test]
fn what_is_missing_is_done_at_all_times_even_if_the_failing_run_comes_by_once() {
    // Without the brackets the first one ends everything.
    let source = "\
#include <stdio.h>
struct reader { const char *at; int errors; };
static void next(struct reader *reader) {
    reader->at++;
}
static int factor(struct reader *reader) {
    int value = 0;
    if (*reader->at == '(') {
        next(reader);
        value = *reader->at - '0';
        next(reader);
    } else {
        value = *reader->at - '0';
        next(reader);
    }
    return value;
}
int main(int count, char **words) {
    struct reader reader = {words[count - 1], 0};
    int sum = factor(&reader);
    while (*reader.at == '+') {
        next(&reader);
        sum += factor(&reader);
    }
    printf(\"%d\\n\", *reader.at == '\\0' ? sum : -1);
    return 0;
}
";
    let places = places(source, "9\n", &["(2)+3+(4)"]);
    assert!(has(&places, 12, "next(reader) called"), "{places:#?}");
}

#[test]
fn arrays_whose_size_is_computed_are_left_alone() {
    let source = "\
#include <stdio.h>
static int sum(int n) { int a[n]; int s = 0; for (int i = 0; i < n; i++) { a[i] = i; s += a[i]; } return s; }
int main(int count, char **words) {
    (void)words;
    printf(\"%d\\n\", sum(count) > 3);
    return 0;
}
";
    let places = places(source, "1\n", &["a", "b"]);
    assert!(!places.is_empty());
}

#[test]
fn a_return_that_is_missing_is_told_with_its_value() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
static int share(int total, int parts) {
    int rest = total % (parts + 1);
    printf(\"%d left\\n\", rest);
    return total / (parts + 1);
}
int main(int count, char **words) {
    for (int i = 1; i + 1 < count; i += 2) {
        int one = share(atoi(words[i]), atoi(words[i + 1]));
        printf(\"%d each\\n\", one);
    }
    return 0;
}
";
    let right = "1 left\n4 each\n-1 each\n0 left\n5 each\n";
    let places = places(source, right, &["9", "1", "7", "-9", "10", "1"]);
    assert!(
        [3, 4, 5]
            .iter()
            .any(|line| has(&places, *line, "a return of -1")),
        "{places:#?}"
    );
}

#[test]
fn a_continue_and_a_break_that_are_missing_are_told_apart() {
    let source = |after: &str| {
        format!(
            "\
#include <stdio.h>
int main(int count, char **words) {{
    int lines = 0;
    for (int i = 1; i < count; i++) {{
        lines++;
        printf(\"%s\\n\", words[i]);
        printf(\"%d\\n\", lines);
    }}
    {after}
    return 0;
}}
"
        )
    };
    let skipped = places(&source(""), "a\n1\n#\nb\n3\n", &["a", "#", "b"]);
    assert!(has(&skipped, 7, "a continue"), "{skipped:#?}");
    let left = places(
        &source("printf(\"end\\n\");"),
        "a\n1\n.\nend\n",
        &["a", ".", "b"],
    );
    assert!(has(&left, 7, "a break"), "{left:#?}");
}

#[test]
fn the_step_of_a_loop_is_taken_before_its_next_turn() {
    let source = "\
int main(void) {
    int sum = 0, turn = 0;
    for (int i = 0; i < 4; i++) {
        sum += 10;
    }
    do {
        sum += 1;
    } while (++turn < 3);
    while (turn < 5) {
        turn++;
        sum += 100;
    }
    return sum > 240;
}
";
    let place = Place::new(&[("sum.c", source)]);
    let run = |command: &mut Command| {
        let status = command.current_dir(place.directory.path()).status();
        status.expect("it starts").code()
    };
    let mut built = Command::new(env!("CARGO_BIN_EXE_yester-cc"));
    built
        .args(["-g", "sum.c", "-o", "sum"])
        .env("YESTER_CC_MODE", "intervene");
    assert_eq!(run(&mut built), Some(0));
    fs::create_dir(place.path("profile")).expect("room");
    let mut profiled = Command::new(place.path("sum"));
    assert_eq!(
        run(profiled.env("YESTER_INTERVENE_PROFILE", "profile")),
        Some(1)
    );
    let table = fs::read_to_string(place.path("profile/1/places")).expect("a table");
    let module = table
        .lines()
        .next()
        .and_then(|line| line.split('\t').nth(1));
    let module = module.expect("a module");
    let places = table.lines().filter(|line| {
        let kind = line.split('\t').next().unwrap_or_default();
        !["module", "function"].contains(&kind)
    });
    let exits: Vec<(usize, &str)> = places
        .enumerate()
        .filter(|(_, line)| line.starts_with("exit\t"))
        .map(|(number, line)| (number, line.split('\t').nth(2).unwrap_or_default()))
        .collect();
    // Each loop ends although every turn is left before its statement: 40, 3 or 200 are missing.
    for line in ["4", "7", "11"] {
        let (number, _) = exits
            .iter()
            .find(|(_, at)| *at == line)
            .unwrap_or_else(|| panic!("no exit at line {line}: {exits:?}"));
        let next = ExitAction::Leave(ExitWay::Next);
        let intervention = Intervention {
            module: module.parse().expect("a number"),
            place: *number as u64,
            process: 0,
            instances: Numbers::default(),
            action: Action::Exit(ExitWord::encode(next, 0, ExitForm::Moved)),
        };
        let limits = Limits {
            branches: 1000,
            milliseconds: 1000,
        };
        let plan = format!("{limits}\n{intervention}\n");
        fs::write(place.path("plan"), plan).expect("room");
        let mut changed = Command::new(place.path("sum"));
        let status = run(changed.env("YESTER_INTERVENE", "plan"));
        assert_eq!(status, Some(0), "line {line}");
    }
}

#[test]
fn a_local_variable_that_is_not_assigned_is_told_with_a_value_of_another_one() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
static int rate(int wanted, int current, int limit) {
    int rate = wanted;
    if (wanted > limit) {
        printf(\"limited\\n\");
    }
    printf(\"rate %d\\n\", rate * 3 + rate % 7);
    return rate;
}
int main(int count, char **words) {
    int first = atoi(words[1]), second = atoi(words[2]);
    return count > 3 ? 0 : rate(first, second, 700) > 1000;
}
";
    // It should be the current one, 500.
    let places = places(source, "limited\nrate 1503\n", &["900", "500"]);
    // Others of the same variable may lead the entry.
    let told = places.iter().flat_map(|place| {
        let others = place["same_cause"].as_array().expect("a list");
        let others = others.iter().map(|other| (&other["line"], &other["what"]));
        std::iter::once((&place["line"], &place["becomes"])).chain(others)
    });
    let sides = [
        (6, "set to 500 behind this line"),
        (7, "set to 500 behind this line"),
        (8, "set to 500 before this line"),
    ];
    let found = told.into_iter().any(|(at, what)| {
        let what = what.as_str().expect("a text");
        let mut sides = sides.iter();
        sides.any(|(line, becomes)| at == line && what.contains(becomes))
    });
    assert!(found, "{places:#?}");
}

/// Exceptions, destructors, calls in place of returns, computed jumps, and a function that never returns.
const ODD: &str = "\
#include <cstdio>
#include <string>
struct Traced { std::string name; ~Traced() { std::printf(\"~%s\\n\", name.c_str()); } };
[[noreturn]] static void fail(int code) { throw code; }
static int deep(int x) {
    Traced outer{\"outer\"};
    if (x > 3)
        fail(x);
    for (int i = 0; i < 3; i++) {
        Traced inner{\"inner\"};
        if (i == 1)
            continue;
        if (x == 2)
            break;
    }
    return x;
}
static int second(int x);
static int first(int x) {
    if (x <= 0)
        return 0;
    [[clang::musttail]] return second(x - 1);
}
static int second(int x) {
    [[clang::musttail]] return first(x);
}
int main(int count, char **) {
    try {
        for (int i = 0; i < 6; i++)
            std::printf(\"%d\\n\", deep(i));
    } catch (int code) {
        std::printf(\"caught %d\\n\", code);
    }
    void *labels[] = {&&one, &&two};
    int turn = count - 1;
    goto *labels[turn % 2];
one:
    std::printf(\"one\\n\");
    turn++;
    if (turn < 3)
        goto *labels[turn % 2];
two:
    std::printf(\"two %d\\n\", first(5));
    do {
        turn--;
        if (turn == 1)
            continue;
        std::printf(\"%d\\n\", turn);
    } while (turn > 0);
    return 7;
}
";

#[test]
fn odd_ways_through_a_program_stay_as_they_are() {
    let place = Place::new(&[("odd.cpp", ODD)]);
    let run = |command: &mut Command| {
        let output = command.current_dir(place.directory.path()).output();
        let output = output.expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text)
    };
    let build = |program: &str, mode: &str| {
        let mut compiler = Command::new(env!("CARGO_BIN_EXE_yester-cxx"));
        compiler.args(["-w", "-g", "odd.cpp", "-o", program]);
        let (code, text) = run(compiler.env("YESTER_CC_MODE", mode));
        assert_eq!((code, text.as_str()), (Some(0), ""));
        run(&mut Command::new(place.path(program)))
    };
    let plain = build("plain", "");
    assert_eq!(plain.0, Some(7));
    assert!(plain.1.contains("caught 4\none\ntwo 0\n"), "{}", plain.1);
    assert_eq!(build("intervene", "intervene"), plain);
}
