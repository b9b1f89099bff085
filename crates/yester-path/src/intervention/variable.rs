//! Other variables that a value may have been meant to be.
//!
//! A variable is known by the places that assign it: assignments in its function, or, of a parameter, what callers pass.

use std::collections::BTreeMap;

use yester_pathrt::protocol::{Form, MOST_NUMBERS};

use super::catalog::Executions;
use super::profile::{InterventionPlace, PlaceKind, Profile};
use crate::value::ValueForm;

/// So many other variables are tried at a place.
const MOST_VARIABLES: usize = 8;
/// So many executions of a place tell whether another variable would have made a difference.
const MOST_EXECUTIONS: usize = 256;

/// Begins the name of what is passed: `argument 2 of f`.
const ARGUMENT: &str = "argument ";

/// The function whose variable a place assigns.
pub fn scope(place: &InterventionPlace) -> Option<&str> {
    match place.kind {
        PlaceKind::Store => Some(&place.function),
        PlaceKind::Value if place.text.starts_with(ARGUMENT) => {
            place.text.split_once(" of ").map(|(_, callee)| callee)
        }
        _ => None,
    }
}

/// A variable that a run has assigned.
struct Variable {
    /// The places that assign it.
    places: Vec<usize>,
    /// When it was assigned, and which value, as 64 bits.
    assigned: Vec<(usize, u64)>,
}

/// The variables of a run, by their modules and functions.
pub struct Variables<'a> {
    profile: &'a Profile,
    executions: &'a [Executions],
    by_function: BTreeMap<(u64, &'a str), Vec<Variable>>,
}

impl<'a> Variables<'a> {
    /// Those that a run has assigned.
    pub fn new(profile: &'a Profile, executions: &'a [Executions]) -> Variables<'a> {
        let mut places: BTreeMap<(u64, &str, &str), Vec<usize>> = BTreeMap::new();
        for (index, place) in profile.places.iter().enumerate() {
            let is_reached = profile.counts.get(index).is_some_and(|count| *count > 0);
            if let (Some(scope), true) = (scope(place), is_reached) {
                let key = (place.module, scope, place.text.as_str());
                places.entry(key).or_default().push(index);
            }
        }
        let mut by_function: BTreeMap<(u64, &str), Vec<Variable>> = BTreeMap::new();
        for ((module, scope, _), mut places) in places {
            places.truncate(MOST_NUMBERS);
            let form = number_form(profile.places[places[0]].form);
            let mut assigned: Vec<(usize, u64)> = places
                .iter()
                .flat_map(|index| &executions[*index])
                .map(|(value, moment)| (*moment, form.extended(*value)))
                .collect();
            assigned.sort_unstable();
            let known = by_function.entry((module, scope)).or_default();
            known.push(Variable { places, assigned });
        }
        Variables {
            profile,
            executions,
            by_function,
        }
    }

    /// The variables that a place could have had its value from, the nearest first, each by one of its places: those that would have made a
    /// difference, and none that would have made the same difference as another one or as one of these values.
    pub fn others(&self, index: usize, known: &[u64]) -> Vec<usize> {
        let place = &self.profile.places[index];
        let key = (place.module, place.function.as_str());
        let Some(variables) = self.by_function.get(&key) else {
            return Vec::new();
        };
        let own = &self.executions[index];
        let own = &own[..own.len().min(MOST_EXECUTIONS)];
        let mask = mask(place.form);
        let is_other = |variable: &&Variable| {
            let first = &self.profile.places[variable.places[0]];
            is_of_class(first.form, place.form)
                && !(place.kind == PlaceKind::Store && first.text == place.text)
        };
        let mut variables: Vec<&Variable> = variables.iter().filter(is_other).collect();
        let distance = |variable: &Variable| {
            let lines = variable
                .places
                .iter()
                .map(|index| &self.profile.places[*index]);
            let inside = lines.filter(|one| one.function == place.function);
            inside.map(|one| one.line.abs_diff(place.line)).min()
        };
        // Parameters have no line inside of the function and come first.
        variables.sort_by_key(|variable| distance(variable));
        let mut seen: Vec<Vec<u64>> = vec![own.iter().map(|(value, _)| *value).collect()];
        let mut found = Vec::new();
        for Variable { places, assigned } in variables {
            let values: Vec<u64> = own
                .iter()
                .map(|(value, moment)| {
                    let before = assigned.partition_point(|(at, _)| at < moment);
                    before
                        .checked_sub(1)
                        .map_or(*value, |at| assigned[at].1 & mask)
                })
                .collect();
            let is_constant = values.iter().all(|value| *value == values[0]);
            if values.is_empty()
                || seen.contains(&values)
                || is_constant && known.contains(&values[0])
            {
                continue;
            }
            seen.push(values);
            found.push(places[0]);
            if found.len() == MOST_VARIABLES {
                break;
            }
        }
        found
    }
}

/// The places that assign the same variable as one of them, as a plan has them: their numbers in the module.
pub fn places_of(profile: &Profile, index: usize) -> impl Iterator<Item = u64> {
    let wanted = &profile.places[index];
    let is_same = move |place: &&InterventionPlace| {
        place.module == wanted.module
            && place.text == wanted.text
            && place.kind == wanted.kind
            && scope(place) == scope(wanted)
    };
    let counted = profile.places.iter().zip(&profile.counts);
    let reached = counted.filter(|(_, count)| **count > 0);
    let places = reached.map(|(place, _)| place).filter(is_same);
    places.map(|place| place.number).take(MOST_NUMBERS)
}

/// How the values of a variable are read, as a plan has it.
pub fn number_form(form: ValueForm) -> Form {
    let (bits, has_sign) = match form {
        ValueForm::Integer { bits, is_unsigned } => (bits, !is_unsigned),
        ValueForm::Float => (32, false),
        ValueForm::Double | ValueForm::Pointer => (64, false),
    };
    Form { bits, has_sign }
}

fn is_of_class(one: ValueForm, other: ValueForm) -> bool {
    let is_integer = |form| matches!(form, ValueForm::Integer { .. });
    one == other || is_integer(one) && is_integer(other)
}

fn mask(form: ValueForm) -> u64 {
    match form {
        ValueForm::Integer { bits, .. } => u64::MAX >> (64 - bits),
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(
        kind: PlaceKind,
        form: &str,
        function: &str,
        line: u32,
        text: &str,
    ) -> InterventionPlace {
        InterventionPlace {
            module: 1,
            number: u64::from(line),
            kind,
            form: ValueForm::parse(form).expect("a form"),
            file: "a.c".to_owned(),
            line,
            column: 1,
            function: function.to_owned(),
            text: text.to_owned(),
        }
    }

    /// Two rounds of: `main` passes a number to `f`, which assigns `near`, `far`, a copy of `near`, and then `wrong`.
    fn profile() -> Profile {
        let mut profile = Profile {
            places: vec![
                place(PlaceKind::Value, "i8", "main", 9, "argument 1 of f"),
                place(PlaceKind::Store, "i32", "f", 2, "far"),
                place(PlaceKind::Store, "i32", "f", 4, "near"),
                place(PlaceKind::Store, "i32", "f", 3, "copy of near"),
                place(PlaceKind::Store, "i32", "f", 5, "wrong"),
            ],
            ..Profile::default()
        };
        for round in [1, 2] {
            let values = [0xFF - round, 10 * round, round, round, 7];
            profile.log.extend(values.into_iter().enumerate());
        }
        profile.counts = vec![2; profile.places.len()];
        profile
    }

    fn others(profile: &Profile, place: usize, known: &[u64]) -> Vec<usize> {
        let mut executions: Vec<Executions> = vec![Vec::new(); profile.places.len()];
        for (moment, (place, value)) in profile.log.iter().enumerate() {
            executions[*place].push((*value, moment));
        }
        Variables::new(profile, &executions).others(place, known)
    }

    #[test]
    fn parameters_come_first_and_what_makes_the_same_difference_comes_once() {
        assert_eq!(others(&profile(), 4, &[]), [0, 2, 1]);
    }

    #[test]
    fn what_makes_no_difference_or_that_of_a_known_value_is_left_out() {
        let mut profile = profile();
        // `near` is what `wrong` is, and `far` is always 3.
        for (place, value) in &mut profile.log {
            match *place {
                2 | 3 => *value = 7,
                1 => *value = 3,
                _ => {}
            }
        }
        assert_eq!(others(&profile, 4, &[3]), [0]);
        assert_eq!(others(&profile, 4, &[]), [0, 1]);
    }

    #[test]
    fn numbers_of_another_width_keep_their_sign() {
        let form = ValueForm::parse("i8").expect("a form");
        assert_eq!(number_form(form).extended(0xFE), u64::MAX - 1);
        assert!(places_of(&profile(), 0).eq([9]));
    }
}
