//! The debug log that every run keeps.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use yester_report::{count, visible_line};
use yester_run::{Consumer, Event, open_record};

/// Writes lines with the time since the start. A log that cannot be written never stops a run. People read it with
/// `cat`, so a terminal must have nothing to obey in it.
pub struct Log {
    file: Option<File>,
    start: Instant,
    /// What sizes count: bytes, changed lines.
    unit: &'static str,
    /// How many subsets were not candidates since the last line, by the reason. There may be many thousands.
    infeasible: BTreeMap<String, u64>,
}

impl Log {
    /// Writes to this file. Sizes count units.
    pub fn open(path: &Path, unit: &'static str) -> Log {
        Log {
            file: open_record(path).ok(),
            start: Instant::now(),
            unit,
            infeasible: BTreeMap::new(),
        }
    }

    fn flush_infeasible(&mut self) {
        for (reason, times) in std::mem::take(&mut self.infeasible) {
            self.line(&format!("infeasible: {reason} ({})", count(times, "time")));
        }
    }

    fn line(&mut self, text: &str) {
        if let Some(file) = &mut self.file {
            let seconds = self.start.elapsed().as_secs_f64();
            // In one piece: the file has no buffer, and each piece would be a system call.
            let line = format!("{seconds:10.3} {}\n", visible_line(text));
            let _ = file.write_all(line.as_bytes());
        }
    }
}

impl Consumer for Log {
    fn consume(&mut self, event: &Event<'_>) {
        match event {
            Event::Message(text) | Event::Detail(text) => self.line(text),
            Event::Step(step) => self.line(&format!("now: {}", step.what)),
            Event::Phase(phase) => {
                self.flush_infeasible();
                self.line(&format!("now: {}, {} to try", phase.what, phase.deltas));
            }
            Event::Infeasible(reason) => {
                *self.infeasible.entry((*reason).to_owned()).or_default() += 1;
            }
            Event::Improved { left, .. } => {
                let unit = self.unit;
                self.line(&format!("best: {left} {unit}"));
            }
            // The journal has them all.
            Event::Run(_)
            | Event::Output(_)
            | Event::Resumed(_)
            | Event::Started(_)
            | Event::Ran(_)
            | Event::Dropped(_)
            | Event::Answered(_)
            | Event::Version(_)
            | Event::End { .. } => {}
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.flush_infeasible();
    }
}
