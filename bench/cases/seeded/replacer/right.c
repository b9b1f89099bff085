/*
 * replacer - replaces what matches a pattern in the lines of standard input.
 *
 * usage: replacer PATTERN REPLACEMENT [LIMIT]
 *
 * Pattern: `.` any character, `[a-z_]` and `[^...]` sets, `\d` digits, `\w` word characters,
 * `\s` blanks, `^` and `$` the ends of the line, `\` before anything else that character itself.
 * `*`, `+` and `?` after an element repeat it. Replacement: `&` is what matched, `\n` and `\t` as
 * in C, `\u` and `\l` turn what matched to upper and lower case. At most LIMIT matches of a line
 * are replaced (0: all).
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS 32
#define MAX_LINE 1024
#define FIRST_CAPACITY 4096

enum type { LITERAL, ANY, SET, LINE_START, LINE_END };
enum repeat { ONCE, MANY, SOME, MAYBE };

struct set {
    unsigned char bits[32];
};

struct element {
    enum type type;
    enum repeat repeat;
    char literal;
    struct set set;
};

struct pattern {
    struct element elements[MAX_ELEMENTS];
    int count;
    const char *error;
};

struct buffer {
    char *text;
    size_t length;
    size_t capacity;
};

static void set_add(struct set *set, int c)
{
    set->bits[c / 8] |= (unsigned char)(1 << c % 8);
}

static int set_has(const struct set *set, int c)
{
    return set->bits[c / 8] >> c % 8 & 1;
}

static void set_add_range(struct set *set, int low, int high)
{
    int c;

    if (low > high) {
        return;
    }
    for (c = low; c <= high; c++) {
        set_add(set, c);
    }
}

static void set_invert(struct set *set)
{
    int i;

    for (i = 0; i < 32; i++) {
        set->bits[i] = (unsigned char)~set->bits[i];
    }
}

/* Adds a named set; gives 0 if there is none of that name. */
static int set_add_class(struct set *set, char name)
{
    switch (name) {
    case 'd':
        set_add_range(set, '0', '9');
        return 1;
    case 'w':
        set_add_range(set, 'a', 'z');
        set_add_range(set, 'A', 'Z');
        set_add_range(set, '0', '9');
        set_add(set, '_');
        return 1;
    case 's':
        set_add(set, ' ');
        set_add(set, '\t');
        return 1;
    default:
        return 0;
    }
}

/* Reads a set after its bracket; gives what is behind it, or NULL. */
static const char *parse_set(const char *text, struct set *set)
{
    int is_inverted = 0;
    const char *start;

    memset(set, 0, sizeof *set);
    if (*text == '^') {
        is_inverted = 1;
        text++;
    }
    start = text;
    while (*text != '\0' && (*text != ']' || text == start)) {
        unsigned char low = (unsigned char)*text;

        if (low == '\\' && text[1] != '\0') {
            text++;
            low = (unsigned char)*text;
            if (set_add_class(set, (char)low)) {
                text++;
                continue;
            }
        }
        if (text[1] == '-' && text[2] != ']' && text[2] != '\0') {
            unsigned char high = (unsigned char)text[2];

            if (high < low) {
                return NULL;
            }
            set_add_range(set, low, high);
            text += 3;
        } else {
            set_add(set, low);
            text++;
        }
    }
    if (*text != ']') {
        return NULL;
    }
    if (is_inverted) {
        set_invert(set);
    }
    return text + 1;
}

static int can_repeat(const struct pattern *pattern)
{
    const struct element *last;

    if (pattern->count == 0) {
        return 0;
    }
    last = &pattern->elements[pattern->count - 1];
    return last->repeat == ONCE && last->type != LINE_START && last->type != LINE_END;
}

static struct element *new_element(struct pattern *pattern, enum type type)
{
    struct element *element = &pattern->elements[pattern->count++];

    memset(element, 0, sizeof *element);
    element->type = type;
    element->repeat = ONCE;
    return element;
}

static void set_repeat(struct pattern *pattern, char sign)
{
    struct element *last = &pattern->elements[pattern->count - 1];

    last->repeat = sign == '*' ? MANY : sign == '+' ? SOME : MAYBE;
}

static void compile(struct pattern *pattern, const char *text)
{
    const char *start = text;

    pattern->count = 0;
    pattern->error = NULL;
    while (*text != '\0' && pattern->error == NULL) {
        struct element *element;
        char c = *text++;

        if (pattern->count == MAX_ELEMENTS) {
            pattern->error = "too long";
        } else if (c == '^' && text == start + 1) {
            new_element(pattern, LINE_START);
        } else if (c == '$' && *text == '\0') {
            new_element(pattern, LINE_END);
        } else if (c == '.') {
            new_element(pattern, ANY);
        } else if (c == '*' || c == '+' || c == '?') {
            if (can_repeat(pattern)) {
                set_repeat(pattern, c);
            } else {
                pattern->error = "nothing to repeat";
            }
        } else if (c == '[') {
            element = new_element(pattern, SET);
            text = parse_set(text, &element->set);
            if (text == NULL) {
                pattern->error = "bad set";
                return;
            }
        } else if (c == '\\' && *text != '\0') {
            element = new_element(pattern, SET);
            c = *text++;
            if (!set_add_class(&element->set, c)) {
                element->type = LITERAL;
                element->literal = c;
            }
        } else {
            element = new_element(pattern, LITERAL);
            element->literal = c;
        }
    }
}

static int matches_one(const struct element *element, char c)
{
    if (c == '\0') {
        return 0;
    }
    switch (element->type) {
    case LITERAL:
        return c == element->literal;
    case ANY:
        return 1;
    case SET:
        return set_has(&element->set, (unsigned char)c);
    default:
        return 0;
    }
}

/* The end of the longest match of the elements from `index` on at `at`, or NULL. */
static const char *match(const struct pattern *pattern, int index, const char *line, const char *at)
{
    const struct element *element;
    const char *end = at;
    int least, most;

    if (index == pattern->count) {
        return at;
    }
    element = &pattern->elements[index];
    if (element->type == LINE_START) {
        return at == line ? match(pattern, index + 1, line, at) : NULL;
    }
    if (element->type == LINE_END) {
        return *at == '\0' ? match(pattern, index + 1, line, at) : NULL;
    }
    least = element->repeat == ONCE || element->repeat == SOME ? 1 : 0;
    most = element->repeat == ONCE || element->repeat == MAYBE ? 1 : MAX_LINE;
    while (end - at < most && matches_one(element, *end)) {
        end++;
    }
    while (end - at >= least) {
        const char *rest = match(pattern, index + 1, line, end);

        if (rest != NULL) {
            return rest;
        }
        end--;
    }
    return NULL;
}

static void grow(struct buffer *buffer)
{
    size_t capacity = buffer->capacity * 2;
    char *text = calloc(1, capacity);

    if (text == NULL) {
        exit(3);
    }
    memcpy(text, buffer->text, buffer->length);
    free(buffer->text);
    buffer->text = text;
    buffer->capacity = capacity;
}

static void put(struct buffer *buffer, char c)
{
    if (buffer->length == buffer->capacity) {
        grow(buffer);
    }
    buffer->text[buffer->length++] = c;
}

static void put_matched(struct buffer *buffer, const char *from, const char *to, char mode)
{
    while (from < to) {
        unsigned char c = (unsigned char)*from++;

        if (mode == 'u') {
            c = (unsigned char)toupper(c);
        } else if (mode == 'l') {
            c = (unsigned char)tolower(c);
        }
        put(buffer, (char)c);
    }
}

static void put_replacement(struct buffer *buffer, const char *replacement, const char *from,
                            const char *to)
{
    for (; *replacement != '\0'; replacement++) {
        if (*replacement == '&') {
            put_matched(buffer, from, to, '&');
        } else if (*replacement == '\\' && replacement[1] != '\0') {
            replacement++;
            switch (*replacement) {
            case 'n':
                put(buffer, '\n');
                break;
            case 't':
                put(buffer, '\t');
                break;
            case 'u':
            case 'l':
                put_matched(buffer, from, to, *replacement);
                break;
            default:
                put(buffer, *replacement);
            }
        } else {
            put(buffer, *replacement);
        }
    }
}

static int replace_line(const struct pattern *pattern, const char *replacement, int limit,
                        const char *line, struct buffer *buffer)
{
    const char *at = line;
    const char *last_end = NULL;
    int count = 0;

    buffer->length = 0;
    for (;;) {
        const char *end = NULL;

        if (limit == 0 || count < limit) {
            end = match(pattern, 0, line, at);
        }
        if (end != NULL && end != last_end) {
            put_replacement(buffer, replacement, at, end);
            last_end = end;
            count++;
        }
        if (end == NULL || end == at) {
            if (*at == '\0') {
                break;
            }
            put(buffer, *at++);
        } else {
            at = end;
        }
    }
    return count;
}

int main(int count, char **arguments)
{
    static char line[MAX_LINE];
    struct pattern pattern;
    struct buffer buffer;
    int limit = count > 3 ? atoi(arguments[3]) : 0;
    int total = 0;

    if (count < 3) {
        fprintf(stderr, "usage: replacer PATTERN REPLACEMENT [LIMIT]\n");
        return 2;
    }
    compile(&pattern, arguments[1]);
    if (pattern.error != NULL) {
        printf("bad pattern: %s\n", pattern.error);
        return 2;
    }
    buffer.capacity = FIRST_CAPACITY;
    buffer.text = malloc(FIRST_CAPACITY);
    if (buffer.text == NULL) {
        return 3;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        total += replace_line(&pattern, arguments[2], limit, line, &buffer);
        printf("%.*s\n", (int)buffer.length, buffer.text);
    }
    free(buffer.text);
    return total > 0 ? 0 : 1;
}
