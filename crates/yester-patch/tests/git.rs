//! Versions and history of real repositories.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use yester_core::{Candidate, Entry, Space, Subset};
use yester_patch::{
    AtomSet, ChangeSpace, CommitTrees, DeltaLevel, FileKind, History, PatchError, Repository,
    Version, VersionDifference,
};

struct Project {
    directory: TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Project {
            directory: tempfile::tempdir().expect("a temporary directory"),
        };
        project.git(&["init", "--quiet", "--initial-branch=main"]);
        // Settings that have broken programs that read git's output.
        for setting in [
            "color.ui=always",
            "core.quotepath=on",
            "diff.noprefix=true",
            "log.showSignature=true",
        ] {
            let (key, value) = setting.split_once('=').expect("a key and a value");
            project.git(&["config", key, value]);
        }
        project
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=Ann",
                "-c",
                "user.email=ann@example.org",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(["-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .output()
            .expect("git is installed");
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    fn write(&self, path: &str, content: &str) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("in the project")).expect("it can be made");
        fs::write(&path, content).expect("it can be written");
        path
    }

    fn commit(&self, subject: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", subject]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn repository(&self) -> Repository {
        Repository::around(self.path()).expect("it is one")
    }
}

/// All that there is in a directory that git could have changed.
fn snapshot(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut open, mut files) = (vec![directory.to_owned()], Vec::new());
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(path).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                open.push(path)
            } else {
                files.push((path.clone(), fs::read(&path).unwrap_or_default()))
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_revision_and_its_directory_are_the_same_version() {
    let project = Project::new();
    project.write("a b/\u{e4}.txt", "x\r\n");
    let script = project.write("script", "#!/bin/sh\n");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    symlink("nowhere", project.path().join("link")).expect("it can be made");
    project.commit("all kinds");
    let revision = Version::revision(&project.repository(), "main").expect("it is there");
    let directory = Version::directory(project.path()).expect("it is there");
    let kinds: Vec<(&str, FileKind)> = revision.paths().collect();
    assert_eq!(
        kinds,
        [
            ("a b/\u{e4}.txt", FileKind::File),
            ("link", FileKind::Symlink),
            ("script", FileKind::Executable)
        ]
    );
    assert!(
        VersionDifference::between(&revision, &directory)
            .expect("both can be read")
            .changes
            .is_empty()
    );
    let copy = tempfile::tempdir().expect("a temporary directory");
    revision
        .materialise(copy.path())
        .expect("it can be written");
    let copy = Version::directory(copy.path()).expect("it is there");
    assert!(
        VersionDifference::between(&copy, &directory)
            .expect("both can be read")
            .changes
            .is_empty()
    );
}

#[test]
fn reading_leaves_a_dirty_tree_and_its_index_alone_and_works_below_the_root() {
    let project = Project::new();
    project.write("deep/er/x", "1\n");
    project.commit("one");
    project.write("deep/er/x", "2\n");
    project.commit("two");
    project.write("deep/er/x", "dirty\n");
    project.write("new", "untracked\n");
    let before = snapshot(project.path());
    let repository = Repository::around(&project.path().join("deep/er")).expect("it is in one");
    let good = Version::revision(&repository, "HEAD~1").expect("it is there");
    let bad = Version::revision(&repository, "HEAD").expect("it is there");
    let difference = VersionDifference::between(&good, &bad).expect("both can be read");
    let history = History::between(&repository, "HEAD~1", "HEAD").expect("one is the parent");
    let blame = history
        .blame(&difference, &AtomSet::full(difference.atoms()))
        .expect("it can be read");
    assert_eq!(difference.changes.len(), 1);
    assert_eq!(difference.changes[0].path(), "deep/er/x");
    assert_eq!(blame.len(), difference.atoms());
    assert_eq!(snapshot(project.path()), before);
}

#[test]
fn a_bare_repository_will_do() {
    let project = Project::new();
    project.write("x", "1\n");
    project.commit("one");
    let bare = tempfile::tempdir().expect("a temporary directory");
    let target = bare.path().join("bare.git");
    project.git(&[
        "clone",
        "--quiet",
        "--bare",
        ".",
        &target.display().to_string(),
    ]);
    let repository = Repository::around(&target).expect("it is one");
    let version = Version::revision(&repository, "main").expect("it is there");
    assert_eq!(
        &*version
            .state("x")
            .expect("it can be read")
            .expect("it is there")
            .content,
        b"1\n"
    );
}

#[test]
fn what_is_wrong_is_said() {
    let project = Project::new();
    project.write("x", "1\n");
    project.commit("one");
    let repository = project.repository();
    let error = Version::revision(&repository, "nonsense").expect_err("there is none");
    assert!(
        error
            .to_string()
            .starts_with("find the revision nonsense in "),
        "{error}"
    );
    assert!(matches!(
        repository.resolve("--help"),
        Err(PatchError::UnknownRevision { .. })
    ));
    let elsewhere = tempfile::tempdir().expect("a temporary directory");
    let error = Repository::around(elsewhere.path()).expect_err("there is none");
    assert!(matches!(error, PatchError::NoRepository { .. }), "{error}");
    let name = std::ffi::OsStr::from_bytes(b"\xff");
    fs::write(elsewhere.path().join(name), "").expect("it can be written");
    assert!(matches!(
        Version::directory(elsewhere.path()),
        Err(PatchError::Name { .. })
    ));
    project.git(&["checkout", "--quiet", "--orphan", "other"]);
    project.commit("unrelated");
    let error =
        History::between(&repository, "main", "other").expect_err("they have nothing in common");
    assert_eq!(error.to_string(), "find a common history of main and other");
}

#[test]
fn special_files_are_left_out_with_a_note() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let _listener = std::os::unix::net::UnixListener::bind(directory.path().join("socket"))
        .expect("it can be made");
    let version = Version::directory(directory.path()).expect("it is there");
    assert_eq!(version.paths().count(), 0);
    assert_eq!(
        version.notes(),
        ["socket is not a regular file and is left out"]
    );
}

#[test]
fn a_moved_submodule_is_a_delta_without_a_file() {
    let (project, module) = (Project::new(), Project::new());
    module.write("x", "1\n");
    let first = module.commit("one");
    project.git(&[
        "submodule",
        "--quiet",
        "add",
        &module.path().display().to_string(),
        "sub",
    ]);
    project.commit("with a submodule");
    let second = module.commit("two");
    project.git(&["-C", "sub", "pull", "--quiet"]);
    project.commit("moved");
    let repository = project.repository();
    let version = |revision| Version::revision(&repository, revision).expect("it is there");
    let difference =
        VersionDifference::between(&version("HEAD~1"), &version("HEAD")).expect("both can be read");
    let space = ChangeSpace::new(difference, DeltaLevel::Line, None);
    assert_eq!(
        space.label(0),
        format!("sub (submodule {first} to {second})")
    );
    assert_eq!(
        space.render(&Subset::full(1)).expect("feasible"),
        Candidate::Tree([].into())
    );
    let copy = tempfile::tempdir().expect("a temporary directory");
    version("HEAD")
        .materialise(copy.path())
        .expect("it can be written");
    assert!(copy.path().join("sub").is_dir());
}

/// Five lines, one changed by each commit, one on a side branch.
fn history() -> (Project, Vec<String>) {
    let project = Project::new();
    project.write("x", "a\nb\nc\nd\ne\n");
    project.write("gone", "1\n");
    let mut ids = vec![project.commit("base")];
    project.write("x", "A1\nb\nc\nd\ne\n");
    ids.push(project.commit("first"));
    project.git(&["checkout", "--quiet", "-b", "side"]);
    project.write("x", "A1\nb\nc\nd\nE1\n");
    ids.push(project.commit("on the side"));
    project.git(&["checkout", "--quiet", "main"]);
    project.write("x", "A1\nb\nd\ne\n");
    ids.push(project.commit("removes c"));
    project.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "side"]);
    ids.push(project.git(&["rev-parse", "HEAD"]));
    fs::remove_file(project.path().join("gone")).expect("it is there");
    project.write("new", "n\n");
    ids.push(project.commit("last"));
    (project, ids)
}

#[test]
fn commits_lead_from_good_to_bad_along_the_first_parents() {
    let (project, ids) = history();
    let history =
        History::between(&project.repository(), &ids[0], "main").expect("they have a past");
    let subjects: Vec<&str> = history
        .commits
        .iter()
        .map(|commit| commit.subject.as_str())
        .collect();
    assert_eq!(subjects, ["first", "removes c", "merge", "last"]);
    assert_eq!(history.commits[0].author, "Ann <ann@example.org>");
    assert_eq!(history.merge_base, ids[0]);
    let sides = history
        .sides(&history.commits[2], &history.commits[1].id)
        .expect("it is a merge");
    assert_eq!(sides.len(), 1);
    assert_eq!(
        sides[0].iter().map(|commit| &commit.id).collect::<Vec<_>>(),
        [&ids[2]]
    );
    assert!(
        history
            .sides(&history.commits[0], &history.good)
            .expect("it is none")
            .is_empty()
    );
}

#[test]
fn good_on_a_merged_branch_leads_to_bad_by_the_merge() {
    let (project, ids) = history();
    let history =
        History::between(&project.repository(), &ids[2], "main").expect("they have a past");
    let subjects: Vec<&str> = history
        .commits
        .iter()
        .map(|commit| commit.subject.as_str())
        .collect();
    assert_eq!(subjects, ["merge", "last"]);
}

#[test]
fn bad_that_was_not_made_from_good_begins_at_the_merge_base() {
    let (project, ids) = history();
    let history =
        History::between(&project.repository(), &ids[2], &ids[3]).expect("they have a past");
    let found: Vec<&String> = history.commits.iter().map(|commit| &commit.id).collect();
    assert_eq!(found, [&ids[1], &ids[3]]);
    assert_eq!(history.merge_base, ids[1]);
}

#[test]
fn each_commit_has_its_tree() {
    let (project, ids) = history();
    let repository = project.repository();
    let trees =
        CommitTrees::new(History::between(&repository, &ids[0], "main").expect("they have a past"))
            .expect("git runs");
    let commits = &trees.history().commits;
    for (number, id) in commits.iter().map(|commit| &commit.id).enumerate() {
        let entries = trees.entries(id).expect("it can be read");
        let version = Version::revision(&repository, id).expect("it is there");
        let good = Version::revision(&repository, &ids[0]).expect("it is there");
        for (path, _) in version.paths() {
            let state = |version: &Version| {
                version
                    .state(path)
                    .expect("it can be read")
                    .map(|state| state.entry())
            };
            assert_eq!(
                entries.get(path).cloned().or(state(&good)),
                state(&version),
                "{path} of commit {number}"
            );
        }
        let gone = entries.iter().filter(|(_, entry)| **entry == Entry::Absent);
        assert_eq!(gone.count(), usize::from(number == 3));
    }
    assert_eq!(commits[0].subject, "first");
}

#[test]
fn each_line_is_traced_to_its_commit() {
    let (project, ids) = history();
    let repository = project.repository();
    let version = |revision| Version::revision(&repository, revision).expect("it is there");
    let difference =
        VersionDifference::between(&version(&ids[0]), &version("main")).expect("both can be read");
    let history = History::between(&repository, &ids[0], "main").expect("they have a past");
    let blame = history
        .blame(&difference, &AtomSet::full(difference.atoms()))
        .expect("it can be read");
    let space = ChangeSpace::new(difference, DeltaLevel::Line, None);
    let found: Vec<(String, Option<&str>)> = (0..space.len())
        .map(|delta| {
            let atom = space
                .atoms(&Subset::of(space.len(), [delta]))
                .iter()
                .next()
                .expect("a line is an atom");
            let commit = blame
                .get(&atom)
                .map(|id| ids.iter().position(|known| known == id));
            let names = ["base", "first", "side", "removes c", "merge", "last"];
            (
                space.label(delta),
                commit.flatten().map(|place| names[place]),
            )
        })
        .collect();
    let expected = [
        ("gone (deleted)", "last"),
        ("new (created)", "last"),
        ("new:1", "last"),
        ("x:1 (1 line removed)", "first"),
        ("x:1", "first"),
        ("x:3 (1 line removed)", "removes c"),
        ("x:4 (1 line removed)", "merge"),
        ("x:4", "side"),
    ];
    let expected = expected.map(|(label, commit)| (label.to_owned(), Some(commit)));
    assert_eq!(found, expected);
}

#[test]
fn a_tree_that_leads_out_of_itself_is_refused() {
    let project = Project::new();
    project.write("x", "1\n");
    project.commit("one");
    let blob = project.git(&["rev-parse", "HEAD:x"]);
    for name in ["..", ".git", "."] {
        let raw: Vec<u8> = (0..blob.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&blob[at..at + 2], 16).expect("hexadecimal"))
            .collect();
        let inner = [format!("100644 {name}\0").as_bytes(), &raw].concat();
        fs::write(project.path().join("raw"), inner).expect("it can be written");
        let tree = project.git(&["hash-object", "-t", "tree", "-w", "--literally", "raw"]);
        let commit = project.git(&["commit-tree", "-m", "bad", &tree]);
        let error = Version::revision(&project.repository(), &commit).expect_err("it is bad");
        assert!(matches!(error, PatchError::Path { .. }), "{error}");
    }
}

#[test]
fn the_atoms_of_a_commit_are_found_under_the_names_that_files_have_later() {
    let project = Project::new();
    let lines = |first: &str| format!("{first}\n2\n3\n4\n5\n6\n7\n8\n");
    project.write("moved", &lines("1"));
    project.write("stays", "a\nkeep\nb\n");
    let base = project.commit("base");
    project.write("moved", &lines("guilty"));
    project.write("stays", "a\nkeep\nguilty\n");
    let guilty = project.commit("guilty");
    project.git(&["mv", "moved", "new name"]);
    project.write("stays", "innocent\nkeep\nguilty\n");
    project.write("other", "innocent\n");
    project.commit("last");
    let repository = project.repository();
    let version = |id: &str| Version::revision(&repository, id).expect("it is there");
    let difference =
        VersionDifference::between(&version(&base), &version("main")).expect("both can be read");
    let history = History::between(&repository, &base, "main").expect("they have a past");
    let commit = repository.commit(&guilty).expect("it is there");
    let all = AtomSet::full(difference.atoms());
    let found = history.atoms_of(&difference, &all, &[commit]);
    let found = found.expect("it can be read");
    let found = AtomSet::of(difference.atoms(), found);
    let spans = difference.spans(&found);
    let found: Vec<(&str, u32)> = spans
        .iter()
        .map(|span| (span.path.as_str(), span.new.start))
        .collect();
    assert_eq!(found, [("new name", 0), ("stays", 2)]);
    let nobody = history.atoms_of(&difference, &all, &[]);
    assert!(nobody.expect("nothing to read").is_empty());
}

#[test]
fn many_files_are_read_in_their_order() {
    let project = Project::new();
    for number in 0..200 {
        project.write(&format!("{number}"), &format!("{number}\n").repeat(number));
    }
    project.commit("one");
    let version = Version::revision(&project.repository(), "main").expect("it is there");
    let copy = tempfile::tempdir().expect("a temporary directory");
    let modified = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    version
        .materialise_as_of(copy.path(), modified)
        .expect("it can be written");
    for number in 0..200 {
        let path = copy.path().join(number.to_string());
        let content = fs::read_to_string(&path).expect("it was written");
        assert_eq!(content, format!("{number}\n").repeat(number));
        let metadata = fs::metadata(&path).expect("it is there");
        assert_eq!(metadata.modified().expect("a time"), modified);
    }
    let missing = tempfile::tempdir().expect("a temporary directory");
    fs::write(missing.path().join("100"), "in the way").expect("room");
    let error = version.materialise(missing.path());
    assert!(error.is_err(), "git is still answering, and nobody waits");
}
