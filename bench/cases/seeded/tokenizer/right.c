/*
 * tokenizer - splits a small C-like language into tokens.
 *
 * Reads the source from standard input and prints one token a line, `LINE:COLUMN KIND TEXT`,
 * then how many there were of each kind. It exits with 1 if there was an error.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SOURCE 16384
#define MAX_TEXT 64
#define TAB_WIDTH 8

enum kind { END, NAME, KEYWORD, INTEGER, REAL, STRING, CHARACTER, OPERATOR, ERROR, KINDS };

struct lexer {
    const char *source;
    int length;
    int position;
    int line;
    int column;
    int brackets;  /* how many brackets are open */
};

struct token {
    enum kind kind;
    int line;
    int column;
    int length;
    int is_cut;  /* whether the text is longer than what is kept */
    char text[MAX_TEXT];
};

static const char *const kind_names[KINDS] = {"end",    "name",      "keyword",  "integer", "real",
                                              "string", "character", "operator", "error"};

static const char *const keywords[] = {"break", "case",   "continue", "do",    "else",
                                       "for",   "if",     "return",   "while", NULL};

/* Longer operators come before their beginnings. */
static const char *const operators[] = {"<<=", ">>=", "...", "&&", "||", "==", "!=", "<=", ">=",
                                        "<<",  ">>",  "++",  "--", "+=", "-=", "->", NULL};

static int peek(const struct lexer *lexer, int ahead)
{
    int position = lexer->position + ahead;

    if (position >= lexer->length) {
        return 0;
    }
    return (unsigned char)lexer->source[position];
}

static void advance(struct lexer *lexer, int count)
{
    while (count > 0 && lexer->position < lexer->length) {
        char c = lexer->source[lexer->position];

        if (c == '\n') {
            lexer->line++;
            lexer->column = 1;
        } else if (c == '\t') {
            lexer->column += TAB_WIDTH - (lexer->column - 1) % TAB_WIDTH;
        } else {
            lexer->column++;
        }
        lexer->position++;
        count--;
    }
}

static void append(struct token *token, int c)
{
    if (token->length < MAX_TEXT - 1) {
        token->text[token->length++] = (char)c;
        token->text[token->length] = '\0';
    } else {
        token->is_cut = 1;
    }
}

static void take(struct lexer *lexer, struct token *token)
{
    append(token, peek(lexer, 0));
    advance(lexer, 1);
}

static void fail(struct token *token, const char *message)
{
    token->kind = ERROR;
    token->length = 0;
    token->is_cut = 0;
    while (*message) {
        append(token, *message++);
    }
}

/* Skips a comment; they nest. Gives 0 if it does not end. */
static int skip_comment(struct lexer *lexer)
{
    int depth = 0;

    do {
        if (peek(lexer, 0) == '/' && peek(lexer, 1) == '*') {
            depth++;
            advance(lexer, 2);
        } else if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
            depth--;
            advance(lexer, 2);
        } else if (peek(lexer, 0) == 0) {
            return 0;
        } else {
            advance(lexer, 1);
        }
    } while (depth > 0);
    return 1;
}

static int skip_blanks(struct lexer *lexer)
{
    for (;;) {
        int c = peek(lexer, 0);

        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            advance(lexer, 1);
        } else if (c == '/' && peek(lexer, 1) == '/') {
            while (peek(lexer, 0) != 0 && peek(lexer, 0) != '\n') {
                advance(lexer, 1);
            }
        } else if (c == '/' && peek(lexer, 1) == '*') {
            if (!skip_comment(lexer)) {
                return 0;
            }
        } else {
            return 1;
        }
    }
}

static int is_keyword(const char *text)
{
    int i;

    for (i = 0; keywords[i] != NULL; i++) {
        if (strcmp(keywords[i], text) == 0) {
            return 1;
        }
    }
    return 0;
}

static void scan_name(struct lexer *lexer, struct token *token)
{
    while (isalnum(peek(lexer, 0)) || peek(lexer, 0) == '_') {
        take(lexer, token);
    }
    token->kind = is_keyword(token->text) ? KEYWORD : NAME;
}

static int take_digits(struct lexer *lexer, struct token *token)
{
    int count = 0;

    while (isdigit(peek(lexer, 0))) {
        take(lexer, token);
        count++;
    }
    return count;
}

static void scan_number(struct lexer *lexer, struct token *token)
{
    token->kind = INTEGER;
    if (peek(lexer, 0) == '0' && (peek(lexer, 1) == 'x' || peek(lexer, 1) == 'X')) {
        take(lexer, token);
        take(lexer, token);
        while (isxdigit(peek(lexer, 0))) {
            take(lexer, token);
        }
        if (token->length == 2) {
            fail(token, "no hexadecimal digits");
        }
        return;
    }
    take_digits(lexer, token);
    if (peek(lexer, 0) == '.' && peek(lexer, 1) != '.') {
        token->kind = REAL;
        take(lexer, token);
        take_digits(lexer, token);
    }
    if (peek(lexer, 0) == 'e' || peek(lexer, 0) == 'E') {
        token->kind = REAL;
        take(lexer, token);
        if (peek(lexer, 0) == '+' || peek(lexer, 0) == '-') {
            take(lexer, token);
        }
        if (take_digits(lexer, token) == 0) {
            fail(token, "no digits in the exponent");
        }
    }
}

/* The character that stands after a backslash, or -1. */
static int unescape(int c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case '0':
        return '\0';
    case '\\':
    case '\'':
    case '"':
        return c;
    default:
        return -1;
    }
}

static void scan_quoted(struct lexer *lexer, struct token *token, int quote)
{
    int count = 0;
    int is_wrong = 0;

    token->kind = quote == '"' ? STRING : CHARACTER;
    take(lexer, token);
    while (peek(lexer, 0) != quote) {
        if (peek(lexer, 0) == 0 || peek(lexer, 0) == '\n') {
            fail(token, "missing quote");
            return;
        }
        if (peek(lexer, 0) == '\\') {
            take(lexer, token);
            if (unescape(peek(lexer, 0)) < 0) {
                is_wrong = 1;
            }
        }
        take(lexer, token);
        count++;
    }
    take(lexer, token);
    if (is_wrong) {
        fail(token, "unknown escape");
    } else if (quote == '\'' && count != 1) {
        fail(token, count == 0 ? "empty character" : "long character");
    }
}

static int operator_length(const struct lexer *lexer)
{
    int i;

    for (i = 0; operators[i] != NULL; i++) {
        int length = (int)strlen(operators[i]);

        if (length <= lexer->length - lexer->position
            && strncmp(operators[i], lexer->source + lexer->position, (size_t)length) == 0) {
            return length;
        }
    }
    return strchr("+-*/%<>=!&|^~?:;,.()[]{}", peek(lexer, 0)) != NULL ? 1 : 0;
}

static void scan_operator(struct lexer *lexer, struct token *token)
{
    int length = operator_length(lexer);
    int c = peek(lexer, 0);

    if (length == 0) {
        advance(lexer, 1);
        fail(token, "unknown character");
        return;
    }
    token->kind = OPERATOR;
    if (c == '(' || c == '[' || c == '{') {
        lexer->brackets++;
    } else if (c == ')' || c == ']' || c == '}') {
        if (lexer->brackets == 0) {
            advance(lexer, 1);
            fail(token, "bracket was not open");
            return;
        }
        lexer->brackets--;
    }
    while (length-- > 0) {
        take(lexer, token);
    }
}

static void next_token(struct lexer *lexer, struct token *token)
{
    int is_complete = skip_blanks(lexer);
    int c = peek(lexer, 0);

    memset(token, 0, sizeof *token);
    token->line = lexer->line;
    token->column = lexer->column;
    if (!is_complete) {
        fail(token, "comment does not end");
    } else if (c == 0) {
        token->kind = END;
    } else if (isalpha(c) || c == '_') {
        scan_name(lexer, token);
    } else if (isdigit(c)) {
        scan_number(lexer, token);
    } else if (c == '"' || c == '\'') {
        scan_quoted(lexer, token, c);
    } else {
        scan_operator(lexer, token);
    }
}

static int run(const char *source, int length)
{
    struct lexer lexer = {source, length, 0, 1, 1, 0};
    struct token token;
    int counts[KINDS] = {0};
    int i;

    do {
        next_token(&lexer, &token);
        counts[token.kind]++;
        printf("%d:%d %s", token.line, token.column, kind_names[token.kind]);
        if (token.length > 0) {
            printf(" %s%s", token.text, token.is_cut ? "..." : "");
        }
        printf("\n");
    } while (token.kind != END);
    if (lexer.brackets > 0) {
        printf("%d brackets are open\n", lexer.brackets);
        counts[ERROR]++;
    }
    for (i = NAME; i < KINDS; i++) {
        if (counts[i] > 0) {
            printf("%s: %d\n", kind_names[i], counts[i]);
        }
    }
    return counts[ERROR] > 0;
}

/* Reads all there is, up to `most` bytes, without carriage returns. */
static int read_source(char *source, int most)
{
    int length = 0;
    int c = getchar();

    while (c != EOF && length < most) {
        if (c != '\r') {
            source[length++] = (char)c;
        }
        c = getchar();
    }
    return length;
}

int main(void)
{
    static char source[MAX_SOURCE];

    return run(source, read_source(source, MAX_SOURCE - 1));
}
