//! The last bytes of an answer: what only goes when something else changes with it.

use std::sync::Arc;

use yester_tree::Language;

mod simulation;
use simulation::reduce;

fn answer(language: &str, text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let grammar = Language::by_name(language).expect("compiled in").grammar();
    assert!(fails(text), "the text fails");
    let (a, asked) = reduce(Arc::new(grammar), text, fails);
    for x in asked {
        println!("ASK {x:?}");
    }
    a
}

/// A text without white space.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn a_value_without_a_node_of_its_own_becomes_shorter() {
    let text = "<a><b c=\"FR-971\"/><b c=\"3 parts\"/></a>";
    // The beginnings of two values, each in a tag.
    let fails = |text: &str| {
        ["=\"F", "=\"3"].iter().all(|value| {
            let before = text.find(value).map_or("", |at| &text[..at]);
            before.rfind('<') > before.rfind('>')
        })
    };
    let answer = answer("xml", text, &fails);
    assert!(
        answer.contains("\"F\"") && answer.contains("\"3\""),
        "{answer}"
    );
}

#[test]
fn a_value_and_what_refers_to_it_become_shorter_together() {
    let text = "<a><b id=\"y416\"/><c ref=\"y416\"/></a>";
    let fails = |text: &str| {
        let mut values = text.split('"').skip(1).step_by(2);
        let (one, other) = (values.next(), values.next());
        one == other && one.is_some_and(|one| !one.trim().is_empty())
    };
    let answer = answer("xml", text, &fails);
    assert!(!answer.contains("y4"), "{answer}");
}

#[test]
fn an_element_without_content_is_one_tag() {
    let text = "<list><item></item><item kind=\"b\"></item></list>";
    let fails = |text: &str| text.matches("<item").count() == 2 && text.contains("<list");
    let answer = answer("xml", text, &fails);
    assert_eq!(answer, "<list><item/><item/></list>");
}

#[test]
fn indentation_becomes_narrower() {
    let text = "class A:\n    def f(self):\n        while x:\n            one\n            two\n        three\n";
    let fails = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        let widths = lines
            .iter()
            .map(|line| line.len() - line.trim_start().len());
        let widths: Vec<usize> = widths.collect();
        lines.len() == 6
            && widths[1] > 0
            && widths[2] > widths[1]
            && widths[3] > widths[2]
            && widths[3] == widths[4]
            && widths[5] == widths[2]
    };
    let answer = answer("python", text, &fails);
    let indented: usize = answer
        .lines()
        .map(|line| line.len() - line.trim_start().len())
        .sum();
    assert_eq!(indented, 1 + 2 + 3 + 3 + 2, "{answer}");
}

#[test]
fn a_property_becomes_a_shorter_one_that_is_known() {
    let text = "a { margin-left: 0; }\nb { margin-left: 1px; }\n";
    // Only these are properties, and both rules have the same.
    let fails = |text: &str| {
        let text = dense(text);
        let properties = text
            .split(['{', ';'])
            .filter_map(|part| part.split_once(':'));
        let properties: Vec<&str> = properties.map(|(name, _)| name).collect();
        properties.len() == 2
            && properties[0] == properties[1]
            && ["margin", "margin-left"].contains(&properties[0])
    };
    let answer = answer("css", text, &fails);
    assert!(!answer.contains("left"), "{answer}");
    assert!(answer.contains("margin"), "{answer}");
}

#[test]
fn a_blank_after_a_colon_goes() {
    let text = "@media (min-width: 1px) { a { margin: 0 auto; } }\n";
    let fails = |text: &str| {
        let text = dense(text);
        text.contains("@media(min-width:") && text.contains("margin:0")
    };
    let answer = answer("css", text, &fails);
    assert!(!answer.contains(": "), "{answer}");
}

#[test]
fn a_variable_is_inlined() {
    let text = "int main() {\n  long a = f(1, 2, 3, 4, 5, 6, 7, 8) << 9;\n  return a % 10;\n}\n";
    let fails = |text: &str| {
        let text = dense(text);
        let value = "f(1,2,3,4,5,6,7,8)<<9";
        let is_named = text.contains(&format!("longa={value};")) && text.contains("a%10");
        is_named || text.contains(&format!("({value})%10"))
    };
    let answer = answer("c", text, &fails);
    assert!(!answer.contains("long"), "{answer}");
}

#[test]
fn a_let_is_inlined() {
    let text = "fn f(x: u8) {\n    let a = x.one(1, 2, 3, 4, 5, 6, 7, 8).two(9);\n    g(a);\n}\n";
    let fails = |text: &str| {
        let text = dense(text);
        let value = "x.one(1,2,3,4,5,6,7,8).two(9)";
        let is_named = text.contains(&format!("leta={value};")) && text.contains("g(a)");
        is_named || text.contains(&format!("g({value})"))
    };
    let answer = answer("rust", text, &fails);
    assert!(!answer.contains("let"), "{answer}");
}

#[test]
fn a_call_is_inlined() {
    let text = "int f(int a) {\n  g();\n  return a << 40;\n}\nint main() {\n  int x = f(1);\n  return x;\n}\n";
    // The call is there, or what it does.
    let fails = |text: &str| {
        let text = dense(text);
        let is_called = ["intf(inta){g();returna<<40;}", "main(", "f(1)"];
        let main = text.split_once("main(").map_or("", |(_, main)| main);
        is_called.iter().all(|part| text.contains(part))
            || main.contains("g();")
                && main.contains("1<<40")
                && main.find("g();") < main.find("<<")
    };
    let answer = answer("c", text, &fails);
    assert!(!answer.contains("f("), "{answer}");
}

#[test]
fn a_call_in_rust_is_inlined() {
    let text =
        "fn f(a: &u8) -> u8 {\n    a.one()\n}\nfn main() {\n    let x = f(&2);\n    g(x);\n}\n";
    let fails = |text: &str| {
        let main = text.find("main");
        let is_called = ["f(a: &u8)", "f(&2)", "a.one()"]
            .iter()
            .all(|part| text.contains(part));
        main.is_some()
            && text.contains("g(")
            && (is_called || text.find(".one()") > main && text.contains("(&2).one()"))
    };
    let answer = answer("rust", text, &fails);
    assert!(!answer.contains("fn f"), "{answer}");
}

#[test]
fn a_function_of_rust_need_not_give_anything_back() {
    let text = "fn f(a: &mut u8) -> Vec<Option<u8>> {\n    unsafe\n    { g(a as _) }\n}\n";
    // A function with a type ends with an expression, one without with a statement.
    let fails = |text: &str| {
        let text = dense(text);
        let body = text.rsplit_once('{').map(|(_, body)| body);
        let is_statement = body.is_some_and(|body| body.contains(';'));
        text.contains("g(aas_)") && text.contains("fnf(") && text.contains("->") != is_statement
            || text.contains("g(aas_)};") && !text.contains("->")
    };
    let answer = answer("rust", text, &fails);
    assert!(!answer.contains("->"), "{answer}");
}

#[test]
fn a_type_changes_together_with_its_uses() {
    let text = "unsigned long f();\nunsigned long x;\nint main() { x = f(); }\n";
    // Both declarations have the same type.
    let fails = |text: &str| {
        let mut parts = text.split([';', '{']).map(str::trim);
        let function = parts.find_map(|part| part.strip_suffix("f()"));
        let variable = text
            .split(';')
            .find_map(|part| part.trim().strip_suffix(" x"));
        text.contains("main")
            && dense(text).contains("x=f()")
            && function.is_some_and(|kind| !kind.trim().is_empty())
            && function.map(str::trim) == variable.map(str::trim)
    };
    let answer = answer("c", text, &fails);
    assert!(!answer.contains("unsigned"), "{answer}");
}

#[test]
fn a_bound_moves_to_where_it_is_used() {
    let text = "fn f<T>(x: T) where T: Needed {}\n";
    let fails = |text: &str| {
        let text = dense(text);
        let is_bound = ["<T:Needed>(x:T)", "(x:implNeeded)"]
            .iter()
            .any(|bound| text.contains(bound));
        text.starts_with("fnf") && (is_bound || text.contains("<T>(x:T)whereT:Needed"))
    };
    let answer = answer("rust", text, &fails);
    assert!(dense(&answer).contains("implNeeded"), "{answer}");
}

#[test]
fn a_member_goes_with_its_value_though_another_one_has_its_name() {
    let text =
        "struct A { n: u8, m: u8 }\nstruct B { n: u8 }\nfn f() { A { n: 1, m: 2 }; B { n: 3 }; }\n";
    // The literal of a structure has all of its members.
    let fails = |text: &str| {
        let text = dense(text);
        let members = |start: &str| {
            let (_, rest) = text.split_once(start)?;
            let (inside, _) = rest.split_once('}')?;
            let names = inside.split(',').filter_map(|part| part.split_once(':'));
            Some(names.map(|(name, _)| name.to_owned()).collect::<Vec<_>>())
        };
        let fits = |declared: &str, used: &str| {
            let (one, other) = (members(declared), members(used));
            one.is_some() && one == other
        };
        fits("structA{", "{A{")
            && fits("structB{", ";B{")
            && members("structB{").is_some_and(|names| !names.is_empty())
            && members("structA{").is_some_and(|names| names.contains(&"m".to_owned()))
    };
    let answer = answer("rust", text, &fails);
    assert!(dense(&answer).starts_with("structA{m:"), "{answer}");
}

#[test]
fn a_long_token_becomes_a_simple_one_of_its_length() {
    let text = "x = \"kq3xzzplmw\"\n";
    let fails = |text: &str| {
        let inside = text.split('"').nth(1);
        inside.is_some_and(|inside| {
            inside.len() >= 10 && inside.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    let found = answer("python", text, &fails);
    assert!(found.contains("\"aaaaaaaaaa\""), "{found}");
    let text = "int needed_for_long = 1;\n";
    let fails = |text: &str| {
        let mut names = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        names.any(|name| name.len() >= 15)
    };
    let found = answer("c", text, &fails);
    assert!(found.contains("aaaaaaaaaaaaaaa"), "{found}");
}

#[test]
fn a_number_only_has_to_be_big_enough() {
    let text = "int main() { 0 >> 0xFC; }\n";
    let fails = |text: &str| {
        let text = dense(text);
        let Some((_, number)) = text.split_once(">>") else {
            return false;
        };
        let number = number.split(';').next().unwrap_or_default();
        let value = match number.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => number.parse(),
        };
        text.contains("main") && value.is_ok_and(|value| value >= 32)
    };
    let answer = answer("c", text, &fails);
    assert!(!answer.contains("0x"), "{answer}");
}

#[test]
fn a_part_is_hoisted_with_a_value_for_what_is_lost() {
    let text = "int main() {\n  for (int x = 2;;)\n    needed(x, 1 + x);\n}\n";
    // What is used is declared.
    let fails = |text: &str| {
        let text = dense(text);
        text.contains("for(intx=2;;)needed(x,1+x)") || text.contains("needed(0,1+0)")
    };
    let answer = answer("c", text, &fails);
    assert!(!answer.contains("for"), "{answer}");
}

#[test]
fn two_tokens_go_that_need_each_other() {
    let text = "f(b, c, d)\n";
    let fails = |text: &str| {
        let has = |name: &str| text.contains(name);
        has("f(") && has("c") && has("b") == has("d")
    };
    let answer = answer("python", text, &fails);
    assert_eq!(answer.trim_end(), "f(c)");
}

#[test]
fn an_expression_becomes_the_statement_that_it_is_in() {
    let Some(c) = Language::by_name("c") else {
        return;
    };
    let fails = |text: &str| text.contains("a<b") && text.contains("int f(int a,int b){");
    let text = "int f(int a,int b){if(a<b){return 1;}else{return 2;}}";
    let (answer, _) = reduce(Arc::new(c.grammar()), text, &fails);
    assert_eq!(answer, "int f(int a,int b){a<b;}");
}
