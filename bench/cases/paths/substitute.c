/* Replaces what matches a pattern in the lines of its input. The first line is the pattern, the second what stands instead.
   Patterns have literal characters, `?` for any, `[a-c]` and `[^a-c]` for sets, `*` behind one of these for any number,
   `%` and `$` for the ends of the line; `&` in the replacement stands for what matched. */
#include <stdio.h>
#include <string.h>

enum { MOST = 128 };
enum kind { LITERAL, ANY, SET, NOT_SET, START, END };

struct piece {
  enum kind kind;
  char character;
  char set[MOST];
  int repeats;
};

static struct piece pattern[MOST];
static int pieces;

static int read_set(const char *text, int at, struct piece *piece) {
  int length = 0;
  piece->kind = SET;
  if (text[at] == '^') {
    piece->kind = NOT_SET;
    at++;
  }
  while (text[at] != ']' && text[at] != '\0') {
    if (text[at] == '-' && length > 0 && text[at + 1] != ']' && text[at + 1] != '\0') {
      char from = piece->set[length - 1];
      for (int c = from + 1; c <= text[at + 1] && length < MOST - 1; c++)
        piece->set[length++] = (char)c;
      at += 2;
    } else {
      piece->set[length++] = text[at++];
    }
  }
  piece->set[length] = '\0';
  return text[at] == ']' ? at + 1 : -1;
}

static int compile(const char *text) {
  int at = 0;
  while (text[at] != '\0') {
    struct piece *piece = &pattern[pieces];
    if (text[at] == '*' && pieces > 0 && pattern[pieces - 1].kind != START) {
      pattern[pieces - 1].repeats = 1;
      at++;
      continue;
    }
    if (text[at] == '?') {
      piece->kind = ANY;
      at++;
    } else if (text[at] == '%' && at == 0) {
      piece->kind = START;
      at++;
    } else if (text[at] == '$' && text[at + 1] == '\0') {
      piece->kind = END;
      at++;
    } else if (text[at] == '[') {
      at = read_set(text, at + 1, piece);
      if (at < 0)
        return 0;
    } else {
      piece->kind = LITERAL;
      piece->character = text[at++];
    }
    pieces++;
  }
  return pieces > 0;
}

static int in_set(char character, const char *set) {
  for (int i = 0; set[i] != '\0'; i++)
    if (set[i] == character)
      return 1;
  return 0;
}

static int fits(const struct piece *piece, char character) {
  switch (piece->kind) {
  case LITERAL:
    return piece->character == character;
  case ANY:
    return character != '\0';
  case SET:
    return in_set(character, piece->set);
  case NOT_SET:
    return character != '\0' && !in_set(character, piece->set);
  default:
    return 0;
  }
}

static int match(const char *line, int at, int piece) {
  for (; piece < pieces; piece++) {
    const struct piece *p = &pattern[piece];
    if (p->kind == START) {
      if (at != 0)
        return -1;
    } else if (p->kind == END) {
      if (line[at] != '\0')
        return -1;
    } else if (p->repeats) {
      int last = at;
      while (line[last] != '\0' && fits(p, line[last]))
        last++;
      for (; last >= at; last--) {
        int end = match(line, last, piece + 1);
        if (end >= 0)
          return end;
      }
      return -1;
    } else {
      if (line[at] == '\0' || !fits(p, line[at]))
        return -1;
      at++;
    }
  }
  return at;
}

static void substitute(const char *line, const char *replacement) {
  int at = 0;
  while (line[at] != '\0') {
    int end = match(line, at, 0);
    if (end > at) {
      for (int i = 0; replacement[i] != '\0'; i++)
        if (replacement[i] == '&')
          printf("%.*s", end - at, line + at);
        else
          putchar(replacement[i]);
      at = end;
    } else {
      putchar(line[at++]);
    }
  }
  putchar('\n');
}

static int read_line(char *line) {
  int length = 0, c;
  while ((c = getchar()) != EOF && c != '\n')
    if (length < MOST - 1)
      line[length++] = (char)c;
  line[length] = '\0';
  return length > 0 || c != EOF;
}

int main(void) {
  char text[MOST], replacement[MOST], line[MOST];
  if (!read_line(text) || !read_line(replacement) || !compile(text)) {
    puts("a pattern and a replacement are needed");
    return 1;
  }
  while (read_line(line))
    substitute(line, replacement);
  return 0;
}
