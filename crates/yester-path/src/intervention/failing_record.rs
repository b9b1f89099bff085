//! What a recording of the failing run tells about the places in it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::cause::{FoundPlace, Knowledge};
use super::search::SliceLines;
use crate::program::{Recorded, RunEnd, Shown};
use crate::recording::RecordingError;
use crate::relevance::{ChainEnd, ChainLine, ChainLink, LineChains, LinkRole};

/// So many links of a chain are told.
const MOST_LINKS: usize = 6;
/// So many pieces of the output are compared with what is right.
const MOST_PIECES: u64 = 1 << 18;

/// The failing run on the user's own input, recorded in one tree and asked about in another one of the same version.
pub struct FailingRecord<S> {
    recorded: Recorded<S>,
    /// Where the program was built that was recorded.
    own_root: PathBuf,
    /// Where the one was built that the questions are about.
    root: PathBuf,
    /// What the run got wrong.
    end: ChainEnd,
    /// Whether it is one of a program, not of a test that starts programs.
    is_program: bool,
}

/// How a place depends on the input, and the failing output on the place, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldChains {
    /// From the input to the place.
    pub from_input: Vec<ToldLink>,
    /// From the place to what the failing run got wrong.
    pub to_output: Vec<ToldLink>,
    /// The bytes of the input that a condition at the place depends on, by their source and offset.
    pub input: Vec<(String, Vec<u64>)>,
}

/// A step on the way from the input to the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldLink {
    /// The file, as the compiler knows it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// What it does, in words.
    pub does: String,
    /// Whether it is certain that it depends on the step before it.
    pub is_certain: bool,
    /// How many steps before it are left out.
    pub left_out: usize,
}

impl<S: Shown> FailingRecord<S> {
    /// A run that was recorded in the first of these trees. `wrong` is how it failed without being recorded, and what it should have printed, if that is
    /// known; nothing if nobody can say what of the run is wrong.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn new(
        recorded: Recorded<S>,
        [own_root, root]: [&Path; 2],
        is_program: bool,
        wrong: Option<(&S, Option<&[u8]>)>,
    ) -> Result<FailingRecord<S>, RecordingError> {
        let end = match wrong {
            Some((failing, expected)) => end(&recorded, failing, expected)?,
            None => ChainEnd::Unknown,
        };
        Ok(FailingRecord {
            recorded,
            own_root: own_root.to_owned(),
            root: root.to_owned(),
            end,
            is_program,
        })
    }

    /// The name of a file of the other tree, in the recording.
    fn own_file(&self, file: &str) -> String {
        moved(file, &self.root, &self.own_root)
    }

    /// The name of a file of the recording, in the other tree.
    fn file(&self, file: &str) -> String {
        moved(file, &self.own_root, &self.root)
    }

    /// Whether everything that happened is known. Behind the end of what was recorded everything may depend on something else, and of several
    /// processes it is not known which one was recorded.
    fn is_whole(&self) -> bool {
        !self.recorded.recording.cut && self.recorded.others == 0
    }

    /// The lines that what the run got wrong depends on. Nothing if that cannot be told.
    pub fn slice(&self) -> Option<SliceLines> {
        let end = match (self.end, self.recorded.observation.end()) {
            (ChainEnd::Unknown, RunEnd::Signal(_)) if self.is_program => ChainEnd::Crash,
            (end, _) => end,
        };
        if !self.is_whole() {
            return None;
        }
        let lines = self.recorded.recording.lines_behind(end).ok()??;
        let lines = lines
            .into_iter()
            .map(|line| (self.file(&line.file), line.line));
        Some(lines.collect::<HashSet<_>>())
    }

    /// What lines depend on, and what depends on them. What cannot be told is left out.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn chains(&self, lines: &[(&str, u32)]) -> Result<Vec<Option<ToldChains>>, RecordingError> {
        if !self.is_whole() {
            return Ok(vec![None; lines.len()]);
        }
        let own = lines.iter().map(|(file, line)| ChainLine {
            file: self.own_file(file),
            line: *line,
        });
        let own: Vec<ChainLine> = own.collect();
        let chains = match self.recorded.recording.chains(&own, self.end) {
            Err(error @ RecordingError::Io { .. }) => return Err(error),
            chains => chains.unwrap_or_else(|_| vec![None; lines.len()]),
        };
        let told = chains.into_iter().map(|chains| self.told(&chains?));
        Ok(told.collect())
    }

    fn told(&self, chains: &LineChains) -> Option<ToldChains> {
        if chains.from_input.is_empty() && chains.to_output.is_empty() {
            return None;
        }
        let mut input: Vec<(String, Vec<u64>)> = Vec::new();
        for byte in &chains.bytes {
            let source = self.recorded.recording.sources.get(byte.source)?;
            let source = source.to_string();
            match input.iter_mut().find(|(one, _)| *one == source) {
                Some((_, offsets)) => offsets.push(byte.offset),
                None => input.push((source, vec![byte.offset])),
            }
        }
        let mut to_output = self.links(&chains.to_output);
        if let (Some(last), Some(ChainLink { role, .. })) =
            (to_output.last_mut(), chains.to_output.last())
            && let (LinkRole::Calls(function), ChainEnd::Output(_)) = (role, self.end)
        {
            last.does = format!("writes it with {function}");
        }
        Some(ToldChains {
            from_input: self.links(&chains.from_input),
            to_output,
            input,
        })
    }

    /// The links of a chain. Of a long one, some in the middle are left out.
    fn links(&self, links: &[ChainLink]) -> Vec<ToldLink> {
        let half = MOST_LINKS / 2;
        let left_out = links.len().saturating_sub(MOST_LINKS);
        let told = links.iter().enumerate();
        let told = told.filter(|(index, _)| *index < half || *index >= half + left_out);
        let sites = &self.recorded.recording.sites;
        let told = told.filter_map(|(index, link)| {
            let function = sites.function(link.place.function)?;
            Some(ToldLink {
                file: self.file(&function.file),
                line: link.place.line,
                does: does(&link.role),
                is_certain: link.is_certain,
                left_out: if index == half + left_out {
                    left_out
                } else {
                    0
                },
            })
        });
        told.collect()
    }
}

impl<S: Shown> Knowledge for FailingRecord<S> {
    fn decides(&self, place: &FoundPlace<'_>) -> Option<(u32, Option<&'static str>)> {
        let sites = &self.recorded.recording.sites;
        let file = self.own_file(place.path);
        let branch = sites.deciding_branch(&file, place.function, place.line)?;
        let outcome = branch.outcome.and_then(|outcome| match outcome {
            0 => Some("false"),
            1 => Some("true"),
            _ => None,
        });
        Some((branch.line, outcome))
    }

    fn assign_the_same(&self, one: &FoundPlace<'_>, other: &FoundPlace<'_>) -> Option<bool> {
        let sites = &self.recorded.recording.sites;
        let file = self.own_file(one.path);
        sites.write_the_same(&file, one.function, [one.line, other.line])
    }
}

/// The name of a file of one tree, in another one of the same version.
fn moved(file: &str, from: &Path, to: &Path) -> String {
    match Path::new(file).strip_prefix(from) {
        Ok(inside) => to.join(inside).display().to_string(),
        Err(_) => file.to_owned(),
    }
}

/// What a step does, in words.
fn does(role: &LinkRole) -> String {
    match role {
        LinkRole::Reads(function) => format!("reads it with {function}"),
        LinkRole::Arguments => "has the arguments of the program".to_owned(),
        LinkRole::Assigns => "assigns".to_owned(),
        LinkRole::Passes(function) => format!("passes it to {function}"),
        LinkRole::Returns => "returns".to_owned(),
        LinkRole::Decides => "decides".to_owned(),
        LinkRole::Calls(function) => match function.as_str() {
            "" => "calls a function".to_owned(),
            name => format!("calls {name}"),
        },
    }
}

/// What the run got wrong: the first byte of its output that is another, or its exit code.
fn end<S: Shown>(
    recorded: &Recorded<S>,
    failing: &S,
    expected: Option<&[u8]>,
) -> Result<ChainEnd, RecordingError> {
    let seen = &recorded.observation;
    // A run that does something else each time tells nothing about the one that failed.
    if seen.end() != failing.end() || seen.printed() != failing.printed() {
        return Ok(ChainEnd::Unknown);
    }
    let of_exit = match failing.end() {
        RunEnd::Exit(_) => ChainEnd::ExitCode,
        _ => ChainEnd::Unknown,
    };
    let Some(expected) = expected else {
        return Ok(of_exit);
    };
    let output = recorded.recording.output_beginning(MOST_PIECES)?;
    let Some(target) = output.target(1).filter(|target| output.is_whole(*target)) else {
        return Ok(ChainEnd::Unknown);
    };
    let mut count = 0;
    for byte in output.bytes(target) {
        if expected.get(count) != Some(&byte.value) {
            return Ok(ChainEnd::Output(output.pieces[byte.piece].origin));
        }
        count += 1;
    }
    // What is missing was written by nobody.
    Ok(if count == expected.len() {
        of_exit
    } else {
        ChainEnd::Unknown
    })
}
