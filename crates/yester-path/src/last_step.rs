//! The last step of a run: where it was when something ended it.

use crate::SourcePlace;
use crate::recording::{EventKind, Recording, RecordingError};

/// A function on the call stack, and its last site.
struct Active {
    function: u32,
    site: Option<u32>,
}

/// The last branch, call or value of the innermost function that had not returned, or that function if it had come to none. None if
/// the recording does not tell: if its end was cut off, or there are several threads.
///
/// # Errors
/// If the recording cannot be read.
pub fn last_step(recording: &Recording) -> Result<Option<SourcePlace>, RecordingError> {
    if recording.cut || recording.values_cut || recording.streams() != 1 {
        return Ok(None);
    }
    let mut stack: Vec<Active> = Vec::new();
    let mut values = recording.value_events(0)?.peekable();
    let mut events = recording.events(0)?;
    loop {
        let event = events.next().transpose()?;
        let offset = event.map_or(u64::MAX, |event| event.offset);
        while let Some(value) = values.next_if(|value| value.event <= offset) {
            let mut frames = stack.iter_mut().rev();
            if let Some(frame) = frames.find(|frame| frame.function == value.function) {
                frame.site = Some(value.site);
            }
        }
        let Some(event) = event else { break };
        match event.kind {
            EventKind::Branch { function, site, .. } | EventKind::Call { function, site } => {
                stack.truncate(event.depth);
                if let Some(last) = stack.last_mut()
                    && last.function == function
                {
                    last.site = Some(site);
                }
            }
            EventKind::Enter { function } => {
                stack.truncate(event.depth - 1);
                stack.push(Active {
                    function,
                    site: None,
                });
            }
            EventKind::Return { .. } => stack.truncate(event.depth - 1),
            EventKind::Land { .. } => stack.truncate(event.depth),
            EventKind::Exit(_) | EventKind::Abort => {}
        }
    }
    Ok(stack.iter().rev().find_map(|last| {
        let function = recording.sites.function(last.function)?;
        if function.is_of_system() {
            return None;
        }
        let site = last.site.and_then(|site| function.sites.get(site as usize));
        Some(SourcePlace {
            function: last.function,
            line: site.map_or(function.line, |site| site.line),
            column: site.map_or(1, |site| site.column),
        })
    }))
}
