//! Everything that can differ.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::{applied, changed_lines, commit, directories, git};
use crate::place::Place;

#[test]
fn lines_that_end_as_on_windows_stay_as_they_are() {
    let place = directories(
        &[("a.txt", "one\r\ntwo\r\nx = y(1)\r\n")],
        &[("a.txt", "ONE\r\ntwo\r\nx = y(BAD)\r\n")],
    );
    place.script("test.sh", "! grep -q BAD a.txt");
    place
        .call(&["changes", "good", "bad", "--", "./test.sh"])
        .exits(0);
    let copy = applied(&place, "good", "culprit.patch");
    assert_eq!(
        fs::read(copy.join("a.txt")).expect("it"),
        b"one\r\ntwo\r\nx = y(BAD)\r\n"
    );
}

#[test]
fn a_file_that_was_renamed() {
    let place = Place::new();
    git(place.path(), &["init", "--quiet"]);
    let text: String = (0..30).map(|number| format!("line {number}\n")).collect();
    place.write("old name.txt", &text);
    place.write("other.txt", "same\n");
    commit(&place, "start");
    git(place.path(), &["mv", "old name.txt", "new name.txt"]);
    place.write("new name.txt", text.replace("line 7\n", "line seven\n"));
    place.write("other.txt", "changed\n");
    commit(&place, "rename");
    let json = place
        .call(&[
            "changes",
            "HEAD~1",
            "HEAD",
            "--json",
            "--",
            "test",
            "-e",
            "old name.txt",
        ])
        .exits(0)
        .json();
    assert_eq!(json["result"]["changes"][0]["kind"], "renamed", "{json}");
    assert_eq!(json["result"]["files"], 1);
    let culprit = place.read("culprit.patch");
    assert!(
        culprit.contains("rename from old name.txt\nrename to new name.txt"),
        "{culprit}"
    );
    assert!(changed_lines(&culprit).is_empty(), "{culprit}");
}

/// A test, the kind of change that it fails for, and that change.
type Case = (&'static str, &'static str, fn(&Place));

#[test]
fn files_that_come_and_go_modes_links_and_binary_data() {
    let cases: [Case; 5] = [
        ("test ! -e extra", "created", |place| {
            place.write("bad/extra", "it\n")
        }),
        ("test -e gone", "deleted", |place| {
            fs::remove_file(place.file("bad/gone")).expect("it was there");
        }),
        ("test -x tool", "mode", |place| {
            fs::set_permissions(place.file("bad/tool"), fs::Permissions::from_mode(0o644))
                .expect("a mode");
        }),
        ("test \"$(readlink link)\" = tool", "replaced", |place| {
            fs::remove_file(place.file("bad/link")).expect("it was there");
            symlink("gone", place.file("bad/link")).expect("room");
        }),
        ("test \"$(head -c1 data)\" = a", "replaced", |place| {
            place.write("bad/data", b"b\0\x01\xff")
        }),
    ];
    for (test, kind, change) in cases {
        let files = [("gone", "x\n"), ("tool", "#!/bin/sh\n"), ("noise", "1\n")];
        let place = directories(&files, &files);
        for side in ["good", "bad"] {
            let tool = place.file(side).join("tool");
            fs::set_permissions(tool, fs::Permissions::from_mode(0o755)).expect("a mode");
            symlink("tool", place.file(side).join("link")).expect("room");
            fs::write(place.file(side).join("data"), b"a\0\x01\xff").expect("room");
        }
        place.write("bad/noise", "2\n");
        change(&place);
        let json = place
            .call(&["changes", "good", "bad", "--json", "--", "sh", "-c", test])
            .exits(0)
            .json();
        let changes = json["result"]["changes"].as_array().expect("a list");
        assert!(
            changes.iter().any(|change| change["kind"] == kind),
            "{test}: {json}"
        );
        assert_eq!(json["result"]["files"], 1, "{test}: {json}");
        assert_eq!(
            json["result"]["verified"]["bad_minus_culprit"], "pass",
            "{test}: {json}"
        );
    }
}
