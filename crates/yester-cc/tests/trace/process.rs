//! Programs of more than one process, and of more than one file.

use crate::laboratory::{CC, Laboratory};

#[test]
fn a_child_goes_on_with_a_copy() {
    let laboratory = Laboratory::c(
        "#include <sys/wait.h>\n#include <unistd.h>\nstatic void child(void) { }\nstatic void parent(void) { }\nint main(void) {\n  int n = 0;\n  for (int i = 0; i < 100000; i++) n += i & 1;\n  if (fork() == 0) { child(); _exit(3); }\n  parent();\n  int status;\n  wait(&status);\n  return WEXITSTATUS(status) - 3;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.status.code(), Some(0));
    let events = recording.events();
    assert_eq!(
        events[events.len() - 4..],
        ["8:7-", "parent(", ")parent", ")main"]
    );
    let others = laboratory.others();
    assert_eq!(others.len(), 1);
    let (name, child) = others.iter().next().expect("one");
    assert_eq!(*name, child.head[1].to_string());
    assert_eq!(child.head[2], recording.head[1]);
    let told = child.events();
    assert_eq!(
        told[told.len() - 4..],
        ["8:7+", "child(", ")child", "exit 3"]
    );
    assert_eq!(told[..told.len() - 4], events[..events.len() - 4]);
}

#[test]
fn what_is_executed_next_does_not_touch_what_is_recorded() {
    let laboratory = Laboratory::c(
        "#include <stdlib.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n  if (argc < 3) { execl(argv[0], argv[0], \"a\", argc > 1 ? \"b\" : (char *)0, (char *)0); abort(); }\n  return 0;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert!(output.status.success());
    assert_eq!(recording.events(), ["main(", "4:7+", "4:48-"]);
    let process = recording.head[1].to_string();
    let others = laboratory.others();
    let names: Vec<&String> = others.keys().collect();
    assert_eq!(names, [&process, &format!("{process}.1")]);
    assert_eq!(others[&process].events(), ["main(", "4:7+", "4:48+"]);
    assert_eq!(
        others[&format!("{process}.1")].events(),
        ["main(", "4:7-", ")main"]
    );
}

#[test]
fn vfork_leaves_the_parents_trace_to_the_parent() {
    let laboratory = Laboratory::c(
        "#include <sys/wait.h>\n#include <unistd.h>\nstatic void child(void) { execl(\"/bin/true\", \"true\", (char *)0); _exit(1); }\nint main(void) {\n  int status;\n  if (vfork() == 0)\n    child();\n  wait(&status);\n  return status != 0;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(recording.events(), ["main(", "land main", "6:7-", ")main"]);
}

#[test]
fn closed_descriptors_and_another_root_stop_nothing() {
    let laboratory = Laboratory::c(
        "#define _GNU_SOURCE\n#include <sys/wait.h>\n#include <unistd.h>\nstatic int odd(int n) { return n & 1; }\nint main(void) {\n  int n = 0;\n  for (int fd = 3; fd < 70000; fd++) close(fd);\n  if (fork() == 0) { if (odd(3)) _exit(0); }\n  wait(0);\n  if (chroot(\"/proc\") != 0) return 0;\n  for (int i = 0; i < 400000; i++) n += odd(i);\n  if (fork() == 0) { if (odd(5)) _exit(0); }\n  wait(0);\n  return n == 0;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(recording.events().last().map(String::as_str), Some(")main"));
    // The second child has nowhere to write to.
    let others = laboratory.others();
    assert_eq!(others.len(), 1);
    let child = others.values().next().expect("one");
    assert_eq!(child.events().last().map(String::as_str), Some("exit 0"));
}

#[test]
fn a_shared_object_shares_the_runtime() {
    let laboratory = Laboratory::new();
    laboratory
        .write("part.c", "int part(int n) { if (n > 1) return n; return -n; }\n")
        .write("part.map", "{ global: part; local: *; };\n")
        .write("named.map", "PART_1 { global: part; local: *; };\n")
        .write("late.c", "int late(int n) { return n == 4 ? 0 : 1; }\n")
        .write("program.c", "#include <dlfcn.h>\nint part(int);\nint main(void) {\n  void *late = dlopen(\"./liblate.so\", RTLD_NOW | RTLD_LOCAL);\n  int (*call)(int) = (int (*)(int))dlsym(late, \"late\");\n  return call(part(4));\n}\n");
    for script in [
        "",
        "-Wl,--version-script=part.map",
        "-Wl,--version-script,named.map",
    ] {
        let mut words = vec!["-shared", "-fPIC", "part.c", "-o", "libpart.so"];
        words.extend((!script.is_empty()).then_some(script));
        laboratory
            .compile(CC, &words)
            .compile(
                CC,
                &[
                    "-shared",
                    "-fPIC",
                    "-Wl,-z,defs",
                    "late.c",
                    "-o",
                    "liblate.so",
                ],
            )
            .compile(
                CC,
                &[
                    "program.c",
                    "-L.",
                    "-lpart",
                    "-Wl,-rpath,$ORIGIN",
                    "-ldl",
                    "-o",
                    "program",
                ],
            );
        let (output, recording) = laboratory.record("program", &[]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(
            recording.events(),
            [
                "main(", "part(", "1:23+", ")part", "late(", "1:26+", ")late", ")main"
            ],
            "{script}"
        );
        assert!(laboratory.others().is_empty());
        std::fs::remove_dir_all(laboratory.path("record")).expect("it is there");
    }
}

#[test]
fn a_program_that_is_not_instrumented_can_load_an_object_that_is() {
    let laboratory = Laboratory::new();
    laboratory
        .write("late.c", "int late(int n) { return n == 4 ? 0 : 1; }\n")
        .write("program.c", "#include <dlfcn.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/wait.h>\nint main(void) {\n  setenv(\"GROWN\", \"1\", 1);\n  void *late = dlopen(\"./liblate.so\", RTLD_NOW);\n  int result = ((int (*)(int))dlsym(late, \"late\"))(4);\n  dlclose(late);\n  if (fork() == 0) _exit(0);\n  wait(0);\n  return result;\n}\n")
        .compile(CC, &["-shared", "-fPIC", "late.c", "-o", "liblate.so"])
        .compile("clang-19", &["program.c", "-o", "program", "-ldl"]);
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(recording.events(), ["late(", "1:26+", ")late"]);
}

#[test]
fn static_programs_record_too() {
    let laboratory = Laboratory::new();
    laboratory
        .write("program.c", "#include <unistd.h>\n#include <sys/wait.h>\nint main(void) { if (fork() == 0) return 1; wait(0); return 0; }\n")
        .compile(CC, &["-static", "program.c", "-o", "program"]);
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(recording.events(), ["main(", "3:22-", ")main"]);
    assert_eq!(laboratory.others().len(), 1);
}
