//! Old C, as gcc accepts it by default: calls without a prototype, functions without a type.

use crate::laboratory::{Input, Laboratory};

fn turns(source: &str, input: Input) {
    let laboratory = Laboratory::new(source);
    let found = laboratory.reach(&input, "yes");
    assert!(found.is_some(), "no input reaches it:\n{source}");
}

#[test]
fn a_call_without_a_prototype_is_followed() {
    turns(
        "int main(int c, char **v) { int x = atoi(v[1]); if (x > 5) puts(\"yes\"); else puts(\"no\"); return 0; }",
        Input::argument("2"),
    );
}

#[test]
fn a_library_function_that_is_declared_without_parameters_is_followed() {
    turns(
        "char *strchr(); int getchar();\n\
         main() { char b[4]; b[0] = getchar(); b[1] = getchar(); b[2] = 0; puts(strchr(b, '=') ? \"yes\" : \"no\"); return 0; }",
        Input::stdin("ab"),
    );
}

#[test]
fn what_gcc_accepts_is_built() {
    turns(
        "#include <stdio.h>\n#include <string.h>\n\
         nothing(c) { if (c == 'q') return; return 1; }\n\
         void something(int c) { return c; }\n\
         int main(void) { char *p = 5; int (*f)(char *) = something; int c = getchar(); unknown(c); something(c);\n\
           puts(c == 'x' ? \"yes\" : \"no\"); return p == 0; }\n\
         unknown(c) int c; { return nothing(c); }",
        Input::stdin("a"),
    );
}

/// All classes of characters, as macros and as functions, for a character that is in the class and for one that is not.
#[test]
fn every_class_of_characters_is_turned_both_ways() {
    let classes = [
        ("isupper", 'A', 'a'),
        ("islower", 'a', 'A'),
        ("isalpha", 'a', '1'),
        ("isdigit", '1', 'a'),
        ("isxdigit", 'f', 'g'),
        ("isspace", ' ', 'x'),
        ("isprint", 'a', '\t'),
        ("isgraph", 'a', ' '),
        ("isblank", ' ', 'x'),
        ("iscntrl", '\t', 'x'),
        ("ispunct", '.', 'x'),
        ("isalnum", 'a', '.'),
    ];
    let mut source = String::from(
        "#include <stdio.h>\n#include <ctype.h>\n#include <stdlib.h>\n\
         int main(int n, char **v) { int c = getchar(), yes = 0; switch (atoi(v[1])) {\n",
    );
    for (index, (name, _, _)) in classes.iter().enumerate() {
        source.push_str(&format!(
            "case {}: if ({name}(c)) yes = 1; break; case {}: if (({name})(c)) yes = 1; break;\n",
            2 * index,
            2 * index + 1
        ));
    }
    source.push_str("} puts(yes ? \"member\" : \"stranger\"); return 0; }");
    let laboratory = Laboratory::new(&source);
    for (index, (name, member, stranger)) in classes.into_iter().enumerate() {
        for number in [2 * index, 2 * index + 1] {
            for (from, to) in [(member, "stranger"), (stranger, "member")] {
                let mut input = Input::stdin(&from.to_string());
                input.arguments = vec![number.to_string().into_bytes()];
                let found = laboratory.reach_by_stdin(&input, to);
                assert!(found.is_some(), "{name}, case {number}, from {from:?}");
            }
        }
    }
}
