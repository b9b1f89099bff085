//! Branches on what functions of the library give.

use crate::laboratory::{Input, Laboratory};

fn turns(source: &str, input: Input) {
    let laboratory = Laboratory::new(source);
    let found = laboratory.reach(&input, "yes");
    assert!(found.is_some(), "no input reaches it:\n{source}");
}

fn main_with(body: &str) -> String {
    format!(
        "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <ctype.h>\n\
         static void say(int yes) {{ if (yes) puts(\"yes\"); else puts(\"no\"); }}\n\
         static char line[64];\n{body}"
    )
}

macro_rules! probes {
    ($($name:ident($input:expr) $body:literal;)*) => {$(
        #[test]
        fn $name() {
            turns(&main_with($body), $input);
        }
    )*};
}

probes! {
    strlen(Input::argument("hello")) "int main(int c, char **v) { fgets(line, 1, stdin); strcpy(line, v[1]); line[5] = 0;
        for (char *p = line; *p; p++) if (*p == '/') *p = 0; say(strlen(line) == 3); }";
    strlen_of_a_line(Input::stdin("hello\n")) "int main(void) { fread(line, 1, 6, stdin); say(strlen(line) == 3); }";
    strcmp(Input::stdin("hello\n")) "int main(void) { fread(line, 1, 5, stdin); say(strcmp(line, \"world\") == 0); }";
    strncmp(Input::stdin("hello\n")) "int main(void) { fgets(line, 60, stdin); say(!strncmp(line, \"wor\", 3)); }";
    strcasecmp(Input::stdin("hello\n")) "int main(void) { fread(line, 1, 5, stdin); say(!strcasecmp(line, \"WORLD\")); }";
    memcmp(Input::stdin("hello\n")) "int main(void) { fgets(line, 60, stdin); say(!memcmp(line + 1, \"abc\", 3)); }";
    strchr(Input::stdin("hello\n")) "int main(void) { fgets(line, 60, stdin); say(strchr(line, '=') != 0); }";
    strchr_at_a_place(Input::stdin("hello\n")) "int main(void) { fgets(line, 60, stdin); char *p = strchr(line, '='); say(p && p[1] == '?'); }";
    strrchr(Input::stdin("hel/lo\n")) "int main(void) { fgets(line, 60, stdin); char *p = strrchr(line, '/'); say(p == line + 4); }";
    strstr(Input::stdin("hello world\n")) "int main(void) { fgets(line, 60, stdin); say(strstr(line, \"key\") != 0); }";
    strspn(Input::stdin("hello\n")) "int main(void) { fgets(line, 60, stdin); say(strspn(line, \"0123\") == 3); }";
    strcspn(Input::stdin("hello\n")) "int main(void) { fgets(line, 60, stdin); say(strcspn(line, \",;\") == 2); }";
    strpbrk(Input::stdin("hello\n")) "int main(void) { fgets(line, 60, stdin); say(strpbrk(line, \",;\") == line + 1); }";
    memchr(Input::stdin("hello\n")) "int main(void) { fgets(line, 60, stdin); say(memchr(line, 'Q', 5) == line + 4); }";
    atoi(Input::stdin("123\n")) "int main(void) { fgets(line, 60, stdin); say(atoi(line) == 907); }";
    a_negative_number(Input::stdin("123\n")) "int main(void) { fgets(line, 60, stdin); say(atoi(line) == -42); }";
    a_number_as_argument(Input::argument("1000")) "int main(int c, char **v) { say(atoi(v[1]) > 5000); }";
    strtol(Input::stdin("123\n")) "int main(void) { fgets(line, 60, stdin); say(strtol(line, 0, 10) == 456); }";
    strtol_of_base_16(Input::stdin("0x12\n")) "int main(void) { fgets(line, 60, stdin); say(strtol(line, 0, 16) == 0xfe); }";
    the_end_of_a_number(Input::stdin("123\n")) "int main(void) { char *end; fread(line, 1, 3, stdin); strtol(line, &end, 10); say(*end != 0); }";
    no_number_at_all(Input::stdin("123\n")) "int main(void) { char *end; fread(line, 1, 3, stdin); strtol(line, &end, 10); say(end == line); }";
    isalpha(Input::stdin("1")) "int main(void) { say(isalpha(getchar())); }";
    isdigit(Input::stdin("a")) "int main(void) { say(isdigit(getchar())); }";
    isalpha_by_pointer(Input::stdin("1")) "int main(int c, char **v) { int (*f)(int) = c ? isalpha : isdigit; say(f(getchar()) != 0); }";
    toupper(Input::stdin("a")) "int main(void) { say(toupper(getchar()) == 'Q'); }";
    fgets(Input::stdin("hello\nworld\n")) "int main(void) { fgets(line, 60, stdin); fgets(line, 60, stdin); say(line[1] == 'X'); }";
    getline(Input::stdin("hello\nworld\n")) "int main(void) { char *l = 0; size_t n = 0; getline(&l, &n, stdin); getline(&l, &n, stdin); say(l[1] == 'X'); free(l); }";
    ungetc(Input::stdin("ab")) "int main(void) { int c = getchar(); ungetc(c, stdin); c = getchar(); int d = getchar(); say(c == 'x' && d == 'y'); }";
    strdup(Input::stdin("hello\n")) "int main(void) { fgets(line, 60, stdin); char *s = strdup(line); line[0] = 0; say(s[0] == 'X'); }";
    strcat(Input::stdin("hello\n")) "int main(void) { fgets(line, 60, stdin); char b[80] = \"ab\"; strcat(b, line); say(b[3] == 'X'); }";
    abs(Input::stdin("a")) "int main(void) { signed char c = getchar(); say(abs(c) == 100 && c < 0); }";
    sscanf(Input::stdin("12 34\n")) "int main(void) { int a, b; fgets(line, 60, stdin); if (sscanf(line, \"%d %d\", &a, &b) != 2) return 1; say(a == 97 && b == -5); }";
    sscanf_that_fails(Input::stdin("12 34\n")) "int main(void) { int a, b; fgets(line, 60, stdin); say(sscanf(line, \"%d %d\", &a, &b) == 1); }";
    sscanf_that_succeeds(Input::stdin("xy 34\n")) "int main(void) { int a; fgets(line, 60, stdin); say(sscanf(line, \"%d\", &a) == 1); }";
    sscanf_of_words(Input::stdin("key=value\n")) "int main(void) { char k[8], v[8]; fgets(line, 60, stdin); if (sscanf(line, \"%7[a-z]=%7s\", k, v) != 2) return 1; say(!strcmp(k, \"abc\") && v[4] == 'Q'); }";
    scanf(Input::stdin("12 0x1f c\n")) "int main(void) { int a; unsigned b; char c; if (scanf(\"%d %x %c\", &a, &b, &c) != 3) return 1; say(a == 55 && b == 0xab && c == '!'); }";
    fscanf(Input::file("123 456\n")) "int main(void) { FILE *f = fopen(\"input\", \"r\"); long a; short b; if (fscanf(f, \"%ld%hd\", &a, &b) != 2) return 1; say(a == 765 && b == 432); }";
    strtok(Input::stdin("ab cd\n")) "int main(void) { fgets(line, 60, stdin); char *a = strtok(line, \" \\n\"), *b = strtok(0, \" \\n\"); if (!a || !b) return 1; say(!strcmp(a, \"go\") && !strcmp(b, \"on\")); }";
    no_more_tokens(Input::stdin("ab cd\n")) "int main(void) { fgets(line, 60, stdin); strtok(line, \" \\n\"); say(strtok(0, \" \\n\") == 0); }";
    qsort(Input::stdin("cab")) "
        static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
        int main(void) { fread(line, 1, 3, stdin); qsort(line, 3, 1, compare); say(line[1] == 'q'); }";
    qsort_by_branches(Input::stdin("cab")) "
        static int compare(const void *a, const void *b) { char x = *(const char *)a, y = *(const char *)b; if (x < y) return -1; if (x > y) return 1; return 0; }
        int main(void) { char copy[4]; fread(line, 1, 3, stdin); memcpy(copy, line, 3); qsort(line, 3, 1, compare); say(!memcmp(line, copy, 3)); }";
    bsearch_that_finds(Input::stdin("x")) "
        static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
        int main(void) { char key = getchar(); say(bsearch(&key, \"bdfhjl\", 6, 1, compare) != 0); }";
    bsearch_that_does_not_find(Input::stdin("f")) "
        static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
        int main(void) { char key = getchar(); say(bsearch(&key, \"bdfhjl\", 6, 1, compare) == 0); }";
}
