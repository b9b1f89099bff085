//! What a stranger's repository has in it harms nobody who looks for its bugs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use super::{commit, git, repository};
use crate::place::{Called, Place, called};

/// A repository whose attributes pair the files with drivers, a program that leaves marks, and the user's home.
struct Trap {
    place: Place,
    outside: Place,
}

impl Trap {
    fn new() -> Trap {
        let outside = Place::new();
        fs::create_dir(outside.file("marks")).expect("room");
        fs::create_dir(outside.file("home")).expect("room");
        let marks = outside.file("marks");
        let body = format!("touch '{}'/\"$1\"\nshift\nexec cat \"$@\"", marks.display());
        outside.script("evil", &body);
        let place = repository();
        place.write(".gitattributes", "* filter=evil diff=evil\n");
        place.write("image", b"\0\x01");
        commit(&place, "attributes");
        Trap { place, outside }
    }

    fn evil(&self, mark: &str) -> String {
        format!("{} {mark}", self.outside.file("evil").display())
    }

    fn drivers(&self) -> [(&'static str, String); 4] {
        [
            ("diff.evil.textconv", self.evil("textconv")),
            ("diff.external", self.evil("external")),
            ("filter.evil.clean", self.evil("clean")),
            ("core.fsmonitor", self.evil("monitor")),
        ]
    }

    fn marks(&self) -> Vec<PathBuf> {
        let marks = fs::read_dir(self.outside.file("marks")).expect("it is there");
        marks.flatten().map(|mark| mark.path()).collect()
    }

    fn forget(&self) {
        for mark in self.marks() {
            fs::remove_file(mark).expect("it is there");
        }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.place.command(words);
        command.env("HOME", self.outside.file("home"));
        command
    }

    fn call(&self, words: &[&str]) -> Called {
        called(self.command(words).output().expect("yester starts"))
    }
}

const HISTORY: [&str; 6] = ["changes", "v1", "HEAD", "--fresh", "--", "./test.sh"];
const WORK_TREE: [&str; 6] = ["changes", "v1", ".", "--fresh", "--", "./test.sh"];

#[test]
fn no_program_of_the_repository_runs_along_the_history_or_with_a_work_tree_as_bad() {
    let trap = Trap::new();
    for (key, value) in trap.drivers() {
        git(trap.place.path(), &["config", key, &value]);
    }
    trap.forget();
    trap.call(&HISTORY)
        .exits(0)
        .prints("is the first that fails");
    trap.call(&WORK_TREE).exits(0).prints("calc.sh:2");
    assert_eq!(trap.marks(), [""; 0].map(PathBuf::from));
    git(trap.place.path(), &["blame", "HEAD~1", "--", "calc.sh"]);
    git(trap.place.path(), &["status"]);
    assert!(trap.marks().len() >= 2, "{:?}", trap.marks());
}

#[test]
fn programs_of_the_users_own_settings_are_not_lent_to_a_repository() {
    let trap = Trap::new();
    let settings = trap
        .outside
        .file("home")
        .join(".gitconfig")
        .display()
        .to_string();
    for (key, value) in trap.drivers() {
        git(
            trap.place.path(),
            &["config", "--file", &settings, key, &value],
        );
    }
    trap.call(&HISTORY).exits(0);
    trap.call(&WORK_TREE).exits(0);
    assert_eq!(trap.marks(), [""; 0].map(PathBuf::from));
}

#[test]
fn variables_of_git_change_nothing() {
    let trap = Trap::new();
    let trace = trap.outside.file("trace").display().to_string();
    for words in [&HISTORY, &WORK_TREE] {
        let mut command = trap.command(words);
        command
            .env("GIT_EXTERNAL_DIFF", trap.evil("external"))
            .env("GIT_CONFIG_COUNT", "2")
            .env("GIT_CONFIG_KEY_0", "diff.evil.textconv")
            .env("GIT_CONFIG_VALUE_0", trap.evil("textconv"))
            .env("GIT_CONFIG_KEY_1", "core.fsmonitor")
            .env("GIT_CONFIG_VALUE_1", trap.evil("monitor"))
            .env("GIT_CONFIG_PARAMETERS", "'core.worktree'='/nowhere'")
            .envs(
                [
                    "GIT_TRACE",
                    "GIT_TRACE2",
                    "GIT_TRACE2_EVENT",
                    "GIT_TRACE_SETUP",
                ]
                .map(|name| (name, &trace)),
            )
            .envs(
                [
                    "GIT_DIR",
                    "GIT_WORK_TREE",
                    "GIT_INDEX_FILE",
                    "GIT_OBJECT_DIRECTORY",
                ]
                .map(|name| (name, "/nowhere")),
            )
            .envs(
                [
                    "GIT_COMMON_DIR",
                    "GIT_NAMESPACE",
                    "GIT_ATTR_SOURCE",
                    "GIT_EXEC_PATH",
                ]
                .map(|name| (name, "nowhere")),
            )
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("GIT_DEFAULT_HASH", "sha256");
        called(command.output().expect("yester starts")).exits(0);
    }
    assert_eq!(trap.marks(), [""; 0].map(PathBuf::from));
    assert!(!trap.outside.file("trace").exists());
}

#[test]
fn a_partial_clone_is_told_how_to_become_a_full_one() {
    let place = repository();
    git(place.path(), &["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", place.path().display());
    let options = ["clone", "--quiet", "--no-checkout", "--filter=blob:none"];
    let clone = Place::new();
    git(clone.path(), &[&options[..], &[&from, "."]].concat());
    clone
        .call(&HISTORY)
        .exits(2)
        .says("is missing")
        .says("hint: this is a partial clone, and yester fetches nothing")
        .says("git fetch --refetch --no-filter");
    git(
        clone.path(),
        &["fetch", "--quiet", "--refetch", "--no-filter"],
    );
    clone.call(&HISTORY).exits(0);
}

#[test]
fn files_in_lfs_are_told_about() {
    let place = repository();
    place.write(".gitattributes", "*.bin filter=lfs\n");
    place.write("a.bin", "version https://git-lfs.github.com/spec/v1\n");
    commit(&place, "big");
    place.call(&HISTORY).exits(0).says(
        "bad: a.bin is taken as git stores it, without the filter lfs; for the real files, check",
    );
}

#[test]
fn a_patch_that_is_a_link_or_a_pipe_is_left_alone() {
    for name in ["culprit.patch", "fix.patch"] {
        let place = repository();
        let outside = Place::new();
        // Even if it leads to a patch of ours.
        outside.write("mine", "# yester changes: an old answer\n");
        symlink(outside.file("mine"), place.file(name)).expect("room");
        let complaint = format!("{name} is there already and is not from yester");
        place.call(&HISTORY).exits(2).says(&complaint);
        assert_eq!(outside.read("mine"), "# yester changes: an old answer\n");
        fs::remove_file(place.file(name)).expect("it is there");
        let status = Command::new("mkfifo").arg(place.file(name)).status();
        assert!(status.expect("mkfifo starts").success());
        place.call(&HISTORY).exits(2).says(&complaint);
    }
}

#[test]
fn a_patch_that_became_a_link_is_replaced_and_not_followed() {
    let place = repository();
    let outside = Place::new();
    outside.write("mine", "precious\n");
    let body = format!(
        "ln -sf '{}' '{}'",
        outside.file("mine").display(),
        place.file("culprit.patch").display()
    );
    place.script("planting.sh", &format!("{body}\nexec sh check.sh"));
    let program = place.file("planting.sh").display().to_string();
    place
        .call(&["changes", "v1", "HEAD", "--", &program])
        .exits(0);
    assert_eq!(outside.read("mine"), "precious\n");
    assert!(place.read("culprit.patch").starts_with("# yester changes"));
    assert!(!place.file("culprit.patch").is_symlink());
}
