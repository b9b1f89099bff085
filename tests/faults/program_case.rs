//! Cases of the commands that run instrumented programs.

use std::path::Path;

use super::case::{Case, write};

/// Prints one more than it should, and has a branch that its runs never take.
const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    int number = atoi(words[1]);
    if (number > LIMIT) number = number + 1;
    if (count > 5) remove(\"kept\");
    printf(\"%d\\n\", number);
    return 0;
}
";

fn programs(place: &Path) {
    write(place, "old.c", &PROGRAM.replace("LIMIT", "50"));
    write(place, "new.c", &PROGRAM.replace("LIMIT", "10"));
    write(place, "expected", "20\n");
    write(place, "kept", "mine");
}

pub const EXPLAIN: Case = Case {
    name: "explain",
    arguments: &["explain", "old.c", "new.c", "--", "{}", "20"],
    outputs: &[],
    set_up: programs,
};

pub const FLIP: Case = Case {
    name: "flip",
    arguments: &[
        "flip",
        "new.c",
        "--by",
        "interventions",
        "--expect",
        "expected",
        "--",
        "{}",
        "20",
    ],
    outputs: &[],
    set_up: programs,
};
