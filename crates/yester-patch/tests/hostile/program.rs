//! No program that a repository names is started, and nothing is fetched. Each program leaves a mark, and plain git shows
//! that it would have been started.

use std::fs;
use std::path::Path;

use yester_core::Entry;
use yester_patch::{CommitTrees, History, PatchError, Repository, Version};

use crate::trap::{Trap, executable, use_everything};

/// A repository in which whatever git could start leaves a mark.
fn hostile() -> Trap {
    let trap = Trap::new();
    trap.write(
        ".gitattributes",
        "*.txt filter=evil diff=evil\n*.long filter=long\n",
    );
    trap.write("x.txt", "1\n");
    trap.write("x.long", "1\n");
    trap.write("plain", "1\n");
    trap.write("deep/image", b"\0\x01");
    trap.write(".gitignore", "made\n");
    trap.commit("good");
    trap.write("x.txt", "2\n");
    trap.write("x.long", "2\n");
    trap.write("plain", "2\n");
    trap.write("deep/image", b"\0\x02\x03");
    let commit = trap.commit("bad");
    // The last commit is signed, in a way.
    let text = trap.git(&["cat-file", "commit", &commit]);
    let (head, message) = text.split_once("\n\n").expect("a head and a message");
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----";
    let signed = trap.object(
        "commit",
        format!("{head}\n{signature}\n\n{message}\n").as_bytes(),
    );
    trap.git(&["reset", "--quiet", "--hard", &signed]);
    trap.write("made", "by a build\n");
    trap.write("plain", "changed\n");

    let hooks = trap.path("hooks");
    fs::create_dir(&hooks).expect("room");
    for hook in [
        "reference-transaction",
        "post-index-change",
        "post-checkout",
    ] {
        executable(
            &hooks.join(hook),
            &format!("#!/bin/sh\n{}\n", trap.evil("hook")),
        );
    }
    trap.write(".git/info/attributes", "deep/image filter=evil diff=evil\n");
    for (key, mark) in [
        ("filter.evil.clean", "clean"),
        ("filter.evil.smudge", "smudge"),
        ("filter.long.process", "process"),
        ("diff.evil.textconv", "textconv"),
        ("diff.evil.command", "driver"),
        ("diff.external", "external"),
        ("core.pager", "pager"),
        ("pager.blame", "pager"),
        ("core.editor", "editor"),
        ("core.askPass", "password"),
        ("core.sshCommand", "ssh"),
        ("core.gitProxy", "proxy"),
        ("core.alternateRefsCommand", "alternate"),
        ("remote.origin.uploadpack", "upload"),
        ("uploadpack.packObjectsHook", "pack"),
        ("gc.recentObjectsHook", "recent"),
        ("interactive.diffFilter", "interactive"),
        ("merge.evil.driver", "merge"),
        ("core.fsmonitor", "monitor"),
    ] {
        trap.set(key, &trap.evil(mark));
    }
    trap.set("gpg.program", &trap.path("signature").display().to_string());
    executable(
        &trap.path("signature"),
        &format!(
            "#!/bin/sh\n{} < /dev/null\nexit 1\n",
            trap.evil("signature")
        ),
    );
    trap.set("log.showSignature", "true");
    for key in [
        "credential.helper",
        "alias.evil",
        "alias.blame",
        "alias.ls-tree",
    ] {
        let mark = if key.starts_with("alias") {
            "alias"
        } else {
            "credential"
        };
        trap.set(key, &format!("!{}", trap.evil(mark)));
    }
    trap.set("core.hooksPath", &hooks.display().to_string());
    trap.set("diff.trustExitCode", "true");
    trap.set("core.untrackedCache", "true");
    trap.set("submodule.recurse", "true");
    trap
}

#[test]
fn no_program_that_a_repository_names_is_started() {
    let trap = hostile();
    // Setting the trap has started some of them.
    let clean = || {
        for mark in trap.marks() {
            fs::remove_file(trap.path("marks").join(mark)).expect("it is there");
        }
    };
    clean();
    for start in [trap.work(), trap.work().join("deep")] {
        let repository = Repository::around(&start).expect("it is one");
        use_everything(&repository, "HEAD~1", "main").expect("it can be read");
        // Git looks such a thing up in the index.
        assert!(repository.resolve(":x.txt").is_err());
        assert_eq!(repository.ignored().expect("it can be read"), ["made"]);
    }
    Version::directory(&trap.work()).expect("it can be read");
    assert_eq!(trap.marks(), [""; 0]);

    for (mark, arguments, input) in [
        ("monitor", &["status"][..], ""),
        ("hook", &["update-ref", "refs/heads/new", "HEAD"], ""),
        ("textconv", &["blame", "HEAD~1..HEAD", "--", "x.txt"], ""),
        ("smudge", &["cat-file", "--filters", "HEAD:x.txt"], ""),
        ("process", &["cat-file", "--filters", "HEAD:x.long"], ""),
        ("clean", &["hash-object", "x.txt"], ""),
        ("driver", &["diff", "HEAD~1", "HEAD", "--", "x.txt"], ""),
        ("external", &["diff", "HEAD~1", "HEAD", "--", "plain"], ""),
        ("signature", &["log", "-1"], ""),
        ("editor", &["config", "--edit"], ""),
        ("alias", &["evil"], ""),
        (
            "credential",
            &["credential", "fill"],
            "protocol=https\nhost=nowhere.invalid\n\n",
        ),
        ("ssh", &["ls-remote", "ssh://nowhere.invalid/x"], ""),
        (
            "upload",
            &["-c", "remote.origin.url=.", "ls-remote", "origin"],
            "",
        ),
    ] {
        clean();
        let output = trap.plain(arguments, input);
        let marks = trap.marks();
        assert!(
            marks.iter().any(|found| found == mark),
            "git {arguments:?} leaves {marks:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn a_bare_repository_that_is_planted_in_a_work_tree_starts_nothing() {
    let trap = hostile();
    let planted = trap.work().join("planted");
    trap.git(&["clone", "--quiet", "--bare", ".", "planted"]);
    fs::copy(trap.work().join(".git/config"), planted.join("config")).expect("room");
    let planted = planted.display().to_string();
    trap.git(&["--git-dir", &planted, "config", "core.bare", "true"]);
    for mark in trap.marks() {
        fs::remove_file(trap.path("marks").join(mark)).expect("it is there");
    }
    let repository = Repository::around(Path::new(&planted)).expect("it is one");
    use_everything(&repository, "main~1", "main").expect("it can be read");
    assert_eq!(trap.marks(), [""; 0]);
}

#[test]
fn a_missing_object_is_an_error_and_not_a_fetch() {
    for (url, key, mark) in [
        ("ssh://nowhere.invalid/x", "core.sshCommand", "ssh"),
        (".", "remote.origin.uploadpack", "upload"),
        ("ext::EVIL", "remote.origin.fetch", "extension"),
    ] {
        let trap = Trap::new();
        trap.write("x", "1\n");
        let good = trap.commit("good");
        trap.write("x", "2\n");
        let bad = trap.commit("bad");
        trap.git(&["repack", "-adq"]);
        let blob = trap.git(&["rev-parse", "HEAD:x"]);
        let packs = trap.git(&["rev-list", "--objects", "--all"]);
        let left: Vec<&str> = packs
            .lines()
            .filter_map(|line| line.split(' ').next())
            .filter(|id| *id != blob)
            .collect();
        let pack = trap.work().join(".git/objects/pack");
        let partial = trap.path("partial").display().to_string();
        let output = trap.plain(
            &["pack-objects", "--quiet", &partial],
            &(left.join("\n") + "\n"),
        );
        assert!(output.status.success());
        fs::remove_dir_all(&pack).expect("it is there");
        fs::create_dir(&pack).expect("room");
        let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        for extension in ["pack", "idx"] {
            let from = trap.path(&format!("partial-{name}.{extension}"));
            fs::copy(from, pack.join(format!("pack-{name}.{extension}"))).expect("room");
        }
        fs::write(pack.join(format!("pack-{name}.promisor")), "").expect("room");
        trap.set("core.repositoryFormatVersion", "1");
        trap.set("extensions.partialClone", "origin");
        trap.set("remote.origin.promisor", "true");
        trap.set("remote.origin.url", &url.replace("EVIL", &trap.evil(mark)));
        trap.set("protocol.allow", "always");
        if mark != "extension" {
            trap.set(key, &trap.evil(mark));
        }

        let repository = trap.repository();
        let error = use_everything(&repository, &good, &bad).expect_err("a file is missing");
        let expected = format!("run git cat-file: the object {blob} is missing");
        assert_eq!(error.to_string(), expected);
        assert!(matches!(error, PatchError::Git { partial: true, .. }));
        // What is only between the two must not be found missing in the middle of a search.
        let history = History::between(&repository, &good, &bad).expect("commits are there");
        let error = CommitTrees::new(history).err().expect("a file is missing");
        let expected = format!("run git rev-list: the object {blob} is missing");
        assert_eq!(error.to_string(), expected);
        let annotated = repository.resolve(&blob);
        assert!(annotated.is_err());
        assert_eq!(trap.marks(), [""; 0]);
        trap.plain(&["cat-file", "-p", &blob], "");
        assert_eq!(trap.marks(), [mark]);
    }
}

#[test]
fn a_partial_clone_that_has_all_it_needs_will_do() {
    let trap = Trap::new();
    trap.write("x", "1\n");
    let good = trap.commit("good");
    trap.write("x", "2\n");
    let bad = trap.commit("bad");
    trap.set("uploadpack.allowFilter", "true");
    let (from, to) = (
        format!("file://{}", trap.work().display()),
        trap.path("clone").display().to_string(),
    );
    trap.git(&[
        "clone",
        "--quiet",
        "--no-checkout",
        "--filter=blob:none",
        &from,
        &to,
    ]);
    let repository = Repository::around(Path::new(&to)).expect("it is one");
    let error = use_everything(&repository, &good, &bad).expect_err("it has no files");
    assert!(
        matches!(error, PatchError::Git { partial: true, .. }),
        "{error}"
    );
    // As the hint says.
    trap.git(&["-C", &to, "fetch", "--quiet", "--refetch", "--no-filter"]);
    use_everything(&repository, &good, &bad).expect("all is there");
}

#[test]
fn the_work_tree_of_the_settings_is_not_believed() {
    let trap = hostile();
    let elsewhere = trap.path("elsewhere");
    fs::create_dir(&elsewhere).expect("room");
    fs::write(elsewhere.join("made"), "").expect("room");
    trap.set("core.worktree", &elsewhere.display().to_string());
    let repository = trap.repository();
    assert_eq!(repository.directory(), trap.work());
    assert_eq!(
        trap.git(&["rev-parse", "--show-toplevel"]),
        elsewhere.display().to_string()
    );
}

#[test]
fn what_git_ignores_is_told_by_all_the_lists_that_git_has() {
    let trap = Trap::new();
    trap.write(".gitignore", "one\n");
    trap.write("tracked", "");
    trap.git(&["add", "--all"]);
    trap.write(".git/info/exclude", "two\n");
    fs::write(trap.path("list"), "three\n").expect("room");
    trap.set(
        "core.excludesFile",
        &trap.path("list").display().to_string(),
    );
    // The index is in two files then.
    trap.git(&["update-index", "--split-index"]);
    for name in ["one", "two", "three", "four"] {
        trap.write(name, "");
    }
    let linked = trap.path("linked").display().to_string();
    trap.git(&["commit", "--quiet", "-m", "one"]);
    trap.git(&["worktree", "add", "--quiet", &linked]);
    for name in ["one", "two", "three", "four"] {
        fs::write(trap.path("linked").join(name), "").expect("room");
    }
    for root in [trap.work(), trap.path("linked")] {
        let repository = Repository::around(&root).expect("it is one");
        let mut ignored = repository.ignored().expect("it can be read");
        ignored.sort();
        assert_eq!(ignored, ["one", "three", "two"]);
    }
}

#[test]
fn a_shallow_clone_and_other_ids_will_do() {
    let trap = Trap::new();
    for text in ["1\n", "2\n", "3\n"] {
        trap.write("x", text);
        trap.commit("next");
    }
    let from = format!("file://{}", trap.work().display());
    let to = trap.path("clone").display().to_string();
    trap.git(&["clone", "--quiet", "--depth=2", &from, &to]);
    let repository = Repository::around(Path::new(&to)).expect("it is one");
    use_everything(&repository, "HEAD~1", "HEAD").expect("two are there");
    assert!(repository.resolve("HEAD~2").is_err());

    fs::remove_dir_all(trap.work()).expect("it is there");
    fs::create_dir(trap.work()).expect("room");
    trap.git(&["init", "--quiet", "--object-format=sha256"]);
    trap.write("x", "1\n");
    trap.write("y", b"\0");
    trap.commit("one");
    trap.write("x", "2\n");
    trap.write("y", b"\0\0");
    trap.commit("two");
    use_everything(&trap.repository(), "HEAD~1", "HEAD").expect("it can be read");
}

#[test]
fn the_repository_of_another_user_is_refused_in_gits_words() {
    let trap = Trap::new();
    trap.write("x", "1\n");
    trap.commit("one");
    for path in [trap.work(), trap.work().join(".git")] {
        // Only root can give files away. Others cannot set this up.
        if std::os::unix::fs::chown(path, Some(12345), None).is_err() {
            return;
        }
    }
    let error = Repository::around(&trap.work()).expect_err("it belongs to somebody else");
    let message = error.to_string();
    assert!(message.contains("dubious ownership"), "{message}");
    assert!(message.contains("safe.directory"), "{message}");
}

#[test]
fn replaced_objects_do_not_change_a_version() {
    let trap = Trap::new();
    trap.write("x", "1\n");
    let good = trap.commit("good");
    let blob = trap.git(&["rev-parse", "HEAD:x"]);
    let other = trap.object("blob", b"replaced\n");
    trap.git(&["replace", &blob, &other]);
    assert_eq!(trap.git(&["cat-file", "-p", &blob]), "replaced");
    let version = Version::revision(&trap.repository(), &good).expect("it is there");
    let state = version.state("x").expect("it can be read");
    assert_eq!(&*state.expect("it is there").content, b"1\n");
}

#[test]
fn files_that_git_would_filter_are_told_about() {
    let trap = Trap::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    trap.write(
        ".gitattributes",
        "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    );
    trap.write("plain", "1\n");
    let plain = trap.commit("no such file yet");
    trap.write("a.bin", pointer);
    let one = trap.commit("one");
    trap.write("sub/b.bin", pointer);
    trap.write("sub/.gitattributes", "c.bin !filter\n");
    trap.write("sub/c.bin", "stored as it is");
    let two = trap.commit("two");
    let repository = trap.repository();
    let notes = |revision: &str| {
        let version = Version::revision(&repository, revision).expect("it is there");
        version.notes().to_vec()
    };
    let rest = "taken as git stores them, without the filter lfs; for the real files, check the revision out into a directory and give that directory";
    assert_eq!(notes(&plain), [""; 0]);
    assert_eq!(
        notes(&one),
        [format!("a.bin is {}", rest.replace("them", "it"))]
    );
    assert_eq!(notes(&two), [format!("a.bin and 1 other file are {rest}")]);
    let history = History::between(&repository, &plain, &two).expect("they have a past");
    let trees = CommitTrees::new(history).expect("git runs");
    let entries = trees.entries(&two).expect("it can be read");
    let expected = Entry::File {
        content: pointer.as_bytes().into(),
        executable: false,
    };
    assert_eq!(entries["a.bin"], expected);
}
