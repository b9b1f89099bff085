//! Reads the recording of a run.

mod block;
mod error;
mod event;
mod input;
mod output;
mod value;

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use yester_pathrt::format::{
    BRANCH, CONCRETISED, ConstraintRecord, HEAD_BYTES, InputByteRecord, MAGIC, MOST_STREAMS,
    NodeRecord, OutputRecord, head,
};

pub use self::block::Blocks;
pub use self::error::RecordingError;
pub use self::event::{EventKind, TraceEvent, TraceEvents};
pub use self::input::{InputByte, InputSource, SourceLength};
pub(crate) use self::input::{ends, lengths};
pub use self::output::{Output, OutputByte, OutputPiece, OutputTarget};
pub use self::value::{ValueEvent, ValueEvents};
use crate::condition::{Constraint, ConstraintKind};
use crate::expression::{ExpressionGraph, NodeId};
use crate::site::{Sites, readable};

/// A file that claims to have more bytes in use is damaged: it may be nothing but holes.
const BIGGEST_FILE: u64 = 1 << 33;
/// The list of sources is not read beyond this.
const BIGGEST_SOURCES: u64 = 1 << 26;

/// The recording of one process. Everything except the events is in memory.
#[derive(Debug)]
pub struct Recording {
    directory: PathBuf,
    /// The number of the process.
    pub process: u64,
    /// The number of its parent, if that was recorded too.
    pub parent: Option<u64>,
    /// What the compiler knows about the program.
    pub sites: Sites,
    /// Everything that was computed from the input.
    pub graph: ExpressionGraph,
    /// The conditions on the input that held in this run, in order.
    pub constraints: Vec<Constraint>,
    /// The bytes of input that the run depended on.
    pub input: Vec<InputByte>,
    /// Where they come from.
    pub sources: Vec<InputSource>,
    /// What was not modelled.
    pub lost: Vec<Loss>,
    /// Whether events are missing because of a limit.
    pub cut: bool,
    /// Whether values are missing because of a limit.
    pub values_cut: bool,
    streams: usize,
    /// How many values each thread has.
    values: Vec<u64>,
    /// How many records each part of the output has: pieces, bytes, nodes, and bytes of text.
    output: [u64; 4],
}

/// Something that was not modelled, so that its results do not count as depending on the input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loss {
    /// What it was.
    pub what: String,
    /// Where.
    pub place: String,
}

/// The directories of all processes that were recorded below `directory`, the first process first. A directory is named after
/// the number of its process; a process that has replaced itself by another program adds a counter.
pub fn processes(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(directory) {
        // The program may have removed or replaced it.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Vec::new());
        }
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let (process, time) = name.split_once('.').unwrap_or((&name, "0"));
        if let (Ok(process), Ok(time)) = (process.parse::<u64>(), time.parse::<u64>()) {
            found.push((process, time, entry.path()));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(.., path)| path).collect())
}

impl Recording {
    /// Reads the recording of one process.
    pub fn open(directory: &Path) -> Result<Recording, RecordingError> {
        let head = match read_file(&directory.join("head"), HEAD_BYTES as u64) {
            Ok(head) => head,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(RecordingError::Missing(directory.to_owned()));
            }
            Err(error) => {
                return Err(RecordingError::Io {
                    path: directory.join("head"),
                    error,
                });
            }
        };
        if head.len() < HEAD_BYTES || word(&head, head::MAGIC) != MAGIC {
            return Err(RecordingError::Foreign);
        }
        let part = |name: &'static str, index: usize, size: usize| {
            read(directory, name, word(&head, index), size as u64)
        };
        let streams = word(&head, head::STREAMS);
        if streams > MOST_STREAMS as u64 {
            return Err(damaged("head", "its streams", format!("{streams} of them")));
        }
        let streams = streams as usize;
        let sites = part("sites", head::SITES, 1)?;
        let sites = Sites::parse(&String::from_utf8_lossy(&sites))?;
        let sources = sources(directory)?;
        let input = input(
            &part("input", head::INPUT, InputByteRecord::BYTES)?,
            sources.len(),
        )?;
        let graph = ExpressionGraph::read(
            &part("nodes", head::NODES, NodeRecord::BYTES)?,
            canonical(&input),
        )?;
        let constraints = constraints(
            &part("constraints", head::CONSTRAINTS, ConstraintRecord::BYTES)?,
            &graph,
            streams,
        )?;
        Ok(Recording {
            directory: directory.to_owned(),
            process: word(&head, head::PROCESS),
            parent: Some(word(&head, head::PARENT)).filter(|parent| *parent != 0),
            sites,
            graph,
            constraints,
            input,
            sources,
            lost: lost(&part("lost", head::LOST, 1)?),
            cut: word(&head, head::CUT) != 0,
            values_cut: word(&head, head::VALUES_CUT) != 0,
            streams,
            values: (0..streams)
                .map(|stream| word(&head, head::VALUES + stream))
                .collect(),
            output: [
                head::OUTPUT,
                head::WRITTEN,
                head::WRITTEN_NODES,
                head::TARGETS,
            ]
            .map(|index| word(&head, index)),
        })
    }

    /// How many threads were recorded.
    pub fn streams(&self) -> usize {
        self.streams
    }

    /// The events of a thread.
    pub fn events(&self, stream: usize) -> Result<TraceEvents<'_, Blocks>, RecordingError> {
        let open = |name: String| {
            let path = self.directory.join(name);
            open_file(&path).map_err(|error| RecordingError::Io { path, error })
        };
        let name = format!("events-{stream}");
        let blocks = Blocks::new(open(name.clone())?, open(format!("window-{stream}"))?);
        Ok(TraceEvents::new(&self.sites, blocks, name))
    }

    /// What the program wrote, as far as functions of the C library and streams of C++ wrote it while output was recorded.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn output(&self) -> Result<Output, RecordingError> {
        self.output_beginning(u64::MAX)
    }

    /// The first pieces of what the program wrote. There may be millions of them.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn output_beginning(&self, most: u64) -> Result<Output, RecordingError> {
        let [pieces, bytes, nodes, targets] = self.output;
        let pieces = pieces.min(most);
        let pieces = read(
            &self.directory,
            "output",
            pieces,
            OutputRecord::BYTES as u64,
        )?;
        // Pieces follow one another in both files, so what comes after the last is not needed.
        let (used, used_nodes) = Output::used(&pieces);
        Output::read(
            &pieces,
            read(&self.directory, "written", bytes.min(used), 1)?,
            &read(&self.directory, "written-nodes", nodes.min(used_nodes), 4)?,
            &read(&self.directory, "targets", targets, 1)?,
            &self.graph,
            self.streams,
        )
    }

    /// A file with a record for each node; nothing if nothing was followed.
    pub(crate) fn part_of_nodes(
        &self,
        name: &'static str,
        size: usize,
    ) -> Result<Vec<u8>, RecordingError> {
        let count = match self.graph.len() {
            0 | 1 => 0,
            count => count as u64,
        };
        read(&self.directory, name, count, size as u64)
    }

    /// The lengths of sources that the run depended on.
    pub fn lengths(&self) -> Vec<SourceLength> {
        lengths(&self.input)
    }

    /// For each argument that the run depended on, the bytes from its zero on, in order. In a longer argument they are not zero.
    pub fn argument_ends(&self) -> Vec<Vec<u32>> {
        ends(&self.input, &self.sources)
    }

    /// The value of each input byte in this run.
    pub fn values(&self) -> Vec<u8> {
        self.input.iter().map(|byte| byte.value).collect()
    }
}

fn word(head: &[u8], index: usize) -> u64 {
    let bytes = &head[8 * index..8 * index + 8];
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

pub(crate) fn word32(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes"))
}

pub(crate) fn damaged(
    file: impl Into<String>,
    place: impl Into<String>,
    what: impl Into<String>,
) -> RecordingError {
    RecordingError::Damaged {
        file: file.into(),
        place: place.into(),
        what: what.into(),
    }
}

/// Opens a file only if it is a regular one: a program may have replaced it by a pipe, and reading that would block.
fn open_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW)
        .open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

/// The first `most` bytes of a regular file.
pub(crate) fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_file(path)?.take(most).read_to_end(&mut content)?;
    Ok(content)
}

fn too_short(name: &str, used: u64, length: u64) -> RecordingError {
    let what = format!("expected {used} bytes, found {length}");
    damaged(name, "its end", what)
}

/// The used part of a file: `count` records of `size` bytes.
fn read(directory: &Path, name: &str, count: u64, size: u64) -> Result<Vec<u8>, RecordingError> {
    if count == 0 {
        // The runtime may not have made the file.
        return Ok(Vec::new());
    }
    let path = directory.join(name);
    let content = (|| {
        let file = open_file(&path)?;
        let length = file.metadata()?.len();
        let Some(used) = count.checked_mul(size).filter(|used| *used <= length) else {
            return Ok(Err(too_short(name, count.saturating_mul(size), length)));
        };
        if used > BIGGEST_FILE {
            return Ok(Err(damaged(name, "its end", format!("{used} bytes"))));
        }
        let mut content = Vec::new();
        content.try_reserve_exact(used as usize)?;
        file.take(used).read_to_end(&mut content)?;
        Ok(Ok(content))
    })();
    content.map_err(|error| RecordingError::Io { path, error })?
}

/// The sources, one a line. `head` does not say how many bytes are used, but the rest is zeroes.
fn sources(directory: &Path) -> Result<Vec<InputSource>, RecordingError> {
    let path = directory.join("sources");
    let content = match read_file(&path, BIGGEST_SOURCES) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(RecordingError::Io { path, error }),
    };
    let used = content.iter().position(|byte| *byte == 0);
    let text = String::from_utf8_lossy(&content[..used.unwrap_or(content.len())]).into_owned();
    let parse = |(index, line): (usize, &str)| match line {
        "intervention" => Ok(InputSource::Intervention),
        _ => line
            .parse()
            .map_err(|what: String| damaged("sources", format!("line {}", index + 1), what)),
    };
    text.lines().enumerate().map(parse).collect()
}

fn input(content: &[u8], sources: usize) -> Result<Vec<InputByte>, RecordingError> {
    let parse = |(index, record): (usize, &[u8])| {
        let byte = InputByte {
            offset: u64::from_le_bytes(record[..8].try_into().expect("eight bytes")),
            source: word32(record, 8) as usize,
            value: record[12],
        };
        if byte.source >= sources {
            let what = format!("there is no source {}", byte.source);
            return Err(damaged("input", format!("byte {index}"), what));
        }
        Ok(byte)
    };
    content
        .chunks_exact(InputByteRecord::BYTES)
        .enumerate()
        .map(parse)
        .collect()
}

/// For each input byte the first one that is the same. A program may read the same offset of a file twice, and the solver must
/// not give it two values. If the value has changed in between, it is another byte.
fn canonical(input: &[InputByte]) -> Vec<u32> {
    let mut first: HashMap<(usize, u64, u8), u32> = HashMap::with_capacity(input.len());
    input
        .iter()
        .enumerate()
        .map(|(index, byte)| {
            *first
                .entry((byte.source, byte.offset, byte.value))
                .or_insert(index as u32)
        })
        .collect()
}

fn constraints(
    content: &[u8],
    graph: &ExpressionGraph,
    streams: usize,
) -> Result<Vec<Constraint>, RecordingError> {
    let parse = |(index, record): (usize, &[u8])| {
        let wrong = |what| damaged("constraints", format!("number {index}"), what);
        let raw = ConstraintRecord {
            event: u64::from_le_bytes(record[..8].try_into().expect("eight bytes")),
            node: word32(record, 8),
            kind: word32(record, 12),
            stream: word32(record, 16),
            reserved: 0,
        };
        let kind = match raw.kind {
            BRANCH => ConstraintKind::Branch,
            CONCRETISED => ConstraintKind::Concretised,
            kind => return Err(wrong(format!("unknown kind {kind}"))),
        };
        if raw.node == 0 || raw.node as usize >= graph.len() || graph.width(NodeId(raw.node)) != 1 {
            return Err(wrong(format!("node {} is not a condition", raw.node)));
        }
        let stream = match raw.stream {
            u32::MAX => None,
            stream if (stream as usize) < streams => Some(stream as usize),
            stream => return Err(wrong(format!("there is no event stream {stream}"))),
        };
        Ok(Constraint {
            event: raw.event,
            stream,
            node: NodeId(raw.node),
            kind,
        })
    };
    content
        .chunks_exact(ConstraintRecord::BYTES)
        .enumerate()
        .map(parse)
        .collect()
}

fn lost(content: &[u8]) -> Vec<Loss> {
    let text = String::from_utf8_lossy(content);
    text.lines()
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (what, place) = line.split_once('\t').unwrap_or((line, ""));
            let words = what.split(' ').map(readable);
            Loss {
                what: words.collect::<Vec<_>>().join(" "),
                place: place.to_owned(),
            }
        })
        .collect()
}
