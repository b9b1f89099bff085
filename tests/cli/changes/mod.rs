//! Which change broke it: `yester changes`, end to end.

mod answer;
mod fix;
mod history;
mod hostile;
mod kind;
pub mod merge;
mod run;
mod same_failure;
mod wrong_use;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::place::{Place, plain};

/// Runs git in a place and gives what it prints.
#[track_caller]
pub fn git(place: &Path, words: &[&str]) -> String {
    let output = plain(&mut Command::new("git"))
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"])
        .args(words)
        .current_dir(place)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git starts");
    assert!(
        output.status.success(),
        "git {words:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Commits all there is, but for what yester leaves.
pub fn commit(place: &Place, message: &str) {
    git(place.path(), &["add", "--all", ":!*.patch"]);
    git(place.path(), &["commit", "--quiet", "-m", message]);
}

/// A repository of a program in which the fifth of nine commits breaks what the test looks at.
pub fn repository() -> Place {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    place.write(
        "calc.sh",
        "scale() {\n    mul \"$1\" 2\n}\n\nmul() {\n    echo $(($1 * $2))\n}\n",
    );
    place.write(
        "check.sh",
        ". ./calc.sh\ntest \"$(scale 3)\" = 6 || { echo 'error: wrong scale' >&2; exit 1; }\n",
    );
    place.script("test.sh", "exec sh check.sh");
    commit(&place, "start");
    git(place.path(), &["tag", "v1"]);
    for step in 1..=8 {
        let mut text = place.read("calc.sh");
        if step == 5 {
            text = text.replace("mul \"$1\" 2", "mul \"$1\" 3");
        }
        text.push_str(&format!(
            "\nextra{step}() {{\n    echo $(($1 + {step}))\n}}\n"
        ));
        place.write("calc.sh", text);
        place.write("notes.txt", format!("step {step}\n").repeat(step));
        commit(&place, &format!("step {step}"));
    }
    place
}

/// Two directories, each with these files.
pub fn directories(good: &[(&str, &str)], bad: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (name, files) in [("good", good), ("bad", bad)] {
        for (path, content) in files {
            let path = place.file(name).join(path);
            fs::create_dir_all(path.parent().expect("a directory")).expect("room");
            fs::write(path, content).expect("room");
        }
    }
    place
}

/// The lines of a patch that remove or add.
pub fn changed_lines(patch: &str) -> Vec<&str> {
    patch
        .lines()
        .filter(|line| line.starts_with(['-', '+']))
        .filter(|line| !line.starts_with("--- ") && !line.starts_with("+++ "))
        .collect()
}

/// Applies a patch to a copy of a directory, and gives the copy.
pub fn applied(place: &Place, directory: &str, patch: &str) -> std::path::PathBuf {
    let copy = place.file(&format!("{directory} with {patch}"));
    let status = Command::new("cp")
        .args([
            "-r".as_ref(),
            place.file(directory).as_os_str(),
            copy.as_os_str(),
        ])
        .status();
    assert!(status.expect("cp starts").success());
    let status = Command::new("patch")
        .args(["-p1", "--quiet", "--batch", "--binary", "-i"])
        .arg(place.file(patch))
        .current_dir(&copy)
        .status();
    assert!(status.expect("patch starts").success());
    copy
}
