//! What may be missing between two statements: a `return`, a `continue` or a `break`, and so the guard that leads to one, or an assignment to a
//! local variable.

use std::collections::BTreeMap;

pub use yester_pathrt::protocol::ExitWay;
use yester_pathrt::protocol::{ExitAction, ExitForm, ExitWord};

use super::catalog::{Intervention, InterventionAction, Way, rounds};
use super::gap::{BEHIND, Moments};
use super::profile::{InterventionPlace, PlaceKind, Profile};
use super::value;
use crate::value::ValueForm;

/// What can be done at a place between two statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exits {
    /// The ways to leave.
    pub ways: Vec<ExitWay>,
    /// Whether the function returns a value.
    pub has_value: bool,
    /// What can be assigned.
    pub numbers: Vec<LocalNumber>,
    /// Whether it is behind the line that it is told at, and not before it.
    pub is_behind: bool,
}

/// A local variable that is a number or a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalNumber {
    /// Its number at this place.
    pub number: u64,
    /// How its values are to be read.
    pub form: ValueForm,
    /// As in the source.
    pub name: String,
}

impl LocalNumber {
    fn parse(text: &str) -> Option<LocalNumber> {
        let mut fields = text.splitn(3, ' ');
        Some(LocalNumber {
            number: fields.next()?.parse().ok()?,
            form: ValueForm::parse(fields.next()?)?,
            name: fields.next()?.to_owned(),
        })
    }
}

impl Exits {
    /// As the table has them.
    pub(super) fn parse(text: &str, form: &str) -> Exits {
        let (ways, numbers) = text.split_once(';').unwrap_or((text, ""));
        Exits {
            ways: ways.split(' ').filter_map(ExitWay::parse).collect(),
            has_value: ValueForm::parse(form).is_some(),
            numbers: numbers.split(';').filter_map(LocalNumber::parse).collect(),
            is_behind: numbers.split(';').any(|field| field == BEHIND),
        }
    }
}

/// So many executions of each exit are tried on their own.
const MOST_EXECUTIONS: usize = 4;
/// So many values that the function returned are tried, and so many of other places in it.
const MOST_RETURNED: usize = 3;
const MOST_OTHERS: usize = 3;
/// So many values of other places are tried for a variable.
const MOST_ASSIGNED: usize = 6;

/// Ways to leave to try in a run, at most so many: at all times, then at the last, the first and other executions.
pub fn exits(profile: &Profile, most: usize) -> Vec<Intervention> {
    let values = Values::of(profile);
    planned(profile, most, Way::Exit, |place, exits| {
        let ways = exits.ways.iter().map(|way| {
            let returned = match way {
                ExitWay::Return if exits.has_value => values.returned(place),
                _ => vec![0],
            };
            let leave = |value| InterventionAction::Leave { way: *way, value };
            returned.into_iter().map(leave).collect()
        });
        ways.collect()
    })
}

/// Assignments to local variables to try in a run, at most so many: values that the function has at other places, usual ones, one more
/// and one less than what is there.
pub fn local_assignments(profile: &Profile, most: usize) -> Vec<Intervention> {
    let values = Values::of(profile);
    planned(profile, most, Way::Assignment, |place, exits| {
        let numbers = exits.numbers.iter().enumerate();
        let numbers = numbers.map(|(number, LocalNumber { form, .. })| {
            let assign = |value, is_added| InterventionAction::Assign {
                number,
                value,
                is_added,
            };
            let mut all: Vec<InterventionAction> = values
                .assigned(&place.function, *form)
                .into_iter()
                .map(|value| assign(value, false))
                .collect();
            if matches!(form, ValueForm::Integer { .. } | ValueForm::Pointer) {
                all.extend([assign(1, true), assign(u64::MAX, true)]);
            }
            all
        });
        numbers.collect()
    })
}

/// What to do at the exits of a run: `actions` has a list for each thing that can be done at a place, the most likely first.
fn planned(
    profile: &Profile,
    most: usize,
    way: Way,
    actions: impl Fn(&InterventionPlace, &Exits) -> Vec<Vec<InterventionAction>>,
) -> Vec<Intervention> {
    let moments = Moments::of(profile);
    let mut found: Vec<(usize, Intervention)> = Vec::new();
    for (index, place) in profile.places.iter().enumerate() {
        let PlaceKind::Exit(exits) = &place.kind else {
            continue;
        };
        let count = profile.counts.get(index).copied().unwrap_or(0) as usize;
        let moment = moments.behind(index);
        let actions = actions(place, exits);
        for (round, instances) in rounds(count, MOST_EXECUTIONS).into_iter().enumerate() {
            for list in &actions {
                for (rank, action) in list.iter().enumerate() {
                    let intervention = Intervention {
                        process: 0,
                        place: index,
                        instances: instances.clone(),
                        action: *action,
                        way,
                        moment,
                    };
                    found.push((round + rank, intervention));
                }
            }
        }
    }
    found.sort_by_key(|(round, _)| *round);
    found.truncate(most);
    let interventions = found.into_iter().map(|(_, intervention)| intervention);
    interventions.collect()
}

/// What an exit is told to leave: where to go, and the value that is returned.
pub(super) fn leave(form: ValueForm, way: ExitWay, value: u64) -> ExitWord {
    ExitWord::encode(ExitAction::Leave(way), value, exit_form(form))
}

/// What an exit is told to assign.
pub(super) fn assign(number: &LocalNumber, value: u64, is_added: bool) -> ExitWord {
    let action = ExitAction::Assign {
        variable: number.number,
        is_added,
    };
    ExitWord::encode(action, value, exit_form(number.form))
}

fn exit_form(form: ValueForm) -> ExitForm {
    if form == ValueForm::Double {
        ExitForm::Double
    } else {
        ExitForm::Moved
    }
}

/// The values that functions returned, and those of their other places.
struct Values<'a> {
    returned: BTreeMap<&'a str, Vec<u64>>,
    others: BTreeMap<&'a str, Vec<(ValueForm, u64)>>,
}

impl<'a> Values<'a> {
    fn of(profile: &'a Profile) -> Values<'a> {
        let mut values = Values {
            returned: BTreeMap::new(),
            others: BTreeMap::new(),
        };
        for (place, value) in &profile.log {
            let place = &profile.places[*place];
            if !matches!(place.kind, PlaceKind::Store | PlaceKind::Value) {
                continue;
            }
            if place.text.starts_with("result of ") {
                let known = values.returned.entry(&place.function).or_default();
                if known.len() < MOST_RETURNED && !known.contains(value) {
                    known.push(*value);
                }
                continue;
            }
            // What is passed to a function is a value of that function.
            let scope = super::variable::scope(place).unwrap_or(&place.function);
            let known = values.others.entry(scope).or_default();
            if known.len() < 64 && !known.contains(&(place.form, *value)) {
                known.push((place.form, *value));
            }
        }
        values
    }

    /// What a function may return: what it returned elsewhere, usual values, and values that it has at other places.
    fn returned(&self, place: &InterventionPlace) -> Vec<u64> {
        let function = place.function.as_str();
        let returned = self.returned.get(function).into_iter().flatten().copied();
        let others = self.others(function, place.form).take(MOST_OTHERS);
        distinct(returned.chain(value::usual(place.form)).chain(others))
    }

    /// What a variable of a function may be assigned: values that the function has at other places, and usual ones.
    fn assigned(&self, function: &str, form: ValueForm) -> Vec<u64> {
        let others = self.others(function, form).take(MOST_ASSIGNED);
        distinct(others.chain(value::usual(form)))
    }

    fn others(&self, function: &str, form: ValueForm) -> impl Iterator<Item = u64> {
        let others = self.others.get(function).into_iter().flatten();
        let others = others.filter(move |(of, _)| *of == form);
        others.map(|(_, value)| *value)
    }
}

/// Each value once, in the order in which they come.
fn distinct(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut found: Vec<u64> = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(kind: PlaceKind, text: &str) -> InterventionPlace {
        InterventionPlace::example(kind, "f", text)
    }

    fn leaves(profile: &Profile) -> Vec<(Vec<u64>, ExitWay, u64)> {
        let all = exits(profile, 100).into_iter();
        all.map(|one| match one.action {
            InterventionAction::Leave { way, value } => (one.instances, way, value),
            action => panic!("{action:?}"),
        })
        .collect()
    }

    #[test]
    fn a_function_returns_what_it_returned_elsewhere_and_usual_values() {
        let exits = Exits::parse("return", "i32");
        let profile = Profile {
            places: vec![
                place(PlaceKind::Exit(exits), "return"),
                place(PlaceKind::Value, "result of f"),
            ],
            counts: vec![1, 2],
            log: vec![(1, 7), (1, 8)],
            ..Profile::default()
        };
        let values: Vec<u64> = leaves(&profile).into_iter().map(|one| one.2).collect();
        assert_eq!(values, [7, 8, 0, 1, 0xFFFF_FFFF]);
    }

    #[test]
    fn all_executions_come_before_single_ones() {
        let exits = Exits::parse("next break", "-");
        let profile = Profile {
            places: vec![place(PlaceKind::Exit(exits), "next break")],
            counts: vec![3],
            ..Profile::default()
        };
        let (next, end) = (ExitWay::Next, ExitWay::Break);
        let wanted = [vec![], vec![3], vec![1], vec![2]];
        let wanted = wanted
            .into_iter()
            .flat_map(|instances| [(instances.clone(), next, 0), (instances, end, 0)]);
        assert!(leaves(&profile).into_iter().eq(wanted));
    }

    #[test]
    fn a_local_variable_gets_values_that_its_function_has() {
        let exits = Exits::parse("return;0 i32 x;1 f64 y", "i32");
        let profile = Profile {
            places: vec![
                place(PlaceKind::Exit(exits), ""),
                place(PlaceKind::Store, "z"),
            ],
            counts: vec![1, 1],
            log: vec![(1, 9)],
            ..Profile::default()
        };
        let all = local_assignments(&profile, 100);
        let of_x: Vec<(u64, bool)> = all
            .iter()
            .filter_map(|one| match one.action {
                InterventionAction::Assign {
                    number: 0,
                    value,
                    is_added,
                } => Some((value, is_added)),
                _ => None,
            })
            .collect();
        let set = [9, 0, 1, 0xFFFF_FFFF].map(|value| (value, false));
        let added = [1, u64::MAX].map(|value| (value, true));
        assert_eq!(of_x, [&set[..], &added].concat());
    }
}
