//! Cases of the commands that test candidates.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::case::{Case, write};

pub const REDUCE_FILE: Case = Case {
    name: "reduce a file",
    arguments: &["reduce", "input.txt", "--", "./test.sh", "{}"],
    outputs: &["input.reduced.txt"],
    set_up: |place| {
        write(place, "input.txt", "hay\nneedle\n");
        write(place, "input.reduced.txt", "an old needle");
        script(place, "needle", "$1", true);
    },
};

pub const REDUCE_DIRECTORY: Case = Case {
    name: "reduce a directory",
    arguments: &["reduce", "input", "--", "./test.sh", "{}"],
    outputs: &["input.reduced"],
    set_up: |place| {
        write(place, "input/hay.txt", "hay\n");
        write(place, "input/deep/er.txt", "needle\n");
        write(place, "input.reduced/deep/er.txt", "an old needle");
        script(place, "needle", "$1/deep/er.txt", true);
    },
};

/// What `changes` and `history` write beside the user's files. The last one is there only if there are two fixes.
const PATCHES: &[&str] = &["culprit.patch", "fix.patch", "fix.minimal.patch"];

pub const CHANGES_TREES: Case = Case {
    name: "changes of two trees",
    arguments: &[
        "changes",
        "good",
        "bad",
        "--build",
        "cat one.txt two.txt > product",
        "--product",
        "product",
        "--",
        "./test.sh",
    ],
    outputs: PATCHES,
    set_up: |place| {
        for (name, one, two) in [
            ("good", "1\n2\n3\n", "a\n"),
            ("bad", "1\nbroken\n3\nnew\n", "b\n"),
        ] {
            write(place, &format!("{name}/one.txt"), one);
            write(place, &format!("{name}/two.txt"), two);
        }
        old_patches(place);
        script(place, "broken", "product", false);
    },
};

pub const CHANGES_HISTORY: Case = Case {
    name: "changes of a history",
    arguments: &["changes", "HEAD~2", "HEAD", "--", "./test.sh"],
    outputs: PATCHES,
    set_up: |place| {
        let git = |arguments: &[&str]| {
            let status = Command::new("git")
                .args(["-c", "user.name=a", "-c", "user.email=a@b.c"])
                .args(arguments)
                .current_dir(place)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            assert!(status.expect("git is installed").success(), "{arguments:?}");
        };
        git(&["init", "--template="]);
        for text in ["1\n2\n3\n", "1\nbroken\n3\n", "1\nbroken\n3\nnew\n"] {
            write(place, "one.txt", text);
            git(&["add", "one.txt"]);
            git(&["commit", "-m", "a change"]);
        }
        old_patches(place);
        script(place, "broken", "one.txt", false);
    },
};

pub const HISTORY: Case = Case {
    name: "history, no good version",
    arguments: &["history", "--", "./test.sh"],
    outputs: PATCHES,
    set_up: |place| {
        (CHANGES_HISTORY.set_up)(place);
        for name in ["culprit.patch", "fix.patch"] {
            write(place, name, "# yester history: an old one\n");
        }
    },
};

fn old_patches(place: &Path) {
    for name in ["culprit.patch", "fix.patch"] {
        write(place, name, "# yester changes: an old one\n");
    }
}

/// A test that exits 0 if a file has a word in it, or if it has not. It starts no process, which makes it quick, and
/// tells somebody beside yester which trials there were.
fn script(place: &Path, word: &str, file: &str, is_wanted: bool) {
    let (found, missing) = if is_wanted { (0, 1) } else { (1, 0) };
    let text = format!(
        "#!/bin/sh\necho $YESTER_TRIAL >> \"$YESTER_START/../witness\"\n[ -f \"{file}\" ] || exit 1\n\
         while read -r line || [ -n \"$line\" ]; do\n    case $line in *{word}*) exit {found};; esac\n\
         done < \"{file}\"\nexit {missing}\n"
    );
    write(place, "test.sh", &text);
    fs::set_permissions(place.join("test.sh"), fs::Permissions::from_mode(0o755)).expect("a mode");
}
