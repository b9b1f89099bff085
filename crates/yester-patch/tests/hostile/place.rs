//! Nothing waits for a pipe.

use std::fs;

use yester_patch::{Error, Repository, Version};

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
        assert!(matches!(error, Error::Special { .. }), "{place}: {error}");
    }
    let trap = Trap::new();
    named_pipe(&trap.work().join(".gitignore"));
    let error = Version::directory(&trap.work()).expect_err("git would wait");
    assert!(matches!(error, Error::Special { .. }), "{error}");
}
