use super::*;

#[test]
fn code_and_what_belongs_to_it_is_ignored() {
    let grammar = r#"
%{
  %token is not one here; { 'unbalanced
%}
%require "3.2"
%name-prefix="own_"
%define api.value.type {struct { int a; }}
%code requires { typedef struct { char *text; } value; }
%union { int number; struct { char *text; } name; }
%token <number> NUM 258 "number"  /* a comment: %token NO */
%token <name> ID
%type <number> list item // another
%destructor { free($$); } <name>
%start list
%expect 0
%%
list: item { if (1) { puts("}"); } /* } */ }
    | list ',' { middle('{', '\''); } item[last] { $$ = $<number>2 + $last; }
    ;
item: "number" | ID;
item: '"' ID '"' %prec ',' { } ;
%%
int main(void) { return yyparse(); } '
"#;
    let lexer = "%%\n[0-9]+ return NUM;\n[a-z]+ return ID;\n[,\\\"] return yytext[0];\n";
    let language = language(grammar, lexer);
    assert_eq!(
        outline(&language, "1,a,\"b\""),
        "list[list[list[item[1]],item[a]],item[\"b\"]]"
    );
    assert!(language.notes().is_empty(), "{:?}", language.notes());
}

#[test]
fn flex_files_have_definitions_states_and_actions() {
    let grammar = "%token ID NUM STR LE EQ IF\n%%\nall: | all one ;\n\
        one: ID | NUM | STR | LE | EQ | IF | '\\n' | '<' | '/' ;\n";
    let lexer = r#"
%{
int lines; /* %% */
%}
%option noyywrap case-insensitive
%x COMMENT
DIGIT     [0-9]
SUFFIX    (l|ll|u)
NUMBER    {DIGIT}+("."{DIGIT}+)?
LETTER    [[:alpha:]_\x80-\xff]
%%
    /* code that is
       indented */
%{
  more();
%}
"if"            { count(); return(IF); }
{LETTER}({LETTER}|{DIGIT})*   { yylval.name = strdup("return X;"); /* return Y; */ return token::ID; }
{NUMBER}{SUFFIX}?  {
                  if (yylval) { debug('}'); }
                  return NUM;
                }
\"([^"\\\n]|\\.)*\"   return STR;
"<"|"<="        |
">="            return LE;
"=="            return EQ;
"<-"            return '<';
"/"             return yytext[0];
"/*"            BEGIN(COMMENT);
<COMMENT>{
  "*/"          { BEGIN(INITIAL); }
  .|\n          ;
}
\n              { ++lines; return '\n'; }
[ \t]+          /* nothing */
<<EOF>>         { yyterminate(); }
%%
int yywrap(void) { return 1; }
"#;
    let language = language(grammar, lexer);
    let tokens = |text: &str| -> Vec<String> {
        let parse = language.parse(text.as_bytes());
        assert_eq!(parse.faults, 0, "{:?}", language.fault_of(text.as_bytes()));
        let kinds = parse.tree.leaves().map(|leaf| parse.tree.node(leaf).kind);
        kinds
            .map(|kind| language.kind_name(kind).to_owned())
            .filter(|name| name != "all")
            .collect()
    };
    assert_eq!(tokens("If IFx é1 1.5ll"), ["IF", "ID", "ID", "NUM"]);
    assert_eq!(tokens("<= < <-"), ["LE", "LE", "'<'"]);
    assert_eq!(tokens(">===/"), ["LE", "EQ", "'/'"]);
    assert_eq!(tokens("/* if \n ** */\n"), ["'\\n'"]);
    assert_eq!(tokens(r#""a\"b" "" 7"#), ["STR", "STR", "NUM"]);
    assert_eq!(language.minimal(kind(&language, "STR")), Some("\"\""));
}

#[test]
fn the_syntax_of_lrlex_is_understood() {
    let grammar =
        "%start Expr\n%%\nExpr -> Result<u64, Vec<&'a str>>: Expr '+' \"INT\" { $1 } | 'INT' ;\n";
    let lexer = "%%\n[0-9]+ \"INT\"\n\\+ '+'\n[\\t ]+ ;\n";
    let language = language(grammar, lexer);
    assert_eq!(outline(&language, "1 + 2"), "Expr[Expr[1]+2]");
    assert!(language.notes().is_empty(), "{:?}", language.notes());
}

#[test]
fn tokens_that_only_one_side_knows_are_noted() {
    let grammar = "%token A B\n%%\ns: A | B | error ;\n";
    let language = language(grammar, "%%\na return A;\n^c return C;\n");
    assert_eq!(
        language.notes(),
        [
            "lang.l:3:1: `^` is ignored: the pattern may match inside a line too",
            "lang.l:3:1: the grammar does not know the token `C`",
            "lang.y:1:10: the lexer never makes the token B",
        ]
    );
    assert_eq!(language.minimal(kind(&language, "B")), None);
    assert_eq!(language.minimal(kind(&language, "s")), Some("a"));
}
