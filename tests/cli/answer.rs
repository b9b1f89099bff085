//! What a user gets.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

use crate::place::{Place, called, hay};

#[test]
fn a_failing_program_and_an_interestingness_script_are_told_apart() {
    let place = Place::with_needle();
    let called = place
        .call(&["reduce", "input.txt", "--", "./interesting.sh", "{}"])
        .exits(0);
    let called = called.says("reading: exit 0 means interesting");
    let (_, text) = called.stdout.split_once("\n\n").expect("a blank line");
    assert_eq!(text.trim_end(), "needle", "{}", called.stdout);
    assert_eq!(place.read("input.reduced.txt"), "needle");
    let called = place
        .call(&[
            "reduce",
            "input.txt",
            "-o",
            "out",
            "--",
            "./failing.sh",
            "{}",
        ])
        .exits(0);
    called
        .says("failure to keep: exit 3")
        .prints("next     ./failing.sh out");
    assert_eq!(place.read("out"), "needle");
}

#[test]
fn the_result_as_json_has_every_promised_field() {
    let place = Place::with_needle();
    let called = place
        .call(&["reduce", "input.txt", "--json", "--", "./failing.sh", "{}"])
        .exits(0);
    let json = called.json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["command"], "reduce");
    assert_eq!(json["status"], "found");
    assert_eq!(json["result"]["path"], "input.reduced.txt");
    assert_eq!(json["result"]["bytes"], 6);
    assert_eq!(
        json["result"]["original_bytes"],
        place.read("input.txt").len()
    );
    assert_eq!(json["result"]["one_minimal"], true);
    let count = |name: &str| json["trials"][name].as_u64().expect(name);
    assert!(count("run") >= count("pass") + count("fail") + count("unresolved"));
    assert!(count("fail") > 0 && count("pass") > 0);
    assert!(json["seconds"].as_f64().expect("a number") > 0.0);
    count("cached");
    count("predicted");
    count("unused");

    let nothing = place
        .call(&["reduce", "input.txt", "--json", "--", "false"])
        .exits(1)
        .json();
    assert_eq!(nothing["status"], "nothing");
    assert!(nothing["result"].is_null());
    assert!(
        nothing["error"]["message"]
            .as_str()
            .expect("a message")
            .contains("empty input")
    );
}

#[test]
fn any_number_of_jobs_gives_the_same_answer() {
    let place = Place::new();
    let text: String = (0..120)
        .map(|number| format!("{} {number}\n", ["red", "green", "blue"][number % 3]))
        .collect();
    place.write("input.txt", text);
    // Three lines are needed, and which ones depends on the order in which things are tried.
    place.script(
        "test.sh",
        "test $(grep -c red \"$1\") -ge 2 && grep -q blue \"$1\"",
    );
    let answers: Vec<String> = [1, 2, 3, 8]
        .iter()
        .map(|jobs| {
            let jobs = jobs.to_string();
            place
                .call(&[
                    "reduce",
                    "input.txt",
                    "--fresh",
                    "-j",
                    &jobs,
                    "--",
                    "./test.sh",
                    "{}",
                ])
                .exits(0);
            place.read("input.reduced.txt")
        })
        .collect();
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:?}"
    );
    let limited: Vec<String> = [1, 4]
        .iter()
        .map(|jobs| {
            let jobs = jobs.to_string();
            let limit = ["--max-trials", "25", "--", "./test.sh", "{}"];
            place
                .call(&[&["reduce", "input.txt", "--fresh", "-j", &jobs], &limit[..]].concat())
                .exits(3);
            place.read("input.reduced.txt")
        })
        .collect();
    assert_eq!(limited[0], limited[1], "a limit stops at the same place");
}

#[test]
fn the_candidate_may_come_by_name_by_path_by_environment_or_on_standard_input() {
    let place = Place::with_needle();
    for words in [
        &["--", "grep", "-q", "needle", "input.txt"][..],
        &["--", "sh", "-c", "grep -q needle {} && cmp {} input.txt"],
        &["--", "sh", "-c", "grep -q needle \"$YESTER_CANDIDATE\""],
        &["--stdin", "--", "grep", "-q", "needle"],
    ] {
        place
            .call(&[&["reduce", "input.txt", "-o", "out"], words].concat())
            .exits(0);
        assert_eq!(place.read("out"), "needle", "{words:?}");
    }
    let next = place.call(&[
        "reduce",
        "input.txt",
        "-o",
        "out",
        "--",
        "grep",
        "-q",
        "needle",
        "input.txt",
    ]);
    let next = next
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("next     "))
        .expect("a next command")
        .to_owned();
    let status = std::process::Command::new("sh")
        .args(["-c", &next])
        .current_dir(place.path())
        .status();
    assert!(status.expect("sh starts").success(), "{next}");
}

#[test]
fn the_candidate_may_be_the_program() {
    let place = Place::new();
    place.script("input.sh", "echo one\necho two >&2\nexit 9");
    place
        .call(&["reduce", "input.sh", "--fail-if", "exit=9", "--", "{}"])
        .exits(0);
    assert_eq!(place.read("input.reduced.sh"), "#!/bin/sh\nexit 9");
    let mode = fs::metadata(place.file("input.reduced.sh"))
        .expect("it")
        .permissions()
        .mode();
    assert_eq!(mode & 0o111, 0o111);
}

#[test]
fn rules_replace_a_script() {
    let place = Place::with_needle();
    place.script("prog.sh", "grep -q needle \"$1\" && echo 'error: sharp thing' >&2; grep -q straw \"$1\" && exit 4; exit 5");
    let call = |rule: &str| {
        place.call(&[
            "reduce",
            "input.txt",
            "--fail-if",
            rule,
            "--",
            "./prog.sh",
            "{}",
        ])
    };
    call("stderr~sharp").exits(0);
    assert_eq!(place.read("input.reduced.txt"), "needle");
    call("exit=4").exits(0);
    assert_eq!(place.read("input.reduced.txt"), "straw");
    place.script("crash.sh", "grep -q needle \"$1\" && kill -SEGV $$; exit 0");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--fail-if",
            "signal=SEGV",
            "--",
            "./crash.sh",
            "{}",
        ])
        .exits(0);
    assert_eq!(place.read("input.reduced.txt"), "needle");
}

#[test]
fn another_failure_is_not_taken_for_this_one_and_is_told() {
    let place = Place::with_needle();
    // Without the word `in` the program fails too, but in another way.
    place.script(
        "prog.sh",
        "grep -q 'needle in' \"$1\" && { echo 'a.c:1: f: Assertion `x` failed.' >&2; exit 134; }\n\
         grep -q needle \"$1\" && { echo 'b.c:2: g: Assertion `y` failed.' >&2; exit 134; }\nexit 0",
    );
    let called = place
        .call(&["reduce", "input.txt", "--", "./prog.sh", "{}"])
        .exits(0)
        .prints("also     exit 134");
    assert_eq!(place.read("input.reduced.txt"), "needle in");
    let path = called
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("also ")?.rsplit(": ").next());
    let other = place.read(path.expect("a path"));
    assert!(
        other.contains("needle") && !other.contains("needle in"),
        "{other:?}"
    );
}

#[test]
fn a_hang_can_be_hunted() {
    let place = Place::with_needle();
    place.script("prog.sh", "if grep -q needle \"$1\"; then sleep 1000; fi");
    place.write("input.txt", "hay\nneedle\n");
    // Far more than a look at the input needs on a busy machine.
    let flags = ["--timeout", "2s", "--timeout-means", "fail"];
    place
        .call(
            &[
                &["reduce", "input.txt"],
                &flags[..],
                &["--", "./prog.sh", "{}"],
            ]
            .concat(),
        )
        .exits(0);
    assert_eq!(place.read("input.reduced.txt"), "needle");
}

#[test]
fn limits_write_the_best_so_far() {
    let place = Place::with_needle();
    let test = ["--", "./interesting.sh", "{}"];
    let called = place.call(
        &[
            &["reduce", "input.txt", "--json", "--max-trials", "9"],
            &test[..],
        ]
        .concat(),
    );
    let json = called
        .exits(3)
        .says("the limit of trials is reached")
        .says("goes on from here")
        .json();
    assert_eq!(json["status"], "limit");
    assert_eq!(json["result"]["one_minimal"], false);
    let reduced = place.read("input.reduced.txt");
    assert!(reduced.contains("needle") && reduced.len() < place.read("input.txt").len());
    // The limit comes in the search, however fast or slow the trials of the baseline are.
    place.script(
        "slow.sh",
        "test $YESTER_TRIAL -gt 4 && sleep 1000; grep -q needle \"$1\"",
    );
    place
        .call(&[
            "reduce",
            "input.txt",
            "--max-time",
            "1s",
            "--",
            "./slow.sh",
            "{}",
        ])
        .exits(3)
        .says("limit of time");
}

#[test]
fn unusual_inputs_are_inputs() {
    let place = Place::new();
    place.script("test.sh", "LC_ALL=C grep -q needle \"$1\"");
    let mut binary = vec![0xff, 0xfe, 0x00, b'\n', 0x80];
    binary.extend_from_slice(b"needle");
    binary.extend_from_slice(&[0xc3, 0x28, 0x00]);
    for (name, content) in [
        (
            "one line.txt",
            [&b"x".repeat(3000)[..], b"needle", &b"y".repeat(3000)].concat(),
        ),
        ("it's \"binary\".bin", binary),
        ("crlf", b"one\r\nneedle\r\nthree\r\n".to_vec()),
        ("-dash", b"needle and thread".to_vec()),
    ] {
        place.write(name, &content);
        let name = format!("./{name}");
        place
            .call(&["reduce", &name, "-o", "out", "--", "./test.sh", "{}"])
            .exits(0);
        assert_eq!(place.read("out"), "needle", "{name}");
        assert_eq!(
            fs::read(place.file(&name)).expect("the input"),
            content,
            "the input is untouched"
        );
    }
    place.write("byte", "n");
    place
        .call(&["reduce", "byte", "--", "grep", "-q", "n", "{}"])
        .exits(0)
        .prints("1 bytes to 1");
}

#[test]
fn ten_megabytes_on_one_line_are_an_input_too() {
    let place = Place::new();
    let half = "abcdefghij".repeat(500_000);
    place.write("big", format!("{half}needle{half}"));
    place
        .call(&["reduce", "big", "--", "grep", "-q", "needle", "{}"])
        .exits(0);
    assert_eq!(place.read("big.reduced"), "needle");
}

#[test]
fn a_read_only_input_behind_a_link_is_only_read() {
    let place = Place::with_needle();
    fs::set_permissions(place.file("input.txt"), fs::Permissions::from_mode(0o444))
        .expect("a mode");
    symlink("input.txt", place.file("link.txt")).expect("a link");
    let before = place.read("input.txt");
    place
        .call(&["reduce", "link.txt", "--", "./interesting.sh", "{}"])
        .exits(0);
    assert_eq!(place.read("link.reduced.txt"), "needle");
    assert_eq!(place.read("input.txt"), before);
}

#[test]
fn a_bare_environment_and_a_dumb_terminal_are_enough() {
    let place = Place::with_needle();
    let mut command = place.command(&[
        "reduce",
        "input.txt",
        "--",
        "/bin/grep",
        "-q",
        "needle",
        "{}",
    ]);
    let output = command
        .env_clear()
        .env("TERM", "dumb")
        .output()
        .expect("yester starts");
    let called = called(output).exits(0);
    assert!(!called.stderr.contains('\u{1b}') && !called.stdout.contains('\u{1b}'));
    assert_eq!(place.read("input.reduced.txt"), "needle");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::with_needle();
    let mut child = place
        .command(&[
            "reduce",
            "input.txt",
            "--json",
            "--",
            "./interesting.sh",
            "{}",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("yester starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    let called = called(output).exits(0);
    assert!(!called.stderr.contains("panicked"), "{}", called.stderr);
}

#[test]
fn quiet_says_nothing_and_verbose_says_more() {
    let place = Place::with_needle();
    let test = ["--", "./interesting.sh", "{}"];
    let call = |flag: &str| {
        place
            .call(&[&["reduce", "input.txt", "--fresh", flag], &test[..]].concat())
            .exits(0)
    };
    assert_eq!(call("-q").stderr, "");
    call("-v").says("bytes left");
    call("-vv").says("trial 1: ");
}

#[test]
fn settings_are_flags_and_flags_win() {
    let place = Place::with_needle();
    place.write(
        "yester.toml",
        "max-trials = 9\nfail-if = [\"exit=3\"]\njson = true\n",
    );
    let called = place
        .call(&["reduce", "input.txt", "--", "./failing.sh", "{}"])
        .exits(3);
    assert_eq!(called.json()["failure"], "exit=3");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--max-trials",
            "5000",
            "--",
            "./failing.sh",
            "{}",
        ])
        .exits(0);
    place.call(&["runs"]).exits(0);
    place.write("yester.toml", "quiet = true\ninteresting = true\n");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--fresh",
            "-v",
            "--failing",
            "--",
            "./failing.sh",
            "{}",
        ])
        .exits(0)
        .says("left");
    place.write("yester.toml", "verbose = 2\n");
    place
        .call(&["reduce", "input.txt", "--fresh", "--", "./failing.sh", "{}"])
        .exits(0)
        .says("trial 1: ");
}

#[test]
fn the_command_sees_what_it_was_promised() {
    let place = Place::with_needle();
    place.script(
        "test.sh",
        "{ echo \"$YESTER_START\"; echo \"$YESTER_SEED\"; echo \"$YESTER_TRIAL $YESTER_WORKER\"; ls; } > \"$YESTER_START/seen\"\n\
         grep -q needle \"$1\"",
    );
    place
        .call(&[
            "reduce",
            "input.txt",
            "--seed",
            "42",
            "-j1",
            "--",
            "./test.sh",
            "{}",
        ])
        .exits(0);
    let seen = place.read("seen");
    let lines: Vec<&str> = seen.lines().collect();
    assert_eq!(
        lines[0],
        place
            .path()
            .canonicalize()
            .expect("a path")
            .to_str()
            .expect("text")
    );
    assert_eq!(lines[1], "42");
    assert!(lines[2].ends_with(" 0"), "{seen}");
    assert_eq!(lines[3..], ["input.txt"], "the candidate is alone");
}

#[test]
fn kept_directories_are_kept_and_others_are_not() {
    let place = Place::with_needle();
    let temporary = place.file("tmp");
    fs::create_dir(&temporary).expect("room");
    let call = |flags: &[&str]| {
        let words = [
            &["reduce", "input.txt", "--fresh"],
            flags,
            &["--", "./interesting.sh", "{}"],
        ]
        .concat();
        called(
            place
                .command(&words)
                .env("TMPDIR", &temporary)
                .output()
                .expect("yester starts"),
        )
        .exits(0)
    };
    call(&[]);
    assert_eq!(fs::read_dir(&temporary).expect("it").count(), 0);
    call(&["--keep"]).says("tmp/yester-reduce-input.txt-");
    assert_eq!(fs::read_dir(&temporary).expect("it").count(), 1);
}

#[test]
fn the_run_directory_has_what_it_promises() {
    let place = Place::with_needle();
    place
        .call(&["reduce", "input.txt", "--", "./interesting.sh", "{}"])
        .exits(0);
    let run = place.runs().pop().expect("a run");
    assert_eq!(
        fs::read_to_string(run.join("best/input.txt")).expect("the best"),
        "needle"
    );
    for name in ["run.json", "journal.jsonl", "debug.log", "lock"] {
        assert!(run.join(name).exists(), "{name}");
    }
    assert_eq!(place.read(".yester/.gitignore"), "*\n");
    let journal = fs::read_to_string(run.join("journal.jsonl")).expect("the journal");
    for line in journal.lines() {
        let trial: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
        assert!(
            trial["trial"].is_u64() && trial["candidate"].is_string() && trial["seconds"].is_f64(),
            "{line}"
        );
    }
    let listed = place.call(&["runs", "--json"]).exits(0).json();
    assert_eq!(listed[0]["status"], "found");
    assert_eq!(listed[0]["bytes"], 6);
}

#[test]
fn a_long_file_name_with_a_newline_is_a_file_name() {
    let place = Place::new();
    let name = "a\nb";
    let mut file = fs::File::create(place.file(name)).expect("room");
    file.write_all((hay(3) + "needle").as_bytes())
        .expect("room");
    place
        .call(&[
            "reduce", name, "-o", "out", "--", "grep", "-q", "needle", "{}",
        ])
        .exits(0);
    assert_eq!(place.read("out"), "needle");
}
