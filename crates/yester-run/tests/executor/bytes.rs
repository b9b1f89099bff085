//! An action is complete: somebody who gets only bytes, and has none of the files, sees what we see.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use yester_core::{Candidate, Entry, Hash};
use yester_run::{
    Action, ActionEvent, Ending, Exchange, Executor, Invocation, LocalExecutor, Observation,
    Outputs, Sandbox, Subject, Wakeup,
};

use super::Lab;

/// A file: whether it may be executed, and its bytes.
type File = (bool, Vec<u8>);

/// Everything that goes to another machine.
#[derive(Serialize, Deserialize)]
struct Parcel {
    invocation: Invocation,
    exchange: Exchange,
    /// The number that stands for the tree, and the tree.
    base: String,
    tree: BTreeMap<String, File>,
    /// What the candidate has in place of it; nothing for what it lacks.
    entries: BTreeMap<String, Option<File>>,
    trial: u64,
}

fn packed(action: &Action, tree: &Path) -> Vec<u8> {
    let (Subject::Tree { base }, Candidate::Tree(entries)) = (&*action.subject, &action.candidate)
    else {
        panic!("a tree");
    };
    let files = fs::read_dir(tree).expect("a tree").flatten().map(|entry| {
        let executable = entry.metadata().expect("a file").permissions().mode() & 0o100 != 0;
        let content = fs::read(entry.path()).expect("a file");
        let name = entry.file_name().into_string().expect("a plain name");
        (name, (executable, content))
    });
    let entries = entries.iter().map(|(path, entry)| {
        let file = match entry {
            Entry::File {
                content,
                executable,
            } => Some((*executable, content.to_vec())),
            Entry::Absent => None,
            Entry::Symlink(_) => panic!("no links"),
        };
        (path.clone(), file)
    });
    let parcel = Parcel {
        invocation: (*action.invocation).clone(),
        exchange: action.exchange.clone(),
        base: base.to_string(),
        tree: files.collect(),
        entries: entries.collect(),
        trial: action.trial,
    };
    postcard::to_stdvec(&parcel).expect("plain data")
}

/// Carries out what is in a parcel.
fn unpacked(bytes: &[u8], executor: &mut LocalExecutor, place: &Path) -> Action {
    let parcel: Parcel = postcard::from_bytes(bytes).expect("what was packed");
    fs::create_dir(place).expect("room");
    for (name, (executable, content)) in &parcel.tree {
        fs::write(place.join(name), content).expect("room");
        let mode = if *executable { 0o755 } else { 0o644 };
        fs::set_permissions(place.join(name), fs::Permissions::from_mode(mode)).expect("a mode");
    }
    let base = Hash::parse(&parcel.base).expect("a number");
    executor.provide(base, place);
    let entries = parcel.entries.into_iter().map(|(path, file)| {
        let entry = match file {
            Some((executable, content)) => Entry::File {
                content: content.into(),
                executable,
            },
            None => Entry::Absent,
        };
        (path, entry)
    });
    Action {
        invocation: Arc::new(parcel.invocation),
        subject: Arc::new(Subject::Tree { base }),
        candidate: Candidate::Tree(entries.collect()),
        trial: parcel.trial,
        fresh: true,
        watch: false,
        exchange: parcel.exchange,
    }
}

fn run(executor: &mut LocalExecutor, action: &Action) -> (Observation, Outputs) {
    executor.start(0, action).expect("a start");
    match executor.wait(None).expect("a report") {
        Wakeup::Worker(_, ActionEvent::Done(observation, Some(outputs))) => (*observation, outputs),
        other => panic!("{other:?}"),
    }
}

/// What a run shows that does not depend on the machine.
fn shown((observation, outputs): &(Observation, Outputs)) -> (Ending, String, Vec<u8>) {
    let left = fs::read(outputs.path().join("left")).expect("it is left");
    let printed = observation.stdout.text().into_owned();
    (observation.ending.clone(), printed, left)
}

#[test]
fn an_executor_that_only_gets_bytes_sees_the_same() {
    for sandbox in [Sandbox::Auto, Sandbox::None, Sandbox::Full] {
        let mut here = Lab::new(sandbox);
        let base = here.start.path().join("base");
        fs::create_dir(&base).expect("room");
        fs::write(base.join("kept"), "kept\n").expect("room");
        fs::write(base.join("changed"), "old\n").expect("room");
        fs::write(base.join("gone"), "gone\n").expect("room");
        fs::write(base.join("test.sh"), "#!/bin/sh\nls\ncat kept changed \"$1\" \"$GIVEN\"\ncat\necho \"$1\" > \"$LEFT\"\ncat \"$1\" > \"$LEFT\"\nexit 3\n").expect("room");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(base.join("test.sh"), executable).expect("a mode");
        let new = Entry::File {
            content: b"new\n"[..].into(),
            executable: false,
        };
        let mut action = here.tree_action(
            "true",
            &base,
            &[("changed", new), ("gone", Entry::Absent)],
            true,
        );
        action.invocation = Arc::new(Invocation {
            program: "/nonexistent".into(),
            program_in_tree: Some("test.sh".into()),
            arguments: vec!["an argument".into()],
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            has_placeholders: false,
            ..(*action.invocation).clone()
        });
        let file = |content: &str| Arc::from(content.as_bytes());
        action.exchange = Exchange {
            files: [
                ("given".to_owned(), file("given\n")),
                ("argument".to_owned(), file("argument\n")),
                ("input".to_owned(), file("input\n")),
            ]
            .into(),
            directories: vec!["out".to_owned()],
            variables: vec![
                ("GIVEN".into(), "given".to_owned()),
                ("LEFT".into(), "left".to_owned()),
            ],
            arguments: [(0, "argument".to_owned())].into(),
            stdin: Some("input".to_owned()),
            wants_outputs: true,
        };
        let parcel = packed(&action, &base);
        let first = shown(&run(&mut here.executor, &action));
        assert_eq!(first.0, Ending::Exit(3));
        let printed = "changed\nkept\ntest.sh\nkept\nnew\nargument\ngiven\ninput\n";
        assert_eq!(
            (first.1.as_str(), &first.2[..]),
            (printed, &b"argument\n"[..])
        );
        // Nothing is left of the place that it was made in.
        drop((here, action));

        let mut there = Lab::new(sandbox);
        let elsewhere = TempDir::new_in(there.start.path()).expect("room");
        let action = unpacked(&parcel, &mut there.executor, &elsewhere.path().join("tree"));
        assert_eq!(shown(&run(&mut there.executor, &action)), first);
    }
}
