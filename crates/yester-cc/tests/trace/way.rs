//! The way through a program.

use crate::laboratory::{CC, CXX, Laboratory, Recording};

#[test]
fn columns_tell_the_parts_of_a_condition_apart() {
    let laboratory = Laboratory::c(
        "int main(int argc, char **argv) {\n  int a = argc > 1, b = argc > 2;\n  if (a && b)\n    return 3;\n  return 0;\n}\n",
    );
    let (_, recording) = laboratory.record("program", &["x"]);
    let events = recording.events();
    assert_eq!(events.len(), 4, "{events:?}");
    assert_eq!(events[0], "main(");
    let (first, second) = (events[1].as_str(), events[2].as_str());
    assert!(
        first.starts_with("3:") && first.ends_with('+'),
        "{events:?}"
    );
    assert!(
        second.starts_with("3:") && second.ends_with('-'),
        "{events:?}"
    );
    assert_ne!(first[..first.len() - 1], second[..second.len() - 1]);
    let sites = &recording.function("main").sites;
    assert_eq!(sites[0].dependence, "");
    assert_eq!(sites[1].dependence, "0:1");
    // Outcome 0 of the first leads to the end, outcome 1 to the second. Neither is reached in any case.
    assert_eq!(
        (sites[0].successors.as_str(), sites[1].successors.as_str()),
        (",1", ",")
    );
    assert_eq!(sites[0].post_dominator, "");
    assert!(recording.function("main").file.ends_with("/program.c"));
    assert!(recording.function("main").file.starts_with('/'));
}

#[test]
fn calls_and_returns_nest() {
    let laboratory = Laboratory::c(
        "static int leaf(int n) { return n * 2; }\nstatic int fact(int n) {\n  if (n < 2)\n    return 1;\n  return n * fact(n - 1);\n}\nint main(void) { return leaf(fact(3)) - 12; }\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert!(output.status.success());
    assert_eq!(
        recording.events(),
        [
            "main(", "fact(", "3:7-", "fact(", "3:7-", "fact(", "3:7+", ")fact", ")fact", ")fact",
            "leaf(", ")leaf", ")main"
        ]
    );
}

#[test]
fn switches_tell_their_case() {
    let laboratory = Laboratory::c(
        "int main(void) {\n  int sum = 0;\n  for (int i = -1; i < 5; i++)\n    switch (i) {\n    case -1: sum += 1; break;\n    case 1:\n    case 2: sum += 10; /* falls */\n    case 4: sum += 100; break;\n    default: continue;\n    }\n  return sum == 321 ? 0 : 1;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert!(output.status.success());
    let switches: Vec<String> = recording
        .events()
        .into_iter()
        .filter(|event| event.contains('='))
        .collect();
    assert_eq!(
        switches,
        [
            "4:5=-1",
            "4:5=default",
            "4:5=1",
            "4:5=2",
            "4:5=default",
            "4:5=4"
        ]
    );
}

#[test]
fn functions_with_many_sites_have_wide_codes() {
    let mut text = String::from("int main(int n, char **v) {\n  int s = 0;\n");
    for line in 3..400 {
        text += &format!("  if (n == {line} || s < 0) s++;\n");
    }
    text += "  return s;\n}\n";
    let (output, recording) = Laboratory::c(&text).record("program", &[]);
    assert!(output.status.success());
    let events = recording.events();
    assert_eq!(events.len(), 2 + 2 * 397);
    for (index, pair) in events[1..events.len() - 1].chunks(2).enumerate() {
        assert!(pair[0].starts_with(&format!("{}:", index + 3)), "{pair:?}");
        assert!(pair.iter().all(|event| event.ends_with('-')));
    }
    assert!(recording.streams[0].len() > 794);
}

#[test]
fn a_switch_in_a_circle_of_values_keeps_its_values() {
    // The switch's own block is where values come from that are chosen behind it.
    let laboratory = Laboratory::c(
        "#include <stdio.h>\nint main(void) {\n  int state = 0, steps = 0;\n  while (state != 7) {\n    int next;\n    switch (state) {\n    case 0: next = 3; break;\n    case 3: case 4: next = state + 1; break;\n    case 5: next = 7; break;\n    default: next = 0;\n    }\n    state = next; steps++;\n  }\n  printf(\"%d\\n\", steps);\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.stdout, b"4\n");
    let events = recording.events();
    let cases: Vec<&str> = events
        .iter()
        .filter_map(|event| event.split_once('='))
        .map(|(_, case)| case)
        .collect();
    assert_eq!(cases, ["0", "3", "4", "5"]);
}

#[test]
fn promised_purity_hides_no_events() {
    let laboratory = Laboratory::c(
        "__attribute__((const, noinline)) static int f(int n) { return n > 2 ? n * 3 : n; }\n__attribute__((pure, noinline)) int g(int n) { if (n == 3) return 4; return f(n); }\nint main(void) {\n  int s = 0;\n  for (int i = 0; i < 5; i++) s += g(i);\n  return s == 19 ? 0 : s;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.status.code(), Some(0));
    let calls = recording
        .events()
        .iter()
        .filter(|event| *event == "g(")
        .count();
    assert_eq!(calls, 5);
}

#[test]
fn optimisation_does_not_change_the_trace() {
    let text = "#include <stdio.h>\nstatic int inner(int n) { if (n % 3 == 0) return n / 3; return n + 1; }\nint main(void) {\n  int n = 77;\n  for (int i = 0; i < 40; i++) { n = inner(n); switch (n & 3) { case 0: n++; break; case 2: n ^= 4; } }\n  printf(\"%d\\n\", n);\n  return 0;\n}\n";
    let laboratory = Laboratory::new();
    laboratory.write("program.c", text);
    let mut traces = Vec::new();
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os", "-Og"] {
        laboratory.compile(CC, &[level, "program.c", "-o", "program"]);
        let (output, recording) = laboratory.record("program", &[]);
        traces.push((output.stdout, recording.events()));
        std::fs::remove_dir_all(laboratory.path("record")).expect("it is there");
    }
    assert!(traces[0].1.len() > 160);
    assert!(traces.iter().all(|trace| *trace == traces[0]));
}

#[test]
fn threads_have_streams_of_their_own() {
    let laboratory = Laboratory::c(
        "#include <pthread.h>\nstatic void *work(void *n) {\n  long sum = 0;\n  for (long i = 0; i < (long)n; i++) sum += i;\n  return (void *)sum;\n}\nint main(void) {\n  pthread_t t[4];\n  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)(i * 1000));\n  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);\n  return 0;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert!(output.status.success());
    assert_eq!(recording.streams.len(), 5);
    let mut turns: Vec<usize> = (1..5)
        .map(|stream| {
            let events = recording.stream(stream);
            assert_eq!(events[0], "work(");
            assert_eq!(events.last().map(String::as_str), Some(")work"));
            events.iter().filter(|event| *event == "4:20+").count()
        })
        .collect();
    turns.sort_unstable();
    assert_eq!(turns, [0, 1000, 2000, 3000]);
    assert_eq!(
        recording
            .events()
            .iter()
            .filter(|event| event.ends_with('+'))
            .count(),
        8
    );
}

#[test]
fn more_threads_than_streams_are_a_loss_that_is_told() {
    let laboratory = Laboratory::c(
        "#include <pthread.h>\nstatic void *work(void *n) { return n ? n : (void *)1; }\nint main(void) {\n  for (long i = 0; i < 80; i++) { pthread_t t; pthread_create(&t, 0, work, (void *)i); pthread_join(t, 0); }\n  return 0;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert!(output.status.success());
    assert_eq!(recording.streams.len(), 64);
    assert_eq!(recording.lost, "thread not recorded\t\n");
}

#[test]
fn exceptions_land_where_they_are_caught() {
    let laboratory = Laboratory::new();
    laboratory.write("program.cpp", "#include <cstdio>\n#include <stdexcept>\nstruct Guard { ~Guard() { std::puts(\"gone\"); } };\nstatic int deep(int n) {\n  Guard guard;\n  if (n == 0)\n    throw std::runtime_error(\"deep\");\n  return deep(n - 1);\n}\nint main() {\n  for (int i = 0; i < 2; i++)\n    try {\n      deep(i);\n    } catch (std::exception &error) {\n      std::puts(error.what());\n    }\n  return 0;\n}\n");
    laboratory.compile(CXX, &["program.cpp", "-o", "program"]);
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.stdout, b"gone\ndeep\ngone\ngone\ndeep\n");
    let events = recording.events();
    let lands: Vec<&String> = events
        .iter()
        .filter(|event| event.starts_with("land") || event.starts_with("11:"))
        .collect();
    assert_eq!(
        lands,
        [
            "11:19+",
            "land _ZL4deepi",
            "land main",
            "11:19+",
            "land _ZL4deepi",
            "land _ZL4deepi",
            "land main",
            "11:19-"
        ]
    );
    assert_eq!(events.last().map(String::as_str), Some(")main"));
}

#[test]
fn longjmp_lands_over_frames() {
    let laboratory = Laboratory::c(
        "#include <setjmp.h>\nstatic jmp_buf place;\nstatic void deep(int n) {\n  if (n == 0)\n    longjmp(place, 1);\n  deep(n - 1);\n}\nstatic int tried(int n) {\n  if (setjmp(place))\n    return 1;\n  deep(n);\n  return 0;\n}\nint main(void) {\n  if (tried(2))\n    return tried(0) - 1;\n  return 2;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        recording.events(),
        [
            "main(",
            "tried(",
            "9:7-",
            "deep(",
            "4:7-",
            "deep(",
            "4:7-",
            "deep(",
            "4:7+",
            "land tried",
            "9:7+",
            ")tried",
            "15:7+",
            "tried(",
            "9:7-",
            "deep(",
            "4:7+",
            "land tried",
            "9:7+",
            ")tried",
            ")main"
        ]
    );
}

#[test]
fn computed_gotos_keep_working() {
    let laboratory = Laboratory::c(
        "int main(void) {\n  static void *ways[] = {&&one, &&two, &&end};\n  int at = 0, sum = 0;\n  goto *ways[at];\none: sum += 1; if (sum < 4) goto *ways[1]; goto *ways[2];\ntwo: sum += 2; goto *ways[0];\nend: return sum == 4 ? 0 : sum;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        recording.events(),
        ["main(", "5:20+", "5:20-", "7:13+", ")main"]
    );
}

#[test]
fn a_handler_of_signals_is_in_the_trace() {
    let laboratory = Laboratory::c(
        "#include <signal.h>\nstatic volatile int seen;\nstatic void handler(int number) { if (number == SIGUSR1) seen++; }\nint main(void) {\n  signal(SIGUSR1, handler);\n  for (int i = 0; i < 3; i++) raise(SIGUSR1);\n  return seen - 3;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert_eq!(output.status.code(), Some(0));
    let calls = recording
        .events()
        .iter()
        .filter(|event| *event == ")handler")
        .count();
    assert_eq!(calls, 3);
}

#[test]
fn a_signal_after_any_instruction_leaves_the_trace_intact() {
    // The processor's trap flag: a signal after each instruction of the loop, those that write events among them. What gets
    // it has no events and calls the handler now and then: a handler changes what the next one finds.
    let laboratory = Laboratory::new();
    laboratory
        .write("step.c", "#include <stdlib.h>\nvoid handler(int);\nvoid step(int number) {\n  static int steps;\n  if (++steps % atoi(getenv(\"EACH\")) == 0)\n    handler(number);\n}\n")
        .write("program.c", "#include <signal.h>\nvoid step(int);\nstatic volatile int seen;\nvoid handler(int number) { if (number == SIGTRAP) seen++; }\nint main(void) {\n  volatile unsigned n = 0;\n  signal(SIGTRAP, step);\n  __asm__ volatile(\"pushfq; orq $0x100, (%%rsp); popfq\" ::: \"memory\", \"cc\");\n  for (int i = 0; i < 60; i++)\n    if (i & 1) n++;\n  __asm__ volatile(\"pushfq; andq $~0x100, (%%rsp); popfq\" ::: \"memory\", \"cc\");\n  return seen < 20;\n}\n")
        .compile("clang-19", &["-O2", "-c", "step.c"])
        .compile(CC, &["program.c", "step.o", "-o", "program"]);
    let mut expected = vec!["main(".to_owned()];
    for turn in 0..60 {
        let odd = if turn % 2 == 1 { "10:9+" } else { "10:9-" };
        expected.extend(["9:19+", odd].map(str::to_owned));
    }
    expected.extend(["9:19-", ")main"].map(str::to_owned));
    for each in [7, 11, 13, 17, 23] {
        let mut command = laboratory.recorded("program", &[]);
        let output = command.env("EACH", each.to_string()).output();
        assert_eq!(output.expect("it starts").status.code(), Some(0));
        let recording = Recording::read(&laboratory.path("record/0"));
        std::fs::remove_dir_all(laboratory.path("record")).expect("it is there");
        let (mut depth, mut handled) = (0, 0);
        let mut own = Vec::new();
        for event in recording.events() {
            match event.as_str() {
                "handler(" => depth += 1,
                ")handler" => (depth, handled) = (depth - 1, handled + 1),
                _ if depth == 0 => own.push(event),
                _ => assert_eq!(event, "4:32+"),
            }
        }
        assert_eq!(own, expected, "each {each}");
        assert!(handled > 5, "{handled}");
    }
}

#[test]
fn the_trace_may_be_longer_than_the_window() {
    let laboratory = Laboratory::c(
        "static unsigned seed = 1;\nstatic int odd(void) { seed = seed * 1664525 + 1013904223; return seed >> 31; }\nint main(void) {\n  int n = 0;\n  for (int i = 0; i < 300000; i++) if (odd()) n++;\n  return n == 0;\n}\n",
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert!(output.status.success());
    let mut seed = 1_u32;
    let mut expected = vec!["main(".to_owned()];
    for _ in 0..300_000 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        expected.extend(["5:19+", "odd(", ")odd"].map(str::to_owned));
        expected.push(format!("5:40{}", if seed >> 31 == 1 { "+" } else { "-" }));
    }
    expected.extend(["5:19-", ")main"].map(str::to_owned));
    let events = recording.events();
    assert_eq!(events.len(), expected.len());
    let wrong = events.iter().zip(&expected).position(|(a, b)| a != b);
    assert_eq!(wrong.map(|at| (&events[at], &expected[at])), None);
    assert_eq!(recording.head[yester_pathrt::format::head::CUT], 0);
}

#[test]
fn a_limit_cuts_the_trace_and_says_so() {
    let laboratory = Laboratory::c(
        "int main(void) {\n  int n = 0;\n  for (int i = 0; i < 500000; i++) n ^= i;\n  return n == 1;\n}\n",
    );
    for limit in [100_usize, 200_000] {
        let output = laboratory
            .recorded("program", &[])
            .env("YESTER_RECORD_LIMIT", limit.to_string())
            .output()
            .expect("it starts");
        assert!(output.status.success());
        let recording = Recording::read(&laboratory.path("record/0"));
        assert_eq!(recording.head[yester_pathrt::format::head::CUT], 1);
        let bytes = recording.streams[0].len();
        assert!(bytes >= limit && bytes < limit + 8, "{bytes} of {limit}");
        assert!(recording.events()[1..].iter().all(|event| event == "3:19+"));
        std::fs::remove_dir_all(laboratory.path("record")).expect("it is there");
    }
}
