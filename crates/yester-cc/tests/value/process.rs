//! Values of programs that crash, fork, have threads or run for long.

use std::os::unix::process::ExitStatusExt;

use yester_path::{Evaluator, EventKind, Recording, SiteKind, ValueEvent};

use crate::laboratory::{Build, CC, Laboratory, tell, told};

/// The lines of events and values as they happened, those of values with an equals sign.
fn interleaved(recording: &Recording) -> Vec<String> {
    let mut found = Vec::new();
    let mut values = recording.value_events(0).expect("values").peekable();
    for event in recording.events(0).expect("events") {
        let event = event.expect("an event");
        while let Some(value) = values.next_if(|value| value.event <= event.offset) {
            found.push(tell(recording, &value));
        }
        match event.kind {
            EventKind::Branch {
                function,
                site,
                outcome,
            } => {
                let function = recording.sites.function(function).expect("it is known");
                let site = &function.sites[site as usize];
                found.push(format!("{} {}", site.line, site.outcome(outcome)));
            }
            EventKind::Enter { function } => {
                let function = recording.sites.function(function).expect("it is known");
                found.push(format!("enter {}", function.name));
            }
            _ => {}
        }
    }
    found.extend(values.map(|value| tell(recording, &value)));
    found
}

#[test]
fn values_and_branches_interleave_as_they_happened() {
    let text = "static int twice(int n) {\n  if (n > 1)\n    return 2 * n;\n  return n;\n}\nint main(void) {\n  int s = 0;\n  for (int i = 1; i < 3; i++)\n    s += twice(i);\n  return s != 5;\n}\n";
    for build in [Build::Trace, Build::Symbolic] {
        let laboratory = Laboratory::c(text, build);
        assert!(laboratory.run("").status.success());
        assert_eq!(
            interleaved(&laboratory.recordings()[0]),
            [
                "enter main",
                "7 s = 0",
                "8 i = 1",
                "8 true",
                "9 argument 1 of twice = 1",
                "enter twice",
                "2 false",
                "4 result of twice = 1",
                "9 s = 1",
                "8 i = 2",
                "8 true",
                "9 argument 1 of twice = 2",
                "enter twice",
                "2 true",
                "3 result of twice = 4",
                "9 s = 5",
                "8 i = 3",
                "8 false",
                "10 result of main = 0",
            ]
        );
    }
}

#[test]
fn sites_of_values_know_what_they_depend_on_and_what_follows() {
    let text = "int main(int argc, char **argv) {\n  int x = 1;\n  if (argc > 1) {\n    x = 2;\n    x = 3;\n  }\n  return x;\n}\n";
    let laboratory = Laboratory::c(text, Build::Trace);
    laboratory.run("");
    let recording = &laboratory.recordings()[0];
    let main = &recording.sites.functions()[0];
    let branch = main
        .sites
        .iter()
        .position(|site| site.kind == SiteKind::Branch);
    let branch = branch.expect("a branch") as u32;
    for site in &main.sites {
        let SiteKind::Value { name, .. } = &site.kind else {
            // What a branch says about others is about sites with events: there are none behind it.
            assert_eq!(site.successors, [[0; 0], [0; 0]]);
            continue;
        };
        let inside = site.line == 4 || site.line == 5;
        let dependence = site.dependence.iter();
        let dependence: Vec<_> = dependence.map(|one| (one.site, one.outcome)).collect();
        let expected = if inside {
            vec![(branch, 1)]
        } else {
            Vec::new()
        };
        assert_eq!(dependence, expected, "{name} at line {}", site.line);
        let next = if site.line == 2 { Some(branch) } else { None };
        assert_eq!(site.post_dominator, next, "{name} at line {}", site.line);
    }
}

#[test]
fn a_crash_keeps_what_was_assigned_before() {
    let text =
        "int main(void) {\n  int *p = 0;\n  int n = 4;\n  *p = n;\n  n = 5;\n  return n;\n}\n";
    for build in [Build::Trace, Build::Symbolic] {
        let laboratory = Laboratory::c(text, build);
        assert_eq!(laboratory.run("").status.signal(), Some(11));
        let told = told(&laboratory.recordings()[0], 0);
        assert_eq!(told, ["2 p = null", "3 n = 4", "4 *p = 4"]);
    }
}

#[test]
fn a_killed_program_keeps_what_was_assigned_before() {
    let text = "#include <signal.h>\nint main(void) {\n  volatile int n = 0;\n  while (n < 100000)\n    n++;\n  raise(SIGKILL);\n  n = 7;\n  return 0;\n}\n";
    let laboratory = Laboratory::c(text, Build::Trace);
    assert_eq!(laboratory.run("").status.signal(), Some(9));
    let told = told(&laboratory.recordings()[0], 0);
    assert_eq!(told.len(), 100_002);
    assert_eq!(
        told[100_000..],
        ["5 n = 100000", "6 argument 1 of raise = 9"]
    );
}

#[test]
fn a_child_goes_on_with_a_copy_of_the_values() {
    let text = "#include <sys/wait.h>\n#include <unistd.h>\nint main(void) {\n  int n = 1;\n  if (fork() == 0) {\n    n = 2;\n    _exit(0);\n  }\n  wait(0);\n  n = 3;\n  return 0;\n}\n";
    for build in [Build::Trace, Build::Symbolic] {
        let laboratory = Laboratory::c(text, build);
        assert!(laboratory.run("").status.success());
        let told: Vec<Vec<String>> = laboratory
            .recordings()
            .iter()
            .map(|recording| told(recording, 0))
            .collect();
        assert_eq!(
            told,
            [
                vec![
                    "4 n = 1",
                    "9 argument 1 of wait = null",
                    "10 n = 3",
                    "11 result of main = 0"
                ],
                vec!["4 n = 1", "6 n = 2", "7 argument 1 of _exit = 0"],
            ]
        );
    }
}

#[test]
fn vfork_leaves_the_values_of_the_parent_to_the_parent() {
    let text = "#include <sys/wait.h>\n#include <unistd.h>\nstatic void child(int n) { n = 5; _exit(n - 5); }\nint main(void) {\n  int n = 1;\n  if (vfork() == 0)\n    child(n);\n  n = 2;\n  return 0;\n}\n";
    let laboratory = Laboratory::c(text, Build::Trace);
    assert!(laboratory.run("").status.success());
    let told = told(&laboratory.recordings()[0], 0);
    assert_eq!(told, ["5 n = 1", "8 n = 2", "9 result of main = 0"]);
}

#[test]
fn each_thread_has_its_own_values() {
    let text = "#include <pthread.h>\nstatic void *work(void *number) {\n  long own = (long)number;\n  for (int i = 0; i < 20000; i++)\n    own += 2;\n  return 0;\n}\nint main(void) {\n  pthread_t one, two;\n  pthread_create(&one, 0, work, (void *)1);\n  pthread_create(&two, 0, work, (void *)2);\n  pthread_join(one, 0);\n  pthread_join(two, 0);\n  return 0;\n}\n";
    let laboratory = Laboratory::c(text, Build::Trace);
    assert!(laboratory.run("").status.success());
    let recording = &laboratory.recordings()[0];
    assert_eq!(recording.streams(), 3);
    let mut first: Vec<String> = Vec::new();
    for stream in 1..3 {
        let told = told(recording, stream);
        assert_eq!(told.len(), 40_003, "{:?}", &told[..5]);
        first.push(told[0].clone());
    }
    first.sort();
    assert_eq!(first, ["3 own = 1", "3 own = 2"]);
    assert!(!recording.values_cut);
}

#[test]
fn ten_million_assignments_are_cut_and_no_error() {
    let text = "int main(void) {\n  volatile int n = 0;\n  for (int i = 0; i < 10000000; i++)\n    n = i;\n  return 0;\n}\n";
    let laboratory = Laboratory::c(text, Build::Trace);
    assert!(laboratory.run("").status.success());
    let recording = &laboratory.recordings()[0];
    assert!(recording.values_cut && !recording.cut);
    // Records of 24 bytes fill 64 MB.
    let values = recording.value_events(0).expect("values");
    let (mut count, mut last) = (0, None);
    for value in values {
        (count, last) = (count + 1, Some(value));
    }
    assert_eq!(count, (64 << 20) / 24);
    // Two for each round, after the two before the loop.
    let last = tell(recording, &last.expect("a value"));
    assert_eq!(last, format!("3 i = {}", count / 2 - 1));
}

#[test]
fn values_end_with_the_events() {
    let text = "int main(void) {\n  volatile int n = 0;\n  for (int i = 0; i < 1000000; i++)\n    n = i;\n  return 0;\n}\n";
    let laboratory = Laboratory::c(text, Build::Trace);
    let output = laboratory
        .command()
        .env("YESTER_RECORD_LIMIT", "1000")
        .output();
    assert!(output.expect("it starts").status.success());
    let recording = &laboratory.recordings()[0];
    assert!(recording.values_cut && recording.cut);
    let last = recording.value_events(0).expect("values").last();
    let last = last.expect("a value").event;
    assert!((990..=1010).contains(&last), "{last}");
}

#[test]
fn a_signal_handler_loses_no_value_of_what_it_interrupts() {
    let text = "#include <signal.h>\n#include <stdio.h>\nstatic volatile int seen;\nstatic void handler(int number) {\n  seen = number;\n}\nint main(void) {\n  int c = getchar();\n  signal(SIGUSR1, handler);\n  int n = c + 1;\n  raise(SIGUSR1);\n  n = c + 2;\n  return seen != SIGUSR1;\n}\n";
    let laboratory = Laboratory::c(text, Build::Symbolic);
    assert!(laboratory.run("a").status.success());
    assert_eq!(
        told(&laboratory.recordings()[0], 0),
        [
            "8 c = 97: stdin[0]",
            "9 argument 1 of signal = 10",
            "10 n = 98: stdin[0] + 1",
            "11 argument 1 of raise = 10",
            "5 seen = 10",
            "12 n = 99: stdin[0] + 2",
            "13 result of main = 0",
        ]
    );
}

#[test]
fn the_program_behaves_as_without_values() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/cases/paths");
    let (mut programs, mut expressions) = (0, 0);
    for entry in std::fs::read_dir(directory).expect("cases").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        programs += 1;
        let text = std::fs::read_to_string(&path).expect("a source");
        let outputs = [Build::WithoutValues, Build::Symbolic, Build::Trace].map(|build| {
            let laboratory = Laboratory::new(CC, "program.c", &text, build, &["-w"]);
            let output = laboratory.run("some input 12 abc\n3 + 4\n");
            let recording = &laboratory.recordings()[0];
            let values: Vec<ValueEvent> = recording.value_events(0).expect("values").collect();
            assert_eq!(values.is_empty(), build == Build::WithoutValues, "{path:?}");
            // Each expression has the value that was recorded.
            let mut evaluator = Evaluator::new(&recording.graph);
            evaluator.compute_all(&recording.values());
            for value in &values {
                if let Some(node) = value.node {
                    let told = tell(recording, value);
                    assert_eq!(evaluator.value(node), value.value, "{path:?}: {told}");
                    expressions += 1;
                }
            }
            output
        });
        for output in &outputs[1..] {
            assert_eq!(output.status, outputs[0].status, "{path:?}");
            assert_eq!(output.stdout, outputs[0].stdout, "{path:?}");
            assert_eq!(output.stderr, outputs[0].stderr, "{path:?}");
        }
    }
    assert!(programs > 0 && expressions > 0);
}
