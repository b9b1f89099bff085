//! Which places are recorded, with which names and values.

use crate::laboratory::{Build, Laboratory, told, values};

#[test]
fn every_assignment_to_a_variable_has_its_value() {
    let text = "static int counter;\nint flag;\nint main(void) {\n  int x = 5;\n  unsigned char y;\n  x = -1;\n  y = 200;\n  x += 3;\n  counter++;\n  flag = 1;\n  for (int i = 0; i < 2; i++) {\n    static long calls;\n    calls += i;\n  }\n  { int x = 9; (void)x; }\n  return x - 2;\n}\n";
    assert_eq!(
        values(text),
        [
            "4 x = 5",
            "6 x = -1",
            "7 y = 200",
            "8 x = 2",
            "9 counter = 1",
            "10 flag = 1",
            "11 i = 0",
            "13 calls = 0",
            "11 i = 1",
            "13 calls = 1",
            "11 i = 2",
            "15 x = 9",
            "16 result of main = 0",
        ]
    );
}

#[test]
fn members_have_the_names_of_the_source() {
    let text = "struct inner { int deep; };\nstruct outer { int x1; struct inner inner; double d; };\ntypedef struct { char *name; int count; } item;\nstatic struct outer global;\nstatic void set(struct outer *p, item *q) {\n  p->x1 = 1;\n  p->inner.deep = 2;\n  p->d = 0.5;\n  q->name = 0;\n  q->count = 3;\n  p->x1 = 4;\n}\nint main(void) {\n  struct outer local = {7, {8}, 9};\n  item item;\n  set(&local, &item);\n  item.count = 5;\n  global.inner.deep = 6;\n  global.x1 = 7;\n  local = global;\n  return 0;\n}\n";
    assert_eq!(
        values(text)[..],
        [
            "14 local.x1 = 7",
            "14 local.inner.deep = 8",
            "14 local.d = 9.0",
            "6 p->x1 = 1",
            "7 p->inner.deep = 2",
            "8 p->d = 0.5",
            "9 q->name = null",
            "10 q->count = 3",
            "11 p->x1 = 4",
            "17 item.count = 5",
            "18 global.inner.deep = 6",
            "19 global.x1 = 7",
            "21 result of main = 0",
        ]
    );
}

#[test]
fn a_structure_that_is_passed_in_registers_is_no_number() {
    let text = "struct small { char c; int n; };\nstruct wide { long a; char b; };\nstatic struct small small(int n) {\n  struct small s;\n  s.c = 1;\n  s.n = n;\n  return s;\n}\nstatic struct wide wide(struct small s, struct wide w) {\n  w.a = s.n;\n  return w;\n}\nint main(void) {\n  struct small s = small(3);\n  struct wide w = {0, 0};\n  w = wide(s, w);\n  return w.a != 3;\n}\n";
    assert_eq!(
        values(text),
        [
            "14 argument 1 of small = 3",
            "5 s.c = 1",
            "6 s.n = 3",
            "10 w.a = 3",
            "17 result of main = 0",
        ]
    );
}

#[test]
fn constants_that_initialise_a_variable_are_assigned() {
    let text = "struct pair { char kind; long n; };\nint main(void) {\n  unsigned w[2][2] = {{1, 3}, {5, 0xFFFFFFFF}};\n  struct pair list[2] = {{1, 2}, {3, 4}};\n  char text[] = \"abc\";\n  struct pair none = {0};\n  return w[0][0] != 1;\n}\n";
    assert_eq!(
        values(text),
        [
            "3 w[0][0] = 1",
            "3 w[0][1] = 3",
            "3 w[1][0] = 5",
            "3 w[1][1] = 4294967295",
            "4 list[0].kind = 1",
            "4 list[0].n = 2",
            "4 list[1].kind = 3",
            "4 list[1].n = 4",
            "7 index of w = 0",
            "7 index of w[0] = 0",
            "7 result of main = 0",
        ]
    );
}

#[test]
fn an_index_is_recorded_where_it_is_used() {
    let text = "static int a[4];\nstatic int sum(const int *p, int n) {\n  int s = 0;\n  s += p[n];\n  s += *(p + n - 1);\n  return s;\n}\nint main(void) {\n  int m[2][3] = {{0}};\n  int i = 1;\n  a[i + 1] = 7;\n  a[3] = 8;\n  i = sum(a, i + 1);\n  m[0][i & 1] = 2;\n  return i != 7;\n}\n";
    assert_eq!(
        values(text),
        [
            "10 i = 1",
            "11 index of a = 2",
            "11 a[] = 7",
            "12 a[3] = 8",
            "13 argument 2 of sum = 2",
            "3 s = 0",
            "4 index of p = 2",
            "4 s = 7",
            "5 index of p = 2",
            "5 s = 7",
            "6 result of sum = 7",
            "13 i = 7",
            "14 index of m = 0",
            "14 index of m[0] = 1",
            "14 m[0][] = 2",
            "15 result of main = 0",
        ]
    );
}

#[test]
fn arguments_and_results_are_at_the_lines_of_call_and_return() {
    let text = "#include <math.h>\n#include <string.h>\nstatic int choose(int n, double d, char c, _Bool b) {\n  if (n > 1)\n    return n;\n  if (b && d > 1 && c)\n    return -2;\n  return 0;\n}\nstatic unsigned wide(void) { return 0xFFFFFFFF; }\nint main(void) {\n  char to[8], from[8] = \"1234567\";\n  int (*call)(int, double, char, _Bool) = choose;\n  choose(2, 0.5, 'a', 1);\n  call(1,\n       2.5,\n       'b', 2);\n  wide();\n  memcpy(to, from, strlen(from));\n  return (int)fabs(0.0);\n}\n";
    assert_eq!(
        values(text),
        [
            "13 call = not null",
            "14 argument 1 of choose = 2",
            "14 argument 2 of choose = 0.5",
            "14 argument 3 of choose = 97",
            "14 argument 4 of choose = 1",
            "5 result of choose = 2",
            "15 argument 1 of call = 1",
            "15 argument 2 of call = 2.5",
            "15 argument 3 of call = 98",
            "15 argument 4 of call = 1",
            "7 result of choose = -2",
            "10 result of wide = 4294967295",
            "19 argument 3 of memcpy = 7",
            "20 result of main = 0",
        ]
    );
}

#[test]
fn of_a_pointer_only_null_is_recorded() {
    let text = "#include <stdlib.h>\nstruct node { struct node *next; int n; };\nstatic int length(struct node *list) {\n  int n = 0;\n  while (list) { n++; list = list->next; }\n  return n;\n}\nint main(void) {\n  struct node last = {0, 1}, first;\n  struct node *p = &first, **q = &p;\n  first.next = &last;\n  (*q)->n = 3;\n  *q = p->next;\n  last.next = 0;\n  p->n = 4;\n  length(p);\n  return length(NULL);\n}\n";
    assert_eq!(
        values(text),
        [
            "9 last.next = null",
            "9 last.n = 1",
            "10 p = not null",
            "10 q = not null",
            "11 first.next = not null",
            "12 *q->n = 3",
            "13 *q = not null",
            "14 last.next = null",
            "15 p->n = 4",
            "16 argument 1 of length = not null",
            "4 n = 0",
            "5 n = 1",
            "5 list = null",
            "6 result of length = 1",
            "17 argument 1 of length = null",
            "4 n = 0",
            "6 result of length = 0",
            "17 result of main = 0",
        ]
    );
}

#[test]
fn a_bit_field_has_the_value_that_was_assigned() {
    let text = "struct flags { unsigned a : 1, b : 3; int c : 4; unsigned char whole; };\nint main(void) {\n  struct flags f = {0};\n  struct flags *p = &f;\n  int n = 5;\n  f.a = 1;\n  f.b = n;\n  p->c = -3;\n  p->a = 0;\n  p->whole = 255;\n  return f.b - 5;\n}\n";
    assert_eq!(
        values(text)[..],
        [
            "3 f.whole = 0",
            "4 p = not null",
            "5 n = 5",
            "6 f.a = 1",
            "7 f.b = 5",
            "8 p->c = -3",
            "9 p->a = 0",
            "10 p->whole = 255",
            "11 result of main = 0",
        ]
    );
    let text = "struct flags { int before, more[9]; unsigned a : 1, b : 3; };\nint main(void) {\n  struct flags f = {.a = 1, .b = 3};\n  return f.b != 3;\n}\n";
    assert_eq!(
        values(text),
        ["3 bit fields from f.a on = 7", "4 result of main = 0"]
    );
}

#[test]
fn variables_of_every_storage_have_their_names() {
    let text = "#include <stdlib.h>\nstruct list { struct list *next; struct { int n[3]; } data; };\nstatic _Thread_local int own;\nstatic struct list lists[2];\nint main(int argc, char **argv) {\n  register int r = 1;\n  volatile unsigned short v = 65535;\n  struct list *heap = malloc(2 * sizeof *heap);\n  int n = argc + 1;\n  int vla[n];\n  own = 3;\n  argc = 4;\n  heap[1].data.n[2] = 5;\n  lists[n - 1].data.n[0] = 6;\n  (&heap[0])->next = &lists[1];\n  heap->next->data.n[1] = 7;\n  vla[1] = 8;\n  *(int *)heap = 9;\n  int lost = (n = 2, own = n);\n  free(heap);\n  return 0;\n}\n";
    assert_eq!(
        values(text),
        [
            "6 r = 1",
            "7 v = 65535",
            "8 argument 1 of malloc = 48",
            "8 heap = not null",
            "9 n = 2",
            "11 own = 3",
            "12 argc = 4",
            "13 index of heap = 1",
            "13 index of heap[1].data.n = 2",
            "13 heap[1].data.n[2] = 5",
            "14 index of lists = 1",
            "14 index of lists[].data.n = 0",
            "14 lists[].data.n[0] = 6",
            "15 index of heap = 0",
            "15 heap[0].next = not null",
            "16 index of heap->next->data.n = 1",
            "16 heap->next->data.n[1] = 7",
            "17 index of vla = 1",
            "17 vla[1] = 8",
            "18 *heap = 9",
            "19 n = 2",
            "19 own = 2",
            "19 lost = 2",
            "20 argument 1 of free = not null",
            "21 result of main = 0",
        ]
    );
}

#[test]
fn floating_point_numbers_keep_all_their_bits() {
    let text = "#include <math.h>\nint main(void) {\n  float f = 0.1f;\n  double d = 0.1;\n  d = -0.0;\n  f = f * 3;\n  d = f;\n  f = INFINITY;\n  return 0;\n}\n";
    assert_eq!(
        values(text),
        [
            "3 f = 0.1",
            "4 d = 0.1",
            "5 d = -0.0",
            "6 f = 0.3",
            "7 d = 0.30000001192092896",
            "8 f = inf",
            "9 result of main = 0",
        ]
    );
}

#[test]
fn members_references_and_exceptions_of_cxx_are_recorded() {
    let text = "#include <vector>\nnamespace shape {\nstruct Base { virtual ~Base() {} virtual int area(int) { return 0; } int id = 7; };\ntemplate <class T> struct Box : Base {\n  T side;\n  Box(T side) : side(side) { id = 9; }\n  int area(int times) override { return side * times; }\n};\n}\nstatic void exchange(int &left, int &right) {\n  int old = left;\n  left = right;\n  right = old;\n}\nint main() {\n  shape::Box<int> box(5);\n  shape::Base &base = box;\n  int area = base.area(3), other = 1;\n  exchange(area, other);\n  std::vector<int> list;\n  list.push_back(4);\n  for (int one : list)\n    area += one;\n  try {\n    throw 6;\n  } catch (int number) {\n    area = number;\n  }\n  return area - 6;\n}\n";
    let expected = [
        "16 argument 1 of shape::Box<int>::Box(int) = 5",
        "3 this->id = 7",
        "6 this->side = 5",
        "6 this->id = 9",
        "17 base = not null",
        "18 argument 1 of virtual function 2 = 3",
        "7 result of shape::Box<int>::area(int) = 15",
        "18 area = 15",
        "18 other = 1",
        "11 old = 15",
        "12 left = 1",
        "13 right = 15",
        "22 one = 4",
        "23 area = 5",
        "25 exception = 6",
        "26 number = 6",
        "27 area = 6",
        "29 result of main = 0",
    ];
    for build in [Build::Trace, Build::Symbolic] {
        assert_eq!(Laboratory::cxx(text, build).values(), expected, "{build:?}");
    }
}

#[test]
fn a_value_that_depends_on_the_input_has_its_expression() {
    let text = "#include <stdio.h>\nint main(void) {\n  int c = getchar();\n  int d = c + 1;\n  int n = 3;\n  char a[300] = {0};\n  a[d] = 1;\n  n = d * 2;\n  return n > 1000;\n}\n";
    let laboratory = Laboratory::c(text, Build::Symbolic);
    assert_eq!(laboratory.run("a").status.code(), Some(0));
    let recording = &laboratory.recordings()[0];
    assert_eq!(
        told(recording, 0),
        [
            "3 c = 97: stdin[0]",
            "4 d = 98: stdin[0] + 1",
            "5 n = 3",
            "7 index of a = 98: (int32_t)(stdin[0] + 1)",
            "7 a[] = 1",
            "8 n = 196: (stdin[0] + 1) * 2",
            "9 result of main = 0: (int32_t)((stdin[0] + 1) * 2) > 1000",
        ]
    );
}
