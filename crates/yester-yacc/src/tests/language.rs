use super::*;
use yester_tree::Edit;

#[test]
fn the_thesis_expression_has_the_tree_of_its_parentheses() {
    let language = arithmetic();
    assert_eq!(
        outline(&language, FAILING),
        "E[E[(E[E[(E[E[1]+E[(E[E[2]*E[3]])]])]/E[(E[E[2]-E[2]])]])]+E[(E[E[3]*E[5]])]]"
    );
}

#[test]
fn the_root_is_the_whole_text_and_skipped_text_is_in_no_token() {
    let parse = arithmetic().parse(b"  1 + 2 \n");
    assert_eq!(parse.tree.range(0), 0..9);
    let leaves: Vec<_> = parse
        .tree
        .leaves()
        .map(|leaf| parse.tree.range(leaf))
        .collect();
    assert_eq!(leaves, [2..3, 4..5, 6..7]);
}

#[test]
fn numbers_are_named_and_fixed_signs_are_not() {
    let parse = arithmetic().parse(b"1+2");
    let named: Vec<bool> = parse
        .tree
        .leaves()
        .map(|leaf| parse.tree.node(leaf).is_named)
        .collect();
    assert_eq!(named, [true, false, true]);
    assert!(parse.tree.node(0).is_named);
}

#[test]
fn the_shortest_expression_is_one_digit() {
    let language = arithmetic();
    assert_eq!(language.minimal(kind(&language, "E")), Some("0"));
    assert_eq!(language.minimal(kind(&language, "N")), Some("0"));
    assert_eq!(language.minimal(kind(&language, "'+'")), Some("+"));
}

#[test]
fn conflicts_are_named_and_resolved_by_shifting() {
    let language = arithmetic();
    let [note] = language.notes() else {
        panic!("{:?}", language.notes());
    };
    assert!(
        note.starts_with("lang.y: 16 shift/reduce conflicts, resolved by shifting: `E: E '*' E` does not end before '*'; "),
        "{note}"
    );
    assert!(note.ends_with("; and 6 more"), "{note}");
    assert_eq!(outline(&language, "1*2+3"), "E[E[1]*E[E[2]+E[3]]]");
}

#[test]
fn of_two_rules_that_could_end_the_earlier_one_does() {
    let grammar = "%token X\n%%\ns: a | b ;\nb: X ;\na: X ;\n";
    let language = language(grammar, "%%\nx return X;\n");
    assert_eq!(
        language.notes(),
        [
            "lang.y: 1 reduce/reduce conflict, resolved by the earlier rule: `b: X` and not `a: X` before the end"
        ]
    );
    assert_eq!(outline(&language, "x"), "s[b[x]]");
}

#[test]
fn precedence_is_heeded() {
    let grammar = "%token N\n%left '+' '-'\n%left '*'\n%precedence NEG\n%%\n\
        e: e '+' e | e '-' e | e '*' e | '-' e %prec NEG | N ;\n";
    let language = language(grammar, "%%\n[0-9]+ return N;\n. return yytext[0];\n");
    assert!(language.notes().is_empty(), "{:?}", language.notes());
    assert_eq!(
        outline(&language, "1-2*3+-4*5"),
        "e[e[e[1]-e[e[2]*e[3]]]+e[e[-e[4]]*e[5]]]"
    );
}

#[test]
fn lists_may_be_empty_and_parts_without_text_lie_within_their_parents() {
    let language = language(STATEMENTS, STATEMENTS_LEXER);
    assert_eq!(language.minimal(kind(&language, "statements")), Some(""));
    assert_eq!(language.minimal(kind(&language, "program")), Some(""));
    assert_eq!(language.minimal(kind(&language, "block")), Some("{}"));
    assert_eq!(language.minimal(kind(&language, "value")), Some("0"));
    assert_eq!(language.minimal(kind(&language, "statement")), Some("a=0;"));

    for text in ["", " /* nothing */ ", "a = 1; if a { b = c; }  "] {
        let parse = language.parse(text.as_bytes());
        assert_eq!(parse.faults, 0);
        for number in 1..parse.tree.len() {
            let range = parse.tree.range(number);
            let parent = parse.tree.range(parse.tree.parent(number).unwrap());
            assert!(parent.start <= range.start && range.end <= parent.end);
        }
    }
}

#[test]
fn words_that_would_run_together_are_kept_apart_and_keywords_are_not_taken_for_names() {
    let grammar = "%token A NAME\n%%\ns: A NAME ;\n";
    let language = language(grammar, "%%\na return A;\n[a-z]+ return NAME;\n\" \" ;\n");
    assert_eq!(language.minimal(kind(&language, "NAME")), Some("b"));
    assert_eq!(language.minimal(kind(&language, "s")), Some("a b"));
}

#[test]
fn a_shortest_text_that_needs_white_space_where_there_is_none_is_left_out() {
    let grammar = "%token A B\n%%\ns: t | '(' s ')' ;\nt: A A ;\n";
    let language = language(grammar, "%%\na+ return A;\n[()] return yytext[0];\n");
    assert_eq!(language.minimal(kind(&language, "t")), None);
    assert_eq!(language.minimal(kind(&language, "A")), Some("a"));
}

#[test]
fn what_the_same_rule_can_be_alone_is_exchangeable() {
    let language = language(STATEMENTS, STATEMENTS_LEXER);
    let may = |one: &str, other: &str| {
        language.are_exchangeable(kind(&language, one), kind(&language, other))
    };
    assert!(may("NAME", "NUMBER"));
    assert!(may("value", "NUMBER") && may("NUMBER", "value"));
    assert!(may("block", "block"));
    assert!(may("program", "statements"));
    assert!(!may("IF", "NAME"));
    assert!(!may("block", "value"));
}

#[test]
fn nesting_is_no_matter_of_the_stack() {
    let language = arithmetic();
    let depth = 100_000;
    let text = format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    let parse = language.parse(text.as_bytes());
    assert_eq!(parse.faults, 0);
    assert_eq!(parse.tree.len(), 3 * depth + 2);
    let unclosed = &text.as_bytes()[..2 * depth];
    assert_eq!(language.faults_after(&parse, &Edit::default(), unclosed), 1);
}

#[test]
fn what_does_not_parse_is_one_fault() {
    let language = arithmetic();
    for text in [&b"1+"[..], b"1 ? 2", b"1+\xff2", b"", b")"] {
        let parse = language.parse(text);
        assert_eq!(parse.faults, 1);
        assert_eq!(parse.tree.len(), 1);
        assert_eq!(parse.tree.range(0), 0..text.len());
        assert!(parse.tree.node(0).is_fault);
        assert_eq!(language.kind_name(parse.tree.node(0).kind), "fault");
    }
}

#[test]
fn the_first_fault_of_a_text_has_a_place_and_a_reason() {
    let language = arithmetic();
    let fault = |text: &[u8]| {
        let (line, column, message) = language.fault_of(text)?;
        Some(format!("{line}:{column}: {message}"))
    };
    assert_eq!(fault(b"1+2"), None);
    assert_eq!(
        fault(b"1 +\n  * 2").unwrap(),
        "2:3: `*` makes no sense here, expected N or '('"
    );
    assert_eq!(
        fault(b"(1").unwrap(),
        "1:3: the end makes no sense here, expected '*', '/', '+', '-' or ')'"
    );
    assert_eq!(fault(b"1+?").unwrap(), "1:3: no token starts with `?`");
    assert_eq!(fault(b"1\n\xff").unwrap(), "2:1: this is not UTF-8");
}

#[test]
fn rules_that_go_in_circles_do_not_hang() {
    let grammar = "%token X\n%%\ns: b ;\na: a | X ;\nb: a ;\n";
    let language = language(grammar, "%%\nx return X;\n");
    assert_eq!(language.parse(b"x").faults, 1);
}
