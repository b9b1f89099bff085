//! The events of one thread, read one at a time, since there may be many millions.

use std::io::{self, BufRead};

use yester_pathrt::format::{UNKNOWN_FUNCTION, event};

use super::RecordingError;
use crate::site::{SiteKind, Sites};

/// Something that happened in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// Its offset in the stream, by which constraints refer to it.
    pub offset: u64,
    /// The depth of the call stack, including the function of the event.
    pub depth: usize,
    /// What happened.
    pub kind: EventKind,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A branch was decided.
    Branch {
        /// The number of the function.
        function: u32,
        /// The site in it.
        site: u32,
        /// The outcome of that.
        outcome: u32,
    },
    /// A call begins. Functions that are entered before the next event of the caller are entered by this call. There may be none,
    /// if the callee is not instrumented.
    Call {
        /// The number of the function that calls.
        function: u32,
        /// The site in it.
        site: u32,
    },
    /// A function was entered.
    Enter {
        /// Its number.
        function: u32,
    },
    /// A function returned.
    Return {
        /// Its number.
        function: u32,
    },
    /// A longjmp or an exception landed in a function. Everything that it had called is gone.
    Land {
        /// Its number.
        function: u32,
    },
    /// The program called `exit` with this status. Its exit handlers may follow.
    Exit(u8),
    /// The program aborts.
    Abort,
}

/// The events of one thread, in order.
///
/// A crash may tear the last event, which is then left out. After an error the iterator ends.
pub struct TraceEvents<'a, R> {
    sites: &'a Sites,
    reader: R,
    name: String,
    offset: u64,
    stack: Vec<Frame>,
    over: bool,
}

/// A function on the call stack.
struct Frame {
    /// Its number.
    function: u32,
    /// Its index in [`Sites`]. None for code that ran before its module was registered; its branches are left out.
    index: Option<u32>,
    /// The serial number by which a landing refers to it.
    serial: Option<u32>,
}

impl<'a, R: BufRead> TraceEvents<'a, R> {
    /// Reads events from `reader`. Errors call it `name`.
    pub fn new(sites: &'a Sites, reader: R, name: impl Into<String>) -> Self {
        TraceEvents {
            sites,
            reader,
            name: name.into(),
            offset: 0,
            stack: Vec::new(),
            over: false,
        }
    }

    /// The numbers of the functions on the call stack, the outermost first.
    pub fn stack(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.stack.iter().map(|frame| frame.function)
    }

    fn damaged(&self, offset: u64, what: impl Into<String>) -> RecordingError {
        RecordingError::Damaged {
            file: self.name.clone(),
            place: format!("byte {offset}"),
            what: what.into(),
        }
    }

    fn unreadable(&self, error: io::Error) -> RecordingError {
        if error.kind() == io::ErrorKind::InvalidData {
            return RecordingError::Damaged {
                file: self.name.clone(),
                place: format!("after {} bytes of events", self.offset),
                what: error.to_string(),
            };
        }
        RecordingError::Io {
            path: self.name.clone().into(),
            error,
        }
    }

    /// The next bytes; None at the end, also if only some of them are left.
    fn take<const N: usize>(&mut self) -> Result<Option<[u8; N]>, RecordingError> {
        let mut bytes = [0; N];
        let mut got = 0;
        while got < N {
            match self.reader.read(&mut bytes[got..]) {
                Ok(0) => return Ok(None),
                Ok(count) => got += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.unreadable(error)),
            }
        }
        self.offset += N as u64;
        Ok(Some(bytes))
    }

    fn step(&mut self) -> Result<Option<TraceEvent>, RecordingError> {
        loop {
            let offset = self.offset;
            let Some([byte]) = self.take()? else {
                return Ok(None);
            };
            let event = |depth, kind| {
                Ok(Some(TraceEvent {
                    offset,
                    depth,
                    kind,
                }))
            };
            let code = match byte {
                ..event::WIDE => u32::from(byte),
                event::WIDE => match self.take()? {
                    Some(code) => u32::from(u16::from_le_bytes(code)),
                    None => return Ok(None),
                },
                event::WIDER => match self.take()? {
                    Some(code) => u32::from_le_bytes(code),
                    None => return Ok(None),
                },
                event::ENTER => {
                    let Some(function) = self.take()? else {
                        return Ok(None);
                    };
                    let function = u32::from_le_bytes(function);
                    let index = self.sites.index(function);
                    if index.is_none() && function < UNKNOWN_FUNCTION {
                        let what = format!("function {function} is entered, which is not there");
                        return Err(self.damaged(offset, what));
                    }
                    self.stack.push(Frame {
                        function,
                        index,
                        serial: None,
                    });
                    return event(self.stack.len(), EventKind::Enter { function });
                }
                event::RETURN => {
                    let depth = self.stack.len();
                    let Some(frame) = self.stack.pop() else {
                        return Err(self.damaged(offset, "a function returns that was not entered"));
                    };
                    let function = frame.function;
                    return event(depth, EventKind::Return { function });
                }
                event::FRAME => {
                    let Some(serial) = self.take()? else {
                        return Ok(None);
                    };
                    let Some(frame) = self.stack.last_mut() else {
                        return Err(self.damaged(offset, "a landing place outside of any function"));
                    };
                    frame.serial = Some(u32::from_le_bytes(serial));
                    continue;
                }
                event::LAND => {
                    let Some(serial) = self.take()? else {
                        return Ok(None);
                    };
                    let serial = u32::from_le_bytes(serial);
                    let place = self
                        .stack
                        .iter()
                        .rposition(|frame| frame.serial == Some(serial));
                    let Some(place) = place else {
                        let what = format!("control lands in frame {serial}, which is not there");
                        return Err(self.damaged(offset, what));
                    };
                    self.stack.truncate(place + 1);
                    let function = self.stack[place].function;
                    return event(place + 1, EventKind::Land { function });
                }
                event::EXIT => match self.take()? {
                    Some([status]) => return event(self.stack.len(), EventKind::Exit(status)),
                    None => return Ok(None),
                },
                event::ABORT => return event(self.stack.len(), EventKind::Abort),
                _ => return Err(self.damaged(offset, format!("an event {byte:#04x}"))),
            };
            let Some(frame) = self.stack.last() else {
                return Err(self.damaged(offset, "a branch outside of any function"));
            };
            let Some(index) = frame.index else {
                continue;
            };
            let function = &self.sites.functions()[index as usize];
            let Some((site, outcome)) = function.decode(code) else {
                let what = format!("{} has no branch with code {code}", function.name);
                return Err(self.damaged(offset, what));
            };
            let (site_kind, function) = (&function.sites[site as usize].kind, function.id);
            let kind = match site_kind {
                SiteKind::Call => EventKind::Call { function, site },
                SiteKind::Branch | SiteKind::Switch(_) | SiteKind::Predicate { .. } => {
                    EventKind::Branch {
                        function,
                        site,
                        outcome,
                    }
                }
                SiteKind::Value { .. } => {
                    return Err(self.damaged(offset, "an event of a value, which has none"));
                }
            };
            return event(self.stack.len(), kind);
        }
    }
}

impl<R: BufRead> Iterator for TraceEvents<'_, R> {
    type Item = Result<TraceEvent, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let next = self.step().transpose();
        self.over = !matches!(next, Some(Ok(_)));
        next
    }
}
