//! How many trials the list minimisers need on real files with real programs, and what they leave.
//!
//! One trial at a time, in process: only the questions are compared here, not how fast they are answered.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use yester_core::{
    Answer, Candidate, Grouping, Hash, Outcome, Space, Stop, Subset, Tester, bisection, ddmin,
    first_in_order, minimise,
};
use yester_tree::{Flat, Unit};

/// Runs a shell script on each candidate that it has not seen yet: exit 0 is a failure.
struct ScriptTester<'a> {
    space: &'a Flat,
    script: &'a str,
    directory: &'a Path,
    known: HashMap<Hash, Outcome>,
}

impl Tester for ScriptTester<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        let text = self.space.text(subset);
        let hash = Candidate::File(text.clone()).hash();
        if let Some(outcome) = self.known.get(&hash) {
            return Ok(Answer::known(*outcome));
        }
        fs::write(self.directory.join("candidate.c"), &text).expect("room");
        let status = Command::new("sh")
            .args(["-c", self.script])
            .current_dir(self.directory)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("sh starts");
        let outcome = if status.success() {
            Outcome::Fail
        } else {
            Outcome::Pass
        };
        self.known.insert(hash, outcome);
        Ok(Answer::known(outcome))
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        first_in_order(self, candidates, wanted)
    }

    fn foresee(&mut self, _: &mut dyn Iterator<Item = Subset>) {}
}

type Minimiser = fn(&mut ScriptTester<'_>, &Flat, &Subset) -> Result<Subset, Stop>;

const MINIMISERS: [(&str, Minimiser); 3] = [
    ("minimise (default)", |tester, space, all| {
        minimise(tester, all, |piece| space.weight(piece))
    }),
    ("bisection (Artho)", |tester, _, all| {
        bisection(tester, &Grouping::flat(all.universe()), all)
    }),
    ("ddmin (classic)", |tester, _, all| {
        ddmin(tester, &Grouping::flat(all.universe()), all)
    }),
];

fn main() {
    let examples = PathBuf::from("examples");
    let directory = tempfile::tempdir().expect("a directory");
    let totals = directory.path().join("totals");
    run(Command::new("cc")
        .arg("-o")
        .arg(&totals)
        .arg(examples.join("totals.c")));
    let preprocessed = Command::new("cc")
        .args(["-E", "-P"])
        .arg(examples.join("totals.c"))
        .output()
        .expect("cc starts");
    let orders = fs::read(examples.join("orders.csv")).expect("the example");
    let crash = "ulimit -c 0; ./totals candidate.c; test $? = 136";
    let division = "cc -O1 -S -o out.s candidate.c && grep -q idiv out.s";

    println!("| case | deltas | minimiser | trials | kept | seconds |");
    println!("|---|---|---|---|---|---|");
    compare(
        "orders.csv, lines",
        &orders,
        Unit::Line,
        crash,
        directory.path(),
    );
    compare(
        "totals.i with its division, lines",
        &preprocessed.stdout,
        Unit::Line,
        division,
        directory.path(),
    );
    let fewer = keep_lines(&preprocessed.stdout, division, directory.path());
    compare(
        "the lines left of it, words",
        &fewer,
        Unit::Word,
        division,
        directory.path(),
    );
}

fn run(command: &mut Command) {
    assert!(command.status().expect("it starts").success());
}

fn keep_lines(text: &[u8], script: &str, directory: &Path) -> Vec<u8> {
    let space = Flat::new(text, Unit::Line);
    let mut tester = ScriptTester {
        space: &space,
        script,
        directory,
        known: HashMap::new(),
    };
    let kept = minimise(&mut tester, &Subset::full(space.len()), |piece| {
        space.weight(piece)
    })
    .expect("nothing stops it");
    space.text(&kept).to_vec()
}

fn compare(case: &str, text: &[u8], unit: Unit, script: &str, directory: &Path) {
    let space = Flat::new(text, unit);
    let all = Subset::full(space.len());
    for (name, minimiser) in MINIMISERS {
        let start = Instant::now();
        let mut tester = ScriptTester {
            space: &space,
            script,
            directory,
            known: HashMap::new(),
        };
        let kept = minimiser(&mut tester, &space, &all).expect("nothing stops it");
        assert_eq!(
            tester.test(&kept).expect("nothing stops it").outcome,
            Outcome::Fail,
            "{case}, {name}"
        );
        println!(
            "| {case} | {} | {name} | {} | {} | {:.1} |",
            space.len(),
            tester.known.len(),
            kept.len(),
            start.elapsed().as_secs_f64(),
        );
    }
}
