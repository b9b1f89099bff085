//! What is fed, and the seeds of its inputs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use yester_core::{
    Answer, Candidate, Lab, Limit, Outcome, Phase, Sequential, Space, Stop, Subset, Tester,
};
use yester_patch::{
    ChangeSpace, DeltaLevel, FileKind, FileState, Version, VersionDifference, messages, patch,
};
use yester_path::{PathCondition, Recording, SiteKind};
use yester_tree::{Auto, Checker, Grammar, Language, ReduceTuning, Structure, outline};
use yester_yacc::OwnLanguage;

#[path = "../../../crates/yester-path/tests/builder/mod.rs"]
mod builder;

type Execute = dyn Fn(&[u8], &Path) + Send + Sync;

/// Something that reads a stranger's bytes.
pub struct FuzzTarget {
    /// What it is called.
    pub name: String,
    /// Inputs that are right, or nearly.
    pub seeds: Vec<Vec<u8>>,
    execute: Box<Execute>,
}

impl FuzzTarget {
    /// Reads an input, which must not panic, hang or take much memory. Whatever needs files has them in `directory`.
    pub fn execute(&self, input: &[u8], directory: &Path) {
        (self.execute)(input, directory);
    }
}

/// How many candidates of a language are tried for an input.
const TRIALS: usize = 8;
/// Ideas about a text take a hundred parses of it, so that only one input of so many gets them.
const WITHOUT_IDEAS: usize = 8;

/// Divides an input that stands for two or three files.
const DIVIDER: &[u8] = b"\n=====\n";

/// All targets, the parsers of the languages last.
pub fn targets() -> Vec<FuzzTarget> {
    let mut targets = vec![
        FuzzTarget {
            name: "recording".to_owned(),
            seeds: vec![packed_recording()],
            execute: Box::new(recording),
        },
        committed("journal", journal),
        committed("message", |input, _| {
            messages(&String::from_utf8_lossy(input));
        }),
        committed("patch", |input, _| changes(input)),
        committed("grammar", |input, _| grammar(input)),
        committed("settings", |input, _| {
            let text = String::from_utf8_lossy(input);
            for command in ["reduce", "changes", "trace"] {
                let _ = yester_cli::with_settings(&["yester", command], &text);
            }
        }),
    ];
    for language in Language::all() {
        let grammar = LazyLock::new(move || Arc::new(language.grammar()) as Arc<dyn Grammar>);
        targets.push(FuzzTarget {
            name: format!("language-{}", language.name),
            seeds: samples(language),
            execute: Box::new(move |input, _| read(language, &grammar, input)),
        });
    }
    targets
}

fn bench() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(directory).expect("there are seeds");
    let mut files: Vec<PathBuf> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

fn committed(name: &str, execute: fn(&[u8], &Path)) -> FuzzTarget {
    let seeds = files(&bench().join("fuzz-seeds").join(name));
    FuzzTarget {
        name: name.to_owned(),
        seeds: seeds
            .iter()
            .map(|path| fs::read(path).expect("a seed"))
            .collect(),
        execute: Box::new(execute),
    }
}

/// The samples that the tables of the language are tested with.
fn samples(language: &Language) -> Vec<Vec<u8>> {
    let samples = files(&bench().join("../crates/yester-tree/tests/tables/samples"));
    let samples = samples
        .into_iter()
        .filter(|path| Language::by_path(path).is_some_and(|other| other.name == language.name));
    let mut samples: Vec<Vec<u8>> = samples
        .map(|path| fs::read(path).expect("a sample"))
        .collect();
    // A long text has many short ones in it, which are faster.
    for sample in samples.clone() {
        let lines: Vec<&[u8]> = sample.split_inclusive(|byte| *byte == b'\n').collect();
        samples.extend(lines.chunks(12).map(<[&[u8]]>::concat));
    }
    samples.push(Vec::new());
    samples
}

/// The files of a recording, each with its name and its length.
fn packed_recording() -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory");
    builder::Builder {
        sites: "module\t7\ta.c\nfunction\tmain\ta.c\t1\t3\nbranch\t\t2\t7\t\nswitch\t\t3\t3\t5,6\t0:1\nvalue\t\t4\t1\tx\ti32\t0:1\n"
            .to_owned(),
        sources: "stdin\nfile:in.txt\narg:2\n".to_owned(),
        lost: "sprintf\tmain\n".to_owned(),
        input: vec![(0, 0, b'a'), (1, 40, 3)],
        streams: vec![vec![0xf8, 7, 0, 0, 0, 1, 4, 0xf9, 0xfc, 3]],
        values: vec![(6, 7, 2, 5, 0), (7, 7, 2, 6, 0)],
        ..builder::Builder::default()
    }
    .write(directory.path());
    let mut packed = Vec::new();
    for path in files(directory.path()) {
        let mut content = fs::read(&path).expect("a file of it");
        let used = content
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        content.truncate(used);
        let name = path.file_name().expect("a name").to_string_lossy();
        packed.push(name.len() as u8);
        packed.extend(name.bytes());
        packed.extend((content.len() as u16).to_le_bytes());
        packed.extend(content);
    }
    packed
}

fn recording(mut input: &[u8], directory: &Path) {
    let directory = directory.join("recording");
    fs::create_dir_all(&directory).expect("a directory");
    for name in [
        "head",
        "sites",
        "sources",
        "input",
        "nodes",
        "constraints",
        "lost",
        "events-0",
        "window-0",
    ] {
        fs::write(directory.join(name), []).expect("an empty file");
    }
    while let Some((length, rest)) = input.split_first() {
        let Some((name, rest)) = rest.split_at_checked((*length).into()) else {
            break;
        };
        let Some((size, rest)) = rest.split_first_chunk() else {
            break;
        };
        let size = usize::from(u16::from_le_bytes(*size)).min(rest.len());
        let mut content = rest[..size].to_vec();
        input = &rest[size..];
        let name = String::from_utf8_lossy(name);
        if name == "head" || name == "values-0" {
            content.resize(content.len().max(4096), 0);
        }
        if name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !name.is_empty()
        {
            fs::write(directory.join(&*name), content).expect("it is written");
        }
    }
    let Ok(recording) = Recording::open(&directory) else {
        return;
    };
    for stream in 0..recording.streams() {
        if let Ok(events) = recording.events(stream) {
            let _ = events.collect::<Result<Vec<_>, _>>();
        }
        for value in recording.value_events(stream).into_iter().flatten() {
            let function = recording.sites.function(value.function);
            let sites = &function.expect("it was checked").sites;
            if let SiteKind::Value { form, .. } = sites[value.site as usize].kind {
                let _ = form.text(value.value);
            }
        }
    }
    for branch in recording.branches().map_while(Result::ok) {
        let (function, site) = recording.site(&branch);
        let _ = (function.file_of(site), site.outcome(branch.outcome));
    }
    let condition = PathCondition::new(&recording.graph, &recording.constraints);
    let _ = condition.violated(&recording.values());
}

fn journal(input: &[u8], directory: &Path) {
    let path = directory.join("journal.jsonl");
    fs::write(&path, input).expect("it is written");
    if let Ok(mut journal) = yester_run::Journal::open(&path) {
        let _ = (
            journal.remembered(),
            journal.unreadable(),
            journal.next_number(),
        );
    }
}

/// The parts of an input that stands for several files.
fn parts(input: &[u8]) -> [&[u8]; 3] {
    let find = |text: &[u8]| {
        text.windows(DIVIDER.len())
            .position(|window| window == DIVIDER)
    };
    let split = |text: &'_ [u8]| match find(text) {
        Some(at) => (at, at + DIVIDER.len()),
        None => (text.len(), text.len()),
    };
    let (end, next) = split(input);
    let rest = &input[next..];
    let (rest_end, last) = split(rest);
    [&input[..end], &rest[..rest_end], &rest[last..]]
}

/// Any subset of the differences of two texts can be rendered and written as a patch.
fn changes(input: &[u8]) {
    let [good, bad, choice] = parts(input);
    let version = |content: &[u8]| {
        Version::of([(
            "a.c".to_owned(),
            FileState {
                kind: FileKind::File,
                content: content.into(),
            },
        )])
    };
    let Ok(difference) = VersionDifference::between(&version(good), &version(bad)) else {
        return;
    };
    let atoms = difference.atoms();
    let space = ChangeSpace::new(difference, DeltaLevel::Line, None);
    let mut some = Subset::empty(atoms);
    for atom in 0..atoms {
        if choice
            .get(atom % choice.len().max(1))
            .is_none_or(|byte| byte & 1 == 1)
        {
            some.insert(atom);
        }
    }
    let _ = space.render(&space.deltas_of(&some));
    let _ = patch::culprit_patch(&space, &some);
    let _ = patch::fix_patch(&space, &some);
}

fn grammar(input: &[u8]) {
    let [grammar, lexer, text] = parts(input);
    let [grammar_text, lexer_text] = [grammar, lexer].map(String::from_utf8_lossy);
    let language = OwnLanguage::new(
        Path::new("g.y"),
        &grammar_text,
        Path::new("g.l"),
        &lexer_text,
    );
    if let Ok(language) = language {
        let _ = (language.fault_of(text), language.parse(text).faults);
    }
}

/// Parses a text, outlines it, checks a similar one and makes candidates of it.
fn read(language: &Language, grammar: &Arc<dyn Grammar>, input: &[u8]) {
    let _ = outline(language, input);
    let checker = Checker::new(language, input.to_vec());
    let cut = input.len() / 2..input.len() - input.len() / 3;
    let _ = checker.faults(&[&input[..cut.start], &input[cut.end..]].concat());
    if !input.len().is_multiple_of(WITHOUT_IDEAS) {
        return;
    }
    let structure: Arc<dyn Grammar> = Arc::new(Structure::of(input));
    let grammars = [(Arc::clone(grammar), true), (structure, false)];
    for (grammar, valid) in grammars {
        let auto = Auto {
            grammar,
            valid,
            wrap: &Candidate::File,
            enough: 0,
            tuning: ReduceTuning::default(),
        };
        let mut few = Few { left: TRIALS };
        let _ = auto.reduce(&mut few, input.into());
    }
}

/// Answers a few questions, every third with yes.
struct Few {
    left: usize,
}

impl Lab for Few {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        Box::new(Sequential(|subset: &Subset| {
            self.left = self.left.checked_sub(1).ok_or(Stop::Limit(Limit::Trials))?;
            Ok(match space.render(subset) {
                Ok(_) if self.left.is_multiple_of(3) => Answer::known(Outcome::Fail),
                Ok(_) => Answer::known(Outcome::Pass),
                Err(infeasible) => Answer::infeasible(infeasible),
            })
        }))
    }

    fn enter(&mut self, _: Phase) {}
}
