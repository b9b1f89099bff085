use std::fmt;

/// What a test said of a candidate: exactly three outcomes, as in POSIX 1003.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The failure does not occur.
    Pass,
    /// The failure that is looked for occurs.
    Fail,
    /// Neither can be said: it does not build, hangs, or fails in another way.
    Unresolved,
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Unresolved => "unresolved",
        })
    }
}
