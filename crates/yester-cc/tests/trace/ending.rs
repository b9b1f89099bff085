//! However a program ends, what it did is recorded.

use std::io::Read;

use crate::laboratory::{Laboratory, Recording, signal};

#[test]
fn exit_in_the_middle_tells_its_status() {
    let laboratory = Laboratory::c(
        "#include <stdlib.h>\nstatic void stop(int n) { if (n > 0) exit(n); }\nint main(void) { stop(0); stop(7); return 1; }\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(
        recording.events(),
        [
            "main(", "stop(", "2:31-", ")stop", "stop(", "2:31+", "exit 7"
        ]
    );
}

#[test]
fn what_runs_at_exit_comes_behind_it() {
    let laboratory = Laboratory::c(
        "#include <stdlib.h>\nstatic void last(void) { }\nint main(void) { atexit(last); exit(0); }\n",
    );
    let (_, recording) = laboratory.record("program", &[]);
    assert_eq!(recording.events(), ["main(", "exit 0", "last(", ")last"]);
}

#[test]
fn aborts_and_assertions_are_told() {
    let laboratory = Laboratory::c(
        "#include <assert.h>\n#include <stdlib.h>\nint main(int n, char **v) { assert(n > 1); abort(); }\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(signal(&output), Some(6));
    assert_eq!(recording.events().last().map(String::as_str), Some("abort"));
    std::fs::remove_dir_all(laboratory.path("record")).expect("it is there");
    let (output, recording) = laboratory.record("program", &["x"]);
    assert_eq!(signal(&output), Some(6));
    assert_eq!(recording.events().len(), 3);
}

#[test]
fn a_crash_loses_nothing() {
    let laboratory = Laboratory::c(
        "static int read_at(int *p, int n) { if (n == 3) p = 0; return *p; }\nint main(void) { int x = 1, s = 0; for (int i = 0; ; i++) s += read_at(&x, i); return s; }\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(signal(&output), Some(11));
    let events = recording.events();
    assert_eq!(events.last().map(String::as_str), Some("1:41+"));
    assert_eq!(events.len(), 1 + 3 * 3 + 2);
}

#[test]
fn a_killed_program_leaves_its_trace() {
    let laboratory = Laboratory::c(
        "#include <unistd.h>\nint main(void) {\n  for (volatile long i = 0;; i++)\n    if (i == 1000000) write(1, \"x\", 1);\n}\n",
    );
    let mut child = laboratory
        .recorded("program", &[])
        .spawn()
        .expect("it starts");
    let mut byte = [0];
    child
        .stdout
        .as_mut()
        .expect("a pipe")
        .read_exact(&mut byte)
        .expect("it has come so far");
    child.kill().expect("it runs");
    child.wait().expect("it is gone");
    let events = Recording::read(&laboratory.path("record/0")).events();
    assert!(events.len() >= 1_000_002, "{}", events.len());
    assert!(events[1..1_000_001].iter().all(|event| event == "4:9-"));
    assert_eq!(events[1_000_001], "4:9+");
}

#[test]
fn an_endless_loop_has_dependences() {
    let laboratory = Laboratory::c(
        "#include <stdlib.h>\nint main(int n, char **v) {\n  for (;;) {\n    if (n == 1)\n      exit(0);\n    if (n == 2)\n      n--;\n  }\n}\n",
    );
    let (_, recording) = laboratory.record("program", &[]);
    let sites = &recording.function("main").sites;
    assert_eq!(sites.len(), 3);
    // Whoever leaves the loop leaves it there.
    assert_eq!(recording.function("main").calls(), ["5:7 "]);
    assert!(
        sites[2].dependence.split(',').any(|way| way == "0:0"),
        "{}",
        sites[2].dependence
    );
}

#[test]
fn a_program_that_does_not_record_does_what_it_did() {
    let text = "#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\nstatic int depth(int n) { return n ? depth(n - 1) + 1 : 0; }\nint main(int argc, char **argv) {\n  errno = 5;\n  int d = depth(100);\n  printf(\"%d %d %d\\n\", errno, d, argc);\n  for (int fd = 3; fd < 1024; fd++) if (fcntl_open(fd)) printf(\"open %d\\n\", fd);\n  return 9;\n}\n".replace("int main(", "#include <fcntl.h>\nstatic int fcntl_open(int fd) { return fcntl(fd, F_GETFD) != -1; }\nint main(");
    let laboratory = Laboratory::c(&text);
    laboratory.compile("clang-19", &["-w", "program.c", "-o", "native"]);
    let native = laboratory.call("./native", &["a"]);
    let instrumented = laboratory.call("./program", &["a"]);
    assert_eq!(native, instrumented);
    assert!(!laboratory.path("record").exists());
    // Recording keeps errno, too; of the descriptors only those that a program would not think of are open.
    let (recorded, _) = laboratory.record("program", &["a"]);
    assert!(recorded.stdout.starts_with(&native.stdout));
    assert_eq!(recorded.status, native.status);
}

#[test]
fn a_place_that_cannot_be_written_is_a_complaint_and_no_more() {
    let laboratory =
        Laboratory::c("#include <stdio.h>\nint main(void) { puts(\"here\"); return 4; }\n");
    let output = laboratory
        .recorded("program", &[])
        .env("YESTER_RECORD", "/proc/nowhere/at/all")
        .output()
        .expect("it starts");
    assert_eq!(output.stdout, b"here\n");
    assert_eq!(output.status.code(), Some(4));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        text,
        "yester: cannot record: /proc/nowhere/at/all cannot be written\n"
    );
}
