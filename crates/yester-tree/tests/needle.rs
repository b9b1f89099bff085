//! How many trials it takes to find needles in a haystack.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use yester_core::{
    Answer, Candidate, Hash, Lab, Outcome, Phase, Sequential, Space, Subset, Tester,
};
use yester_tree::{Grammar, Language, ReduceTuning, Structure, reduce_text};

/// Answers by looking at the text. A text that was tested once is not tested again.
struct Simulation<'a> {
    fails: &'a dyn Fn(&str) -> bool,
    tested: HashMap<Hash, Outcome>,
}

impl Lab for Simulation<'_> {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        Box::new(Sequential(|subset: &Subset| {
            let text = match space.render(subset) {
                Ok(Candidate::File(text)) => text,
                Ok(Candidate::Tree(_)) => unreachable!("candidates are files"),
                Err(infeasible) => return Ok(Answer::infeasible(infeasible)),
            };
            let outcome = self.tested.entry(Hash::of(&text)).or_insert_with(|| {
                if (self.fails)(&String::from_utf8_lossy(&text)) {
                    Outcome::Fail
                } else {
                    Outcome::Pass
                }
            });
            Ok(Answer::known(*outcome))
        }))
    }

    fn enter(&mut self, _: Phase) {}
}

/// The numbers of the lines that have a needle. They look random and are the same everywhere.
fn scattered(needles: usize, lines: usize) -> BTreeSet<usize> {
    let mut places = BTreeSet::new();
    let mut state: usize = 1;
    while places.len() < needles {
        state = state * 48_271 % 2_147_483_647;
        places.insert(state / 7 % lines);
    }
    places
}

/// Ten needles in a row each time.
fn clustered(needles: usize, lines: usize) -> BTreeSet<usize> {
    let starts = scattered(needles / 10, lines / 10);
    let places = starts.iter().flat_map(|start| 10 * start..10 * start + 10);
    places.collect()
}

/// A text with a line for each number, of which some have a needle.
fn text(lines: usize, places: &BTreeSet<usize>, needle: impl Fn(usize) -> String) -> String {
    let mut needles = (0..).map(needle);
    let line = |number| {
        if places.contains(&number) {
            needles.next().expect("without end")
        } else {
            format!(
                "line {number} of the text, with some words and {}",
                number * 37 % 1000
            )
        }
    };
    (0..lines).map(line).map(|line| line + "\n").collect()
}

fn reduce(grammar: Arc<dyn Grammar>, text: &str, fails: &dyn Fn(&str) -> bool) -> (String, usize) {
    assert!(fails(text));
    let tested = HashMap::new();
    let mut simulation = Simulation { fails, tested };
    let valid = grammar.is_strict();
    let bytes = text.as_bytes().into();
    let tuning = ReduceTuning::default();
    let reduced = reduce_text(&mut simulation, bytes, grammar, valid, tuning).expect("no stop");
    let answer = String::from_utf8(reduced.text.to_vec()).expect("text");
    (answer, simulation.tested.len())
}

/// Every line is needed exactly as it is. Gives how many trials it takes to find them.
fn trials_for_lines(lines: usize, places: &BTreeSet<usize>, needle: fn(usize) -> String) -> usize {
    let needles: Vec<String> = (0..places.len()).map(needle).collect();
    let fails = |text: &str| {
        let lines: BTreeSet<&str> = text.lines().collect();
        needles.iter().all(|needle| lines.contains(&needle[..]))
    };
    let text = text(lines, places, needle);
    let (answer, trials) = reduce(Arc::new(Structure::text()), &text, &fails);
    assert_eq!(answer, needles.join("\n"));
    trials
}

#[test]
fn forty_lines_of_three_thousand_take_little_more_than_a_trial_for_each_byte_left() {
    let short = |number| format!("needle{number}");
    let scattered = scattered(40, 3040);
    let trials = trials_for_lines(3040, &scattered, short);
    assert!(trials < 1300, "{trials}");
    let trials = trials_for_lines(3040, &clustered(40, 3040), short);
    assert!(trials < 900, "{trials}");
    let long = |number| format!("the line with needle {number}, which stays");
    let trials = trials_for_lines(3040, &scattered, long);
    assert!(trials < 3100, "{trials}");
}

#[test]
fn where_every_part_of_the_text_has_a_needle_smaller_parts_are_tried_at_once() {
    let short = |number| format!("needle{number}");
    let trials = trials_for_lines(1500, &scattered(150, 1500), short);
    assert!(trials < 4000, "{trials}");
}

#[test]
fn forty_words_inside_lines_take_as_many_trials_whatever_is_around_them() {
    let places = scattered(40, 3040);
    let needle = |number| format!("line with needle{number} and more words");
    let needles: Vec<String> = (0..40).map(|number| format!("needle{number}")).collect();
    let fails = |text: &str| {
        let words: BTreeSet<&str> = text
            .split(|letter: char| !letter.is_alphanumeric())
            .collect();
        needles.iter().all(|needle| words.contains(&needle[..]))
    };
    let input = text(3040, &places, needle);
    let (answer, trials) = reduce(Arc::new(Structure::text()), &input, &fails);
    assert!(answer.split_whitespace().eq(&needles), "{answer}");
    assert!(trials < 1500, "{trials}");

    let fails = |text: &str| text.lines().filter(|line| line.contains("needle")).count() >= 40;
    let (answer, trials) = reduce(Arc::new(Structure::text()), &input, &fails);
    assert_eq!(answer, ["needle"; 40].join("\n"));
    assert!(trials < 1900, "{trials}");
}

#[test]
fn forty_objects_of_a_json_list_take_fewer_than_two_thousand_trials() {
    let places = scattered(40, 2000);
    let object = |number: usize| {
        if places.contains(&number) {
            format!("{{\"id\": {number}, \"name\": \"needle\"}}")
        } else {
            format!("{{\"id\": {number}, \"name\": \"other\"}}")
        }
    };
    let objects: Vec<String> = (0..2000).map(object).collect();
    let fails = |text: &str| text.matches("needle").count() >= 40;
    let json = Language::by_name("json").expect("it is there").grammar();
    let (answer, trials) = reduce(Arc::new(json), &format!("[{}]", objects.join(", ")), &fails);
    assert_eq!(answer.matches("needle").count(), 40);
    assert!(answer.len() < 420, "{answer}");
    assert!(trials < 2000, "{trials}");
}
