//! Predicates: branches without effect show values that no branch of the program asks for, and change nothing else.

use crate::laboratory::{Input, Laboratory};
use yester_path::{
    ConstraintKind, ExpressionText, PathCondition, Recording, SiteKind, Solver, SolverAnswer,
};

const ALL: (&str, &str) = ("YESTER_CC_PREDICATES", "1");

fn with_predicates(source: &str, extension: &str) -> Laboratory {
    Laboratory::with_environment(source, extension, &[], &[ALL])
}

/// The predicates that a program has, in order.
fn predicates(recording: &Recording) -> Vec<String> {
    let functions = recording.sites.functions().iter();
    let sites = functions.flat_map(|function| &function.sites);
    sites
        .filter_map(|site| site.predicate())
        .map(str::to_owned)
        .collect()
}

/// The predicates of a run, each with its line and its outcome.
fn decided(recording: &Recording) -> Vec<(u32, String, bool)> {
    let mut found = Vec::new();
    for branch in recording.branches() {
        let branch = branch.expect("it can be read");
        let (_, site) = recording.site(&branch);
        if let Some(text) = site.predicate() {
            found.push((site.line, text.to_owned(), branch.outcome == 1));
        }
    }
    found
}

/// The branches that the program itself has, as lines of text with their conditions.
fn ordinary(recording: &Recording) -> Vec<String> {
    let text = ExpressionText::new(&recording.graph, &recording.input, &recording.sources);
    let mut found = Vec::new();
    for branch in recording.branches() {
        let branch = branch.expect("it can be read");
        let (function, site) = recording.site(&branch);
        if matches!(site.kind, SiteKind::Predicate { .. }) {
            continue;
        }
        let condition = branch
            .constraint
            .map(|index| text.condition(recording.constraints[index].node, true));
        found.push(format!(
            "{} {}:{} {} {} | {condition:?}",
            function.name,
            site.line,
            site.column,
            site.outcome(branch.outcome),
            branch.depth
        ));
    }
    found
}

#[test]
fn a_wrong_assignment_without_any_branch_is_seen_and_turned() {
    let laboratory = with_predicates(
        "#include <stdio.h>
int main(void) {
  int low = getchar();
  int high = getchar();
  int middle = low + (high - low) / 2 + 1;
  printf(\"%d\\n\", middle);
  return 0; }",
        "c",
    );
    let input = Input::stdin("ac");
    let (_, recording) = laboratory.record(&input);
    assert_eq!(ordinary(&recording), Vec::<String>::new());
    let found = decided(&recording);
    assert!(
        found.contains(&(5, "middle == high".to_owned(), true)),
        "{found:?}"
    );
    assert!(
        found.contains(&(5, "middle > low".to_owned(), true)),
        "{found:?}"
    );
    // The solver finds an input for which the middle is not the end.
    let wanted = |recording: &Recording, index: usize| {
        let branches = recording.branches_of_constraints().expect("it can be read");
        let branch = branches[index].expect("a branch");
        let mut all = recording.branches();
        let branch = all
            .nth(branch as usize)
            .expect("it is there")
            .expect("read");
        recording.site(&branch).1.predicate() == Some("middle == high")
    };
    let index = (0..recording.constraints.len())
        .find(|index| wanted(&recording, *index))
        .expect("it depends on the input");
    assert_eq!(recording.constraints[index].kind, ConstraintKind::Branch);
    let condition = PathCondition::new(&recording.graph, &recording.constraints);
    let limit = std::time::Duration::from_secs(300);
    let values = recording.values();
    let mut solver = Solver::new(&recording.graph, values, Default::default(), limit);
    let query = condition.negate(index).expect("a branch");
    let SolverAnswer::Satisfiable(model) = solver.solve(&query).expect("it runs") else {
        panic!("there is an input");
    };
    let other = laboratory.changed(&input, &recording, &model);
    let (_, turned) = laboratory.record(&other);
    let found = decided(&turned);
    assert!(
        found.contains(&(5, "middle == high".to_owned(), false)),
        "{other:?} {found:?}"
    );
}

#[test]
fn values_are_compared_with_what_is_in_scope_and_has_a_value() {
    let laboratory = with_predicates(
        "int limit = 7;
unsigned count(int);
int main(int argc, char **argv) {
  int a = 1, unset;
  { int gone = 2; a += gone; }
  long wide = 5;
  for (int i = 0; i < 1; i++) { int late; if (i) late = 1; a = i; }
  if (argc > 1) unset = 3;
  limit = a;
  count(a);
  return count(a) + *argv[0] - *argv[0]; }
unsigned count(int x) { x = -x; return x; }",
        "c",
    );
    let (_, recording) = laboratory.record(&Input::argument("q"));
    let expected = [
        // a = 1: nothing but the parameter and what is global.
        "a > argc",
        "a == argc",
        "a > limit",
        "a == limit",
        "gone > a",
        "gone == a",
        "gone > argc",
        "gone == argc",
        "gone > limit",
        "gone == limit",
        "a > old a",
        "a == old a",
        "a > gone",
        "a == gone",
        "a > argc",
        "a == argc",
        "a > limit",
        "a == limit",
        // `wide` is of another type; in the loop, `late` has no value and `gone` is gone.
        "i > a",
        "i == a",
        "i > argc",
        "i == argc",
        "i > limit",
        "i == limit",
        "late > i",
        "late == i",
        "late > a",
        "late == a",
        "late > argc",
        "late == argc",
        "late > limit",
        "late == limit",
        "a > old a",
        "a == old a",
        "a > i",
        "a == i",
        "a > argc",
        "a == argc",
        "a > limit",
        "a == limit",
        "i > old i",
        "i == old i",
        "i > a",
        "i == a",
        "i > argc",
        "i == argc",
        "i > limit",
        "i == limit",
        "unset > a",
        "unset == a",
        "unset > argc",
        "unset == argc",
        "unset > limit",
        "unset == limit",
        "limit > old limit",
        "limit == old limit",
        "limit > a",
        "limit == a",
        "limit > argc",
        "limit == argc",
        // The result that nobody uses has none; the other is unsigned.
        "count() == 0",
        "x > old x",
        "x == old x",
    ];
    let mut found = predicates(&recording);
    let mut expected = expected.map(str::to_owned).to_vec();
    // Blocks are not in the order of the source.
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_value_is_compared_with_at_most_eight_variables_the_nearest_first() {
    let laboratory = with_predicates(
        "int main(void) {
  int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0;
  int last;
  last = 1;
  return a + b + c + d + e + f + g + h + i + last - 1; }",
        "c",
    );
    let (_, recording) = laboratory.record(&Input::default());
    let texts: Vec<String> = decided(&recording)
        .into_iter()
        .filter_map(|(line, text, _)| (line == 4).then_some(text))
        .collect();
    let expected: Vec<String> = "ihgfedcb"
        .chars()
        .flat_map(|name| [format!("last > {name}"), format!("last == {name}")])
        .collect();
    assert_eq!(texts, expected);
}

#[test]
fn signs_are_those_of_the_types() {
    let laboratory = with_predicates(
        "#include <stdbool.h>
typedef unsigned char byte;
enum colour { RED, BLUE };
int main(void) {
  unsigned small = 1, big = -1;
  int one = 1, minus = -1;
  byte low = 1, high = 200;
  signed char plus = 1, above = -56;
  bool no = 0, yes = 1;
  enum colour red = RED, blue = BLUE;
  return 0; }",
        "c",
    );
    let (_, recording) = laboratory.record(&Input::default());
    let found = decided(&recording);
    for (line, text, outcome) in [
        (5, "big > small", true),
        (6, "minus > one", false),
        (7, "high > low", true),
        (8, "above > plus", false),
        (9, "yes > no", true),
        (10, "blue > red", true),
    ] {
        assert!(
            found.contains(&(line, text.to_owned(), outcome)),
            "{text}: {found:?}"
        );
    }
    let mixed = |text: &str| text.contains("low") && text.contains("above");
    assert!(!found.iter().any(|(_, text, _)| mixed(text)), "{found:?}");
}

/// Programs of all kinds, each with an input.
const PROGRAMS: [(&str, &str, &str); 6] = [
    (
        "c",
        "#include <stdio.h>
        #include <string.h>
        struct point { int x, y : 5; struct { unsigned char c[4]; } in; } grid[3];
        static int twice(int n) { return n < 2 ? n : twice(n - 1) + 2; }
        static struct point move(struct point p, int by) { p.x += by; p.y = p.x & 3; return p; }
        int main(void) { char text[9] = \"\"; int used, *where = &used; fread(text, 1, 8, stdin);
          *where = text[0];
          for (int i = 0; i < 3; i++) { grid[i].x = text[i]; grid[i] = move(grid[i], i); used += grid[i].x; }
          char *p = text; while (*p && *p != 'c') p++; long at = *p ? p - text : -1;
          switch (at) { case 0: used = 1; break; case 2: used++; default: used -= twice(at + 3); }
          int length = used > 3 && at > 0 ? text[1] : -text[1];
          while (length > 90) { length--; if (length % 7 == 0) goto out; }
        out: printf(\"%d %d %ld %d\\n\", used, length, at, grid[1].y); return used & 7; }",
        "abcdefgh",
    ),
    (
        "c",
        "#include <setjmp.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <stdatomic.h>
        static jmp_buf home; static volatile int shaky; static _Atomic int whole; static _Thread_local int own = 3;
        extern int missing __attribute__((weak));
        static int sum(int n, ...) { va_list list; va_start(list, n); int s = 0; while (n--) s += va_arg(list, int); va_end(list); return s; }
        static void jump(int c) { int d = c + 1; if (d > 'c') longjmp(home, d); }
        int main(void) { int c = getchar(), n = 0, back = setjmp(home); n = back ? back : 1;
          if (!back) jump(c);
          int many[n & 3 | 1]; many[0] = n; shaky = many[0]; whole = shaky; own += whole; n = own;
          static void *labels[] = { &&even, &&odd }; goto *labels[n & 1];
        even: n = sum(2, n, c); goto end;
        odd: n = sum(3, n, c, 1); end:
          printf(\"%d %d\\n\", n, &missing ? missing : 0); return 0; }",
        "d",
    ),
    (
        "c",
        "#include <stdio.h>
        typedef int (*work)(int, int);
        static int add(int a, int b) { a += b; return a; }
        static int mul(int a, int b) { int r = 0; for (unsigned i = 0; i < (unsigned)b; i++) r = add(r, a); return r; }
        static work table[] = { add, mul };
        int main(void) { unsigned long long hash = 5381; int c, lines = 0;
          while ((c = getchar()) != EOF) { hash = hash * 33 + c; lines += c == '\\n'; if (c == 'x') break; }
          int r = table[hash & 1](lines + 3, 4); __int128 big = r; big *= r; r = big;
          printf(\"%llu %d %d\\n\", hash, lines, r); return 0; }",
        "ab\ncd\nx",
    ),
    (
        "cc",
        "#include <cstdio>
        #include <string>
        #include <vector>
        #include <map>
        namespace shop { struct item { int price; item(int p) : price(p) {} virtual int cost(int n) { int c = price * n; return c; } virtual ~item() {} };
          struct cheap : item { using item::item; int cost(int n) override { int c = item::cost(n); c -= n; return c; } };
          template <class T> T most(const std::vector<T> &all) { T best = all[0]; for (T one : all) if (one > best) best = one; return best; } }
        static int risky(int c) { if (c == 'q') throw c; int d = c + 1; return d; }
        int main() { std::vector<int> all; std::map<int, int> seen; int c, got = 0;
          while ((c = getchar()) != EOF) { try { got = risky(c); } catch (int e) { got = -e; } all.push_back(got); seen[c]++; }
          shop::item *thing = new shop::cheap(shop::most(all)); int total = thing->cost(seen.size()); delete thing;
          auto count = [&](int x) { int y = x; for (int one : all) y += one > x; return y; };
          std::string text = std::to_string(total); bool odd = total & 1; int &alias = total; alias += count(3);
          printf(\"%s %d %d\\n\", text.c_str(), odd, total); return 0; }",
        "abqz",
    ),
    (
        "c",
        "#include <stdio.h>
        int state;
        int next(void);
        int main(void) { int a = 0, b = 0; do { a = next(); if (a < 0) { b = -1; continue; } else if (a == 3) return 3; b = a, a = b ? a : b; } while (a && ++state < 4);
          for (;;) { int k = next(); if (k) break; }
          printf(\"%d %d %d\\n\", a, b, state); return b; }
        int next(void) { int c = getchar(); static int before; int r = c - 'a' - before; before = r; return c == EOF ? -1 : r; }",
        "bcabd",
    ),
    ("c", "int main(int argc, char **argv) { argc = argc * 2; argv++; return argc - 2; }", ""),
];

#[test]
fn a_program_does_the_same_with_and_without_predicates() {
    for (extension, source, input) in PROGRAMS {
        let plain = Laboratory::with_language(source, extension, &[]);
        let input = Input::stdin(input);
        let (before, without) = plain.record(&input);
        assert_eq!(predicates(&without), Vec::<String>::new());
        for symbolic in [true, false] {
            let mut environment = vec![ALL];
            environment.extend((!symbolic).then_some(("YESTER_CC_MODE", "trace")));
            let laboratory = Laboratory::with_environment(source, extension, &[], &environment);
            let (after, with) = laboratory.record(&input);
            assert_eq!(
                (&before.stdout, before.status),
                (&after.stdout, after.status),
                "{source}"
            );
            assert_eq!(after.stdout, plain.plain(&input).stdout, "{source}");
            assert!(!predicates(&with).is_empty(), "{source}");
            assert!(!decided(&with).is_empty(), "{source}");
            let (ours, theirs) = (ordinary(&without), ordinary(&with));
            assert_eq!(ours.len(), theirs.len(), "{source}");
            for (before, after) in ours.iter().zip(&theirs) {
                // Without values there are no conditions.
                let shown = |line: &str| {
                    if symbolic {
                        line.to_owned()
                    } else {
                        line.split(" | ").next().expect("a place").to_owned()
                    }
                };
                assert_eq!(shown(before), shown(after), "{source}");
            }
            // The same again: no predicate reads what may be anything.
            let (_, again) = laboratory.record(&input);
            assert_eq!(decided(&with), decided(&again), "{source}");
        }
    }
}

#[test]
fn only_the_named_functions_get_predicates() {
    let source = "static int f(int x) { x++; return x; }
static int g(int x) { x--; return x; }
int main(void) { int y = f(1); y = g(y); return y - 1; }";
    for (choice, wanted) in [
        ("", vec![]),
        ("0", vec![]),
        ("g", vec!["x > old x", "x == old x"]),
        ("h, g,", vec!["x > old x", "x == old x"]),
        ("k", vec![]),
    ] {
        let environment = [("YESTER_CC_PREDICATES", choice)];
        let laboratory = Laboratory::with_environment(source, "c", &[], &environment);
        let (_, recording) = laboratory.record(&Input::default());
        assert_eq!(predicates(&recording), wanted, "{choice}");
        assert!(decided(&recording).iter().all(|(line, _, _)| *line == 2));
    }
}

#[test]
fn functions_of_cxx_are_shown_as_they_are_written_and_headers_of_the_system_have_none() {
    let laboratory = with_predicates(
        "#include <vector>
namespace a { struct b { int v; int get(int by) const { return v + by; } }; }
int main() { a::b x{3}; std::vector<int> all(3); int n = x.get(1) + (int)all.size(); return n - 7; }",
        "cc",
    );
    let (_, recording) = laboratory.record(&Input::default());
    let found = predicates(&recording);
    assert!(
        found.iter().any(|text| text == "a::b::get(int) const == 0"),
        "{found:?}"
    );
    for function in recording.sites.functions() {
        let mut sites = function.sites.iter();
        let is_system = function.file.starts_with("/usr");
        assert!(
            !is_system || sites.all(|site| site.predicate().is_none()),
            "{}",
            function.name
        );
    }
}
