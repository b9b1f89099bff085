//! What is in reach between two statements, and what may be missing there: an assignment to a number of a structure.

use std::collections::BTreeMap;

use super::catalog::{Intervention, InterventionAction, Way};
use super::profile::{InterventionPlace, PlaceKind, Profile};
use crate::value::ValueForm;

/// What is in reach between two statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// Variables that can be passed.
    pub variables: Vec<GapVariable>,
    /// What can be assigned.
    pub numbers: Vec<GapNumber>,
    /// Whether it is behind the line that it is told at, and not before it.
    pub is_behind: bool,
}

/// A variable that is a structure or an array, or points to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GapVariable {
    /// Its number in the gap.
    pub number: u64,
    /// The name of the type that it is, or points to.
    pub kind: String,
    /// As in the source.
    pub name: String,
}

impl Gap {
    /// What the table has of a gap. What cannot be read is left out.
    pub(super) fn parse(text: &str) -> Gap {
        let mut gap = Gap::default();
        for field in text.split(';') {
            gap.is_behind |= field == BEHIND;
            match GapVariable::parse(field) {
                Some(variable) => gap.variables.push(variable),
                None => gap.numbers.extend(GapNumber::parse(field)),
            }
        }
        gap
    }
}

/// What the table has of a gap behind its line.
pub(super) const BEHIND: &str = "behind";

impl GapVariable {
    fn parse(text: &str) -> Option<GapVariable> {
        let (number, rest) = text.split_once(" *")?;
        let (kind, name) = rest.split_once(' ')?;
        Some(GapVariable {
            number: number.parse().ok()?,
            kind: kind.to_owned(),
            name: name.to_owned(),
        })
    }
}

/// A number or pointer that can be assigned in a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GapNumber {
    /// Which one of the structures that the gap knows.
    pub structure: u64,
    /// Where in it, in bytes.
    pub offset: u64,
    /// How its values are to be read.
    pub form: ValueForm,
    /// As in the source: `list->count`.
    pub name: String,
}

impl GapNumber {
    fn parse(text: &str) -> Option<GapNumber> {
        let mut fields = text.splitn(4, ' ');
        let mut next = || fields.next();
        Some(GapNumber {
            structure: next()?.parse().ok()?,
            offset: next()?.parse().ok()?,
            form: ValueForm::parse(next()?)?,
            name: next()?.to_owned(),
        })
    }

    /// How many bytes it has.
    pub(super) fn bytes(&self) -> usize {
        match self.form {
            ValueForm::Integer { bits, .. } => bits.div_ceil(8) as usize,
            ValueForm::Float => 4,
            ValueForm::Double | ValueForm::Pointer => 8,
        }
    }
}

/// So many values that members of the same name were assigned elsewhere are tried.
const MOST_OWN: usize = 3;

/// Assignments to try in the gaps of a run, at most so many: first the values that members of the same name were assigned elsewhere,
/// then usual ones, at last one more and one less than what is there.
pub fn assignments(profile: &Profile, most: usize) -> Vec<Intervention> {
    let moments = Moments::of(profile);
    let assigned = assigned(profile);
    let mut found: Vec<(usize, Intervention)> = Vec::new();
    for (index, place) in profile.places.iter().enumerate() {
        let PlaceKind::Gap(gap) = &place.kind else {
            continue;
        };
        if profile.counts.get(index).is_none_or(|count| *count == 0) {
            continue;
        }
        let moment = moments.behind(index);
        for (position, number) in gap.numbers.iter().enumerate() {
            for (round, (value, is_added)) in values(&assigned, number).into_iter().enumerate() {
                let intervention = Intervention {
                    process: 0,
                    place: index,
                    instances: Vec::new(),
                    action: InterventionAction::Assign {
                        number: position,
                        value,
                        is_added,
                    },
                    way: Way::Assignment,
                    moment,
                };
                found.push((round, intervention));
            }
        }
    }
    found.sort_by_key(|(round, _)| *round);
    found.truncate(most);
    found
        .into_iter()
        .map(|(_, intervention)| intervention)
        .collect()
}

/// When each place was reached first.
pub(super) struct Moments(Vec<Option<usize>>);

impl Moments {
    pub fn of(profile: &Profile) -> Moments {
        let mut first = vec![None; profile.places.len()];
        for (moment, (place, _)) in profile.log.iter().enumerate() {
            first[*place].get_or_insert(moment);
        }
        Moments(first)
    }

    /// When a place was reached that has no moments of its own: it is as early as the places behind it.
    pub fn behind(&self, index: usize) -> usize {
        let behind = self.0.iter().skip(index + 1).take(8).flatten();
        behind.min().copied().unwrap_or(0)
    }
}

/// The first values that members were assigned, by their names and forms.
fn assigned(profile: &Profile) -> BTreeMap<(&str, String), Vec<u64>> {
    let is_store = |place: &InterventionPlace| place.kind == PlaceKind::Store;
    let keys: Vec<Option<(&str, String)>> = profile
        .places
        .iter()
        .map(|place| is_store(place).then(|| (member(&place.text), class(place.form))))
        .collect();
    let mut assigned: BTreeMap<(&str, String), Vec<u64>> = BTreeMap::new();
    for (place, value) in &profile.log {
        if let Some(key) = &keys[*place] {
            let known = assigned.entry(key.clone()).or_default();
            if known.len() < MOST_OWN && !known.contains(value) {
                known.push(*value);
            }
        }
    }
    assigned
}

/// What a number is set to, and whether that is added to what is there.
fn values(assigned: &BTreeMap<(&str, String), Vec<u64>>, number: &GapNumber) -> Vec<(u64, bool)> {
    let key = (member(&number.name), class(number.form));
    let mut found = assigned.get(&key).cloned().unwrap_or_default();
    for usual in super::value::usual(number.form).into_iter().take(2) {
        if !found.contains(&usual) {
            found.push(usual);
        }
    }
    let mut all: Vec<(u64, bool)> = found.into_iter().map(|value| (value, false)).collect();
    if matches!(number.form, ValueForm::Integer { .. } | ValueForm::Pointer) {
        all.extend([(1, true), (u64::MAX, true)]);
    }
    all
}

/// What numbers of the same form have in common, with a sign or without.
fn class(form: ValueForm) -> String {
    match form {
        ValueForm::Integer { bits, .. } => format!("i{bits}"),
        other => format!("{other:?}"),
    }
}

/// The last part of a name: that of the member.
fn member(name: &str) -> &str {
    name.rsplit(['.', '>']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(kind: PlaceKind, text: &str) -> InterventionPlace {
        InterventionPlace::example(kind, "f", text)
    }

    fn profile() -> Profile {
        let gap = Gap::parse("0 *list list;0 8 i32 list->count;1 0 p at.next;nonsense");
        assert_eq!((gap.variables.len(), gap.numbers.len()), (1, 2));
        Profile {
            places: vec![
                place(PlaceKind::Gap(gap), ""),
                place(PlaceKind::Store, "other.count"),
                place(PlaceKind::Gap(Gap::default()), ""),
            ],
            counts: vec![1, 2, 0],
            log: vec![(1, 5), (1, 6)],
            ..Profile::default()
        }
    }

    #[test]
    fn values_of_members_of_the_same_name_are_tried_first() {
        let all = assignments(&profile(), 100);
        let of = |wanted: usize| {
            let actions = all.iter().map(|intervention| intervention.action);
            let values = actions.filter_map(move |action| match action {
                InterventionAction::Assign {
                    number,
                    value,
                    is_added,
                } => (number == wanted).then_some((value, is_added)),
                _ => None,
            });
            values.collect::<Vec<(u64, bool)>>()
        };
        let more_and_less = [(1, true), (u64::MAX, true)];
        let absolute = [5, 6, 0, 1].map(|value| (value, false));
        assert_eq!(of(0), [&absolute[..], &more_and_less].concat());
        assert_eq!(of(1), [&[(0, false)][..], &more_and_less].concat());
    }

    #[test]
    fn a_limit_leaves_out_the_least_likely_values_of_each_number() {
        let all = assignments(&profile(), 2);
        let actions: Vec<InterventionAction> = all.iter().map(|one| one.action).collect();
        let assign = |number, value| InterventionAction::Assign {
            number,
            value,
            is_added: false,
        };
        assert_eq!(actions, [assign(0, 5), assign(1, 0)]);
    }
}
