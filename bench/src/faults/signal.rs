//! How long yester takes to end after a signal, whatever it is doing.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::scenario::Verdict;

/// So many files has each of the two trees that are compared.
const FILES: usize = 20_000;
const MOMENTS: u32 = 24;
const LONGEST: f64 = 1.0;

/// Ends a run over two big trees at many moments: while it reads, copies, builds, searches and cleans up.
pub fn at_every_moment(yester: &Path) -> Verdict {
    let place = TempDir::new().expect("a directory");
    let temporary = place.path().join("tmp");
    fs::create_dir(&temporary).expect("room");
    make_trees(place.path());
    let mut longest: (f64, Duration) = Default::default();
    for moment in 1..=MOMENTS {
        let moment = Duration::from_millis(250) * moment;
        let mut child = Command::new(yester)
            .args([
                "changes",
                "good",
                "bad",
                "--quiet",
                "--fresh",
                "--",
                "./test.sh",
            ])
            .current_dir(place.path())
            .env("TMPDIR", &temporary)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("yester starts");
        thread::sleep(moment);
        if let Some(status) = child.try_wait().expect("a status") {
            return Err(format!("it ended by itself: {status}"));
        }
        let start = Instant::now();
        let sent = Command::new("kill").arg(child.id().to_string()).status();
        assert!(sent.expect("kill starts").success());
        let status = child.wait().expect("it ends");
        let seconds = start.elapsed().as_secs_f64();
        if status.code() != Some(130) {
            return Err(format!("{status} after a signal at {moment:?}"));
        }
        if seconds > longest.0 {
            longest = (seconds, moment);
        }
    }
    // What is left is deleted by a process that goes on by itself.
    let patience = Instant::now() + Duration::from_secs(300);
    while fs::read_dir(&temporary).expect("a list").next().is_some() {
        if Instant::now() > patience {
            return Err("scratch is left".to_owned());
        }
        thread::sleep(Duration::from_millis(100));
    }
    let (seconds, moment) = longest;
    let text = format!("ends within {seconds:.2} s, the longest at {moment:?}");
    if seconds <= LONGEST {
        Ok(text)
    } else {
        Err(text)
    }
}

fn make_trees(place: &Path) {
    for (tree, answer) in [("good", 0), ("bad", 1)] {
        for number in 0..FILES {
            let directory = place.join(tree).join(format!("d{}", number / 100));
            fs::create_dir_all(&directory).expect("room");
            fs::write(directory.join(format!("f{number}")), format!("{number}\n")).expect("room");
        }
        let script = format!("#!/bin/sh\nsleep 0.3\nexit {answer}\n");
        let path = place.join(tree).join("test.sh");
        fs::write(&path, script).expect("room");
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("a mode");
        // Enough to search for some time.
        for number in 0..200 {
            let text = format!("{tree} {number}\n");
            fs::write(place.join(tree).join(format!("changed{number}")), text).expect("room");
        }
    }
}
