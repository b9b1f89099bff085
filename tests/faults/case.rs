//! Small calls of yester for the tests that fail system calls and lose power: what is there before, and the answer.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// A call, and the directory it is made in.
pub struct Case {
    pub name: &'static str,
    pub arguments: &'static [&'static str],
    /// Where the answer goes. An older answer is there before.
    pub outputs: &'static [&'static str],
    pub set_up: fn(&Path),
}

/// Writes a file of a case.
pub fn write(place: &Path, name: &str, text: &str) {
    let path = place.join(name);
    fs::create_dir_all(path.parent().expect("it is below")).expect("room");
    fs::write(path, text).expect("room");
}

/// Everything below a directory.
pub type Tree = BTreeMap<PathBuf, Thing>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Thing {
    Directory,
    File(Vec<u8>, u32),
    Link(PathBuf),
}

pub fn read_tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let metadata = entry.metadata().expect("it is there");
            let thing = if metadata.is_dir() {
                left.push(path.clone());
                Thing::Directory
            } else if metadata.is_symlink() {
                Thing::Link(fs::read_link(&path).expect("a link"))
            } else {
                let mode = metadata.permissions().mode() & 0o777;
                Thing::File(fs::read(&path).expect("a file"), mode)
            };
            let path = path.strip_prefix(root).expect("it is below");
            tree.insert(path.to_owned(), thing);
        }
    }
    tree
}

pub fn write_tree(root: &Path, tree: &Tree) {
    fs::create_dir_all(root).expect("room");
    for (path, thing) in tree {
        let path = root.join(path);
        match thing {
            Thing::Directory => fs::create_dir_all(path).expect("room"),
            Thing::Link(target) => symlink(target, path).expect("room"),
            Thing::File(content, mode) => {
                fs::write(&path, content).expect("room");
                fs::set_permissions(path, fs::Permissions::from_mode(*mode)).expect("a mode");
            }
        }
    }
}

/// What an undisturbed call says and leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub said: Value,
    pub outputs: Tree,
}

/// A case that was carried out once without a disturbance.
pub struct Prepared<'a> {
    pub case: &'a Case,
    yester: PathBuf,
    pub before: Tree,
    pub answer: Answer,
}

/// One place in which a case is carried out.
pub struct Place<'a> {
    prepared: &'a Prepared<'a>,
    pub directory: TempDir,
}

/// Far beyond what any of these calls takes.
const HANGS_AFTER: Duration = Duration::from_secs(60);

impl<'a> Prepared<'a> {
    pub fn new(case: &'a Case, yester: &Path) -> Prepared<'a> {
        let template = TempDir::new().expect("a directory");
        (case.set_up)(template.path());
        let mut prepared = Prepared {
            case,
            yester: yester.to_owned(),
            before: read_tree(template.path()),
            answer: Answer {
                said: Value::Null,
                outputs: Tree::new(),
            },
        };
        let place = prepared.place();
        let output = place.run(&mut place.command()).expect("no hang");
        assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
        let answer = Answer {
            said: said(&output),
            outputs: place.outputs(),
        };
        drop(place);
        prepared.answer = answer;
        prepared
    }

    pub fn place(&'a self) -> Place<'a> {
        let place = Place {
            prepared: self,
            directory: TempDir::new().expect("a directory"),
        };
        place.reset(&self.before);
        place
    }

    /// The answers in a tree.
    pub fn outputs(&self, tree: &Tree) -> Tree {
        let is_output = |path: &Path| self.case.outputs.iter().any(|name| path.starts_with(name));
        let outputs = tree.iter().filter(|(path, _)| is_output(path));
        outputs
            .map(|(path, thing)| (path.clone(), thing.clone()))
            .collect()
    }

    /// What a tree has beside answers and the state: the user's own.
    pub fn own(&self, tree: &Tree) -> Tree {
        let outputs = self.outputs(tree);
        let mut own = tree.clone();
        own.retain(|path, _| !path.starts_with(".yester") && !outputs.contains_key(path));
        own
    }
}

impl Place<'_> {
    pub fn root(&self) -> PathBuf {
        self.directory.path().join("place")
    }

    pub fn tree(&self) -> Tree {
        read_tree(&self.root())
    }

    /// Makes it a place with just this in it. It stays where it is: a call from elsewhere is another run.
    pub fn reset(&self, tree: &Tree) {
        let temporary = self.directory.path().join("tmp");
        for directory in [&self.root(), &temporary] {
            let _ = fs::remove_dir_all(directory);
        }
        fs::create_dir(temporary).expect("room");
        write_tree(&self.root(), tree);
    }

    fn outputs(&self) -> Tree {
        self.prepared.outputs(&self.tree())
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.prepared.yester);
        let (name, rest) = self.prepared.case.arguments.split_first().expect("a name");
        command
            .arg(name)
            // With one job every run makes the same calls.
            .args(["-q", "--json", "-j1"])
            .args(rest)
            .current_dir(self.root())
            .env("XDG_CONFIG_HOME", "/nonexistent")
            .env("XDG_STATE_HOME", self.directory.path().join("state"))
            .env("TMPDIR", self.directory.path().join("tmp"));
        command
    }

    /// Runs a command to its end, or says that it hangs.
    pub fn run(&self, command: &mut Command) -> Option<Output> {
        // To files, which can break and be full.
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| self.directory.path().join(name));
        let file = |path: &Path| Stdio::from(File::create(path).expect("room"));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(file(&stdout))
            .stderr(file(&stderr))
            .spawn()
            .expect("yester starts");
        let process = child.id().to_string();
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait()));
        match receiver.recv_timeout(HANGS_AFTER) {
            Ok(status) => Some(Output {
                status: status.expect("yester ends"),
                stdout: fs::read(stdout).expect("a file"),
                stderr: fs::read(stderr).expect("a file"),
            }),
            Err(_) => {
                let _ = Command::new("kill").args(["-9", &process]).status();
                None
            }
        }
    }

    /// Whole lines of the journal. With two journals, those of both.
    pub fn journal(&self) -> Vec<String> {
        let tree = self.tree();
        let journals = tree.iter().filter(|(path, _)| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        });
        let text = journals.filter_map(|(_, thing)| match thing {
            Thing::File(content, _) => Some(String::from_utf8_lossy(content).into_owned()),
            _ => None,
        });
        let text: String = text.collect();
        let lines = text.split_inclusive('\n');
        lines
            .filter_map(|line| line.strip_suffix('\n'))
            .map(str::to_owned)
            .collect()
    }

    /// The trials that were run, as the test itself has told.
    pub fn witness(&self) -> Vec<u64> {
        let text = fs::read_to_string(self.directory.path().join("witness")).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }

    /// The same call again without disturbance. It must give the undisturbed answer and leave nothing behind.
    pub fn call_again(&self) -> Result<(), Violation> {
        let known = self.journal();
        let Some(output) = self.run(&mut self.command()) else {
            return Err(Harm::Hung.because("the second call hangs".to_owned()));
        };
        let answer = Answer {
            said: said(&output),
            outputs: self.outputs(),
        };
        let complaint = complaint(&output);
        if output.status.code() != Some(0) || answer != self.prepared.answer {
            let what = format!("the second call: {}: {answer:?} {complaint}", output.status);
            return Err(Harm::Wrong.because(what));
        }
        self.check_own()?;
        let journal = self.journal();
        if let Some(lost) = known
            .iter()
            .filter(|line| serde_json::from_str::<Value>(line).is_ok())
            .find(|line| !journal.contains(line))
        {
            return Err(Harm::Lost.because(format!("gone from the journal: {lost}")));
        }
        let mut searched: Vec<String> = journal.iter().filter_map(|line| candidate(line)).collect();
        searched.sort();
        if let Some(twice) = searched.windows(2).find(|pair| pair[0] == pair[1]) {
            let what = format!("{} was run again though the journal had it", twice[0]);
            return Err(Harm::Lost.because(what));
        }
        for name in read_tree(&self.directory.path().join("tmp")).keys() {
            // Another yester removes these after a minute.
            let is_young = |prefix: &&str| name.to_string_lossy().starts_with(*prefix);
            if ![".yester-", "yester-git-"].iter().any(is_young) {
                let what = format!("{} is left in TMPDIR", name.display());
                return Err(Harm::Litter.because(what));
            }
        }
        Ok(())
    }

    /// The user's own files are as they were, and no other is there.
    pub fn check_own(&self) -> Result<(), Violation> {
        let (own, before) = (
            self.prepared.own(&self.tree()),
            self.prepared.own(&self.prepared.before),
        );
        if own == before {
            return Ok(());
        }
        let changed = before
            .iter()
            .find(|(path, thing)| own.get(*path) != Some(thing));
        match changed {
            Some((path, _)) => Err(Harm::Lost.because(format!("changed: {}", path.display()))),
            None => {
                let more = own.keys().find(|path| !before.contains_key(*path));
                Err(Harm::Litter.because(format!("left behind: {more:?}")))
            }
        }
    }
}

/// What must never happen, and how it was seen.
#[derive(Clone, Debug)]
pub struct Violation {
    pub harm: Harm,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// It ends in a way that the manual does not list, or says nothing about why.
    Unclear,
    /// The answer is wrong, or the user's test is blamed for what the system did.
    Wrong,
    /// What was there, or was said to be there, is gone.
    Lost,
    /// Something is left that only yester has use for.
    Litter,
    Hung,
}

impl Harm {
    pub fn because(self, what: impl Into<String>) -> Violation {
        Violation {
            harm: self,
            what: what.into(),
        }
    }
}

/// What a call says as JSON, without what differs from call to call.
pub fn said(output: &Output) -> Value {
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    ["status", "failure", "result", "sure"]
        .into_iter()
        .map(|name| (name.to_owned(), report[name].clone()))
        .collect()
}

pub fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

/// The candidate of a line of the journal that is about the search.
fn candidate(line: &str) -> Option<String> {
    let trial: Value = serde_json::from_str(line).ok()?;
    (trial["why"] == "search").then(|| trial["candidate"].to_string())
}
