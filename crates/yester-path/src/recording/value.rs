//! The values that a run assigned, passed and returned.

use yester_pathrt::format::ValueRecord;

use super::{Recording, RecordingError, damaged, word32};
use crate::expression::NodeId;
use crate::site::SiteKind;

/// A value that a site had when it was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueEvent {
    /// The offset in the events of its thread of the next event.
    pub event: u64,
    /// The number of the function.
    pub function: u32,
    /// The site in it, which is a [`SiteKind::Value`].
    pub site: u32,
    /// The bits, in the form that the site has.
    pub value: u64,
    /// The expression, if the value depends on the input.
    pub node: Option<NodeId>,
}

/// The values of one thread, in the order of execution.
#[derive(Clone, Debug)]
pub struct ValueEvents {
    records: Vec<u8>,
    next: usize,
}

impl ValueEvents {
    fn record(&self, index: usize) -> Option<&[u8]> {
        let start = index * ValueRecord::BYTES;
        self.records.get(start..start + ValueRecord::BYTES)
    }
}

/// Parses a record. None if it is torn, or of a function that ran before its module was known.
fn parse(record: &[u8]) -> Option<ValueEvent> {
    let number = |at: usize| {
        let bytes = record[at..at + 8].try_into();
        u64::from_le_bytes(bytes.expect("eight bytes"))
    };
    let (event, function) = ValueRecord::event_and_function(number(0));
    if function == ValueRecord::NO_FUNCTION {
        return None;
    }
    Some(ValueEvent {
        event,
        function,
        site: word32(record, 16).checked_sub(1)?,
        value: number(8),
        node: Some(NodeId(word32(record, 20))).filter(|node| node.0 != 0),
    })
}

impl Iterator for ValueEvents {
    type Item = ValueEvent;

    fn next(&mut self) -> Option<ValueEvent> {
        loop {
            let parsed = parse(self.record(self.next)?);
            self.next += 1;
            if parsed.is_some() {
                return parsed;
            }
        }
    }
}

impl Recording {
    /// The values of a thread, in the order of execution. None if the program was not built to record them.
    ///
    /// # Errors
    /// If they cannot be read, or make no sense.
    pub fn value_events(&self, stream: usize) -> Result<ValueEvents, RecordingError> {
        let name = format!("values-{stream}");
        let count = self.values.get(stream).copied().unwrap_or(0);
        let records = super::read(&self.directory, &name, count, ValueRecord::BYTES as u64)?;
        let events = ValueEvents { records, next: 0 };
        for index in 0..count as usize {
            let Some(value) = events.record(index).and_then(parse) else {
                continue;
            };
            let wrong = |what: &str| damaged(name.clone(), format!("number {index}"), what);
            let function = self.sites.function(value.function);
            let site = function.and_then(|function| function.sites.get(value.site as usize));
            if !site.is_some_and(|site| matches!(site.kind, SiteKind::Value { .. })) {
                return Err(wrong("a site that is not there"));
            }
            if value
                .node
                .is_some_and(|node| node.0 as usize >= self.graph.len())
            {
                return Err(wrong("a node that is not there"));
            }
        }
        Ok(events)
    }
}
