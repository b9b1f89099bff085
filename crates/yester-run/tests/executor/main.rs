//! The executor and its wardens, tried with real processes, nasty ones among them.

mod bytes;
mod hostile;
#[path = "../../../../tests/leash.rs"]
mod leash;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use leash::{HOLD, Leash};
use tempfile::TempDir;
use yester_core::{Candidate, Entry, Hash};
use yester_run::{
    Action, ActionEvent, Containment, Ending, Exchange, Executor, Invocation, LocalExecutor,
    LocalSettings, Observation, Sandbox, Subject, Wakeup,
};

/// More time than any run needs that is not meant to hang, however busy the machine is.
const AMPLE: Duration = Duration::from_secs(300);

/// What stands for a tree.
fn name_of(tree: &Path) -> Hash {
    Hash::of(tree.as_os_str().as_encoded_bytes())
}

struct Lab {
    executor: LocalExecutor,
    start: TempDir,
    scratch: PathBuf,
    timeout: Duration,
}

impl Lab {
    fn new(sandbox: Sandbox) -> Lab {
        let start = TempDir::new().expect("a directory for the test");
        let scratch = start.path().join("scratch");
        let executor = LocalExecutor::open(LocalSettings {
            warden: env!("CARGO_BIN_EXE_yester-warden").into(),
            jobs: 2,
            sandbox,
            scratch: scratch.clone(),
            visible: vec![start.path().to_owned()],
            interrupt: None,
            keep: false,
            complain: None,
        })
        .expect("an executor");
        Lab {
            executor,
            start,
            scratch,
            timeout: AMPLE,
        }
    }

    /// Tells whether processes of scripts that hold it are left.
    fn leash(&self) -> Leash {
        Leash::new(self.start.path())
    }

    fn shell(&self, script: &str, subject: Subject, candidate: Candidate) -> Action {
        let environment = [
            (
                "PATH".into(),
                std::env::var_os("PATH").expect("tests have a PATH"),
            ),
            ("YESTER_START".into(), self.start.path().into()),
        ];
        Action {
            invocation: Arc::new(Invocation {
                is_guarded: false,
                program: "/bin/sh".into(),
                program_in_tree: None,
                arguments: ["-c", script, "{}"].map(OsString::from).to_vec(),
                environment: environment.to_vec(),
                stdin: false,
                timeout: self.timeout,
                memory: None,
                build: None,
                counterpart: None,
                helpers: Vec::new(),
                has_placeholders: true,
            }),
            subject: Arc::new(subject),
            candidate,
            trial: 7,
            fresh: false,
            watch: false,
            exchange: Exchange::default(),
        }
    }

    fn finish(&mut self) -> Observation {
        match self.executor.wait(None).expect("a report") {
            Wakeup::Worker(_, ActionEvent::Done(observation, _)) => *observation,
            other => panic!("{other:?}"),
        }
    }

    /// Runs a shell script on a file `input.txt` with this content.
    fn run(&mut self, script: &str, content: &str) -> Observation {
        let subject = Subject::File {
            name: "input.txt".into(),
            executable: false,
        };
        let action = self.shell(script, subject, Candidate::file(content.as_bytes()));
        self.executor.start(0, &action).expect("a start");
        self.finish()
    }

    fn run_tree(
        &mut self,
        script: &str,
        base: &Path,
        entries: &[(&str, Entry)],
        fresh: bool,
    ) -> Observation {
        let action = self.tree_action(script, base, entries, fresh);
        self.executor.start(0, &action).expect("a start");
        self.finish()
    }

    fn tree_action(
        &mut self,
        script: &str,
        base: &Path,
        entries: &[(&str, Entry)],
        fresh: bool,
    ) -> Action {
        self.executor.provide(name_of(base), base);
        let entries: BTreeMap<String, Entry> = entries
            .iter()
            .map(|(path, entry)| ((*path).to_owned(), entry.clone()))
            .collect();
        let mut action = self.shell(
            script,
            Subject::Tree {
                base: name_of(base),
            },
            Candidate::Tree(entries),
        );
        action.fresh = fresh;
        action
    }
}

const EVERY_SANDBOX: [Sandbox; 3] = [Sandbox::None, Sandbox::Auto, Sandbox::Full];

#[test]
fn the_command_sees_the_candidate_its_number_and_nothing_else() {
    for sandbox in EVERY_SANDBOX {
        let mut lab = Lab::new(sandbox);
        let seen = lab.run(r#"ls; cat input.txt; cmp "$0" input.txt && cmp "$YESTER_CANDIDATE" input.txt && echo $YESTER_TRIAL $YESTER_WORKER; touch litter; mkdir -p deep/er; exit 3"#, "hello\n");
        assert_eq!(
            seen.stdout.text(),
            "input.txt\nhello\n7 0\n",
            "{sandbox:?}: {}",
            seen.stderr.text()
        );
        assert_eq!(seen.ending, Ending::Exit(3));
        let again = lab.run("ls", "two");
        assert_eq!(
            again.stdout.text(),
            "input.txt\n",
            "what the first run left is gone"
        );
    }
}

#[test]
fn a_signal_is_told_from_an_exit() {
    let mut lab = Lab::new(Sandbox::Auto);
    assert_eq!(
        lab.run("kill -SEGV $$", "").ending,
        Ending::Signal(libc_sigsegv())
    );
    assert_eq!(lab.run("exit 139", "").ending, Ending::Exit(139));
}

fn libc_sigsegv() -> i32 {
    11
}

#[test]
fn a_run_that_takes_too_long_is_ended_with_its_children() {
    for sandbox in EVERY_SANDBOX {
        let mut lab = Lab::new(sandbox);
        lab.timeout = Duration::from_secs(1);
        let mut leash = lab.leash();
        let seen = lab.run(
            &format!("{HOLD}; trap '' TERM INT HUP; sleep 1000 & sleep 1000; sleep 1000"),
            "",
        );
        assert_eq!(seen.ending, Ending::Timeout, "{sandbox:?}");
        assert!(!leash.is_held(), "{sandbox:?}");
    }
}

#[test]
fn a_daemon_is_gone_before_the_outcome_is_used() {
    for sandbox in EVERY_SANDBOX {
        let mut lab = Lab::new(sandbox);
        let mut leash = lab.leash();
        let seen = lab.run(&format!("{HOLD}; setsid sh -c 'setsid sleep 1000 & sleep 1000 &' > log 2>&1 < /dev/null; echo started"), "");
        assert_eq!(seen.stdout.text(), "started\n");
        assert_eq!(seen.ending, Ending::Exit(0));
        assert!(!leash.is_held(), "{sandbox:?}");
    }
}

#[test]
fn endless_forking_is_ended_under_the_full_sandbox() {
    let mut lab = Lab::new(Sandbox::Full);
    lab.timeout = Duration::from_millis(1500);
    let mut leash = lab.leash();
    let seen = lab.run(
        &format!("{HOLD}; bomb() {{ bomb | bomb & }}; bomb; sleep 1000"),
        "",
    );
    assert!(
        matches!(seen.ending, Ending::Timeout | Ending::Exit(_)),
        "{:?}",
        seen.ending
    );
    assert!(!leash.is_held());
    lab.timeout = AMPLE;
    assert_eq!(
        lab.run("echo fine", "").stdout.text(),
        "fine\n",
        "and the next trial runs"
    );
}

#[test]
fn a_flood_of_output_is_drained_in_bounded_memory() {
    let mut lab = Lab::new(Sandbox::Auto);
    let seen = lab.run(
        "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo the end",
        "",
    );
    assert_eq!(seen.stdout.bytes, 100_000_009);
    assert!(seen.stdout.text().ends_with("x\nthe end\n"));
    assert!(seen.stdout.text().len() < 100_000);
}

#[test]
fn a_run_may_close_its_files_and_delete_its_directory() {
    for sandbox in EVERY_SANDBOX {
        let mut lab = Lab::new(sandbox);
        assert_eq!(
            // The outcome is the same if it ends before the warden sees its pipes closed, which is rare.
            lab.run("exec 0<&- 1>&- 2>&-; sleep 0.05; exit 4", "")
                .ending,
            Ending::Exit(4)
        );
        let seen = lab.run(r#"here=$PWD; cd /; rm -rf "$here"; exit 5"#, "");
        assert_eq!(seen.ending, Ending::Exit(5), "{sandbox:?}");
        assert_eq!(
            lab.run("cat input.txt", "back").stdout.text(),
            "back",
            "{sandbox:?}"
        );
        assert_eq!(
            lab.run("mkdir shut; touch shut/in; chmod 0 shut", "")
                .ending,
            Ending::Exit(0)
        );
        assert_eq!(lab.run("ls", "").stdout.text(), "input.txt\n");
    }
}

#[test]
fn a_link_in_place_of_the_candidate_is_not_written_through() {
    let mut lab = Lab::new(Sandbox::None);
    let precious = lab.start.path().join("precious");
    fs::write(&precious, "untouched").expect("a file");
    lab.run(&format!("ln -sf {} input.txt", precious.display()), "one");
    assert_eq!(lab.run("cat input.txt", "two").stdout.text(), "two");
    assert_eq!(
        fs::read_to_string(&precious).expect("still there"),
        "untouched"
    );
}

#[test]
fn no_trial_of_the_superuser_can_delete_the_null_device() {
    for sandbox in [Sandbox::Auto, Sandbox::Full] {
        let mut lab = Lab::new(sandbox);
        let seen = lab.run("rm -f /dev/null; test -c /dev/null && echo still there", "");
        if lab.executor.containment() == Some(Containment::ProcessGroup) {
            panic!("this machine cannot make namespaces; nothing was tested");
        }
        assert_eq!(seen.stdout.text(), "still there\n", "{sandbox:?}");
        assert!(Path::new("/dev/null").exists());
    }
}

#[test]
fn the_full_sandbox_reads_the_start_directory_and_writes_nothing_outside_its_own() {
    let mut lab = Lab::new(Sandbox::Full);
    fs::write(lab.start.path().join("data"), "readable").expect("a file");
    // Not a name that somebody else may have used.
    let own_name = lab.start.path().file_name().expect("a name");
    let mine = Path::new("/tmp").join(format!("mine-{}", own_name.display()));
    let seen = lab.run(
        r#"mine="mine-$(basename "$YESTER_START")"; cat "$YESTER_START/data"; echo
           for path in "$YESTER_START/data" "$YESTER_START/new" /etc/yester-was-here /usr/yester-was-here; do
               (echo x > "$path") 2> log && echo "wrote $path"
           done
           rm -rf "$YESTER_START" 2> log
           echo private > /tmp/$mine && cat /tmp/$mine; echo shared > /dev/shm/$mine
           echo x > own && cat own"#,
        "",
    );
    assert_eq!(
        seen.stdout.text(),
        "readable\nprivate\nx\n",
        "{}",
        seen.stderr.text()
    );
    assert_eq!(
        fs::read_to_string(lab.start.path().join("data")).expect("still there"),
        "readable"
    );
    assert!(!mine.exists());
    let list =
        r#"mine="mine-$(basename "$YESTER_START")"; ls /tmp/$mine /dev/shm/$mine 2> log; echo $?"#;
    let next = lab.run(list, "");
    assert_eq!(
        next.stdout.text(),
        "2\n",
        "private directories are empty for every trial"
    );
}

#[test]
fn the_full_sandbox_has_a_loopback_interface_and_no_other() {
    let mut lab = Lab::new(Sandbox::Full);
    let seen = lab.run("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '", "");
    assert_eq!(seen.stdout.text(), "lo\n");
}

#[test]
fn memory_is_limited_when_asked() {
    let mut lab = Lab::new(Sandbox::Auto);
    let subject = Subject::File {
        name: "input.txt".into(),
        executable: false,
    };
    let hungry = "dd if=/dev/zero of=/dev/null bs=400M count=1 2> log && echo ate it all";
    let mut action = lab.shell(hungry, subject, Candidate::file(&b""[..]));
    lab.executor.start(0, &action).expect("a start");
    assert_eq!(lab.finish().stdout.text(), "ate it all\n");
    let invocation = Invocation {
        memory: Some(100 << 20),
        ..(*action.invocation).clone()
    };
    action.invocation = Arc::new(invocation);
    lab.executor.start(0, &action).expect("a start");
    assert_eq!(lab.finish().stdout.text(), "");
}

#[test]
fn a_command_that_is_watched_runs_where_the_user_would_run_it() {
    let mut lab = Lab::new(Sandbox::Auto);
    let here = Subject::Here {
        directory: lab.start.path().to_owned(),
        writable: Vec::new(),
    };
    let mut action = lab.shell(
        "pwd; cat; echo \" $0\"",
        here,
        Candidate::Tree(BTreeMap::new()),
    );
    let invocation = Invocation {
        has_placeholders: false,
        ..(*action.invocation).clone()
    };
    action.exchange = Exchange {
        files: [("input".to_owned(), b"hello"[..].into())].into(),
        stdin: Some("input".to_owned()),
        ..Exchange::default()
    };
    action.invocation = Arc::new(invocation);
    lab.executor.start(0, &action).expect("a start");
    let directory = lab.start.path().canonicalize().expect("it is there");
    let expected = format!("{}\nhello {{}}\n", directory.display());
    assert_eq!(lab.finish().stdout.text(), expected);
}

#[test]
fn what_is_no_longer_needed_can_be_cancelled() {
    for sandbox in EVERY_SANDBOX {
        let mut lab = Lab::new(sandbox);
        let mut leash = lab.leash();
        let subject = Subject::File {
            name: "input.txt".into(),
            executable: false,
        };
        let script = format!("{HOLD}; sleep 1000");
        let action = lab.shell(&script, subject, Candidate::file(&b""[..]));
        // At once, and in the middle of it.
        for is_under_way in [false, true] {
            lab.executor.start(1, &action).expect("a start");
            if is_under_way {
                leash.wait();
            }
            lab.executor.cancel(1);
            assert_eq!(lab.finish().ending, Ending::Cancelled);
            assert!(!leash.is_held(), "{sandbox:?}");
        }
        assert_eq!(lab.run("echo fine", "").stdout.text(), "fine\n");
    }
}

#[test]
fn nothing_is_left_when_the_executor_goes_in_the_middle_of_a_trial() {
    for sandbox in EVERY_SANDBOX {
        let mut lab = Lab::new(sandbox);
        let mut leash = lab.leash();
        let subject = Subject::File {
            name: "input.txt".into(),
            executable: false,
        };
        let script = format!("{HOLD}; setsid sleep 1000 & sleep 1000");
        let action = lab.shell(&script, subject, Candidate::file(&b""[..]));
        lab.executor.start(0, &action).expect("a start");
        leash.wait();
        assert!(leash.is_held(), "the trial is under way");
        let scratch = lab.scratch.clone();
        // The leash stays in the directory of the test until the end.
        let _start = std::mem::replace(&mut lab.start, TempDir::new().expect("another"));
        drop(lab);
        assert!(!leash.is_held(), "{sandbox:?}");
        assert!(!scratch.exists());
    }
}

#[test]
fn a_test_that_kills_its_parent_loses_only_its_own_trial() {
    let mut lab = Lab::new(Sandbox::None);
    assert_eq!(
        lab.run("kill -9 $PPID; sleep 1000", "").ending,
        Ending::Lost
    );
    assert_eq!(lab.run("echo fine", "").stdout.text(), "fine\n");
    let mut contained = Lab::new(Sandbox::Auto);
    assert_eq!(
        contained
            .run("kill -9 $PPID; echo survived", "")
            .stdout
            .text(),
        "survived\n"
    );
}

#[test]
fn a_program_that_cannot_be_started_is_said_to_be_so() {
    let mut lab = Lab::new(Sandbox::Auto);
    let subject = Subject::File {
        name: "input.txt".into(),
        executable: false,
    };
    let mut action = lab.shell("", subject, Candidate::file(&b""[..]));
    let invocation = Invocation {
        program: "/no/such/program".into(),
        ..(*action.invocation).clone()
    };
    action.invocation = Arc::new(invocation);
    lab.executor.start(0, &action).expect("a start");
    assert!(matches!(lab.finish().ending, Ending::NotStarted(_)));
}

fn file(content: &str) -> Entry {
    Entry::File {
        content: content.as_bytes().into(),
        executable: false,
    }
}

#[test]
fn a_tree_is_its_base_with_the_candidates_entries_and_stays_warm() {
    for sandbox in EVERY_SANDBOX {
        let mut lab = Lab::new(sandbox);
        let base = lab.start.path().join("base");
        fs::create_dir_all(base.join("sub dir")).expect("a tree");
        fs::write(base.join("a"), "base a").expect("a file");
        fs::write(base.join("sub dir/b"), "base b").expect("a file");
        fs::write(base.join("run"), "#!/bin/sh\necho ran\n").expect("a file");
        fs::set_permissions(base.join("run"), fs::Permissions::from_mode(0o555)).expect("a mode");
        symlink("a", base.join("link")).expect("a link");
        let list = "for f in $(find . ! -type d | tr ' ' '?' | sort); do printf '%s=%s;' \"$f\" \"$(cat \"$f\")\"; done";

        let plain = lab.run_tree(
            "./run; cat link; echo; touch build-product",
            &base,
            &[],
            false,
        );
        assert_eq!(
            plain.stdout.text(),
            "ran\nbase a\n",
            "{sandbox:?} {}",
            plain.stderr.text()
        );

        let entries = [
            ("a", file("new a")),
            ("sub dir/b", Entry::Absent),
            ("new/deep/c", file("c")),
            (
                "run",
                Entry::File {
                    content: b"x"[..].into(),
                    executable: true,
                },
            ),
            ("link", Entry::Symlink(b"new/deep/c"[..].into())),
        ];
        let seen = lab.run_tree(
            &format!("test -x run && ls build-product && {list}"),
            &base,
            &entries,
            false,
        );
        assert_eq!(
            seen.stdout.text(),
            "build-product\n./a=new a;./build-product=;./link=c;./new/deep/c=c;./run=x;",
            "{sandbox:?}"
        );
        let back = lab.run_tree(
            "cat a link 'sub dir/b'; ls new/deep",
            &base,
            &[("new", file("now a file"))],
            false,
        );
        assert_eq!(back.stdout.text(), "base abase abase b", "{sandbox:?}");
        let fresh = lab.run_tree("ls; rm -rf a run", &base, &[], true);
        assert_eq!(
            fresh.stdout.text(),
            "a\nlink\nrun\nsub dir\n",
            "no build product is left"
        );
        assert_eq!(
            fs::read_to_string(base.join("a")).expect("the user's file"),
            "base a"
        );
    }
}
