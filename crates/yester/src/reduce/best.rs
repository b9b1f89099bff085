//! The best so far of a reduction, on disk where it can be used at any moment, and the way to it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use yester_core::Candidate;
use yester_run::{BestSoFar, Consumer, Event, Failing, RunDirectory, Survival, write_directory};
use yester_tree::{Extent, Front};

/// Where the best so far is in the directory of the run.
pub const BEST: &str = "best";

pub struct SmallestInput {
    run: Rc<RunDirectory>,
    name: OsString,
    front: Front<Candidate>,
    /// The size of the one on disk, or of the input as long as there is none.
    saved: u64,
}

/// Where the input is, as it was at the beginning.
const ORIGINAL: &str = "original";

/// Bigger candidates than this are not worth the disk that a copy of each would take: no improvements are kept, and the best
/// one is written when it has lost half. The input itself is there anyway.
const BIG: u64 = 16 << 20;

impl SmallestInput {
    /// Starts with the whole input.
    pub fn new(run: &Rc<RunDirectory>, name: &OsStr, input: Candidate) -> io::Result<Self> {
        if input.bytes() <= BIG {
            save(run, Path::new(BEST), name, &input)?;
        }
        Ok(SmallestInput {
            run: Rc::clone(run),
            name: name.to_owned(),
            saved: input.bytes(),
            front: Front::new(Extent::of_candidate(&input), input),
        })
    }

    /// The best one so far.
    pub fn candidate(&self) -> &Candidate {
        self.front.best()
    }
}

impl BestSoFar for SmallestInput {
    fn consider(&mut self, failing: &Failing<'_>) -> io::Result<Option<u64>> {
        let candidate = failing.candidate;
        if !self
            .front
            .add(Extent::of_candidate(candidate), candidate.clone())
        {
            return Ok(None);
        }
        let bytes = candidate.bytes();
        if bytes <= BIG || bytes <= self.saved / 2 {
            save(&self.run, Path::new(BEST), &self.name, candidate)?;
            self.saved = bytes;
        }
        Ok(Some(bytes))
    }
}

/// Keeps the improvements one by one, for whoever wants to see the way.
pub struct Improvements {
    run: Rc<RunDirectory>,
    name: OsString,
    count: usize,
    /// The size of the last one that was kept.
    kept: u64,
}

/// Up to this size every improvement is kept, above only those that remove a tenth.
const KEPT_BYTES: u64 = 4096;

impl Improvements {
    pub fn new(run: &Rc<RunDirectory>, name: &OsStr) -> Improvements {
        Improvements {
            run: Rc::clone(run),
            name: name.to_owned(),
            count: 0,
            kept: u64::MAX,
        }
    }
}

impl Consumer for Improvements {
    fn consume(&mut self, event: &Event<'_>) {
        let (left, candidate) = match event {
            // The user's own may change; what was reduced is the one of now.
            Event::Run(run) => {
                if let Some(whole) = run.whole.filter(|whole| whole.bytes() <= BIG) {
                    let _ = save(&self.run, Path::new(ORIGINAL), &self.name, whole);
                }
                return;
            }
            Event::Improved { left, candidate } => (left, candidate),
            _ => return,
        };
        let is_kept = *left <= KEPT_BYTES || *left <= self.kept / 10 * 9;
        if *left < self.kept && *left <= BIG && is_kept {
            let number = format!("improvements/{:04}", self.count);
            // The best itself is safe; without room for the way to it the search goes on.
            if save(&self.run, Path::new(&number), &self.name, candidate).is_ok() {
                self.count += 1;
                self.kept = *left;
            }
        }
    }
}

/// Writes a file into a directory of the run, or a tree as that directory. Gives the path of what it wrote.
pub fn save(
    run: &RunDirectory,
    directory: &Path,
    name: &OsStr,
    candidate: &Candidate,
) -> io::Result<PathBuf> {
    match candidate {
        Candidate::File(text) => {
            let file = directory.join(name);
            run.write(&file, text)?;
            Ok(run.path().join(file))
        }
        Candidate::Tree(entries) => {
            let directory = run.path().join(directory);
            write_directory(&directory, entries, Survival::Kill)?;
            Ok(directory)
        }
    }
}
