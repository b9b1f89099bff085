//! The default reduction against simulated tests.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use yester_tree::{Grammar, Language, Size, Structure};

mod simulation;
use simulation::{Simulation, reduce};

/// The text that the engine ends with, after a look at all that it was seen to fail with: none of those is better.
fn checked_answer(grammar: Arc<dyn Grammar>, text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let (answer, asked) = reduce(grammar, text, fails);
    let fails: Vec<&String> = asked.iter().filter(|text| fails(text)).collect();
    let shortest = fails.iter().map(|seen| seen.len()).min();
    let longest = shortest.map_or(text.len(), |shortest| shortest + shortest / 10);
    assert!(answer.len() <= longest, "{answer:?}, {shortest:?} seen");
    for seen in fails.iter().filter(|seen| seen.len() <= longest) {
        let [found, other] = [&answer, seen].map(|text| Size::of(text.as_bytes()));
        assert!(found <= other, "{answer:?} though {seen:?} fails");
    }
    answer
}

fn sample(name: &str) -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/samples");
    std::fs::read_to_string(samples.join(name)).expect("a sample")
}

#[test]
fn in_every_language_what_is_asked_parses_and_the_answer_is_a_fixpoint() {
    for (language, file) in [
        ("c", "sample.c"),
        ("java", "Sample.java"),
        ("javascript", "sample.js"),
        ("json", "sample.json"),
        ("python", "sample.py"),
        ("rust", "sample.rs"),
        ("go", "sample.go"),
        ("xml", "sample.xml"),
        ("sql", "sample.sql"),
        ("yaml", "sample.yaml"),
    ] {
        let Some(language) = Language::by_name(language) else {
            continue;
        };
        let grammar: Arc<dyn Grammar> = Arc::new(language.grammar());
        let text = sample(file);
        // The longest word must stay.
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
        let word = words
            .max_by_key(|word| word.len())
            .expect("words")
            .to_owned();
        let fails = |text: &str| text.contains(&word);
        let (answer, asked) = reduce(Arc::clone(&grammar), &text, &fails);
        assert!(fails(&answer));
        assert!(answer.len() < text.len() / 4, "{}: {answer}", language.name);
        let faults = grammar.parse(text.as_bytes()).faults;
        for candidate in &asked {
            let found = grammar.parse(candidate.as_bytes()).faults;
            assert!(found <= faults, "{}: {candidate}", language.name);
        }
        let (again, _) = reduce(Arc::clone(&grammar), &answer, &fails);
        assert_eq!(again, answer, "{}", language.name);
    }
}

#[test]
fn most_is_gone_after_the_first_trials() {
    let items: Vec<String> = (0..3000)
        .map(|number| format!("{{\"id\": {number}, \"n\": [1, 2]}}"))
        .collect();
    let text = format!("[{}]", items.join(", "));
    let fails = |text: &str| text.contains("1234") && text.contains("id");
    let grammar = Language::by_name("json").expect("compiled in").grammar();
    let (answer, asked) = reduce(Arc::new(grammar), &text, &fails);
    let early = asked
        .iter()
        .take(40)
        .filter(|text| fails(text))
        .map(String::len)
        .min();
    assert!(early < Some(text.len() / 20), "{early:?}");
    assert!(asked.len() < 200, "{} trials", asked.len());
    assert!(answer.len() < 15, "{answer}");
}

#[test]
fn a_log_is_reduced_to_its_last_word() {
    let line = |number: usize| match number {
        700 => "12:00 worker 7 says: warning, disk almost full\n".to_owned(),
        1500 => "12:30 worker 9 says: error, disk full\n".to_owned(),
        _ => format!(
            "12:{:02} worker {} says: all is well (really, it is)\n",
            number % 60,
            number % 10
        ),
    };
    let text: String = (0..2000).map(line).collect();
    let fails = |text: &str| text.contains("almost") && text.contains("error");
    let (answer, asked) = reduce(Arc::new(Structure::text()), &text, &fails);
    assert_eq!(
        answer.split_whitespace().collect::<String>().len(),
        "almosterror".len(),
        "{answer}"
    );
    // Two of two thousand lines cannot be found with much less than twenty questions.
    let early = asked.iter().take(30).filter(|text| fails(text));
    let best = early.map(String::len).min();
    assert!(best < Some(text.len() / 100), "{best:?} of {}", text.len());
    assert!(asked.len() < 150, "{} trials", asked.len());
}

#[test]
fn a_declaration_goes_with_the_last_of_its_uses() {
    let mut text = String::new();
    for number in 0..200 {
        text.push_str(&format!("struct s{number} {{ int a; }};\nint f{number}(struct s{number} *p) {{ return p->a; }}\n"));
    }
    text.push_str("int main(void) { return f77(0) / 0; }\n");
    let fails = |text: &str| {
        // What is used must be declared.
        let declared = |name: &str, how: &str| !text.contains(name) || text.contains(how);
        text.contains("/ 0")
            && declared("f77(0)", "int f77(")
            && declared("struct s77 *", "struct s77 {")
    };
    let grammar = Language::by_name("c").expect("compiled in").grammar();
    let (answer, asked) = reduce(Arc::new(grammar), &text, &fails);
    assert!(Size::of(answer.as_bytes()).tokens < 12, "{answer}");
    assert!(asked.len() < 150, "{} trials", asked.len());
}

#[test]
fn a_type_and_its_uses_become_simpler_together() {
    // Stars of the declaration and of the use must be as many, as a compiler would have it.
    let text = "int **f;\nint g() { return f[0][0] / 0; }\n";
    let stars_fit = |text: &str| {
        let words: String = text.split_whitespace().collect();
        words.contains("f;") && words.matches('*').count() == words.matches("[0]").count()
    };
    let fails = |text: &str| text.contains("/ 0") && text.contains("f") && stars_fit(text);
    let grammar = Language::by_name("c").expect("compiled in").grammar();
    let (answer, _) = reduce(Arc::new(grammar), text, &fails);
    assert!(!answer.contains('*'), "{answer}");
}

#[test]
fn a_function_need_not_give_anything_back() {
    let text = "class A {\n  B f() {\n    B b = new B();\n    if (1 / 0 == 0) { f(); }\n    return b;\n  }\n}\n";
    // A function with a type returns something, one without returns nothing.
    let fails = |text: &str| {
        let returns = text.contains("return b");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_function = words.contains("B f() {") || words.contains("void f() {");
        let declared = !returns || text.contains("B b");
        is_function && text.contains("1 / 0") && returns != text.contains("void") && declared
    };
    let grammar = Language::by_name("java").expect("compiled in").grammar();
    let (answer, _) = reduce(Arc::new(grammar), text, &fails);
    assert!(!answer.contains("return b"), "{answer}");
}

#[test]
fn in_go_a_function_that_returns_nothing_has_no_type_for_it() {
    let text = "package a\nfunc f(x int) int {\n\tpanic(1)\n\treturn x\n}\n";
    // A function with a type returns something, one without returns nothing.
    let fails = |text: &str| {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let has_type = words.contains(") int {") || words.contains(")int{");
        let returns = words.contains("return x") || words.contains("return 0");
        words.contains("func") && words.contains("panic(") && has_type == returns
    };
    let grammar = Language::by_name("go").expect("compiled in").grammar();
    let (answer, _) = reduce(Arc::new(grammar), text, &fails);
    assert!(!answer.contains("return x"), "{answer}");
}

#[test]
fn blocks_of_binary_data_go_with_their_lengths() {
    // A length of two bytes, the high one first, counts itself; the last block has the letter.
    let block = |content: &str| {
        let length = u8::try_from(content.len() + 2).expect("short");
        format!("\0{}{content}", char::from(length))
    };
    let text = ["abcdefgh", "", "0123456789", "abcXdef"]
        .map(block)
        .concat();
    let fails = |text: &str| {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some([high, low]) = bytes.get(at..at + 2) {
            let length = usize::from(*high) << 8 | usize::from(*low);
            if length < 2 || at + length > bytes.len() {
                return false;
            }
            if bytes[at + 2..at + length].contains(&b'X') {
                return true;
            }
            at += length;
        }
        false
    };
    let (answer, _) = reduce(Arc::new(Structure::binary()), &text, &fails);
    assert_eq!(answer, "\0\u{3}X");
}

#[test]
fn a_byte_order_mark_goes_when_nothing_needs_it() {
    for (language, text, answer) in [
        ("json", "\u{feff}[1, 2]\n", "2"),
        ("c", "\u{feff}int two, three;\n", "two;"),
        ("python", "\u{feff}two\nthree\n", "two"),
    ] {
        let grammar = Language::by_name(language).expect("compiled in").grammar();
        let fails = |text: &str| text.contains('2') || text.contains("two");
        let (found, _) = reduce(Arc::new(grammar), text, &fails);
        assert_eq!(found.trim_end(), answer, "{language}");
    }
}

#[test]
fn a_statement_leaves_its_function_once_it_returns_nothing() {
    let text = "def a():\n    match a:\n        case a:return\n";
    // Python has `return` in functions only.
    let fails =
        |text: &str| text.contains("match") && (text.contains("def") || !text.contains("return"));
    let grammar = Language::by_name("python").expect("compiled in").grammar();
    let (answer, _) = reduce(Arc::new(grammar), text, &fails);
    assert!(!answer.contains("def"), "{answer}");
}

#[test]
fn a_lifetime_is_no_quotation_mark() {
    let text = "fn h(x:&'static u8){}\nfn g(x:&'static u8,y:&'static u8){needed(x,y)}\n";
    let grammar = Language::by_name("rust").expect("compiled in").grammar();
    let fails = |text: &str| text.matches("'static").count() >= 2 && text.contains("needed(x");
    let answer = checked_answer(Arc::new(grammar), text, &fails);
    assert!(!answer.contains("fn h"), "{answer}");
}

#[test]
fn an_apostrophe_in_a_text_is_no_quotation_mark() {
    let text = "<p>it's</p><p>one's needed</p><p>it isn't</p>\n";
    let fails = |text: &str| text.contains("one's needed");
    for grammar in [
        Arc::new(Language::by_name("html").expect("compiled in").grammar()) as Arc<dyn Grammar>,
        Arc::new(Structure::text()),
    ] {
        let answer = checked_answer(grammar, text, &fails);
        assert!(!answer.contains("it"), "{answer}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_answer_is_larger_than_what_was_seen_to_fail(
        pieces in proptest::collection::vec(0usize..PIECES.len(), 1..12),
        needed in proptest::collection::vec(0usize..12, 1..4),
        is_rust in any::<bool>(),
    ) {
        let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        // Some words of the text have to stay, in order.
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut places: Vec<usize> = needed.iter().map(|place| place % words.len()).collect();
        places.sort_unstable();
        let fails = |text: &str| {
            let mut rest = text;
            places.iter().all(|place| match rest.split_once(words[*place]) {
                Some((_, after)) => {
                    rest = after;
                    true
                }
                None => false,
            })
        };
        let grammar: Arc<dyn Grammar> = if is_rust { Arc::new(Language::by_name("rust").expect("compiled in").grammar())
 } else { Arc::new(Structure::text())
 };
        checked_answer(grammar, &text, &fails);
    }
}

/// What texts are put together from: quotation marks of every kind, in pairs and alone.
const PIECES: [&str; 8] = [
    "fn h ( x : & 'static u8 ) { }\n",
    "fn g < 'a > ( x : & 'a str ) { let c = 'c' ; }\n",
    "// it's a comment\n",
    "const S : & str = \"it's \\\" here\" ;\n",
    "struct T ;\n",
    "fn f ( ) { g ( \"a b\" ) ; h ( & 1 ) }\n",
    "const C : char = '\\'' ;\n",
    "/* 'one' \"two */\n",
];

#[test]
fn comments_that_have_to_stay_cost_few_trials() {
    let mut text = String::new();
    for number in 0..300 {
        text.push_str(&format!(
            "/// About {number}.\npub fn f{number}() {{ g({number}); }}\n"
        ));
    }
    // Every function has a comment, as `deny(missing_docs)` demands, and one of them is needed.
    let fails = |text: &str| {
        text.contains("f77") && text.matches("pub fn").count() <= text.matches("///").count()
    };
    let grammar = Language::by_name("rust").expect("compiled in").grammar();
    let (answer, asked) = reduce(Arc::new(grammar), &text, &fails);
    assert!(answer.len() < 25, "{answer}");
    assert!(asked.len() < 200, "{} trials", asked.len());
}

#[test]
fn all_comments_go_at_once() {
    let line = |number: usize| format!("// Line {number}.\nf({number});\n");
    let text: String = (0..100).map(line).collect();
    let grammar = Language::by_name("javascript")
        .expect("compiled in")
        .grammar();
    let (_, asked) = reduce(Arc::new(grammar), &text, &|text| {
        text.matches("f(").count() == 100
    });
    let first = asked.iter().position(|text| !text.contains("//"));
    assert!(first < Some(20), "{first:?} of {}", asked.len());
}

#[test]
fn what_makes_no_sense_is_no_comment() {
    // The parser skips what stands between the functions, which needs to stay.
    let line = |number: usize| format!("@ {number} $ ` void f{number}() {{}}\n");
    let text: String = (0..40).map(line).collect();
    let grammar = Language::by_name("cpp").expect("compiled in").grammar();
    let mut simulation = Simulation::new(&|text| text.matches('`').count() == 40);
    simulation.reduce(Arc::new(grammar), &text);
    let phases = simulation.phases;
    assert!(!phases.contains(&"removing comments"), "{phases:?}");
}

#[test]
fn functions_whose_results_are_checked_are_emptied_all_at_once() {
    let function = |number: usize| {
        format!(
            "fn f{number}(x: u32) -> u32 {{\n    let y = x * {number};\n    let z = f1(x) + f2(x) + f3(x) + f4(x);\n    y + f0(x) + f0(y) + f0(z)\n}}\n"
        )
    };
    let text: String = (0..40).map(function).collect();
    // Every function is called, and returns something.
    let fails = |text: &str| {
        let bodies = text.split("fn ").skip(1);
        text.contains("x * 17")
            && (0..40).all(|number| text.contains(&format!("fn f{number}(")))
            && bodies
                .into_iter()
                .all(|body| body.contains("panic!()") || body.contains("y + "))
    };
    let Some(rust) = Language::by_name("rust") else {
        return;
    };
    let (_, asked) = reduce(Arc::new(rust.grammar()), &text, &fails);
    let is_empty = |text: &&String| fails(text) && text.matches("panic!()").count() == 39;
    let trials = asked.iter().position(|text| is_empty(&text));
    let trials = trials.expect("all other functions are emptied");
    assert!(trials < 20, "after {trials} trials");
}
