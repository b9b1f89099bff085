//! Code that runs only because yester makes it run, and what it may not do. Every harmful act is on throwaway files.

#[path = "../called.rs"]
mod called;
mod case;
mod injection;
mod program_case;
mod sample;

use std::fs;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;

use called::{Called, yester};
use sample::{fail_some_calls, kill_at_some_calls};
use tempfile::TempDir;

/// Deletes, writes and moves what it is told by its environment, on a branch that the user's runs never take.
const RESET: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void reset(const char *precious) {
    char name[4096];
    snprintf(name, sizeof name, "%s/file", precious);
    unlink(name);
    FILE *file = fopen(name, "w");
    if (file) fclose(file);
    snprintf(name, sizeof name, "rm -rf %s; touch %s.new", precious, precious);
    system(name);
}

int main(int count, char **words) {
    const char *precious = getenv("PRECIOUS");
    int wants_reset = 0;
    if (count > 8) wants_reset = 1;
    if (wants_reset) reset(precious);
    if (strcmp(words[1], "wipe") == 0) reset(precious);
    int number = atoi(words[2]);
    if (number > LIMIT) number = number + 1;
    printf("%d\n", number);
    return 0;
}
"#;

/// A directory with the program, and throwaway files in different places.
struct Place {
    directory: TempDir,
    /// Where a home would be.
    home: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place {
            directory: TempDir::new().expect("room"),
            // Not below the temporary directory, which runs of ours do not see at all.
            home: TempDir::new_in("/var/tmp").expect("room"),
        };
        fs::create_dir(place.precious()).expect("room");
        fs::write(place.precious().join("file"), "mine").expect("room");
        for (name, limit) in [("old.c", "50"), ("new.c", "10")] {
            let path = place.directory.path().join(name);
            fs::write(path, RESET.replace("LIMIT", limit)).expect("room");
        }
        fs::write(place.directory.path().join("expected"), "20\n").expect("room");
        place
    }

    fn precious(&self) -> PathBuf {
        self.home.path().join("precious")
    }

    fn call(&self, words: &[&str]) -> Called {
        let output = Command::new(yester())
            .args(words)
            .current_dir(self.directory.path())
            .env("PRECIOUS", self.precious())
            .output();
        output.expect("yester starts").into()
    }

    fn is_unharmed(&self) -> bool {
        let file = fs::read(self.precious().join("file"));
        file.is_ok_and(|content| content == b"mine")
            && !Path::new(&format!("{}.new", self.precious().display())).exists()
    }
}

const FLIP: &[&str] = &[
    "flip", "--json", "new.c", "--expect", "expected", "--", "{}", "keep", "20",
];
const EXPLAIN: &[&str] = &[
    "explain", "--json", "old.c", "new.c", "--", "{}", "keep", "20",
];

#[test]
fn a_branch_that_flip_turns_deletes_nothing() {
    let place = Place::new();
    let result = place.call(FLIP).result();
    assert!(place.is_unharmed());
    let notes = result["notes"].to_string();
    assert!(notes.contains("tried to change"), "{notes}");
    assert!(notes.contains("precious"), "{notes}");
}

#[test]
fn an_input_that_explain_makes_deletes_nothing() {
    let place = Place::new();
    place.call(EXPLAIN).result();
    assert!(place.is_unharmed());
}

#[test]
fn a_branch_that_explain_turns_deletes_nothing() {
    let place = Place::new();
    let mut words = EXPLAIN.to_vec();
    words.splice(1..1, ["--by", "interventions"]);
    place.call(&words).result();
    assert!(place.is_unharmed());
}

#[test]
fn an_input_that_trace_makes_deletes_nothing() {
    let place = Place::new();
    let compiler = env!("CARGO_BIN_EXE_yester-cc");
    let built = Command::new(compiler)
        .args(["-g", "-o", "program", "new.c"])
        .current_dir(place.directory.path())
        .status();
    assert!(built.expect("it starts").success());
    let negate = |index: usize| {
        let index = index.to_string();
        place.call(&[
            "trace",
            "--symbolic",
            "arg:1",
            "--negate",
            &index,
            "-o",
            "other",
            "--",
            "./program",
            "wipf",
            "20",
        ])
    };
    let is_wipe = |_: &Called| {
        let other = fs::read(place.directory.path().join("other"));
        other.is_ok_and(|content| content == b"wipe")
    };
    let found = (0..10).map(negate).any(|called| is_wipe(&called));
    assert!(found, "no constraint leads to the branch that deletes");
    assert!(place.is_unharmed());
}

/// Whoever does not trust a version does not trust its build either.
#[test]
fn a_build_in_the_full_sandbox_changes_nothing_but_its_tree() {
    const BUILD: &str =
        "echo x > \"$PRECIOUS/file\"; touch \"$PRECIOUS.new\"; $CC -g -o app app.c && test -w .";
    let place = Place::new();
    for (version, source) in [("old", "old.c"), ("new", "new.c")] {
        let tree = place.directory.path().join(version);
        fs::create_dir(&tree).expect("room");
        fs::copy(place.directory.path().join(source), tree.join("app.c")).expect("room");
    }
    let full = ["--json", "--sandbox", "full"];
    let flip = ["flip", "new", "--expect", "expected", "--build", BUILD];
    let explain = ["explain", "old", "new", "--build", BUILD];
    for words in [&flip[..], &explain] {
        let test = ["--", "./app", "keep", "20"];
        let called = place.call(&[words, &full, &test].concat());
        assert!(place.is_unharmed(), "{words:?}");
        assert_eq!(called.code, Some(0), "{}", called.stderr);
    }
    // The compiler that yester calls itself is contained too, and finds what it needs.
    for words in [FLIP, EXPLAIN] {
        let mut words = words.to_vec();
        words.splice(1..1, ["--sandbox", "full"]);
        place.call(&words).result();
        assert!(place.is_unharmed());
    }
}

/// The runs above would do harm, and whoever wants that gets it.
#[test]
fn whoever_allows_writes_gets_them() {
    for (words, more) in [
        (FLIP, &[][..]),
        (EXPLAIN, &[]),
        (EXPLAIN, &["--by", "interventions"]),
    ] {
        let place = Place::new();
        let mut words = words.to_vec();
        words.splice(1..1, more.iter().copied().chain(["--allow-writes"]));
        place.call(&words);
        assert!(!place.is_unharmed(), "{words:?}");
    }
}

/// An intervention may make an argument of `kill` -1, or a branch stop or kill the parent.
#[test]
fn a_signal_of_an_intervention_reaches_only_its_own_run() {
    const KILLS: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>
int main(int count, char **words) {
    int everybody = 0;
    if (everybody) kill(-1, SIGKILL);
    int parent = 0;
    if (parent) kill(getppid(), SIGSTOP);
    int group = 0;
    if (group) kill(0, SIGSTOP);
    int tracer = 0;
    if (tracer) ptrace(PTRACE_ATTACH, getppid(), 0, 0);
    int crowd = 0;
    if (crowd) for (int one = 0; one < 12; one++) fork();
    int number = atoi(words[1]);
    if (number > 10) number = number + 1;
    printf("%d\n", number);
    return 0;
}
"#;
    let place = Place::new();
    fs::write(place.directory.path().join("kills.c"), KILLS).expect("room");
    let mut bystander = Command::new("sleep")
        .arg("1000")
        .spawn()
        .expect("it starts");
    let called = place.call(&[
        "flip",
        "--json",
        "kills.c",
        "--expect",
        "expected",
        "--max-time",
        "300s",
        "--",
        "{}",
        "20",
    ]);
    let is_alive = bystander.try_wait().expect("it is ours").is_none();
    bystander.kill().expect("it is ours");
    bystander.wait().expect("it is ours");
    assert!(is_alive);
    // Had an intervention ended or stopped the others, those of the guilty line would be missing.
    let result = called.result();
    let lines = result["places"].as_array().expect("a list").iter();
    let lines: Vec<&serde_json::Value> = lines.map(|place| &place["line"]).collect();
    assert!(lines.iter().any(|line| **line == 19), "{lines:?}");
}

/// The kernel signals whoever is said to own a descriptor, and a program is traced by its parent if it asks for that.
#[test]
fn an_intervention_makes_nobody_else_stop_its_server() {
    const ASKS: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <unistd.h>
static void ask(int owner, int signal) {
    int ends[2];
    pipe(ends);
    fcntl(ends[0], F_SETOWN, owner);
    ioctl(ends[0], 0x8901 /* FIOSETOWN */, &owner);
    struct f_owner_ex other = {F_OWNER_PID, owner};
    fcntl(ends[0], F_SETOWN_EX, &other);
    fcntl(ends[0], F_SETSIG, signal);
    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    write(ends[1], "x", 1);
}
static void be_traced(void) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGTRAP);
}
int main(int count, char **words) {
    int stopper = 0;
    if (stopper) ask(getppid(), SIGSTOP);
    int killer = 0;
    if (killer) ask(getppid(), SIGKILL);
    int traced = 0;
    if (traced) be_traced();
    int number = atoi(words[1]);
    if (number > 10) number = number + 1;
    printf("%d\n", number);
    return 0;
}
"#;
    let place = Place::new();
    fs::write(place.directory.path().join("asks.c"), ASKS).expect("room");
    let words = ["flip", "--json", "asks.c", "--expect", "expected"];
    let called = place.call(&[&words[..], &["--max-time", "300s", "--", "{}", "20"]].concat());
    // Had the server ended or stopped, those of the guilty line would be missing.
    let result = called.result();
    let lines = result["places"].as_array().expect("a list").iter();
    let lines: Vec<&serde_json::Value> = lines.map(|place| &place["line"]).collect();
    assert!(lines.iter().any(|line| **line == 33), "{lines:?}");
}

#[test]
fn a_system_call_that_fails_while_versions_are_compared() {
    fail_some_calls(&program_case::EXPLAIN, &yester(), 1);
}

#[test]
fn a_system_call_that_fails_during_an_intervention() {
    fail_some_calls(&program_case::FLIP, &yester(), 0);
}

#[test]
fn what_is_killed_while_it_runs_programs_leaves_nothing_behind() {
    for case in [&program_case::EXPLAIN, &program_case::FLIP] {
        kill_at_some_calls(case, &yester(), 3);
    }
}

/// Runs a script of the shell in which everybody is root of a machine of their own.
fn as_root_of_nothing(place: &Place, script: &str) -> Called {
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(yester())
        .args(FLIP)
        .current_dir(place.directory.path())
        .env("PRECIOUS", place.precious())
        .output();
    output.expect("scripts/setup tests installs unshare").into()
}

#[test]
fn without_namespaces_no_intervention_is_tried_unless_the_user_takes_the_risk() {
    let place = Place::new();
    let forbid = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$0\" \"$@\"";
    let called = as_root_of_nothing(&place, forbid);
    assert_eq!(called.code, Some(2), "{}", called.stderr);
    assert!(
        called.stderr.contains("--allow-writes"),
        "{}",
        called.stderr
    );
    assert!(place.is_unharmed());
    let allow = "echo 0 > /proc/sys/user/max_user_namespaces; shift; exec \"$0\" flip --allow-writes \"$@\"";
    as_root_of_nothing(&place, allow).result();
}

#[test]
fn a_full_temporary_directory_is_called_full() {
    let place = Place::new();
    let full = "mkdir small && mount -t tmpfs -o size=1m none small && TMPDIR=$PWD/small exec \"$0\" \"$@\"";
    let called = as_root_of_nothing(&place, full);
    assert_eq!(called.code, Some(3), "{}", called.stderr);
    assert!(called.stderr.contains("no space left"), "{}", called.stderr);
    assert!(called.stderr.contains("TMPDIR"), "{}", called.stderr);
}

/// Services of the user have sockets that are files, and no mount keeps a program from connecting to them.
#[test]
fn an_intervention_reaches_no_service() {
    const CONNECTS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
int main(int count, char **words) {
    int wanted = 0;
    if (wanted) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        strncpy(address.sun_path, getenv("PRECIOUS"), sizeof address.sun_path - 12);
        strcat(address.sun_path, ".sock");
        connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address);
        strcpy(strrchr(address.sun_path, '.'), ".datagram");
        // Raw local sockets are datagram sockets.
        int types[] = {SOCK_DGRAM, SOCK_RAW};
        for (int index = 0; index < 2; index++) {
            int pair[2];
            if (socketpair(AF_UNIX, types[index], 0, pair)) continue;
            sendto(pair[0], "x", 1, 0, (struct sockaddr *)&address, sizeof address);
        }
    }
    int number = atoi(words[1]);
    if (number > 10) number = number + 1;
    printf("%d\n", number);
    return 0;
}
"#;
    let place = Place::new();
    fs::write(place.directory.path().join("connects.c"), CONNECTS).expect("room");
    // The path of a socket is short, and a private /tmp would hide it.
    let home = TempDir::new_in("/var/tmp").expect("room");
    let listener = UnixListener::bind(home.path().join("p.sock")).expect("a socket");
    listener.set_nonblocking(true).expect("a flag");
    let letterbox = UnixDatagram::bind(home.path().join("p.datagram")).expect("a socket");
    letterbox.set_nonblocking(true).expect("a flag");
    let call = |more: &[&str]| {
        let words = [
            &["flip", "--json"],
            more,
            &["connects.c", "--expect", "expected", "--", "{}", "20"],
        ];
        let output = Command::new(yester())
            .args(words.concat())
            .current_dir(place.directory.path())
            .env("PRECIOUS", home.path().join("p"))
            .output();
        Called::from(output.expect("yester starts")).result()
    };
    call(&[]);
    assert!(listener.accept().is_err(), "somebody has connected");
    assert!(letterbox.recv(&mut [0]).is_err(), "somebody has written");
    call(&["--allow-writes"]);
    listener.accept().expect("whoever allows it gets it");
    letterbox.recv(&mut [0]).expect("whoever allows it gets it");
}

/// What a run leaves is kept below `.yester`. So it must not lead to files of the user, which would be kept too, or deleted.
#[test]
fn an_intervention_makes_yester_keep_nothing_of_the_user() {
    const LEADS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
    int wanted = 0;
    if (wanted) {
        char own[4096], line[9000];
        const char *place = getenv("YESTER_INTERVENE_RESULTS");
        if (!place) place = getenv("YESTER_INTERVENE");
        strcpy(own, place);
        *strrchr(own, '/') = 0;
        snprintf(line, sizeof line, "rm -rf '%s'; ln -s \"$PRECIOUS\" '%s'", own, own);
        system(line);
    }
    int number = atoi(words[1]);
    if (number > 10) number = number + 1;
    printf("%d\n", number);
    return 0;
}
"#;
    let place = Place::new();
    fs::write(place.directory.path().join("leads.c"), LEADS).expect("room");
    // Moved from the first, and copied from the second, which is another file system.
    for temporary in ["/var/tmp", "/dev/shm"] {
        let temporary = TempDir::new_in(temporary).expect("room");
        let output = Command::new(yester())
            .args(["flip", "--fresh", "leads.c", "--expect", "expected"])
            .args(["--", "{}", "20"])
            .current_dir(place.directory.path())
            .env("PRECIOUS", place.precious())
            .env("TMPDIR", temporary.path())
            .output();
        let called = Called::from(output.expect("yester starts"));
        assert!(!called.stderr.contains("failed to"), "{}", called.stderr);
        assert!(place.is_unharmed());
        let mut directories = vec![place.directory.path().join(".yester")];
        let mut files = 0;
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).expect("it is there").flatten() {
                let (kind, path) = (entry.file_type().expect("a kind"), entry.path());
                assert!(!kind.is_symlink(), "{}", path.display());
                if kind.is_dir() {
                    directories.push(path);
                } else if kind.is_file() {
                    files += 1;
                    assert_ne!(
                        fs::read(&path).expect("a file"),
                        b"mine",
                        "{}",
                        path.display()
                    );
                }
            }
        }
        assert!(files > 0);
    }
}

#[test]
fn a_program_that_needs_what_the_guard_hides_is_told_of() {
    const READS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    int number;
    FILE *file = fopen(getenv("CONFIG"), "r");
    if (!file) return 3;
    fscanf(file, "%d", &number);
    if (number > 10) number = number + 1;
    printf("%d\n", number);
    return 0;
}
"#;
    let place = Place::new();
    fs::write(place.directory.path().join("reads.c"), READS).expect("room");
    let config = tempfile::NamedTempFile::new().expect("room");
    fs::write(config.path(), "20").expect("room");
    let output = Command::new(yester())
        .args([
            "flip", "--json", "reads.c", "--expect", "expected", "--", "{}",
        ])
        .current_dir(place.directory.path())
        .env("CONFIG", config.path())
        .output();
    let called = Called::from(output.expect("yester starts"));
    assert!(
        called
            .stdout
            .contains("does something else where your files are read-only")
    );
}

/// The sandbox replaces such a directory, and what was built lies in it, too.
#[test]
fn whoever_stands_in_a_directory_that_the_guard_replaces_gets_the_answer() {
    let place = Place::new();
    let name = |name: &str| place.directory.path().join(name).into_os_string();
    let output = Command::new(yester())
        .args(["flip", "--json"])
        .arg(name("new.c"))
        .arg("--expect")
        .arg(name("expected"))
        .args(["--", "{}", "keep", "20"])
        .current_dir("/tmp")
        .env("PRECIOUS", place.precious())
        .output();
    Called::from(output.expect("yester starts")).result();
    assert!(place.is_unharmed());
}
