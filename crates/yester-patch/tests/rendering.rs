//! Any subset of the deltas between two versions can be rendered.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use yester_core::{Candidate, Entry, Space, Subset};
use yester_patch::{
    ChangeSpace, DeltaLevel, Entries, FileKind, FileOutline, FileState, Outliner, Version,
    VersionDifference,
};

const LEVELS: [DeltaLevel; 5] = [
    DeltaLevel::Directory,
    DeltaLevel::File,
    DeltaLevel::Entity,
    DeltaLevel::Hunk,
    DeltaLevel::Line,
];

fn version(files: &[(&str, &str)]) -> Version {
    Version::of(files.iter().map(|(path, content)| {
        let content: Arc<[u8]> = content.as_bytes().into();
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

fn labels(space: &ChangeSpace) -> Vec<String> {
    (0..space.len()).map(|delta| space.label(delta)).collect()
}

/// The files of a tree with the entries of a candidate.
fn tree(base: &BTreeMap<String, FileState>, candidate: Candidate) -> Entries {
    let Candidate::Tree(entries) = candidate else {
        panic!("not a tree")
    };
    let mut tree: Entries = base
        .iter()
        .map(|(path, state)| (path.clone(), state.entry()))
        .collect();
    tree.extend(entries);
    tree.retain(|_, entry| *entry != Entry::Absent);
    tree
}

fn file(space: &ChangeSpace, deltas: &[usize], path: &str) -> String {
    let subset = Subset::of(space.len(), deltas.iter().copied());
    match space.render(&subset).expect("feasible") {
        Candidate::Tree(entries) => match &entries[path] {
            Entry::File { content, .. } => String::from_utf8_lossy(content).into_owned(),
            entry => panic!("{entry:?}"),
        },
        Candidate::File(_) => panic!("not a tree"),
    }
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![
        "one",
        "two",
        "int x = 1;",
        "int x = 2;",
        "",
        "}",
        "\u{e9}\u{e8}",
    ]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n"]);
    let lines = prop::collection::vec((line, end), 0..12);
    let last = prop::sample::select(vec!["", "", "tail", "\0binary"]);
    (lines, last).prop_map(|(lines, last)| {
        let text: String = lines
            .into_iter()
            .flat_map(|(line, end)| [line, end])
            .collect();
        (text + last).into_bytes()
    })
}

fn state() -> impl Strategy<Value = FileState> {
    let kinds = vec![
        FileKind::File,
        FileKind::File,
        FileKind::File,
        FileKind::Executable,
        FileKind::Symlink,
        FileKind::Submodule,
    ];
    (prop::sample::select(kinds), content()).prop_map(|(kind, content)| FileState {
        kind,
        content: content.into(),
    })
}

fn states() -> impl Strategy<Value = BTreeMap<String, FileState>> {
    let paths = vec!["a", "b", "a/b", "a/b/c", "d/e", "d/f", "g", "h"];
    prop::collection::btree_map(
        prop::sample::select(paths).prop_map(str::to_owned),
        state(),
        0..7,
    )
    .prop_map(|mut states| {
        // A tree has nothing below a file.
        let files: Vec<String> = states.keys().cloned().collect();
        let is_below = |path: &str, file: &String| path.starts_with(&format!("{file}/"));
        states.retain(|path, _| !files.iter().any(|file| is_below(path, file)));
        states
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_delta_gives_good_and_all_give_bad_at_every_level(good in states(), bad in states()) {
        let difference = VersionDifference::between(&Version::of(good.clone()), &Version::of(bad.clone())).expect("in memory");
        let space = ChangeSpace::new(difference, DeltaLevel::Directory, None);
        for level in LEVELS {
            let space = space.refine(&Subset::full(space.len()), level);
            let empty = space.render(&Subset::empty(space.len())).expect("GOOD is feasible");
            prop_assert_eq!(&empty, &Candidate::Tree(Entries::new()));
            let full = space.render(&Subset::full(space.len())).expect("BAD is feasible");
            prop_assert_eq!(tree(&good, full), tree(&bad, Candidate::Tree(Entries::new())));
            let weight: u64 = (0..space.len()).map(|delta| space.weight(delta)).sum();
            prop_assert_eq!(weight > 0, good != bad);
        }
    }

    #[test]
    fn a_subset_is_the_same_tree_at_every_level_and_holds_only_lines_of_the_versions(
        good in states(),
        bad in states(),
        choice in prop::collection::vec(any::<bool>(), 200),
    ) {
        let difference = VersionDifference::between(&Version::of(good.clone()), &Version::of(bad.clone())).expect("in memory");
        let hunks = ChangeSpace::new(difference, DeltaLevel::Hunk, None);
        let subset = Subset::of(hunks.len(), (0..hunks.len()).filter(|delta| choice[delta % choice.len()]));
        let lines = hunks.refine(&subset, DeltaLevel::Line);
        let rendered = hunks.render(&subset);
        prop_assert_eq!(&rendered, &lines.render(&Subset::full(lines.len())));
        prop_assert_eq!(hunks.deltas_of(&lines.atoms(&Subset::full(lines.len()))), subset);
        let Ok(candidate) = rendered else {
            let clashes = good.keys().any(|old| bad.keys().any(|new| {
                new.starts_with(&format!("{old}/")) || old.starts_with(&format!("{new}/"))
            }));
            prop_assert!(clashes, "only a file in the place of a directory is infeasible");
            return Ok(());
        };
        let known: Vec<&[u8]> = good.values().chain(bad.values())
            .flat_map(|state| state.content.split(|byte| *byte == b'\n'))
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .collect();
        for entry in tree(&good, candidate).values() {
            if let Entry::File { content, .. } = entry {
                for line in content.split(|byte| *byte == b'\n') {
                    prop_assert!(known.contains(&line.strip_suffix(b"\r").unwrap_or(line)));
                }
            }
        }
    }
}

#[test]
fn a_candidate_is_described_by_the_fewer_changes() {
    let files = ["a.c", "b.c", "c.c", "d.c", "e.c"];
    let [good, bad] = ["1\n", "2\n"].map(|content| files.map(|name| (name, content)));
    let space = space(&good, &bad, DeltaLevel::File);
    let described = |deltas: &[usize]| space.describe(&Subset::of(5, deltas.iter().copied()));
    assert_eq!(described(&[]), "none of the changes");
    assert_eq!(described(&[1]), "only b.c");
    assert_eq!(described(&[0, 1, 2]), "without d.c, e.c");
    assert_eq!(described(&[0, 1, 2, 3, 4]), "all 5 of these changes");
}

#[test]
fn lines_of_a_hunk_are_applied_alone_and_similar_ones_as_a_pair() {
    let good = [("x.c", "begin\nint a = 1;\nint b = f(2);\nend\n")];
    let bad = [("x.c", "begin\n// new\nint a = 3;\nint b = f(4);\nend\n")];
    let space = space(&good, &bad, DeltaLevel::Line);
    assert_eq!(labels(&space), ["x.c:2", "x.c:3", "x.c:4"]);
    assert_eq!(
        file(&space, &[1], "x.c"),
        "begin\nint a = 3;\nint b = f(2);\nend\n"
    );
    assert_eq!(
        file(&space, &[0, 2], "x.c"),
        "begin\n// new\nint a = 1;\nint b = f(4);\nend\n"
    );
    assert_eq!(space.weight(0), 1);
    assert_eq!(space.weight(1), 2);
}

#[test]
fn a_line_without_an_end_gets_one_when_it_is_no_longer_the_last() {
    let space = space(&[("x", "a\nb")], &[("x", "a\nb\nc")], DeltaLevel::Line);
    assert_eq!(space.len(), 2);
    assert_eq!(file(&space, &[1], "x"), "a\nb\nc");
    assert_eq!(file(&space, &[0], "x"), "a\nb\n");
}

#[test]
fn a_created_file_has_a_delta_for_each_line_and_one_for_being_there() {
    let space = space(&[], &[("dir/new", "1\n2\n3\n")], DeltaLevel::Line);
    assert_eq!(
        labels(&space),
        ["dir/new (created)", "dir/new:1", "dir/new:2", "dir/new:3"]
    );
    assert_eq!(file(&space, &[0], "dir/new"), "");
    assert_eq!(file(&space, &[2], "dir/new"), "2\n");
}

#[test]
fn a_deleted_file_is_one_delta() {
    let space = space(&[("x", "1\n2\n3\n")], &[], DeltaLevel::Line);
    assert_eq!(labels(&space), ["x (deleted)"]);
    assert_eq!(space.weight(0), 3);
    assert_eq!(
        space.render(&Subset::full(1)).expect("feasible"),
        Candidate::Tree([("x".to_owned(), Entry::Absent)].into())
    );
}

#[test]
fn a_rename_with_an_edit_is_two_deltas_that_can_be_applied_alone() {
    let text: String = (0..20).map(|line| format!("line {line}\n")).collect();
    let edited = text.replace("line 7\n", "line seven\n");
    let space = space(&[("old/x", &text)], &[("new/x", &edited)], DeltaLevel::Hunk);
    assert_eq!(labels(&space), ["new/x (renamed from old/x)", "new/x:8"]);
    assert_eq!(file(&space, &[0], "new/x"), text);
    assert_eq!(file(&space, &[1], "old/x"), edited);
}

#[test]
fn a_file_in_the_place_of_a_directory_needs_the_directory_gone() {
    let space = space(&[("a/b", "1\n")], &[("a", "two\n")], DeltaLevel::File);
    assert_eq!(labels(&space), ["a (created)", "a/b (deleted)"]);
    let created = Subset::of(2, [0]);
    let reason = space.render(&created).expect_err("a is a directory").reason;
    assert_eq!(reason, "a is a file and a directory");
}

#[test]
fn what_lies_beneath_shows_where_nothing_is_applied() {
    let entry = |content: &[u8]| Entry::File {
        content: content.into(),
        executable: false,
    };
    let beneath: Entries = [
        ("x".to_owned(), entry(b"1\n")),
        ("y".to_owned(), entry(b"y\n")),
    ]
    .into();
    let space = space(&[("x", "1\n")], &[("x", "2\n")], DeltaLevel::Line).over(beneath.clone());
    assert_eq!(
        space.render(&Subset::empty(2)).expect("feasible"),
        Candidate::Tree(beneath.clone())
    );
    let Candidate::Tree(entries) = space.render(&Subset::full(2)).expect("feasible") else {
        panic!("not a tree")
    };
    assert_eq!(entries["x"], entry(b"2\n"));
    assert_eq!(entries["y"], entry(b"y\n"));
}

#[test]
fn deltas_near_a_line_of_a_rendering_are_found_where_it_was_moved_to() {
    let good: String = (0..60).map(|line| format!("l{line}\n")).collect();
    let bad = good
        .replace("l10\n", "")
        .replace("l30\n", "thirty\n")
        .replace("l50\n", "");
    let space = space(&[("x", &good)], &[("x", &bad)], DeltaLevel::Hunk);
    assert_eq!(space.len(), 3);
    assert_eq!(space.at("x", 30, &Subset::empty(3)), [1]);
    assert_eq!(space.at("x", 49, &Subset::full(3)), [2]);
    assert_eq!(space.at("x", 20, &Subset::full(3)), [] as [usize; 0]);
    assert_eq!(
        space.at("elsewhere", 20, &Subset::full(3)),
        [] as [usize; 0]
    );
}

/// Functions are `name {` to `}`; `call name` needs one; comments begin with `#`; a brace too many is a fault.
struct Braces;

impl Outliner for Braces {
    fn outline(&self, path: &str, content: &[u8]) -> Option<FileOutline> {
        let text = std::str::from_utf8(content)
            .ok()
            .filter(|_| path.ends_with(".c"))?;
        let mut outline = FileOutline::default();
        let (mut open, mut at) = (Vec::new(), 0);
        for (number, line) in (0..).zip(text.lines()) {
            if let Some(name) = line.strip_suffix(" {") {
                open.push((name.to_owned(), number));
            } else if line == "}" {
                let Some((name, start)) = open.pop() else {
                    outline.faults.push(number);
                    continue;
                };
                let entity = yester_patch::FileEntity {
                    name,
                    kind: "function".to_owned(),
                    lines: start..number + 1,
                    depth: open.len() as u32,
                };
                outline.entities.push(entity);
            }
            if let Some(name) = line.strip_prefix("call ") {
                outline.open.push((name.to_owned(), number));
            }
            if let Some(comment) = line.find('#') {
                outline.comments.push(at + comment..at + line.len());
            }
            at += line.len() + 1;
        }
        outline.faults.extend(open.iter().map(|(_, start)| *start));
        let entities = &outline.entities;
        outline
            .open
            .retain(|(name, _)| entities.iter().all(|entity| entity.name != *name));
        outline
            .entities
            .sort_by_key(|entity| (entity.lines.start, std::cmp::Reverse(entity.lines.end)));
        Some(outline)
    }
}

fn outlined(good: &str, bad: &str, level: DeltaLevel) -> ChangeSpace {
    let difference =
        VersionDifference::between(&version(&[("x.c", good)]), &version(&[("x.c", bad)]))
            .expect("in memory");
    ChangeSpace::new(difference, level, Some(Arc::new(Braces)))
}

#[test]
fn what_changed_in_one_function_is_one_delta() {
    let good = "f {\nint a = 1;\nsame\nint b = 1;\n}\ng {\nold\n}\n";
    let bad = "f {\nint a = 2;\nsame\nint b = 2;\n}\ng {\nnew\n}\n";
    let entities = outlined(good, bad, DeltaLevel::Entity);
    assert_eq!(labels(&entities), ["x.c:2-4 in f", "x.c:7 in g"]);
    assert_eq!(
        entities.refine(&Subset::of(2, [0]), DeltaLevel::Hunk).len(),
        2
    );
}

#[test]
fn a_name_that_neither_version_leaves_open_makes_a_file_infeasible() {
    let good = "f {\n}\nmain {\ncall f\ncall elsewhere\n}\n";
    let bad = "g {\n}\nmain {\ncall g\ncall elsewhere\n}\n";
    let space = outlined(good, bad, DeltaLevel::Line).carefully();
    let reason = |lines: &[usize]| {
        let subset = Subset::of(space.len(), lines.iter().copied());
        space.render(&subset).err().map(|flaw| flaw.reason)
    };
    let missing = |name: &str| Some(format!("x.c:4: '{name}' is not defined"));
    assert_eq!(reason(&[0]), missing("f"));
    assert_eq!(reason(&[1]), missing("g"));
    assert_eq!(reason(&[0, 1]), None);
}

#[test]
fn a_fault_counts_where_an_entity_has_more_than_in_either_version() {
    // One brace too many is not understood in either version.
    let good = "f {\nx = 1\n}\n}\ng {\ny\n}\n";
    let bad = "f {\nx = 2\n}\n}\ng {\ny\n}\nsome h {\nz\n}\n";
    let space = outlined(good, bad, DeltaLevel::Line);
    let renders = |lines: &[usize]| space.render(&Subset::of(space.len(), lines.iter().copied()));
    assert!(renders(&[0]).is_ok());
    assert!(renders(&[1]).is_err(), "a brace is open");
    assert!(renders(&[1, 2, 3]).is_ok());
}

#[test]
fn a_file_that_no_longer_parses_is_infeasible() {
    let good = "f {\n}\n";
    let bad = "f {\n}\nsome g {\nother\n}\n";
    let space = outlined(good, bad, DeltaLevel::Line);
    let opening = Subset::of(3, [0]);
    assert_eq!(
        space.render(&opening).expect_err("a brace is open").reason,
        "x.c:3: error: this does not parse"
    );
    assert!(space.render(&Subset::of(3, [0, 2])).is_ok());
}

#[test]
fn comments_and_blanks_are_insignificant_and_code_is_not() {
    let good = "a = 1; # one\nsame\n  b;\nsame\nc;\nsame\n";
    let bad = "a = 1; # two\nsame\nb;\nsame\nc2;\nsame\n# three\n\n";
    let space = outlined(good, bad, DeltaLevel::Hunk);
    let found: Vec<bool> = (0..space.len())
        .map(|delta| space.is_insignificant(delta))
        .collect();
    assert_eq!(labels(&space), ["x.c:1", "x.c:3", "x.c:5", "x.c:7-8"]);
    assert_eq!(found, [true, true, false, true]);
}

#[test]
fn indentation_is_significant_where_the_language_says_so() {
    for (path, insignificant) in [("x.py", false), ("x.js", true), ("Makefile", false)] {
        let space = space(
            &[(path, "if x:\n  y\n")],
            &[(path, "if x:\n    y\n")],
            DeltaLevel::Hunk,
        );
        assert_eq!(space.is_insignificant(0), insignificant, "{path}");
    }
}
