//! Branches on floating point numbers: each is taken the other way by an input that the solver finds.

use crate::laboratory::{Input, Laboratory};
use crate::soundness::{branches, lost};

fn turns(source: &str, input: Input) {
    let laboratory = Laboratory::with_language(source, "c", &["-lm"]);
    let (output, recording) = laboratory.record(&input);
    assert_eq!(
        output.stdout,
        laboratory.plain_with(&input, &["-lm"]).stdout
    );
    assert!(recording.lost.is_empty(), "{:?}", recording.lost);
    let found = laboratory.reach(&input, "yes").expect("an input");
    // It does so in a program that nobody has instrumented.
    let plain = laboratory.plain(&found);
    let text = String::from_utf8_lossy(&plain.stdout);
    assert!(text.contains("yes"), "{found:?}: {text}");
}

fn main_with(body: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>\n#include <math.h>\n\
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
    an_average(Input::stdin("ab")) "int main(void) { int a = getchar(), b = getchar(); say((a + b) / 2.0 > 118.3); }";
    a_product(Input::stdin("a")) "int main(void) { int c = getchar(); double d = c * 0.5; say(d == 60.5); }";
    two_numbers(Input::stdin("ab")) "int main(void) { double a = getchar(), b = getchar(); say(a * 2 - b == 101); }";
    truncation(Input::stdin("ab")) "int main(void) { double a = getchar(), b = getchar(); say((int)(a / b * 100) == 147); }";
    floats(Input::stdin("ab")) "int main(void) { float a = getchar(), b = getchar(); a /= 3; say(a + b > 150.5f && a < 35); }";
    a_sum_in_a_loop(Input::stdin("abc")) "
        int main(void) { float sum = 0; int c; for (int i = 0; i < 3; i++) { c = getchar(); sum += c * 0.25f; } say(sum == 85.75f); }";
    no_number(Input::stdin("ab")) "int main(void) { double a = getchar() - 'a' + 1, b = getchar() - 'b'; double q = a / b; say(q != q); }";
    what_is_no_number_is_not_less(Input::stdin("ab")) "
        int main(void) { double a = getchar() - 'a' + 1, b = getchar() - 'a'; double q = a / b; say(!(q < 5) && !(q >= 5)); }";
    bits_of_a_double(Input::stdin("abcdefgh")) "int main(void) { double d; fread(&d, 1, 8, stdin); say(d == 0.1); }";
    bits_of_a_float_by_memcpy(Input::stdin("abcd")) "
        int main(void) { float f; fread(line, 1, 4, stdin); memcpy(&f, line, 4); say(f > 1.5f && f < 1.75f); }";
    bits_that_are_no_number(Input::stdin("abcdefgh")) "int main(void) { double d; fread(&d, 1, 8, stdin); say(isnan(d)); }";
    infinity(Input::stdin("abcdefgh")) "int main(void) { double d; fread(&d, 1, 8, stdin); say(isinf(d) && d < 0); }";
    a_struct_of_doubles(Input::stdin("ab")) "
        struct point { double x, y; };
        static struct point turn(struct point p) { struct point q = { -p.y, p.x }; return q; }
        int main(void) { struct point p = { getchar(), getchar() }; p = turn(p); say(p.x + p.y < -20); }";
    arguments_and_results(Input::stdin("a")) "
        static float half(float x) { return x / 2; }
        static double add(double x, float y) { return x + y; }
        int main(void) { say(add(half(getchar()), 0.25f) == 60.25); }";
    a_function_pointer(Input::stdin("a")) "
        static double twice(double x) { return 2 * x; }
        double (*volatile f)(double) = twice;
        int main(void) { say(f(getchar()) == 240); }";
    many_arguments(Input::stdin("a")) "
        static double last(int n, ...) { __builtin_va_list l; double d = 0; __builtin_va_start(l, n); while (n--) d = __builtin_va_arg(l, double); __builtin_va_end(l); return d; }
        int main(void) { double c = getchar(); say(last(10, 1., 2., 3., 4., 5., 6., 7., 8., 9., c) == 'x'); }";
    a_table_of_doubles(Input::stdin("1")) "
        static const double table[4] = { 0.5, 1.5, 2.5, 3.5 };
        int main(void) { int c = getchar() - '0'; if (c < 0 || c > 3) return 1; say(table[c] > 3); }";
    a_square_root(Input::stdin("ab")) "int main(void) { int a = getchar(), b = getchar(); say(sqrt(a * b) == 110); }";
    rounding(Input::stdin("ab")) "
        int main(void) { double a = getchar() / 7.0, b = getchar() / 9.0;
          say(floor(a) == 17 && ceil(a) == 18 && round(b) == 13 && trunc(b) == 12 && rint(b) == 13); }";
    a_minimum(Input::stdin("ab")) "int main(void) { double a = getchar(), b = getchar(); say(fmin(a, b) == 65 && fmax(a, b) == 70); }";
    signs(Input::stdin("ab")) "
        int main(void) { double a = getchar() - 'a', b = getchar() - 'b'; double c = copysign(a, -1) * 2; say(fabs(c) == 12 && signbit(-b) && -b < -3); }";
    unsigned_integers(Input::stdin("abcdefgh")) "
        int main(void) { uint64_t n; fread(&n, 1, 8, stdin); double d = n; say(d == 0x1.5p63 && (uint64_t)(d / 2) == 0x5400000000000000); }";
    what_does_not_fit(Input::stdin("a")) "int main(void) { double d = getchar(); volatile double big = d * 1e8; say((int)big == INT32_MIN); }";
    doubles_and_floats(Input::stdin("ab")) "
        int main(void) { double d = getchar() / 10.0; float f = d; say((double)f != d && f > 12.25f); }";
    strtod_and_a_product(Input::stdin("1.5 9.25\n")) "
        int main(void) { char *end; fgets(line, 60, stdin); double x = strtod(line, &end), y = strtod(end, 0); say(x * 2 > y); }";
    atof_of_a_line(Input::stdin("3.50\n")) "int main(void) { fgets(line, 60, stdin); say(atof(line) == 7.25); }";
    atof_of_a_negative_number(Input::stdin("3.50\n")) "int main(void) { fgets(line, 60, stdin); say(atof(line) < -0.25); }";
    atof_of_an_integer(Input::stdin("42\n")) "int main(void) { fgets(line, 60, stdin); say(atof(line) / 4 == 7.75); }";
    atof_of_an_argument(Input::argument("12.5")) "int main(int c, char **v) { double x = atof(v[1]); say(x > 80.05 && x < 80.15); }";
    atof_with_an_exponent(Input::stdin("1.5e3\n")) "int main(void) { fgets(line, 60, stdin); say(atof(line) == 9700); }";
    atof_of_a_length_with_its_unit(Input::stdin("1.5em")) "int main(void) { fgets(line, 60, stdin); say(atof(line) * 16 == 40); }";
    atof_of_two_sides(Input::stdin("640x480")) "int main(void) { fgets(line, 60, stdin); say(atof(line) == 320); }";
    strtof_of_a_line(Input::stdin("0.25\n")) "int main(void) { fgets(line, 60, stdin); float f = strtof(line, 0); say(f == 0.1f); }";
    the_end_of_a_number(Input::stdin("1.25;\n")) "int main(void) { char *end; fgets(line, 60, stdin); strtod(line, &end); say(*end == ':'); }";
    no_number_at_all(Input::stdin("1.25\n")) "int main(void) { char *end; fgets(line, 60, stdin); strtod(line, &end); say(end == line); }";
    a_number_at_last(Input::stdin("abc\n")) "int main(void) { char *end; fgets(line, 60, stdin); double d = strtod(line, &end); say(end != line && d > 5); }";
    sscanf_of_doubles(Input::stdin("1.5 2.25\n")) "
        int main(void) { double a, b; fgets(line, 60, stdin); if (sscanf(line, \"%lf %lf\", &a, &b) != 2) return 1; say(a > b && b > 7.5); }";
    scanf_of_a_float(Input::stdin("1.5 7\n")) "int main(void) { float f; int n; if (scanf(\"%f %d\", &f, &n) != 2) return 1; say(f * n == 4.5f); }";
    scanf_that_fails(Input::stdin("1.5\n")) "int main(void) { double d; say(scanf(\"%lf\", &d) == 0); }";
    scanf_that_succeeds(Input::stdin("x.5\n")) "int main(void) { double d; say(scanf(\"%lf\", &d) == 1); }";
    an_average_of_numbers_in_text(Input::stdin("12 15 11\n")) "
        int main(void) { double sum = 0, x; int n = 0; while (n < 3 && scanf(\"%lf\", &x) == 1) { sum += x; n++; } say(n == 3 && sum / n > 43.7); }";
    a_product_and_a_sum(Input::stdin("abc")) "int main(void) { double a = getchar(), b = getchar(), c = getchar(); say(a * b + c == 10101); }";
}

fn main_of(body: &str) -> String {
    main_with(&format!(
        "#include <fenv.h>\nint main(void) {{ {body} return 0; }}"
    ))
}

/// What is computed in a way that is not followed is assumed to be as it was, and told.
#[test]
fn what_is_not_followed_is_assumed_and_reported() {
    let ways = [
        ("say(sin(x) > 0.5);", "sin"),
        ("say(pow(x, 2) > 9000);", "pow"),
        ("long double l = x; say(l > 100);", "long double"),
        ("fesetround(FE_UPWARD); say(x / 3 > 33);", "rounding"),
        ("sprintf(line, \"%.1f\", x); say(line[0] == '8');", "printf"),
        ("say(printf(\"%g\\n\", x) == 3);", "printf"),
        ("say(fma(x, x, x) > 10000);", "intrinsic"),
        ("__float128 q = x; say(q > 100);", "64 bits"),
    ];
    for (way, what) in ways {
        let source = main_of(&format!("double x = getchar(); {way}"));
        let laboratory = Laboratory::with_language(&source, "c", &["-lm"]);
        let (_, recording) = laboratory.record(&Input::stdin("a"));
        assert!(lost(&recording, what), "{way}: {:?}", recording.lost);
        assert_eq!(branches(&recording), 0, "{way}");
    }
}

/// What the processor computes depends on how the program is compiled.
#[test]
fn a_product_and_a_sum_that_are_rounded_once_are_not_followed() {
    if !std::arch::is_x86_feature_detected!("fma") {
        return;
    }
    let source = main_of("double x = getchar(); say(x * 0.1 + x == 106.7);");
    let laboratory = Laboratory::with_language(&source, "c", &["-mfma"]);
    let (_, recording) = laboratory.record(&Input::stdin("a"));
    assert!(lost(&recording, "rounded once"), "{:?}", recording.lost);
}

/// Numbers without any input in them are not told as lost, whatever is done with them.
#[test]
fn numbers_that_do_not_depend_on_the_input_are_not_lost() {
    let source =
        main_of("double x = 3; x = sin(x) * 2; printf(\"%f\\n\", x); say(getchar() == 'x');");
    let laboratory = Laboratory::with_language(&source, "c", &["-lm"]);
    let (_, recording) = laboratory.record(&Input::stdin("a"));
    assert!(recording.lost.is_empty(), "{:?}", recording.lost);
    assert_eq!(branches(&recording), 1);
}
