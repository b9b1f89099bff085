mod error;
mod language;
mod syntax;

use std::path::Path;

use super::{GrammarError, OwnLanguage};
use yester_tree::Grammar;

const ARITHMETIC: &str = include_str!("../../../../examples/arithmetic/arithmetic.y");
const ARITHMETIC_LEXER: &str = include_str!("../../../../examples/arithmetic/arithmetic.l");
const FAILING: &str = include_str!("../../../../examples/arithmetic/failing.txt");

const STATEMENTS: &str = r"
%token NAME NUMBER IF
%start program
%%
program: statements ;
statements: %empty | statements statement ;
statement: NAME '=' value ';' | IF value block ;
block: '{' statements '}' ;
value: NAME | NUMBER ;
";

const STATEMENTS_LEXER: &str = r#"
%%
if            return IF;
[a-z]+        return NAME;
[0-9]+        return NUMBER;
[={};]        return *yytext;
[ \t\n]+      ;
"/*"([^*]|"*"+[^*/])*"*"+"/"   ;
"#;

fn read(grammar: &str, lexer: &str) -> Result<OwnLanguage, GrammarError> {
    OwnLanguage::new(Path::new("lang.y"), grammar, Path::new("lang.l"), lexer)
}

fn language(grammar: &str, lexer: &str) -> OwnLanguage {
    read(grammar, lexer).unwrap_or_else(|error| panic!("{error}"))
}

fn arithmetic() -> OwnLanguage {
    language(ARITHMETIC, ARITHMETIC_LEXER)
}

fn kind(language: &OwnLanguage, name: &str) -> yester_tree::Kind {
    (0..u16::MAX)
        .find(|kind| language.kind_name(*kind) == name)
        .unwrap_or_else(|| panic!("there is no kind {name}"))
}

/// A tree as nested lists of the texts of its tokens.
fn outline(language: &OwnLanguage, text: &str) -> String {
    let parse = language.parse(text.as_bytes());
    assert_eq!(parse.faults, 0, "{:?}", language.fault_of(text.as_bytes()));
    let mut outline = String::new();
    let mut ends = Vec::new();
    for number in 0..parse.tree.len() {
        while ends.last().is_some_and(|end| *end <= number) {
            outline.push(']');
            ends.pop();
        }
        let node = parse.tree.node(number);
        if (node.kind as usize) < language.rules.rules.len() {
            outline.push_str(language.kind_name(node.kind));
            outline.push('[');
            ends.push(node.after as usize);
        } else {
            outline.push_str(&text[parse.tree.range(number)]);
        }
    }
    outline.extend(ends.iter().map(|_| ']'));
    outline
}
