//! The flags that the benchmarks on seeded faults share.

use std::path::PathBuf;
use std::time::Duration;

use super::{Fault, programs};
use crate::case::Purpose;

/// What these flags mean, for the text on usage.
pub const SELECTION_USAGE: &str = "\
  --only NAME       this program (cells) or case (cells/index-1); may be given several times [default: all]
  --role ROLE       only programs whose purpose is tune or check
  --kind KIND       only faults of this kind (tightened) or family (seeded, refactored, exposed); may be given several times
  --jobs N          how many cases at a time [default: 2]
  --limit SECONDS   how long a run of yester may take [default: 60]
  --keep DIRECTORY  put the cases there and leave them, with what yester prints
  --yester PROGRAM  this yester [default: the one that was just built]
  --list            only show the cases";

/// Which cases are wanted, and how they are run.
#[derive(Debug)]
pub struct Selection {
    /// The programs and cases that are wanted; none is all.
    pub only: Vec<String>,
    /// What the programs have to be for.
    pub role: Option<Purpose>,
    /// The kinds and families that are wanted; none is all.
    pub kinds: Vec<String>,
    /// How many cases are run at a time.
    pub jobs: usize,
    /// How long a run of yester may take.
    pub limit: Duration,
    /// Where everything is left.
    pub keep: Option<PathBuf>,
    /// The program that is measured.
    pub yester: PathBuf,
    /// Whether the cases are only shown.
    pub list: bool,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection {
            only: Vec::new(),
            role: None,
            kinds: Vec::new(),
            jobs: 2,
            limit: Duration::from_secs(60),
            keep: None,
            yester: crate::yester(),
            list: false,
        }
    }
}

impl Selection {
    /// Reads the command line of a benchmark that has no other flags.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Selection, String> {
        let mut selection = Selection::default();
        while let Some(word) = words.next() {
            if !selection.take(&word, &mut words)? {
                return Err(format!("'{word}' is not understood"));
            }
        }
        Ok(selection)
    }

    /// Takes a flag and its value; tells whether it is one of these.
    pub fn take(
        &mut self,
        word: &str,
        words: &mut impl Iterator<Item = String>,
    ) -> Result<bool, String> {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word {
            "--only" => self.only.push(value()?),
            "--role" => {
                let name = value()?;
                let mut roles = Purpose::ALL.into_iter();
                let role = roles.find(|role| role.name() == name);
                self.role = Some(role.ok_or(format!("there is no role '{name}'"))?);
            }
            "--kind" => self.kinds.push(value()?),
            "--jobs" => {
                let jobs = value()?.parse().ok().filter(|&jobs| jobs > 0);
                self.jobs = jobs.ok_or("--jobs needs a number".to_owned())?;
            }
            "--limit" => {
                let seconds = value()?
                    .parse()
                    .map_err(|_| "--limit needs whole seconds".to_owned())?;
                self.limit = Duration::from_secs(seconds);
            }
            "--keep" => self.keep = Some(value()?.into()),
            "--yester" => self.yester = value()?.into(),
            "--list" => self.list = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether a case is wanted.
    pub fn wants(&self, fault: &Fault) -> bool {
        let is_meant = |only: &String| *only == fault.program.name || *only == fault.name();
        let is_kind = |kind: &String| *kind == fault.kind || kind == fault.family.name();
        (self.only.is_empty() || self.only.iter().any(is_meant))
            && self.role.is_none_or(|role| role == fault.program.purpose)
            && (self.kinds.is_empty() || self.kinds.iter().any(is_kind))
    }

    /// The cases that are wanted, in the order of the tables.
    pub fn faults(&self) -> Result<Vec<Fault>, String> {
        let mut wanted = Vec::new();
        for program in programs()? {
            let faults = program.faults()?.into_iter();
            wanted.extend(faults.filter(|fault| self.wants(fault)));
        }
        Ok(wanted)
    }
}

/// Prints what is known of cases.
pub fn print_list(faults: &[Fault]) {
    println!("| case | role | family | kind | function | lines of old | lines of new |");
    println!("|---|---|---|---|---|---|---|");
    for fault in faults {
        let truth = fault.truth();
        println!(
            "| {} | {} | {} | {} | {} | {:?} | {:?} |",
            fault.name(),
            truth.role.name(),
            fault.family.name(),
            truth.kind,
            truth.function.as_deref().unwrap_or("-"),
            truth.lines_old,
            truth.lines_new,
        );
    }
}

/// Prints the bars that are not met and gives the code of the exit.
pub fn print_missed(missed: &[String]) -> std::process::ExitCode {
    println!();
    for bar in missed {
        println!("NOT met: {bar}");
    }
    if missed.is_empty() {
        println!("all bars are met");
    }
    std::process::ExitCode::from(u8::from(!missed.is_empty()))
}
