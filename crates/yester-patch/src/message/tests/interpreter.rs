//! node, python and pytest.

use super::read;

#[test]
fn node_says_what_is_missing() {
    let reference = "\
/w/j/r.js:1
function go() { return notDefined + 1; }
                ^

ReferenceError: notDefined is not defined
    at go (/w/j/r.js:1:17)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)
";
    assert_eq!(read(reference), ["/w/j/r.js:1 notDefined"]);
    let syntax = "\
/w/j/p.js:2
let b = = 2;
        ^

SyntaxError: Unexpected token '='
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)
";
    assert_eq!(read(syntax), ["/w/j/p.js:2 "]);
    let module = "\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module './gone'
Require stack:
- /w/j/s.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Object.<anonymous> (/w/j/s.js:1:11)
";
    assert_eq!(read(module), ["/w/j/s.js:1 gone"]);
    let export = "\
file:///w/j/f.mjs:1
import { missing } from './e.mjs';
         ^^^^^^^
SyntaxError: The requested module './e.mjs' does not provide an export named 'missing'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:213:21)
";
    assert_eq!(read(export), ["/w/j/f.mjs:1 missing e.mjs"]);
    let import = "\
node:internal/modules/esm/resolve:283
    throw new ERR_MODULE_NOT_FOUND(
          ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/w/j/nothere.mjs' imported from /w/j/g.mjs
    at finalizeResolution (node:internal/modules/esm/resolve:283:11)
";
    assert_eq!(read(import), ["/w/j/g.mjs /w/j/nothere.mjs"]);
}

#[test]
fn node_says_it_in_tests_too() {
    let output = "\
not ok 2 - y
  location: '/w/t.test.js:3:1'
  failureType: 'testCodeFailure'
  error: 'nowhere is not defined'
  code: 'ERR_TEST_FAILURE'
  name: 'ReferenceError'
  stack: |-
    TestContext.<anonymous> (/w/t.test.js:3:19)
    Test.runInAsyncScope (node:async_hooks:206:9)
  1) a test:
     TypeError: o.nope is not a function
      at Context.<anonymous> (test/q.js:2:3)
";
    assert_eq!(
        read(output),
        ["/w/t.test.js:3 nowhere", "test/q.js:2 nope o"]
    );
    let output = "TypeError: Cannot read properties of undefined (reading 'nope')\n    at f (/w/q2.js:2:5)\n";
    assert_eq!(read(output), ["/w/q2.js:2 nope"]);
}

#[test]
fn python_says_what_is_missing() {
    let error = |text: &str| {
        let front = "Traceback (most recent call last):\n  File \"/p/a.py\", line 3, in <module>\n    f()\n";
        read(&format!(
            "{front}  File \"p/b.py\", line 2, in f\n    source\n    ^^^^^^\n{text}\n"
        ))
        .join("|")
    };
    assert_eq!(
        error("NameError: name 'nowhere' is not defined"),
        "p/b.py:2 nowhere"
    );
    assert_eq!(
        error("ImportError: cannot import name 'absent' from 'mod' (/p/mod.py)"),
        "p/b.py:2 absent mod"
    );
    assert_eq!(
        error("ModuleNotFoundError: No module named 'gone.sub'"),
        "p/b.py:2 sub gone"
    );
    assert_eq!(
        error("AttributeError: module 'mod' has no attribute 'absent'"),
        "p/b.py:2 absent mod"
    );
    assert_eq!(
        error("AttributeError: 'K' object has no attribute 'nope'"),
        "p/b.py:2 nope K"
    );
    assert_eq!(
        error("TypeError: K.f() got an unexpected keyword argument 'b'"),
        "p/b.py:2 b f K"
    );
    assert_eq!(
        error("TypeError: f() takes 1 positional argument but 2 were given"),
        "p/b.py:2 f"
    );
    assert_eq!(error("KeyError: 'key'"), "p/b.py:2 key");
    assert_eq!(error("pkg.errors.OwnError: no 'x'"), "p/b.py:2 x");
}

#[test]
fn python_says_where_the_syntax_is_wrong() {
    let output = "  File \"./p/h.py\", line 1\n    x = name name\n             ^^^^\nSyntaxError: invalid syntax\n";
    assert_eq!(read(output), ["p/h.py:1 name"]);
    let output = "  File \"/p/i.py\", line 3\n    y = 2\n         ^\nIndentationError: unindent does not match\n";
    assert_eq!(read(output), ["/p/i.py:3 "]);
}

#[test]
fn pytest_has_its_own_way_to_say_it() {
    let output = "\
    def test_a():
>       assert foo(1) == 2
E       NameError: name 'foo' is not defined

tests/test_x.py:4: NameError
";
    assert_eq!(read(output), ["tests/test_x.py:4 foo"]);
    let output = "\
tests/test_y.py:1: in <module>
    from mod import absent
E   ImportError: cannot import name 'absent' from 'mod' (/p/mod.py)
";
    assert_eq!(read(output), ["tests/test_y.py:1 absent mod"]);
}

#[test]
fn node_shows_what_lacks_a_property() {
    let output = "\
/w/lib/marked.js:1222
    if ((opt || marked.defaults).silent) {
                                 ^

TypeError: Cannot read properties of undefined (reading 'silent')
    at marked (/w/lib/marked.js:1222:34)
";
    assert_eq!(read(output), ["/w/lib/marked.js:1222 defaults silent"]);
}

#[test]
fn code_that_was_evaluated_is_no_place() {
    let python = "\
Traceback (most recent call last):
  File \"/w/ev.py\", line 2, in <module>
    f()
  File \"<string>\", line 2, in f
NameError: name 'absent' is not defined
";
    assert_eq!(read(python), ["/w/ev.py:2 absent"]);
    let node = "\
ReferenceError: missing is not defined
    at eval (eval at <anonymous> (/w/ev.js:4:7), <anonymous>:2:1)
    at Object.<anonymous> (/w/ev.js:4:7)
    at Module._compile (node:internal/modules/cjs/loader:1521:14)
";
    assert_eq!(read(node), ["/w/ev.js:4 missing"]);
}

#[test]
fn an_exception_that_was_handled_is_not_what_python_complains_about() {
    let output = "\
Traceback (most recent call last):
  File \"/w/src/markupsafe/__init__.py\", line 301, in <module>
    from ._speedups import escape, escape_silent, soft_unicode
ModuleNotFoundError: No module named 'markupsafe._speedups'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File \"<string>\", line 3, in <module>
  File \"/w/src/markupsafe/__init__.py\", line 305, in <module>
    from ._native import soft_str as soft_str  # noqa: F401
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
ImportError: cannot import name 'soft_str' from 'markupsafe._native' (/w/src/markupsafe/_native.py)
";
    let read = read(output);
    assert_eq!(read.len(), 1, "{read:?}");
    assert!(read[0].starts_with("/w/src/markupsafe/__init__.py:305 soft_str"));
}
