//! What may be missing between two statements: a call of a function of the program.
//!
//! A function can be called where its pointers can point to variables in reach. Numbers are those that it was given elsewhere.

use std::collections::{BTreeMap, BTreeSet};

pub use yester_pathrt::protocol::CallArgument;
use yester_pathrt::protocol::MOST_ARGUMENTS;

use super::catalog::{Intervention, InterventionAction, Way, rounds};
use super::gap::{Gap, Moments};
use super::profile::{InterventionPlace, PlaceKind, Profile};
use super::value;
use crate::value::ValueForm;

/// A function that can be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallableFunction {
    /// What tells its module from others.
    pub module: u64,
    /// Its number in the module.
    pub number: u64,
    /// As the linker knows it.
    pub name: String,
    /// Whether it returns nothing.
    pub is_void: bool,
    /// What it takes.
    pub parameters: Vec<Parameter>,
}

/// What a function takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A pointer to something with this name.
    Pointer(String),
    /// A number.
    Number(ValueForm),
}

impl CallableFunction {
    /// As the table has it: what is returned, and what is taken. Nothing if it cannot be called.
    pub(super) fn parse(
        module: u64,
        number: u64,
        name: &str,
        signature: &str,
    ) -> Option<CallableFunction> {
        let mut words = signature.split(' ');
        let result = words
            .next()
            .filter(|word| ["void", "word"].contains(word))?;
        let parameter = |word: &str| match word.strip_prefix('*') {
            Some(kind) => Some(Parameter::Pointer(kind.to_owned())),
            None => Some(Parameter::Number(ValueForm::parse(word)?)),
        };
        Some(CallableFunction {
            module,
            number,
            name: name.to_owned(),
            is_void: result == "void",
            parameters: words.map(parameter).collect::<Option<Vec<Parameter>>>()?,
        })
    }
}

/// The arguments of a call; those behind the last one are zero.
pub type CallArguments = [CallArgument; MOST_ARGUMENTS];

/// So many executions of each gap are tried on their own.
const MOST_EXECUTIONS: usize = 3;
/// So many values are tried for a number, and so many combinations of arguments for a function.
const MOST_VALUES: usize = 3;
const MOST_COMBINATIONS: usize = 4;

/// Calls to try in the gaps of a run, at most so many: at all times, then at the last, the first and other executions. Functions that are called in the
/// same function, and those that the run never called, come before others.
pub fn calls(profile: &Profile, most: usize) -> Vec<Intervention> {
    let moments = Moments::of(profile);
    let seen = Seen::of(profile);
    let mut found: Vec<(usize, Intervention)> = Vec::new();
    for (index, place) in profile.places.iter().enumerate() {
        let PlaceKind::Gap(gap) = &place.kind else {
            continue;
        };
        let count = profile.counts.get(index).copied().unwrap_or(0) as usize;
        let rounds = rounds(count, MOST_EXECUTIONS);
        let moment = moments.behind(index);
        for (function, callee) in profile.functions.iter().enumerate() {
            if callee.module != place.module || !seen.is_statement(callee, place) {
                continue;
            }
            let distance = seen.distance(callee, place);
            for (rank, arguments) in seen.combinations(callee, gap).into_iter().enumerate() {
                for (round, instances) in rounds.iter().enumerate() {
                    let intervention = Intervention {
                        process: 0,
                        place: index,
                        instances: instances.clone(),
                        action: InterventionAction::Call {
                            function,
                            arguments,
                        },
                        way: Way::Call,
                        moment,
                    };
                    found.push((distance + rank + round, intervention));
                }
            }
        }
    }
    found.sort_by_key(|(round, _)| *round);
    found.truncate(most);
    let interventions = found.into_iter().map(|(_, intervention)| intervention);
    interventions.collect()
}

/// What a run tells about its calls.
struct Seen<'a> {
    /// The values that functions were given, by their names and the numbers of the parameters, from 1.
    given: BTreeMap<(&'a str, usize), Vec<u64>>,
    /// Functions whose results nobody uses, somewhere.
    statements: BTreeSet<&'a str>,
    /// Which function calls which one.
    pairs: BTreeSet<(&'a str, &'a str)>,
    /// Functions that the run was in.
    entered: BTreeSet<&'a str>,
}

impl<'a> Seen<'a> {
    fn of(profile: &'a Profile) -> Seen<'a> {
        let mut seen = Seen {
            given: BTreeMap::new(),
            statements: BTreeSet::new(),
            pairs: BTreeSet::new(),
            entered: BTreeSet::new(),
        };
        let arguments: Vec<Option<(&str, usize)>> = profile.places.iter().map(argument).collect();
        for (index, place) in profile.places.iter().enumerate() {
            if profile.counts.get(index).is_some_and(|count| *count > 0) {
                seen.entered.insert(&place.function);
            }
            let called = match (&place.kind, arguments[index]) {
                (PlaceKind::Call, _) => {
                    seen.statements.insert(&place.text);
                    Some(place.text.as_str())
                }
                (_, argument) => argument.map(|(callee, _)| callee),
            };
            let pair = called.map(|callee| (place.function.as_str(), callee));
            seen.pairs.extend(pair);
        }
        for (place, value) in &profile.log {
            if let Some(key) = arguments[*place] {
                let known = seen.given.entry(key).or_default();
                if known.len() < MOST_VALUES && !known.contains(value) {
                    known.push(*value);
                }
            }
        }
        seen
    }

    /// Whether a call of a function can be a statement of the function that a place is in.
    fn is_statement(&self, callee: &CallableFunction, place: &InterventionPlace) -> bool {
        let name = callee.name.as_str();
        name != place.function
            && !is_special(&crate::readable(name))
            && (callee.is_void || self.statements.contains(name))
    }

    /// How unlikely it is that a call of a function is missing there.
    fn distance(&self, callee: &CallableFunction, place: &InterventionPlace) -> usize {
        let name = callee.name.as_str();
        let is_near = self.pairs.contains(&(place.function.as_str(), name));
        usize::from(!is_near && self.entered.contains(name))
    }

    /// What a function can be given at a gap, the most likely first.
    fn combinations(&self, callee: &CallableFunction, gap: &Gap) -> Vec<CallArguments> {
        let mut found = vec![[CallArgument::Number(0); MOST_ARGUMENTS]];
        for (index, parameter) in callee.parameters.iter().enumerate().take(MOST_ARGUMENTS) {
            let options: Vec<CallArgument> = match parameter {
                Parameter::Pointer(kind) => {
                    let fitting = gap.variables.iter().filter(|one| one.kind == *kind);
                    let fitting = fitting.map(|one| CallArgument::Variable(one.number));
                    fitting.collect()
                }
                Parameter::Number(form) => {
                    let given = self.given.get(&(callee.name.as_str(), index + 1));
                    let given = given.into_iter().flatten().copied();
                    let usual = value::usual(*form).into_iter().take(2);
                    let mut values: Vec<u64> = Vec::new();
                    for value in given.chain(usual) {
                        if values.len() < MOST_VALUES && !values.contains(&value) {
                            values.push(value);
                        }
                    }
                    values.into_iter().map(CallArgument::Number).collect()
                }
            };
            let with = |known: &CallArguments, option: &CallArgument| {
                let mut arguments = *known;
                arguments[index] = *option;
                arguments
            };
            // The first of each parameter come first.
            let longer = options
                .iter()
                .flat_map(|option| found.iter().map(move |known| with(known, option)));
            found = longer.take(MOST_COMBINATIONS).collect();
        }
        found
    }
}

/// Whether a function of C++ is a constructor, a destructor or an operator, which nobody calls by name.
fn is_special(name: &str) -> bool {
    let name = name.split('(').next().unwrap_or_default();
    let mut parts = name.rsplit("::");
    let own = parts.next().unwrap_or_default();
    let class = parts.next().map(|class| class.split('<').next());
    class.is_some_and(|class| class == own.split('<').next())
        || own.starts_with('~')
        || own.starts_with("operator")
}

/// The function and the number of the parameter that a place passes a value for: `argument 2 of f`.
fn argument(place: &InterventionPlace) -> Option<(&str, usize)> {
    if place.kind != PlaceKind::Value {
        return None;
    }
    let (number, callee) = place.text.strip_prefix("argument ")?.split_once(" of ")?;
    Some((callee, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gap in `f`, which calls `near`; `g` calls `far`, and nobody calls `never`.
    fn profile(signatures: &[(&str, &str)]) -> Profile {
        let gap = Gap::parse("0 *list first;1 *list second;2 *char name");
        let functions = signatures
            .iter()
            .enumerate()
            .map(|(number, (name, signature))| {
                CallableFunction::parse(1, number as u64, name, signature).expect("a signature")
            });
        Profile {
            places: vec![
                InterventionPlace::example(PlaceKind::Gap(gap), "f", ""),
                InterventionPlace::example(PlaceKind::Value, "f", "argument 2 of near"),
                InterventionPlace::example(PlaceKind::Call, "g", "far"),
                InterventionPlace::example(PlaceKind::Value, "far", "x"),
            ],
            counts: vec![1, 2, 1, 1],
            log: vec![(1, 40), (1, 44), (2, 1), (3, 1)],
            functions: functions.collect(),
            ..Profile::default()
        }
    }

    fn called(profile: &Profile) -> Vec<(&str, Vec<CallArgument>)> {
        let all = calls(profile, 100).into_iter();
        all.map(|one| match one.action {
            InterventionAction::Call {
                function,
                arguments,
            } => {
                let callee = &profile.functions[function];
                let count = callee.parameters.len();
                (callee.name.as_str(), arguments[..count].to_vec())
            }
            action => panic!("{action:?}"),
        })
        .collect()
    }

    #[test]
    fn pointers_are_variables_of_their_type_and_numbers_those_of_other_calls() {
        use CallArgument::{Number, Variable};
        let profile = profile(&[("near", "void *list i32")]);
        let calls = called(&profile);
        let arguments: Vec<Vec<CallArgument>> = calls.into_iter().map(|one| one.1).collect();
        let wanted = [
            [Variable(0), Number(40)],
            [Variable(1), Number(40)],
            [Variable(0), Number(44)],
            [Variable(1), Number(44)],
        ];
        assert_eq!(arguments, wanted);
    }

    #[test]
    fn nobody_calls_constructors_by_name() {
        let special = [
            "A::A(int)",
            "n::List<int>::List()",
            "A::~A()",
            "A::operator+(A)",
        ];
        assert!(special.into_iter().all(is_special));
        let plain = ["push", "A::push(int)", "n::List<int>::push(int)"];
        assert!(!plain.into_iter().any(is_special));
    }

    #[test]
    fn functions_that_are_called_elsewhere_only_come_last() {
        let profile = profile(&[
            ("far", "word"),
            ("near", "void"),
            ("never", "void"),
            ("pure", "word"),
            ("other", "void *tree"),
            ("f", "void"),
        ]);
        let names: Vec<&str> = called(&profile).into_iter().map(|one| one.0).collect();
        // Nobody ignores what `pure` returns, nothing is a tree, and `f` does not call itself.
        assert_eq!(names, ["near", "never", "far"]);
    }
}
