//! Runs many cases, some at a time, and ends what takes too long.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::{Fault, Selection};
use crate::script::fresh;

/// A case and how it went.
#[derive(Clone, Debug)]
pub struct CaseRow<R> {
    /// The case.
    pub fault: Fault,
    /// How it went.
    pub run: R,
}

/// Runs the cases, each in a directory of its own, and prints them in their order.
pub fn run_all<R: Send>(
    selection: &Selection,
    faults: &[Fault],
    run: impl Fn(&Fault, &Path) -> Result<R, String> + Sync,
    print: impl Fn(&CaseRow<R>) + Sync,
) -> Result<Vec<CaseRow<R>>, String> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let place = selection.keep.as_deref().unwrap_or(scratch.path());
    let run_one = |fault: &Fault| {
        let directory = fresh(&place.join(fault.name()))?;
        let directory = directory
            .canonicalize()
            .map_err(|error| error.to_string())?;
        Ok(CaseRow {
            fault: fault.clone(),
            run: run(fault, &directory)?,
        })
    };
    let next = Mutex::new(0);
    let rows = Mutex::new(Printed {
        rows: Vec::new(),
        count: 0,
    });
    thread::scope(|scope| {
        for _ in 0..selection.jobs {
            scope.spawn(|| {
                loop {
                    let index = {
                        let mut next = next.lock().expect("no thread panics");
                        *next += 1;
                        *next - 1
                    };
                    let Some(fault) = faults.get(index) else {
                        break;
                    };
                    let row = run_one(fault);
                    let mut rows = rows.lock().expect("no thread panics");
                    rows.put(index, row, &print);
                }
            });
        }
    });
    let rows = rows.into_inner().expect("no thread panics").rows;
    rows.into_iter().flatten().collect()
}

/// Rows that are printed as soon as all before them are.
struct Printed<R> {
    rows: Vec<Option<Result<CaseRow<R>, String>>>,
    count: usize,
}

impl<R> Printed<R> {
    fn put(&mut self, index: usize, row: Result<CaseRow<R>, String>, print: &impl Fn(&CaseRow<R>)) {
        if self.rows.len() <= index {
            self.rows.resize_with(index + 1, || None);
        }
        self.rows[index] = Some(row);
        while let Some(Some(row)) = self.rows.get(self.count) {
            if let Ok(row) = row {
                print(row);
            }
            self.count += 1;
        }
    }
}

/// What a run of yester left.
#[derive(Clone, Debug)]
pub struct YesterRun {
    /// How it ended; nothing if it took too long.
    pub status: Option<ExitStatus>,
    /// What it printed.
    pub text: String,
    /// How long it took.
    pub seconds: f64,
}

impl YesterRun {
    /// Runs a command in a directory. What it prints is left in `NAME.json`, its messages in `NAME.messages`.
    pub fn of(
        command: &mut Command,
        directory: &Path,
        name: &str,
        limit: Duration,
    ) -> Result<YesterRun, String> {
        let output = directory.join(format!("{name}.json"));
        let messages = directory.join(format!("{name}.messages"));
        let started = Instant::now();
        let status = start(command.current_dir(directory), &output, &messages)
            .and_then(|child| wait(child, limit))
            .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        Ok(YesterRun {
            status,
            seconds: started.elapsed().as_secs_f64(),
            text: fs::read_to_string(&output).unwrap_or_default(),
        })
    }

    /// Why there is no report.
    pub fn problem(&self, error: &str) -> String {
        match self.status {
            None => "takes too long".to_owned(),
            Some(status) => format!("{status}, {error}"),
        }
    }
}

fn start(command: &mut Command, output: &Path, messages: &Path) -> io::Result<Child> {
    command
        .stdin(Stdio::null())
        .stdout(File::create(output)?)
        .stderr(File::create(messages)?)
        .process_group(0)
        .spawn()
}

/// Waits for a process; kills its group and gives nothing if that takes too long.
fn wait(mut child: Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() >= limit {
            let group = i32::try_from(child.id()).expect("process numbers are small");
            // SAFETY: the call takes plain numbers, and the child is still ours.
            unsafe { libc::killpg(group, libc::SIGKILL) };
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}
