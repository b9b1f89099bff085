use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// The solver to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name or path.
    pub path: OsString,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Z3,
    Bitwuzla,
    Cvc5,
}

/// Why a solver cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    /// It is not on this machine.
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

impl Default for Program {
    fn default() -> Program {
        Program {
            path: "z3".into(),
            kind: Kind::Z3,
        }
    }
}

impl FromStr for Program {
    type Err = String;

    /// A name or a path. What kind of solver it is says the name of the file.
    fn from_str(text: &str) -> Result<Program, String> {
        let name = Path::new(text).file_name().unwrap_or(OsStr::new(""));
        let name = name.to_string_lossy();
        let known = [
            ("z3", Kind::Z3),
            ("bitwuzla", Kind::Bitwuzla),
            ("cvc5", Kind::Cvc5),
        ];
        let found = known.iter().find(|(start, _)| name.starts_with(start));
        let (_, kind) =
            found.ok_or("expected z3, bitwuzla, cvc5, or the path of a file with such a name")?;
        Ok(Program {
            path: text.into(),
            kind: *kind,
        })
    }
}

impl Program {
    /// The arguments that make it listen, with a limit for each question.
    pub(super) fn arguments(&self, limit: Duration) -> Vec<String> {
        let limit = limit.as_millis().max(1);
        match self.kind {
            Kind::Z3 => vec!["-in".to_owned(), "-smt2".to_owned(), format!("-t:{limit}")],
            Kind::Bitwuzla => vec![
                "--produce-models".to_owned(),
                format!("--time-limit-per={limit}"),
            ],
            Kind::Cvc5 => vec![
                "--incremental".to_owned(),
                "--produce-models".to_owned(),
                "--lang=smt2".to_owned(),
                format!("--tlimit-per={limit}"),
            ],
        }
    }

    /// What it is told first.
    pub(super) fn greeting(&self) -> String {
        let models = "(set-option :produce-models true)\n";
        match self.kind {
            Kind::Z3 => format!("{models}(set-logic QF_BV)\n"),
            Kind::Bitwuzla | Kind::Cvc5 => "(set-logic QF_BV)\n".to_owned(),
        }
    }
}
