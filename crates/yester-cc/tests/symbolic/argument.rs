//! Arguments that become longer and shorter: the program's branches on how long they are can be turned, and none is ruled out.

use crate::laboratory::{Input, Laboratory};
use yester_path::{PathCondition, Recording, Solver, SolverAnswer};

const HEADERS: &str =
    "#include <ctype.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";

fn turns(body: &str, argument: &str) -> Vec<u8> {
    let laboratory = Laboratory::new(&format!(
        "{HEADERS}static void say(int yes) {{ puts(yes ? \"yes\" : \"no\"); }}\nint main(int argc, char **argv) {{ char *a = argv[1]; {body} }}"
    ));
    let input = Input::argument(argument);
    let (output, _) = laboratory.record(&input);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("no"),
        "{body}"
    );
    let found = laboratory.reach(&input, "yes");
    let found = found.unwrap_or_else(|| panic!("no argument reaches it:\n{body}"));
    found.arguments[0].clone()
}

macro_rules! probes {
    ($($name:ident($argument:literal) $body:literal;)*) => {$(
        #[test]
        fn $name() {
            turns($body, $argument);
        }
    )*};
}

probes! {
    a_longer_one_by_strlen("abc") "say(strlen(a) > 5);";
    a_much_longer_one("abc") "say(strlen(a) == 60);";
    a_shorter_one("abcdef") "say(strlen(a) == 2);";
    none_at_all("abc") "say(!*a);";
    one_that_was_empty("") "say(a[0] == 'x' && a[1] == 'y');";
    a_longer_word("a") "say(!strcmp(a, \"keyword\"));";
    a_loop_that_goes_on("ab") "int n = 0; while (a[n]) n++; say(n == 4);";
    a_number_with_more_digits("1") "say(atoi(a) == 4711);";
    a_number_in_another_base("1") "say(strtol(a, 0, 16) == 0x1bef);";
    a_copy("ab") "char b[100]; strcpy(b, a); say(strlen(b) == 5 && b[4] == '!');";
    a_copy_on_the_heap("ab") "char *b = strdup(a); say(!strcmp(b, \"abcde\"));";
    a_letter_that_is_searched("ab") "char *p = strchr(a, '='); say(p && p - a == 4);";
    the_start_of_it("a") "say(!strncmp(a, \"--help\", 6));";
    all_digits("1x") "int n = 0; while (isdigit((unsigned char)a[n])) n++; say(n > 3 && !a[n]);";
}

#[test]
fn an_argument_of_the_same_length_comes_first() {
    assert_eq!(
        turns("int n = strlen(a); say(a[n - 1] == '.');", "abc").len(),
        3
    );
    assert_eq!(turns("say(strlen(a) > 3);", "abc").len(), 4);
}

#[test]
fn two_arguments_do_not_meet() {
    let laboratory = Laboratory::new(&format!(
        "{HEADERS}int main(int argc, char **argv) {{ puts(!strcmp(argv[1], argv[2]) && strlen(argv[2]) == 4 ? \"yes\" : \"no\"); }}"
    ));
    let mut input = Input::argument("ab");
    input.arguments.push(b"xyz".to_vec());
    let found = laboratory
        .reach(&input, "yes")
        .expect("there are such arguments");
    assert_eq!(found.arguments[0], found.arguments[1]);
    assert_eq!(found.arguments[0].len(), 4);
}

#[test]
fn what_is_more_than_can_be_longer_is_assumed() {
    let laboratory = Laboratory::new(&format!(
        "{HEADERS}int main(int argc, char **argv) {{ if (strlen(argv[1]) > 100) puts(\"long\"); }}"
    ));
    let (_, recording) = laboratory.record(&Input::argument("abc"));
    let condition = PathCondition::new(&recording.graph, &recording.constraints);
    let last = recording.constraints.len() - 1;
    // Nobody may conclude that there is no such argument.
    assert!(condition.negate(last).expect("a branch").concretised);
}

/// The branches of a run: function, site and outcome, and the constraint if there is one.
fn path(recording: &Recording) -> Vec<((u32, u32, u32), Option<usize>)> {
    let branches = recording.branches();
    branches
        .map(|branch| {
            let branch = branch.expect("it can be read");
            let taken = (branch.function, branch.site, branch.outcome);
            (taken, branch.constraint)
        })
        .collect()
}

/// All arguments of up to three letters out of three.
fn all_arguments() -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..3 {
        let to = all.len();
        for index in from..to {
            for letter in ['a', '1', '-'] {
                all.push(format!("{}{letter}", all[index]));
            }
        }
        from = to;
    }
    all
}

#[test]
fn no_argument_is_ruled_out_that_exists() {
    let programs = [
        "if (strlen(a) == 2) puts(\"2\"); if (a[0] == '1') puts(\"1\"); if (strlen(a) > 1 && a[1] == 'a') puts(\"a\");",
        "char b[9]; strcpy(b, a); if (strlen(b) == 3) puts(\"3\"); if (strlen(b) > 0 && b[0] == b[1]) puts(\"same\");",
        "char b[3] = \"\"; strncpy(b, a, 2); if (strlen(b) == 1) puts(\"1\"); if (!strcmp(b, \"1a\")) puts(\"1a\");",
        "char *b = strdup(a), *c = strndup(a, 2); if (!strcmp(b, c)) puts(\"same\"); if (strlen(c) == 1) puts(\"1\");",
        "char b[9] = \"1\"; strcat(b, a); if (strlen(b) == 3) puts(\"3\"); strncat(b, a, 1); if (b[2] == '1') puts(\"1\");",
        "int n = atoi(a); if (n == 11) puts(\"11\"); if (n < 0) puts(\"less\"); if (strtol(a, 0, 16) == 26) puts(\"1a\");",
        "char *e; long n = strtol(a, &e, 10); if (*e) puts(\"rest\"); if (e == a) puts(\"none\"); if (n == 1) puts(\"1\");",
        "char *p = strchr(a, '-'), *q = strrchr(a, '1'); if (p) puts(\"-\"); if (q && q > a) puts(\"1\"); if (p && q && p < q) puts(\"before\");",
        "if (strstr(a, \"1-\")) puts(\"there\"); if (strspn(a, \"a1\") == 2) puts(\"2\"); if (strcspn(a, \"-\") == 1) puts(\"1\"); if (strpbrk(a, \"1-\")) puts(\"any\");",
        "if (!strcmp(a, \"a1\")) puts(\"a1\"); if (strncmp(a, \"1a\", 2) < 0) puts(\"less\"); if (!memcmp(a, \"-\", 2)) puts(\"-\"); if (memchr(a, '1', strlen(a))) puts(\"1\");",
        "char b[20]; int n = snprintf(b, 20, \"<%s>\", a); if (n == 4) puts(\"4\"); if (b[1] == '1') puts(\"1\"); if (b[2] == '>') puts(\"one\");",
        "char *t = strtok(a, \"-\"); int n = 0; while (t) { n++; if (*t == '1') puts(\"1\"); t = strtok(0, \"-\"); } if (n == 2) puts(\"two\");",
        "int n = -1; char b[9] = \"\"; if (sscanf(a, \"%d\", &n) == 1) puts(\"number\"); if (sscanf(a, \"%8[a1]\", b) == 1 && !strcmp(b, \"a1\")) puts(\"a1\");",
        "int n = 0; for (char *p = a; *p; p++) { if (isdigit((unsigned char)*p)) n++; } if (n == 2) puts(\"2\"); if (strnlen(a, 2) == 2) puts(\"long\");",
        "char *b = malloc(strlen(a) + 1); memcpy(b, a, strlen(a) + 1); if (strlen(b) == 2) puts(\"2\"); if (b[0] == '1') puts(\"1\");",
    ];
    let mut ruled_out = 0;
    for body in programs {
        let laboratory = Laboratory::new(&format!(
            "#define _GNU_SOURCE\n{HEADERS}int main(int argc, char **argv) {{ char *a = argv[1]; {body} return 0; }}"
        ));
        let runs: Vec<(String, Vec<_>, Recording)> = all_arguments()
            .into_iter()
            .map(|argument| {
                let (_, recording) = laboratory.record(&Input::argument(&argument));
                (argument, path(&recording), recording)
            })
            .collect();
        for (argument, taken, recording) in runs.iter().filter(|run| run.0.len() < 3) {
            let condition = PathCondition::new(&recording.graph, &recording.constraints);
            let limit = std::time::Duration::from_secs(300);
            let values = recording.values();
            let mut solver = Solver::new(&recording.graph, values, Default::default(), limit);
            for (place, (branch, constraint)) in taken.iter().enumerate() {
                let Some(query) = constraint.and_then(|index| condition.negate(index)) else {
                    continue;
                };
                let is_proved = !query.concretised && recording.lost.is_empty();
                if !is_proved
                    || solver.solve(&query).expect("it runs") != SolverAnswer::Unsatisfiable
                {
                    continue;
                }
                ruled_out += 1;
                for (other, other_taken, _) in &runs {
                    let goes_there = other_taken.len() > place
                        && (0..place).all(|at| other_taken[at].0 == taken[at].0)
                        && (other_taken[place].0.0, other_taken[place].0.1) == (branch.0, branch.1)
                        && other_taken[place].0.2 != branch.2;
                    assert!(
                        !goes_there,
                        "{other:?} was ruled out from {argument:?} at branch {place}:\n{body}"
                    );
                }
            }
        }
    }
    assert!(ruled_out > 10, "only {ruled_out} noes");
}
