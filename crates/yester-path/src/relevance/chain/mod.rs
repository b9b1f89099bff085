//! How a line of a run depends on the input, and how the output depends on that line: the shortest chain of steps each way.
//!
//! The run is followed from its beginning. Each step knows which steps wrote what it reads, and which branch let it happen. Variables are
//! told apart exactly. There are no addresses in a trace, so that which step wrote to the memory behind a pointer is a guess: such a link
//! is not certain. The best chain has the fewest of them; of those, the fewest that go from a branch to what it let happen; of those, the fewest links.

mod follow;

use std::collections::BTreeSet;

use self::follow::{Follower, What};
use super::walk::walk;
use crate::condition::ConstraintKind;
use crate::expression::Expression;
use crate::origin::{Origin, SourcePlace};
use crate::recording::{InputByte, Recording, RecordingError};

/// What a step of a chain does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkRole {
    /// Reads input, by this function.
    Reads(String),
    /// Has the arguments of the program.
    Arguments,
    /// Assigns something.
    Assigns,
    /// Passes something to this function.
    Passes(String),
    /// Returns something.
    Returns,
    /// Decides what comes next.
    Decides,
    /// Calls this function of the library.
    Calls(String),
}

/// A step of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// Its line.
    pub place: SourcePlace,
    /// What it does there.
    pub role: LinkRole,
    /// Whether it is certain that it depends on the link before it.
    pub is_certain: bool,
}

/// How a line depends on the input, and the output on the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineChains {
    /// From the input to the line, which is the last link. Empty if no input was found to matter.
    pub from_input: Vec<ChainLink>,
    /// From the line, which is the first link, to the output. Empty if that does not depend on the line, or is not known.
    pub to_output: Vec<ChainLink>,
    /// The bytes of the input that a condition in the line depends on.
    pub bytes: Vec<InputByte>,
}

/// Where a chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainEnd {
    /// At what was written then.
    Output(Origin),
    /// At the exit code.
    ExitCode,
    /// At what the run did since its last branch, where it crashed.
    Crash,
    /// It is not known.
    Unknown,
}

impl ChainEnd {
    /// When it happens, if that has to be looked for.
    fn moments(self) -> Vec<Origin> {
        match self {
            ChainEnd::Output(origin) => vec![origin],
            ChainEnd::ExitCode | ChainEnd::Crash | ChainEnd::Unknown => Vec::new(),
        }
    }
}

/// A line of a file that was executed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChainLine {
    /// The file, as the compiler knows it.
    pub file: String,
    /// The line.
    pub line: u32,
}

impl Recording {
    /// The chains of these lines. Nothing for a line that was not executed, and for all of them if the run cannot be followed: it has threads,
    /// exceptions or millions of steps, or was built without `YESTER_CC_MODE=dependence`.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn chains(
        &self,
        lines: &[ChainLine],
        end: ChainEnd,
    ) -> Result<Vec<Option<LineChains>>, RecordingError> {
        let nothing = vec![None; lines.len()];
        let Ok(walk) = walk(self, &end.moments())? else {
            return Ok(nothing);
        };
        let mut follower = Follower::new(&walk, &self.sites, end);
        if !follower.follow() {
            return Ok(nothing);
        }
        let chains = lines.iter().map(|line| self.chain(&follower, line));
        Ok(chains.collect())
    }

    /// All lines that the end of the run depends on: its dynamic slice, with guesses about memory behind pointers. Nothing if the end is not known, or the
    /// run cannot be followed.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn lines_behind(
        &self,
        end: ChainEnd,
    ) -> Result<Option<BTreeSet<ChainLine>>, RecordingError> {
        if end == ChainEnd::Unknown {
            return Ok(None);
        }
        let Ok(walk) = walk(self, &end.moments())? else {
            return Ok(None);
        };
        let mut follower = Follower::new(&walk, &self.sites, end);
        if !follower.follow() || follower.ends.is_empty() {
            return Ok(None);
        }
        let lines = follower.behind(&follower.ends).into_iter();
        let lines = lines.map(|(function, line)| ChainLine {
            file: follower.functions[function as usize].file.clone(),
            line,
        });
        Ok(Some(lines.collect()))
    }

    fn chain(&self, follower: &Follower<'_>, line: &ChainLine) -> Option<LineChains> {
        let is_wanted = |step: usize| {
            let happened = &follower.happened[step];
            let function = &follower.functions[happened.function as usize];
            happened.line == line.line && function.file == line.file
        };
        let on = follower.shortest(&follower.ends, is_wanted);
        let start = match on.first() {
            Some((start, _)) => *start,
            None => (0..follower.happened.len())
                .rev()
                .find(|one| is_wanted(*one))?,
        };
        let back = follower.shortest(&[start], |step| follower.reads_input(step));
        Some(LineChains {
            from_input: follower.links(&back),
            to_output: follower.links(&on),
            bytes: match follower.happened[start].what {
                What::Branch(offset) => self.bytes_of_branch(offset),
                _ => Vec::new(),
            },
        })
    }

    /// The bytes of the input that a condition depends on.
    fn bytes_of_branch(&self, offset: u64) -> Vec<InputByte> {
        let mut constraints = self.constraints.iter();
        let constraint =
            constraints.find(|one| one.kind == ConstraintKind::Branch && one.event == offset);
        let nodes = constraint.map(|one| self.graph.needed([one.node]));
        let bytes =
            nodes
                .into_iter()
                .flatten()
                .filter_map(|node| match self.graph.expression(node) {
                    Expression::Input(byte) => self.input.get(byte as usize).copied(),
                    _ => None,
                });
        let mut bytes: Vec<InputByte> = bytes.filter(|byte| byte.of_length().is_none()).collect();
        bytes.sort_by_key(|byte| (byte.source, byte.offset));
        bytes
    }
}
