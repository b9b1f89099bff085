//! What a program is built for.

use std::ffi::OsString;

use crate::pass::predicate::PredicateChoice;

/// What a program is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To record what it does.
    Record(Recorded),
    /// To run with an intervention. It records nothing.
    Intervene,
    /// To record what it does while one of its values is another, which is followed to what it changes.
    Follow,
}

/// What a program records beside the branches that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// How its values depend on the input.
    pub is_symbolic: bool,
    /// The values that it assigns.
    pub has_values: bool,
    /// What the code reads and writes.
    pub has_dependence: bool,
}

/// Why a mode cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "read {VARIABLE}={0}: {1}\nhint: use trace, values or dependence, several with a comma between them, or intervene or follow alone"
)]
pub struct ModeError(String, String);

/// The environment variable that chooses a mode.
const VARIABLE: &str = "YESTER_CC_MODE";
/// The one that chooses the functions that get predicates.
const PREDICATES: &str = "YESTER_CC_PREDICATES";

/// What the environment asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// What the program is built for.
    pub mode: Mode,
    /// Which functions get predicates.
    pub predicates: PredicateChoice,
}

impl Purpose {
    /// Reads variables of the environment by their names.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Purpose, ModeError> {
        let text = |name| {
            let value = variable(name).unwrap_or_default();
            value.to_string_lossy().into_owned()
        };
        Ok(Purpose {
            mode: Mode::parse(&text(VARIABLE))?,
            predicates: PredicateChoice::read(&text(PREDICATES)),
        })
    }
}

impl Mode {
    fn parse(text: &str) -> Result<Mode, ModeError> {
        let error = |why: String| Err(ModeError(text.to_owned(), why));
        let mut recorded = Recorded {
            is_symbolic: true,
            has_values: false,
            has_dependence: false,
        };
        let words = text.split(',').map(str::trim);
        for word in words.filter(|_| !text.is_empty()) {
            match word {
                "trace" => recorded.is_symbolic = false,
                "values" => recorded.has_values = true,
                "dependence" => recorded.has_dependence = true,
                "intervene" | "follow" if word != text => {
                    return error(format!("{word} goes with nothing else"));
                }
                "intervene" => return Ok(Mode::Intervene),
                "follow" => return Ok(Mode::Follow),
                _ => return error(format!("'{word}' is no mode")),
            }
        }
        Ok(Mode::Record(recorded))
    }

    /// Whether the program follows how its values depend on the input.
    pub fn is_symbolic(self) -> bool {
        match self {
            Mode::Record(recorded) => recorded.is_symbolic,
            Mode::Intervene => false,
            Mode::Follow => true,
        }
    }

    /// Whether the program records the values that it assigns.
    pub fn has_values(self) -> bool {
        matches!(self, Mode::Record(recorded) if recorded.has_values)
    }

    /// Whether the program tells what its code reads and writes.
    pub fn has_dependence(self) -> bool {
        matches!(self, Mode::Record(recorded) if recorded.has_dependence)
    }

    /// Whether the program has places for interventions.
    pub fn has_places(self) -> bool {
        matches!(self, Mode::Intervene | Mode::Follow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_be_joined_if_they_say_what_is_recorded() {
        let recorded = |is_symbolic, has_values, has_dependence| {
            Ok(Mode::Record(Recorded {
                is_symbolic,
                has_values,
                has_dependence,
            }))
        };
        assert_eq!(Mode::parse(""), recorded(true, false, false));
        assert_eq!(Mode::parse("trace"), recorded(false, false, false));
        assert_eq!(
            Mode::parse("values, dependence"),
            recorded(true, true, true)
        );
        assert_eq!(Mode::parse("intervene"), Ok(Mode::Intervene));
        assert_eq!(Mode::parse("follow"), Ok(Mode::Follow));
    }

    #[test]
    fn a_word_that_nobody_knows_is_an_error_that_lists_those_that_are_known() {
        for (text, why) in [
            ("folow", "'folow' is no mode"),
            ("1", "'1' is no mode"),
            ("values,", "'' is no mode"),
            ("intervene,values", "intervene goes with nothing else"),
        ] {
            let message = Mode::parse(text).expect_err(text).to_string();
            let begin = format!("read YESTER_CC_MODE={text}: {why}\nhint: use trace, values");
            assert!(message.starts_with(&begin), "{message}");
        }
    }

    #[test]
    fn predicates_have_a_variable_of_their_own() {
        let variable = |name: &str| (name == PREDICATES).then(|| OsString::from("f"));
        let purpose = Purpose::read(variable).expect("a purpose");
        let named = PredicateChoice::Named(vec!["f".to_owned()]);
        assert_eq!(purpose.predicates, named);
        assert!(purpose.mode.is_symbolic());
    }
}
