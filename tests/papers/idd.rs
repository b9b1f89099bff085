//! Cyrille Artho: Iterative delta debugging, on real repositories: back and forth.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::archive::git;

/// A repository with one commit for each version of these files, the oldest first, and a test beside it.
fn repository(versions: &[&[(&str, &str)]], test: &str) -> TempDir {
    let place = TempDir::new().expect("a directory");
    let root = place.path().join("project");
    fs::create_dir(&root).expect("room");
    git(&root, &["init", "--quiet", "--initial-branch=main"]);
    for (number, files) in versions.iter().enumerate() {
        for (path, content) in *files {
            fs::write(root.join(path), content).expect("room");
        }
        git(&root, &["add", "--all"]);
        let message = format!("version {}", number + 1);
        git(&root, &["commit", "--quiet", "-m", &message]);
    }
    fs::write(place.path().join("test.sh"), test).expect("room");
    place
}

fn history(place: &Path, flags: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_yester"))
        .args(["history", "--json", "-j1"])
        .args(flags)
        .args(["--", "sh"])
        .arg(place.join("test.sh"))
        .current_dir(place.join("project"))
        .stdin(Stdio::null())
        .output()
        .expect("yester starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("a report")
}

fn subject(place: &Path, revision: &Value) -> String {
    let id = revision.as_str().expect("an id");
    let log = git(&place.join("project"), &["log", "-1", "--format=%s", id]);
    log.trim().to_owned()
}

/// The revisions at which a new patch was made, and how many lines it has.
fn borders(place: &Path, report: &Value, direction: &str) -> Vec<(String, u64)> {
    let borders = report["result"]["borders"].as_array().expect("a list");
    borders
        .iter()
        .filter(|border| border["direction"] == direction)
        .map(|border| {
            let lines = border["patch_after"].as_u64().expect("a number");
            (subject(place, &border["revision"]), lines)
        })
        .collect()
}

const TWICE: &str = "int twice(int x) { return 2 * x; }\n";
const BROKEN: &str = "int twice(int x) { return 3 * x; }\n";
const LOAD: &str = "int load(void) { return 21; }\n";
const SHOW: &str = "void show(int x) { int printf(const char *, ...); printf(\"%d\\n\", x); }\n";

/// Links all there is with a main program that needs every function, and expects 42.
const TEST: &str = r#"cat > main.c <<'END'
int twice(int), load(void);
void show(int);
int main(void) { int x = twice(load()); show(x); return x == 42 ? 0 : 1; }
END
cc -w -o main *.c || exit 125
./main
"#;

/// Figure 1: version 4 fails. Version 3 lacks something and becomes 3' by patch a. Version 2 lacks something else, so that
/// patch a alone (2') is not enough, and becomes 2'' by patch b, which has patch a in it. Version 1 with it, 1'', passes.
fn figure_1() -> TempDir {
    repository(
        &[
            &[("twice.c", TWICE)],
            &[("twice.c", BROKEN)],
            &[("load.c", LOAD)],
            &[("show.c", SHOW)],
        ],
        TEST,
    )
}

#[test]
fn figure_1_makes_patches_a_and_b_and_finds_version_1_right() {
    for flags in [&[][..], &["--plain"]] {
        let place = figure_1();
        let report = history(place.path(), flags);
        let result = &report["result"];
        assert_eq!(subject(place.path(), &result["good"]), "version 1");
        assert_eq!(result["culprit_commit"]["subject"], "version 2");
        // Patch a brings `show`, and patch b brings `load` and has patch a in it.
        assert_eq!(
            borders(place.path(), &report, "back"),
            [("version 3".to_owned(), 1), ("version 2".to_owned(), 2)],
            "{flags:?}"
        );
        let backport = fs::read_to_string(place.path().join("project/backport.patch"));
        let backport = backport.expect("a patch");
        assert!(backport.contains("load(void)") && backport.contains("show(int x)"));
        assert_eq!(result["lines"], 2);
        assert_eq!(result["changes"][0]["file"], "twice.c");
    }
}

/// Section 4.2: the fix that was found on the old version reaches the newest one though the lines around it have changed.
#[test]
fn the_fix_is_ported_forward_with_the_same_algorithm() {
    let rewritten = "int twice(int number)\n{\n    return 3 * number;\n}\n";
    let place = repository(
        &[
            &[("twice.c", TWICE)],
            &[("twice.c", BROKEN)],
            &[("load.c", LOAD)],
            &[("twice.c", rewritten)],
            &[("show.c", SHOW)],
        ],
        TEST,
    );
    let report = history(place.path(), &[]);
    assert_eq!(report["result"]["culprit_commit"]["subject"], "version 2");
    let forward = borders(place.path(), &report, "forward");
    assert_eq!(forward.len(), 1);
    assert_eq!(forward[0].0, "version 4");
    assert_eq!(report["result"]["verified"]["fixed"], "pass");
    let root = place.path().join("project");
    git(&root, &["apply", "fix.patch"]);
    let status = Command::new("sh")
        .arg(place.path().join("test.sh"))
        .current_dir(&root)
        .stdout(Stdio::null())
        .status();
    assert!(status.expect("the test starts").success());
}

/// Figure 6: a change adds a function and a call of it. Whoever looks at the function first cannot remove it, since it is
/// called, and once the call is gone nobody looks at the function again. The patch must have neither.
#[test]
fn figure_6_leaves_out_the_function_together_with_its_call() {
    let before = "void setup(void)\n{\n}\n";
    let after = "#include <stddef.h>\nstatic void foo(void *data)\n{\n    int x;\n    x = 42;\n}\n\
                 void setup(void)\n{\n    foo(NULL);\n}\nint load(void) { return 21; }\n";
    let place = repository(
        &[
            &[("twice.c", TWICE), ("setup.c", before), ("show.c", SHOW)],
            &[("twice.c", BROKEN)],
            &[("setup.c", after)],
        ],
        TEST,
    );
    let report = history(place.path(), &[]);
    assert_eq!(report["result"]["culprit_commit"]["subject"], "version 2");
    let back = borders(place.path(), &report, "back");
    assert_eq!(back, [("version 2".to_owned(), 1)]);
    let backport = fs::read_to_string(place.path().join("project/backport.patch"));
    let backport = backport.expect("a patch");
    assert!(backport.contains("+int load(void)"));
    assert!(!backport.contains("foo"), "{backport}");
}
