//! The debug log that every run keeps.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use yester_report::visible_line;
use yester_run::open_record;

/// Writes lines with the time since the start. A log that cannot be written never stops a run. It may be read with
/// `cat`, so a terminal must have nothing to obey in it.
pub struct Log {
    file: Option<File>,
    start: Instant,
}

impl Log {
    pub fn open(path: &Path) -> Log {
        Log {
            file: open_record(path).ok(),
            start: Instant::now(),
        }
    }

    pub fn line(&mut self, text: impl AsRef<str>) {
        if let Some(file) = &mut self.file {
            let seconds = self.start.elapsed().as_secs_f64();
            // In one piece: the file has no buffer, and each piece would be a system call.
            let line = format!("{seconds:10.3} {}\n", visible_line(text.as_ref()));
            let _ = file.write_all(line.as_bytes());
        }
    }
}
