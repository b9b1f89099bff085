//! What hierarchical delta debugging promises, on small texts with any structure and any test.

#[path = "../../../tests/papers/simulation.rs"]
mod simulation;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use proptest::prelude::*;
use yester_core::Candidate;
use yester_tree::{Grammar, Hdd, Language, Variant};

use simulation::Simulation;

/// Far more trials than any of the texts can need.
const LIMIT: usize = 50_000;

/// A text in the language.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (10..99u32).prop_map(|number| number.to_string()),
        Just("\"word\"".to_owned()),
        Just("null".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let members = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            members.prop_map(|items| {
                let members = items.iter().enumerate();
                let members: Vec<_> = members
                    .map(|(n, item)| format!("\"key{n}\": {item}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// A text in the language.
fn c() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (10..99u32).prop_map(|number| format!("x{number} = y + {number} * (z - 1);\n")),
        (10..99u32).prop_map(|number| format!("int x{number} = f(a, {number});\n")),
        Just("return 12;\n".to_owned()),
    ];
    let statement = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|statements| format!("{{\n{}}}\n", statements.concat())),
            (10..99u32, inner.clone())
                .prop_map(|(number, body)| format!("if (x{number} != 0) {{ {body} }}")),
            inner.prop_map(|body| format!("for (i = 10; i < n; i++) {{ {body} }}")),
        ]
    });
    prop::collection::vec(statement, 1..4)
        .prop_map(|statements| format!("void f(int a, int b)\n{{\n{}}}\n", statements.concat()))
}

fn words(text: &[u8]) -> HashSet<&[u8]> {
    text.split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether a text has some of the words of the whole that depend on the seed: leaving out more never helps.
fn keeps_words(whole: &str, seed: u64) -> impl Fn(&[u8]) -> bool {
    let mut wanted: Vec<Vec<u8>> = words(whole.as_bytes())
        .into_iter()
        .map(<[u8]>::to_vec)
        .collect();
    wanted.retain(|word| hash(word, seed).is_multiple_of(4));
    move |text| {
        let words = words(text);
        wanted.iter().all(|word| words.contains(&word[..]))
    }
}

/// Fails for the whole and for any other text with the same chance.
fn is_any(whole: &str, seed: u64) -> impl Fn(&[u8]) -> bool {
    let whole = whole.as_bytes().to_vec();
    move |text| text == whole || hash(text, seed).is_multiple_of(4)
}

fn hash(text: &[u8], seed: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (text, seed).hash(&mut hasher);
    hasher.finish()
}

fn check(language: &str, text: &str, options: (bool, bool, bool), rule: impl Fn(&[u8]) -> bool) {
    let grammar: Arc<dyn Grammar> = Arc::new(Language::by_name(language).unwrap().grammar());
    let (valid, by_branch, hoist) = options;
    assert_eq!(grammar.parse(text.as_bytes()).faults, 0, "{text}");
    let mut lab = Simulation::new(&rule).with_limit(LIMIT);
    for variant in [Variant::Once, Variant::Plus, Variant::Star] {
        let hdd = Hdd {
            grammar: Arc::clone(&grammar),
            valid,
            wrap: &Candidate::File,
            variant,
            by_branch,
            hoist,
        };
        let small = hdd.reduce(&mut lab, text.as_bytes().into());
        let small = small.expect("it ends");
        assert!(rule(&small), "what is found fails");
        assert!(small.len() <= text.len());
        if variant != Variant::Once {
            let is_minimal = hdd.is_one_tree_minimal(&mut lab, Arc::clone(&small));
            assert!(is_minimal.expect("it ends"), "{variant:?}: {small:?}");
        }
    }
    if valid {
        let is_valid = |trial: &Arc<[u8]>| grammar.parse(trial).faults == 0;
        assert!(lab.trials.iter().all(is_valid), "nothing else is tried");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plus_and_star_end_one_tree_minimal(
        json in json(),
        c in c(),
        seed: u64,
        options: (bool, bool, bool),
    ) {
        for (language, text) in [("json", json), ("c", c)] {
            check(language, &text, options, keeps_words(&text, seed));
            check(language, &text, options, is_any(&text, seed));
        }
    }
}
