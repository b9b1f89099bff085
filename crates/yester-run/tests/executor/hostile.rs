//! Tests and trees that want to harm the user. Nothing of the user's may change, and the next trial must run.

use std::os::fd::IntoRawFd;
use std::process::Command;

use super::*;

/// A directory of the user's with one file in it.
fn precious(lab: &Lab) -> PathBuf {
    let precious = lab.start.path().join("precious");
    fs::create_dir(&precious).expect("room");
    fs::write(precious.join("work"), "of years").expect("room");
    precious
}

fn is_untouched(precious: &Path) -> bool {
    let names: Vec<_> = fs::read_dir(precious)
        .expect("the user's directory is still there")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names == ["work"] && fs::read(precious.join("work")).is_ok_and(|text| text == b"of years")
}

#[test]
fn a_mount_of_the_users_directory_is_never_emptied() {
    // Without a namespace, a mount would be one of the whole machine.
    for sandbox in [Sandbox::Auto, Sandbox::Full] {
        let mut lab = Lab::new(sandbox);
        let precious = precious(&lab);
        lab.timeout = Duration::from_millis(500);
        let script = format!(
            "mkdir root && mount --bind {} root && ls root; exec sleep 60",
            precious.display()
        );
        let seen = lab.run(&script, "");
        assert_eq!(seen.ending, Ending::Timeout, "{sandbox:?}");
        if sandbox == Sandbox::Auto && is_root() {
            assert_eq!(seen.stdout.text(), "work\n", "the attack is a real one");
        }
        assert_eq!(
            lab.run("ls", "").stdout.text(),
            "input.txt\n",
            "{sandbox:?}"
        );
        drop(lab.executor);
        assert!(is_untouched(&precious), "{sandbox:?}");
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

#[test]
fn a_directory_in_the_place_of_the_workers_own_is_never_emptied() {
    for sandbox in [Sandbox::None, Sandbox::Auto] {
        let mut lab = Lab::new(sandbox);
        let precious = lab.start.path().join("precious");
        for directory in ["0/tree", "work"] {
            fs::create_dir_all(precious.join(directory)).expect("room");
            fs::write(precious.join(directory).join("work"), "of years").expect("room");
        }
        let scratch = lab.scratch.display();
        let script = format!(
            "rm -rf {scratch}/0/tree; mv {scratch} {scratch}.aside; ln -s {} {scratch}",
            precious.display()
        );
        lab.run(&script, "");
        for _ in 0..2 {
            let seen = lab.run("ls", "");
            assert!(
                matches!(seen.ending, Ending::NotStarted(_)),
                "{sandbox:?}: {seen:?}"
            );
        }
        drop(lab.executor);
        for directory in ["0/tree", "work"] {
            assert!(
                is_untouched(&precious.join(directory)),
                "{sandbox:?}: {directory}"
            );
        }
    }
}

#[test]
fn what_a_trial_mounts_is_gone_for_the_next_one() {
    let mut lab = Lab::new(Sandbox::Auto);
    let table = "sed 's/^[0-9]* [0-9]* //' /proc/self/mountinfo | sort";
    let before = lab.run(table, "");
    let before = before.stdout.text();
    assert!(before.contains("/work "), "{before}");
    for script in [
        "mount -t tmpfs none /mnt; touch /mnt/left",
        "umount /dev/null",
        "umount -l \"$(dirname \"$0\")\"",
        "here=$PWD; cd /; rm -rf \"$here\"; umount -l \"$here\"; rm -rf \"$here\"",
    ] {
        lab.run(script, "");
        assert!(lab.run(table, "").stdout.text() == before, "{script}");
        assert_eq!(
            lab.run("ls; cat \"$0\"", "text").stdout.text(),
            "input.txt\ntext"
        );
    }
}

#[test]
fn a_mount_that_is_left_in_the_wardens_own_namespace_is_not_crossed() {
    if !is_root() {
        // Nobody else can make a mount that a warden of the same user sees.
        return;
    }
    let mut lab = Lab::new(Sandbox::Auto);
    let precious = precious(&lab);
    let script = format!(
        "mkdir root && nsenter -m -t 1 mount --bind {} $PWD/root && nsenter -m -t 1 ls $PWD/root",
        precious.display()
    );
    let seen = lab.run(&script, "");
    assert_eq!(seen.stdout.text(), "work\n", "{}", seen.stderr.text());
    for _ in 0..2 {
        assert_eq!(lab.run("ls", "").stdout.text(), "input.txt\n");
    }
    drop(lab.executor);
    assert!(is_untouched(&precious));
}

#[test]
fn links_in_a_tree_are_never_followed_out_of_it() {
    for sandbox in EVERY_SANDBOX {
        let mut lab = Lab::new(sandbox);
        let precious = precious(&lab);
        let base = lab.start.path().join("base");
        fs::create_dir_all(base.join("deep")).expect("room");
        let work = precious.join("work");
        for name in [".yester-access", ".yester-access-0", "deep/file.py", "file"] {
            symlink(&work, base.join(name)).expect("a link");
        }
        for name in ["directory", "deep/directory", "deep/__pycache__"] {
            symlink(&precious, base.join(name)).expect("a link");
        }
        let file = |content: &str| Entry::File {
            content: content.as_bytes().into(),
            executable: false,
        };
        for entries in [
            vec![("file", file("new")), ("directory/work", file("new"))],
            vec![
                ("deep/directory/work", Entry::Absent),
                ("deep/file.py", file("new")),
            ],
            vec![("deep", file("new"))],
            vec![("directory", Entry::Absent), ("file", Entry::Absent)],
            vec![],
        ] {
            for fresh in [false, true] {
                let names: Vec<&str> = entries.iter().map(|(name, _)| *name).collect();
                let mut action = lab.tree_action("ls -R", &base, &entries, fresh);
                action.watch = true;
                lab.executor.start(0, &action).expect("a start");
                let seen = lab.finish();
                assert_eq!(seen.ending, Ending::Exit(0), "{sandbox:?}: {names:?}");
                assert!(is_untouched(&precious), "{sandbox:?}: {names:?}");
            }
        }
    }
}

#[test]
fn a_candidate_with_a_path_that_leads_out_is_refused() {
    let mut lab = Lab::new(Sandbox::Auto);
    let base = lab.start.path().join("base");
    fs::create_dir(&base).expect("room");
    for path in ["../escaped", "a/../../escaped", "/tmp/yester-escaped"] {
        let entry = Entry::File {
            content: b"out"[..].into(),
            executable: false,
        };
        let seen = lab.run_tree("ls", &base, &[(path, entry)], true);
        assert!(
            matches!(seen.ending, Ending::NotStarted(_)),
            "{path}: {seen:?}"
        );
    }
    assert!(!lab.scratch.join("0/escaped").exists());
    assert!(!lab.scratch.join("escaped").exists());
    assert!(!Path::new("/tmp/yester-escaped").exists());
}

#[test]
fn what_cannot_be_deleted_does_not_stop_a_run() {
    for sandbox in EVERY_SANDBOX {
        let mut lab = Lab::new(sandbox);
        let script = "mkdir -p a/b; touch a/b/f a/g h; chattr +i a/b/f h a 2> /dev/null; chmod 0 a/b .; echo made";
        for _ in 0..3 {
            assert_eq!(lab.run(script, "").stdout.text(), "made\n", "{sandbox:?}");
            assert_eq!(
                lab.run("ls", "").stdout.text(),
                "input.txt\n",
                "{sandbox:?}"
            );
        }
        let scratch = lab.scratch.clone();
        drop(lab.executor);
        assert!(!scratch.exists(), "{sandbox:?}");
    }
}

/// Makes directories in one another, deeper than a path can say, and a file in the last.
const NEST: &str = r#"
import os
for _ in range(2500):
    os.mkdir("d")
    os.chdir("d")
open("leaf", "w")
print("made")
"#;

#[test]
fn directories_nested_thousands_deep_do_not_stop_a_run() {
    let mut lab = Lab::new(Sandbox::Auto);
    lab.timeout = Duration::from_secs(600);
    let script = format!("python3 -c '{NEST}'");
    assert_eq!(lab.run(&script, "").stdout.text(), "made\n");
    assert_eq!(lab.run("ls", "").stdout.text(), "input.txt\n");
    assert_eq!(lab.run(&script, "").stdout.text(), "made\n");
    let scratch = lab.scratch.clone();
    drop(lab.executor);
    assert!(!scratch.exists());
}

#[test]
fn what_nobody_needs_is_deleted_with_few_descriptors() {
    let around = TempDir::new().expect("a directory");
    let rubbish = around.path().join(".yester-rubbish-1-0");
    fs::create_dir(&rubbish).expect("room");
    fs::create_dir(around.path().join("mine")).expect("room");
    symlink(
        around.path().join("mine"),
        around.path().join(".yester-rubbish-1-1"),
    )
    .expect("a link");
    let made = Command::new("python3")
        .args(["-c", NEST])
        .current_dir(&rubbish)
        .output();
    assert_eq!(made.expect("python3 is installed").stdout, b"made\n");
    // Not as a child of this process: it starts a session of its own, and would be a stray for the other tests here.
    let janitor = Command::new("bash")
        .args([
            "-c",
            r#"ulimit -n 12; (exec -a yester-janitor "$0" "$1"); exit $?"#,
        ])
        .arg(env!("CARGO_BIN_EXE_yester-warden"))
        .arg(around.path())
        .status();
    assert!(janitor.expect("bash is installed").success());
    assert!(!rubbish.exists());
    assert!(around.path().join("mine").exists());
}

#[test]
fn no_way_leads_out_of_the_full_sandbox() {
    let mut lab = Lab::new(Sandbox::Full);
    let probe = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/executor/probe.py");
    fs::copy(&probe, lab.start.path().join("probe.py")).expect("room");
    let inherited = leaked_descriptor();
    let script = format!("python3 \"$YESTER_START\"/probe.py {inherited}");
    let seen = lab.run(&script, "");
    assert_eq!(seen.stdout.text(), "tried 35\n", "{}", seen.stderr.text());
}

/// A descriptor of the root directory that children inherit, as a shell leaves one with `9</`.
fn leaked_descriptor() -> i32 {
    let root = fs::File::open("/").expect("a root");
    let leaked = rustix::io::dup(&root).expect("a descriptor").into_raw_fd();
    assert!(leaked > 2);
    leaked
}

#[test]
fn no_descriptor_of_yesters_parent_reaches_a_trial() {
    let inherited = leaked_descriptor();
    for sandbox in EVERY_SANDBOX {
        let mut lab = Lab::new(sandbox);
        let seen = lab.run(&format!("ls -l /proc/self/fd/{inherited}"), "");
        assert_eq!(seen.stdout.text(), "", "{sandbox:?}");
    }
}

#[test]
fn no_file_gives_a_trial_more_rights_in_a_namespace() {
    for sandbox in [Sandbox::Auto, Sandbox::Full] {
        let mut lab = Lab::new(sandbox);
        let seen = lab.run("grep NoNewPrivs /proc/self/status", "");
        assert_eq!(seen.stdout.text(), "NoNewPrivs:\t1\n", "{sandbox:?}");
    }
}

#[test]
fn temporary_directories_are_new_for_every_trial_in_the_full_sandbox() {
    let mut lab = Lab::new(Sandbox::Full);
    let look = "stat -c %a /tmp /dev/shm /dev/pts/ptmx; ls /dev/shm; cat input.txt; test -w . && ls \"$YESTER_START\" > list";
    let before = lab.run(look, "content");
    assert_eq!(
        before.stdout.text(),
        "1777\n1777\n666\ncontent",
        "{}",
        before.stderr.text()
    );
    lab.run(
        "touch /tmp/left /dev/shm/left; chmod 0 /tmp /dev/shm /dev/pts/ptmx; mkdir -m 0 /tmp/shut",
        "",
    );
    for _ in 0..3 {
        assert_eq!(lab.run(look, "content").stdout.text(), before.stdout.text());
        assert_eq!(lab.run("ls /tmp/left /tmp/shut", "").stdout.text(), "");
    }
}

/// The process that the warden of a trial without namespaces is a child of.
const GUARDIAN: &str = "guardian=$(sed 's/.*) . \\([0-9]*\\) .*/\\1/' /proc/$PPID/stat); ";

#[test]
fn a_test_that_stops_its_parents_is_ended_all_the_same() {
    for (script, ending) in [
        ("kill -STOP $PPID; exec sleep 60", Ending::Timeout),
        ("kill -STOP $guardian $PPID; exec sleep 60", Ending::Lost),
    ] {
        let mut lab = Lab::new(Sandbox::None);
        lab.timeout = Duration::from_millis(500);
        let seen = lab.run(&format!("{GUARDIAN}{script}"), "");
        assert_eq!(seen.ending, ending, "{script}");
        lab.timeout = Duration::from_secs(30);
        assert_eq!(lab.run("echo fine", "").stdout.text(), "fine\n", "{script}");
    }
}

#[test]
fn a_test_that_kills_all_its_parents_leaves_no_process() {
    let mut lab = Lab::new(Sandbox::None);
    let mut leash = lab.leash();
    let script = format!(
        "{HOLD}; {GUARDIAN}for i in 1 2 3 4 5 6 7; do setsid sleep 600 & sleep 600 & done; kill -KILL $guardian $PPID; sleep 600"
    );
    assert_eq!(lab.run(&script, "").ending, Ending::Lost);
    assert!(!leash.is_held());
    assert_eq!(lab.run("echo fine", "").stdout.text(), "fine\n");
}

#[test]
fn directories_of_workers_are_made_when_they_are_first_used() {
    let mut lab = Lab::new(Sandbox::Auto);
    lab.run("true", "");
    assert!(lab.scratch.join("0").exists());
    assert!(!lab.scratch.join("1").exists());
}
