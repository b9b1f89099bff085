//! Ghassan Misherghi: Hierarchical Delta Debugging

use std::path::Path;
use std::sync::Arc;

use yester_core::{Candidate, Grouping, Lab, Space, Subset, ddmin};
use yester_tree::{Flat, Grammar, Hdd, Language, OwnLanguage, Size, Tree, Unit, Variant};

use crate::simulation::Simulation;

fn grammar(language: &str) -> Arc<dyn Grammar> {
    Arc::new(Language::by_name(language).expect("compiled in").grammar())
}

fn hdd(grammar: &Arc<dyn Grammar>, variant: Variant) -> Hdd<'static> {
    Hdd {
        grammar: Arc::clone(grammar),
        valid: true,
        wrap: &Candidate::File,
        variant,
        by_branch: false,
        promote: false,
    }
}

fn reduce<R: Fn(&[u8]) -> bool>(hdd: &Hdd<'_>, text: &str, rule: R) -> (String, Simulation<R>) {
    assert!(rule(text.as_bytes()), "the text fails");
    let mut lab = Simulation::new(rule);
    let text = hdd
        .reduce(&mut lab, text.as_bytes().into(), &mut |_| {})
        .expect("nothing stops it");
    let text = String::from_utf8(text.to_vec()).expect("text");
    for trial in &lab.trials {
        eprintln!("{} {:?}", (lab.rule)(trial), String::from_utf8_lossy(trial));
    }
    eprintln!("{} trials\n{}", lab.trials.len(), text);
    (text, lab)
}

/// A text without its white space.
fn squeezed(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.split_whitespace().collect()
}

/// Figure 2.1.
const MOTIVATION: &str = "\
void f()
{
    int x; int y;
    if (x!=0) { y= x; } else { return 0; }
    while (y!=0) { y--; }
    return y;
}
";

#[test]
fn figure_2_1_keeps_the_loop_and_the_declaration() {
    let grammar = grammar("cpp");
    let fails = |text: &[u8]| {
        let rest = squeezed(text);
        let parse = grammar.parse(text);
        parse.faults == 0
            && rest.contains("f()")
            && rest.contains("inty;")
            && holds(&grammar, &parse.tree, text, "while_statement", "y--;")
    };
    eprintln!(
        "{}",
        grammar.parse(b"f() { int y; while (0) { y--; } }").faults
    );
    eprintln!(
        "{}",
        grammar
            .parse(b"f(double z[]) { int y; while (0) { y--; } }")
            .faults
    );
    let (text, lab) = reduce(&hdd(&grammar, Variant::Once), MOTIVATION, fails);
    let expected = "f() { int y; while (0) { y--; } }";
    assert!(squeezed(text.as_bytes()).len() <= squeezed(expected.as_bytes()).len());
    assert_eq!(squeezed(text.as_bytes()), "");
    assert_eq!(lab.trials.len(), 0);
}

/// Whether there is a node of this kind with this in it.
fn holds(grammar: &Arc<dyn Grammar>, tree: &Tree, text: &[u8], kind: &str, what: &str) -> bool {
    (0..tree.len()).any(|node| {
        grammar.kind_name(tree.node(node).kind) == kind
            && squeezed(&text[tree.range(node)]).contains(what)
    })
}
