//! What is needed, on small texts.

use super::{Bodies, Want};
use crate::{Grammar, Language};

/// What is left of a text when a tail is to be used after it, without white space at its lines' ends and empty lines.
fn needed(text: &str, tail: &str, bodies: Bodies) -> String {
    let grammar = Language::by_name("cpp").expect("compiled in").grammar();
    let entities = grammar
        .entities(text.as_bytes())
        .expect("C++ has declarations");
    let needed = entities.needed(&Want {
        words: tail.as_bytes(),
        items: Vec::new(),
        bodies,
        unwanted: Vec::new(),
    });
    let left = entities.edit(&needed, None).apply(text.as_bytes());
    let left = String::from_utf8(left).expect("text");
    let lines = left.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_mentioned_stays_with_what_it_mentions() {
    let text = "struct A {};\nstruct B { A a; };\nstruct C {};\nint f(B b);\nint g(C c);\n";
    let left = "struct A {};\nstruct B { A a; };\nint f(B b);";
    assert_eq!(needed(text, "int x = f();", Bodies::Near(0)), left);
}

#[test]
fn bodies_go_unless_their_functions_need_them() {
    let text = "int f() { return 1; }\nint g() { return f(); }\nconstexpr int h() { return 2; }\n";
    assert_eq!(needed(text, "g();", Bodies::Near(0)), "int g() {}");
    let left = "int f() { return 1; }\nint g() { return f(); }";
    assert_eq!(needed(text, "g();", Bodies::All), left);
    let left = "constexpr int h() { return 2; }";
    assert_eq!(needed(text, "h();", Bodies::Near(0)), left);
}

#[test]
fn members_stay_with_their_class_when_they_are_mentioned() {
    let text = "struct A {\nA();\nvoid f();\nvoid g();\nint x;\nint operator[](int);\n};\nvoid A::f() {}\nvoid A::g() {}\n";
    let left = "struct A {\nA();\nvoid f();\nint x;\nint operator[](int);\n};\nvoid A::f() {}";
    assert_eq!(needed(text, "A().f();", Bodies::Near(0)), left);
    assert_eq!(needed(text, "f();", Bodies::Near(0)), "");
}

#[test]
fn a_namespace_stays_when_something_in_it_does() {
    let text = "namespace a {\nint x;\n}\nnamespace b {\nint y;\n}\nusing namespace a;\nusing namespace b;\n";
    let left = "namespace a {\nint x;\n}\nusing namespace a;";
    assert_eq!(needed(text, "x;", Bodies::Near(0)), left);
}

#[test]
fn attributes_go_with_what_they_are_about() {
    let text = "__attribute__ ((pure)) int f();\nint g() __attribute__ ((pure));\nnamespace n __attribute__ ((a (\"b\"))) {\nint h();\n}\n";
    assert_eq!(needed(text, "", Bodies::Near(0)), "");
    let left = "__attribute__ ((pure)) int f();";
    assert_eq!(needed(text, "f();", Bodies::Near(0)), left);
}

#[test]
fn a_full_specialisation_stays_when_its_arguments_do() {
    let text = "template<class T> struct H;\nstruct A {};\nstruct B {};\ntemplate<> struct H<A> {};\ntemplate<> struct H<B> {};\n";
    let left = "template<class T> struct H;\nstruct A {};\ntemplate<> struct H<A> {};";
    assert_eq!(needed(text, "H<A> h;", Bodies::Near(0)), left);
}

#[test]
fn an_operator_stays_when_all_that_it_is_about_does() {
    let text = "struct A {};\nstruct B {};\nA operator+(A, A);\nB operator+(A, B);\n";
    let left = "struct A {};\nA operator+(A, A);";
    assert_eq!(needed(text, "A a;", Bodies::Near(0)), left);
}

#[test]
fn what_the_parser_does_not_know_stays() {
    let text = "extern \"C\" __typeof(f) g;\nint h();\n@@ stray ` text;\n";
    let left = needed(text, "", Bodies::Near(0));
    assert!(left.contains("@@ stray"), "{left}");
}

#[test]
fn what_opens_a_namespace_stays_with_that_namespace() {
    let text = "namespace a {\nint x;\n}\nnamespace b {\nint y;\n}\nnamespace b {\nusing namespace a;\n}\n";
    assert_eq!(needed(text, "b::x; y;", Bodies::Near(0)), text.trim_end());
}
