//! Zeller's two case studies as simulated change sets.
//!
//! A search sees a shape only through the outcomes of its tests, and in the runs with knowledge through what the paper
//! uses too: dates from the archive for DDD, directories, files and the messages of the compiler for GDB. The means over
//! several seeds are compared with the single runs that the paper reports.
//!
//! dd+ is the paper's algorithm and is there for calibration. The search of ours that is compared is `isolate` where the
//! order is total or nothing is known, since like dd+ it names the change that makes the difference while others stay
//! applied, and `minimise_closed` where needs can be learned, which promises more: its result fails alone.

use std::collections::BTreeMap;

use yester_core::{
    Answer, Grouping, Knowledge, Lesson, Predicted, Subset, Tester, dd_plus, isolate,
    minimise_closed,
};

use crate::shape::{Counted, Random, Shape, ddd, gdb};

/// Tests over all seeds, by the name of the search.
struct Study {
    name: &'static str,
    seeds: u64,
    tests: BTreeMap<&'static str, usize>,
}

impl Study {
    fn new(name: &'static str, seeds: u64) -> Self {
        Study {
            name,
            seeds,
            tests: BTreeMap::new(),
        }
    }

    /// Counts the tests of one search, which has to find the culprit and nothing else.
    fn count(
        &mut self,
        name: &'static str,
        shape: &Shape,
        search: impl FnOnce(&mut dyn Tester) -> Subset,
    ) {
        let mut counted = Counted::new(shape);
        let found = search(&mut counted);
        assert!(shape.is_found(&found), "{name} found {found:?}");
        *self.tests.entry(name).or_default() += counted.tests;
    }

    fn mean(&self, name: &str) -> f64 {
        self.tests[name] as f64 / self.seeds as f64
    }

    /// Prints the means and says whether a search takes at most this part of the paper's tests.
    fn compare(&self, name: &'static str, paper: f64, part: f64) {
        let mean = self.mean(name);
        println!("{} | {name:40} | {mean:6.1} | {paper:4}", self.name);
        assert!(mean <= part * paper, "{name}: {mean} against {paper}");
    }
}

fn two_sided(tester: &mut dyn Tester, grouping: &Grouping, count: usize) -> Subset {
    isolate(
        tester,
        grouping,
        &Subset::empty(count),
        &Subset::full(count),
    )
    .expect("nothing stops a simulated test")
    .deltas()
}

fn zeller(tester: &mut dyn Tester, grouping: &Grouping, count: usize) -> Subset {
    dd_plus(tester, grouping, &Subset::full(count)).expect("nothing stops a simulated test")
}

#[test]
fn ddd_takes_fewer_tests_than_in_the_paper() {
    let mut study = Study::new("DDD", 60);
    for seed in 0..study.seeds {
        let shape = ddd(seed);
        let count = shape.len();
        let random = &mut Random::new(seed + 1000);
        assert!(shape.unresolved_percent(count / 2, random) > 50);
        let shuffled = shape.at_random(random);
        let flat = Grouping::flat(count);
        let dated = Grouping::by(count, |change| vec![shape.date[change]]);
        let mut knowledge = Knowledge::none(count);
        knowledge.order(shape.date.clone());
        study.count("dd+ at random", &shape, |tester| {
            zeller(tester, &shuffled, count)
        });
        study.count("isolate at random", &shape, |tester| {
            two_sided(tester, &shuffled, count)
        });
        study.count("isolate in the order of the diff", &shape, |tester| {
            two_sided(tester, &flat, count)
        });
        study.count("dd+ by date, predicted", &shape, |tester| {
            zeller(&mut Predicted::new(tester, &knowledge), &dated, count)
        });
        study.count("isolate by date, predicted", &shape, |tester| {
            two_sided(&mut Predicted::new(tester, &knowledge), &dated, count)
        });
    }
    let calibrated = study.mean("dd+ at random");
    assert!((25.0..37.0).contains(&calibrated), "{calibrated}");
    study.compare("dd+ at random", 31.0, 1.2);
    study.compare("isolate at random", 31.0, 0.75);
    study.compare("isolate in the order of the diff", 31.0, 0.4);
    study.compare("dd+ by date, predicted", 12.0, 0.9);
    study.compare("isolate by date, predicted", 12.0, 0.75);
}

#[test]
fn gdb_takes_fewer_tests_than_in_the_paper() {
    let mut study = Study::new("GDB", 12);
    for seed in 0..study.seeds {
        let shape = gdb(seed);
        let count = shape.len();
        let random = &mut Random::new(seed + 1000);
        for size in [count / 2, count / 8, count / 32] {
            assert!(shape.unresolved_percent(size, random) > 90);
        }
        let shuffled = shape.at_random(random);
        let flat = Grouping::flat(count);
        let tree = Grouping::by(count, |change| shape.place[change].to_vec());
        study.count("dd+ at random", &shape, |tester| {
            zeller(tester, &shuffled, count)
        });
        study.count("isolate at random", &shape, |tester| {
            two_sided(tester, &shuffled, count)
        });
        study.count("isolate in the order of the diff", &shape, |tester| {
            two_sided(tester, &flat, count)
        });
        study.count("dd+ by directory and file", &shape, |tester| {
            zeller(tester, &tree, count)
        });
        study.count("closed by directory and file, messages", &shape, |tester| {
            let mut messages = |subset: &Subset, _: &Answer| -> Lesson { shape.messages(subset) };
            let mut knowledge = Knowledge::none(count);
            minimise_closed(
                tester,
                &tree,
                &|_| 1.0,
                &mut knowledge,
                &Subset::full(count),
                &mut messages,
            )
            .expect("nothing stops a simulated test")
        });
    }
    let calibrated = study.mean("dd+ at random");
    assert!((400.0..540.0).contains(&calibrated), "{calibrated}");
    study.compare("dd+ at random", 470.0, 1.2);
    study.compare("isolate at random", 470.0, 0.75);
    study.compare("isolate in the order of the diff", 470.0, 0.4);
    study.compare("dd+ by directory and file", 289.0, 0.9);
    study.compare("closed by directory and file, messages", 289.0, 0.3);
}
