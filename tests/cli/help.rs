//! Help that teaches, and what is generated from it.

use crate::place::Place;

#[test]
fn help_has_examples_and_exit_codes() {
    let place = Place::new();
    place
        .call(&["--help"])
        .exits(0)
        .prints("yester reduce crash.c -- ./test.sh {}")
        .prints("130 interrupted");
    place
        .call(&["reduce", "--help"])
        .exits(0)
        .prints("Examples:")
        .prints("YESTER_CANDIDATE")
        .prints("--fail-if");
    place
        .call(&["changes", "--help"])
        .exits(0)
        .prints("yester changes v1.4 HEAD -- ")
        .prints("--carry")
        .prints("$YESTER_START/FILE");
    place.call::<&str>(&[]).exits(2).says("Start here:");
    place.call(&["--version"]).exits(0).prints("yester ");
    place.call(&["reduse"]).exits(2).says("reduce");
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        place
            .call(&["completions", shell])
            .exits(0)
            .prints("max-trials");
    }
    place.call(&["man"]).exits(0).prints(".TH yester 1");
    place
        .call(&["man", "reduce"])
        .exits(0)
        .prints("interestingness test")
        .prints("timeout");
    place
        .call(&["man", "changes"])
        .exits(0)
        .prints("culprit.patch")
        .prints("max\\-time");
    place
        .call(&["man", "nothing"])
        .exits(2)
        .says("there is no command 'nothing'");
}
