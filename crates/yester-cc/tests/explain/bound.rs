//! What strangers' programs and impatient users may do to it.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::called::yester;
use crate::leash::Leash;
use crate::place::{Place, SUM, names};

#[test]
fn json_is_printed_however_it_ends() {
    let place = Place::new(&[
        ("old.c", SUM),
        ("new.c", SUM),
        ("bad.c", "int main(void) { return }\n"),
        ("in", "12"),
    ]);
    for (words, code, status) in [
        (
            &["--json", "old.c", "new.c", "--stdin", "in", "--", "{}"][..],
            1,
            "nothing",
        ),
        (&["--json", "old.c", "bad.c", "--", "{}"], 2, "usage"),
        (&["--json", "old.c", "gone.c", "--", "{}"], 2, "usage"),
    ] {
        let called = place.call(words).exits(code);
        let report: Value = serde_json::from_str(&called.stdout).expect("JSON");
        assert_eq!(report["status"], status, "{report:#}");
        assert!(report["result"].is_null(), "{report:#}");
        let message = report["error"]["message"].as_str().expect("a message");
        let first = message.lines().next().expect("a line");
        assert!(called.stderr.contains(first), "{}", called.stderr);
    }
}

#[test]
fn a_build_that_does_not_end_is_stopped() {
    let place = Place::new(&[("one/a.c", SUM), ("two/a.c", SUM)]);
    place
        .call(&[
            "--build-timeout",
            "200ms",
            "one",
            "two",
            "--build",
            "sleep 1000",
            "--",
            "./a",
        ])
        .exits(2)
        .says("the build of one takes too long");
}

#[test]
fn a_line_directive_shows_no_file_that_is_not_of_the_version() {
    let text = "first secret\nsecond secret\n";
    let old = "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n    int n = atoi(v[1]);\n#line 1 \"NAME\"\n    \
               if (n > 3)\n        puts(\"big\");\n    return 0;\n}\n";
    let place = Place::new(&[
        ("secret.txt", text),
        ("below/notes.txt", text),
        ("below/secret.c", text),
    ]);
    for name in ["secret.txt", "below/notes.txt", "below/secret.c"] {
        let old = old.replace("NAME", name);
        place.write("below/old.c", old.as_bytes());
        place.write("below/new.c", old.replace("n > 3", "n > 4").as_bytes());
        let words = ["below/old.c", "below/new.c", "--", "{}", "4"];
        let text = place.call(&words).exits(0).stdout;
        // What lies beside it is a source of the same program.
        assert_eq!(
            text.contains("first secret"),
            name == "below/secret.c",
            "{text}"
        );
    }
}

#[test]
fn a_long_input_is_cut_with_a_sign() {
    let new = SUM.replace("c <= '9'", "c < '9'");
    let input = format!("{}9{}", "x".repeat(90), "y".repeat(90));
    let place = Place::new(&[("old.c", SUM), ("new.c", &new), ("in", &input)]);
    let text = place
        .call(&["old.c", "new.c", "--stdin", "in", "--", "{}"])
        .exits(0)
        .stdout;
    let mut lines = text.lines().filter(|line| line.contains("yours  stdin"));
    assert!(lines.all(|line| line.ends_with('…')), "{text}");
    assert!(text.contains("yours  stdin"), "{text}");
}

#[test]
fn a_file_of_a_tree_that_is_a_link_varies() {
    let program = "#include <stdio.h>\nint main(int c, char **v) {\n    int n = getc(fopen(v[1], \"r\"));\n    if (n >= '5')\n        \
                   puts(\"big\");\n    return 0;\n}\n";
    let place = Place::new(&[
        ("one/a.c", program),
        ("two/a.c", &program.replace(">= '5'", "> '5'")),
    ]);
    for tree in ["one", "two"] {
        place.write(&format!("{tree}/data/real"), b"5");
        let link = place.directory.path().join(tree).join("input");
        std::os::unix::fs::symlink("data/../data/real", link).expect("a link");
    }
    let result = place.result(&[
        "one",
        "two",
        "--build",
        "cc -g -o a a.c",
        "--",
        "./a",
        "input",
    ]);
    assert_eq!(
        result["alternate_input"]["changes"][0]["source"], "file:input",
        "{result:#}"
    );
    assert!(names(&result, "new", 4), "{result:#}");
}

#[test]
fn an_input_of_many_megabytes_is_told_and_does_not_vary() {
    let new = SUM.replace("sum += c - '0'", "sum += c - '1'");
    let place = Place::new(&[("old.c", SUM), ("new.c", &new)]);
    place.write("in", &[b'x'; (1 << 20) + 1]);
    place.write("few", b"77");
    let mut words = vec![
        "old.c",
        "new.c",
        "--timeout",
        "60s",
        "--stdin",
        "in",
        "--",
        "{}",
    ];
    place
        .call(&words)
        .exits(1)
        .says("both versions do the same");
    let many = [b"77".to_vec(), vec![b'x'; 1 << 20]].concat();
    place.write("in", &many);
    let result = place.result(&words);
    let note = result["notes"][0].as_str().expect("a note");
    assert!(
        note.contains("stdin has 1048578 bytes, too many to vary"),
        "{note}"
    );
    assert!(names(&result, "new", 6), "{result:#}");
    words[5] = "few";
    assert_eq!(place.result(&words)["notes"], serde_json::json!([]));
}

#[test]
fn output_of_many_megabytes_is_compared_at_its_beginning() {
    let old = "#include <stdio.h>\nint main(int c, char **v) {\n    puts(v[1][0] >= '5' ? \"big\" : \"small\");\n    \
               for (int i = 0; i < 400000; i++)\n        puts(\"0123456789\");\n    return 0;\n}\n";
    let new = old.replace(">= '5'", "> '5'");
    let place = Place::new(&[("old.c", old), ("new.c", &new)]);
    let result = place.result(&["--timeout", "60s", "old.c", "new.c", "--", "{}", "5"]);
    assert!(names(&result, "new", 3), "{result:#}");
    let printed = result["new"]["stdout"].as_str().expect("a text");
    assert!(printed.len() < 1 << 20 && result["new"]["whole"] == false);
}

#[test]
fn a_signal_during_a_build_ends_it() {
    let place = Place::new(&[("one/a.c", SUM), ("two/a.c", SUM)]);
    let mut leash = Leash::new(place.directory.path());
    let hold = format!(
        "exec 9> '{}/leash'; echo >&9; sleep 1000",
        place.directory.path().display()
    );
    let child = Command::new(yester())
        .args([
            "explain", "--json", "one", "two", "--build", &hold, "--", "./a",
        ])
        .current_dir(place.directory.path())
        .env("TMPDIR", place.scratch.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    leash.wait();
    let told = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(told.expect("kill starts").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(
        messages.contains("the same command goes on from here"),
        "{messages}"
    );
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["status"], "interrupted", "{report:#}");
    while leash.is_held() {}
}
