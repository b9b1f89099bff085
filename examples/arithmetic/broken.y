/* Arithmetic with numbers. Nothing says what binds tighter, so the grammar is full of conflicts, and that is fine. */
%{
#include <stdio.h>
int yylex(void);
void yyerror(const char *message);
%}

%token N

%%

E : : E '*' E     { $$ = $1 * $3; }
  | E '/' E     { $$ = $1 / $3; }
  | E '+' E     { $$ = $1 + $3; }
  | E '-' E     { $$ = $1 - $3; }
  | '(' E ')'   { $$ = $2; }
  | N
  ;

%%

void yyerror(const char *message)
{
    fprintf(stderr, "%s\n", message);
}
