//! Where in the source something happened that a recording only knows by its position in the trace.

use crate::recording::{EventKind, Loss, Recording, RecordingError};
use crate::site::readable;

impl Recording {
    /// What was lost, with its place in the source instead of that in the trace, and names as they are written in the source.
    ///
    /// # Errors
    /// If the events cannot be read.
    pub fn losses(&self) -> Result<Vec<Loss>, RecordingError> {
        let mut losses: Vec<Loss> = self.lost.clone();
        let mut wanted: Vec<(usize, u64, usize)> = Vec::new();
        for (index, loss) in losses.iter_mut().enumerate() {
            loss.what = demangled(&loss.what);
            if let Some((stream, offset)) = position(&loss.place) {
                wanted.push((stream, offset, index));
            }
        }
        wanted.sort_unstable();
        for stream in 0..self.streams() {
            let here: Vec<_> = wanted.iter().filter(|one| one.0 == stream).collect();
            if here.is_empty() {
                continue;
            }
            let mut here = here.into_iter().peekable();
            let mut last = None;
            let mut ended = false;
            let mut events = self.events(stream)?;
            while here.peek().is_some() {
                let event = if ended {
                    None
                } else {
                    events.next().transpose()?
                };
                ended = event.is_none();
                while let Some((_, offset, index)) = here.peek()
                    && event.is_none_or(|event| event.offset >= *offset)
                {
                    let place = self.between(last, event.map(|event| event.kind));
                    if let Some(place) = place {
                        losses[*index].place = place;
                    }
                    here.next();
                }
                last = event.map(|event| event.kind);
            }
        }
        Ok(losses)
    }

    /// The place between two events: at the call before it, or at what comes next in the same function.
    fn between(&self, last: Option<EventKind>, next: Option<EventKind>) -> Option<String> {
        let of = |event: Option<EventKind>| match event? {
            EventKind::Branch { function, site, .. } | EventKind::Call { function, site } => {
                Some((function, Some(site)))
            }
            EventKind::Enter { function } | EventKind::Land { function } => Some((function, None)),
            _ => None,
        };
        let (before, after) = (of(last), of(next));
        let (function, site) = match (last, before, after) {
            (Some(EventKind::Call { .. }), Some(call), _) => call,
            (_, Some(before), Some((function, Some(site)))) if before.0 == function => {
                (function, Some(site))
            }
            (_, Some(before), _) => before,
            (_, None, Some((function, Some(site)))) => (function, Some(site)),
            _ => return None,
        };
        let function = self.sites.function(function)?;
        let site = site.map(|site| &function.sites[site as usize]);
        let (file, line) = match site {
            Some(site) => (function.file_of(site), site.line),
            None => (function.file.as_str(), function.line),
        };
        Some(format!("near {file}:{line}, {}", function.name))
    }
}

/// The stream and offset in `event 32 of stream 1`.
fn position(place: &str) -> Option<(usize, u64)> {
    let mut words = place.strip_prefix("event ")?.split(' ');
    let offset = words.next()?.parse().ok()?;
    let stream = match words.next_back() {
        Some(stream) => stream.parse().ok()?,
        None => 0,
    };
    Some((stream, offset))
}

/// A text whose words are written as in the source.
fn demangled(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let name = word.trim_end_matches(',');
        format!("{}{}", readable(name), &word[name.len()..])
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_with_and_without_a_stream() {
        assert_eq!(position("event 32"), Some((0, 32)));
        assert_eq!(position("event 7 of stream 3"), Some((3, 7)));
        assert_eq!(position("main"), None);
    }

    #[test]
    fn names_in_a_loss_are_those_of_the_source() {
        let text = demangled("call of _ZNK4text4sizeEv, which is not modelled");
        assert_eq!(text, "call of text::size() const, which is not modelled");
    }
}
