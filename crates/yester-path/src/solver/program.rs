use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// How much longer than it promised a solver may take before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// How much z3 does in a millisecond, in its own unit, on a machine of 2023.
const Z3_WORK: u128 = 3000;
/// z3 takes 32 bits.
const MOST_Z3_WORK: u128 = u32::MAX as u128;
/// What SMT-LIB leaves open about conversions becomes functions of bits, which have to go before bits are all that is left.
const Z3_NUMBERS: &str = "(check-sat-using (then simplify propagate-values fpa2bv simplify propagate-values ackermannize_bv bit-blast sat))\n";

/// Which solver to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolverProgram {
    /// Its name or path.
    pub path: OsString,
    kind: SolverKind,
}

/// What a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SolverLogic {
    /// Bit vectors only.
    Bits,
    /// Floating point numbers too.
    Numbers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SolverKind {
    Z3,
    Bitwuzla,
    Cvc5,
}

/// Why a solver cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    /// It is not installed.
    #[error("the solver '{0}' was not found")]
    Missing(String),
    /// It cannot be started.
    #[error("failed to start the solver '{name}': {error}")]
    Start {
        /// Its name or path.
        name: String,
        /// What the system says.
        error: std::io::Error,
    },
}

impl SolverError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            SolverError::Missing(_) => {
                "apt install z3, or name another one with --solver: z3, cvc5, bitwuzla or the path of one of these"
            }
            SolverError::Start { .. } => "--solver takes z3, cvc5, bitwuzla or the path of one",
        }
    }
}

impl Default for SolverProgram {
    fn default() -> SolverProgram {
        SolverProgram {
            path: "z3".into(),
            kind: SolverKind::Z3,
        }
    }
}

impl FromStr for SolverProgram {
    type Err = String;

    /// A name or a path. The file name says which solver it is.
    fn from_str(text: &str) -> Result<SolverProgram, String> {
        let name = Path::new(text).file_name().unwrap_or(OsStr::new(""));
        let name = name.to_string_lossy();
        let known = [
            ("z3", SolverKind::Z3),
            ("bitwuzla", SolverKind::Bitwuzla),
            ("cvc5", SolverKind::Cvc5),
        ];
        let found = known.iter().find(|(start, _)| name.starts_with(start));
        let (_, kind) =
            found.ok_or("expected z3, bitwuzla, cvc5, or the path of a file with such a name")?;
        Ok(SolverProgram {
            path: text.into(),
            kind: *kind,
        })
    }
}

impl SolverProgram {
    /// The arguments that make it read from standard input, with a limit for each query. z3 counts its work, so that a busy machine
    /// gives the same answer; the others count time.
    pub(super) fn arguments(&self, limit: Duration) -> Vec<String> {
        let limit = limit.as_millis().max(1);
        match self.kind {
            SolverKind::Z3 => vec![
                "-in".to_owned(),
                "-smt2".to_owned(),
                format!("rlimit={}", limit.saturating_mul(Z3_WORK).min(MOST_Z3_WORK)),
            ],
            SolverKind::Bitwuzla => vec![
                "--produce-models".to_owned(),
                format!("--time-limit-per={limit}"),
            ],
            SolverKind::Cvc5 => vec![
                "--incremental".to_owned(),
                "--produce-models".to_owned(),
                "--lang=smt2".to_owned(),
                format!("--tlimit-per={limit}"),
            ],
        }
    }

    /// How long to wait for an answer before the solver is killed.
    pub(super) fn patience(&self, limit: Duration) -> Duration {
        match self.kind {
            // Work takes its time where others work too.
            SolverKind::Z3 => limit.saturating_mul(20) + GRACE,
            SolverKind::Bitwuzla | SolverKind::Cvc5 => limit + GRACE,
        }
    }

    /// The first commands to send if the solver shall name contradictions.
    pub(super) fn explaining_greeting(&self, logic: SolverLogic) -> String {
        format!(
            "(set-option :produce-unsat-cores true)\n{}",
            self.greeting(logic)
        )
    }

    /// The first commands to send.
    pub(super) fn greeting(&self, logic: SolverLogic) -> String {
        let models = match self.kind {
            SolverKind::Z3 => "(set-option :produce-models true)\n",
            SolverKind::Bitwuzla | SolverKind::Cvc5 => "",
        };
        let logic = match logic {
            SolverLogic::Bits => "QF_BV",
            SolverLogic::Numbers => "QF_BVFP",
        };
        format!("{models}(set-logic {logic})\n")
    }

    /// The command that asks. z3 takes floating point apart bit by bit, which it does several times as fast if it is told how.
    pub(super) fn question(&self, logic: SolverLogic) -> &'static str {
        match (self.kind, logic) {
            (SolverKind::Z3, SolverLogic::Numbers) => Z3_NUMBERS,
            _ => "(check-sat)\n",
        }
    }
}
