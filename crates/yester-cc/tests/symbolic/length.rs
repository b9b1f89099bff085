//! The length of the input is a part of it: inputs that are longer or shorter are found, and no input is ruled out by its length.

use crate::laboratory::{Input, Laboratory};
use yester_path::{ExpressionText, PathCondition, Recording};

fn turns(body: &str, input: Input) -> Input {
    let laboratory = Laboratory::new(&format!(
        "#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
         static void say(int yes) {{ puts(yes ? \"yes\" : \"no\"); }}\n{body}"
    ));
    let (output, _) = laboratory.record(&input);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("no"),
        "{body}"
    );
    let found = laboratory.reach(&input, "yes");
    found.unwrap_or_else(|| panic!("no input reaches it:\n{body}"))
}

macro_rules! probes {
    ($($name:ident($input:expr) $body:literal;)*) => {$(
        #[test]
        fn $name() {
            turns($body, $input);
        }
    )*};
}

probes! {
    more_bytes_are_read(Input::seekable("322")) "int main(void) { char b[100]; int n = fread(b, 1, 100, stdin); say(n > 3 && b[0] - '0' == n); }";
    fewer_bytes_are_read(Input::seekable("3222")) "int main(void) { char b[100]; int n = fread(b, 1, 100, stdin); say(n == 2); }";
    a_byte_behind_the_end(Input::seekable("ab")) "int main(void) { char b[8] = \"\"; fread(b, 1, 7, stdin); say(b[3] == 'x'); }";
    a_word_that_is_longer_than_the_input(Input::seekable("a")) "int main(void) { char b[8] = \"\"; fread(b, 1, 7, stdin); say(!memcmp(b, \"key\", 3)); }";
    nothing_at_all(Input::seekable("abc")) "int main(void) { char b[8]; say(read(0, b, 8) == 0); }";
    something_after_nothing(Input::seekable("")) "int main(void) { char b[8]; say(read(0, b, 8) == 5); }";
    whole_records(Input::seekable("abcd")) "int main(void) { int b[8]; say(fread(b, 4, 8, stdin) == 3); }";
    a_read_that_is_cut_short(Input::seekable("abcdefgh")) "int main(void) { char b[4]; say(fread(b, 1, 4, stdin) < 4); }";
    one_more_character(Input::seekable("ab")) "int main(void) { int n = 0; while (getchar() != EOF) n++; say(n == 4); }";
    a_certain_character_after_the_last(Input::seekable("ab")) "int main(void) { getchar(); getchar(); say(getchar() == 'q'); }";
    one_more_line(Input::seekable("one\n")) "int main(void) { char b[16]; int n = 0; while (fgets(b, 16, stdin)) n++; say(n == 2); }";
    the_size_of_a_file(Input::seekable("abc")) "int main(void) { struct stat s; fstat(0, &s); say(s.st_size == 11); }";
    the_end_of_a_file(Input::seekable("abc")) "int main(void) { say(lseek(0, 0, SEEK_END) == 7); }";
    a_file_that_is_longer(Input::file("abc")) "int main(void) { char b[9] = \"\"; FILE *f = fopen(\"input\", \"r\"); say(fread(b, 1, 8, f) == 6 && b[5] == '!'); }";
}

#[test]
fn an_answer_of_the_same_length_comes_first() {
    let body = "int main(void) { char b[9] = \"\"; int n = fread(b, 1, 8, stdin); say(n > 0 && b[n - 1] == '.'); }";
    assert_eq!(turns(body, Input::seekable("abc")).stdin.len(), 3);
}

fn text(recording: &Recording) -> Vec<String> {
    let text = ExpressionText::new(&recording.graph, &recording.input, &recording.sources);
    let constraints = recording.constraints.iter();
    constraints
        .map(|constraint| text.condition(constraint.node, true))
        .collect()
}

#[test]
fn what_was_read_byte_by_byte_stays_there() {
    let laboratory = Laboratory::new(
        "#include <stdio.h>
        int main(void) { int a = getchar(), b = getchar(); if (a == 'x') puts(\"x\"); if (getchar() == EOF) puts(\"end\"); if (b == 'y') puts(\"y\"); }",
    );
    let (_, recording) = laboratory.record(&Input::seekable("ab"));
    assert_eq!(
        text(&recording),
        [
            "stdin[0] != 'x'",
            "length(stdin) >= 2",
            "length(stdin) <= 2",
            "stdin[1] != 'y'"
        ]
    );
    // The length has nothing to do with the last branch.
    let condition = PathCondition::new(&recording.graph, &recording.constraints);
    let last = condition.negate(recording.constraints.len() - 1);
    assert_eq!(last.expect("a branch").inputs.len(), 1);
}

#[test]
fn ways_to_read_that_say_nothing_about_the_length_pin_it() {
    for way in [
        "char b[9]; while (fscanf(stdin, \"%8s\", b) == 1) n++;",
        "char *l = 0; size_t r = 0; while (getline(&l, &r, stdin) > 0) n++;",
        "fseek(stdin, 0, SEEK_END); n = ftell(stdin);",
        "while (!feof(stdin)) { getchar(); n++; }",
    ] {
        let laboratory = Laboratory::new(&format!(
            "#define _GNU_SOURCE\n#include <stdio.h>\n#include <sys/stat.h>\n\
             int main(void) {{ int n = 0; {way} struct stat s; fstat(0, &s); return s.st_size == 77 + n; }}"
        ));
        let (_, recording) = laboratory.record(&Input::seekable("one two\n"));
        let text = text(&recording);
        assert!(
            text.contains(&"length(stdin) == 8".to_owned()),
            "{way}: {text:?}"
        );
    }
}

#[test]
fn a_pipe_is_as_long_as_it_was() {
    let laboratory = Laboratory::new(
        "#include <stdio.h>
        int main(void) { char b[100]; int n = fread(b, 1, 100, stdin); if (n == 5) puts(\"five\"); if (b[0] == 'x') puts(\"x\"); }",
    );
    let (_, recording) = laboratory.record(&Input::stdin("abc"));
    assert_eq!(text(&recording), ["stdin[0] != 'x'"]);
    assert!(recording.lengths().is_empty());
}
