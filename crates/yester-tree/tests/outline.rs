//! What an outline says about real texts.

use std::fs;
use std::path::Path;

use yester_tree::{Checker, Language, Outline, faults, outline};

/// The outline of a sample of the tables.
fn sample(file: &str) -> Outline {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tables/samples")
        .join(file);
    let language = Language::by_path(&path).expect("a language");
    outline(language, &fs::read(path).expect("a sample")).expect("it is parsed")
}

fn text(language: &str, text: &str) -> Outline {
    outline(
        Language::by_name(language).expect("compiled in"),
        text.as_bytes(),
    )
    .expect("it is parsed")
}

/// The entities as a person would tell them: depth, kind, name, lines from 1.
fn entities(outline: &Outline) -> Vec<String> {
    let entities = outline.entities.iter().map(|entity| {
        let (start, end) = (entity.lines.start + 1, entity.lines.end);
        let depth = "  ".repeat(entity.depth);
        format!("{depth}{} {} {start}-{end}", entity.kind, entity.name)
    });
    entities.collect()
}

fn names(list: &[(String, u32)]) -> Vec<&str> {
    list.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn a_sample_of_every_language_has_an_outline_without_fault() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/samples");
    for file in fs::read_dir(directory).expect("there are samples") {
        let path = file.expect("a sample").path();
        let Some(language) = Language::by_path(&path) else {
            continue;
        };
        let content = fs::read(&path).expect("a sample");
        let lines = content.iter().filter(|byte| **byte == b'\n').count() as u32;
        let outline = outline(language, &content).expect("it is parsed");
        assert_eq!(outline.faults, [], "{path:?}");
        let found = outline.entities.len() + outline.definitions.len();
        assert!(found >= 3, "{path:?} {outline:?}");
        for entity in &outline.entities {
            assert!(!entity.name.is_empty() && !entity.lines.is_empty());
            assert!(entity.lines.end <= lines, "{path:?} {entity:?}");
        }
        for comment in &outline.comments {
            let text = String::from_utf8_lossy(&content[comment.clone()]).into_owned();
            assert!(
                ["/", "#", "--", "<!--"]
                    .iter()
                    .any(|start| text.starts_with(start)),
                "{path:?} {text}"
            );
        }
        for list in [&outline.definitions, &outline.locals, &outline.uses] {
            for (name, line) in list {
                let text = content.split(|byte| *byte == b'\n').nth(*line as usize);
                let text = String::from_utf8_lossy(text.expect("a line"));
                assert!(text.contains(name.as_str()), "{path:?} {name} {line}");
            }
        }
    }
}

#[test]
fn any_bytes_have_an_outline_in_every_language() {
    let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
    for language in Language::all() {
        for content in [&b""[..], b"\xff", b"a", &bytes] {
            let outline = outline(language, content).expect("it is parsed");
            assert_eq!(outline.faults, faults(language, content));
            assert!(
                outline
                    .comments
                    .iter()
                    .all(|range| range.end <= content.len())
            );
        }
    }
}

#[cfg(feature = "c")]
#[test]
fn c_has_functions_types_members_and_macros() {
    let outline = sample("sample.c");
    assert_eq!(
        entities(&outline),
        [
            "struct list 4-8",
            "enum colour 10-10",
            "function sum 12-30",
            "function main 32-37"
        ]
    );
    assert_eq!(
        names(&outline.definitions),
        [
            "LIMIT", "list", "value", "next", "colour", "RED", "GREEN", "sum", "main"
        ]
    );
    assert!(names(&outline.locals).contains(&"flags"));
    assert!(outline.uses.contains(&("printf".to_owned(), 34)));
    assert!(outline.uses.contains(&("LIMIT".to_owned(), 13)));
    assert!(!names(&outline.uses).contains(&"GREEN"));
}

#[cfg(feature = "c")]
#[test]
fn the_body_of_a_macro_uses_names_on_their_lines() {
    let outline = text(
        "c",
        "#define TWICE(x) \\\n  first(x) \\\n  + second(\"third\")\n#ifdef FOURTH\nint a;\n#endif\n",
    );
    let uses = |name: &str, line| outline.uses.contains(&(name.to_owned(), line));
    assert!(uses("first", 1) && uses("second", 2));
    assert!(!names(&outline.uses).contains(&"FOURTH"));
    assert!(!names(&outline.uses).contains(&"third"));
    assert_eq!(entities(&outline), ["macro TWICE 1-3"]);
}

#[cfg(feature = "c")]
#[test]
fn declarators_of_every_sort_define_their_name_alone() {
    let outline = text(
        "c",
        "static int (*table[3])(int a, char *b) = { f, g }, *next;\ntypedef struct { int x : 3; } Point, *Points;\n\
         int f(struct list *head);\nextern struct other *o;\n",
    );
    assert_eq!(
        names(&outline.definitions),
        ["table", "next", "x", "Point", "Points", "f", "o"]
    );
    assert_eq!(names(&outline.locals), ["a", "b", "head"]);
    assert_eq!(names(&outline.uses), ["f", "g", "list", "other"]);
}

#[cfg(feature = "c")]
#[test]
fn an_if_that_the_preprocessor_cut_in_two_is_no_function() {
    let outline = text(
        "c",
        "int f(int a) {\n#ifdef A\n  if (a) { a = 1; } else\n#endif\n  if (a) {\n    a = 2;\n  }\n  return a;\n}\n",
    );
    let functions = outline.entities.iter().filter(|one| one.name != "f");
    assert_eq!(functions.count(), 0, "{:?}", outline.entities);
}

#[cfg(feature = "cpp")]
#[test]
fn cpp_has_classes_in_namespaces_and_members_by_their_whole_name() {
    let outline = sample("sample.cpp");
    assert_eq!(
        entities(&outline)[..3],
        [
            "namespace words 4-44",
            "  enum Colour 6-6",
            "  class Reader 8-21"
        ]
    );
    let outline = text(
        "cpp",
        "template <class T>\nint Reader<T>::size(int n) const { return n; }\n",
    );
    assert_eq!(entities(&outline), ["function Reader<T>::size 1-2"]);
    assert_eq!(names(&outline.definitions), ["size"]);
}

#[cfg(feature = "java")]
#[test]
fn java_has_methods_in_classes_with_their_annotations() {
    let outline = sample("Sample.java");
    assert_eq!(
        entities(&outline),
        [
            "class Sample 6-55",
            "  enum Colour 13-13",
            "    constructor Colour 13-13",
            "  interface Reader 15-15",
            "    method read 15-15",
            "  record Point 17-17",
            "  constructor Sample 19-22",
            "  method iterator 24-27",
            "  method total 29-54"
        ]
    );
    for name in ["LIMIT", "counts", "RED", "max"] {
        assert!(names(&outline.definitions).contains(&name), "{name}");
    }
    // An import needs what it names.
    assert!(names(&outline.uses).contains(&"max"));
    assert!(names(&outline.locals).contains(&"sum"));
}

#[cfg(feature = "javascript")]
#[test]
fn javascript_has_functions_however_they_are_written() {
    let outline = sample("sample.js");
    assert_eq!(
        entities(&outline),
        [
            "class Reader 6-27",
            "  method from 9-11",
            "  method constructor 12-16",
            "  method size 17-19",
            "  method read 20-26",
            "function total 29-50"
        ]
    );
    assert!(names(&outline.definitions).contains(&"together"));
    assert!(!names(&outline.definitions).contains(&"join"));
    let outline = text(
        "javascript",
        "const { a, b: c } = require('m');\n// Does it.\nexports.run = function () {\n  let x;\n};\nconst go = () => 1;\n\
         module.exports = {\n  stop() {},\n  wait: async () => 2,\n};\n",
    );
    assert_eq!(
        entities(&outline),
        [
            "function run 2-5",
            "function go 6-6",
            "property exports 7-10",
            "  method stop 8-8",
            "  function wait 9-9"
        ]
    );
    assert_eq!(
        names(&outline.definitions),
        ["a", "c", "run", "go", "exports", "stop", "wait"]
    );
    assert!(names(&outline.uses).contains(&"a") && names(&outline.uses).contains(&"b"));
    assert_eq!(names(&outline.locals), ["x"]);
}

#[cfg(feature = "typescript")]
#[test]
fn typescript_has_types_and_components() {
    let outline = sample("sample.ts");
    assert_eq!(
        entities(&outline),
        [
            "enum Colour 3-3",
            "type Names 4-4",
            "interface Reader 5-8",
            "class Words 12-31",
            "  method constructor 15-17",
            "  method size 19-19",
            "  method total 20-30",
            "    function twice 27-27",
            "namespace inner 33-33",
            "type Picked 34-34"
        ]
    );
    for name in ["Red", "Green", "limit", "outside", "read", "a"] {
        assert!(names(&outline.definitions).contains(&name), "{name}");
    }
    assert_eq!(
        entities(&sample("sample.tsx")),
        ["type Props 3-3", "function List 5-16"]
    );
}

#[cfg(feature = "python")]
#[test]
fn python_has_functions_with_decorators_and_attributes() {
    let outline = sample("sample.py");
    assert_eq!(
        entities(&outline),
        [
            "function words 10-14",
            "class Reader 17-35",
            "  function __init__ 20-22",
            "  function read 24-35"
        ]
    );
    assert_eq!(
        names(&outline.definitions),
        [
            "re",
            "Counts",
            "OrderedDict",
            "LIMIT",
            "words",
            "Reader",
            "name",
            "__init__",
            "path",
            "lines",
            "read",
            "counts",
            "size"
        ]
    );
    assert!(names(&outline.locals).contains(&"small"));
    assert!(names(&outline.uses).contains(&"Counter"));
}

#[cfg(feature = "rust")]
#[test]
fn rust_has_items_with_their_attributes_and_comments() {
    let outline = sample("sample.rs");
    assert_eq!(
        entities(&outline),
        [
            "enum Colour 8-14",
            "struct Reader 16-19",
            "trait Count 21-24",
            "  function count 23-23",
            "impl Reader<'a, T> 26-53",
            "  function count 32-52",
            "macro twice 55-59",
            "function main 61-72"
        ]
    );
    for name in [
        "BTreeMap", "Map", "fmt", "LIMIT", "COUNT", "Mixed", "parts", "Item",
    ] {
        assert!(names(&outline.definitions).contains(&name), "{name}");
    }
    assert!(names(&outline.uses).contains(&"HashMap"));
    assert!(names(&outline.locals).contains(&"double"));
}

#[cfg(feature = "go")]
#[test]
fn go_has_methods_types_and_imports_by_their_last_part() {
    let outline = sample("sample.go");
    assert_eq!(
        entities(&outline)[1..],
        [
            "type Reader 10-14",
            "type Counter 16-18",
            "method Count 22-54",
            "function first 56-56",
            "function main 58-58"
        ]
    );
    let outline = text("go", "package a\nimport \"net/http\"\nvar x = http.Get\n");
    assert_eq!(names(&outline.definitions), ["http", "x"]);
}

#[cfg(all(feature = "json", feature = "yaml", feature = "toml"))]
#[test]
fn data_has_the_pairs_that_take_several_lines() {
    let outline = text(
        "json",
        "{\n  \"a\": {\n    \"b\": [\n      1\n    ]\n  },\n  \"c\": 2\n}\n",
    );
    assert_eq!(entities(&outline), ["pair a 2-6", "  pair b 3-5"]);
    assert_eq!(names(&outline.definitions), ["a", "b", "c"]);
    assert_eq!(
        entities(&sample("sample.yaml")),
        [
            "pair list 7-12",
            "pair base 14-15",
            "pair text 17-19",
            "pair complex 20-21"
        ]
    );
    assert_eq!(
        entities(&sample("sample.toml")),
        [
            "table package 11-14",
            "  pair name 12-13",
            "table bin 16-17"
        ]
    );
}

#[cfg(all(
    feature = "xml",
    feature = "html",
    feature = "css",
    feature = "bash",
    feature = "sql"
))]
#[test]
fn the_others_have_what_takes_several_lines() {
    assert_eq!(entities(&sample("sample.xml")), ["element words 8-14"]);
    assert_eq!(
        entities(&sample("sample.html")),
        [
            "element html 2-16",
            "  element head 3-8",
            "  element body 9-15"
        ]
    );
    assert_eq!(entities(&sample("sample.css")).len(), 2);
    let bash = sample("sample.sh");
    assert_eq!(entities(&bash), ["function count 7-19"]);
    assert!(bash.uses.contains(&("count".to_owned(), 22)));
    let sql = sample("sample.sql");
    assert_eq!(entities(&sql)[0], "statement CREATE TABLE words ( 2-6");
    assert!(names(&sql.definitions).contains(&"by_word"));
}

#[cfg(feature = "c")]
#[test]
fn lines_belong_to_the_innermost_entity_that_has_them_all() {
    let outline = text("c", "int a;\nint f(void)\n{\n  return 1;\n}\nint b;\n");
    let at = |lines| {
        outline
            .entity_at(&lines)
            .map(|index| &*outline.entities[index].name)
    };
    assert_eq!(at(3..4), Some("f"));
    assert_eq!(at(1..5), Some("f"));
    assert_eq!(at(4..6), None);
    assert_eq!(at(3..3), Some("f"));
    assert_eq!(at(1..1), None);
    assert_eq!(at(5..5), None);
}

#[test]
fn a_checker_counts_what_a_whole_parse_counts() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/samples");
    for file in fs::read_dir(directory).expect("there are samples") {
        let path = file.expect("a sample").path();
        let Some(language) = Language::by_path(&path) else {
            continue;
        };
        let content = fs::read(&path).expect("a sample");
        let lines: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
        let checker = Checker::new(language, content.clone());
        let mut wrong = 0;
        for at in 0..lines.len() {
            let mut left = lines.clone();
            left.remove(at);
            left.remove(left.len() / 2);
            let left = left.concat();
            let (one, other) = (checker.faults(&left), faults(language, &left));
            // How many faults there are may depend on where the parser starts, but not whether there are any.
            assert_eq!(
                one.is_empty(),
                other.is_empty(),
                "{path:?} without line {at}"
            );
            wrong += usize::from(!one.is_empty());
            assert_eq!(one, checker.faults(&left), "{path:?} without line {at}");
        }
        assert_eq!(checker.faults(&content), []);
        assert_eq!(checker.faults(b""), faults(language, b""));
        let may_be_anything = ["css", "sql", "xml", "yaml", "html", "toml"];
        assert!(
            wrong > 0 || may_be_anything.contains(&language.name),
            "{path:?}"
        );
    }
}

#[test]
fn names_are_open_where_nothing_around_defines_them() {
    let open = |language: &str, content: &str| -> Vec<String> {
        let outline = text(language, content);
        names(&outline.open)
            .into_iter()
            .map(str::to_owned)
            .collect()
    };
    let script = "\
const a = require('a');
function f(b, { c }) {
    let d = b.e + c, g = function (h) { return d + h + i; };
    return a(g, d);
}
console.log(f(d), { j, k: a });
";
    assert_eq!(
        open("javascript", script),
        ["require", "i", "console", "d", "j"]
    );
    let module = "\
import typing as t
from x import y as z
class K(str):
    def m(self, p: t.Any, *q, r=z):
        self.s = [u for u in q if u.v] + w(key=r)
        return m
    m.doc = join.doc
def n():
    return s
";
    assert_eq!(open("python", module), ["str", "w", "join", "s"]);
    let program = "\
use std::fmt::{self, Debug as D};
use crate::tables;
struct S<T> { f: T }
impl<T: D> S<T> {
    fn g(&self, x: u32) -> u32 { let y = tables::at(x); y + h(self.f) + MISSING }
}
";
    let found = open("rust", program);
    assert!(
        ["h", "MISSING"]
            .iter()
            .all(|name| found.contains(&name.to_string()))
    );
    for name in ["S", "T", "D", "tables", "at", "x", "y", "f", "fmt"] {
        assert!(!found.contains(&name.to_owned()), "{name} in {found:?}");
    }
    let source = "\
#define SIZE 3
#ifdef NOT_THERE
# if defined(NOR_THIS) && NOR_THAT
# endif
#endif
typedef struct { int m; } s;
static int f(s *p) { int n = p->m + SIZE; return g(n) + unknown; }
";
    assert_eq!(open("c", source), ["g", "unknown"]);
}

#[test]
fn indentation_that_python_refuses_is_a_fault() {
    let python = Language::by_name("python").expect("compiled in");
    assert_eq!(faults(python, b"a = 1\n    b = 2\n"), [1]);
    assert_eq!(faults(python, b"def f():\n    a = 1\n    b = 2\n"), []);
}

#[test]
fn functions_that_javascript_refuses_are_faults() {
    let script = Language::by_name("javascript").expect("compiled in");
    assert_eq!(faults(script, b"if (a)\n  function f() {}\n"), [1]);
    assert_eq!(faults(script, b"function (a) {\n}\n").len(), 1);
    let right = b"if (a) { function f() {} }\n(function () {})();\nb = function () {};\n";
    assert_eq!(faults(script, right), []);
}

#[test]
fn what_only_a_preprocessor_asks_for_is_not_used() {
    let outline = text("c", "#if WANTED\nint f(void) { return given; }\n#endif\n");
    assert!(names(&outline.uses).contains(&"given"));
    assert!(!names(&outline.uses).contains(&"WANTED"));
}
