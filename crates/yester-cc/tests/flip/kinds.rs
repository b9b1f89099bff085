//! What an intervention can change, beside branches, operators and values: each kind of fault takes one of its own.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::place::{Place, places};

/// The place at a line.
fn at_line(places: &[Value], line: u64) -> &Value {
    let found = places.iter().find(|place| place["line"] == line);
    found.unwrap_or_else(|| panic!("nothing at line {line}: {places:#?}"))
}

#[test]
fn a_value_can_be_that_of_another_variable_at_all_times() {
    let source = "\
#include <stdio.h>
int main(int count, char **words) {
    for (int i = 1; i < count; i++) {
        int c = words[i][0], most = count + 60;
        char shown = (char)most;
        printf(\"%c\\n\", shown);
    }
    return 0;
}
";
    let places = places(source, "x\na\nu\n", &["x", "a", "u"]);
    let place = at_line(&places, 5);
    assert_eq!(place["passes"], true);
    assert_eq!(place["becomes"], "always c");
    assert_eq!(place["name"], "shown");
}

#[test]
fn a_parameter_is_a_variable_of_its_function() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
static int at_least(int value, int low) {
    if (value < low)
        return 0;
    return value;
}
int main(int count, char **words) {
    int low = atoi(words[1]);
    for (int i = 2; i < count; i++)
        printf(\"%d\\n\", at_least(atoi(words[i]), low + i));
    return 0;
}
";
    let places = places(source, "42\n43\n90\n45\n", &["40", "1", "2", "90", "3"]);
    let place = at_line(&places, 5);
    assert_eq!(place["passes"], true);
    assert_eq!(place["becomes"], "always argument 2 of at_least");
}

#[test]
fn a_comparison_can_have_the_other_outcome_for_one_value() {
    let source = "\
#include <stdio.h>
int main(int count, char **words) {
    int blanks = 0;
    for (const char *at = words[count - 1]; *at != '\\0'; at++) {
        if (*at == ' ')
            blanks++;
        else
            printf(\"%c%d\", *at, blanks);
    }
    return 0;
}
";
    // So many times that not each of them gets an intervention.
    let text = "a b_c_d_e_f_g_h_i_j_k_l_m_n_o";
    let right = "a0b1c2d3e4f5g6h7i8j9k10l11m12n13o14";
    let places = places(source, right, &[text]);
    let place = at_line(&places, 5);
    assert_eq!(place["passes"], true);
    assert_eq!(place["kind"], "operator");
    assert_eq!(place["becomes"], "the other outcome for 95 on its left");
}

#[test]
fn a_pointer_that_is_passed_can_point_elsewhere() {
    let source = "\
#include <stdio.h>
static void show(char **words) {
    for (; *words != NULL; words++)
        printf(\"%s\\n\", *words);
}
int main(int count, char **words) {
    show(words + 2);
    return count == 0;
}
";
    let places = places(source, "a\nb\nc\n", &["a", "b", "c"]);
    let place = at_line(&places, 7);
    assert_eq!(place["passes"], true);
    assert_eq!(place["name"], "index of words");
    assert_eq!(
        (&place["was"], &place["becomes"]),
        (&"2".into(), &"1".into())
    );
}

/// A counter that is not set back where a word ends.
const MISSING: &str = "\
#include <stdio.h>
struct state { int column; int words; };
static void word(struct state *state) {
    state->words += 1;
}
static void letter(struct state *state, char c) {
    if (c == ' ') {
        word(state);
        return;
    }
    state->column += 1;
    printf(\"%c%d\", c, state->column);
}
int main(int count, char **words) {
    struct state state = {0, 0};
    for (const char *at = words[count - 1]; *at != '\\0'; at++)
        letter(&state, *at);
    printf(\" %d\\n\", state.words);
    return 0;
}
";

#[test]
fn an_assignment_that_is_missing_is_told_at_a_line_beside_the_gap() {
    let places = places(MISSING, "a1b2c1d1e2f3 2\n", &["ab c def"]);
    let place = at_line(&places, 4);
    assert_eq!(place["passes"], true);
    assert_eq!(place["name"], "state->column");
    assert!(
        place["becomes"]
            .as_str()
            .is_some_and(|text| text.starts_with("set to 0 ")),
        "{place}"
    );
    assert_eq!(place["was"], "left as it is");
}

#[test]
fn the_same_missing_assignment_is_told_at_two_lines_of_a_function_at_most() {
    let places = places(MISSING, "a1b2c1d1e2f3 2\n", &["ab c def"]);
    for function in ["word", "letter", "main"] {
        let is_there =
            |place: &&Value| place["function"] == function && place["was"] == "left as it is";
        let count = places.iter().filter(is_there).count();
        assert!(count <= 2, "{function}: {places:#?}");
    }
}

#[test]
fn what_is_missing_in_an_empty_branch_is_told_at_its_condition() {
    let source = "\
#include <stdio.h>
struct parser { const char *at; int error; };
static int accept(struct parser *parser, char c) {
    return *parser->at == c ? parser->at++, 1 : 0;
}
static void expect(struct parser *parser, char c) {
    if (!accept(parser, c)) {
    }
}
int main(int count, char **words) {
    for (int i = 1; i < count; i++) {
        struct parser parser = {words[i], 0};
        expect(&parser, '(');
        expect(&parser, ')');
        printf(\"%d\\n\", parser.error);
    }
    return 0;
}
";
    let places = places(source, "0\n1\n0\n1\n", &["()", "(", "()", ")"]);
    let place = at_line(&places, 7);
    assert_eq!(place["passes"], true);
    assert_eq!(place["name"], "parser->error");
    assert_eq!(place["becomes"], "set to 1 behind this line");
}

#[test]
fn a_number_in_a_table_is_told_at_the_line_that_it_is_written_in() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
struct rate { const char *name; int from; double price; };
static const struct rate rates[] = {
    { \"small\", 0, 1.5 },
    { \"big\",
      70, 2.5 },
    { \"huge\", 90, 7.0 },
};
int main(int count, char **words) {
    int weight = atoi(words[count - 1]), i = 2;
    while (weight < rates[i].from)
        i--;
    printf(\"%s %.1f\\n\", rates[i].name, rates[i].price);
    return 0;
}
";
    // From 50 on it should be big.
    let places = places(source, "big 2.5\n", &["60"]);
    let table = at_line(&places, 7);
    assert_eq!(table["name"], "rates[2]");
    assert_eq!(table["was"], "70");
    let becomes = table["becomes"].as_str().expect("a text");
    let becomes: i32 = becomes.parse().expect("a number");
    assert!(becomes <= 60, "{becomes}");
}

#[test]
fn a_pointer_is_in_reach_of_a_gap_only_where_it_was_assigned() {
    let source = "\
struct item { int count, reserved; };
static struct item items[] = { { 5, 3 }, { 9, 1 } };
int main(void) {
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        struct item *one = &items[i];
        sum += one->count - one->reserved;
    }
    return sum;
}
";
    let place = Place::new(&[("sum.c", source)]);
    let run = |command: &mut Command| {
        let status = command.current_dir(place.directory.path()).status();
        status.expect("it starts").code()
    };
    let compiler = env!("CARGO_BIN_EXE_yester-cc");
    let mut built = Command::new(compiler);
    built
        .args(["-g", "sum.c", "-o", "sum"])
        .env("YESTER_CC_MODE", "intervene");
    assert_eq!(run(&mut built), Some(0));
    fs::create_dir(place.path("profile")).expect("room");
    let mut program = Command::new(place.path("sum"));
    assert_eq!(
        run(program.env("YESTER_INTERVENE_PROFILE", "profile")),
        Some(10)
    );
    let table = fs::read_to_string(place.path("profile/1/places")).expect("a table");
    let gaps = table.lines().filter(|line| line.starts_with("gap\t"));
    let gaps: Vec<(&str, bool)> = gaps
        .map(|gap| {
            let line = gap.split('\t').nth(2).unwrap_or_default();
            (line, gap.contains("*item one"))
        })
        .collect();
    assert!(gaps.contains(&("7", true)), "{gaps:?}");
    for line in ["4", "5", "6", "9"] {
        assert!(!gaps.contains(&(line, true)), "{gaps:?}");
    }
}
