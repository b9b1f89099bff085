//! Relevant slices: which branches an output depends on, in programs where that is known by hand.

use std::collections::BTreeSet;

use crate::laboratory::{Input, Laboratory};
use yester_path::{
    Constraint, ConstraintKind, DependenceKind, Origin, Query, Recording, RelevantSlice,
    RelevantSlicer, Slicer, Solver, SolverAnswer, Term,
};

const DEPENDENCE: (&str, &str) = ("YESTER_CC_MODE", "dependence");

fn moments(recording: &Recording, text: &str) -> Vec<Origin> {
    let output = recording.output().expect("it can be read");
    let stdout = output.target(1).expect("something was written");
    let bytes: Vec<_> = output.bytes(stdout).collect();
    let written: Vec<u8> = bytes.iter().map(|byte| byte.value).collect();
    let at = written
        .windows(text.len())
        .position(|window| window == text.as_bytes())
        .expect("it was written");
    vec![output.pieces[bytes[at].piece].origin]
}

/// The slice of what a run wrote first of this text.
fn sliced(source: &str, extension: &str, input: &str, text: &str) -> RelevantSlice {
    let laboratory = Laboratory::with_environment(source, extension, &[], &[DEPENDENCE]);
    let input = Input::stdin(input);
    let (_, recording) = laboratory.record(&input);
    let moments = moments(&recording, text);
    let slice = RelevantSlicer::new(&recording).slice(&moments);
    let slice = slice.expect("it can be read");
    // With one memory it is never less.
    let more = RelevantSlicer::new(&recording).with_one_memory();
    let more = more.slice(&moments).expect("it can be read");
    let has = |slice: &RelevantSlice, branch| slice.branches.contains(branch);
    assert!(slice.branches.iter().all(|branch| has(&more, branch)));
    // Control dependence, of which the other slicer is sure, is there.
    let control = Slicer::new(&recording).expect("it can be read");
    let control = control.whole([], &moments).expect("it can be read");
    assert!(
        control.branches.iter().all(|branch| has(&slice, branch)),
        "{control:?}"
    );
    others_print_the_same(&laboratory, &input, &recording, &slice, text);
    slice
}

/// Inputs that go as before at all branches of the slice, and elsewhere at others, still print the text.
fn others_print_the_same(
    laboratory: &Laboratory,
    input: &Input,
    recording: &Recording,
    slice: &RelevantSlice,
    text: &str,
) {
    let is_sliced = |constraint: &Constraint| {
        constraint.kind == ConstraintKind::Concretised
            || slice
                .branches
                .iter()
                .any(|branch| branch.offset == constraint.event)
    };
    let constraints = &recording.constraints;
    let kept: Vec<Constraint> = constraints
        .iter()
        .filter(|one| is_sliced(one))
        .copied()
        .collect();
    let limit = std::time::Duration::from_secs(300);
    let values = recording.values();
    let mut solver = Solver::new(&recording.graph, values, Default::default(), limit);
    for constraint in constraints.iter().filter(|one| !is_sliced(one)) {
        let wanted = [Term::not(constraint.node)];
        let query = Query::new(&recording.graph, kept.iter().copied(), &wanted);
        if let SolverAnswer::Satisfiable(model) = solver.solve(&query).expect("it runs") {
            let other = laboratory.changed(input, recording, &model);
            let (output, _) = laboratory.record(&other);
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(printed.contains(text), "{other:?} prints {printed}");
        }
    }
}

/// The lines of the branches in a slice of a C program.
fn branch_lines(source: &str, input: &str, text: &str) -> Vec<u32> {
    let laboratory = Laboratory::with_environment(source, "c", &[], &[DEPENDENCE]);
    let (_, recording) = laboratory.record(&Input::stdin(input));
    let slice = sliced(source, "c", input, text);
    assert_eq!(slice.incomplete, None, "{source}");
    let lines: BTreeSet<u32> = slice
        .branches
        .iter()
        .map(|branch| {
            let function = recording.sites.function(branch.function).expect("known");
            function.sites[branch.site as usize].line
        })
        .collect();
    lines.into_iter().collect()
}

macro_rules! slices {
    ($($name:ident($input:literal, $text:literal) $expected:expr, $body:literal;)*) => {$(
        #[test]
        fn $name() {
            let source = format!("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n{}", $body);
            let expected: &[u32] = &$expected;
            assert_eq!(branch_lines(&source, $input, $text), expected, "{source}");
        }
    )*};
}

// The bodies start in line 4.
slices! {
    a_constant_that_a_branch_assigned("ab", "1;") [5],
        "int main(void) { int a = getchar(), b = getchar(), flag = 0, other = 0;
        if (a == 'a') flag = 1;
        if (b == 'b') other = 1;
        printf(\"%d;\", flag); printf(\"%d.\", other); return 0; }";
    a_branch_that_would_have_assigned("xy", "0;") [5],
        "int main(void) { int a = getchar(), b = getchar(), flag = 0, other = 0;
        if (a == 'a') flag = 1;
        if (b == 'b') other = 1;
        printf(\"%d;\", flag); printf(\"%d.\", other); return 0; }";
    a_value_that_is_overwritten_in_any_case("ab", "7;") [],
        "int main(void) { int a = getchar(), flag = 0;
        if (a == 'a') flag = 1;
        flag = 7;
        printf(\"%d;\", flag); return 0; }";
    a_branch_that_decides_whether_it_is_written("ab", "x") [6],
        "int main(void) { int a = getchar(), b = getchar(), n = 0;
        if (a == 'a') n = 1;
        if (b == 'b')
          putchar('x');
        return n; }";
    a_branch_below_a_branch("abc", "2;") [5, 6],
        "int main(void) { int a = getchar(), b = getchar(), c = getchar(), n = 0, m = 0;
        if (a == 'a') {
          if (b == 'b') n = 2;
          if (c == 'c') m = 2; }
        printf(\"%d;\", n); return m; }";
    elements_of_an_array("abc", "5;") [5],
        "int main(void) { int a = getchar(), b = getchar(), v[3] = { 0 }, w[3] = { 0 };
        if (a == 'a') v[1] = 5;
        if (b == 'b') w[1] = 5;
        printf(\"%d;\", v[1]); return w[1]; }";
    a_write_through_a_pointer("abc", "5;") [6],
        "int main(void) { int a = getchar(), b = getchar(), n = 0, m = 0, *p = &n;
        int local = 0;
        if (a == 'a') *p = 5;
        if (b == 'b') local = 5;
        printf(\"%d;\", n); return m + local; }";
    a_pointer_that_points_elsewhere("abc", "0;") [5],
        "int main(void) { int a = getchar(), n = 0, m = 0, *p = &n;
        if (a == 'a') p = &m;
        *p = 5;
        printf(\"%d;\", n); return m; }";
    fields_of_a_structure("abc", "5;") [6],
        "struct s { int x, y; }; static void set(struct s *s, int a, int b) {
        if (b == 'b') s->y = 4;
        if (a == 'a') s->x = 5; }
        int main(void) { struct s s = { 0, 0 }; int a = getchar(), b = getchar(); struct s *p = malloc(sizeof *p); *p = s;
        set(p, a, b);
        printf(\"%d;\", p->x); return 0; }";
    a_global_variable_that_a_function_sets("ab", "3;") [6, 9],
        "static int state, other;
        static void set(int n) {
          if (n > 2) state = n; else
          state = 0; }
        int main(void) { int a = getchar(), b = getchar();
        if (a == 'a') set(3);
        if (b == 'b') other = 4;
        printf(\"%d;\", state); return other; }";
    a_function_that_was_not_called("xb", "0;") [8],
        "static int state, other;
        static void set(int n) {
          state = n; }
        int main(void) { int a = getchar(), b = getchar();
        if (a == 'a') set(3);
        if (b == 'b') other = 4;
        printf(\"%d;\", state); return other; }";
    the_result_of_a_function("ab", "9;") [5],
        "static int pick(int c) {
        if (c == 'a') return 9;
        return 1; }
        static int other(int c) { if (c == 'b') return 9; return 1; }
        int main(void) { int a = getchar(), b = getchar(), n = pick(a), m = other(b);
        printf(\"%d;\", n); return m; }";
    an_early_return("ab", "no") [5],
        "static void say(int a, int b, int *seen) { int n = 0;
        if (a == 'x') return;
        if (b == 'b') n = 1;
        puts(\"no\"); *seen = n; }
        int main(void) { int a = getchar(), b = getchar(), seen = 0; say(a, b, &seen); return seen; }";
    a_break("aabc", "2;") [5, 6],
        "int main(void) { int n = 0, c, last = 0;
        for (int i = 0; i < 9; i++) {
          if ((c = getchar()) == 'b') break;
          n++; if (n == 40) last = 1; }
        printf(\"%d;\", n); return last; }";
    what_a_callee_prints("ab", "yes") [5, 7],
        "static void say(int c, int d) { int n = 0;
        if (c == 'a')
          puts(\"yes\"); if (d) n++; }
        int main(void) { int a = getchar(), b = getchar(); if (b == 'b') say(a, b);
        return 0; }";
    a_function_that_may_end_the_program("ab", "on") [4],
        "static void check(int c) { if (c == 'q') exit(0); }
        int main(void) { int a = getchar(), b = getchar(), n = 0; check(a);
        if (b == 'b') n = 1;
        puts(\"on\"); return n; }";
    a_byte_that_was_read_before("abc", "b") [5],
        "int main(void) { int a = getchar(), b = 0, n = 0;
        if (a == 'q') getchar();
        b = getchar(); if (a > 'x') n = 1;
        putchar(b); return n; }";
    a_switch_and_a_choice("bx", "2;") [5],
        "int main(void) { int a = getchar(), b = getchar(), n, m = b == 'x' ? 1 : 2;
        switch (a) { case 'a': n = 1; break; case 'b': n = 2; break; default: n = 3; }
        printf(\"%d;\", n); return m; }";
    a_value_that_was_read_before_it_changed("ab", "0;") [],
        "static int state; static int change(int c) { if (c == 'a') state = 5; return 0; }
        int main(void) { int a = getchar(), n = state + change(a);
        printf(\"%d;\", n); return 0; }";
}

#[test]
fn the_lines_of_a_slice_are_those_that_matter() {
    let source = "#include <stdio.h>
int main(void) {
  int a = getchar();
  int n = 1;
  int m = 2;
  if (a == 'a')
    n = 3;
  m = m + n;
  printf(\"%d\\n\", n);
  return m; }";
    let slice = sliced(source, "c", "a", "3");
    let lines: Vec<u32> = slice.places.iter().map(|place| place.line).collect();
    assert_eq!(lines, [3, 6, 7, 9]);
}

#[test]
fn what_cannot_be_followed_is_everything_and_says_why() {
    let jump = "#include <setjmp.h>
#include <stdio.h>
static jmp_buf home;
int main(void) { int a = getchar(), n = 0;
  if (setjmp(home) == 0) { if (a == 'a') longjmp(home, 1); }
  if (a == 'b') n = 1;
  puts(\"on\"); return n; }";
    let slice = sliced(jump, "c", "a", "on");
    assert_eq!(slice.incomplete.as_deref(), Some("an exception or longjmp"));
    assert_eq!(slice.branches.len(), 4);
    let plain = Laboratory::new(jump);
    let (_, recording) = plain.record(&Input::stdin("x"));
    let moments = moments(&recording, "on");
    let slice = RelevantSlicer::new(&recording)
        .slice(&moments)
        .expect("it can be read");
    let reason = slice.incomplete.expect("nothing is known");
    assert_eq!(reason, "main was built without YESTER_CC_MODE=dependence");
    assert_eq!(slice.branches.len(), recording.branches().count());
}

#[test]
fn a_program_in_cxx_is_sliced_too() {
    let source = "#include <cstdio>
struct shape { virtual int area(int) = 0; virtual ~shape() {} };
struct square : shape { int side = 0; int area(int n) override {
  if (n > 'a') side = 2; return side; } };
int main() { int a = getchar(), b = getchar(), unused = 0;
  square s; shape *p = &s; int n = p->area(a);
  if (b == 'b') unused = 1;
  printf(\"%d;\", n); return unused; }";
    let slice = sliced(source, "cc", "bb", "2;");
    assert_eq!(slice.incomplete, None);
    let lines: Vec<u32> = slice.places.iter().map(|place| place.line).collect();
    assert!(lines.contains(&4) && !lines.contains(&7), "{lines:?}");
}

#[test]
fn the_dependence_graph_has_control_and_data_of_all_lines() {
    let source = "#include <stdio.h>
static int state;
static int pick(int c) {
  if (c == 'a')
    state = 4;
  return c + 1; }
int main(void) {
  int a = getchar();
  int n = pick(a);
  int unused = 3;
  if (n > 7)
    n = state;
  printf(\"%d\\n\", n);
  return unused; }";
    let laboratory = Laboratory::with_environment(source, "c", &[], &[DEPENDENCE]);
    let (_, recording) = laboratory.record(&Input::stdin("a"));
    let graph = recording.sites.dependence_graph();
    let line = |node: u32| graph.nodes[node as usize].map(|place| place.line);
    let has = |from: u32, to: u32, kind: DependenceKind| {
        let mut edges = graph.edges.iter();
        edges
            .any(|edge| (line(edge.from), line(edge.to), edge.kind) == (Some(from), Some(to), kind))
    };
    // Data may go through memory that functions share.
    let reaches = |from: u32, to: u32| {
        let mut seen = BTreeSet::new();
        let mut pending: Vec<u32> = (0..graph.nodes.len() as u32)
            .filter(|node| line(*node) == Some(from))
            .collect();
        while let Some(node) = pending.pop() {
            for edge in graph.edges.iter().filter(|edge| edge.from == node) {
                if line(edge.to) == Some(to) && edge.kind == DependenceKind::Data {
                    return true;
                }
                if line(edge.to).is_none() && seen.insert(edge.to) {
                    pending.push(edge.to);
                }
            }
        }
        false
    };
    assert!(has(4, 5, DependenceKind::Control) && has(11, 12, DependenceKind::Control));
    assert!(!has(4, 6, DependenceKind::Control));
    assert!(has(8, 9, DependenceKind::Data) && has(9, 11, DependenceKind::Data));
    assert!(has(6, 9, DependenceKind::Data) && has(12, 13, DependenceKind::Data));
    assert!(reaches(5, 12) && !has(5, 12, DependenceKind::Data));
    assert!(!reaches(10, 13) && reaches(10, 14));
}
