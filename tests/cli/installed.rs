//! What belongs to an installed program besides itself: manual pages and completions.

use std::path::Path;
use std::process::Command;

use crate::place::{Place, called};

#[test]
fn manual_pages_have_a_name_a_synopsis_and_examples_line_by_line() {
    let place = Place::new();
    let page = place.call(&["man", "reduce"]).exits(0).stdout;
    for part in [
        ".TH yester-reduce 1 ",
        ".SH NAME\nyester\\-reduce \\- Find the part of an input that makes a program fail\n",
        ".SH SYNOPSIS\n.nf\nyester reduce [OPTIONS] <FILE> \\-\\- <COMMAND>...\n.fi\n",
        ".SH \"EXAMPLES\"\n.nf\nA program that crashes on a file:\n    yester reduce crash.json \\-\\- jq . {}\n\n",
        "\\fB\\-\\-max\\-trials\\fR",
        "\\fByester\\-changes\\fR(1)",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
    place
        .call(&["man"])
        .exits(0)
        .prints(".TH yester 1 ")
        .prints(".SH COMMANDS")
        .prints("\\fBreduce\\fR");
    for wrong in ["nothing", "complete"] {
        place
            .call(&["man", wrong])
            .exits(2)
            .says(&format!("there is no command '{wrong}'"));
    }
}

#[test]
fn manual_pages_are_shown_without_a_complaint_and_without_reflowing_examples() {
    let place = Place::new();
    place.call(&["man", "--all", "pages"]).exits(0);
    let pages = std::fs::read_dir(place.file("pages")).expect("a directory");
    let names: Vec<String> = pages
        .map(|page| {
            page.expect("a name")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    for name in [
        "yester.1",
        "yester-reduce.1",
        "yester-trace.1",
        "yester-runs.1",
    ] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    for name in names {
        let output = Command::new("groff")
            .args(["-man", "-Tascii", "-ww", "-P-cbou", "-rLL=72n"])
            .arg(place.file("pages").join(&name))
            .output()
            .expect("groff is there");
        let shown = called(output).exits(0);
        assert_eq!(shown.stderr, "", "{name}");
        if name == "yester-reduce.1" {
            shown
                .prints("       yester reduce [OPTIONS] <FILE> -- <COMMAND>...\n")
                .prints("           yester reduce crash.c -- ./interesting.sh {}\n");
        }
    }
}

fn next(place: &Place, words: &[&str]) -> Vec<String> {
    let words = [&["complete", "--"], words].concat();
    let called = place.call(&words).exits(0);
    let lines = called.stdout.lines();
    lines
        .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn completions_know_commands_flags_languages_runs_and_files() {
    let place = Place::with_needle();
    place
        .call(&["reduce", "input.txt", "--", "./interesting.sh", "{}"])
        .exits(0);
    for (words, expected) in [
        (&["re"][..], &["reduce", "report"][..]),
        (&["man", "ch"], &["changes"]),
        (&["reduce", "in.c", "--language", "py"], &["python"]),
        (&["reduce", "in.c", "--language=py"], &["--language=python"]),
        (&["reduce", "in.c", "--language", "=", "bi"], &["binary"]),
        (&["reduce", "--sandbox", ""], &["auto", "none", "full"]),
        (&["reduce", "in.c", "--max-tr"], &["--max-trials"]),
        (&["reduce", ""], &[":files"]),
        (&["reduce", "--stdin", "in"], &[":files"]),
        (&["reduce", "in.c", "-o", ""], &[":files"]),
        (&["reduce", "in.c", "--state-dir", ""], &[":directories"]),
        (&["reduce", "in.c", "--jobs", ""], &[]),
        (&["reduce", "in.c", "--", "gr"], &[":commands"]),
        (&["reduce", "in.c", "--", "./te"], &[":files"]),
        (&["reduce", "in.c", "--", "grep", "ne"], &[":files"]),
        (&["changes", "v1", "HEAD", "--build", "ma"], &[":commands"]),
        (&["trace", "--solver", "c"], &["cvc5"]),
        (&["nothing", ""], &[]),
    ] {
        assert_eq!(next(&place, words), expected, "{words:?}");
    }
    let runs = next(&place, &["runs", "show", "reduce-inp"]);
    assert!(
        matches!(&runs[..], [run] if run.starts_with("reduce-input.txt-")),
        "{runs:?}"
    );
    assert_eq!(next(&place, &["runs", "delete", "reduce-inp"]), runs);
    assert_eq!(next(&place, &["runs", "pr"]), ["prune"]);
    assert_eq!(next(&place, &["runs", "--js"]), ["--json"]);
    let commands = next(&place, &[""]);
    for command in [
        "reduce", "changes", "history", "explain", "flip", "trace", "runs",
    ] {
        assert!(commands.contains(&command.to_owned()), "{commands:?}");
    }
    assert!(!commands.contains(&"complete".to_owned()));
}

#[test]
fn bash_completes_what_yester_knows_and_lists_files_itself() {
    let place = Place::with_needle();
    let script = place.call(&["completions", "bash"]).exits(0).stdout;
    place.write("script", script);
    for (words, expected) in [
        ("reduce in.c --language py", "python"),
        ("reduce inp", "input.txt"),
        ("reduce input.txt -- mktem", "mktemp"),
        ("reduce --max-tr", "--max-trials"),
    ] {
        let line = format!(
            ". ./script; COMP_WORDS=('{}' {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             compopt() {{ :; }}; _yester; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            env!("CARGO_BIN_EXE_yester")
        );
        let output = Command::new("bash")
            .args(["-c", &line])
            .current_dir(place.path())
            .output();
        let called = called(output.expect("bash is there")).exits(0);
        // A command may lie in several directories.
        let mut completed: Vec<&str> = called.stdout.lines().collect();
        completed.dedup();
        assert_eq!(completed, [expected], "{words}: {}", called.stderr);
    }
    for (shell, part) in [
        ("zsh", "#compdef yester\n"),
        ("fish", "complete -c yester"),
        ("elvish", "max-trials"),
        ("powershell", "max-trials"),
    ] {
        place.call(&["completions", shell]).exits(0).prints(part);
    }
}

#[test]
fn make_install_puts_pages_and_completions_where_they_belong() {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let install = |prefix: &str, home: &str| {
        let output = Command::new("make")
            .arg("-C")
            .arg(&root)
            .args(["--no-print-directory", "install-pages"])
            .arg(format!("PREFIX={}", place.file(prefix).display()))
            .arg(format!("YESTER={}", env!("CARGO_BIN_EXE_yester")))
            .env("HOME", place.file(home))
            .env_remove("XDG_DATA_HOME")
            .env_remove("MAKEFLAGS")
            .output();
        called(output.expect("make is there")).exits(0);
    };
    let completions = [
        "bash-completion/completions/yester",
        "zsh/site-functions/_yester",
        "fish/vendor_completions.d/yester.fish",
    ];
    install("usr", "home");
    assert!(
        place
            .read("usr/share/man/man1/yester-reduce.1")
            .contains(".SH NAME")
    );
    for path in completions {
        assert!(
            place.read(&format!("usr/share/{path}")).contains("yester"),
            "{path}"
        );
    }
    install("home/.cargo", "home");
    assert!(place.file("home/.cargo/share/man/man1/yester.1").exists());
    for path in completions {
        assert!(
            place.file(&format!("home/.local/share/{path}")).exists(),
            "{path}"
        );
    }
}
