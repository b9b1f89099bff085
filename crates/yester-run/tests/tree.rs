//! Trees that are built in and stay warm, with real builds and tests that misbehave.

mod access;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use yester_core::{Candidate, Entry, Hash};
use yester_run::{
    Action, ActionEvent, Build, Ending, Exchange, Executor, Invocation, LocalExecutor,
    LocalSettings, Observation, Sandbox, Stage, Subject, Wakeup,
};

struct Lab {
    executor: LocalExecutor,
    start: TempDir,
    base: PathBuf,
    build: Option<Build>,
}

impl Lab {
    fn new(sandbox: Sandbox, files: &[(&str, &str)]) -> Lab {
        let start = TempDir::new().expect("a directory for the test");
        let mut executor = LocalExecutor::open(LocalSettings {
            warden: env!("CARGO_BIN_EXE_yester-warden").into(),
            jobs: 1,
            sandbox,
            scratch: start.path().join("scratch"),
            visible: vec![start.path().to_owned()],
            interrupt: None,
            keep: false,
            complain: None,
        })
        .expect("an executor");
        let base = start.path().join("base");
        fs::create_dir(&base).expect("room");
        for (path, content) in files {
            let path = base.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("room");
            fs::write(path, content).expect("room");
        }
        executor.provide(Hash::of(b"base"), &base);
        Lab {
            executor,
            start,
            base,
            build: None,
        }
    }

    fn build(&mut self, line: &str, products: &[&str]) {
        self.build = Some(Build {
            line: line.into(),
            environment: Vec::new(),
            timeout: Duration::from_secs(300),
            products: products.iter().map(|path| (*path).to_owned()).collect(),
        });
    }

    fn action(&self, script: &str, entries: &[(&str, Entry)]) -> Action {
        let path = std::env::var_os("PATH").expect("tests have a PATH");
        let entries = entries.iter().cloned();
        Action {
            invocation: Arc::new(Invocation {
                is_guarded: false,
                program: "/bin/sh".into(),
                program_in_tree: None,
                arguments: ["-c", script].map(OsString::from).to_vec(),
                environment: vec![("PATH".into(), path)],
                stdin: false,
                timeout: Duration::from_secs(300),
                memory: None,
                build: self.build.clone(),
                counterpart: None,
                helpers: Vec::new(),
                has_placeholders: true,
            }),
            subject: Arc::new(Subject::Tree {
                base: Hash::of(b"base"),
            }),
            candidate: Candidate::Tree(
                entries
                    .map(|(path, entry)| (path.to_owned(), entry))
                    .collect(),
            ),
            trial: 1,
            fresh: false,
            watch: false,
            exchange: Exchange::default(),
        }
    }

    fn start(&mut self, action: &Action) -> Observation {
        self.executor.start(0, action).expect("a start");
        loop {
            match self.executor.wait(None).expect("a report") {
                Wakeup::Worker(_, ActionEvent::Done(observation, _)) => return *observation,
                Wakeup::Worker(worker, ActionEvent::Built(_)) => self.executor.go_on(worker),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Runs a script in the warm tree with these entries, and says what it prints.
    fn run(&mut self, script: &str, entries: &[(&str, Entry)]) -> String {
        let seen = self.start(&self.action(script, entries));
        format!("{}{}", seen.stdout.text(), seen.stderr.text())
    }

    /// The same in a clean tree.
    fn run_fresh(&mut self, script: &str, entries: &[(&str, Entry)]) -> String {
        let mut action = self.action(script, entries);
        action.fresh = true;
        let seen = self.start(&action);
        format!("{}{}", seen.stdout.text(), seen.stderr.text())
    }
}

fn file(content: &str) -> Entry {
    Entry::File {
        content: content.as_bytes().into(),
        executable: false,
    }
}

#[test]
fn make_never_takes_an_old_product_for_the_new_one_however_fast_the_trials_follow() {
    let makefile = "all: a.out b.out\n%.out: %.in\n\t@cp $< $@; echo made $@ >> log\n";
    let files = [("Makefile", makefile), ("a.in", "base"), ("b.in", "b")];
    let mut lab = Lab::new(Sandbox::Auto, &files);
    lab.build("make -s", &[]);
    for round in 0..150 {
        // Back to the base's own, older file, and to and fro between two others of the same size.
        let (entries, expected) = match round % 3 {
            0 => (vec![], "base"),
            1 => (vec![("a.in", file("ones"))], "ones"),
            _ => (vec![("a.in", file("twos"))], "twos"),
        };
        assert_eq!(lab.run("cat a.out", &entries), expected, "round {round}");
    }
    let log = lab.run("cat log", &[]);
    assert_eq!(
        log.matches("made b.out").count(),
        1,
        "what did not change is not built again"
    );
}

#[test]
fn files_that_do_not_change_keep_their_times() {
    let mut lab = Lab::new(Sandbox::Auto, &[("a", "a"), ("b", "b"), ("sub/c", "c")]);
    let times = "stat -c '%n %y %i' a b sub/c";
    let before = lab.run(times, &[("a", file("new"))]);
    let after = lab.run(times, &[("a", file("new")), ("d", file("d"))]);
    assert_eq!(before, after);
    let third = lab.run(times, &[]);
    let line = |text: &str, index| text.lines().nth(index).map(str::to_owned);
    assert_ne!(line(&before, 0), line(&third, 0));
    assert_eq!(line(&before, 1), line(&third, 1));
    assert_eq!(line(&before, 2), line(&third, 2));
    let base = fs::metadata(lab.base.join("b")).and_then(|metadata| metadata.modified());
    let base = base.expect("a time").duration_since(std::time::UNIX_EPOCH);
    assert_eq!(
        lab.run("stat -c %Y b", &[]).trim(),
        base.expect("after 1970").as_secs().to_string(),
        "a copy has the times of the user's tree"
    );
}

#[test]
fn what_is_removed_is_gone_with_its_directories_and_what_was_built_stays() {
    let mut lab = Lab::new(Sandbox::Auto, &[("old/deep/a", "a"), ("b", "b")]);
    let find = "find . -mindepth 1 | sort | tr '\\n' ' '";
    let one = [("old/deep/a", Entry::Absent), ("new/x/y", file("y"))];
    assert_eq!(
        lab.run(&format!("touch made; {find}"), &one),
        "./b ./made ./new ./new/x ./new/x/y "
    );
    assert_eq!(
        lab.run(find, &[]),
        "./b ./made ./old ./old/deep ./old/deep/a "
    );
    let mut fresh = lab.action(find, &one);
    fresh.fresh = true;
    assert_eq!(
        lab.start(&fresh).stdout.text(),
        "./b ./new ./new/x ./new/x/y "
    );
}

#[test]
fn files_and_directories_may_take_each_others_place() {
    let mut lab = Lab::new(Sandbox::Auto, &[("d/x", "x"), ("d/y", "y")]);
    let show = "find . -type f | sort | tr '\\n' ' '";
    let as_file = [
        ("d", file("d")),
        ("d/x", Entry::Absent),
        ("d/y", Entry::Absent),
    ];
    assert_eq!(lab.run(show, &as_file), "./d ");
    assert_eq!(lab.run(show, &[("d/x", Entry::Absent)]), "./d/y ");
    assert_eq!(lab.run(show, &[("d", file("again"))]), "./d ");
    assert_eq!(lab.run(show, &[("d/x", file("x"))]), "./d/x ./d/y ");
    let emptied = [("d", Entry::Absent), ("d/x", file("mine"))];
    assert_eq!(lab.run(show, &emptied), "./d/x ");
    assert_eq!(lab.run(show, &[("d", Entry::Absent)]), "");
    assert_eq!(lab.run(show, &[]), "./d/x ./d/y ");
}

#[test]
fn a_test_that_changes_its_sources_does_not_spoil_the_next_trial() {
    for sandbox in [Sandbox::None, Sandbox::Auto, Sandbox::Full] {
        let files = [("a", "a"), ("sub/b", "b"), ("sub/c", "c"), ("run", "r")];
        let mut lab = Lab::new(sandbox, &files);
        let precious = lab.start.path().join("precious");
        fs::create_dir(&precious).expect("room");
        fs::write(precious.join("b"), "untouched").expect("room");
        symlink("a", lab.base.join("link")).expect("room");
        let entries = [("a", file("mine")), ("new", file("new"))];
        let show =
            "for f in a new link sub/b sub/c run; do cat $f; echo \" $(stat -c %a $f)\"; done 2>&1";
        let right = lab.run(show, &entries);
        for harm in [
            "echo spoilt > a",
            "printf edit > a",
            "rm -f a new sub/b",
            "rm -rf sub; mkdir sub",
            "chmod +x run a",
            "ln -sf new link",
            "mv sub/b sub/c",
            "rm -rf ./*",
            "printf b > other; mv other sub/b",
        ] {
            lab.run(&format!("{harm}; touch built"), &entries);
            assert_eq!(lab.run(show, &entries), right, "{sandbox:?}: {harm}");
            assert_eq!(
                lab.run("ls built", &entries),
                "built\n",
                "the tree stays warm"
            );
        }
        let escape = format!("rm -rf sub; ln -s {} sub", precious.display());
        lab.run(&escape, &entries);
        lab.run("true", &[("sub/b", Entry::Absent)]);
        assert_eq!(
            fs::read_to_string(precious.join("b")).expect("still there"),
            "untouched"
        );
        assert_eq!(lab.run(show, &entries), right, "{sandbox:?}");
    }
}

#[test]
fn a_tree_that_was_changed_all_over_is_made_anew() {
    let mut lab = Lab::new(Sandbox::Auto, &[]);
    for number in 0..2500 {
        fs::write(lab.base.join(format!("{number}")), "x").expect("room");
    }
    let entries = [("1", file("mine"))];
    lab.run("rm -rf ./*; touch built", &entries);
    assert_eq!(
        lab.run("ls | wc -l; cat 1; ls built 2> /dev/null", &entries),
        "2500\nmine"
    );
}

#[test]
fn python_sees_every_change_within_a_second() {
    let mut lab = Lab::new(Sandbox::Auto, &[("part/value.py", "VALUE = 0\n")]);
    let show = "PYTHONDONTWRITEBYTECODE= python3 -c 'import part.value; print(part.value.VALUE)'";
    let has_python = lab.run("python3 -c 'print(1)'", &[]) == "1\n";
    assert!(has_python, "python3 is installed");
    for value in [1, 2, 0, 3, 1] {
        let entries = [("part/value.py", file(&format!("VALUE = {value}\n")))];
        assert_eq!(lab.run(show, &entries), format!("{value}\n"));
    }
    assert_eq!(lab.run(show, &[]), "0\n");
    assert!(lab.run("ls part/__pycache__", &[]).contains("value"));
}

#[test]
fn a_warm_tree_of_five_thousand_files_is_not_written_again() {
    let mut lab = Lab::new(Sandbox::Auto, &[]);
    for directory in 0..50 {
        let directory = lab.base.join(format!("directory-{directory}"));
        fs::create_dir(&directory).expect("room");
        for number in 0..100 {
            fs::write(directory.join(format!("{number}.c")), vec![b'x'; 4000]).expect("room");
        }
    }
    // The times of change tell of every write, however short: nobody can set them.
    let list = "find directory-* -type f -printf '%p %i %C@\\n' | LC_ALL=C sort | tee ../list | wc -l; cksum < ../list";
    let first = lab.run(list, &[("a", file("a"))]);
    assert!(first.starts_with("5000\n"), "{first}");
    for content in ["b", "c", "d"] {
        assert_eq!(lab.run(list, &[("a", file(content))]), first);
    }
    assert_eq!(lab.run_fresh(list, &[]), first, "nor is it for a clean one");
}

#[test]
fn a_failing_build_ends_the_trial_and_its_messages_are_kept() {
    for sandbox in [Sandbox::None, Sandbox::Auto, Sandbox::Full] {
        let mut lab = Lab::new(sandbox, &[("main.c", "int main(void) { return 3; }\n")]);
        // The daemon holds the lock as long as it lives.
        lab.build(
            "gcc -o prog main.c || exit 9; exec 9> held; flock 9; setsid sleep 1000 &",
            &[],
        );
        let test = "flock --nonblock held true || exit 7; ./prog";
        let seen = lab.start(&lab.action(test, &[]));
        assert_eq!((seen.ending, seen.stage), (Ending::Exit(3), Stage::Test));
        assert!(seen.build.is_some());
        let broken = [("main.c", file("int main(void) { return missing_thing; }\n"))];
        let seen = lab.start(&lab.action("./prog", &broken));
        assert_eq!((seen.ending, seen.stage), (Ending::Exit(9), Stage::Build));
        assert!(seen.stderr.text().contains("missing_thing"));
        assert_eq!(seen.build, None);
        let build = lab.build.as_mut().expect("a build");
        build.line = "echo begun; sleep 1000".into();
        // Time enough to say a word, however busy the machine is.
        build.timeout = Duration::from_secs(4);
        let seen = lab.start(&lab.action("true", &[]));
        assert_eq!((seen.ending, seen.stage), (Ending::Timeout, Stage::Build));
        assert_eq!(seen.stdout.text(), "begun\n");
    }
}

#[test]
fn what_a_build_left_that_was_ended_in_the_middle_is_not_built_upon() {
    let mut lab = Lab::new(Sandbox::Auto, &[("seconds", "0")]);
    let line = "test -e out || { echo half > out; sleep $(cat seconds); echo whole > out; }";
    lab.build(line, &[]);
    let build = lab.build.as_mut().expect("a build");
    build.timeout = Duration::from_secs(2);
    let slow = [("seconds", file("1000"))];
    let seen = lab.start(&lab.action("cat out", &slow));
    assert_eq!((seen.ending, seen.stage), (Ending::Timeout, Stage::Build));
    assert_eq!(lab.run("cat out", &[]), "whole\n");
    // A test that makes what it runs is the same.
    lab.build = None;
    let mut action = lab.action(&format!("{line}; cat out"), &slow);
    let invocation = Arc::make_mut(&mut action.invocation);
    invocation.timeout = Duration::from_secs(2);
    action.fresh = true;
    assert_eq!(lab.start(&action).ending, Ending::Timeout);
    assert_eq!(lab.run(&format!("{line}; cat out"), &[]), "whole\n");
}

#[test]
fn a_product_is_told_before_it_is_tested() {
    let mut lab = Lab::new(Sandbox::Auto, &[("a", "1"), ("b", "1")]);
    lab.build("cat a > out", &["out"]);
    let mut products = BTreeSet::new();
    for (entries, test) in [
        (vec![], true),
        (vec![("b", file("2"))], false),
        (vec![("a", file("2"))], true),
    ] {
        let action = lab.action("touch tested; cat out", &entries);
        lab.executor.start(0, &action).expect("a start");
        let Ok(Wakeup::Worker(0, ActionEvent::Built(product))) = lab.executor.wait(None) else {
            panic!("something is built");
        };
        assert_eq!(products.insert(product.clone()), test);
        if test {
            lab.executor.go_on(0);
        } else {
            lab.executor.cancel(0);
        }
        let Ok(Wakeup::Worker(0, ActionEvent::Done(seen, _))) = lab.executor.wait(None) else {
            panic!("it ends");
        };
        assert_eq!(seen.product, Some(product));
        let ending = if test {
            Ending::Exit(0)
        } else {
            Ending::Cancelled
        };
        assert_eq!(seen.ending, ending);
    }
    lab.build("true", &["nothing"]);
    assert_eq!(lab.run("cat a", &[]), "1", "no product, no question");
}

#[test]
fn a_program_that_a_tree_does_not_have_is_a_matter_of_that_tree() {
    let mut lab = Lab::new(Sandbox::Auto, &[("README", "")]);
    let mut action = lab.action("", &[("check", file("not executable"))]);
    let invocation = Invocation {
        program: "/no/such/check".into(),
        program_in_tree: Some("check".into()),
        ..(*action.invocation).clone()
    };
    action.invocation = Arc::new(invocation);
    assert_eq!(lab.start(&action).ending, Ending::Exit(126));
    action.candidate = Candidate::Tree(Default::default());
    assert_eq!(lab.start(&action).ending, Ending::Exit(127));
}

#[test]
fn the_files_that_build_and_test_read_are_told() {
    let files = [
        (
            "main.c",
            "#include \"used.h\"\nint main(void) { return X; }\n",
        ),
        ("used.h", "#define X 0\n"),
        ("unused.h", "#define Y 0\n"),
        ("doc/manual.txt", "read me\n"),
        ("test/data.txt", "data\n"),
        ("test/other.txt", "other\n"),
        ("empty", ""),
    ];
    for sandbox in [Sandbox::None, Sandbox::Auto, Sandbox::Full] {
        let mut lab = Lab::new(sandbox, &files);
        lab.build("gcc -o prog main.c", &["prog"]);
        let entries = [("added.txt", file("x")), ("used.h", file("#define X 4\n"))];
        let mut action = lab.action(
            "./prog; ls -l doc test; grep data test/data.txt added.txt",
            &entries,
        );
        (action.fresh, action.watch) = (true, true);
        let seen = lab.start(&action);
        let Some(read) = seen.read else {
            assert!(!access::keeps_times_of_access(lab.start.path()));
            continue;
        };
        let read: Vec<&str> = read.iter().map(String::as_str).collect();
        let expected = ["added.txt", "empty", "main.c", "test/data.txt", "used.h"];
        assert_eq!(read, expected, "{sandbox:?}");
        assert_eq!(lab.start(&lab.action("true", &[])).read, None, "not asked");
    }
}

#[test]
fn nothing_but_the_scratch_directory_is_written() {
    let mut lab = Lab::new(Sandbox::Auto, &[("a", "a"), ("sub/b", "b")]);
    let list = |base: &Path| {
        let mut seen = Vec::new();
        for path in ["", "a", "sub", "sub/b"] {
            let metadata = fs::metadata(base.join(path)).expect("still there");
            seen.push((metadata.modified().expect("a time"), metadata.len()));
        }
        seen
    };
    let before = list(&lab.base);
    lab.run("echo x > a; rm -rf sub; mkdir new", &[("a", file("b"))]);
    lab.run("true", &[]);
    assert_eq!(list(&lab.base), before);
}

/// Everything about a tree that a test could see: what is there, and the times that do not depend on when it was made.
const SHOW: &str = "find . -mindepth 1 ! -type d -printf '%y %m %n %p %l\\n' -o -mindepth 1 -printf '%y %m %p\\n' | LC_ALL=C sort
    find . -type f | LC_ALL=C sort | xargs cat
    stat -c %y run sub/b sub/deep/c
    echo \"$(stat -c %y a new/x | uniq | wc -l) time\"
    python3 -c 'import os
for path, _, names in os.walk(\".\"):
    for name in [\".\"] + names:
        at = os.path.join(path, name)
        assert not os.listxattr(at, follow_symlinks=False), at'";

/// Ways to change a tree, some of them hard to notice.
const HARMS: [&str; 24] = [
    "echo spoilt > a; echo spoilt > sub/b",
    "printf B > sub/b",
    "cp -p sub/b ../b.old; printf B > sub/b; touch -r ../b.old sub/b",
    "cp -p a ../a.old; printf MINE > a; touch -r ../a.old a",
    "touch -d 2001-01-01 sub/b a new/x",
    "rm -f a new/x sub/b",
    "rm -rf sub new",
    "rm -rf ./* ./.[!.]*",
    "chmod 777 run a; chmod 400 sub/b",
    "chmod 755 sub; chmod 700 new",
    "chmod 000 sub",
    "chmod g+s sub; touch sub/inherits",
    "ln a hard; ln sub/b sub/hard",
    "ln a ../hard; ln sub/b ../other; printf late > ../other",
    "ln -sf new/x link; rm a; ln -s run a",
    "mv sub ../moved; ln -s ../moved sub",
    "mv sub other; cp -a other sub",
    "mv a b; mv run a; mv b run",
    "rm a; mkdir a; touch a/x; rm -r new; touch new",
    "mkdir -p sub/more/and/more; touch sub/more/and/x .hidden; mkfifo pipe",
    "mount -t tmpfs none sub 2> /dev/null; touch sub/on-another",
    "python3 -c 'import os; os.setxattr(\"sub\", \"user.a\", b\"1\"); os.setxattr(\"sub/b\", \"user.a\", b\"1\")'",
    "chattr +i sub/b sub 2> /dev/null; true",
    "python3 -c 'import mmap, os
with open(\"sub/b\", \"r+b\") as f: mmap.mmap(f.fileno(), 1)[0:1] = b\"B\"
s = os.stat(\"sub/b\"); os.utime(\"sub/b\", ns=(s.st_atime_ns, 0))'",
];

#[test]
fn a_clean_tree_shows_nothing_of_what_tests_did_before() {
    for sandbox in [Sandbox::None, Sandbox::Auto, Sandbox::Full] {
        let files = [
            ("a", "a"),
            ("sub/b", "b"),
            ("sub/deep/c", "c"),
            ("run", "r"),
        ];
        let mut lab = Lab::new(sandbox, &files);
        symlink("a", lab.base.join("link")).expect("room");
        let entries = [("a", file("mine")), ("new/x", file("x"))];
        let right = lab.run_fresh(SHOW, &entries);
        assert!(right.ends_with("1 time\n"), "{sandbox:?}: {right}");
        for harm in HARMS {
            // Where a mount is everybody's, nobody could take it away again.
            if sandbox == Sandbox::None && harm.starts_with("mount") {
                continue;
            }
            lab.run(harm, &entries);
            assert_eq!(lab.run_fresh(SHOW, &entries), right, "{sandbox:?}: {harm}");
            lab.run_fresh(harm, &[]);
            assert_eq!(lab.run_fresh(SHOW, &entries), right, "{sandbox:?}: {harm}");
        }
        for harm in HARMS {
            if sandbox == Sandbox::None && harm.starts_with("mount") {
                continue;
            }
            // Several one after the other, with other candidates in between.
            lab.run(harm, &[("a", file("mine"))]);
        }
        assert_eq!(lab.run_fresh(SHOW, &entries), right, "{sandbox:?}");
        let base = fs::read_to_string(lab.base.join("sub/b"));
        assert_eq!(base.expect("still there"), "b");
    }
}

#[test]
fn a_clean_tree_has_the_times_of_a_new_one() {
    let mut lab = Lab::new(Sandbox::Auto, &[("a", "a"), ("b", "b"), ("c", "c")]);
    let times = "stat -c '%n %y' a b c";
    let new = lab.run_fresh(times, &[]);
    lab.run("true", &[("a", file("1")), ("b", file("1"))]);
    // Back to the base's content, with a new time; then once more something else.
    assert_ne!(lab.run(times, &[("b", file("1"))]), new);
    assert_eq!(lab.run_fresh(times, &[]), new);
    lab.run("true", &[("a", file("1"))]);
    lab.run("true", &[("a", file("1")), ("b", file("2"))]);
    let both = [("a", file("1")), ("b", file("2"))];
    let same = "test $(stat -c %y a) = $(stat -c %y b) && test a -nt c && echo same";
    let same = same.replace("%y", "%.9Y");
    assert_eq!(lab.run_fresh(&same, &both), "same\n");
}

#[test]
fn a_tree_that_a_test_has_moved_is_made_anew_with_all_of_the_candidate() {
    let mut lab = Lab::new(Sandbox::None, &[("a", "a"), ("b", "b")]);
    let entries = [("a", file("mine")), ("new", file("new"))];
    lab.run("true", &entries);
    lab.run("mv \"$PWD\" \"$PWD.moved\"", &entries);
    assert_eq!(lab.run("cat a b new", &entries), "minebnew");
}

#[test]
fn empty_directories_of_the_base_are_in_every_clean_tree() {
    let mut lab = Lab::new(Sandbox::Auto, &[("a", "a")]);
    fs::create_dir_all(lab.base.join("module/empty")).expect("room");
    let show = "find . -mindepth 1 | LC_ALL=C sort | tr '\\n' ' '";
    let all = "./a ./module ./module/empty ";
    assert_eq!(lab.run_fresh(show, &[]), all);
    let replaced = [("module", file("no longer a directory"))];
    assert_eq!(lab.run_fresh(show, &replaced), "./a ./module ");
    assert_eq!(lab.run_fresh(show, &[]), all);
    lab.run("rm -r module; touch module", &[]);
    assert_eq!(lab.run_fresh(show, &[]), all);
    let filled = [("module/empty/x", file("x"))];
    assert_eq!(
        lab.run(show, &filled),
        "./a ./module ./module/empty ./module/empty/x "
    );
    assert_eq!(lab.run_fresh(show, &[]), all);
}
