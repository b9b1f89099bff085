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
