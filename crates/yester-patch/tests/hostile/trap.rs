//! A repository with programs that leave marks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use yester_patch::{
    AtomSet, ChangeSpace, CommitTrees, DeltaLevel, History, PatchError, Repository, Version,
    VersionDifference, patch,
};

/// A repository, a program that leaves marks, and the marks.
pub struct Trap {
    directory: TempDir,
}

impl Trap {
    pub fn new() -> Trap {
        let trap = Trap {
            directory: tempfile::tempdir().expect("a temporary directory"),
        };
        for name in ["marks", "work", "home"] {
            fs::create_dir(trap.path(name)).expect("room");
        }
        let program = format!(
            "#!/bin/sh\ntouch '{}'/\"$1\"\ncase $1 in ssh|upload|extension) exit 1;; esac\nshift\nexec cat \"$@\"\n",
            trap.path("marks").display()
        );
        executable(&trap.path("evil"), &program);
        trap.git(&["init", "--quiet", "--initial-branch=main"]);
        trap
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// What starts the program, with a mark of this name.
    pub fn evil(&self, mark: &str) -> String {
        format!("{} {mark}", self.path("evil").display())
    }

    /// Git as a user calls it, whatever comes of it.
    pub fn plain(&self, arguments: &[&str], input: &str) -> Output {
        use std::io::Write;
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(self.work())
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", "Eve"), ("GIT_COMMITTER_NAME", "Eve")])
            .envs([("GIT_AUTHOR_EMAIL", "e"), ("GIT_COMMITTER_EMAIL", "e")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git is installed");
        let _ = child
            .stdin
            .take()
            .expect("piped")
            .write_all(input.as_bytes());
        child.wait_with_output().expect("it ends")
    }

    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.plain(arguments, "");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {message}");
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim_end().to_owned()
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.work().join(path);
        fs::create_dir_all(path.parent().expect("in the work tree")).expect("room");
        fs::write(path, content).expect("room");
    }

    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn set(&self, key: &str, value: &str) {
        self.git(&["config", key, value]);
    }

    pub fn marks(&self) -> Vec<String> {
        let marks = fs::read_dir(self.path("marks")).expect("it is there");
        let mut marks: Vec<String> = marks
            .map(|mark| mark.expect("it can be read").file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        marks.sort();
        marks
    }

    pub fn repository(&self) -> Repository {
        Repository::around(&self.work()).expect("it is one")
    }

    /// An object from its raw content.
    pub fn object(&self, kind: &str, content: &[u8]) -> String {
        let path = self.path("raw");
        fs::write(&path, content).expect("room");
        let path = path.display().to_string();
        let arguments = [
            "hash-object",
            "-t",
            kind,
            "-w",
            "--literally",
            "--no-filters",
        ];
        self.git(&[&arguments[..], &[&path]].concat())
    }

    /// A commit of a tree that git itself would not make, from modes, names and ids.
    pub fn tree(&self, entries: &[(&str, &str, &str)], parents: &[&str]) -> String {
        let tree = self.raw_tree(entries);
        let mut arguments = vec!["commit-tree", "-m", "odd"];
        for parent in parents {
            arguments.extend(["-p", parent]);
        }
        arguments.push(&tree);
        self.git(&arguments)
    }

    pub fn raw_tree(&self, entries: &[(&str, &str, &str)]) -> String {
        let mut raw = Vec::new();
        for (mode, name, id) in entries {
            raw.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            let digits = (0..id.len()).step_by(2);
            raw.extend(digits.map(|at| u8::from_str_radix(&id[at..at + 2], 16).expect("hex")));
        }
        self.object("tree", &raw)
    }
}

pub fn executable(path: &Path, text: &str) {
    fs::write(path, text).expect("room");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

pub fn named_pipe(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status();
    assert!(status.expect("mkfifo starts").success());
}

/// Everything that this crate does with a repository.
pub fn use_everything(repository: &Repository, good: &str, bad: &str) -> Result<(), PatchError> {
    repository.ignored()?;
    repository.commit(bad)?;
    let (one, other) = (
        Version::revision(repository, good)?,
        Version::revision(repository, bad)?,
    );
    let copy = tempfile::tempdir().expect("a temporary directory");
    other.materialise(copy.path())?;
    let difference = VersionDifference::between(&one, &other)?;
    let history = History::between(repository, good, bad)?;
    let all = AtomSet::full(difference.atoms());
    history.blame(&difference, &all)?;
    for commit in &history.commits {
        history.sides(commit, &history.good)?;
    }
    let trees = CommitTrees::new(history)?;
    for commit in &trees.history().commits {
        trees.entries(&commit.id)?;
    }
    let space = ChangeSpace::new(difference, DeltaLevel::Line, None);
    patch::culprit_patch(&space, &all)?;
    patch::fix_patch(&space, &all)?;
    Ok(())
}
