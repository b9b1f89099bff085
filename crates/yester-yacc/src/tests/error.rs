use super::*;

const LEXER: &str = "%%\nx return X;\n";

fn in_grammar(grammar: &str) -> String {
    message(grammar, LEXER)
}

fn in_lexer(lexer: &str) -> String {
    message("%token X\n%%\ns: X ;\n", lexer)
}

fn message(grammar: &str, lexer: &str) -> String {
    match read(grammar, lexer) {
        Ok(_) => panic!("this is no error"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_unknown_symbol_has_its_place() {
    assert_eq!(
        in_grammar("%token X\n%%\ns: X\n | X unknown X ;\n"),
        "lang.y:4:6: `unknown` is neither a rule nor declared by `%token`"
    );
    assert_eq!(
        in_grammar("%token X\n%start t\n%%\ns: X ;\n"),
        "lang.y:2:8: there is no rule `t` to start with"
    );
}

#[test]
fn a_missing_sign_has_its_place() {
    assert_eq!(
        in_grammar("%token X\n%%\ns: X t\nt: X ;\n"),
        "lang.y:4:1: a `;` is missing before the rule `t`"
    );
    assert_eq!(
        in_grammar("%token X\n%%\ns: X\n"),
        "lang.y:3:5: a `;` is missing at the end of the rule `s`"
    );
    assert_eq!(
        in_grammar("%token X\n%%\ns: X ;\n  t X ;\n"),
        "lang.y:4:3: a `:` is missing after `t`"
    );
    assert_eq!(
        in_grammar("%token X\n%%\ns: X { if (1) { ;\n"),
        "lang.y:3:6: this `{` is never closed"
    );
    assert_eq!(
        in_grammar("%token X\ns: X ;\n"),
        "lang.y:3:1: there are no rules: a line `%%` must come before them"
    );
}

#[test]
fn a_declaration_that_nobody_knows_is_an_error() {
    assert_eq!(
        in_grammar("%tokens X\n%%\ns: X ;\n"),
        "lang.y:1:1: unknown declaration `%tokens`"
    );
}

#[test]
fn rules_that_never_end_are_named() {
    assert_eq!(
        in_grammar("%token X\n%%\ns: X | t ;\nt: list X ;\nlist: list X | X list ;\n"),
        "lang.y:5:1: `list` never ends: each of its productions needs another `list`"
    );
    assert_eq!(
        in_grammar("%token X\n%%\ns: s | X ;\n"),
        "lang.y:3:1: `s` can be made of `s` alone, without end"
    );
}

#[test]
fn a_bad_expression_has_its_place() {
    assert_eq!(
        in_lexer("D [9-0]\n%%\n{D}x return X;\n"),
        "lang.l:1:4: invalid character class range, the start must be <= the end"
    );
    assert_eq!(
        in_lexer("%%\n\"x\"(a return X;\n"),
        "lang.l:2:4: this `(` is never closed"
    );
    assert_eq!(
        in_lexer("%%\n\nx{E} return X;\n"),
        "lang.l:3:2: there is no definition of `{E}`"
    );
    assert_eq!(
        in_lexer("A {A}y\n%%\nx{A} return X;\n"),
        "lang.l:1:3: the definition of `{A}` needs itself"
    );
    assert_eq!(
        in_lexer("%%\nx \"X\"\nab(c ;\n"),
        "lang.l:3:3: unclosed group"
    );
}

#[test]
fn what_only_code_could_decide_is_an_error() {
    assert_eq!(
        in_lexer("%%\nx   { return known(yytext) ? X : Y; }\n"),
        "lang.l:2:5: cannot see which token `return known(yytext)?X:Y` makes: actions are not run"
    );
    assert_eq!(
        in_lexer("%%\nx   { if (a) return X; return Y; }\n"),
        "lang.l:2:5: this returns one of several tokens: actions are not run"
    );
    assert_eq!(
        in_lexer("%%\nx   { yyless(1); return X; }\n"),
        "lang.l:2:5: `yyless` is not supported: actions are not run"
    );
    assert_eq!(
        in_lexer("%%\nx/y   return X;\n"),
        "lang.l:2:2: trailing context (`a/b`) is not supported; for a slash write \"/\""
    );
}
