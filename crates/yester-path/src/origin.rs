//! Where nodes and output come from: the place in the source, and the moment of the run.

use yester_pathrt::format::{OriginRecord, line_and_column};

use crate::recording::{EventKind, Recording, RecordingError, word32};

/// A moment of a run, and the line that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The thread. None if it was not recorded, or no longer.
    pub stream: Option<usize>,
    /// The offset in its events of the next event.
    pub event: u64,
    /// The line; 0 if unknown.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The class of the place in its function, see [`Function::classes`](crate::Function::classes); 0 if unknown.
    pub class: u16,
    /// Code of system headers was executed, and the place is that of the program's own code that called it.
    pub is_outer: bool,
}

impl Origin {
    /// Reads the place, the stream and the class from a record, where they stand together.
    pub(crate) fn read(event: u64, rest: &[u8], streams: usize) -> Origin {
        let half = |at: usize| u16::from_le_bytes([rest[at], rest[at + 1]]);
        let (line, column) = line_and_column(word32(rest, 0));
        let stream = usize::from(half(4));
        Origin {
            stream: Some(stream).filter(|stream| *stream < streams),
            event,
            line,
            column,
            class: half(6),
            is_outer: false,
        }
    }
}

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace {
    /// The number of the function.
    pub function: u32,
    /// The line; that of the function if it is unknown.
    pub line: u32,
    /// The column; 0 if unknown.
    pub column: u32,
}

impl Recording {
    /// Where each node was made first, by its number. A computation that happens again is the same node.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn origins(&self) -> Result<Vec<Origin>, RecordingError> {
        let content = self.part_of_nodes("origins", OriginRecord::BYTES)?;
        let parse = |record: &[u8]| {
            let event = u64::from_le_bytes(record[..8].try_into().expect("eight bytes"));
            Origin::read(event, &record[8..], self.streams())
        };
        let records = content.chunks_exact(OriginRecord::BYTES);
        Ok(records.map(parse).collect())
    }

    /// The places in the source of these moments. None where no function was active that is known.
    ///
    /// # Errors
    /// If the events cannot be read.
    pub fn places(&self, origins: &[Origin]) -> Result<Vec<Option<SourcePlace>>, RecordingError> {
        let mut places = vec![None; origins.len()];
        let mut wanted: Vec<usize> = (0..origins.len()).collect();
        wanted.retain(|index| origins[*index].stream.is_some());
        wanted.sort_by_key(|index| (origins[*index].stream, origins[*index].event));
        let mut wanted = wanted.into_iter().peekable();
        while let Some(first) = wanted.peek() {
            let stream = origins[*first].stream.expect("others are left out");
            let mut stack: Vec<u32> = Vec::new();
            let mut events = self.events(stream)?;
            let mut next = events.next().transpose()?;
            while let Some(index) = wanted.next_if(|index| origins[*index].stream == Some(stream)) {
                let origin = &origins[index];
                while let Some(event) = next.filter(|event| event.offset < origin.event) {
                    match event.kind {
                        EventKind::Enter { function } => stack.push(function),
                        EventKind::Return { .. } => {
                            stack.pop();
                        }
                        EventKind::Land { .. } => stack.truncate(event.depth),
                        _ => {}
                    }
                    next = events.next().transpose()?;
                }
                let functions = stack.iter().filter_map(|id| self.sites.function(*id));
                let function = if origin.is_outer {
                    functions.rev().find(|function| !function.is_of_system())
                } else {
                    stack.last().and_then(|id| self.sites.function(*id))
                };
                places[index] = function.map(|function| SourcePlace {
                    function: function.id,
                    line: match origin.line {
                        0 => function.line,
                        line => line,
                    },
                    column: origin.column,
                });
            }
        }
        Ok(places)
    }
}
