//! Nothing is read or written outside of its directory, and nothing waits for a pipe.

use std::fs;
use std::os::unix::fs::symlink;

use yester_patch::{CommitTrees, FileKind, FileState, History, PatchError, Repository, Version};

use crate::trap::{Trap, named_pipe};

#[test]
fn named_pipes_where_git_expects_files_are_refused_at_once() {
    for place in [
        "HEAD",
        "config",
        "objects/aa/pipe",
        "refs/heads/pipe",
        "index",
        "info/exclude",
    ] {
        let trap = Trap::new();
        let path = trap.work().join(".git").join(place);
        fs::create_dir_all(path.parent().expect("in the repository")).expect("room");
        let _ = fs::remove_file(&path);
        named_pipe(&path);
        let error = Repository::around(&trap.work()).expect_err("git would wait");
        assert!(
            matches!(error, PatchError::Special { .. }),
            "{place}: {error}"
        );
    }
    let trap = Trap::new();
    named_pipe(&trap.work().join(".gitignore"));
    let error = Version::directory(&trap.work()).expect_err("git would wait");
    assert!(matches!(error, PatchError::Special { .. }), "{error}");
}

#[test]
fn a_directory_is_read_without_pipes_devices_and_links_out_of_it() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (root, secret) = (
        directory.path().join("root"),
        directory.path().join("secret"),
    );
    fs::create_dir_all(root.join("sub")).expect("room");
    fs::create_dir(&secret).expect("room");
    fs::write(secret.join("file"), "secret").expect("room");
    named_pipe(&root.join("pipe"));
    symlink(&secret, root.join("link")).expect("room");
    fs::write(root.join("swapped"), "mine").expect("room");
    fs::write(root.join("sub/file"), "mine").expect("room");
    let version = Version::directory(&root).expect("it can be read");
    let paths: Vec<(&str, FileKind)> = version.paths().collect();
    let expected = [
        ("link", FileKind::Symlink),
        ("sub/file", FileKind::File),
        ("swapped", FileKind::File),
    ];
    assert_eq!(paths, expected);
    assert_eq!(
        version.notes(),
        ["pipe is not a regular file and is left out"]
    );
    // What changes after it was listed is not followed either.
    fs::remove_dir_all(root.join("sub")).expect("it is there");
    symlink(&secret, root.join("sub")).expect("room");
    assert!(matches!(
        version.state("sub/file"),
        Err(PatchError::Read { .. })
    ));
    fs::remove_file(root.join("swapped")).expect("it is there");
    symlink(secret.join("file"), root.join("swapped")).expect("room");
    assert!(matches!(
        version.state("swapped"),
        Err(PatchError::Read { .. })
    ));
    fs::remove_file(root.join("swapped")).expect("it is there");
    named_pipe(&root.join("swapped"));
    assert!(matches!(
        version.state("swapped"),
        Err(PatchError::Read { .. })
    ));
}

#[test]
fn no_tree_is_written_outside_of_its_directory() {
    let trap = Trap::new();
    trap.write("x", "1\n");
    let good = trap.commit("good");
    let file = trap.git(&["rev-parse", "HEAD:x"]);
    let link = trap.object("blob", trap.path("home").display().to_string().as_bytes());
    let inner = trap.raw_tree(&[("100644", "b", &file)]);
    let long = "n".repeat(300);
    let refused: [&[(&str, &str, &str)]; 8] = [
        &[("120000", "a", &link), ("40000", "a", &inner)],
        &[("100644", "..", &file)],
        &[("40000", "..", &inner)],
        &[("40000", ".git", &inner)],
        &[("40000", ".GIT", &inner)],
        &[("100644", "/etc/x", &file)],
        &[("100644", "a/../../x", &file)],
        &[("100644", &long, &file)],
    ];
    for entries in refused {
        let commit = trap.tree(entries, &[&good]);
        let repository = trap.repository();
        let error = Version::revision(&repository, &commit).expect_err("it leads out");
        assert!(
            matches!(error, PatchError::Path { .. }),
            "{entries:?}: {error}"
        );
        let history = History::between(&repository, &good, &commit).expect("it is the parent");
        let trees = CommitTrees::new(history).expect("good is sound");
        let error = trees.entries(&commit).expect_err("it leads out");
        assert!(
            matches!(error, PatchError::Path { .. }),
            "{entries:?}: {error}"
        );
    }
    // The link is in both, and only what is below it is new.
    let good = trap.tree(&[("120000", "a", &link)], &[]);
    let bad = trap.tree(&[("120000", "a", &link), ("40000", "a", &inner)], &[&good]);
    let history = History::between(&trap.repository(), &good, &bad).expect("it is the parent");
    let trees = CommitTrees::new(history).expect("good is sound");
    let error = trees.entries(&bad).expect_err("it leads out");
    assert_eq!(error.to_string(), "read a/b: no tree of files can have it");

    // One is too deep for any path, the other one for git.
    for depth in [1800, 10_000] {
        let path = "d/".repeat(depth);
        let commit = "committer Eve <e> 0 +0000\ndata 1\nx\n";
        let input =
            format!("commit refs/heads/deep{depth}\n{commit}M 100644 inline {path}x\ndata 1\n1\n");
        assert!(
            trap.plain(&["fast-import", "--quiet"], &input)
                .status
                .success()
        );
        let error = Version::revision(&trap.repository(), &format!("deep{depth}"))
            .expect_err("nobody can write it down");
        let is_right = match depth {
            1800 => matches!(error, PatchError::Path { .. }),
            _ => error.to_string().contains("maximum allowed tree depth"),
        };
        assert!(is_right, "{depth}: {error}");
    }

    // Odd, but a tree: a name with a line end, names that differ in case, the same name twice.
    let entries = [
        ("100644", "A", &*file),
        ("40000", "a", &inner),
        ("100644", "line\nend", &file),
        ("100644", "line\nend", &file),
    ];
    let commit = trap.tree(&entries, &[]);
    let version = Version::revision(&trap.repository(), &commit).expect("it is sound");
    let copy = tempfile::tempdir().expect("a temporary directory");
    version.materialise(copy.path()).expect("it can be written");
    for path in ["A", "a/b", "line\nend"] {
        let content = fs::read(copy.path().join(path)).expect("it was written");
        assert_eq!(content, b"1\n", "{path:?}");
    }
    assert_eq!(
        fs::read_dir(trap.path("home"))
            .expect("it is there")
            .count(),
        0
    );
}

#[test]
fn links_that_lie_in_the_way_are_not_followed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (root, secret) = (
        directory.path().join("root"),
        directory.path().join("secret"),
    );
    fs::create_dir(&root).expect("room");
    fs::create_dir(&secret).expect("room");
    symlink(&secret, root.join("a")).expect("room");
    symlink(secret.join("new"), root.join("file")).expect("room");
    symlink(&root, directory.path().join("alias")).expect("room");
    let state = FileState {
        kind: FileKind::Executable,
        content: b"x".as_slice().into(),
    };
    for (path, target) in [
        ("a/b", "root"),
        ("file", "root"),
        ("b", "alias"),
        ("../b", "root"),
    ] {
        let version = Version::of([(path.to_owned(), state.clone())]);
        let error = version.materialise(&directory.path().join(target));
        assert!(
            matches!(error, Err(PatchError::Write { .. })),
            "{path} in {target}"
        );
    }
    assert_eq!(fs::read_dir(&secret).expect("it is there").count(), 0);
    assert!(!root.join("b").exists() && !directory.path().join("b").exists());
}
