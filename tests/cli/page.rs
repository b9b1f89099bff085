//! `yester report`: what is told of a run from its directory, and the pages that a run writes at its end.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::leash::HOLD;
use crate::place::{Place, called};

const FORMATS: [&str; 6] = ["html", "markdown", "sarif", "github", "json", "text"];

/// A place with a run that has its answer.
fn found() -> Place {
    let place = Place::with_needle();
    place
        .call(&["reduce", "input.txt", "--", "./failing.sh", "{}"])
        .exits(0);
    place
}

/// The directory of the only run.
fn run(place: &Place) -> PathBuf {
    let [run] = &place.runs()[..] else {
        panic!("{:?}", place.runs())
    };
    run.clone()
}

#[test]
fn a_run_writes_its_pages_and_names_them() {
    let place = Place::with_needle();
    let words = ["reduce", "input.txt", "--", "./failing.sh", "{}"];
    let called = place.call(&words).exits(0);
    let run = run(&place);
    let name = run
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let page = format!(".yester/{name}/report.html");
    let called = called.prints(&format!("report   {page}, and report.md beside it\n"));
    assert!(
        fs::read_to_string(run.join("report.html"))
            .expect("a page")
            .contains("6 of the")
    );
    let summary = fs::read_to_string(run.join("report.md")).expect("a summary");
    assert!(summary.starts_with("## 6 of the"), "{summary}");

    let report = place.call(&["report"]).exits(0);
    assert_eq!(
        report.stdout,
        called
            .stdout
            .replace(&format!("report   {page}, and report.md beside it\n"), "")
    );
    let json = place
        .call(&[&["reduce", "--json"], &words[1..]].concat())
        .exits(0)
        .json();
    assert_eq!(json["page"], page.as_str());
}

#[test]
fn the_journal_says_what_each_trial_of_the_search_was_about() {
    let place = found();
    let journal = fs::read_to_string(run(&place).join("journal.jsonl")).expect("a journal");
    let trials = journal
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let (searched, others): (Vec<Value>, Vec<Value>) =
        trials.partition(|trial| trial["why"] == "search");
    assert!(searched.iter().all(|trial| trial["pass"].is_string()));
    assert!(others.iter().all(|trial| trial["pass"].is_null()));
    let lines = searched
        .iter()
        .filter_map(|trial| trial["difference"].as_str());
    assert!(
        lines.clone().any(|words| words.starts_with("without ")),
        "{:?}",
        lines.collect::<Vec<_>>()
    );
}

#[test]
fn every_way_to_end_names_the_page() {
    let place = Place::with_needle();
    place.script("never.sh", "exit 125");
    let limited = [
        "reduce",
        "input.txt",
        "--max-trials",
        "6",
        "--",
        "./failing.sh",
        "{}",
    ];
    place
        .call(&limited)
        .exits(3)
        .prints("/report.html, and report.md beside it");
    let nothing = [
        "reduce",
        "input.txt",
        "--timeout",
        "9s",
        "--",
        "./never.sh",
        "{}",
    ];
    place
        .call(&nothing)
        .exits(1)
        .says("yester: what was seen is in .yester/");
    assert_eq!(place.runs().len(), 2);
    for run in place.runs() {
        let page = fs::read_to_string(run.join("report.html")).expect("a page");
        assert!(page.contains(">stopped</p>"), "{page}");
        assert!(run.join("report.md").exists());
    }
    let mut called = place
        .call(&[&nothing[..1], &["--json"], &nothing[1..]].concat())
        .exits(1);
    assert!(
        called.json()["page"]
            .as_str()
            .expect("a page")
            .ends_with("/report.html")
    );
    // Before there is a run, there is no page.
    called = place
        .call(&[
            "reduce",
            "nothing.txt",
            "--json",
            "--",
            "./failing.sh",
            "{}",
        ])
        .exits(2);
    assert_eq!(called.json()["page"], Value::Null);
}

/// A run whose second trial of the search says that it is under way and goes on until it is ended.
fn under_way() -> (Place, Child) {
    let place = Place::with_needle();
    place.script(
        "slow.sh",
        &format!("if test -s \"$1\" && ! cmp -s \"$1\" \"$YESTER_START/input.txt\"; then {HOLD}; sleep 1000; fi\ngrep -q needle \"$1\" && exit 3\nexit 0"),
    );
    let leash = place.leash();
    let words = [
        "reduce",
        "input.txt",
        "-j1",
        "--failing",
        "--timeout",
        "1000s",
        "--",
        "./slow.sh",
        "{}",
    ];
    let child = place
        .command(&words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("yester starts");
    leash.wait();
    (place, child)
}

#[test]
fn a_run_that_goes_on_is_told_so_far_and_its_end_writes_the_page() {
    let (place, child) = under_way();
    place
        .call(&["report"])
        .exits(0)
        .prints("running  so far 1,895 of 1,895 bytes are left");
    place
        .call(&["report", "--format", "html"])
        .exits(0)
        .prints(">running</p>");
    place
        .call(&["report", "--format", "github"])
        .exits(0)
        .prints("::error title=yester reduce::so far");
    let json = place.call(&["report", "--format", "json"]).exits(2);
    json.says("it has not come to an end")
        .says("hint: `yester runs show --json`");
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill starts").success());
    let called = called(child.wait_with_output().expect("it ends")).exits(130);
    called.prints("/report.html, and report.md beside it");
    place
        .call(&["report", "-o", "-", "--format", "html"])
        .exits(0)
        .prints(">stopped</p>");
}

#[test]
fn a_killed_run_is_told_from_its_journal() {
    let (place, mut child) = under_way();
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let called = place.call(&["report"]).exits(0).prints("killed   so far");
    called.prints("resume   yester reduce input.txt -j1");
    let page = place.call(&["report", "--format", "html"]).exits(0);
    page.prints("<tr id=t1>")
        .prints("the search has not come to its end");
}

#[test]
fn runs_that_cannot_be_told_are_named_with_what_to_do() {
    let place = Place::with_needle();
    place
        .call(&["report"])
        .exits(2)
        .says("there are no runs in .yester")
        .says("hint: a call of reduce, changes, history, explain, flip or trace makes one");
    let place = found();
    let answer = run(&place).join("answer.json");
    place
        .call(&["report", "nothing"])
        .exits(2)
        .says("there is no run 'nothing'")
        .says("hint: yester runs");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--timeout",
            "9s",
            "--",
            "./failing.sh",
            "{}",
        ])
        .exits(0);
    place
        .call(&["report", "input"])
        .exits(2)
        .says("'input' fits several runs");

    let name = answer
        .parent()
        .expect("a run")
        .file_name()
        .expect("a name")
        .to_owned();
    let name = name.to_str().expect("text");
    place
        .call(&["report", name])
        .exits(0)
        .prints("reduced  1,895 bytes to 6");
    let text = fs::read_to_string(&answer).expect("an answer");
    fs::write(&answer, text.replacen("\"schema\":1", "\"schema\":99", 1)).expect("room");
    place
        .call(&["report", name])
        .exits(2)
        .says("answer.json has the schema 99, and this yester knows 1")
        .says("hint: the same command makes it again from the journal");
    fs::write(&answer, &text[..text.len() / 2]).expect("room");
    place
        .call(&["report", name])
        .exits(2)
        .says("answer.json cannot be read: ");
    let record = answer.with_file_name("run.json");
    let text = fs::read_to_string(&record).expect("a record");
    fs::write(&record, text.replacen("\"schema\": 1", "\"schema\": 99", 1)).expect("room");
    place
        .call(&["report", name])
        .exits(2)
        .says("run.json has the schema 99, and this yester knows 1");
    fs::write(&record, "{").expect("room");
    place
        .call(&["report", name])
        .exits(2)
        .says("run.json cannot be read")
        .says("hint: the same command makes it again");
}

#[test]
fn a_damaged_run_is_not_passed_over_for_an_older_one() {
    let place = found();
    let run = run(&place);
    fs::write(run.join("run.json"), "{").expect("room");
    place
        .call(&["report"])
        .exits(2)
        .says("run.json cannot be read");
}

#[test]
fn lines_of_a_journal_that_cannot_be_read_are_counted() {
    let place = found();
    let journal = run(&place).join("journal.jsonl");
    let text = fs::read_to_string(&journal).expect("a journal");
    let (first, rest) = text.split_once('\n').expect("lines");
    fs::write(&journal, format!("{first}\n{{\"trial\": }}\n{rest}")).expect("room");
    let page = place.call(&["report", "--format", "html"]).exits(0);
    page.prints("1 line of the journal could not be read");
}

#[test]
fn the_name_of_the_file_chooses_the_format_and_a_flag_overrules_it() {
    let place = found();
    for (name, begin) in [
        ("a.html", "<!doctype html>"),
        ("a.md", "## "),
        ("a.sarif", "{\n  \"$schema\""),
        ("a.json", "{\"schema\":1"),
        ("a.txt", "reduced "),
        ("a.unknown", "reduced "),
    ] {
        let called = place.call(&["report", "input", "-o", name]).exits(0);
        assert_eq!(called.stdout, "", "{name}");
        let written = place.read(name);
        assert!(written.starts_with(begin), "{name}: {written}");
    }
    place
        .call(&["report", "-o", "a.txt", "--format", "github"])
        .exits(0);
    assert!(place.read("a.txt").starts_with("::error "));
    place.call(&["report", "-o", "no/such/../a.html"]).exits(0);
    place
        .call(&["report", "-o", "input.txt/a.html"])
        .exits(3)
        .says("failed to write");
}

#[test]
fn the_page_is_opened_by_the_browser_that_is_chosen() {
    let place = found();
    place.script(
        "browser.sh",
        "cp \"$1\" opened.html; echo \"$1\" > opened.txt",
    );
    let open = |browser: &str, words: &[&str]| {
        let mut command = place.command(&[&["report", "--open"], words].concat());
        called(
            command
                .env("BROWSER", browser)
                .env("PATH", place.path())
                .output()
                .expect("yester starts"),
        )
    };
    let browser = place.file("browser.sh");
    // It goes by PATH for cp and nothing else.
    symlink("/bin/cp", place.file("cp")).expect("a link");
    let browser = browser.to_str().expect("text");
    let called = open(browser, &[]).exits(0);
    assert_eq!(called.stdout.trim(), place.read("opened.txt").trim());
    assert!(called.stdout.trim().ends_with("/report.html"));
    assert!(place.read("opened.html").starts_with("<!doctype html>"));
    open(browser, &["-o", "mine.html"]).exits(0);
    assert_eq!(place.read("opened.txt").trim(), "mine.html");
    open("/nonexistent", &[])
        .exits(2)
        .says("no browser could be started")
        .says("hint: open the page yourself, or set BROWSER");
}

/// What a stranger's test may print, and a stranger's input may have: everything that one of the formats could take for its own.
const HOSTILE: &str = "</script><script>alert(1)</script>\\033]0;owned\\007\\342\\200\\256 \\377 ``` \" onload=\"x <!-- --> ]]> &amp; %%0A\\n::error file=x::owned\\n~~~\\n# heading\\n[a](javascript:b)";

#[test]
fn what_a_stranger_prints_breaks_out_of_no_format() {
    let place = Place::new();
    place.write(
        "input.txt",
        format!(
            "{}\n{HOSTILE}\n{}",
            "hay\n".repeat(20),
            "x".repeat(10 << 20)
        ),
    );
    place.script(
        "test.sh",
        &format!("if grep -q owned \"$1\"; then printf '{HOSTILE}'; printf '{HOSTILE}\\n</script><script>alert(1)</script> owned\\n' >&2; exit 1; fi"),
    );
    let words = [
        "reduce",
        "input.txt",
        "--max-trials",
        "30",
        "--fail-if",
        "stderr~owned",
        "--",
        "./test.sh",
        "{}",
    ];
    let called = place.call(&words);
    assert!([0, 3].contains(&called.code), "{}", called.stderr);
    for format in FORMATS {
        let told = place.call(&["report", "--format", format]).exits(0).stdout;
        // JSON escapes what it must and is data; no other format has anything that a terminal obeys.
        for letter in ['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}'] {
            assert!(
                !told.contains(letter) || format == "json",
                "{format} has {letter:?}"
            );
        }
        match format {
            "html" => {
                assert_eq!(told.matches("<script").count(), 1);
                assert_eq!(told.matches("</script").count(), 1);
                assert!(!told.contains("\" onload=") && !told.contains("<!-- "));
                assert!(told.contains("script&#62;alert(1)"));
                assert!(told.len() < 1_000_000, "{} bytes", told.len());
            }
            "markdown" => {
                assert!(told.len() < 65_536, "{} bytes", told.len());
                assert!(fences_are_closed(&told), "{told}");
            }
            "sarif" | "json" => {
                let _: Value = serde_json::from_str(&told).expect("JSON");
            }
            "github" => {
                for line in told.lines() {
                    let level = line.split(' ').next();
                    assert!(
                        ["::error", "::warning", "::notice"]
                            .map(Some)
                            .contains(&level),
                        "{line}"
                    );
                    assert!(!line.contains("file=x"), "{line}");
                }
            }
            _ => {}
        }
    }
}

/// Whether what follows each fence is closed by the same fence, and every heading outside of them is one of ours.
fn fences_are_closed(text: &str) -> bool {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match open {
            None if ticks.len() >= 3 => open = Some(ticks),
            Some(fence) if line == fence => open = None,
            None if line.starts_with("# ") || line.starts_with("~~~") || line.starts_with("::") => {
                return false;
            }
            _ => {}
        }
    }
    open.is_none()
}

#[test]
fn a_reduced_input_of_some_pages_is_shown() {
    let place = Place::new();
    place.write("in.txt", format!("{}\n", "0123456789".repeat(300)));
    let words = ["reduce", "in.txt", "--max-trials", "20", "--", "sh", "-c"];
    let test = ["test $(wc -c < \"$1\") -lt 3000", "sh", "{}"];
    place.call(&[&words[..], &test].concat()).exits(3);
    let page = place.call(&["report", "--format", "html"]).exits(0);
    let shown = page
        .stdout
        .matches("0123456789012345678901234567890")
        .count();
    assert!(shown > 0, "the input is not there");
}
