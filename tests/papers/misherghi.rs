//! Ghassan Misherghi: Hierarchical Delta Debugging

use std::path::Path;
use std::sync::Arc;

use yester_core::{Candidate, Grouping, Lab, Space, Stop, Subset, ddmin};
use yester_tree::{Flat, Grammar, Hdd, Language, Size, Tree, Unit, Variant};
use yester_yacc::OwnLanguage;

use crate::java;
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
        hoist: false,
    }
}

/// What a text becomes, and what was asked on the way.
fn reduce<R: Fn(&[u8]) -> bool>(hdd: &Hdd<'_>, text: &str, rule: R) -> (String, Simulation<R>) {
    assert!(rule(text.as_bytes()), "the text fails");
    let mut lab = Simulation::new(rule);
    let text = hdd.reduce(&mut lab, text.as_bytes().into());
    let text = text.expect("nothing stops it");
    (String::from_utf8(text.to_vec()).expect("text"), lab)
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

/// The thesis has Elsa for C, which takes it for C++: a function needs no type.
#[test]
fn figure_2_1_keeps_the_loop_and_the_declaration() {
    let grammar = grammar("cpp");
    let fails = |text: &[u8]| {
        let parse = grammar.parse(text);
        let function = |what| holds(&grammar, &parse.tree, text, "function_definition", what);
        parse.faults == 0
            && function("f()")
            && function("inty;")
            && holds(&grammar, &parse.tree, text, "while_statement", "y--;")
    };
    let (text, lab) = reduce(&hdd(&grammar, Variant::Once), MOTIVATION, fails);
    let expected = "f() { int y; while (0) { y--; } }";
    assert_eq!(squeezed(text.as_bytes()), squeezed(expected.as_bytes()));
    assert!(lab.trials.len() <= 20);
}

/// Figure 4.1.
const BUG: &str = "\
double mult( double z[], int n )
{
    int i;
    int j;
    for (j= 0; j< n; j++) {
        i= i+j+1;
        z[i]=z[i]*(z[0]+0);
    }
    return z[n];
}

int copy(double to[], double from[], int count)
{
    int n= (count+7)/8;
    switch (count%8) do {
        case 0: *to++ = *from++;
        case 7: *to++ = *from++;
        case 6: *to++ = *from++;
        case 5: *to++ = *from++;
        case 4: *to++ = *from++;
        case 3: *to++ = *from++;
        case 2: *to++ = *from++;
        case 1: *to++ = *from++;
    } while (--n > 0);
    return (int)mult(to,2);
}

int main( int argc, char *argv[] )
{
    double x[20], y[20];
    double *px= x;

    while (px < x + 20)
        *px++ = (px-x)*(20+1.0);

    return copy(y,x,20);
}
";

/// What crashed GCC: the two assignments in a loop of a function that knows the variables.
fn crashes_gcc(grammar: &Arc<dyn Grammar>, text: &[u8]) -> bool {
    let parse = grammar.parse(text);
    let function = |what| holds(grammar, &parse.tree, text, "function_definition", what);
    let in_loop = |what| holds(grammar, &parse.tree, text, "for_statement", what);
    // A loop that is the body of a switch is too much for the grammar.
    let allowed = usize::from(squeezed(text).contains("switch(count%8)do"));
    parse.faults <= allowed
        && (function("(doublez[]") || function("(double*z"))
        && function("inti;")
        && function("intj;")
        && in_loop("i=i+j+1;")
        && in_loop("z[i]=z[i]*(z[0]+0);")
}

#[test]
fn table_4_1_bug_c_becomes_smaller_than_in_the_thesis_with_fewer_tests() {
    let grammar = grammar("cpp");
    let fails = |text: &[u8]| crashes_gcc(&grammar, text);
    let expected = "a(double z[]) { int i; int j; for (;;) { i=i+j+1; z[i]=z[i]*(z[0]+0); } }";
    // The thesis has 86 tests for HDD, 164 for HDD*, and 51 tokens for both. It has no numbers for HDD+, and none for
    // ddmin on branches.
    for (variant, by_branch, most) in [
        (Variant::Once, false, 73),
        (Variant::Plus, false, 77),
        (Variant::Star, false, 81),
        (Variant::Once, true, 44),
        (Variant::Plus, true, 51),
        (Variant::Star, true, 54),
    ] {
        let hdd = Hdd {
            by_branch,
            ..hdd(&grammar, variant)
        };
        let (text, mut lab) = reduce(&hdd, BUG, fails);
        assert_eq!(squeezed(text.as_bytes()), squeezed(expected.as_bytes()));
        assert_eq!(Size::of(text.as_bytes()).tokens, 49);
        let trials = lab.trials.len();
        assert!(trials <= most, "{variant:?} {by_branch}: {trials}");
        let text = text.into_bytes().into();
        let is_minimal = hdd.is_one_tree_minimal(&mut lab, text).unwrap();
        assert!(is_minimal, "here, HDD is enough");
    }
}

/// Why HDD does not do: what is left out further down is what needed something further up.
#[test]
fn section_3_4_a_declaration_outlives_its_uses_in_one_round() {
    let grammar = grammar("c");
    let text = "int f() { int x; while (x != 0) { y--; } }";
    let fails = |text: &[u8]| {
        let squeezed = squeezed(text);
        let is_declared = squeezed.contains("intx;") || !squeezed.contains("x!=0");
        is_declared && squeezed.contains("y--") && grammar.parse(text).faults == 0
    };
    for (variant, is_gone) in [
        (Variant::Once, false),
        (Variant::Plus, true),
        (Variant::Star, true),
    ] {
        let hdd = hdd(&grammar, variant);
        let (text, mut lab) = reduce(&hdd, text, fails);
        assert_eq!(!text.contains('x'), is_gone, "{variant:?}: {text}");
        let text = text.into_bytes().into();
        let is_minimal = hdd.is_one_tree_minimal(&mut lab, text).unwrap();
        assert_eq!(is_minimal, is_gone, "{variant:?}");
    }
}

/// The grammar of figure 5.2, with numbers of these digits.
fn arithmetic(digits: &str) -> Arc<dyn Grammar> {
    let grammar = include_str!("../../examples/arithmetic/arithmetic.y");
    let lexer = include_str!("../../examples/arithmetic/arithmetic.l").replace("[0-9]", digits);
    let path = |name: &'static str| Path::new(name);
    let language = OwnLanguage::new(path("a.y"), grammar, path("a.l"), &lexer);
    Arc::new(language.expect("it is a grammar"))
}

/// What an expression is, with the usual precedence, or nothing after a division by zero.
fn evaluate(tokens: &mut &[u8]) -> Option<i64> {
    let mut sum = product(tokens)?;
    while let [sign @ (b'+' | b'-'), rest @ ..] = *tokens {
        *tokens = rest;
        let next = product(tokens)?;
        sum += if *sign == b'+' { next } else { -next };
    }
    Some(sum)
}

fn product(tokens: &mut &[u8]) -> Option<i64> {
    let mut product = factor(tokens)?;
    while let [sign @ (b'*' | b'/'), rest @ ..] = *tokens {
        *tokens = rest;
        let next = factor(tokens)?;
        product = match sign {
            b'*' => product * next,
            _ => product.checked_div(next)?,
        };
    }
    Some(product)
}

fn factor(tokens: &mut &[u8]) -> Option<i64> {
    if let [b'(', rest @ ..] = *tokens {
        *tokens = rest;
        let inner = evaluate(tokens);
        *tokens = &tokens[inner.map_or(0, |_| 1)..];
        return inner;
    }
    let digits = tokens
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (number, rest) = tokens.split_at(digits);
    *tokens = rest;
    Some(
        number
            .iter()
            .fold(0, |value, digit| 10 * value + i64::from(digit - b'0')),
    )
}

/// The thesis takes 1 for the shortest number and ends at (1/(2-2))+1. A sum is an expression without one of its parts
/// too, so the part goes here instead.
#[test]
fn chapter_5_3_divides_by_zero_in_a_small_expression() {
    for (digits, level, hoisted) in [
        ("[1-9]", "((1)/(2-2))", "1/(2-2)"),
        ("[0-9]", "((0)/(0))", "0/0"),
    ] {
        let grammar = arithmetic(digits);
        let fails = |text: &[u8]| {
            grammar.parse(text).faults == 0 && evaluate(&mut squeezed(text).as_bytes()).is_none()
        };
        let expression = "((1+(2*3))/(2-2))+(3*5)";
        let (text, lab) = reduce(&hdd(&grammar, Variant::Once), expression, fails);
        assert_eq!(text, level);
        assert!(text.len() <= "(1/(2-2))+1".len());
        assert!(lab.trials.len() <= 9, "{}", lab.trials.len());
        let hoisting = Hdd {
            hoist: true,
            ..hdd(&grammar, Variant::Once)
        };
        let (text, lab) = reduce(&hoisting, expression, fails);
        assert_eq!(text, hoisted);
        assert!(lab.trials.len() <= 14, "{}", lab.trials.len());
    }
}

/// Whether something is divided by a literal zero.
fn divides_by_zero(grammar: &Arc<dyn Grammar>, tree: &Tree, text: &[u8]) -> bool {
    (0..tree.len()).any(|node| {
        let kind = grammar.kind_name(tree.node(node).kind);
        let parts = || tree.children(node).map(|part| &text[tree.range(part)]);
        kind == "binary_expression" && parts().skip(1).eq([&b"/"[..], b"0"])
    })
}

fn is_balanced(text: &[u8]) -> bool {
    let count = |wanted: u8| text.iter().filter(|byte| **byte == wanted).count();
    [b"()", b"[]", b"{}"]
        .iter()
        .all(|[open, close]| count(*open) == count(*close))
}

#[test]
fn chapter_5_4_finds_the_division_in_a_java_class() {
    let grammar = grammar("java");
    let fails = |text: &[u8]| {
        // Most of what ddmin asks is told from a class without the parser, which takes long to understand nonsense.
        let might = is_balanced(text) && squeezed(text).contains("/0");
        let parse = might.then(|| grammar.parse(text));
        parse.is_some_and(|parse| parse.faults == 0 && divides_by_zero(&grammar, &parse.tree, text))
    };
    let sha1 = java::sha1();
    assert_eq!(
        squeezed(sha1.as_bytes()).len(),
        12_854,
        "the thesis has 13,269"
    );
    let (text, lab) = reduce(&hdd(&grammar, Variant::Once), &sha1, fails);
    assert_eq!(
        squeezed(text.as_bytes()),
        "classa{voida(){B+=(0)+(D^(E+(0%0/0)));}}"
    );
    assert!(squeezed(text.as_bytes()).len() <= 40, "the thesis has 41");
    let trials = lab.trials.len();
    assert!(trials <= 58, "{trials}; the thesis has 88");
    let is_valid = |trial: &Arc<[u8]>| grammar.parse(trial).faults == 0;
    assert!(lab.trials.iter().all(is_valid));

    let hoisting = Hdd {
        hoist: true,
        ..hdd(&grammar, Variant::Once)
    };
    let (text, lab) = reduce(&hoisting, &sha1, fails);
    assert_eq!(squeezed(text.as_bytes()), "0/0;");
    assert!(lab.trials.len() <= 75, "{}", lab.trials.len());

    // ddmin on bytes is far from its end after more than ten times as many tests.
    let space = Flat::new(sha1.as_bytes(), Unit::Byte);
    let mut lab = Simulation::new(fails).with_limit(10 * trials);
    let all = Subset::full(space.len());
    let stopped = ddmin(&mut *lab.tester(&space), &Grouping::flat(space.len()), &all);
    assert!(matches!(stopped, Err(Stop::Limit(_))));
}

/// Whether there is a node of this kind with this in it.
fn holds(grammar: &Arc<dyn Grammar>, tree: &Tree, text: &[u8], kind: &str, what: &str) -> bool {
    (0..tree.len()).any(|node| {
        grammar.kind_name(tree.node(node).kind) == kind
            && squeezed(&text[tree.range(node)]).contains(what)
    })
}
