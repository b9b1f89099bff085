//! Fails the n-th system call of each kind, for every n, as SQLite's tests do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::case::{Answer, Harm, Place, Prepared, Thing, Violation, complaint, said};

const EIO: (&str, i32) = ("EIO", 5);
const EINTR: (&str, i32) = ("EINTR", 4);
const EAGAIN: (&str, i32) = ("EAGAIN", 11);
const ENOMEM: (&str, i32) = ("ENOMEM", 12);
const EMFILE: (&str, i32) = ("EMFILE", 24);
const ENOSPC: (&str, i32) = ("ENOSPC", 28);
const ENOLCK: (&str, i32) = ("ENOLCK", 37);
/// Only half of what was asked for is done.
const SHORT: (&str, i32) = ("short", 0);

/// What can go wrong with each kind of call. Mapping memory is not among them: only Rust's own start does that, before
/// `main`, and ends the program if it cannot.
pub const KINDS: [(&str, &[(&str, i32)]); 21] = [
    ("open", &[EMFILE, ENOSPC, EINTR]),
    ("read", &[EIO, EINTR, SHORT]),
    ("write", &[ENOSPC, EIO, EINTR, SHORT]),
    ("rename", &[ENOSPC, EIO]),
    ("sync", &[EIO, EINTR]),
    ("truncate", &[EIO, EINTR]),
    ("mkdir", &[ENOSPC]),
    ("remove", &[EIO]),
    ("chmod", &[EIO]),
    ("stat", &[EIO]),
    ("list", &[EIO]),
    ("copy", &[ENOSPC, SHORT]),
    ("lock", &[ENOLCK]),
    ("spawn", &[EAGAIN, ENOMEM]),
    ("wait", &[EINTR]),
    ("descriptor", &[EMFILE]),
    ("pipe", &[EMFILE]),
    ("poll", &[EINTR, ENOMEM]),
    ("send", &[EINTR, SHORT]),
    ("receive", &[EINTR, SHORT]),
    ("thread", &[EAGAIN]),
];

/// Who makes the call that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Yester,
    Warden,
}

impl Who {
    pub fn name(self) -> &'static str {
        match self {
            Who::Yester => "yester",
            Who::Warden => "warden",
        }
    }
}

/// Calls of one kind that fail in one way.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub who: Who,
    pub kind: &'static str,
    pub error: (&'static str, i32),
    /// Whether all calls from the n-th on fail, as on a full disk, or one only.
    pub lasting: bool,
}

/// What does not pass by itself: a full or broken disk, and too many files or processes.
const LASTING: [(&str, (&str, i32)); 5] = [
    ("open", EMFILE),
    ("open", ENOSPC),
    ("write", ENOSPC),
    ("sync", EIO),
    ("spawn", EAGAIN),
];
/// A full disk is not full for one call only.
const ONLY_LASTING: (&str, (&str, i32)) = ("open", ENOSPC);

/// All faults.
pub fn faults() -> Vec<Fault> {
    let mut faults = Vec::new();
    for who in [Who::Yester, Who::Warden] {
        for (kind, errors) in KINDS {
            for &error in errors {
                for lasting in [false, true] {
                    let fault = (kind, error);
                    let is_tried = if lasting {
                        LASTING.contains(&fault)
                    } else {
                        fault != ONLY_LASTING
                    };
                    if is_tried {
                        faults.push(Fault {
                            who,
                            kind,
                            error,
                            lasting,
                        });
                    }
                }
            }
        }
    }
    faults
}

/// The library that comes between yester and the system.
pub struct Interposer {
    library: PathBuf,
    _directory: TempDir,
}

impl Interposer {
    pub fn new() -> Interposer {
        let directory = TempDir::new().expect("a directory");
        let library = directory.path().join("interposer.so");
        let source = directory.path().join("interposer.c");
        fs::write(&source, include_str!("interposer.c")).expect("room");
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&library, &source])
            .arg("-ldl")
            .status();
        assert!(status.expect("cc is installed").success());
        Interposer {
            library,
            _directory: directory,
        }
    }

    pub fn preload<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("LD_PRELOAD", &self.library)
    }

    /// Kills yester at a call, as `kill -9` would. Nothing if the run makes fewer such calls.
    pub fn kill_once(
        &self,
        prepared: &Prepared<'_>,
        kind: &str,
        nth: usize,
    ) -> Result<Option<()>, (String, Violation)> {
        let place = &prepared.place();
        let report = place.directory.path().join("report");
        let mut command = place.command();
        self.preload(&mut command)
            .env("YESTER_FAULT", format!("yester {kind} {nth} 0 kill"))
            .env("YESTER_FAULT_REPORT", &report);
        let output = place.run(&mut command);
        let reached = fs::read_to_string(&report).unwrap_or_default();
        let name = format!("{}: killed at {}", prepared.case.name, reached.trim());
        let tell = |violation| (name.clone(), violation);
        match output {
            None => return Err(tell(Harm::Hung.because("it hangs".to_owned()))),
            Some(_) if reached.is_empty() => return Ok(None),
            Some(_) => {}
        }
        match place.check_own() {
            // What it was writing beside an answer goes with the next call.
            Err(violation) if violation.harm == Harm::Litter => {}
            other => other.map_err(tell)?,
        }
        place.call_again().map_err(tell)?;
        Ok(Some(()))
    }

    /// Nothing if the run makes fewer such calls, or whether it has answered all the same.
    pub fn try_once(
        &self,
        prepared: &Prepared<'_>,
        fault: &Fault,
        nth: usize,
    ) -> Result<Option<bool>, (String, Violation)> {
        let place = &prepared.place();
        let report = place.directory.path().join("report");
        let mode = if fault.lasting { "on" } else { "once" };
        let mut command = place.command();
        self.preload(&mut command)
            .env(
                "YESTER_FAULT",
                format!(
                    "{} {} {nth} {} {mode}",
                    fault.who.name(),
                    fault.kind,
                    fault.error.1
                ),
            )
            .env("YESTER_FAULT_REPORT", &report);
        let output = place.run(&mut command);
        let reached = fs::read_to_string(&report).unwrap_or_default();
        if reached.is_empty() && output.is_some() {
            return Ok(None);
        }
        let name = format!(
            "{}: {}, {} {mode}, {}",
            prepared.case.name,
            fault.who.name(),
            fault.error.0,
            reached.lines().next().unwrap_or_default()
        );
        let tell = |violation| (name.clone(), violation);
        let Some(output) = output else {
            return Err(tell(Harm::Hung.because("it hangs".to_owned())));
        };
        let complaint = complaint(&output);
        let code = output.status.code();
        let unclear = || tell(Harm::Unclear.because(format!("{}: {complaint}", output.status)));
        if !matches!(code, Some(0..=3))
            || complaint.contains("panicked")
            || complaint.contains("bug in yester")
        {
            return Err(unclear());
        }
        let outputs = prepared.outputs(&place.tree());
        if code == Some(0) {
            let answer = Answer {
                said: said(&output),
                outputs,
            };
            if answer != prepared.answer {
                return Err(tell(Harm::Wrong.because(format!("{answer:?}"))));
            }
        } else {
            // An error that cannot be printed is seen by the exit code alone.
            let is_mute = reached.contains("descriptor 2,");
            let says = complaint
                .lines()
                .any(|line| line.starts_with("yester: ") && line.len() > 12);
            if !says && !is_mute {
                return Err(unclear());
            }
            if code == Some(1) {
                let what = format!("blames the test for it: {complaint}");
                return Err(tell(Harm::Wrong.because(what)));
            }
            check_outputs(prepared, place).map_err(tell)?;
        }
        match place.check_own() {
            // What cannot be removed stays.
            Err(violation) if violation.harm == Harm::Litter && fault.kind == "remove" => {}
            other => other.map_err(tell)?,
        }
        check_witness(place, fault).map_err(tell)?;
        match place.call_again() {
            Err(violation) if violation.harm == Harm::Litter && fault.kind == "remove" => {}
            other => other.map_err(tell)?,
        }
        Ok(Some(code == Some(0)))
    }
}

/// After an error each output is absent, the old one, or a whole new one.
fn check_outputs(prepared: &Prepared<'_>, place: &Place<'_>) -> Result<(), Violation> {
    let outputs = prepared.outputs(&place.tree());
    let old = prepared.outputs(&prepared.before);
    let is_fine = |(path, thing): (&PathBuf, &Thing)| {
        old.get(path) == Some(thing)
            || prepared.answer.outputs.get(path) == Some(thing)
            || is_best_so_far(prepared, path, thing)
    };
    match outputs.iter().find(|entry| !is_fine(*entry)) {
        None => Ok(()),
        Some((path, thing)) => Err(Harm::Lost.because(format!(
            "{} is neither old nor whole: {thing:?}",
            path.display()
        ))),
    }
}

/// The best so far is more than the answer and shows the failure. Of a tree it has files that the input has.
fn is_best_so_far(prepared: &Prepared<'_>, path: &Path, thing: &Thing) -> bool {
    let Thing::File(content, _) = thing else {
        return true;
    };
    let mut rest = path.components();
    rest.next();
    let text = String::from_utf8_lossy(content);
    text.contains("needle")
        || (text.starts_with("# yester changes") && text.contains("broken"))
        || prepared.before.get(&Path::new("input").join(rest)) == Some(thing)
}

/// Every trial but those under way when the fault came is in the journal.
fn check_witness(place: &Place<'_>, fault: &Fault) -> Result<(), Violation> {
    let numbers: Vec<u64> = place
        .journal()
        .iter()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|trial| trial["trial"].as_u64())
        .collect();
    let mut unknown = place.witness();
    unknown.retain(|number| !numbers.contains(number));
    // One run that is under way, and those that a warden takes with it, which are tried again.
    let allowed = match fault.who {
        Who::Yester => 1,
        Who::Warden => 3,
    };
    if unknown.len() > allowed {
        return Err(Harm::Lost.because(format!("trials that are not in the journal: {unknown:?}")));
    }
    Ok(())
}
