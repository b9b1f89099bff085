//! Reading the values that a program has left.

mod builder;

use builder::Builder;
use tempfile::TempDir;
use yester_path::{
    Expression, Matching, NodeId, Recording, RecordingError, SiteKind, ValueEvent, ValueForm,
};
use yester_pathrt::format::{UNKNOWN_FUNCTION, event};

/// A function (number 7) with a value, a branch and a value.
fn small() -> Builder {
    let mut builder = Builder {
        sites: "module\t7\ta.c\nfunction\tf\ta.c\t1\t3\nvalue\t\t2\t5\tx\ti32\t\t1\t1\n\
                branch\t\t3\t7\t\t,\t\nvalue\t\t4\t1\targument 1 of _Z1gi\tf64\t1:1\t\t\n"
            .to_owned(),
        sources: "stdin\n".to_owned(),
        input: vec![(0, 0, b'a')],
        ..Builder::default()
    };
    let byte = builder.node(8, Expression::Input(0));
    builder.node(32, Expression::ZeroExtend(byte));
    builder.streams = vec![vec![event::ENTER, 7, 0, 0, 0, 1, event::RETURN]];
    builder.values = vec![
        (5, 7, 0, 97, 2),
        (6, 7, 2, 1.5_f64.to_bits(), 0),
        (6, 7, 0, 5, 0),
    ];
    builder
}

fn open(builder: &Builder) -> (TempDir, Recording) {
    let directory = tempfile::tempdir().expect("a directory");
    builder.write(directory.path());
    let recording = Recording::open(directory.path()).expect("it is right");
    (directory, recording)
}

fn values(builder: &Builder) -> Result<Vec<ValueEvent>, RecordingError> {
    let (_directory, recording) = open(builder);
    Ok(recording.value_events(0)?.collect())
}

#[test]
fn values_are_read_in_order_with_their_sites() {
    let (_directory, recording) = open(&small());
    let found: Vec<ValueEvent> = recording.value_events(0).expect("values").collect();
    assert_eq!(found.len(), 3);
    assert_eq!(
        found[0],
        ValueEvent {
            event: 5,
            function: 7,
            site: 0,
            value: 97,
            node: Some(NodeId(2)),
        }
    );
    let sites = &recording.sites.function(7).expect("the function").sites;
    let kinds = found.iter().map(|value| &sites[value.site as usize].kind);
    let told: Vec<String> = kinds
        .zip(&found)
        .map(|(kind, value)| match kind {
            SiteKind::Value { name, form } => format!("{name} = {}", form.text(value.value)),
            kind => panic!("{kind:?}"),
        })
        .collect();
    assert_eq!(told, ["x = 97", "argument 1 of g(int) = 1.5", "x = 5"]);
    assert!(!recording.values_cut);
    // Events are decoded as if the values were not there.
    let events = recording.events(0).expect("events");
    assert_eq!(
        events.collect::<Result<Vec<_>, _>>().expect("them").len(),
        3
    );
    assert!(recording.value_events(1).expect("none").next().is_none());
}

#[test]
fn mangled_names_become_readable_wherever_they_stand() {
    let mut builder = small();
    builder.sites = builder
        .sites
        .replace("\tx\t", "\tindex of _ZNK3Box3getEv()->list\t");
    let sites = open(&builder).1.sites;
    let kind = &sites.functions()[0].sites[0].kind;
    let expected = "index of Box::get() const->list";
    assert!(
        matches!(kind, SiteKind::Value { name, .. } if name == expected),
        "{kind:?}"
    );
}

#[test]
fn a_record_that_was_not_finished_is_left_out() {
    let mut builder = small();
    builder.values[1].2 = u32::MAX;
    builder.values.push((6, UNKNOWN_FUNCTION, 0, 1, 0));
    builder.values_cut = true;
    let found = values(&builder).expect("values");
    let bits: Vec<u64> = found.iter().map(|value| value.value).collect();
    assert_eq!(bits, [97, 5]);
    assert!(open(&builder).1.values_cut);
}

#[test]
fn a_value_of_nothing_is_an_error_that_names_the_record() {
    for (function, site, node) in [(7, 1, 0), (7, 3, 0), (6, 0, 0), (7, 0, 3)] {
        let mut builder = small();
        builder.values[1] = (6, function, site, 0, node);
        let error = values(&builder).expect_err("it is wrong").to_string();
        assert!(
            error.contains("values-0") && error.contains("number 1"),
            "{error}"
        );
    }
    let (directory, recording) = open(&small());
    std::fs::write(directory.path().join("values-0"), [0; 40]).expect("written");
    let error = recording
        .value_events(0)
        .expect_err("too short")
        .to_string();
    assert!(error.contains("72 bytes"), "{error}");
}

#[test]
fn a_table_with_wrong_values_is_an_error() {
    for (from, to) in [
        // A form that is not known, a dependence on a value, a successor that has no events.
        ("i32", "i99"),
        ("1:1", "0:0"),
        ("\t1\t1\n", "\t2\t1\n"),
    ] {
        let mut builder = small();
        builder.sites = builder.sites.replace(from, to);
        assert_ne!(builder.sites, small().sites);
        let directory = tempfile::tempdir().expect("a directory");
        builder.write(directory.path());
        assert!(Recording::open(directory.path()).is_err(), "{to}");
    }
}

#[test]
fn the_match_of_two_versions_pairs_values() {
    let old = open(&small()).1.sites;
    let mut builder = small();
    builder.sites = "module\t0\ta.c\nfunction\tf\ta.c\t1\t4\nvalue\t\t2\t5\tnew\tp\t\t2\t2\n\
                     value\t\t3\t5\tx\ti32\t\t2\t2\nbranch\t\t4\t7\t\t,\t\n\
                     value\t\t5\t1\targument 1 of _Z1hi\tf64\t2:1\t\t\n"
        .to_owned();
    builder.values.clear();
    let new = open(&builder).1.sites;
    let matching = Matching::new(&old, &new);
    let partners: Vec<_> = (0..3).map(|site| matching.new_site(7, site)).collect();
    assert_eq!(partners, [Some((0, 1)), Some((0, 2)), Some((0, 3))]);
    assert_eq!(matching.old_site(0, 0), None);
    let form = ValueForm::Integer {
        bits: 32,
        is_unsigned: false,
    };
    let name = "x".to_owned();
    assert_eq!(
        new.functions()[0].sites[1].kind,
        SiteKind::Value { name, form }
    );
}
