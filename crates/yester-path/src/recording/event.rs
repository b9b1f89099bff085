//! The events of one thread, read one after the other: there may be many millions.

use std::io::{self, BufRead};

use yester_pathrt::format::{UNKNOWN_FUNCTION, event};

use super::RecordingError;
use crate::site::{SiteKind, Sites};

/// Something that happened in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where it stands in its stream, which is how constraints name it.
    pub offset: u64,
    /// How many functions are being executed, the one that it is about among them.
    pub depth: usize,
    /// What happened.
    pub step: Step,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A branch was decided.
    Branch {
        /// The number of the function.
        function: u32,
        /// The site in it.
        site: u32,
        /// The outcome of that.
        outcome: u32,
    },
    /// A call begins. What is entered before its function does something else is entered by it; perhaps it is nothing that
    /// was recorded.
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
    /// After a longjmp or an exception, control is in a function again. What it had called is gone.
    Land {
        /// Its number.
        function: u32,
    },
    /// The program called exit with this status. What it registered for that may follow.
    Exit(u8),
    /// The program aborts.
    Abort,
}

/// The events of one thread in their order.
///
/// The last event may be torn, which is what a crash leaves, and is then left out. After an error there is nothing more.
pub struct Events<'a, R> {
    sites: &'a Sites,
    reader: R,
    name: String,
    offset: u64,
    stack: Vec<Frame>,
    over: bool,
}

/// A function that is being executed.
struct Frame {
    /// Its number.
    function: u32,
    /// Its place among the functions. Nothing for code that ran before it could say what it is: its branches have no
    /// place, and are left out.
    index: Option<u32>,
    /// What it is called by when something lands in it.
    serial: Option<u32>,
}

impl<'a, R: BufRead> Events<'a, R> {
    /// The events that `reader` has. `name` is what errors call it.
    pub fn new(sites: &'a Sites, reader: R, name: impl Into<String>) -> Self {
        Events {
            sites,
            reader,
            name: name.into(),
            offset: 0,
            stack: Vec::new(),
            over: false,
        }
    }

    /// The numbers of the functions that are being executed now, the outermost first.
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

    /// The next bytes, or nothing at the end. A torn event is no event.
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

    fn step(&mut self) -> Result<Option<Event>, RecordingError> {
        loop {
            let offset = self.offset;
            let Some([byte]) = self.take()? else {
                return Ok(None);
            };
            let event = |depth, step| {
                Ok(Some(Event {
                    offset,
                    depth,
                    step,
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
                    return event(self.stack.len(), Step::Enter { function });
                }
                event::RETURN => {
                    let depth = self.stack.len();
                    let Some(frame) = self.stack.pop() else {
                        return Err(self.damaged(offset, "a function returns that was not entered"));
                    };
                    let function = frame.function;
                    return event(depth, Step::Return { function });
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
                    return event(place + 1, Step::Land { function });
                }
                event::EXIT => match self.take()? {
                    Some([status]) => return event(self.stack.len(), Step::Exit(status)),
                    None => return Ok(None),
                },
                event::ABORT => return event(self.stack.len(), Step::Abort),
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
            let (kind, function) = (&function.sites[site as usize].kind, function.id);
            let step = match kind {
                SiteKind::Call => Step::Call { function, site },
                SiteKind::Branch | SiteKind::Switch(_) => Step::Branch {
                    function,
                    site,
                    outcome,
                },
            };
            return event(self.stack.len(), step);
        }
    }
}

impl<R: BufRead> Iterator for Events<'_, R> {
    type Item = Result<Event, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let next = self.step().transpose();
        self.over = !matches!(next, Some(Ok(_)));
        next
    }
}
