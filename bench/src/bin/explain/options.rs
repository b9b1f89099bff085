//! The flags of the benchmark.

use std::path::PathBuf;
use std::time::Duration;

use yester_bench::case::Purpose;
use yester_bench::seeded::{Fault, ReleaseFault};

/// How it is called.
pub const USAGE: &str = "\
usage: bench/explain [--only NAME]... [--role ROLE] [--kind KIND]... [--jobs N] [--limit SECONDS]
                     [--by EVIDENCE]... [--keep DIRECTORY] [--yester PROGRAM] [--list]
       bench/explain --releases [--only NAME]... [--limit SECONDS] [--by EVIDENCE]... [--keep DIRECTORY] [--yester PROGRAM]

  --only NAME       this program (cells) or case (cells/index-1); may be given several times [default: all]
  --role ROLE       only programs whose purpose is tune or check
  --kind KIND       only faults of this kind (tightened) or family (seeded, refactored, exposed); may be given several times
  --jobs N          how many cases at a time [default: 2]
  --limit SECONDS   how long a case may take [default: 60, with --releases 600]
  --by EVIDENCE     only this evidence: branches, values or predicates; may be given several times
  --keep DIRECTORY  put the cases there and leave them, with what yester prints
  --yester PROGRAM  this yester [default: the one that was just built]
  --list            only show the cases
  --releases        the faults of bench/releases, one at a time; NAME is a program (lua) or a case (lua-find)";

/// What was asked for.
#[derive(Debug)]
pub struct ExplainOptions {
    /// The programs and cases that are wanted; none is all.
    pub only: Vec<String>,
    /// What the programs have to be for.
    pub role: Option<Purpose>,
    /// The kinds and families that are wanted; none is all.
    pub kinds: Vec<String>,
    /// How many cases are run at a time.
    pub jobs: usize,
    /// How long a case may take.
    pub limit: Duration,
    /// The evidence that yester looks for; none is all.
    pub by: Vec<String>,
    /// Where everything is left.
    pub keep: Option<PathBuf>,
    /// The program that is measured.
    pub yester: PathBuf,
    /// Whether the cases are only shown.
    pub list: bool,
    /// Whether the faults in releases of real programs are meant.
    pub releases: bool,
}

impl ExplainOptions {
    /// Reads the command line.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<ExplainOptions, String> {
        let mut options = ExplainOptions {
            only: Vec::new(),
            role: None,
            kinds: Vec::new(),
            jobs: 2,
            limit: Duration::from_secs(60),
            by: Vec::new(),
            keep: None,
            yester: yester_bench::yester(),
            list: false,
            releases: false,
        };
        let mut limit = None;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--only" => options.only.push(value()?),
                "--role" => {
                    let name = value()?;
                    let mut roles = Purpose::ALL.into_iter();
                    let role = roles.find(|role| role.name() == name);
                    options.role = Some(role.ok_or(format!("there is no role '{name}'"))?);
                }
                "--kind" => options.kinds.push(value()?),
                "--jobs" => {
                    let jobs = value()?.parse().ok().filter(|&jobs| jobs > 0);
                    options.jobs = jobs.ok_or("--jobs needs a number".to_owned())?;
                }
                "--limit" => {
                    let seconds = value()?
                        .parse()
                        .map_err(|_| "--limit needs whole seconds".to_owned())?;
                    limit = Some(Duration::from_secs(seconds));
                }
                "--keep" => options.keep = Some(value()?.into()),
                "--yester" => options.yester = value()?.into(),
                "--by" => options.by.push(value()?),
                "--list" => options.list = true,
                "--releases" => options.releases = true,
                _ => return Err(format!("'{word}' is not understood")),
            }
        }
        if options.releases {
            options.limit = Duration::from_secs(600);
        }
        options.limit = limit.unwrap_or(options.limit);
        Ok(options)
    }

    /// Whether a fault in a release is wanted.
    pub fn wants_release(&self, fault: &ReleaseFault) -> bool {
        let is_meant = |only: &String| {
            let rest = fault.name.strip_prefix(only.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        self.only.is_empty() || self.only.iter().any(is_meant)
    }

    /// Whether a case is wanted.
    pub fn wants(&self, fault: &Fault) -> bool {
        let is_meant = |only: &String| *only == fault.program.name || *only == fault.name();
        let is_kind = |kind: &String| *kind == fault.kind || kind == fault.family.name();
        (self.only.is_empty() || self.only.iter().any(is_meant))
            && self.role.is_none_or(|role| role == fault.program.purpose)
            && (self.kinds.is_empty() || self.kinds.iter().any(is_kind))
    }
}
