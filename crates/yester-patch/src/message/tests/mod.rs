//! The texts are what the tools have printed, shortened: gcc, ld, rustc, javac, node, python and make. The others were not
//! at hand: clang, lld, tsc, go, cmake, ninja, Maven and pytest have messages here that were written after theirs.

mod interpreter;

use super::*;

/// Messages as one line each: `file:line name name`.
fn read(output: &str) -> Vec<String> {
    let tell = |message: Message| {
        let file = message.file.unwrap_or_default();
        let line = message
            .line
            .map_or(String::new(), |line| format!(":{line}"));
        format!("{file}{line} {}", message.names.join(" "))
    };
    messages(output).into_iter().map(tell).collect()
}

#[test]
fn gcc_says_what_is_missing() {
    let output = "\
a.c:3:6: error: conflicting types for ‘conf’; have ‘long int(int)’
    3 | long conf(int a) { return 0; }
      |      ^~~~
a.c:2:5: note: previous declaration of ‘conf’ with type ‘int(int)’
a.c:5:5: error: redefinition of ‘twice’
./a.c:6:1: error: unknown type name ‘unknown_t’
a.c: In function ‘f’:
a.c:8:11: error: ‘undeclared_name’ undeclared (first use in this function)
    8 |   int x = undeclared_name + p->missing_member;
      |           ^~~~~~~~~~~~~~~
a.c:8:11: note: each undeclared identifier is reported only once for each function it appears in
a.c:8:30: error: ‘struct s’ has no member named ‘missing_member’
a.c:9:3: error: too few arguments to function ‘two’
In file included from a.c:1:
x.h:2:5: note: declared here
a.c:11:3: warning: implicit declaration of function ‘implicit_fn’ [-Wimplicit-function-declaration]
a.c:12:3: warning: unused variable ‘nobody’ [-Wunused-variable]
a.c:12:18: error: storage size of ‘n’ isn’t known
b.c:1:10: fatal error: sub/gone.h: No such file or directory
    1 | #include \"sub/gone.h\"
compilation terminated.
";
    assert_eq!(
        read(output),
        [
            "a.c:3 conf",
            "a.c:5 twice",
            "a.c:6 unknown_t",
            "a.c:8 undeclared_name",
            "a.c:8 missing_member s",
            "a.c:9 two",
            "a.c:11 implicit_fn",
            "a.c:12 n",
            "b.c:1 sub/gone.h"
        ]
    );
}

#[test]
fn gcc_speaks_cpp_and_in_colours() {
    let output = "\
c.cpp:3:11: error: ‘Gone’ has not been declared in ‘ns’
c.cpp:4:36: error: no matching function for call to ‘ns::K::f(int, int)’
c.cpp:2:39: note: candidate: ‘void ns::K::f(int)’
c.cpp:4:77: error: ‘std::string’ {aka ‘class std::__cxx11::basic_string<char>’} has no member named ‘frob’
c.cpp:5:6: error: no declaration matches ‘void ns::K::other()’
c.cpp:7:19: error: too many arguments to function ‘int g(int)’
\u{1b}[01m\u{1b}[Kc.cpp:8:10:\u{1b}[m\u{1b}[K \u{1b}[01;31m\u{1b}[Kerror: \u{1b}[m\u{1b}[K‘\u{1b}[01m\u{1b}[Kred\u{1b}[m\u{1b}[K’ was not declared in this scope
";
    assert_eq!(
        read(output),
        [
            "c.cpp:3 Gone ns",
            "c.cpp:4 f K ns",
            "c.cpp:4 frob",
            "c.cpp:5 other K ns",
            "c.cpp:7 g",
            "c.cpp:8 red"
        ]
    );
}

#[test]
fn clang_says_what_is_missing() {
    let output = "\
a.c:8:11: error: use of undeclared identifier 'lenght'; did you mean 'length'?
a.c:9:6: error: no member named 'z' in 'struct s'
a.c:10:10: fatal error: 'x/y.h' file not found
a.c:11:3: error: call to undeclared function 'go'; ISO C99 and later do not support implicit function declarations [-Wimplicit-function-declaration]
a.c:12:8: error: too few arguments to function call, expected 2, have 1
  two(1);
  ~~~  ^
a.cpp:3:5: error: out-of-line definition of 'other' does not match any declaration in 'ns::K'
";
    assert_eq!(
        read(output),
        [
            "a.c:8 lenght",
            "a.c:9 z s",
            "a.c:10 x/y.h",
            "a.c:11 go",
            "a.c:12 two",
            "a.cpp:3 other K ns"
        ]
    );
}

#[test]
fn linkers_say_what_is_undefined() {
    let output = "\
/usr/bin/ld: /tmp/cc2EIpIY.o: in function `main':
/work/m/l.c:2: undefined reference to `missing_function'
/usr/bin/ld: /work/m/l.c:2: undefined reference to `missing_variable'
/usr/bin/ld: /tmp/ccX.o:(.text+0x5): undefined reference to `ns::K::f(int)'
/usr/bin/ld: b.o:b.c:(.text+0x0): multiple definition of `twice'; a.o:a.c:(.text+0x0): first defined here
/usr/bin/ld: cannot find -lnowhere: No such file or directory
collect2: error: ld returned 1 exit status
ld.lld: error: undefined symbol: foo(int)
>>> referenced by main.cpp:2
>>>               /tmp/main-1.o:(main)
  \"_bar\", referenced from:
";
    assert_eq!(
        read(output),
        [
            "/work/m/l.c:2 missing_function",
            "/work/m/l.c:2 missing_variable",
            " f K ns",
            "b.o:b.c twice",
            " nowhere",
            "main.cpp:2 foo",
            " bar"
        ]
    );
}

#[test]
fn rustc_says_what_is_missing() {
    let output = "\
error[E0583]: file not found for module `gone`
 --> r.rs:1:1
  |
1 | mod gone;
  | ^^^^^^^^^

error[E0432]: unresolved import `crate::inner::absent`
 --> src/r.rs:3:20

error: cannot find macro `nomacro` in this scope
  --> r.rs:13:5

error[E0425]: cannot find value `unknown_value` in this scope
 --> r.rs:6:13
error[E0560]: struct `P` has no field named `y`
 --> r.rs:8:30
error[E0609]: no field `z` on type `P`
 --> r.rs:9:7
help: a field with a similar name exists
  |
9 +     p.x; p.no_method();

error[E0599]: no function or associated item named `make` found for struct `P` in the current scope
  --> r.rs:10:15
error[E0061]: this function takes 1 argument but 2 arguments were supplied
  --> r.rs:11:5
   |
11 |     here(1, 2);
   |     ^^^^    - unexpected argument #2 of type `{integer}`
   |
note: function defined here
  --> r.rs:4:20

error[E0308]: mismatched types
  --> r.rs:15:21
   |
15 |     let s: Words = number;
   |            ------  ^^^^^^ expected `Words`, found integer

warning: unused variable: `a`
 --> r.rs:4:25

error: aborting due to 14 previous errors; 1 warning emitted
error: could not compile `r` (bin \"r\") due to 14 previous errors
";
    assert_eq!(
        read(output),
        [
            "r.rs:1 gone",
            "src/r.rs:3 absent inner",
            "r.rs:13 nomacro",
            "r.rs:6 unknown_value",
            "r.rs:8 y P",
            "r.rs:9 z P",
            "r.rs:10 make P",
            "r.rs:11 here",
            "r.rs:15 number Words"
        ]
    );
}

#[test]
fn javac_says_what_is_missing() {
    let output = "\
A.java:1: error: package gone.pack does not exist
import gone.pack.Thing;
                ^
A.java:2: error: cannot find symbol
import java.util.Nope;
                ^
  symbol:   class Nope
  location: package java.util
A.java:5: error: A.B is not abstract and does not override abstract method must() in I
A.java:6: error: cannot find symbol
  int m(int a) { return missing + other(3); }
                                  ^
  symbol:   method other(int)
  location: class A
A.java:7: error: method m in class A cannot be applied to given types;
  required: int
  found:    String,int
A.java:7: error: incompatible types: int cannot be converted to String
[ERROR] /w/src/B.java:[6,25] cannot find symbol
[ERROR]   symbol:   variable missing
[ERROR]   location: class B
11 errors
";
    assert_eq!(
        read(output),
        [
            "A.java:1 pack gone",
            "A.java:2 Nope util java",
            "A.java:5 must B A I",
            "A.java:6 other A",
            "A.java:7 m A",
            "A.java:7 String",
            "/w/src/B.java:6 missing B"
        ]
    );
}

#[test]
fn tsc_says_what_is_missing() {
    let output = "\
src/a.ts(3,5): error TS2304: Cannot find name 'foo'.
src/a.ts(4,7): error TS2339: Property 'bar' does not exist on type 'Words<T>'.
src/a.ts(5,10): error TS2305: Module '\"./m\"' has no exported member 'baz'.
src/a.ts:6:20 - error TS2307: Cannot find module './gone' or its corresponding type declarations.
src/a.ts:7:1 - error TS2554: Expected 2 arguments, but got 1.

7 two(1);
  ~~~
src/a.ts(8,1): error TS2552: Cannot find name 'lenght'. Did you mean 'length'?
Found 6 errors.
";
    assert_eq!(
        read(output),
        [
            "src/a.ts:3 foo",
            "src/a.ts:4 bar Words T",
            "src/a.ts:5 baz m",
            "src/a.ts:6 gone",
            "src/a.ts:7 two",
            "src/a.ts:8 lenght"
        ]
    );
}

#[test]
fn go_says_what_is_missing() {
    let output = "\
# example.com/a
./a.go:4:2: \"net/http\" imported and not used
./a.go:8:7: undefined: Foo
./a.go:9:7: undefined: words.Bar
./a.go:10:4: r.Count undefined (type *Reader has no field or method Count)
./a.go:11:9: not enough arguments in call to two
\thave (number)
\twant (int, int)
./a.go:12:2: declared and not used: x
a.go:3:8: no required module provides package example.com/b; to add it:
    a_test.go:12: some text that a test writes
";
    assert_eq!(
        read(output),
        [
            "a.go:4 http",
            "a.go:8 Foo",
            "a.go:9 Bar words",
            "a.go:10 Count r",
            "a.go:11 two",
            "a.go:12 x",
            "a.go:3 example.com/b b"
        ]
    );
}

#[test]
fn make_and_the_shell_say_which_file_is_not_there() {
    let output = "\
make: *** No rule to make target 'src/nothere.c', needed by 'prog.o'.  Stop.
make: *** [Makefile2:1: all] Error 3
ninja: error: '../x.c', needed by 'x.o', missing and no known rule to make it
CMake Error at sub/CMakeLists.txt:3 (add_executable):
  Cannot find source file:

    gone.c

./run.sh: line 3: frobnicate: command not found
cat: data/words.txt: No such file or directory
";
    assert_eq!(
        read(output),
        [
            " src/nothere.c prog.o",
            " ../x.c x.o",
            "sub/CMakeLists.txt:3 gone.c",
            " frobnicate",
            " data/words.txt"
        ]
    );
}

#[test]
fn other_tools_are_understood_when_they_quote() {
    let output = "\
lib/a.rb:12:in `go': undefined local variable or method `words' for main
Main.hs:3:8: error: Variable not in scope: foo
a.zig:4:9: error: use of undeclared identifier 'Words'
src/a.ml:3: Unbound value \"count\"
src/a.xyz:3: note: see 'here'
10:20:30: it is late
see http://a.b:80: no 'use'
";
    assert_eq!(
        read(output),
        [
            "lib/a.rb:12 words go",
            "Main.hs:3 ",
            "a.zig:4 Words",
            "src/a.ml:3 count"
        ]
    );
}

#[test]
fn a_message_is_told_once_and_only_some_hundred_are() {
    let twice = "a.c:1:1: error: ‘x’ undeclared\n".repeat(3);
    assert_eq!(messages(&twice).len(), 1);
    let many: String = (0..1000)
        .map(|line| format!("a.c:{line}:1: error: ‘x’ undeclared\n"))
        .collect();
    assert_eq!(messages(&many).len(), MOST_MESSAGES);
}

#[test]
fn any_text_can_be_read() {
    let marks = [
        "'", "\"", "`", "‘", "’", ":", "(", "é", "error: ", "^", "a.c:1:", "\u{1b}[", "\n",
        " --> ", "Error: ",
    ];
    let mut state: usize = 1;
    let mut text = String::new();
    for _ in 0..20_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        text.push_str(marks[(state >> 33) % marks.len()]);
    }
    assert!(messages(&text).len() <= MOST_MESSAGES);
}

#[test]
fn a_long_output_is_read_to_its_end() {
    let line = "2024-01-01 10:20:30 INFO  compiled (12 of 345) src/words/reader.c:34 -> 'build/reader.o': done\n";
    let output = line.repeat((16 << 20) / line.len());
    // A second or so. What grows with the square would take days.
    assert_eq!(messages(&output), []);
    let line = "a".repeat(16 << 20);
    assert_eq!(messages(&line), []);
}

#[test]
fn gcc_tells_where_a_macro_is_used_and_which_header_is_missing() {
    let output = "\
m.h:3:4: error: ‘undeclared_value’ undeclared (first use in this function)
    3 |    undeclared_value)
      |    ^~~~~~~~~~~~~~~~
m.h:4:16: note: in expansion of macro ‘TWICE’
    4 | #define ONE(x) TWICE(x)
      |                ^~~~~
e.c:5:23: note: in expansion of macro ‘ONE’
    5 | int f(int a) { return ONE(a); }
      |                       ^~~
m.h:3:4: note: each undeclared identifier is reported only once for each function it appears in
e.c:6:32: error: unknown type name ‘uint32_t’
    6 | int g(void) { uint32_t x = 0; return strlen(\"a\"); }
      |                                ^~~~~~~~
e.c:2:1: note: ‘uint32_t’ is defined in header ‘<stdint.h>’; did you forget to ‘#include <stdint.h>’?
    1 | #include \"m.h\"
  +++ |+#include <stdint.h>
e.c:6:55: warning: implicit declaration of function ‘strlen’ [-Wimplicit-function-declaration]
e.c:2:1: note: include ‘<string.h>’ or provide a declaration of ‘strlen’
";
    assert_eq!(
        read(output),
        [
            "m.h:3 undeclared_value",
            "m.h:4 undeclared_value TWICE",
            "e.c:5 undeclared_value ONE",
            "e.c:6 stdint uint32_t",
            "e.c:6 string strlen",
        ]
    );
}

#[test]
fn the_linker_names_the_function_that_uses_a_symbol() {
    let output = "\
/usr/bin/ld: /tmp/ccrOJem9.o: in function `main':
l.c:(.text+0xa): undefined reference to `gone_function'
collect2: error: ld returned 1 exit status
";
    assert_eq!(read(output), ["l.c gone_function main"]);
}
