//! Text that printf writes into memory, and results that are not followed.

use crate::laboratory::{Input, Laboratory};
use crate::soundness::{branches, lost, recorded};

const HEAD: &str = "#define _GNU_SOURCE
    #include <fcntl.h>
    #include <setjmp.h>
    #include <stdarg.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/uio.h>
    #include <unistd.h>
    #include <wchar.h>
    static void say(int yes) { if (yes) puts(\"yes\"); else puts(\"no\"); }
    static char line[64], text[64];\n";

/// An input is found that makes the program say yes, and nothing is lost on the way.
fn turns(body: &str, input: Input) {
    let source = format!("{HEAD}{body}");
    let laboratory = Laboratory::new(&source);
    let (output, recording) = laboratory.record(&input);
    assert_eq!(output.stdout, laboratory.plain(&input).stdout, "{body}");
    assert!(recording.lost.is_empty(), "{:?}\n{body}", recording.lost);
    let found = laboratory.reach(&input, "yes");
    assert!(found.is_some(), "no input reaches it:\n{body}");
}

/// One branch of the first run, taken the other way, makes the program say yes.
fn turns_at_once(body: &str, input: Input) {
    let laboratory = Laboratory::new(&format!("{HEAD}{body}"));
    let (_, recording) = laboratory.record(&input);
    assert!(recording.lost.is_empty(), "{:?}\n{body}", recording.lost);
    let reaches = |other: &Input| laboratory.record(other).0.stdout == b"yes\n";
    assert!(
        laboratory.turned(&input).iter().any(reaches),
        "no input reaches it:\n{body}"
    );
}

macro_rules! probes {
    ($probe:ident: $($name:ident($input:expr) $body:literal;)*) => {$(
        #[test]
        fn $name() {
            $probe($body, $input);
        }
    )*};
}

probes! {
    turns:
    a_word(Input::stdin("hello")) "int main(void) { fread(line, 1, 5, stdin); sprintf(text, \"<%s>\", line); say(!strcmp(text, \"<world>\")); }";
    part_of_a_word(Input::stdin("hello")) "int main(void) { fread(line, 1, 5, stdin); sprintf(text, \"%-4.*s|\", 3, line); say(!strcmp(text, \"wor |\")); }";
    a_character(Input::stdin("a")) "int main(void) { snprintf(text, 9, \"%3c\", getchar()); say(!strcmp(text, \"  Q\")); }";
    a_number(Input::stdin("ab")) "int main(void) { int n = getchar() * 256; n += getchar(); sprintf(text, \"n=%d;\", n); say(!strcmp(text, \"n=26729;\")); }";
    a_negative_number(Input::stdin("a")) "int main(void) { int n = getchar() - 150; sprintf(text, \"%+5i\", n); say(!strcmp(text, \"  -77\")); }";
    a_small_number(Input::stdin("\u{1}")) "int main(void) { char c = getchar(); sprintf(text, \"%hhu,%%\", c); say(text[0] == '7' && text[2] == '%'); }";
    hexadecimal_digits(Input::stdin("ab")) "int main(void) { for (int i = 0; i < 2; i++) sprintf(text + 2 * i, \"%02x\", getchar()); say(!strcmp(text, \"0a4f\")); }";
    capital_digits(Input::stdin("a")) "int main(void) { sprintf(text, \"%#lX\", (long)getchar()); say(!strcmp(text, \"0X5E\")); }";
    octal_digits(Input::stdin("a")) "int main(void) { sprintf(text, \"%.4o\", getchar()); say(!strcmp(text, \"0052\")); }";
    digits_of_64_bits(Input::stdin("abcdefgh")) "int main(void) { uint64_t n; fread(&n, 1, 8, stdin); sprintf(text, \"%016llx\", (long long)n); say(!strcmp(text, \"00000000deadbeef\")); }";
    text_that_is_cut(Input::stdin("hello")) "int main(void) { fread(line, 1, 5, stdin); int n = snprintf(text, 4, \"%s\", line); say(n == 5 && !strcmp(text, \"wor\")); }";
    behind_a_fraction(Input::stdin("hello")) "int main(void) { fread(line, 1, 5, stdin); sprintf(text, \"%c %g %s\", line[0], 1.5, line + 1); say(!strcmp(text, \"X 1.5 YZZY\")); }";
    a_list(Input::stdin("ab")) "
        static int put(char *to, size_t n, const char *f, ...) { va_list l; va_start(l, f); int r = vsnprintf(to, n, f, l); va_end(l); return r; }
        int main(void) { int a = getchar(), b = getchar(); put(text, 64, \"%f %c %d %d %d %d %d %x\", 0.5, a, 1, 2, 3, 4, 5, b); say(text[9] == '!' && !strcmp(text + 21, \"4f\")); }";
    a_list_without_limit(Input::stdin("a")) "
        static int put(char *to, const char *f, ...) { va_list l; va_start(l, f); int r = vsprintf(to, f, l); va_end(l); return r; }
        int main(void) { put(text, \"(%u)\", getchar()); say(!strcmp(text, \"(42)\")); }";
    text_of_the_heap(Input::stdin("hello")) "int main(void) { char *p; fread(line, 1, 5, stdin); asprintf(&p, \"-%s-\", line); say(p[2] == 'Q'); free(p); }";
    text_that_is_checked(Input::stdin("hello")) "int __sprintf_chk(char *, int, size_t, const char *, ...); int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
        int main(void) { char b[32]; fread(line, 1, 5, stdin); __sprintf_chk(text, 1, 64, \"%s\", line); __snprintf_chk(b, 32, 1, 32, \"%s!\", text); say(b[4] == 'Q' && b[5] == '!'); }";
    readv_fills_all_pieces(Input::stdin("abcdef")) "int main(void) { char a[2], b[3]; struct iovec v[2] = { { a, 2 }, { b, 3 } }; if (readv(0, v, 2) != 5) return 1; char c; read(0, &c, 1); say(a[1] == 'X' && b[2] == 'Y' && c == 'Z'); }";
}

probes! {
    turns_at_once:
    memchr_in_an_array_of_the_stack(Input::stdin("12c1")) "int main(void) { char a[8] = { 0 }; read(0, a, 4);
        if (a[0] == 'c' || a[1] == 'c') return 1; if (!memchr(a, 'c', 4)) return 1; say(a[2] != 'c'); }";
    strlen_in_an_array_of_the_stack(Input::stdin("ab\0cd")) "int main(void) { char a[16] = { 0 }; read(0, a, 5); say(strlen(a) == 5); }";
    strnlen_in_an_array_of_the_stack(Input::stdin("ab\0cd")) "int main(void) { char a[5]; read(0, a, 5); say(strnlen(a, 5) == 5); }";
    strchr_behind_a_zero(Input::stdin("ab\0c")) "int main(void) { char a[16] = { 0 }; read(0, a, 4); say(strchr(a, 'c') == a + 3); }";
    strrchr_behind_a_zero(Input::stdin("ab\0c")) "int main(void) { char a[16] = { 0 }; read(0, a, 4); say(strrchr(a, 'c') == a + 3); }";
    strspn_behind_a_zero(Input::stdin("ab\0a")) "int main(void) { char a[16] = { 0 }; read(0, a, 4); say(strspn(a, \"ab\") == 4); }";
    strcspn_behind_a_zero(Input::stdin("ab\0c")) "int main(void) { char a[16] = { 0 }; read(0, a, 4); say(strcspn(a, \"c\") == 3); }";
    strpbrk_behind_a_zero(Input::stdin("ab\0c")) "int main(void) { char a[16] = { 0 }; read(0, a, 4); say(strpbrk(a, \"xc\") == a + 3); }";
    strstr_behind_a_zero(Input::stdin("ab\0cd")) "int main(void) { char a[16] = { 0 }; read(0, a, 5); say(strstr(a, \"cd\") == a + 3); }";
}

#[test]
fn the_number_of_digits_is_taken_for_granted() {
    let recording = recorded(
        &format!(
            "{HEAD}int main(void) {{ int n = sprintf(text, \"%d\", getchar()); say(n == 2); }}"
        ),
        Input::stdin("a"),
    );
    assert_eq!(branches(&recording), 0);
    assert!(!recording.constraints.is_empty());
}

#[test]
fn what_printf_counts_leaves_no_stale_expression() {
    let recording = recorded(
        &format!(
            "{HEAD}int main(void) {{ int n = getchar(), m = getchar(), k = getchar(); printf(\"%.*s%n\\n\", 4, \"abcd\", &n);
            sprintf(text, \"abcd%n\", &m); say(n == 4); say(m == 4); say(k == 4); }}"
        ),
        Input::stdin("\u{4}\u{4}\u{4}"),
    );
    assert_eq!(branches(&recording), 1);
    assert!(recording.lost.is_empty(), "{:?}", recording.lost);
}

#[test]
fn conversions_that_are_not_followed_are_reported() {
    for conversion in ["%p", "%2$c%1$d", "%'d", "%#o"] {
        let recording = recorded(
            &format!(
                "{HEAD}int main(void) {{ long c = getchar(); sprintf(text, \"{conversion}\", (void *)c, 'x'); say(text[0] == '9'); }}"
            ),
            Input::stdin("a"),
        );
        assert_eq!(branches(&recording), 0, "{conversion}");
        assert!(lost(&recording, "printf"), "{:?}", recording.lost);
    }
}

#[test]
fn results_that_depend_on_the_input_are_reported() {
    for (name, call) in [
        (
            "longjmp",
            "jmp_buf b; int j = setjmp(b); if (!j) longjmp(b, line[0]); say(j == 'x')",
        ),
        ("getenv", "say(getenv(line) != 0)"),
        ("access", "say(access(line, F_OK) == 0)"),
        ("fopen", "say(fopen(line, \"r\") != 0)"),
        ("open", "say(open(line, O_RDONLY) >= 0)"),
        ("srand", "srand(line[0]); say(rand() == 1)"),
        ("printf", "say(printf(\"%s\\n\", line) > 9)"),
        ("fprintf", "say(fprintf(stdout, \"%d\\n\", line[0]) > 9)"),
        ("puts", "say(puts(line) > 90)"),
        ("system", "say(system(line) == 0)"),
        ("strerror", "say(strerror(line[0])[0] == 'S')"),
        ("lseek", "say(lseek(0, line[0], SEEK_SET) == 5)"),
    ] {
        let recording = recorded(
            &format!("{HEAD}int main(void) {{ fread(line, 1, 2, stdin); {call}; return 0; }}"),
            Input::stdin("##"),
        );
        assert!(
            lost(&recording, &format!("result of {name} ")),
            "{name} {:?}",
            recording.lost
        );
    }
}

#[test]
fn output_whose_result_nobody_uses_is_no_loss() {
    let recording = recorded(
        &format!(
            "{HEAD}int main(void) {{ fread(line, 1, 2, stdin); printf(\"%s %d\\n\", line, line[0]); fprintf(stdout, \"%c\", line[0]); puts(line); putchar(line[1]);
            fputs(line, stdout); fflush(stdout); if (write(1, line, 2) != 2) return 1; if (fwrite(line, 1, 2, stdout) != 2) return 1; return 0; }}"
        ),
        Input::stdin("ab"),
    );
    assert!(recording.lost.is_empty(), "{:?}", recording.lost);
}

#[test]
fn readers_without_a_model_are_reported() {
    for (name, call) in [
        ("getwchar", "say(getwchar() == 'x')"),
        ("fgetwc", "say(fgetwc(stdin) == 'x')"),
        (
            "fgetws",
            "wchar_t w[8]; fgetws(w, 8, stdin); say(w[0] == 'x')",
        ),
    ] {
        let recording = recorded(
            &format!("{HEAD}int main(void) {{ {call}; return 0; }}"),
            Input::stdin("ab\n"),
        );
        assert!(
            lost(&recording, &format!("input that {name} reads")),
            "{name} {:?}",
            recording.lost
        );
    }
}
