use super::super::Structure;
use super::show;
use crate::Grammar;

fn text(text: &str) -> String {
    show(Structure::text(), text.as_bytes())
}

#[test]
fn paragraphs_have_the_blank_lines_after_them() {
    assert_eq!(
        text("\na\nb\n\n \nc\n\nd\n"),
        r"(text (paragraph <line \n> (line a) (line b) <line \n> <line  \n>) (paragraph (line c) <line \n>) (line d))"
    );
}

#[test]
fn a_level_is_there_only_where_it_makes_a_difference() {
    assert_eq!(text(""), "<text >");
    assert_eq!(text("\n"), r"<text \n>");
    assert_eq!(text("\n\r\n"), r"(text <line \n> <line \r\n>)");
    assert_eq!(text("a"), "<text a>");
    assert_eq!(text("a b"), "(text a b)");
    assert_eq!(text("a\n"), "(text a)");
    assert_eq!(text("a\nb"), "(text (line a) <line b>)");
    assert_eq!(text("a\nbc"), "(text (line a) bc)");
    assert_eq!(text("a\nb\n"), "(text (line a) (line b))");
    assert_eq!(text("  a b\r\n c"), "(text (line a b) (line c))");
}

#[test]
fn brackets_around_everything_are_a_group_so_that_they_can_go() {
    assert_eq!(text("[1]"), "(text (group .[ 1 .]))");
    assert_eq!(text("a\n[1]"), "(text (line a) (group .[ 1 .]))");
}

#[test]
fn indentation_makes_blocks() {
    assert_eq!(
        text("a:\n  b:\n    c\n  d\ne\n"),
        "(text (block (line a :) (block (line b :) (line c)) (line d)) (line e))"
    );
    assert_eq!(
        text("    a\n  b\n\tc\nd\n"),
        "(text (block (line a) (block (line b) (line c))) (line d))"
    );
    assert_eq!(
        text("a\n  b\nc\n  d\n\n  e\n    f\n"),
        concat!(
            "(text (paragraph (block (line a) (line b)) (block (line c) (line d)) <line \\n>) ",
            "(block (line e) (line f)))"
        )
    );
}

#[test]
fn a_line_that_closes_a_block_is_part_of_it() {
    assert_eq!(
        text("{\n  a: [\n    1,\n    2\n  ],\n  b\n}\n"),
        concat!(
            "(text (line {) (block (line a : [) (line 1 .,) (line 2) (line ] .,)) ",
            "(line b) (line }))"
        )
    );
    assert_eq!(
        text("if {\n  a\n} else {\n  b\n}\n}\nc\n"),
        concat!(
            "(text (block (line if {) (line a) (line } else {) (line b) (line })) ",
            "(line }) (line c))"
        )
    );
    assert_eq!(
        text("<a>\n  b\n</a>\nc\n"),
        "(text (block (line < a >) (line b) (line < / a >)) (line c))"
    );
    assert_eq!(text(") a\n) b\n"), "(text (line ) a) (line ) b))");
}

#[test]
fn brackets_and_quotes_make_groups_of_items() {
    assert_eq!(
        text("f(a, b + 1; {}) x\n"),
        "(text f (group .( a ., (item b + 1) .; (group .{ .}) .)) x)"
    );
    assert_eq!(
        text("{\"id\":1,\"n\":[1,2]}\n"),
        concat!(
            "(text (group .{ (item (string .\" id .\") : 1) ., ",
            "(item (string .\" n .\") : (group .[ 1 ., 2 .])) .}))"
        )
    );
    assert_eq!(
        text("[[[1]]]\n"),
        "(text (group .[ (group .[ (group .[ 1 .]) .]) .]))"
    );
}

#[test]
fn commas_separate_the_items_of_a_line_too() {
    assert_eq!(text("a,b c,,d;\n"), "(text a ., (item b c) ., ., d .;)");
}

#[test]
fn brackets_without_a_partner_are_signs() {
    assert_eq!(text("( [ ) ] }\n"), "(text (group .( [ .)) ] })");
    assert_eq!(text("(]) ((\n"), "(text (group .( ] .)) ( ()");
    assert_eq!(text("(\n)\n"), "(text (line () (line )))");
    assert_eq!(text("( \" ) \" x\n"), "(text ( (string .\" ) .\") x)");
    assert_eq!(
        text("( \"(\" \")\" )\n"),
        "(text (group .( (item (string .\" ( .\") (string .\" ) .\")) .)))"
    );
}

#[test]
fn strings_end_on_their_line_and_know_escapes() {
    assert_eq!(
        text("\"a\\\"b\" c\n"),
        r#"(text (string ." (item a \ " b) .") c)"#
    );
    assert_eq!(text("\"a\n\"\n"), r#"(text (line " a) (line "))"#);
    assert_eq!(
        text("a \\\"b\" \"c\n"),
        r#"(text a \ " b (string ." .") c)"#
    );
    assert_eq!(
        text("it's 'a' isn't\n"),
        "(text it ' s (string .' a .') isn ' t)"
    );
    assert_eq!(
        text("\"f(x)\"\n"),
        "(text (string .\" (item f (group .( x .))) .\"))"
    );
}

#[test]
fn words_are_made_of_characters() {
    let structure = Structure::text();
    let leaves = |text: &[u8]| {
        let tree = structure.parse(text).tree;
        tree.leaves()
            .map(|leaf| tree.range(leaf))
            .collect::<Vec<_>>()
    };
    assert_eq!(leaves("aß€x y".as_bytes()), [0..1, 1..3, 3..6, 6..7, 8..9]);
    assert_eq!(leaves(b"a\xff\xe2\x82b"), [0..1, 1..2, 2..3, 3..4, 4..5]);
}

#[test]
fn a_very_long_word_is_made_of_runs() {
    let word = "ä".repeat(10_000);
    let structure = Structure::text();
    let tree = structure.parse(word.as_bytes()).tree;
    let kinds = |node| structure.kind_name(tree.node(node).kind);
    assert_eq!(tree.children(0).map(kinds).collect::<Vec<_>>(), ["run"; 5]);
    assert_eq!(tree.leaves().count(), 10_000, "no character is torn apart");
}

#[test]
fn binary_data_is_made_of_chunks() {
    let tree = Structure::binary().parse(&[0; 10_000]).tree;
    let parts = |node| {
        tree.children(node)
            .map(|child| tree.range(child))
            .collect::<Vec<_>>()
    };
    assert_eq!(parts(0), [0..4096, 4096..8192, 8192..10_000]);
    assert_eq!(parts(1).len(), 8);
    assert_eq!(parts(2).len(), 8);
    assert_eq!(parts(3).len(), 8);
    assert_eq!(parts(4).len(), 8);
    assert_eq!(tree.leaves().count(), 10_000);
    assert_eq!(show(Structure::binary(), b"\0"), "<binary \0>");
    assert_eq!(show(Structure::binary(), b"a,"), "(binary a ,)");
}

#[test]
fn text_is_told_from_binary_data() {
    for text in [
        &b""[..],
        b"a",
        b"caf\xe9 au lait\r\n\tx\x1b[0m",
        "äöü".as_bytes(),
    ] {
        assert_eq!(Structure::of(text), Structure::text());
    }
    for bytes in [&b"ab\0c"[..], b"\x89PN\x01\x02", b"\xff"] {
        assert_eq!(Structure::of(bytes), Structure::binary());
    }
}

#[test]
fn nothing_is_ever_wrong() {
    let structure = Structure::text();
    let parse = structure.parse(b"([)]\"");
    assert_eq!(parse.faults, 0);
    assert!(!structure.is_strict());
    let kind = |name| (0..100).find(|kind| structure.kind_name(*kind) == name);
    let kind = |name| kind(name).expect("a kind");
    let exchangeable = |one, other| structure.are_exchangeable(kind(one), kind(other));
    assert!(exchangeable("group", "word") && exchangeable("group", "group"));
    assert!(exchangeable("line", "block"));
    assert!(!exchangeable("line", "word") && !exchangeable("sign", "sign"));
}
