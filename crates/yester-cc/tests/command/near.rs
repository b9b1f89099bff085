//! Inputs of `yester trace --negate` are close to that of the run: no longer than needed, and readable.

use std::fs;

use super::{built, constraint, json, trace};

/// The input that takes the last branch of line 3 the other way.
fn negated(body: &str, input: &str) -> Vec<u8> {
    let place = built(&format!(
        "#include <stdio.h>\n#include <unistd.h>\n{body}\n"
    ));
    fs::write(place.path().join("in"), input).expect("room");
    let words = ["--symbolic", "stdin", "--stdin", "in", "--", "./small"];
    let number = constraint(&json(&place, &words)["result"], 3);
    let other = ["--negate", &number, "-o", "other"];
    let output = trace(&place, &[&other, &words[..]].concat());
    assert!(output.status.success(), "{body}: {output:?}");
    fs::read(place.path().join("other")).expect("it was written")
}

#[test]
fn one_more_byte_is_enough_to_go_on_reading() {
    for body in [
        "int main(void) { int n = 0; while (getchar() != EOF) n++; printf(\"%d\\n\", n); return 0; }",
        "int main(void) { char b[64]; int n = 0; while (fgets(b, 64, stdin)) n++; printf(\"%d\\n\", n); return 0; }",
    ] {
        let found = negated(body, "hello\n");
        assert_eq!(String::from_utf8_lossy(&found), "hello\n0", "{body}");
    }
}

#[test]
fn a_block_is_filled_and_nothing_more() {
    let found = negated(
        "int main(void) { char b[16]; int n = 0; while (fread(b, 1, 16, stdin) == 16) n++; printf(\"%d\\n\", n); return 0; }",
        "hello\n",
    );
    assert_eq!(String::from_utf8_lossy(&found), "hello\n0000000000");
    // The run that is compared reads less at first, so some lengths are tried in vain.
    let found = negated(
        "int main(void) { char b[64]; int n, t = 0; while ((n = fread(b, 1, 64, stdin)) > 0) t += n; printf(\"%d\\n\", t); return 0; }",
        "hello\n",
    );
    assert!((65..=128).contains(&found.len()), "{} bytes", found.len());
    let found = negated(
        "int main(void) { static char b[65536]; int n = 0; while (read(0, b, 65536) == 65536) n++; printf(\"%d\\n\", n); return 0; }",
        "hello\n",
    );
    assert!(
        (65536..=65600).contains(&found.len()),
        "{} bytes",
        found.len()
    );
    assert!(found.starts_with(b"hello\n0") && found.ends_with(b"0"));
}

#[test]
fn bytes_that_nobody_asked_for_stay_and_the_others_can_be_read() {
    let found = negated(
        "int main(void) { char b[64]; if (!fgets(b, 64, stdin)) return 2; if (b[0] == '#') return 1; return 0; }",
        "hello\n",
    );
    assert_eq!(String::from_utf8_lossy(&found), "#ello\n");
    let found = negated(
        "int main(void) { int a = getchar(), b = getchar(), c = getchar(); if (a + b + c > 320) return 1; return 0; }",
        "abc\n",
    );
    assert_eq!(found[1..], *b"bc\n");
    assert!(found[0].is_ascii_graphic(), "{found:?}");
    // What is behind the old end is as readable as what was there.
    let found = negated(
        "int main(void) { char b[8] = \"\"; int n = fread(b, 1, 8, stdin); if (n == 5 && b[3] + b[4] > 140) return 1; return 0; }",
        "abc",
    );
    let text = String::from_utf8(found).expect("text");
    assert!(
        text.starts_with("abc") && text.bytes().all(|one| one.is_ascii_graphic()),
        "{text:?}"
    );
}
