//! What deltas need of each other is read off their lines.

use std::sync::Arc;

use yester_core::{Knowledge, Space, Subset};
use yester_patch::{
    ChangeSpace, DeltaLevel, FileEntity, FileKind, FileOutline, FileState, Outliner, Version,
    VersionDifference,
};

fn version(files: &[(&str, &str)]) -> Version {
    Version::of(files.iter().map(|(path, content)| {
        let content = content.as_bytes().into();
        (
            (*path).to_owned(),
            FileState {
                kind: FileKind::File,
                content,
            },
        )
    }))
}

fn space(good: &[(&str, &str)], bad: &[(&str, &str)], level: DeltaLevel) -> ChangeSpace {
    let difference =
        VersionDifference::between(&version(good), &version(bad)).expect("both are in memory");
    ChangeSpace::new(difference, level, None)
}

fn closure(knowledge: &Knowledge, space: &ChangeSpace, delta: usize) -> Vec<String> {
    let closure = knowledge.closure(&Subset::of(space.len(), [delta]));
    closure.iter().map(|delta| space.label(delta)).collect()
}

#[test]
fn the_use_of_a_new_name_needs_its_definition_and_not_the_other_way_round() {
    let good = [("a.js", "x();\n"), ("b.js", "y();\n"), ("c.js", "z();\n")];
    let bad = [
        ("a.js", "x();\nfunction fresh() {}\n"),
        ("b.js", "y();\nfresh();\n"),
        ("c.js", "z();\nother();\n"),
    ];
    let space = space(&good, &bad, DeltaLevel::Line);
    let knowledge = space.knowledge();
    assert_eq!(closure(&knowledge, &space, 1), ["a.js:2", "b.js:2"]);
    assert_eq!(closure(&knowledge, &space, 0), ["a.js:2"]);
    assert_eq!(closure(&knowledge, &space, 2), ["c.js:2"]);
}

#[test]
fn a_name_that_good_has_somewhere_is_not_new() {
    let good = [("a.js", "x();\n"), ("b.js", "fresh();\n")];
    let bad = [
        ("a.js", "x();\nfunction fresh() {}\n"),
        ("b.js", "fresh();\nfresh();\n"),
    ];
    let space = space(&good, &bad, DeltaLevel::Line);
    assert_eq!(closure(&space.knowledge(), &space, 1), ["b.js:2"]);
}

#[test]
fn removing_the_last_definition_needs_the_uses_removed() {
    let good = [
        ("a.js", "x();\nfunction stale() {}\n"),
        ("b.js", "y();\nstale();\n"),
    ];
    let bad = [("a.js", "x();\n"), ("b.js", "y();\n")];
    let space = space(&good, &bad, DeltaLevel::Line);
    let knowledge = space.knowledge();
    assert_eq!(closure(&knowledge, &space, 0).len(), 2);
    assert_eq!(closure(&knowledge, &space, 1).len(), 1);
}

#[test]
fn a_deleted_file_needs_the_uses_of_its_names_removed() {
    let good = [
        ("gone.py", "def stale():\n    pass\n"),
        ("b.py", "y()\nstale()\n"),
    ];
    let bad = [("b.py", "y()\n")];
    let space = space(&good, &bad, DeltaLevel::File);
    let knowledge = space.knowledge();
    assert_eq!(
        closure(&knowledge, &space, 1),
        ["b.py", "gone.py (deleted)"]
    );
    assert_eq!(closure(&knowledge, &space, 0), ["b.py"]);
}

#[test]
fn a_new_parameter_and_the_calls_that_pass_it_need_each_other() {
    let good = [
        ("a.c", "int area(int w) {\n"),
        ("b.c", "x = area(1);\n"),
        ("c.c", "y = area(2) + 1;\n"),
    ];
    let bad = [
        ("a.c", "int area(int w, int h) {\n"),
        ("b.c", "x = area(1, 1);\n"),
        ("c.c", "y = area(2) + 2;\n"),
    ];
    let space = space(&good, &bad, DeltaLevel::Line);
    let knowledge = space.knowledge();
    assert_eq!(closure(&knowledge, &space, 0), ["a.c:1", "b.c:1"]);
    assert_eq!(closure(&knowledge, &space, 1), ["a.c:1", "b.c:1"]);
    assert_eq!(closure(&knowledge, &space, 2), ["c.c:1"]);
}

#[test]
fn a_local_name_binds_to_the_nearest_definition_in_its_file() {
    let good = [("a.js", "function f() {\n}\nfunction g() {\n}\n")];
    let bad = [(
        "a.js",
        "function f() {\nlet t = 1;\nuse(t);\n}\nfunction g() {\nlet t = 2;\nuse(t);\n}\n",
    )];
    let space = space(&good, &bad, DeltaLevel::Line);
    let knowledge = space.knowledge();
    let labels: Vec<String> = (0..space.len()).map(|delta| space.label(delta)).collect();
    let last = labels
        .iter()
        .position(|label| label == "a.js:7")
        .expect("the last line was added");
    assert_eq!(closure(&knowledge, &space, last), ["a.js:6", "a.js:7"]);
}

#[test]
fn a_file_in_the_place_of_a_directory_needs_the_files_in_it_gone() {
    let space = space(&[("a/b", "1\n")], &[("a", "two\n")], DeltaLevel::Line);
    let created = (0..space.len())
        .find(|delta| space.label(*delta) == "a (created)")
        .expect("it was created");
    let closed = space
        .knowledge()
        .closure(&Subset::of(space.len(), [created]));
    assert!(space.render(&closed).is_ok());
    assert_eq!(closed.len(), 2);
}

#[test]
fn deltas_are_found_by_the_names_in_them() {
    let good = [
        ("a.js", "x();\n"),
        ("b.js", "old_call();\n"),
        ("c.js", "\n"),
    ];
    let bad = [
        ("a.js", "x();\nfunction fresh() {}\n"),
        ("b.js", "fresh();\n"),
        ("c.js", "\nz\n"),
    ];
    let space = space(&good, &bad, DeltaLevel::File);
    let mentions = space.mentions(&["fresh".to_owned()]);
    assert_eq!(mentions.defining, [0]);
    assert_eq!(mentions.mentioning, [0, 1]);
    assert_eq!(space.mentions(&["old_call".to_owned()]).mentioning, [1]);
    assert_eq!(
        space.mentions(&["nowhere".to_owned()]).mentioning,
        [] as [usize; 0]
    );
}

/// A language with one word and one name a line; `function f` lasts until `end`.
struct Words;

impl Outliner for Words {
    fn outline(&self, _path: &str, content: &[u8]) -> Option<FileOutline> {
        let mut outline = FileOutline::default();
        for (number, line) in (0..).zip(std::str::from_utf8(content).ok()?.lines()) {
            let (word, name) = line.split_once(' ').unwrap_or((line, ""));
            let named = (name.to_owned(), number);
            match word {
                "function" => {
                    outline.definitions.push(named);
                    outline.entities.push(FileEntity {
                        name: name.to_owned(),
                        kind: "function".to_owned(),
                        lines: number..number + 1,
                        depth: 0,
                    });
                }
                "end" => outline.entities.last_mut()?.lines.end = number + 1,
                "local" => outline.locals.push(named),
                "use" => outline.uses.push(named),
                "define" => outline.definitions.push(named),
                "import" => {
                    outline.definitions.push(named.clone());
                    outline.uses.push(named);
                }
                _ => {}
            }
        }
        Some(outline)
    }
}

fn outlined(good: &[(&str, &str)], bad: &[(&str, &str)]) -> ChangeSpace {
    let difference =
        VersionDifference::between(&version(good), &version(bad)).expect("both are in memory");
    ChangeSpace::new(difference, DeltaLevel::Line, Some(Arc::new(Words)))
}

#[test]
fn an_import_needs_the_definition_and_not_another_import() {
    let good = [("a", "x\n"), ("b", "x\n"), ("c", "x\n")];
    let bad = [
        ("a", "x\nfunction fresh\nend\n"),
        ("b", "x\nimport fresh\nuse fresh\n"),
        ("c", "x\nimport fresh\n"),
    ];
    let space = outlined(&good, &bad);
    let knowledge = space.knowledge();
    let labels: Vec<String> = (0..space.len()).map(|delta| space.label(delta)).collect();
    assert_eq!(labels, ["a:2", "a:3", "b:2", "b:3", "c:2"]);
    assert_eq!(closure(&knowledge, &space, 4), ["a:2", "c:2"]);
    assert_eq!(closure(&knowledge, &space, 3), ["a:2", "b:2", "b:3"]);
}

#[test]
fn a_local_name_that_is_new_in_its_function_is_needed_even_when_other_functions_have_it() {
    let good = [("a", "function f\nend\nfunction g\nlocal t\nuse t\nend\n")];
    let bad = [(
        "a",
        "function f\nlocal t\nuse t\nend\nfunction g\nlocal t\nuse t\nuse t\nend\n",
    )];
    let space = outlined(&good, &bad);
    let knowledge = space.knowledge();
    let labels: Vec<String> = (0..space.len()).map(|delta| space.label(delta)).collect();
    assert_eq!(labels, ["a:2", "a:3", "a:8"]);
    assert_eq!(closure(&knowledge, &space, 1), ["a:2", "a:3"]);
    assert_eq!(closure(&knowledge, &space, 2), ["a:8"]);
}

#[test]
fn a_member_that_is_new_in_its_owner_is_needed_even_when_others_have_one_of_that_name() {
    let good = [
        ("a", "function One\nend\nfunction Two\ndefine size\nend\n"),
        ("b", "function f\nuse One\nend\nfunction g\nuse Two\nend\n"),
    ];
    let bad = [
        (
            "a",
            "function One\ndefine size\nend\nfunction Two\ndefine size\nend\n",
        ),
        (
            "b",
            "function f\nuse One\nuse size\nend\nfunction g\nuse Two\nuse size\nend\n",
        ),
    ];
    let space = outlined(&good, &bad);
    let knowledge = space.knowledge();
    let labels: Vec<String> = (0..space.len()).map(|delta| space.label(delta)).collect();
    assert_eq!(labels, ["a:2", "b:3", "b:7"]);
    assert_eq!(closure(&knowledge, &space, 1), ["a:2", "b:3"]);
    assert_eq!(closure(&knowledge, &space, 2), ["b:7"]);
}

#[test]
fn a_name_in_a_comment_needs_nothing() {
    let good = [("a", "x\n"), ("b", "x\n")];
    let bad = [
        ("a", "x\nfunction fresh\nend\n"),
        ("b", "x\ncomment fresh\n"),
    ];
    let space = outlined(&good, &bad);
    assert_eq!(closure(&space.knowledge(), &space, 2), ["b:2"]);
    assert_eq!(space.mentions(&["fresh".to_owned()]).mentioning, [0, 2]);
}

#[test]
fn files_of_other_languages_and_prose_define_nothing() {
    let good = [
        ("a.py", "x\n"),
        ("b.md", "x\n"),
        ("c.js", "x\n"),
        ("d.md", "x\n"),
    ];
    let bad = [
        ("a.py", "x\ndef fresh():\n"),
        ("b.md", "x\nfunction novel() {\n"),
        ("c.js", "x\nfresh(novel);\n"),
        ("d.md", "x\nnovel\n"),
    ];
    let space = space(&good, &bad, DeltaLevel::Line);
    let knowledge = space.knowledge();
    for delta in 0..space.len() {
        assert_eq!(
            closure(&knowledge, &space, delta).len(),
            1,
            "{}",
            space.label(delta)
        );
    }
}

#[test]
fn a_variable_is_not_a_function_that_its_value_calls() {
    let good = [
        ("a.rs", "    let width = area::width(text);\n"),
        ("b.rs", "x(area::width(1));\n"),
    ];
    let bad = [
        ("a.rs", "    let width = text.width();\n"),
        ("b.rs", "x(text::width());\n"),
    ];
    let space = space(&good, &bad, DeltaLevel::File);
    assert_eq!(closure(&space.knowledge(), &space, 0), ["a.rs"]);
}

#[test]
fn the_numbers_of_a_table_change_together() {
    let opcodes = |first: u32| -> String {
        let lines = (0..6).map(|at| format!("#define OP_{at} {}\n", first + at));
        lines.collect()
    };
    let good = format!("int same;\n{}int size = 1;\n", opcodes(10));
    let bad = format!("int same;\n{}int length = 1;\n", opcodes(20));
    let space = space(&[("a.c", &good)], &[("a.c", &bad)], DeltaLevel::Line);
    let knowledge = space.knowledge();
    assert_eq!(closure(&knowledge, &space, 2).len(), 6);
    assert_eq!(closure(&knowledge, &space, 6).len(), 1);
}

#[test]
fn a_few_numbers_are_no_table() {
    let (good, bad) = ("a = 1\nb\nc = 2\n", "a = 3\nb\nc = 4\n");
    let space = space(&[("a.py", good)], &[("a.py", bad)], DeltaLevel::Line);
    assert_eq!(closure(&space.knowledge(), &space, 0).len(), 1);
}
