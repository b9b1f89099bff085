//! The length of the input is a part of it: inputs that are longer or shorter are found, and no input is ruled out by its length.

use crate::laboratory::{Input, Laboratory};
use yester_path::{ExpressionText, PathCondition, Recording, Solver, SolverAnswer};

fn turns(body: &str, input: Input) -> Input {
    let laboratory = Laboratory::new(&format!(
        "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
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
    more_than_three_characters(Input::seekable("ab")) "int main(void) { int c, n = 0; while ((c = getchar()) != EOF) n++; say(n > 3); }";
    fewer_characters(Input::seekable("abcd")) "int main(void) { int c, n = 0; while ((c = getchar()) != EOF) n++; say(n == 1); }";
    an_end_in_a_switch(Input::seekable("ab")) "int main(void) { getchar(); switch (getchar()) { case EOF: say(1); break; default: say(0); } }";
    an_end_that_is_less_than_zero(Input::seekable("ab")) "int main(void) { say(getc(stdin) < 0); }";
    one_line_less(Input::seekable("one\ntwo\n")) "int main(void) { char b[16]; int n = 0; while (fgets(b, 16, stdin)) n++; say(n == 1); }";
    no_line_at_all(Input::seekable("one\n")) "int main(void) { char b[16]; say(!fgets(b, 16, stdin)); }";
    one_more_line_by_getline(Input::seekable("one\n")) "int main(void) { char *l = 0; size_t r = 0; int n = 0; while (getline(&l, &r, stdin) > 0) n++; say(n == 2); }";
    one_line_less_by_getline(Input::seekable("one\ntwo\n")) "int main(void) { char *l = 0; size_t r = 0; int n = 0; while (getline(&l, &r, stdin) != -1) n++; say(n == 1); }";
    the_end_by_feof(Input::seekable("abc")) "int main(void) { int n = 0; for (;;) { getchar(); if (feof(stdin)) break; n++; } say(n == 2); }";
    a_later_end_by_feof(Input::seekable("abc")) "int main(void) { int n = 0; for (;;) { getchar(); if (feof(stdin)) break; n++; } say(n == 5); }";
    the_end_by_feof_after_a_block(Input::seekable("abc")) "int main(void) { char b[8]; fread(b, 1, 8, stdin); say(!feof(stdin)); }";
    one_more_number_by_scanf(Input::seekable("1 2\n")) "int main(void) { int a, n = 0; while (scanf(\"%d\", &a) == 1) n++; say(n == 3); }";
    one_number_less_by_scanf(Input::seekable("1\n2\n")) "int main(void) { int a, n = 0; while (scanf(\"%d\", &a) == 1) n++; say(n == 1); }";
    one_more_word_by_scanf(Input::seekable("ab\n")) "int main(void) { char b[9]; int n = 0; while (scanf(\"%8s\", b) == 1) n++; say(n == 2); }";
    no_number_by_scanf(Input::seekable("7")) "int main(void) { int a; say(scanf(\"%d\", &a) == EOF); }";
    the_length_by_ftell(Input::seekable("abc")) "int main(void) { fseek(stdin, 0, SEEK_END); say(ftell(stdin) == 9); }";
    the_length_of_a_file_by_ftell(Input::file("abc")) "int main(void) { FILE *f = fopen(\"input\", \"r\"); fseek(f, 0, SEEK_END); long n = ftell(f); rewind(f); char b[32] = \"\"; fread(b, 1, 31, f); say(n == 7 && b[6] == '!'); }";
    the_place_after_a_block(Input::seekable("abc")) "int main(void) { char b[8]; fread(b, 1, 8, stdin); say(ftell(stdin) == 5); }";
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
fn a_character_is_a_byte_or_the_end() {
    let laboratory = Laboratory::new(
        "#include <stdio.h>
        int main(void) { int a = getchar(), b; if (a == 'x') puts(\"x\"); if ((b = getchar()) == EOF) return 1; if (getchar() == EOF) puts(\"end\"); if (b == 'y') puts(\"y\"); }",
    );
    let (_, recording) = laboratory.record(&Input::seekable("ab"));
    assert_eq!(
        text(&recording),
        [
            "length(stdin) == 0 || stdin[0] != 'x'",
            "length(stdin) > 1",
            "length(stdin) <= 2",
            "stdin[1] != 'y'"
        ]
    );
    // Behind the program's own look at the end, a character is a byte, and the length has nothing to do with it.
    let condition = PathCondition::new(&recording.graph, &recording.constraints);
    let last = condition.negate(recording.constraints.len() - 1);
    assert_eq!(last.expect("a branch").inputs.len(), 1);
}

#[test]
fn ways_to_read_that_say_nothing_about_the_length_pin_it() {
    for way in [
        "char b[9]; while (fscanf(stdin, \"%8s\", b) == 1) n++; wchar_t w = fgetwc(stdin);",
        "char b[4]; fseek(stdin, -3, SEEK_END); fread(b, 1, 3, stdin); n = b[0];",
    ] {
        let laboratory = Laboratory::new(&format!(
            "#define _GNU_SOURCE\n#include <stdio.h>\n#include <sys/stat.h>\n#include <wchar.h>\n\
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

/// All inputs of up to three letters out of three.
fn all_inputs() -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..3 {
        let to = all.len();
        for index in from..to {
            for letter in *b"a1\n" {
                let mut longer: Vec<u8> = all[index].clone();
                longer.push(letter);
                all.push(longer);
            }
        }
        from = to;
    }
    all
}

#[test]
fn no_input_is_ruled_out_that_exists() {
    let programs = [
        "char b[4] = \"\"; int n = fread(b, 1, 3, stdin); if (n == 2) puts(\"two\"); if (b[1] == 'a') puts(\"a\"); if (n > 1 && b[0] == b[1]) puts(\"same\"); if (n == 0 && b[0]) puts(\"never\");",
        "char b[2] = \"\"; while (read(0, b, 2) > 0) { if (b[0] == b[1]) puts(\"same\"); if (b[1] == '1') puts(\"1\"); }",
        "int c, n = 0; while ((c = getchar()) != EOF) { n++; if (c == '1' && n == 2) puts(\"one\"); } if (c == 'a') puts(\"never\"); if (getchar() == 'a') puts(\"a\");",
        "char b[4]; int n = 0; while (fgets(b, 4, stdin)) { n++; if (b[0] == '1') puts(\"one\"); } if (n == 0) puts(\"none\");",
        "char b[4] = \"xyz\", d[4] = \"uvw\"; fread(b, 1, 3, stdin); rewind(stdin); fread(d, 1, 3, stdin); if (b[2] != d[2]) puts(\"differ\"); if (d[0] == '1') puts(\"1\");",
        "int c = getchar(), d = getchar(); if (c == 'a') puts(\"a\"); if (c >= 0) puts(\"there\"); if (c == d) puts(\"same\"); if (d < c) puts(\"less\"); if (d == EOF && c != EOF) puts(\"one\");",
        "char b[4] = \"\"; int n = 0; while (!feof(stdin)) { fgets(b, 4, stdin); if (strlen(b) == 2) puts(\"2\"); if (b[0] == 'a') puts(\"a\"); if (n++ > 4) break; }",
        "char *l = 0; size_t r = 0; ssize_t n; while ((n = getline(&l, &r, stdin)) > 0) { if (n == 2) puts(\"2\"); if (l[0] == '1') puts(\"1\"); }",
        "int c = getchar(); ungetc(c, stdin); if (feof(stdin)) puts(\"end\"); char b[3] = \"\"; if (fgets(b, 3, stdin) && b[1] == 'a') puts(\"a\"); if (feof(stdin)) puts(\"end\"); if (ftell(stdin) == 1) puts(\"1\");",
        "fseek(stdin, 0, SEEK_END); long n = ftell(stdin); rewind(stdin); if (n == 2) puts(\"2\"); char b[4] = \"\"; fread(b, 1, 3, stdin); if (b[0] == 'a') puts(\"a\"); if (ftell(stdin) == n) puts(\"same\"); if (n == 1 && b[1]) puts(\"never\");",
        "int a = 0, n = 0; while (scanf(\"%d\", &a) == 1) n++; if (n == 1) puts(\"one\"); if (a == 11) puts(\"11\");",
        "struct stat s; fstat(0, &s); char b[4] = \"\"; fread(b, 1, s.st_size > 2 ? 2 : s.st_size, stdin); if (b[1] == '1') puts(\"1\"); if (s.st_size == 1 && b[1]) puts(\"never\");",
    ];
    let mut ruled_out = 0;
    for body in programs {
        let laboratory = Laboratory::new(&format!(
            "#define _GNU_SOURCE\n#include <stdio.h>\n#include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\nint main(void) {{ {body} return 0; }}"
        ));
        let runs: Vec<(Vec<u8>, Vec<_>, Recording)> = all_inputs()
            .into_iter()
            .map(|input| {
                let text = String::from_utf8(input.clone()).expect("letters");
                let (_, recording) = laboratory.record(&Input::seekable(&text));
                (input, path(&recording), recording)
            })
            .collect();
        for (input, taken, recording) in &runs {
            let condition = PathCondition::new(&recording.graph, &recording.constraints);
            let limit = std::time::Duration::from_secs(300);
            let values = recording.values();
            let mut solver = Solver::new(&recording.graph, values, Default::default(), limit);
            for (place, (branch, constraint)) in taken.iter().enumerate() {
                let Some(query) = constraint.and_then(|index| condition.negate(index)) else {
                    continue;
                };
                let is_proved = !query.concretised && recording.lost.is_empty();
                let of_length = |byte: &u32| recording.input[*byte as usize].of_length().is_some();
                let any_length = query.inputs.iter().any(of_length);
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
                        !goes_there || (!any_length && other.len() != input.len()),
                        "{other:?} was ruled out from {input:?} at branch {place}:\n{body}"
                    );
                }
            }
        }
    }
    assert!(ruled_out > 20, "only {ruled_out} noes");
}
