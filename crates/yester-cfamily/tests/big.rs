//! Texts that are too big for their syntax trees, against simulated tests.

use std::sync::Arc;

use yester_cfamily::reduce_declarations;
use yester_core::{Answer, Candidate, Lab, Outcome, Phase, Sequential, Space, Subset, Tester};
use yester_tree::{Grammar, Language, ReduceTuning, reduce_text};

/// Answers by looking at the text, and remembers how long the shortest failing text was after each question.
struct Simulation<'a> {
    fails: &'a dyn Fn(&str) -> bool,
    shortest: Vec<usize>,
    messages: &'a str,
}

impl Lab for Simulation<'_> {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        Box::new(Sequential(|subset: &Subset| {
            let text = match space.render(subset) {
                Ok(Candidate::File(text)) => String::from_utf8_lossy(&text).into_owned(),
                Ok(Candidate::Tree(_)) => unreachable!("candidates are files"),
                Err(infeasible) => return Ok(Answer::infeasible(infeasible)),
            };
            let fails = (self.fails)(&text);
            let before = self.shortest.last().copied().unwrap_or(usize::MAX);
            let now = if fails {
                before.min(text.len())
            } else {
                before
            };
            self.shortest.push(now);
            Ok(Answer::known(if fails {
                Outcome::Fail
            } else {
                Outcome::Pass
            }))
        }))
    }

    fn enter(&mut self, _: Phase) {}

    fn messages(&self) -> &str {
        self.messages
    }
}

/// A header with this many types, each of which needs one before it, a user of one of them, and more of the header.
fn program(types: usize, user: &str) -> String {
    let declared = |number: usize| {
        let other = number / 2;
        format!(
            "namespace lib __attribute__ ((visibility (\"default\"))) {{\n\
             template <class T> struct type{number} : type{other}<T> {{\n\
             \x20 int member{number}(const type{other}<T>& other) const {{ return other.member{other}(*this); }}\n\
             \x20 typedef T value{number};\n}};\n}}\n"
        )
    };
    let header: String = (1..types).map(declared).collect();
    format!("template <class T> struct type0 {{}};\n{header}{user}\n")
}

/// Whether every type that a text mentions is declared before.
fn compiles(text: &str) -> bool {
    let mut declared = std::collections::HashSet::new();
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut before = "";
    for word in words.filter(|word| !word.is_empty()) {
        if before == "struct" {
            declared.insert(word);
        } else if word.starts_with("type") && word != "typedef" && !declared.contains(word) {
            return false;
        }
        before = word;
    }
    text.matches('{').count() == text.matches('}').count()
}

fn reduce(text: &str, messages: &str, fails: &dyn Fn(&str) -> bool) -> (String, Vec<usize>) {
    let mut simulation = Simulation {
        fails,
        messages,
        shortest: vec![text.len()],
    };
    let cpp = Language::by_name("cpp").expect("compiled in");
    let grammar: Arc<dyn Grammar> = Arc::new(cpp.grammar());
    let (text, tuning) = (text.as_bytes().into(), ReduceTuning::default());
    let reduced = reduce_declarations(&mut simulation, text, &grammar, true, tuning)
        .and_then(|text| reduce_text(&mut simulation, text, grammar, true, tuning));
    let text = reduced.expect("no stop").text.to_vec();
    (String::from_utf8(text).expect("text"), simulation.shortest)
}

#[test]
fn what_the_end_does_not_need_goes_at_once() {
    let user = "int main() {\n  lib::type700<int> value;\n  lib::type3<int> other;\n  return value.member700(other) / 0;\n}";
    let text = program(1500, user);
    let fails = |text: &str| text.contains("/ 0") && text.contains("type700") && compiles(text);
    let (answer, shortest) = reduce(&text, "", &fails);
    assert!(
        shortest[5] < text.len() / 20,
        "{} of {}",
        shortest[5],
        text.len()
    );
    assert!(answer.len() < 1000, "{answer}");
}

#[test]
fn what_is_behind_the_failing_part_goes_first() {
    let text = program(1500, "int main() { return 0; }");
    let fails = |text: &str| text.contains("member900(") && compiles(text);
    let (_, shortest) = reduce(&text, "", &fails);
    assert!(
        shortest[25] < text.len() / 20,
        "{} of {}",
        shortest[25],
        text.len()
    );
}

#[test]
fn bodies_that_messages_name_are_kept_and_others_are_not() {
    let user = "int main() {\n  lib::type1400<int> value;\n  lib::type3<int> other;\n  return value.member1400(other);\n}";
    let text = program(1500, user);
    let body = |number: usize| {
        format!(
            "int member{number}(const type{0}<T>& other) const {{ return",
            number / 2
        )
    };
    let calls = [1400, 700, 350, 175, 87];
    let line = |number: &usize| {
        let before = &text[..text.find(&body(*number)).expect("a body")];
        let line = before.matches('\n').count() + 1;
        format!("input.cpp:{line}:5:   required from here\n")
    };
    let messages: String = calls.iter().map(line).collect();
    let body = body(87);
    let fails = |text: &str| text.contains(&body) && text.contains("main") && compiles(text);
    let bodies = |messages: &str| {
        let seen = std::cell::Cell::new(None);
        let fails = |text: &str| {
            let is_first = seen.get().is_none() && text.len() < 10_000 && fails(text);
            if is_first {
                seen.set(Some(text.matches("return other").count()));
            }
            fails(text)
        };
        reduce(&text, messages, &fails);
        seen.get()
    };
    assert_eq!(bodies(&messages), Some(calls.len()));
    assert!(bodies("") > Some(calls.len()), "{:?}", bodies(""));
}
