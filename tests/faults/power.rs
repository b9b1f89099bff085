//! Takes the power away: what was not synced is gone, or half there, or out of order.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::case::{Harm, Place, Prepared, Thing, Tree, Violation};
use super::injection::Interposer;

/// What came of all the places where a fault was tried.
#[derive(Debug, Default)]
pub struct Tally {
    pub points: usize,
    /// So many gave the right answer all the same.
    pub answered: usize,
    pub violations: Vec<(String, Violation)>,
}

/// One line of the interposer's log.
struct Operation {
    what: String,
    inode: u64,
    number: usize,
    path: PathBuf,
    data: Vec<u8>,
}

/// Runs a case and reads in which order it has changed which files.
fn record(interposer: &Interposer, place: &Place<'_>) -> Vec<Operation> {
    let log = place.directory.path().join("log");
    let root = place.root().canonicalize().expect("it is there");
    let mut command = place.command();
    interposer
        .preload(&mut command)
        .env("YESTER_FAULT_LOG", &log)
        .env("YESTER_FAULT_ROOT", &root);
    let output = place.run(&mut command).expect("no hang");
    assert_eq!(output.status.code(), Some(0));
    parse(&fs::read(log).expect("the log"), &root)
}

fn parse(mut log: &[u8], root: &Path) -> Vec<Operation> {
    let mut operations = Vec::new();
    while let Some(end) = log.iter().position(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(&log[..end]).into_owned();
        let mut words = line.splitn(5, ' ');
        let mut word = || words.next().expect("five words");
        let what = word().to_owned();
        let [inode, number, length] = [(); 3].map(|()| word().parse::<u64>().expect("a number"));
        let path = within(root, Path::new(word()));
        log = &log[end + 1..];
        let (data, rest) = log.split_at(length as usize);
        log = rest;
        let data = match what.as_str() {
            "rename" => {
                let from = within(root, Path::new(&*String::from_utf8_lossy(data)));
                from.into_os_string().into_encoded_bytes()
            }
            _ => data.to_vec(),
        };
        operations.push(Operation {
            what,
            inode,
            number: number as usize,
            path,
            data,
        });
    }
    operations
}

/// A path from the root, without the dots that it may have.
fn within(root: &Path, path: &Path) -> PathBuf {
    let path: PathBuf = path.components().collect();
    path.strip_prefix(root).unwrap_or(&path).to_owned()
}

type Names = BTreeMap<OsString, Node>;

#[derive(Clone, Debug)]
enum Node {
    File(usize),
    Directory(usize),
    Link(PathBuf),
}

/// A file as it is, and as it is on the disk.
#[derive(Clone, Default)]
struct File {
    now: Vec<u8>,
    durable: Vec<u8>,
    mode: u32,
}

/// A directory as it is, and as it is on the disk.
#[derive(Clone, Default)]
struct Directory {
    now: Names,
    durable: Names,
}

/// A disk with a memory in front of it. What is synced is on the disk; of everything else some may be.
#[derive(Clone, Default)]
struct Disk {
    files: Vec<File>,
    directories: Vec<Directory>,
    by_inode: HashMap<u64, usize>,
    /// Whether the answer was printed.
    is_announced: bool,
    /// How much of each journal was synced, by its file.
    synced_journals: BTreeMap<usize, Vec<u8>>,
}

/// What of the unsynced content of files survives.
#[derive(Clone, Copy, Debug)]
enum Content {
    None,
    /// The length and not the bytes.
    Zeroes,
    /// The first half.
    Half,
    /// All but the first sector.
    Later,
    All,
}

/// What of the unsynced names survives: in the user's directory, in the state.
type Surviving = (bool, bool);

const SECTOR: usize = 512;

impl Disk {
    /// A disk on which everything is synced.
    fn new(tree: &Tree) -> Disk {
        let mut disk = Disk {
            directories: vec![Directory::default()],
            ..Disk::default()
        };
        for (path, thing) in tree {
            let node = match thing {
                Thing::Directory => {
                    disk.directories.push(Directory::default());
                    Node::Directory(disk.directories.len() - 1)
                }
                Thing::Link(target) => Node::Link(target.clone()),
                Thing::File(content, mode) => {
                    disk.files.push(File {
                        now: content.clone(),
                        durable: content.clone(),
                        mode: *mode,
                    });
                    Node::File(disk.files.len() - 1)
                }
            };
            let (directory, name) = disk.locate(path);
            disk.directories[directory]
                .now
                .insert(name.clone(), node.clone());
            disk.directories[directory].durable.insert(name, node);
        }
        disk
    }

    /// The directory of a path and the name in it.
    fn locate(&self, path: &Path) -> (usize, OsString) {
        let mut directory = 0;
        for name in path.parent().into_iter().flatten() {
            match self.directories[directory].now.get(name) {
                Some(Node::Directory(next)) => directory = *next,
                other => panic!("{} is below {other:?}", path.display()),
            }
        }
        (directory, path.file_name().unwrap_or_default().to_owned())
    }

    fn node(&self, path: &Path) -> Option<&Node> {
        let (directory, name) = self.locate(path);
        self.directories[directory].now.get(&name)
    }

    /// The file that an operation is about. Which one it is, its inode tells: it may have got another name.
    fn file(&mut self, operation: &Operation) -> Option<usize> {
        if let Some(file) = self.by_inode.get(&operation.inode) {
            return Some(*file);
        }
        match self.node(&operation.path) {
            Some(Node::File(file)) => Some(*file),
            _ => None,
        }
    }

    fn apply(&mut self, operation: &Operation) {
        let path = &operation.path;
        match operation.what.as_str() {
            "announce" => self.is_announced = true,
            "create" => {
                self.files.push(File {
                    mode: 0o644,
                    ..File::default()
                });
                let file = self.files.len() - 1;
                self.by_inode.insert(operation.inode, file);
                self.put(path, Node::File(file));
            }
            "mkdir" => {
                self.directories.push(Directory::default());
                self.put(path, Node::Directory(self.directories.len() - 1));
            }
            "symlink" => {
                let target = String::from_utf8_lossy(&operation.data).into_owned();
                self.put(path, Node::Link(target.into()));
            }
            "remove" => {
                let (directory, name) = self.locate(path);
                self.directories[directory].now.remove(&name);
            }
            "rename" => {
                let from = PathBuf::from(String::from_utf8_lossy(&operation.data).into_owned());
                let (directory, name) = self.locate(&from);
                let node = self.directories[directory].now.remove(&name);
                self.put(path, node.expect("what is renamed is there"));
            }
            "truncate" => {
                if let Some(file) = self.file(operation) {
                    self.files[file].now.resize(operation.number, 0);
                }
            }
            "write" => {
                if let Some(file) = self.file(operation) {
                    let now = &mut self.files[file].now;
                    let end = operation.number + operation.data.len();
                    now.resize(now.len().max(end), 0);
                    now[operation.number..end].copy_from_slice(&operation.data);
                }
            }
            "sync" => self.sync(operation),
            other => panic!("{other} is not known"),
        }
    }

    fn put(&mut self, path: &Path, node: Node) {
        let (directory, name) = self.locate(path);
        self.directories[directory].now.insert(name, node);
    }

    fn sync(&mut self, operation: &Operation) {
        let directory = match (
            operation.path.as_os_str().is_empty(),
            self.node(&operation.path),
        ) {
            (true, _) => Some(0),
            (false, Some(Node::Directory(directory))) => Some(*directory),
            _ => None,
        };
        if let Some(directory) = directory {
            let directory = &mut self.directories[directory];
            directory.durable = directory.now.clone();
        } else if let Some(file) = self.file(operation) {
            let is_journal = operation.path.extension().is_some_and(|it| it == "jsonl");
            let content = self.files[file].now.clone();
            if is_journal {
                self.synced_journals.insert(file, content.clone());
            }
            self.files[file].durable = content;
        }
    }

    /// What is found when the power is back.
    fn after_loss(&self, content: Content, surviving: Surviving) -> Tree {
        let mut tree = Tree::new();
        let mut left = vec![(PathBuf::new(), 0)];
        while let Some((path, directory)) = left.pop() {
            let survives = if path.starts_with(".yester") {
                surviving.1
            } else {
                surviving.0
            };
            let directory = &self.directories[directory];
            let names = if survives {
                &directory.now
            } else {
                &directory.durable
            };
            for (name, node) in names {
                let path = path.join(name);
                let thing = match node {
                    Node::Link(target) => Thing::Link(target.clone()),
                    Node::File(file) => {
                        let file = &self.files[*file];
                        Thing::File(file.after_loss(content), file.mode)
                    }
                    Node::Directory(directory) => {
                        left.push((path.clone(), *directory));
                        Thing::Directory
                    }
                };
                tree.insert(path, thing);
            }
        }
        tree
    }
}

impl File {
    fn after_loss(&self, content: Content) -> Vec<u8> {
        let (now, durable) = (&self.now, &self.durable);
        if now == durable {
            return now.clone();
        }
        let kept = durable.len().min(now.len());
        match content {
            Content::None => durable.clone(),
            Content::All => now.clone(),
            Content::Half => now[..kept + (now.len() - kept) / 2].to_vec(),
            Content::Zeroes => {
                let mut zeroes = durable[..kept].to_vec();
                zeroes.resize(now.len(), 0);
                zeroes
            }
            Content::Later => {
                let mut later = now.clone();
                let end = (kept / SECTOR + 1) * SECTOR;
                let end = end.min(later.len());
                later[kept..end].fill(0);
                later
            }
        }
    }
}

const CONTENTS: [Content; 5] = [
    Content::None,
    Content::Zeroes,
    Content::Half,
    Content::Later,
    Content::All,
];
const SURVIVING: [Surviving; 4] = [(false, false), (false, true), (true, false), (true, true)];

/// Takes the power away at every moment, in every way, and looks at what is there. Calls again after every `stride`-th.
pub fn lose_everywhere(interposer: &Interposer, prepared: &Prepared<'_>, stride: usize) -> Tally {
    let mut disk = Disk::new(&prepared.before);
    let mut seen = BTreeSet::new();
    let mut tally = Tally::default();
    let place = prepared.place();
    for operation in record(interposer, &place) {
        disk.apply(&operation);
        for (content, surviving) in CONTENTS
            .into_iter()
            .flat_map(|content| SURVIVING.map(|surviving| (content, surviving)))
        {
            let tree = disk.after_loss(content, surviving);
            let mut told_apart = tree.clone();
            told_apart.retain(|path, _| !path.ends_with("debug.log"));
            if !seen.insert(format!("{} {told_apart:?}", disk.is_announced)) {
                continue;
            }
            let mut result = check(prepared, &disk, &tree);
            if result.is_ok() && tally.points.is_multiple_of(stride) {
                place.reset(&tree);
                result = place.call_again();
            }
            tally.points += 1;
            match result {
                Ok(()) => tally.answered += 1,
                Err(violation) => {
                    let name = format!(
                        "{}: {content:?} {surviving:?} after {} of {}",
                        prepared.case.name,
                        operation.what,
                        operation.path.display()
                    );
                    tally.violations.push((name, violation));
                }
            }
        }
    }
    tally
}

/// What was promised before the power went is there.
fn check(prepared: &Prepared<'_>, disk: &Disk, tree: &Tree) -> Result<(), Violation> {
    if disk.is_announced && prepared.outputs(tree) != prepared.answer.outputs {
        let found = prepared.outputs(tree);
        let what = format!("the answer was printed and is gone: {found:?}");
        return Err(Harm::Lost.because(what));
    }
    let contents: Vec<&Vec<u8>> = tree
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|it| it == "jsonl"))
        .filter_map(|(_, thing)| match thing {
            Thing::File(content, _) => Some(content),
            _ => None,
        })
        .collect();
    for synced in disk.synced_journals.values() {
        if !contents.iter().any(|content| content.starts_with(synced)) {
            let what = format!("{} bytes of a journal that were synced", synced.len());
            return Err(Harm::Lost.because(what));
        }
    }
    Ok(())
}
