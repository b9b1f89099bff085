//! The flags of the benchmark: those of all benchmarks on seeded faults, and its own.

use std::time::Duration;

use yester_bench::seeded::{ReleaseFault, Selection};

/// How it is called.
pub const USAGE: &str = "\
usage: bench/explain [--only NAME]... [--role ROLE] [--kind KIND]... [--jobs N] [--limit SECONDS]
                     [--by EVIDENCE]... [--keep DIRECTORY] [--yester PROGRAM] [--list]
       bench/explain --releases [--only NAME]... [--limit SECONDS] [--by EVIDENCE]... [--keep DIRECTORY] [--yester PROGRAM]

  --by EVIDENCE     only this evidence: branches, values or predicates; may be given several times
  --releases        the faults of bench/releases, one at a time; NAME is a program (lua) or a case (lua-find)";

/// A case of a real program takes longer.
const RELEASE_LIMIT: Duration = Duration::from_secs(600);

/// What was asked for.
#[derive(Debug)]
pub struct ExplainOptions {
    /// Which cases are wanted, and how they are run.
    pub selection: Selection,
    /// The evidence that yester looks for; none is all.
    pub by: Vec<String>,
    /// Whether the faults in releases of real programs are meant.
    pub releases: bool,
}

impl ExplainOptions {
    /// Reads the command line.
    pub fn parse(words: impl Iterator<Item = String>) -> Result<ExplainOptions, String> {
        let mut words = words.collect::<Vec<_>>().into_iter();
        let releases = words.as_slice().iter().any(|word| word == "--releases");
        let mut options = ExplainOptions {
            selection: Selection::default(),
            by: Vec::new(),
            releases,
        };
        if releases {
            options.selection.limit = RELEASE_LIMIT;
        }
        while let Some(word) = words.next() {
            match word.as_str() {
                "--by" => {
                    let value = words.next();
                    let value = value.ok_or_else(|| "--by needs a value".to_owned())?;
                    options.by.push(value);
                }
                "--releases" => {}
                _ if options.selection.take(&word, &mut words)? => {}
                _ => return Err(format!("'{word}' is not understood")),
            }
        }
        Ok(options)
    }

    /// Whether a fault in a release is wanted.
    pub fn wants_release(&self, fault: &ReleaseFault) -> bool {
        let only = &self.selection.only;
        let is_meant = |only: &String| {
            let rest = fault.name.strip_prefix(only.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        only.is_empty() || only.iter().any(is_meant)
    }
}
