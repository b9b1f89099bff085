//! What is needed, on small texts.

use std::sync::Arc;

use super::{Bodies, Care, Entities, Part, Want};
use yester_tree::Replacement;

/// Wants the last declaration of a text.
fn want(entities: &Entities, near: u32) -> Want {
    let last = *entities.outer().last().expect("a declaration");
    Want {
        items: vec![last],
        everything: false,
        whole_from: usize::MAX,
        suspects: Arc::default(),
        bodies: Bodies {
            near,
            constant: usize::MAX,
            stub: ";",
            care: Care::Usual,
        },
        unwanted: Vec::new(),
        tail: None,
    }
}

/// What is left of a text, without white space at the ends of lines and empty lines.
fn left(text: &str, entities: &Entities, want: &Want) -> String {
    let edit = entities.edit(&entities.needed(want), want.tail.as_ref());
    let left = String::from_utf8(edit.apply(text.as_bytes())).expect("text");
    let lines = left.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// What is left of a text of which the last declaration is wanted: that declaration and the bodies in it stay.
fn needed(text: &str, last: &str, near: u32) -> String {
    let whole = format!("{text}{last}\n");
    let entities = Entities::new(whole.as_bytes());
    let left = left(&whole, &entities, &want(&entities, near));
    let rest = left.strip_suffix(last).expect("what is wanted stays");
    rest.trim_end().to_owned()
}

#[test]
fn what_is_mentioned_stays_with_what_it_mentions() {
    let text = "struct A {};\nstruct B { A a; };\nstruct C {};\nint f(B b);\nint g(C c);\n";
    let left = "struct A {};\nstruct B { A a; };\nint f(B b);";
    assert_eq!(needed(text, "int x = f();", 0), left);
}

#[test]
fn bodies_go_unless_their_functions_need_them() {
    let text = "int f() { return 1; }\nint g() { return f(); }\nconstexpr int h() { return 2; }\nauto k() { return 3; }\n";
    assert_eq!(needed(text, "int x = g();", 0), "int g() ;");
    let left = "int f() { return 1; }\nint g() { return f(); }";
    assert_eq!(needed(text, "int x = g();", u32::MAX), left);
    let left = "constexpr int h() { return 2; }";
    assert_eq!(needed(text, "int x = h();", 0), left);
    assert_eq!(needed(text, "int x = k();", 0), "auto k() { return 3; }");
}

#[test]
fn members_stay_with_their_class_when_they_are_mentioned() {
    let text = "struct A {\nA();\nvoid f();\nvoid g();\nint x;\nint operator[](int);\n};\nvoid A::f() {}\nvoid A::g() {}\n";
    let left = "struct A {\nA();\nvoid f();\nint x;\nint operator[](int);\n};\nvoid A::f() {}";
    assert_eq!(needed(text, "int y = A().f();", 9), left);
    assert_eq!(needed(text, "int y = f();", 9), "");
    // Without its body, what is defined outside of its class says nothing.
    assert!(!needed(text, "int y = A().f();", 0).contains("A::f"));
}

#[test]
fn a_namespace_stays_when_something_in_it_does() {
    let text = "namespace a {\nint x;\n}\nnamespace b {\nint y;\n}\nusing namespace a;\nusing namespace b;\n";
    let left = "namespace a {\nint x;\n}\nusing namespace a;";
    assert_eq!(needed(text, "int z = x;", 0), left);
    let text = "inline namespace a {\n}\nnamespace a {\nint x;\n}\n";
    assert_eq!(needed(text, "int z = x;", 0), text.trim_end());
}

#[test]
fn what_opens_a_namespace_stays_with_that_namespace() {
    let text = "namespace a {\nint x;\n}\nnamespace b {\nint y;\n}\nnamespace b {\nusing namespace a;\n}\n";
    assert_eq!(needed(text, "int z = b::x + y;", 0), text.trim_end());
}

#[test]
fn attributes_go_with_what_they_are_about() {
    let text = "__attribute__ ((pure)) int f();\nint g() __attribute__ ((pure));\nnamespace n __attribute__ ((a (\"b\"))) {\nint h();\n}\n[[nodiscard]] int k();\n";
    assert_eq!(needed(text, "int x;", 0), "");
    let left = "__attribute__ ((pure)) int f();";
    assert_eq!(needed(text, "int x = f();", 0), left);
}

#[test]
fn a_specialisation_stays_when_its_arguments_do() {
    let text = "template<class T> struct H;\nstruct A {};\nstruct B {};\ntemplate<> struct H<A> {};\ntemplate<> struct H<B> {};\n";
    let left = "template<class T> struct H;\nstruct A {};\ntemplate<> struct H<A> {};";
    assert_eq!(needed(text, "H<A> h;", 0), left);
}

#[test]
fn an_operator_stays_when_all_that_it_is_about_does() {
    let text = "struct A {};\nstruct B {};\nstruct C {};\nA operator+(A, A);\nA operator+(A, C);\nB operator-(A, A);\n";
    assert_eq!(needed(text, "A a;", 0), "struct A {};\nA operator+(A, A);");
    let text = format!("{text}A a;\n");
    let entities = Entities::new(text.as_bytes());
    let mut want = want(&entities, 0);
    want.bodies.care = Care::Most;
    let left = left(&text, &entities, &want);
    assert!(left.contains("operator-(A, A)"), "{left}");
    assert!(!left.contains("operator+(A, C)"), "{left}");
}

#[test]
fn a_variable_is_nothing_that_others_declare() {
    let text = "int count();\nint size();\nstruct A { int size; };\n";
    let user = "int f(int size) { int count = 0; for (int i = 0; i < size; ++i) count += i; return count; }";
    assert_eq!(needed(text, user, 9), "");
    let user = "int f(A a) { int size = a.size; return count(); }";
    let left = "int count();\nstruct A { int size; };";
    assert_eq!(needed(text, user, 9), left);
}

#[test]
fn a_member_of_the_own_class_is_no_function_of_others() {
    let text = "int size();\nstruct A {\nint size() const;\nint twice() const { return 2 * size(); }\n};\n";
    let left = "struct A {\nint size() const;\nint twice() const { return 2 * size(); }\n};";
    assert_eq!(needed(text, "int x = A().twice();", 9), left);
}

#[test]
fn a_statement_goes_with_those_that_use_its_variables() {
    let text = "int f();\nint g();\nint h() {\n  int x = f();\n  if (x) {\n    g();\n    x++;\n  }\n  return g();\n}\n";
    let entities = Entities::new(text.as_bytes());
    let mut want = want(&entities, 0);
    let is_first = |number: &usize| text[entities.range(*number)].trim() == "int x = f();";
    let first = (0..entities.items.len()).find(is_first);
    want.unwanted.push(Part::Item(first.expect("a statement")));
    assert_eq!(
        left(text, &entities, &want),
        "int g();\nint h() {\nreturn g();\n}"
    );
}

#[test]
fn a_name_or_a_namespace_that_is_not_wanted_leads_nowhere() {
    let text = "namespace a {\nint f();\nint f(int);\n}\nint g();\nint x = a::f() + g();\n";
    let entities = Entities::new(text.as_bytes());
    let of = |name: &str| entities.names[name.as_bytes()];
    for part in [Part::Name(of("f")), Part::Space(of("a"))] {
        let mut want = want(&entities, 0);
        want.unwanted.push(part);
        let left = left(text, &entities, &want);
        assert_eq!(left, "int g();\nint x = a::f() + g();", "{part:?}");
    }
}

#[test]
fn what_the_user_wrote_stays_whole() {
    let text = "struct A {\nvirtual int f() = 0;\n};\nstruct B {\nint g();\n};\nA *a;\n";
    let entities = Entities::new(text.as_bytes());
    let mut want = want(&entities, 0);
    want.whole_from = 0;
    assert_eq!(
        left(text, &entities, &want),
        "struct A {\nvirtual int f() = 0;\n};\nA *a;"
    );
    want.whole_from = usize::MAX;
    assert_eq!(left(text, &entities, &want), "struct A {\n};\nA *a;");
}

#[test]
fn something_else_may_stand_at_the_end() {
    let text = "int f();\nint g();\nint a = f();\nint b = a + g();\n";
    let entities = Entities::new(text.as_bytes());
    let mut want = want(&entities, 0);
    let range = entities.last(30).expect("declarations");
    let tail = Replacement {
        range,
        with: (&b"\nint a = f();\nint b = g();"[..]).into(),
    };
    want.tail = Some(entities.settle(&want, &tail));
    assert_eq!(left(text, &entities, &want), "int g();\nint b = g();");
}

#[test]
fn an_idea_that_leaves_more_out_weighs_more() {
    let text = "struct A { int a, b, c, d, e; };\nA f();\nint g();\nint h() {\n  f();\n  g();\n}\n";
    let entities = Entities::new(text.as_bytes());
    let ideas = entities.ideas(&want(&entities, 0), |_| true, |idea| idea.bytes as u64);
    let bytes = |part: &str| {
        let is_it = |number: usize| text[entities.range(number)].trim() == part;
        let found = ideas
            .iter()
            .find(|idea| matches!(idea.parts[..], [Part::Item(number)] if is_it(number)));
        found.expect("an idea").bytes
    };
    assert!(bytes("f();") > bytes("g();") + "struct A".len());
    assert!(bytes("g();") >= "int g();".len());
}

#[test]
fn declarations_are_told_apart_whatever_is_in_them() {
    let declarations = [
        "typedef void (*handler)(int);",
        "void (*signal(int number, void (*action)(int)))(int);",
        "enum { A = sizeof(pair<int, int>), B, C = (1 << 3) };",
        "template<class T, bool = (sizeof(T) > 4)> struct is_big : bool_constant<T(-1) < T(0)> {};",
        "template<class T> requires requires (T t) { t.x; } && (sizeof(T) <= 8) int constrained(T t) { return 1; }",
        "class P { int x : 3, y : 4; public: P() : x{1}, y(2) {} ~P(); operator bool() const; friend class Q; };",
        "template<> int special<P>(P p) try { return 0; } catch (...) { return 1; }",
        "static const int table[] = { 1, 2, 3 }, other = 4;",
        "extern \"C\" int linked(const char *name, ...) __attribute__ ((format (printf, 1, 2)));",
        "auto trailing(int x) -> decltype(x < 3);",
        "using alias = pair<int, char>::type;",
        "struct M { int M::*pointer; int (M::*method)(int) const; } variable;",
    ];
    let text = declarations.join("\n");
    let entities = Entities::new(text.as_bytes());
    let outer = entities.outer();
    let found: Vec<&str> = (outer
        .iter()
        .map(|number| text[entities.range(*number)].trim()))
    .collect();
    assert_eq!(found, declarations);
    let names = |number: usize| -> Vec<&str> {
        let names = &entities.items[outer[number]].names;
        let is_one = |(_, name): &(_, &u32)| names.contains(name);
        let mut names: Vec<&str> = (entities.names.iter().filter(is_one))
            .map(|(word, _)| str::from_utf8(word).expect("text"))
            .collect();
        names.sort_unstable();
        names
    };
    let expected: [&[&str]; 12] = [
        &["handler"],
        &["signal"],
        &["A", "B", "C"],
        &["is_big"],
        &["constrained"],
        &["P"],
        &["special"],
        &["other", "table"],
        &["linked"],
        &["trailing"],
        &["alias"],
        &["M", "variable"],
    ];
    for (number, expected) in expected.into_iter().enumerate() {
        assert_eq!(names(number), expected, "{}", declarations[number]);
    }
}

#[test]
fn a_type_is_needed_where_a_parameter_has_no_name() {
    let text = "enum class E { a };\nenum class F { b };\ntemplate <E, class F> struct A {};\n";
    let left = "enum class E { a };\ntemplate <E, class F> struct A {};";
    assert_eq!(needed(text, "A<1, int> x;", 0), left);
    let text = "struct B {\nstatic const int p = 1;\nstatic const int q = p ? p : 0;\n};\n";
    assert_eq!(needed(text, "int x = B::q;", 0), text.trim_end());
}

#[test]
fn a_friend_that_is_defined_in_its_class_keeps_its_body() {
    let text = "struct A {\n[[nodiscard]] friend bool operator<(A, A) { return true; }\n};\n";
    assert_eq!(needed(text, "A a;", 0), text.trim_end());
}

#[test]
fn markers_stay_only_where_as_much_as_possible_does() {
    let text =
        "#pragma GCC system_header\nstruct A {\n#pragma pack(1)\nint x;\n};\n#pragma once\nA a;\n";
    let entities = Entities::new(text.as_bytes());
    let mut want = want(&entities, 0);
    assert_eq!(left(text, &entities, &want), "struct A {\nint x;\n};\nA a;");
    want.bodies.care = Care::Most;
    assert_eq!(left(text, &entities, &want), text.trim_end());
}

#[test]
fn all_declarations_together_are_the_whole_text() {
    let text = "namespace b { int z; } namespace a { using namespace b; int f() { return 1; } static_assert(1, \"\"); }\nextern \"C\" {\nint g();\n}\nint A::h() {}\ntemplate class A<int>;\n";
    let entities = Entities::new(text.as_bytes());
    let mut want = want(&entities, 0);
    want.items = entities.outer();
    want.bodies.care = Care::Most;
    let left = entities
        .edit(&entities.needed(&want), None)
        .apply(text.as_bytes());
    assert_eq!(str::from_utf8(&left), Ok(text));
}

#[test]
fn any_bytes_have_declarations() {
    let texts = [
        "",
        "{}",
        "{x}",
        "(){}",
        "\"",
        "R\"",
        "R\"x(",
        "/*",
        "'",
        "}",
        "#\\",
        "\\",
        "{",
        "((",
        "a<",
        "template<",
        "operator",
        "enum{",
        "class",
        "#if\n{\n#else\n}\n#endif\n}",
        "int f() {",
        "int f() : a{",
        "namespace",
        "using",
        "friend;",
        "if (",
        "int f() { if",
        "int f() { do",
        "::",
        "~",
        "a::~",
        "x = [",
        "requires",
        "template<class T> requires",
        "enum class",
        "extern \"C\"",
        "int a, ",
        "int f(",
        "(*",
        "int (x",
        "struct A { public",
        "é\u{0}",
    ];
    for text in texts {
        for end in 0..=text.len() {
            let text = &text.as_bytes()[..end];
            let entities = Entities::new(text);
            let all = super::Needed::up_to(&entities, usize::MAX);
            assert_eq!(entities.edit(&all, None).apply(text), text);
        }
    }
}

#[test]
fn a_name_is_looked_for_where_it_is_said_to_be() {
    let text =
        "namespace a { struct item {}; }\nnamespace b { struct item {}; }\nstruct item {};\n";
    assert_eq!(
        needed(text, "a::item x;", 0),
        "namespace a { struct item {}; }"
    );
    assert_eq!(needed(text, "::item x;", 0), "struct item {};");
    let user = "namespace b { item x; }";
    assert_eq!(
        needed(text, user, 0),
        "namespace b { struct item {}; }\nstruct item {};"
    );
}

#[test]
fn a_namespace_shows_what_is_used_in_it_and_what_is_inline() {
    let text = "namespace a { inline namespace v1 { struct item {}; } }\nnamespace b { using namespace a; }\nnamespace c { struct item {}; }\n";
    let left = "namespace a { inline namespace v1 { struct item {}; } }";
    assert_eq!(needed(text, "a::item x;", 0), left);
    let both = format!("{left}\nnamespace b {{ using namespace a; }}");
    assert_eq!(needed(text, "namespace b { item x; }", 0), both);
    let text = format!("{text}namespace d = a;\n");
    assert!(needed(&text, "d::item x;", 0).contains(left));
}

#[test]
fn a_function_that_is_called_may_be_anywhere_and_a_member_is_in_a_class() {
    let text =
        "namespace a { int size(int); }\nnamespace b { int size; }\nstruct A { int size; };\n";
    assert_eq!(
        needed(text, "int x = size(3);", 0),
        "namespace a { int size(int); }"
    );
    assert_eq!(
        needed(text, "int f(A a) { return a.size; }", 0),
        "struct A { int size; };"
    );
}

#[test]
fn a_class_that_is_defined_elsewhere_is_needed_by_its_own_name() {
    let text = "struct A { class B; };\nclass A::B final : A {};\n";
    assert_eq!(needed(text, "A::B b;", 0), text.trim_end());
}

#[test]
fn a_specialisation_for_another_name_of_a_type_stays() {
    let text = "template <class T> struct list {};\nusing numbers = list<int>;\ntemplate <class T> struct hash {};\ntemplate <> struct hash<numbers> {};\n";
    assert_eq!(needed(text, "hash<list<int>> x;", 0), text.trim_end());
    let entities = Entities::new(format!("{text}hash<list<int>> x;\n").as_bytes());
    let mut want = want(&entities, 0);
    want.bodies.care = Care::None;
    assert!(!left(text, &entities, &want).contains("numbers"));
}

#[test]
fn a_comparison_stays_with_the_first_thing_it_compares() {
    let text =
        "struct A {};\nstruct B {};\nstruct C {};\nbool operator!=(A, B);\nA operator+(A, C);\n";
    assert_eq!(
        needed(text, "A a;", 0),
        "struct A {};\nstruct B {};\nbool operator!=(A, B);"
    );
}

#[test]
fn less_is_no_bracket_behind_a_value() {
    let text = "template <class T, bool small> struct A {};\nstruct B {\ntemplate <class T, A<T, sizeof(T) < sizeof(int)>* = nullptr> void f(T);\nint g;\n};\n";
    let left = needed(text, "int h(B b) { return b.g; }", 0);
    assert_eq!(left, "struct B {\nint g;\n};");
}

#[test]
fn what_a_class_computes_stays_with_it_if_that_is_wanted() {
    let text = "constexpr bool small = true;\nstruct A {\nstatic_assert(small);\nenum { check = sizeof(small) };\nenum { one };\n};\nA a;\n";
    let entities = Entities::new(text.as_bytes());
    let mut want = want(&entities, 0);
    assert_eq!(left(text, &entities, &want), "struct A {\n};\nA a;");
    want.bodies.care = Care::Checks;
    let all = "constexpr bool small = true;\nstruct A {\nstatic_assert(small);\nenum { check = sizeof(small) };\n};\nA a;";
    assert_eq!(left(text, &entities, &want), all);
    assert!(needed(text, "int x = A::check;", 0).contains("check"));
}

#[test]
fn a_default_of_a_template_parameter_is_no_parameter() {
    let text = "struct A {};\ntemplate <class T = const A> struct B {};\n";
    assert_eq!(needed(text, "B<> b;", 0), text.trim_end());
}

#[test]
fn a_class_or_a_function_with_a_size_in_it_is_read_like_others() {
    let text = "struct A {\ntypedef struct { char bytes[8 - sizeof(int)]; int unused(); } B;\nenum E f() { return sizeof(int); }\n};\n";
    assert_eq!(needed(text, "A a;", 0), "struct A {\n};");
    let all = "struct A {\ntypedef struct { char bytes[8 - sizeof(int)];\n} B;\n};";
    assert_eq!(needed(text, "A::B b;", 0), all);
}
