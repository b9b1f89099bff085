//! Branches through all that C has: each is taken the other way by an input that the solver finds.

use crate::laboratory::{Input, Laboratory};

fn turns(source: &str, input: Input) {
    let laboratory = Laboratory::new(source);
    let found = laboratory.reach(&input, "yes");
    assert!(found.is_some(), "no input reaches it:\n{source}");
}

fn main_with(body: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>\n\
         static void say(int yes) {{ if (yes) puts(\"yes\"); else puts(\"no\"); }}\n{body}"
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
    a_comparison_of_a_byte(Input::stdin("a")) "int main(void) { say(getchar() == 'x'); }";
    a_table_lookup(Input::stdin("a")) "
        static const short table[256] = { ['a'] = 1, ['k'] = 77 };
        int main(void) { unsigned char c = getchar(); say(table[c] == 77); }";
    a_table_of_local_memory(Input::stdin("1")) "
        int main(void) { int table[4] = { 3, 5, 8, 13 }; int c = getchar() - '0';
          if (c < 0 || c > 3) return 1; say(table[c] == 13); }";
    a_table_on_the_heap(Input::stdin("1")) "
        int main(void) { int *table = malloc(40); for (int i = 0; i < 10; i++) table[i] = i * i;
          int c = getchar() - '0'; if (c < 0 || c > 9) return 1; say(table[c] == 49); }";
    a_table_of_a_caller(Input::stdin("1")) "
        static int get(const int *table, int index) { return table[index]; }
        int main(void) { int table[4] = { 3, 5, 8, 13 }; int c = getchar() - '0';
          if (c < 0 || c > 3) return 1; say(get(table, c) == 13); }";
    memcpy_through_a_struct(Input::stdin("abcdefgh")) "
        struct pair { int a; int b; };
        int main(void) { char line[16]; struct pair p, q; if (!fgets(line, 9, stdin)) return 1;
          memcpy(&p, line, sizeof p); q = p; say(q.b == 0x64636261); }";
    a_function_pointer(Input::stdin("a")) "
        static int twice(int x) { return 2 * x; }
        static int thrice(int x) { return 3 * x; }
        int (*functions[2])(int) = { twice, thrice };
        int main(int argc, char **argv) { int c = getchar(); say(functions[argc](c) == 3 * 'q'); }";
    recursion(Input::stdin("ab")) "
        static int sum(const unsigned char *s) { return *s ? *s + sum(s + 1) : 0; }
        int main(void) { char line[8]; if (!fgets(line, 3, stdin)) return 1; say(sum((unsigned char *)line) == 233); }";
    recursion_of_a_hundred_thousand_calls(Input::stdin("a")) "
        static int deep(int n, int c) { if (n == 0) return c; return 1 + deep(n - 1, c); }
        int main(void) { say(deep(100000, getchar()) == 100000 + 'x'); }";
    many_calls_and_choices_in_one_block(Input::stdin("abc")) "
        static int twice(int x) { return 2 * x; }
        int main(void) { int a = getchar(), b = getchar(), c = getchar();
          int x = twice(a) + (b > 'b' ? 1 : 2) + twice(b) + (c > 'c' ? 10 : 20) + twice(c); say(x == 2 * ('x' + 'y' + 'z') + 11); }";
    a_read_before_a_write_to_the_same_table(Input::stdin("3")) "
        int main(void) { int table[4] = { 3, 5, 8, 13 }; int c = getchar() & 3;
          int old = table[c]; table[2] = 99; table[0] = 99; say(old == 8); }";
    a_computed_goto(Input::stdin("ab")) "
        int main(int argc, char **argv) { static void *places[] = { &&end, &&next }; int c = getchar();
          goto *places[argc]; next: if (c == 'q') { argc--; c = getchar(); goto *places[argc]; } end: say(c == 'z' && argc == 0); }";
    setjmp_and_longjmp(Input::stdin("a")) "
        #include <setjmp.h>
        static jmp_buf place;
        static void check(int c) { if (c == '!') longjmp(place, 1); }
        int main(void) { int c = getchar(); if (setjmp(place)) { puts(\"yes\"); return 0; } check(c); puts(\"no\"); }";
    a_switch(Input::stdin("a")) "
        int main(void) { switch (getchar()) { case 'x': puts(\"yes\"); break; case 'y': puts(\"other\"); break; default: puts(\"no\"); } }";
    the_default_of_a_switch(Input::stdin("a")) "
        int main(void) { switch (getchar()) { case 'a': puts(\"no\"); break; case 'b': puts(\"no\"); break; default: puts(\"yes\"); } }";
    arithmetic_of_64_bits(Input::stdin("abcdefgh")) "
        int main(void) { uint64_t x = 0; for (int i = 0; i < 8; i++) x = x << 8 | (unsigned char)getchar();
          say(x * 3 + 7 == 0x1234567890abcdefULL); }";
    shifts(Input::stdin("ab")) "
        int main(void) { unsigned x = getchar(), y = getchar() & 7; say((x << y) == 0x180 && y > 1); }";
    signed_shifts(Input::stdin("a")) "
        int main(void) { signed char c = getchar(); say((c >> 3) == -5); }";
    signed_division(Input::stdin("a")) "
        int main(void) { signed char c = getchar(); say(c / 7 == -9 && c % 7 == -3); }";
    unsigned_division(Input::stdin("ab")) "
        int main(void) { unsigned a = getchar(), b = getchar(); if (b == 0) return 1; say(a / b == 17 && a % b == 3); }";
    bit_fields(Input::stdin("a")) "
        struct bits { unsigned low : 3; int middle : 3; unsigned high : 2; };
        int main(void) { union { struct bits b; unsigned char c; } u; u.c = getchar(); say(u.b.middle == -2 && u.b.low == 5); }";
    unions(Input::stdin("abcd")) "
        union both { char bytes[4]; int number; };
        int main(void) { union both u; for (int i = 0; i < 4; i++) u.bytes[i] = getchar(); say(u.number == 0x7a797877); }";
    a_struct_by_value(Input::stdin("a")) "
        struct big { int a[10]; int c; };
        static int check(struct big b) { return b.c == 'z'; }
        int main(void) { struct big b = { { 0 }, getchar() }; say(check(b)); }";
    a_small_struct_in_registers(Input::stdin("ab")) "
        struct small { long a; int b; };
        static struct small make(int a, int b) { struct small s = { a, b }; return s; }
        int main(void) { int a = getchar(), b = getchar(); struct small s = make(a, b); say(s.a == 'u' && s.b == 'v'); }";
    a_variable_number_of_arguments(Input::stdin("a")) "
        #include <stdarg.h>
        static int sum(int n, ...) { va_list l; int s = 0; va_start(l, n); while (n--) s += va_arg(l, int); va_end(l); return s; }
        int main(void) { int c = getchar(); say(sum(9, 1, 2, 3, 4, 5, 6, 7, c, c) == 28 + 2 * 'w'); }";
    a_global(Input::stdin("a")) "
        static long counter;
        static void set(long x) { counter = x; }
        int main(void) { set(getchar()); say(counter * counter == 'm' * 'm'); }";
    a_choice(Input::stdin("ab")) "
        int main(void) { int a = getchar(), b = getchar(); int m = a > b ? a : b; say(m == 'x' && a != b); }";
    truth_as_a_number(Input::stdin("ab")) "
        int main(void) { int a = getchar(), b = getchar(); int both = (a == 'h') + (b == 'i'); say(both == 2); }";
    a_loop_over_digits(Input::stdin("123")) "
        int main(void) { int n = 0, c; while ((c = getchar()) >= '0' && c <= '9') n = 10 * n + c - '0'; say(n == 709); }";
    an_overflow_that_is_asked_for(Input::stdin("aaaa")) "
        int main(void) { int x = 0, r; fread(&x, 4, 1, stdin); say(__builtin_add_overflow(x, 5, &r)); }";
    bits_that_are_counted(Input::stdin("a")) "
        int main(void) { unsigned c = getchar(); say(__builtin_popcount(c) == 7); }";
    bytes_that_are_turned(Input::stdin("abcd")) "
        int main(void) { unsigned x; fread(&x, 4, 1, stdin); say(__builtin_bswap32(x) == 0x78797a21); }";
    an_argument(Input::argument("hello")) "
        int main(int argc, char **argv) { say(argv[1][2] == 'x'); }";
    a_file(Input::file("hello")) "
        int main(void) { FILE *f = fopen(\"input\", \"r\"); fseek(f, 3, SEEK_SET); say(fgetc(f) == 'Z'); fclose(f); }";
    a_file_as_memory(Input::file("hello")) "
        #include <sys/mman.h>
        #include <fcntl.h>
        int main(void) { int d = open(\"input\", O_RDONLY); char *p = mmap(0, 5, PROT_READ, MAP_PRIVATE, d, 0); say(p[4] == 'Z'); }";
    a_descriptor(Input::stdin("hello")) "
        #include <unistd.h>
        int main(void) { char b[8]; read(0, b, 2); read(0, b, 3); say(b[2] == 'Z'); }";
    a_realloc(Input::stdin("a")) "
        int main(void) { char *p = malloc(4); p[0] = getchar(); p = realloc(p, 100000); say(p[0] == 'Z'); free(p); }";
    a_pointer_that_depends_on_input(Input::stdin("b")) "
        int main(void) { char text[4] = \"abc\"; char *p = text; if (getchar() == 'x') p += 2; say(*p == 'c'); }";
    a_vector(Input::stdin("abcd")) "
        typedef int four __attribute__((vector_size(16)));
        int main(void) { four v = { getchar(), getchar(), getchar(), getchar() }; four w = v + v; say(w[2] == 2 * 'x'); }";
}
