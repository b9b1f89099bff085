//! The command of the user: the files that it names, what counts as its failure, and where input and result are.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::changes::repository;
use crate::place::{Place, hay};

#[test]
fn a_script_of_the_start_directory_is_found() {
    for sandbox in ["auto", "full"] {
        let place = Place::with_needle();
        // It is not executable, and sources what lies beside it.
        place.write(
            "n.sh",
            "grep -q \"$(cat \"$(dirname \"$0\")/word\")\" \"$1\"\n",
        );
        place.write("word", "needle");
        let words = [
            "reduce",
            "input.txt",
            "--sandbox",
            sandbox,
            "--",
            "sh",
            "n.sh",
            "{}",
        ];
        let called = place.call(&words).exits(0);
        let note = format!("n.sh in the command is {}", place.file("n.sh").display());
        assert_eq!(called.stderr.matches(&note).count(), 1, "{}", called.stderr);
        assert_eq!(place.read("input.reduced.txt"), "needle");
        // What is shown to the user is what the user wrote.
        called.prints("next     sh n.sh input.reduced.txt");
    }
}

#[test]
fn files_that_the_command_names_lie_beside_the_candidate_as_copies() {
    let place = Place::with_needle();
    place.write("words.txt", "needle\n");
    // The copy is the test's own: what it does to it, no other trial sees, nor does the user.
    place.script(
        "test.sh",
        "grep -qf \"$2\" \"$1\"; found=$?; : > \"$2\"; exit $found",
    );
    place
        .call(&["reduce", "input.txt", "--", "./test.sh", "{}", "words.txt"])
        .exits(0)
        .says("the command names words.txt: every trial gets a copy of it");
    assert_eq!(place.read("input.reduced.txt"), "needle");
    assert_eq!(place.read("words.txt"), "needle\n");
}

#[test]
fn a_file_that_the_command_writes_is_not_the_users() {
    let place = Place::new();
    place.write(
        "main.c",
        "int f(void) { return 1; }\nint main(void) { return x; }\n",
    );
    place.write("a.out", "precious");
    place
        .call(&["reduce", "main.c", "--", "gcc", "-o", "a.out", "{}"])
        .exits(0);
    assert_eq!(place.read("a.out"), "precious");
    place.script("keep.sh", "cp \"$1\" copy.txt && grep -q x copy.txt");
    place.write("copy.txt", "precious");
    place
        .call(&["reduce", "main.c", "--", "./keep.sh", "{}", "copy.txt"])
        .exits(0);
    assert_eq!(place.read("copy.txt"), "precious");
}

#[test]
fn a_helper_is_put_beside_every_candidate() {
    for sandbox in ["auto", "full"] {
        let place = Place::with_needle();
        fs::create_dir(place.file("lib")).expect("room");
        place.write("lib/word", "needle");
        place.script("lib/find", "grep -q \"$(cat lib/word)\" \"$1\"");
        let call = |with: &str| {
            let words = ["reduce", "input.txt", "--with", with, "--sandbox", sandbox];
            let test = ["--", "sh", "-c", "lib/find {}"];
            place.call(&[&words[..], &test].concat())
        };
        call("lib").exits(0);
        assert_eq!(place.read("input.reduced.txt"), "needle");
        call("nowhere").exits(2).says("there is no file nowhere");
        call("input.txt")
            .exits(2)
            .says("--with input.txt has the name of what the candidate has itself");
    }
}

#[test]
fn another_helper_is_another_run() {
    let place = Place::with_needle();
    place.write("word", "needle");
    let words = ["reduce", "input.txt", "--with", "word", "--"];
    let words = [&words[..], &["sh", "-c", "grep -q \"$(cat word)\" {}"]].concat();
    place.call(&words).exits(0);
    place.call(&words).exits(0).says("resuming");
    place.write("word", "needle in");
    let called = place.call(&words).exits(0);
    assert!(!called.stderr.contains("resuming"), "{}", called.stderr);
    assert_eq!(place.read("input.reduced.txt"), "needle in");
}

#[test]
fn a_helper_of_a_directory_lies_in_its_root() {
    let place = Place::new();
    fs::create_dir(place.file("site")).expect("room");
    place.write("site/a.txt", hay(5) + "needle\n");
    place.write("site/b.txt", hay(5));
    place.write("word", "needle");
    place
        .call(&[
            "reduce",
            "site",
            "--with",
            "word",
            "--",
            "sh",
            "-c",
            "grep -qf word a.txt",
        ])
        .exits(0);
    assert_eq!(place.read("site.reduced/a.txt"), "needle");
    assert!(!place.file("site.reduced/word").exists());
}

#[test]
fn a_file_that_the_test_does_not_find_is_told() {
    let place = Place::with_needle();
    place.write("word", "needle");
    place.script("test.sh", "grep -qf word \"$1\"");
    place
        .call(&["reduce", "input.txt", "--", "./test.sh", "{}"])
        .exits(1)
        .says("hint: word is in this directory, but the test runs in another one: --with word puts a copy beside the candidate");
}

#[test]
fn versions_get_a_script_that_they_lack_and_helpers() {
    let place = repository();
    place.write("own.txt", ". ./calc.sh; test \"$(scale 3)\" = 6\n");
    place
        .call(&["changes", "v1", "HEAD", "--", "sh", "own.txt"])
        .exits(0)
        .says("own.txt is in no version: every version gets your copy of it")
        .prints("calc.sh");
    place
        .call(&[
            "changes",
            "v1",
            "HEAD",
            "--with",
            "own.txt",
            "--",
            "sh",
            "-c",
            "sh own.txt",
        ])
        .exits(0)
        .prints("calc.sh");
    place
        .call(&["history", "--", "sh", "own.txt"])
        .exits(0)
        .says("own.txt is in no version: every revision gets your copy of it");
}

#[test]
fn a_rule_can_ask_for_any_failure_and_for_what_must_not_be_printed() {
    let place = Place::with_needle();
    place.script(
        "test.sh",
        "grep -q needle \"$1\" || exit 0\ngrep -q straw \"$1\" || { echo 'usage: x' >&2; exit 2; }\necho 'boom 7' >&2; exit 3",
    );
    let call = |rules: &[&str]| {
        let rules: Vec<&str> = rules.iter().flat_map(|rule| ["--fail-if", rule]).collect();
        let words = [
            &["reduce", "input.txt"],
            &rules[..],
            &["--", "./test.sh", "{}"],
        ];
        place.call(&words.concat())
    };
    call(&["exit!=0"])
        .exits(0)
        .says("failure to keep: exit!=0 (exit 3)");
    assert_eq!(place.read("input.reduced.txt"), "needle");
    call(&["exit!=0", "stderr!~usage"])
        .exits(0)
        .says("failure to keep: exit!=0 (exit 3) and stderr!~usage");
    let kept = place.read("input.reduced.txt");
    assert!(kept.contains("needle") && kept.contains("straw"), "{kept}");
    call(&["signal=SEGV || stderr~boom"])
        .exits(0)
        .says("failure to keep: signal=SEGV || stderr~boom (\"boom 7\")");
    assert_eq!(place.read("input.reduced.txt"), kept);
}

#[test]
fn a_failure_without_a_message_is_told_to_be_one() {
    let place = Place::with_needle();
    place
        .call(&["reduce", "input.txt", "--", "./failing.sh", "{}"])
        .exits(0)
        .says("failure to keep: exit 3, whatever it prints");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--keep-message",
            "--",
            "./failing.sh",
            "{}",
        ])
        .exits(0)
        .says("failure to keep: exit 3, \"found it\"");
}

#[test]
fn a_whole_message_does_not_slide_to_another_failure() {
    let place = Place::new();
    place.write("shop.txt", hay(3) + "None.price + 7\n" + &hay(3));
    // As Python says it: only a quotation tells one failure from the other.
    place.script(
        "run.sh",
        "name=$(sed -n 's/^.*None[.]\\([a-z][a-z]*\\).*/\\1/p' \"$1\")\n[ -z \"$name\" ] && exit 0\n\
         echo \"AttributeError: 'NoneType' object has no attribute '$name'\" >&2; exit 1",
    );
    let call = |flags: &[&str]| {
        let words = [&["reduce", "shop.txt"], flags, &["--", "./run.sh", "{}"]].concat();
        let called = place.call(&words).exits(0);
        (place.read("shop.reduced.txt"), called)
    };
    let (slid, _) = call(&[]);
    assert!(slid.len() < "None.price".len(), "{slid}");
    let (kept, called) = call(&["--keep-message"]);
    called.says("AttributeError: 'NoneType' object has no attribute 'price'");
    assert_eq!(kept, "None.price");
}

#[test]
fn standard_input_is_reduced_to_standard_output() {
    let place = Place::with_needle();
    let input = place.read("input.txt");
    let words = ["reduce", "-", "--", "./interesting.sh", "{}"];
    let called = place.pipe(&input, &words).exits(0).says("reduced  ");
    assert_eq!(called.stdout, "needle");
    // The same input is the same run.
    let called = place.pipe(&input, &words).exits(0).says("resuming");
    assert_eq!(called.stdout, "needle");
    // With a name for the result, the report is where it always is.
    place
        .pipe(
            &input,
            &["reduce", "-", "-o", "small", "--", "./interesting.sh", "{}"],
        )
        .exits(0)
        .prints("result   small");
    assert_eq!(place.read("small"), "needle");
    place
        .pipe("", &words)
        .exits(1)
        .says("standard input is empty: there is nothing to leave out");
    // What is in a file goes there too, and at a limit what there is.
    let called = place
        .call(&[
            "reduce",
            "input.txt",
            "-o",
            "-",
            "--max-trials",
            "15",
            "--",
            "./interesting.sh",
            "{}",
        ])
        .exits(3)
        .says("reduced  ");
    assert!(called.stdout.contains("needle") && called.stdout.len() < input.len());
    assert!(!place.file("input.reduced.txt").exists());
}

#[test]
fn bytes_that_are_no_text_go_through_as_they_are() {
    let place = Place::with_needle();
    let words = ["reduce", "-", "--", "grep", "-qa", "\u{1b}.*m", "{}"];
    let called = place
        .pipe(b"\x00\xffone \x1b[31m\x00two\xfe", &words)
        .exits(0);
    assert!(called.stdout.starts_with('\u{1b}') && called.stdout.ends_with('m'));
}

#[test]
fn a_test_can_read_the_candidate_under_its_own_name() {
    let place = Place::with_needle();
    place
        .call(&[
            "reduce",
            "input.txt",
            "--",
            "grep",
            "-q",
            "needle",
            "./input.txt",
        ])
        .exits(0);
    assert_eq!(place.read("input.reduced.txt"), "needle");
}

#[test]
fn standard_output_takes_one_thing() {
    let place = Place::with_needle();
    fs::create_dir(place.file("dir")).expect("room");
    place.write("dir/a", "needle");
    let test = ["--", "./interesting.sh", "{}"];
    for (flags, complaint) in [
        (
            &["-", "--json"][..],
            "the result and the JSON cannot both go to standard output",
        ),
        (
            &["-", "--isolate", "dir/a"],
            "--isolate has two results, and standard output takes one",
        ),
        (
            &["dir", "-o", "-"],
            "a directory cannot be written to standard output",
        ),
        (&["-", "--in-place"], "standard input cannot be replaced"),
    ] {
        let words = [&["reduce"], flags, &test].concat();
        place.pipe("needle", &words).exits(2).says(complaint);
    }
}

#[test]
fn an_input_can_be_replaced_by_its_reduction() {
    let place = Place::with_needle();
    let original = place.read("input.txt");
    let private = fs::Permissions::from_mode(0o640);
    fs::set_permissions(place.file("input.txt"), private).expect("a mode");
    let words = [
        "reduce",
        "input.txt",
        "--in-place",
        "--",
        "./interesting.sh",
        "{}",
    ];
    place
        .call(&words)
        .exits(0)
        .prints("result   input.txt")
        .prints("next     ./interesting.sh input.txt");
    assert_eq!(place.read("input.txt"), "needle");
    assert_eq!(place.read("input.txt.orig"), original);
    for name in ["input.txt", "input.txt.orig"] {
        let mode = fs::metadata(place.file(name)).expect(name).permissions();
        assert_eq!(mode.mode() & 0o777, 0o640, "{name}");
    }
    // Nothing is left to do, and the first original stays.
    place.call(&words).exits(0);
    assert_eq!(place.read("input.txt.orig"), original);
    // Another original is not lost either.
    place.write("input.txt", "one more needle\n");
    place.call(&words).exits(0);
    assert_eq!(place.read("input.txt.orig"), original);
    assert_eq!(place.read("input.txt.orig.2"), "one more needle\n");
}

#[test]
fn an_input_that_was_changed_meanwhile_is_not_replaced() {
    let place = Place::with_needle();
    place.script(
        "test.sh",
        "echo mine > \"$YESTER_START/input.txt\"; grep -q needle \"$1\"",
    );
    place
        .call(&["reduce", "input.txt", "--in-place", "--", "./test.sh", "{}"])
        .exits(3)
        .says("input.txt was changed in the meantime, and is left as it is now");
    assert_eq!(place.read("input.txt"), "mine\n");
    assert!(!place.file("input.txt.orig").exists());
}

#[test]
fn only_files_that_may_be_written_are_replaced() {
    let place = Place::with_needle();
    fs::create_dir(place.file("dir")).expect("room");
    place.write("dir/a", "needle");
    let call =
        |file: &str| place.call(&["reduce", file, "--in-place", "--", "./interesting.sh", "{}"]);
    call("dir").exits(2).says("--in-place is for single files");
    let read_only = fs::Permissions::from_mode(0o444);
    fs::set_permissions(place.file("input.txt"), read_only).expect("a mode");
    call("input.txt").exits(2).says("input.txt is read-only");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--in-place",
            "-o",
            "out",
            "--",
            "true",
        ])
        .exits(2)
        .says("cannot be used with");
    // A failing baseline leaves nothing behind.
    assert!(!place.file("input.txt.orig").exists());
}

#[test]
fn standard_output_by_another_name_is_appended_to_and_not_replaced() {
    let place = Place::with_needle();
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        place.write("log", "before\n");
        let log = fs::OpenOptions::new()
            .append(true)
            .open(place.file("log"))
            .expect("the log");
        let words = [
            "reduce",
            "input.txt",
            "-o",
            name,
            "--",
            "./interesting.sh",
            "{}",
        ];
        let status = place.command(&words).stdout(log).status().expect("yester");
        assert!(status.success(), "{name}");
        let log = place.read("log");
        assert!(
            log.starts_with("before\n") && log.contains("needle"),
            "{log}"
        );
    }
    let words = [
        "reduce",
        "input.txt",
        "-o",
        "/dev/fd/2",
        "--",
        "./interesting.sh",
        "{}",
    ];
    place
        .call(&words)
        .exits(2)
        .says("/dev/fd/2 is an open file, which cannot be replaced by the result");
}

#[test]
fn a_file_that_runs_as_somebody_else_does_not_do_so_after_it_was_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with_needle();
    let file = place.file("input.txt");
    let mode = |file| fs::metadata(file).expect("a file").permissions().mode() & 0o7777;
    fs::set_permissions(&file, PermissionsExt::from_mode(0o4755)).expect("own file");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--in-place",
            "--",
            "./interesting.sh",
            "{}",
        ])
        .exits(0);
    assert_eq!(mode(file), 0o755);
    assert_eq!(mode(place.file("input.txt.orig")), 0o755);
}

#[test]
fn the_next_command_finds_the_helpers_too() {
    let place = Place::with_needle();
    place.script("helper.sh", "grep -q needle input.txt");
    place.script("main.sh", "./helper.sh");
    let words = [
        "reduce",
        "input.txt",
        "--with",
        "helper.sh",
        "--",
        "./main.sh",
    ];
    let called = place.call(&words).exits(0);
    let next = called
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("next"));
    let status = Command::new("sh")
        .args(["-c", next.expect("a command")])
        .current_dir(place.path())
        .status();
    assert!(status.expect("sh").success(), "{}", called.stdout);
}
