/*
 * cells - a small spreadsheet of whole numbers.
 *
 * Lines on standard input:
 *   A1 = 3 + B2 * 2     sets a cell (columns A to H, rows 1 to 16); nothing after `=` clears it
 *   print A1            shows a cell
 *   show                shows all cells that are in use
 *   copy A1 B2          copies a cell as it is
 * Formulas have + - * / %, comparisons (1 or 0), parentheses, sum(A1:B3), min, max, count and
 * if(condition, then, else).
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 8
#define ROWS 16
#define MAX_FORMULA 80

enum state { EMPTY, STALE, BUSY, FRESH };
enum error { FINE, SYNTAX, CIRCULAR, DIVISION, REFERENCE };

struct value {
    long number;
    enum error error;
};

struct cell {
    char formula[MAX_FORMULA];
    enum state state;
    struct value value;
};

struct range {
    int first_column, first_row, last_column, last_row;
};

struct parser {
    const char *at;
    enum error error;
};

static struct cell sheet[COLUMNS][ROWS];

static const char *const error_names[] = {"", "#SYNTAX", "#CIRCULAR", "#DIVISION", "#REFERENCE"};

static long parse_comparison(struct parser *parser);

static void skip_blanks(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t') {
        parser->at++;
    }
}

static int accept(struct parser *parser, char c)
{
    skip_blanks(parser);
    if (*parser->at != c) {
        return 0;
    }
    parser->at++;
    return 1;
}

static void report(struct parser *parser, enum error error)
{
    if (parser->error == FINE) {
        parser->error = error;
    }
}

static void expect(struct parser *parser, char c)
{
    if (!accept(parser, c)) {
        report(parser, SYNTAX);
    }
}

/* Reads a reference such as B12; gives 0 if there is none. */
static int parse_reference(struct parser *parser, int *column, int *row)
{
    skip_blanks(parser);
    if (!isupper((unsigned char)*parser->at) || !isdigit((unsigned char)parser->at[1])) {
        return 0;
    }
    *column = *parser->at++ - 'A';
    *row = (int)strtol(parser->at, (char **)&parser->at, 10) - 1;
    if (*column >= COLUMNS || *row < 0 || *row >= ROWS) {
        report(parser, REFERENCE);
        return 0;
    }
    return 1;
}

static struct value evaluate(struct cell *cell)
{
    struct parser parser = {cell->formula, FINE};
    struct value nothing = {0, FINE};
    struct value circular = {0, CIRCULAR};

    if (cell->state == EMPTY) {
        return nothing;
    }
    if (cell->state == BUSY) {
        return circular;
    }
    if (cell->state == STALE) {
        cell->state = BUSY;
        cell->value.number = parse_comparison(&parser);
        skip_blanks(&parser);
        if (*parser.at != '\0') {
            report(&parser, SYNTAX);
        }
        cell->value.error = parser.error;
        if (parser.error != FINE) {
            cell->value.number = 0;
        }
        cell->state = FRESH;
    }
    return cell->value;
}

static long value_at(struct parser *parser, int column, int row)
{
    struct value value = evaluate(&sheet[column][row]);

    if (value.error != FINE) {
        report(parser, value.error);
    }
    return value.number;
}

static int parse_range(struct parser *parser, struct range *range)
{
    if (!parse_reference(parser, &range->first_column, &range->first_row)) {
        return 0;
    }
    range->last_column = range->first_column;
    range->last_row = range->first_row;
    if (accept(parser, ':')) {
        if (!parse_reference(parser, &range->last_column, &range->last_row)) {
            return 0;
        }
    }
    return range->first_column <= range->last_column && range->first_row <= range->last_row;
}

/* The value of a function over the cells of a range that are in use. */
static long over_range(struct parser *parser, const char *name, const struct range *range)
{
    long sum = 0, least = 0, most = 0, count = 0;
    int column, row;

    for (column = range->first_column; column <= range->last_column; column++) {
        for (row = range->first_row; row <= range->last_row; row++) {
            long number;

            if (sheet[column][row].state == EMPTY) {
                continue;
            }
            number = value_at(parser, column, row);
            if (count == 0 || number < least) {
                least = number;
            }
            if (count == 0 || number > most) {
                most = number;
            }
            sum += number;
            count++;
        }
    }
    if (strcmp(name, "sum") == 0) {
        return sum;
    }
    if (strcmp(name, "min") == 0) {
        return least;
    }
    if (strcmp(name, "max") == 0) {
        return most;
    }
    if (strcmp(name, "count") == 0) {
        return count;
    }
    report(parser, SYNTAX);
    return 0;
}

static long parse_condition(struct parser *parser)
{
    long condition, then, otherwise;

    condition = parse_comparison(parser);
    expect(parser, ',');
    then = parse_comparison(parser);
    expect(parser, ',');
    otherwise = parse_comparison(parser);
    return condition != 0 ? then : otherwise;
}

static long parse_function(struct parser *parser)
{
    char name[8];
    int length = 0;
    struct range range;
    long result = 0;

    while (islower((unsigned char)*parser->at) && length < (int)sizeof name - 1) {
        name[length++] = *parser->at++;
    }
    name[length] = '\0';
    expect(parser, '(');
    if (parser->error != FINE) {
        return 0;
    }
    if (strcmp(name, "if") == 0) {
        result = parse_condition(parser);
    } else if (parse_range(parser, &range)) {
        result = over_range(parser, name, &range);
    } else {
        report(parser, SYNTAX);
    }
    expect(parser, ')');
    return result;
}

static long parse_factor(struct parser *parser)
{
    int column, row;
    long result;

    if (accept(parser, '-')) {
        return -parse_factor(parser);
    }
    if (accept(parser, '(')) {
        result = parse_comparison(parser);
        expect(parser, ')');
        return result;
    }
    if (isdigit((unsigned char)*parser->at)) {
        return strtol(parser->at, (char **)&parser->at, 10);
    }
    if (islower((unsigned char)*parser->at)) {
        return parse_function(parser);
    }
    if (parse_reference(parser, &column, &row)) {
        return value_at(parser, column, row);
    }
    report(parser, SYNTAX);
    return 0;
}

static long parse_product(struct parser *parser)
{
    long left = parse_factor(parser);

    for (;;) {
        char sign;
        long right;

        skip_blanks(parser);
        sign = *parser->at;
        if (sign != '*' && sign != '/' && sign != '%') {
            return left;
        }
        parser->at++;
        right = parse_factor(parser);
        if (sign == '*') {
            left *= right;
        } else if (right == 0) {
            report(parser, DIVISION);
        } else if (sign == '/') {
            left /= right;
        } else {
            left %= right;
        }
    }
}

static long parse_sum(struct parser *parser)
{
    long left = parse_product(parser);

    for (;;) {
        if (accept(parser, '+')) {
            left += parse_product(parser);
        } else if (accept(parser, '-')) {
            left -= parse_product(parser);
        } else {
            return left;
        }
    }
}

static long parse_comparison(struct parser *parser)
{
    long left = parse_sum(parser);

    if (accept(parser, '<')) {
        if (accept(parser, '=')) {
            return left <= parse_sum(parser);
        }
        return left < parse_sum(parser);
    }
    if (accept(parser, '>')) {
        if (accept(parser, '=')) {
            return left >= parse_sum(parser);
        }
        return left > parse_sum(parser);
    }
    if (accept(parser, '=')) {
        return left == parse_sum(parser);
    }
    return left;
}

/* What was computed may be wrong now. */
static void invalidate(void)
{
    int column, row;

    for (column = 0; column < COLUMNS; column++) {
        for (row = 0; row < ROWS; row++) {
            if (sheet[column][row].state == FRESH) {
                sheet[column][row].state = STALE;
            }
        }
    }
}

static void set_formula(struct cell *cell, const char *formula)
{
    strncpy(cell->formula, formula, MAX_FORMULA - 1);
    cell->formula[MAX_FORMULA - 1] = '\0';
    cell->state = cell->formula[0] != '\0' ? STALE : EMPTY;
    cell->value.number = 0;
    cell->value.error = FINE;
    invalidate();
}

static void print_cell(int column, int row)
{
    struct value value = evaluate(&sheet[column][row]);

    if (value.error != FINE) {
        printf("%c%d = %s\n", 'A' + column, row + 1, error_names[value.error]);
    } else {
        printf("%c%d = %ld\n", 'A' + column, row + 1, value.number);
    }
}

static void show(void)
{
    int column, row;
    int used = 0;

    for (row = 0; row < ROWS; row++) {
        for (column = 0; column < COLUMNS; column++) {
            if (sheet[column][row].state != EMPTY) {
                print_cell(column, row);
                used++;
            }
        }
    }
    printf("%d in use\n", used);
}

static int starts_with(struct parser *parser, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(parser->at, word, length) != 0) {
        return 0;
    }
    parser->at += length;
    return 1;
}

/* Carries out a line; gives 0 if it is not understood. */
static int execute(const char *line)
{
    struct parser parser = {line, FINE};
    int column, row, to_column, to_row;

    skip_blanks(&parser);
    if (*parser.at == '\0') {
        return 1;
    }
    if (starts_with(&parser, "show")) {
        show();
        return 1;
    }
    if (starts_with(&parser, "print")) {
        if (!parse_reference(&parser, &column, &row)) {
            return 0;
        }
        print_cell(column, row);
        return 1;
    }
    if (starts_with(&parser, "copy")) {
        if (!parse_reference(&parser, &column, &row)
            || !parse_reference(&parser, &to_column, &to_row)) {
            return 0;
        }
        set_formula(&sheet[to_column][to_row], sheet[column][row].formula);
        return 1;
    }
    if (!parse_reference(&parser, &column, &row) || !accept(&parser, '=')) {
        return 0;
    }
    skip_blanks(&parser);
    set_formula(&sheet[column][row], parser.at);
    return 1;
}

/* Ends a line at its newline and turns tabs into blanks. */
static void clean(char *line)
{
    for (; *line != '\0' && *line != '\n'; line++) {
        if (*line == '\t') {
            *line = ' ';
        }
    }
    *line = '\0';
}

int main(void)
{
    char line[128];
    int number = 0;
    int failures = 0;

    while (fgets(line, sizeof line, stdin) != NULL) {
        number++;
        clean(line);
        if (!execute(line)) {
            printf("line %d is not understood\n", number);
            failures++;
        }
    }
    return failures > 0;
}
