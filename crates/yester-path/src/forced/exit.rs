//! What may be missing between two statements: a `return`, a `continue` or a `break`, and so the guard that leads to one.

use std::collections::BTreeMap;

use super::experiment::{Experiment, ForcedAction, Way, chosen};
use super::gap::Moments;
use super::profile::{ForcedPlace, PlaceKind, Profile};
use super::value;
use crate::value::ValueForm;

/// How control leaves, by the number that the runtime knows it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitWay {
    /// The function returns.
    Return = 1,
    /// The innermost loop begins its next turn.
    Next = 2,
    /// The innermost loop ends.
    Break = 3,
}

/// The ways to leave at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exits {
    /// What can be done.
    pub ways: Vec<ExitWay>,
    /// Whether the function returns a value.
    pub has_value: bool,
}

impl Exits {
    /// As the table has them.
    pub(super) fn parse(ways: &str, form: &str) -> Exits {
        let way = |word| match word {
            "return" => Some(ExitWay::Return),
            "next" => Some(ExitWay::Next),
            "break" => Some(ExitWay::Break),
            _ => None,
        };
        Exits {
            ways: ways.split(' ').filter_map(way).collect(),
            has_value: ValueForm::parse(form).is_some(),
        }
    }
}

/// So many executions of each exit are tried on their own.
const MOST_EXECUTIONS: usize = 4;
/// So many values that the function returned are tried, and so many of other places in it.
const MOST_RETURNED: usize = 3;
const MOST_OTHERS: usize = 3;

/// Exits to try in a run, at most so many: at all times, then at the last, the first and other executions.
pub fn exits(profile: &Profile, most: usize) -> Vec<Experiment> {
    let moments = Moments::of(profile);
    let values = Values::of(profile);
    let mut found: Vec<(usize, Experiment)> = Vec::new();
    for (index, place) in profile.places.iter().enumerate() {
        let PlaceKind::Exit(exits) = &place.kind else {
            continue;
        };
        let count = profile.counts.get(index).copied().unwrap_or(0) as usize;
        let single = (0..MOST_EXECUTIONS).filter_map(|round| chosen(count, round, MOST_EXECUTIONS));
        let single = single.map(|time| vec![time as u64 + 1]);
        let always = (count > 1).then(Vec::new);
        let moment = moments.behind(index);
        for (round, instances) in always.into_iter().chain(single).enumerate() {
            for way in &exits.ways {
                let returned = match way {
                    ExitWay::Return if exits.has_value => values.returned(place),
                    _ => vec![0],
                };
                for (rank, value) in returned.into_iter().enumerate() {
                    let action = ForcedAction::Leave { way: *way, value };
                    let experiment = Experiment {
                        process: 0,
                        place: index,
                        instances: instances.clone(),
                        action,
                        way: Way::Exit,
                        moment,
                    };
                    found.push((round + rank, experiment));
                }
            }
        }
    }
    found.sort_by_key(|(round, _)| *round);
    found.truncate(most);
    let experiments = found.into_iter().map(|(_, experiment)| experiment);
    experiments.collect()
}

/// What the runtime is told: where to go, and the value that is returned.
pub(super) fn code(form: ValueForm, way: ExitWay, value: u64) -> u64 {
    match form {
        ValueForm::Double => value & !3 | way as u64,
        _ => value << 2 | way as u64,
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
    fn returned(&self, place: &ForcedPlace) -> Vec<u64> {
        let function = place.function.as_str();
        let returned = self.returned.get(function).into_iter().flatten().copied();
        let others = self.others.get(function).into_iter().flatten();
        let others = others.filter(|(form, _)| *form == place.form);
        let others = others.map(|(_, value)| *value).take(MOST_OTHERS);
        let all = returned.chain(value::usual(place.form)).chain(others);
        let mut found: Vec<u64> = Vec::new();
        for value in all {
            if !found.contains(&value) {
                found.push(value);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(kind: PlaceKind, text: &str) -> ForcedPlace {
        ForcedPlace {
            module: 1,
            number: 0,
            kind,
            form: ValueForm::parse("i32").expect("a form"),
            file: "a.c".to_owned(),
            line: 1,
            column: 1,
            function: "f".to_owned(),
            text: text.to_owned(),
        }
    }

    fn leaves(profile: &Profile) -> Vec<(Vec<u64>, ExitWay, u64)> {
        let all = exits(profile, 100).into_iter();
        all.map(|one| match one.action {
            ForcedAction::Leave { way, value } => (one.instances, way, value),
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
    fn the_lowest_bits_of_a_floating_point_number_say_where_to_go() {
        let value = 1.5_f64.to_bits();
        assert_eq!(code(ValueForm::Double, ExitWay::Return, value), value | 1);
        let form = ValueForm::parse("i32").expect("a form");
        assert_eq!(code(form, ExitWay::Return, 5), 21);
    }
}
