//! Reading what a program has left, whatever that is.

mod builder;

use std::fs;

use builder::Builder;
use proptest::prelude::*;
use yester_path::{
    Branch, ConstraintKind, EventKind, Expression, InputSource, Loss, NodeId, PathCondition,
    Recording, RecordingError, Sites, TraceEvent, TraceEvents, alignment, processes,
};
use yester_pathrt::format::{Operation, event};

/// main (number 7) with a branch and a switch, and a function (number 8) with 200 branches.
fn small() -> Builder {
    let mut builder = Builder {
        sites: "module\t7\tsmall.c\nfunction\tmain\tsmall.c\t1\t2\nbranch\t\t2\t7\t\nswitch\t\t3\t3\t5,6\t0:1\n\
                function\tmany\tsmall.c\t9\t200\n"
            .to_owned()
            + &"branch\t\t10\t1\t\n".repeat(200),
        sources: "stdin\nfile:some/in.txt\narg:2\n".to_owned(),
        lost: "sprintf\tmain\nfloat\tmany\n".to_owned(),
        input: vec![(0, 0, b'a'), (1, 40, 3), (0, 0, b'a')],
        ..Builder::default()
    };
    let first = builder.node(8, Expression::Input(0));
    let letter = builder.node(8, Expression::Constant(b'a'.into()));
    let equal = Expression::Binary(Operation::Equal, first, letter);
    let equal = builder.node(1, equal);
    let again = builder.node(8, Expression::Input(2));
    let less = builder.node(
        1,
        Expression::Binary(Operation::LessUnsigned, letter, again),
    );
    let not_less = builder.node(1, Expression::Unary(Operation::Not, less));
    builder.constraints = vec![(5, equal.0, 0, 0), (6, not_less.0, 1, 0)];
    let mut stream = vec![event::ENTER, 7, 0, 0, 0, 1, event::FRAME, 9, 0, 0, 0, 4];
    stream.extend([event::ENTER, 8, 0, 0, 0, event::WIDE, 0x8e, 1]);
    stream.extend([event::ENTER, 8, 0, 0, 0, 3, event::RETURN]);
    stream.extend([event::LAND, 9, 0, 0, 0, 0, event::EXIT, 3, event::ABORT]);
    builder.streams = vec![stream];
    builder
}

fn events(recording: &Recording) -> Result<Vec<TraceEvent>, RecordingError> {
    recording.events(0)?.collect()
}

#[test]
fn everything_that_was_written_is_read() {
    let directory = tempfile::tempdir().expect("a directory");
    small().write(&directory.path().join("0"));
    for name in ["4712", "4712.1", "99"] {
        small().write(&directory.path().join(name));
    }
    let found = processes(directory.path()).expect("all of them");
    let names = ["0", "99", "4712", "4712.1"].map(|name| directory.path().join(name));
    assert_eq!(found, names);
    let recording = Recording::open(&found[0]).expect("it is right");
    assert_eq!((recording.process, recording.parent), (4711, None));
    assert_eq!(
        recording.sources[1],
        InputSource::File("some/in.txt".into())
    );
    assert_eq!(recording.sources[2], InputSource::Argument(2));
    let loss = |what: &str, place: &str| Loss {
        what: what.to_owned(),
        place: place.to_owned(),
    };
    assert_eq!(
        recording.lost,
        [loss("sprintf", "main"), loss("float", "many")]
    );
    assert_eq!(recording.constraints[1].kind, ConstraintKind::Concretised);
    assert_eq!(recording.values(), [b'a', 3, b'a']);
    // The same place of the same source is the same byte.
    assert_eq!(recording.graph.expression(NodeId(4)), Expression::Input(0));
    let condition = PathCondition::new(&recording.graph, &recording.constraints);
    assert_eq!(condition.violated(&recording.values()), None);
    assert_eq!(condition.violated(b"b\x03b"), Some(0));
}

#[test]
fn events_know_their_place_and_the_functions_around_them() {
    let directory = tempfile::tempdir().expect("a directory");
    small().write(directory.path());
    let recording = Recording::open(directory.path()).expect("it is right");
    let seen = events(&recording).expect("no error");
    let at = |offset, depth, kind| TraceEvent {
        offset,
        depth,
        kind,
    };
    let branch = |function, site, outcome| EventKind::Branch {
        function,
        site,
        outcome,
    };
    assert_eq!(
        seen,
        [
            at(0, 1, EventKind::Enter { function: 7 }),
            at(5, 1, branch(7, 0, 1)),
            at(11, 1, branch(7, 1, 2)),
            at(12, 2, EventKind::Enter { function: 8 }),
            at(17, 2, branch(8, 199, 0)),
            at(20, 3, EventKind::Enter { function: 8 }),
            at(25, 3, branch(8, 1, 1)),
            at(26, 3, EventKind::Return { function: 8 }),
            at(27, 1, EventKind::Land { function: 7 }),
            at(32, 1, branch(7, 0, 0)),
            at(33, 1, EventKind::Exit(3)),
            at(35, 1, EventKind::Abort),
        ]
    );
}

#[test]
fn calls_are_events_and_no_branches() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut builder = small();
    // Two calls behind all other codes of main.
    let main = "function\tmain\tsmall.c\t1\t";
    let calls = "call\t\t4\t1\t0:1\ncall\t\t5\t1\t\nfunction\tmany";
    builder.sites = builder
        .sites
        .replace(&format!("{main}2"), &format!("{main}4"));
    builder.sites = builder.sites.replace("function\tmany", calls);
    builder.streams[0].splice(12..12, [5, 6, 6]);
    builder.write(directory.path());
    let recording = Recording::open(directory.path()).expect("it is right");
    let seen = events(&recording).expect("no error");
    let called: Vec<(u64, usize, EventKind)> = seen[3..6]
        .iter()
        .map(|event| (event.offset, event.depth, event.kind))
        .collect();
    let call = |site| EventKind::Call { function: 7, site };
    assert_eq!(
        called,
        [(12, 1, call(2)), (13, 1, call(3)), (14, 1, call(3))]
    );
    assert_eq!(seen[6].kind, EventKind::Enter { function: 8 });
    let branches: Result<Vec<Branch>, _> = recording.branches().collect();
    let branches = branches.expect("no error");
    let places: Vec<(u64, u64)> = branches
        .iter()
        .map(|branch| (branch.index, branch.offset))
        .collect();
    assert_eq!(places, [(0, 5), (1, 11), (2, 20), (3, 28), (4, 35)]);
    assert!(alignment::Run::new(&recording.sites, recording.events(0).expect("events")).is_ok());
}

#[test]
fn branches_and_constraints_know_each_other() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut builder = small();
    builder.streams.push(builder.streams[0].clone());
    builder.constraints.push((11, 3, 0, 1));
    builder.constraints.push((6, 6, 1, 1));
    builder.constraints.push((99, 6, 1, 0));
    builder.write(directory.path());
    let recording = Recording::open(directory.path()).expect("it is right");
    let branches: Result<Vec<Branch>, _> = recording.branches().collect();
    let branches = branches.expect("no error");
    assert_eq!(branches.len(), 10);
    let with: Vec<(u64, usize)> = branches
        .iter()
        .filter_map(|branch| Some((branch.index, branch.constraint?)))
        .collect();
    assert_eq!(with, [(0, 0), (6, 2)]);
    let of = recording.branches_of_constraints().expect("no error");
    assert_eq!(of, [Some(0), Some(1), Some(6), Some(6), None]);
    let (function, site) = recording.site(&branches[1]);
    assert_eq!((function.name.as_str(), site.line), ("main", 3));
    assert_eq!(site.outcome(branches[1].outcome), "case 6");
}

#[test]
fn branches_of_code_that_could_not_yet_say_what_it_is_are_left_out() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut builder = small();
    let mut stream = vec![
        event::ENTER,
        3,
        0,
        0,
        0x80,
        17,
        event::WIDE,
        1,
        1,
        event::RETURN,
    ];
    stream.extend(&builder.streams[0][..6]);
    builder.streams[0] = stream;
    builder.constraints = vec![(15, 3, 0, 0), (0, 3, 0, u32::MAX)];
    builder.write(directory.path());
    let recording = Recording::open(directory.path()).expect("it is right");
    let seen = events(&recording).expect("no error");
    assert_eq!(seen.len(), 4);
    assert_eq!(
        seen[0].kind,
        EventKind::Enter {
            function: 0x8000_0003
        }
    );
    assert_eq!((seen[3].offset, seen[3].depth), (15, 1));
    let of = recording.branches_of_constraints().expect("no error");
    assert_eq!(of, [Some(0), None]);
}

#[test]
fn a_torn_last_event_is_left_out() {
    let builder = small();
    let sites = Sites::parse(&builder.sites).expect("it is right");
    for (used, whole) in [(3, 0), (5, 1), (8, 2), (19, 4), (34, 10)] {
        let events = TraceEvents::new(&sites, &builder.streams[0][..used], "events");
        let events: Result<Vec<TraceEvent>, _> = events.collect();
        assert_eq!(events.expect("no error").len(), whole, "{used}");
    }
}

#[test]
fn a_window_that_was_packed_but_not_emptied_is_not_read_twice() {
    let directory = tempfile::tempdir().expect("a directory");
    small().write(directory.path());
    let whole = events(&Recording::open(directory.path()).expect("it is right"));
    let whole = whole.expect("no error").len();
    let window = directory.path().join("window-0");
    let mut content = fs::read(&window).expect("a window");
    content[0] -= 7;
    fs::write(&window, content).expect("written");
    let recording = Recording::open(directory.path()).expect("it is right");
    let seen = events(&recording).expect("no error");
    assert!(!seen.is_empty() && seen.len() < whole);
}

#[test]
fn what_cannot_be_is_an_error_and_says_where() {
    let wrong = |change: &dyn Fn(&mut Builder), expected: &str| {
        let directory = tempfile::tempdir().expect("a directory");
        let mut builder = small();
        change(&mut builder);
        builder.write(directory.path());
        let error = Recording::open(directory.path())
            .and_then(|recording| events(&recording).map(drop))
            .expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
    };
    wrong(&|it| it.constraints[0].1 = 99, "constraints, number 0");
    wrong(&|it| it.constraints[0].1 = 1, "node 1 is not a condition");
    wrong(&|it| it.constraints[1].3 = 1, "no event stream 1");
    wrong(&|it| it.constraints[1].2 = 2, "kind 2");
    wrong(&|it| it.input[1].0 = 3, "source 3");
    wrong(&|it| it.sources.push_str("what\n"), "sources, line 4");
    wrong(&|it| it.nodes[2].0 = 8, "nodes, number 3");
    wrong(&|it| it.nodes[0].0 = 7, "nodes, number 1");
    wrong(
        &|it| it.nodes[5].1 = Expression::Unary(Operation::Not, NodeId(6)),
        "not before it",
    );
    wrong(&|it| it.streams[0][1] = 6, "function 6");
    wrong(&|it| it.streams[0][5] = 5, "main has no branch with code 5");
    wrong(&|it| it.streams[0][5] = 0xF3, "byte 5: an event 0xf3");
    wrong(&|it| it.streams[0][0] = event::RETURN, "byte 0");
    wrong(&|it| it.streams[0][28] = 8, "frame 8");
}

#[test]
fn a_program_without_a_recording_is_told_how_to_get_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let error = Recording::open(&directory.path().join("0")).expect_err("nothing there");
    assert!(matches!(error, RecordingError::Missing(_)));
    assert!(error.hint().contains("yester-cc"));
    fs::write(directory.path().join("head"), [0; 4096]).expect("written");
    let error = Recording::open(directory.path()).expect_err("zeroes");
    assert!(matches!(error, RecordingError::Foreign));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_damage_makes_it_panic(
        damage in prop::collection::vec((0..9usize, any::<prop::sample::Index>(), any::<u8>()), 1..6),
        absurd in prop::option::of((1..140usize, any::<u64>())),
        shortened in prop::option::of((0..9usize, any::<prop::sample::Index>())),
    ) {
        let directory = tempfile::tempdir().expect("a directory");
        small().write(directory.path());
        let names = ["head", "sites", "nodes", "constraints", "input", "sources", "lost", "events-0", "window-0"];
        for (file, place, byte) in damage {
            let path = directory.path().join(names[file]);
            let mut content = fs::read(&path).expect("a file");
            let used = content.len().min(1_100);
            let index = place.index(used);
            content[index] = byte;
            fs::write(path, content).expect("written");
        }
        if let Some((word, value)) = absurd {
            let path = directory.path().join("head");
            let mut content = fs::read(&path).expect("a file");
            content[8 * word..8 * word + 8].copy_from_slice(&value.to_le_bytes());
            fs::write(path, content).expect("written");
        }
        if let Some((file, length)) = shortened {
            let path = directory.path().join(names[file]);
            let mut content = fs::read(&path).expect("a file");
            content.truncate(length.index(content.len()));
            fs::write(path, content).expect("written");
        }
        if let Ok(recording) = Recording::open(directory.path()) {
            for stream in 0..recording.streams() {
                let _ = recording.events(stream).map(|events| events.map(drop).count());
                let _ = recording.events(stream).map(|events| alignment::Run::new(&recording.sites, events));
            }
            let condition = PathCondition::new(&recording.graph, &recording.constraints);
            let _ = condition.violated(&recording.values());
            for index in 0..recording.constraints.len() {
                let _ = condition.negate(index);
            }
        }
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_an_error_and_not_waited_for() {
    for name in ["head", "sites", "sources", "events-0"] {
        let directory = tempfile::tempdir().expect("a directory");
        small().write(directory.path());
        let path = directory.path().join(name);
        fs::remove_file(&path).expect("it was there");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo is there").success());
        let opened = Recording::open(directory.path());
        let error = opened.and_then(|recording| events(&recording));
        assert!(matches!(error, Err(RecordingError::Io { .. })), "{name}");
    }
}

#[test]
fn a_part_that_says_it_has_a_terabyte_of_holes_is_not_read() {
    let directory = tempfile::tempdir().expect("a directory");
    small().write(directory.path());
    let nodes = fs::File::options()
        .write(true)
        .open(directory.path().join("nodes"))
        .expect("it is there");
    nodes.set_len(1 << 40).expect("holes take no room");
    let path = directory.path().join("head");
    let mut head = fs::read(&path).expect("it is there");
    head[8 * 3..8 * 4].copy_from_slice(&(1_u64 << 36).to_le_bytes());
    fs::write(&path, head).expect("it is written");
    let opened = Recording::open(directory.path());
    assert!(matches!(opened, Err(RecordingError::Damaged { .. })));
}
