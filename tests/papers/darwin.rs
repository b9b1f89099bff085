//! The figures of Roychoudhury and Vaswani (2008), DARWIN, by the programs themselves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use yester_path::align;

/// The program, which cargo puts beside the compiler when all of the workspace is tested.
fn yester() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_yester-cc")).with_file_name("yester");
    assert!(path.exists(), "first: cargo build --package yester");
    path
}

/// What `yester explain` finds for two programs.
fn explain(old: &str, new: &str, stdin: Option<&[u8]>, arguments: &[&str]) -> Value {
    let place = TempDir::new().expect("room");
    fs::write(place.path().join("old.c"), old).expect("room");
    fs::write(place.path().join("new.c"), new).expect("room");
    let mut command = Command::new(yester());
    command.args(["explain", "old.c", "new.c", "--json"]);
    if let Some(content) = stdin {
        fs::write(place.path().join("input"), content).expect("room");
        command.args(["--stdin", "input"]);
    }
    let output = command
        .args(["--", "{}"])
        .args(arguments)
        .current_dir(place.path())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let mut report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report["result"].take()
}

/// The program of Figures 2 and 3 around one statement. What f, g and h do does not matter.
fn figure(statement: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n\
         static int f(int x) {{ return x + 10; }}\n\
         static int g(int x) {{ return x + 20; }}\n\
         static int h(int x) {{ return x + 30; }}\n\
         int main(int argc, char **argv) {{\n    int inp = atoi(argv[1]), outp;\n{statement}\n    \
         printf(\"%d %d\\n\", outp, h(0) - 30);\n    return 0;\n}}\n"
    )
}

#[test]
fn figure_2_the_branch_of_the_new_version_that_input_3_turns() {
    let old = figure("    if (inp != 1)\n        outp = g(inp);\n    else\n        outp = f(inp);");
    let new = old.replace("inp != 1", "inp != 1 && inp != 2");
    let result = explain(&old, &new, None, &["2"]);
    assert_eq!(result["method"], "new");
    let place = &result["places"][0];
    assert_eq!(place["kind"], "branch");
    assert_eq!(place["version"], "new");
    assert_eq!((&place["line"], &place["column"]), (&8.into(), &21.into()));
    assert_eq!(
        (&place["was"], &place["becomes"]),
        (&"false".into(), &"true".into())
    );
    // An input other than 1 and 2, on which both versions agree.
    let alternate = &result["alternate_input"];
    assert_eq!(alternate["agrees"], true);
    let input = alternate["changes"][0]["becomes"].as_str().expect("a text");
    let input: i64 = input.trim().parse().expect("a number");
    assert!(![1, 2].contains(&input), "{input}");
}

#[test]
fn figure_3_falls_back_to_the_old_version() {
    let old = figure(
        "    if (inp == 1)\n        outp = f(inp);\n    else if (inp == 2)\n        outp = g(inp);\n    \
         else\n        outp = h(inp);",
    );
    let new = figure("    if (inp == 2)\n        outp = g(inp);\n    else\n        outp = h(inp);");
    let result = explain(&old, &new, None, &["1"]);
    assert_eq!(result["method"], "old");
    let place = &result["places"][0];
    assert_eq!(place["version"], "old");
    assert_eq!((&place["line"], &place["column"]), (&8.into(), &9.into()));
    assert_eq!(
        (&place["was"], &place["becomes"]),
        (&"true".into(), &"false".into())
    );
    assert_eq!(result["alternate_input"]["agrees"], true);
}

#[test]
fn figure_5_the_gaps_are_where_one_run_goes_in_and_the_other_does_not() {
    let (left, right) = ([1, 2, 3, 7, 8, 9], [1, 2, 3, 4, 5, 7, 8, 9]);
    let alignment = align(&left, &right);
    assert_eq!(alignment.gaps, 2);
    let pairs: Vec<(i32, i32)> = alignment
        .pairs()
        .map(|(one, other)| (left[one], right[other]))
        .collect();
    assert_eq!(pairs, left.map(|statement| (statement, statement)));
}

/// A reader of chunks: a palette, and transparency that must not be longer than it. With `else if`, a missing palette skips the
/// length check, as in Figure 8.
fn reader(check: &str) -> String {
    format!(
        r#"#include <stdio.h>
#include <string.h>
#define HAVE_PLTE 2
struct image {{ unsigned mode; unsigned num_palette; unsigned char trans[16]; unsigned canary; }};
static void handle_trns(struct image *image, const unsigned char *data, unsigned length)
{{
    if (!(image->mode & HAVE_PLTE)) {{
        printf("Missing PLTE before tRNS\n");
    }}
    {check} (length > image->num_palette) {{
        printf("Incorrect tRNS chunk length\n");
        return;
    }}
    memcpy(image->trans, data, length);
    printf("tRNS of %u\n", length);
}}
int main(void)
{{
    unsigned char data[64] = {{0}};
    struct image image = {{0, 0, {{0}}, 7}};
    size_t size = fread(data, 1, sizeof data, stdin);
    if (size < 3)
        return 1;
    image.mode = data[0];
    image.num_palette = data[1] & 15;
    handle_trns(&image, data + 3, data[2] & 31);
    printf("canary %u\n", image.canary);
    return 0;
}}
"#
    )
}

#[test]
fn figure_8_the_condition_that_skips_the_length_check_is_named() {
    // No palette, and more transparency than fits: the new version writes over the canary.
    let input = b"\x00\x04\x14ABCDEFGHIJKLMNOPQRST";
    let result = explain(&reader("if"), &reader("else if"), Some(input), &[]);
    let places = result["places"].as_array().expect("a list");
    let named = |place: &&Value| place["line"] == 7 && place["kind"] == "branch";
    let place = places.iter().find(named);
    let place = place.unwrap_or_else(|| panic!("{places:#?}"));
    // `image->mode & HAVE_PLTE` decides: with a palette the new version checks the length too.
    assert_eq!(place["version"], "new");
    assert_eq!(place["evidence"], "alternate");
}
