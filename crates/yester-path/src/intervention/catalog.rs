//! What interventions to try, in which order.
//!
//! First what changes the program at a place for good, which takes few runs: other operators, branches that always go one way, comparisons that have
//! the other outcome for one value, statements that are always skipped, places that always have one value or that of another variable. Then single executions: the last one of each place, the first one, and
//! others in between, as far as the effort goes. Each time, places that are likely to matter come before the others, as far as somebody knows that. What would not have changed anything in this run is left out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use yester_pathrt::protocol::{MOST_NUMBERS, Operator};

use super::call::CallArguments;
use super::exit::ExitWay;
use super::operator;
use super::profile::{InterventionPlace, PlaceKind, Profile};
use super::value;
use super::variable::{self, Variables};
use crate::value::ValueForm;

/// How an intervention changes the run, and so what kind of evidence a right run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// An operator is another at all times.
    Operator,
    /// The right operand of an operator is one more or one less at all times.
    Operand,
    /// A branch goes the other way once.
    Branch,
    /// A value is another once.
    Value,
    /// A branch always goes one way, a place always has one value, or a statement is always skipped.
    Static,
    /// A statement is skipped once.
    Skip,
    /// Something more is assigned.
    Assignment,
    /// A function returns, or a loop goes on or ends, where it did not.
    Exit,
    /// A function is called where it was not.
    Call,
    /// A value is another that was computed from the output that is expected.
    Solved,
}

/// What an intervention does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterventionAction {
    /// The value is this one.
    Set(u64),
    /// The value is greater by so much, as a number of 64 bits.
    Add(u64),
    /// The branch goes the other way.
    Flip,
    /// Nothing is assigned, or called.
    Skip,
    /// The operator is this one, or has another right operand.
    Operator(Operator),
    /// The value is that of another variable, given by a place that assigns it.
    Variable(usize),
    /// The comparison has the other outcome where its left side has this value.
    FlipWhere(u64),
    /// Between two statements, a number gets this value, or what is there plus this value.
    Assign {
        /// The number, by its place in the list of the gap or exit.
        number: usize,
        /// The value.
        value: u64,
        /// Whether it is added to what is there.
        is_added: bool,
    },
    /// Control leaves.
    Leave {
        /// How.
        way: ExitWay,
        /// What is returned, if something is.
        value: u64,
    },
    /// In a gap, a function is called.
    Call {
        /// By its index in the profile.
        function: usize,
        /// What it is given.
        arguments: CallArguments,
    },
}

/// One change to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intervention {
    /// The process of the test that does it, from 1; 0 is all of them.
    pub process: u64,
    /// The place, by its index in the profile.
    pub place: usize,
    /// Which times the place is reached, from 1, in ascending order; none is every time.
    pub instances: Vec<u64>,
    /// What is done.
    pub action: InterventionAction,
    /// What kind of evidence it gives.
    pub way: Way,
    /// When it happens, as the number of its record in the log.
    pub moment: usize,
}

/// How much to try.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// So many interventions.
    pub interventions: usize,
    /// So many executions of each branch.
    pub branch_instances: usize,
    /// So many executions of each other place.
    pub value_instances: usize,
    /// Each intervention takes long, so that only few will be carried out: those come first whose places were reached last, in turn
    /// with those whose places were reached least often.
    pub is_scarce: bool,
}

/// So many values that a place had, and that others of its function had, are tried for good.
const LASTING_VALUES: usize = 4;

/// So many values are tried at a place where interventions are scarce.
const SCARCE_VALUES: usize = 3;

/// The times that a place was reached: the value, and when.
pub(super) type Executions = Vec<(u64, usize)>;

/// The interventions to try in a run, in order, and how many were left out for want of effort. Within their kind,
/// places that are likely to matter come first.
pub fn interventions(
    profile: &Profile,
    effort: &Effort,
    is_likely: &dyn Fn(&InterventionPlace) -> bool,
) -> (Vec<Intervention>, usize) {
    let mut executions: Vec<Executions> = vec![Vec::new(); profile.places.len()];
    for (moment, (place, value)) in profile.log.iter().enumerate() {
        executions[*place].push((*value, moment));
    }
    let planner = Planner {
        profile,
        executions: &executions,
        pools: pools(profile, &executions),
        variables: Variables::new(profile, &executions),
        is_unlikely: profile.places.iter().map(|one| !is_likely(one)).collect(),
    };
    let mut all = planner.lasting();
    for round in 0..effort.branch_instances.max(effort.value_instances) {
        for way in [Way::Branch, Way::Value, Way::Skip] {
            let most = match way {
                Way::Branch => effort.branch_instances,
                _ => effort.value_instances,
            };
            if round < most {
                all.extend(planner.once(way, round, most));
            }
        }
    }
    if effort.is_scarce {
        all = planner.most_promising(all);
    }
    let left = all.len().saturating_sub(effort.interventions);
    all.truncate(effort.interventions);
    (all, left)
}

/// The values that places of each function had, by their form.
fn pools(profile: &Profile, executions: &[Executions]) -> BTreeMap<(String, String), Vec<u64>> {
    let mut pools: BTreeMap<(String, String), Vec<u64>> = BTreeMap::new();
    for (place, executions) in profile.places.iter().zip(executions) {
        if !matches!(
            place.kind,
            PlaceKind::Store | PlaceKind::Value | PlaceKind::Datum
        ) {
            continue;
        }
        // What is passed to a function is a value of that function too.
        let own = (place.file.as_str(), place.function.as_str());
        let passed = variable::scope(place).map(|scope| (place.file.as_str(), scope));
        for (file, function) in BTreeSet::from([own, passed.unwrap_or(own)]) {
            let pool = pools
                .entry(pool_of(file, function, place.form))
                .or_default();
            for (value, _) in executions {
                if !pool.contains(value) && pool.len() < 64 {
                    pool.push(*value);
                }
            }
        }
    }
    pools
}

fn pool_of(file: &str, function: &str, form: ValueForm) -> (String, String) {
    let form = match form {
        ValueForm::Integer { bits, .. } => format!("i{bits}"),
        other => format!("{other:?}"),
    };
    (format!("{file}\n{function}"), form)
}

struct Planner<'a> {
    profile: &'a Profile,
    executions: &'a [Executions],
    pools: BTreeMap<(String, String), Vec<u64>>,
    variables: Variables<'a>,
    /// Whether each place comes after the others.
    is_unlikely: Vec<bool>,
}

impl Planner<'_> {
    /// The values of the same form in the function of a place.
    fn pool(&self, place: &InterventionPlace) -> Option<&Vec<u64>> {
        let key = pool_of(&place.file, &place.function, place.form);
        self.pools.get(&key)
    }

    /// The interventions of the places that were reached last, in turn with those of the places that were reached least often.
    fn most_promising(&self, all: Vec<Intervention>) -> Vec<Intervention> {
        let mut of_place: BTreeMap<usize, Vec<Intervention>> = BTreeMap::new();
        for intervention in all {
            // Tables of a whole project would take all runs.
            if self.profile.places[intervention.place].kind == PlaceKind::Datum {
                continue;
            }
            let known = of_place.entry(intervention.place).or_default();
            let values = known.iter().filter(|one| one.way == Way::Value).count();
            if intervention.way != Way::Value || values < SCARCE_VALUES {
                known.push(intervention);
            }
        }
        let end = |place: &usize| self.executions[*place].last().map_or(0, |(_, at)| *at);
        // An operator has no moments of its own: it is as late as the place behind it.
        let late = |place: &usize| match end(place) {
            0 => end(&(place + 1).min(self.executions.len() - 1)),
            end => end,
        };
        let mut latest: Vec<usize> = of_place.keys().copied().collect();
        latest.sort_by_key(|place| (self.is_unlikely[*place], Reverse(late(place))));
        let mut rarest = latest.clone();
        rarest.sort_by_key(|place| (self.is_unlikely[*place], self.profile.counts[*place]));
        let mut ordered = Vec::new();
        for place in latest
            .into_iter()
            .zip(rarest)
            .flat_map(|(one, other)| [one, other])
        {
            ordered.extend(of_place.remove(&place).unwrap_or_default());
        }
        ordered
    }

    /// Interventions that change a place for good.
    fn lasting(&self) -> Vec<Intervention> {
        let mut found = Vec::new();
        for (index, place) in self.profile.places.iter().enumerate() {
            let count = self.profile.counts.get(index).copied().unwrap_or(0);
            if count == 0 {
                continue;
            }
            let executions = &self.executions[index];
            let first = executions.first().map_or(0, |(_, moment)| *moment);
            let mut add = |way, action| {
                found.push(Intervention {
                    process: 0,
                    place: index,
                    instances: Vec::new(),
                    action,
                    way,
                    moment: first,
                });
            };
            if place.kind == PlaceKind::Operator {
                let relations = self.profile.relations[index];
                for other in operator::others(&place.text, place.form, relations) {
                    add(Way::Operator, InterventionAction::Operator(other));
                }
                for shifted in operator::shifted(&place.text, place.form) {
                    add(Way::Operand, InterventionAction::Operator(shifted));
                }
                let values = &self.profile.operands[index];
                if ["==", "!="].contains(&place.text.as_str()) && values.len() > 1 {
                    for value in values {
                        add(Way::Static, InterventionAction::FlipWhere(*value));
                    }
                }
            }
            let values = distinct(executions);
            if matches!(place.kind, PlaceKind::Store | PlaceKind::Value) {
                let known = value::usual(place.form);
                let way = if count < 2 { Way::Value } else { Way::Static };
                for other in self.variables.others(index, &known) {
                    add(way, InterventionAction::Variable(other));
                }
            }
            // What else happens once gets an intervention once, below.
            if count < 2 {
                continue;
            }
            match &place.kind {
                PlaceKind::Branch => {
                    for outcome in [1, 0] {
                        if values != [outcome] {
                            add(Way::Static, InterventionAction::Set(outcome));
                        }
                    }
                    if values.len() == 2 {
                        add(Way::Static, InterventionAction::Flip);
                    }
                }
                PlaceKind::Switch(cases) => {
                    for case in targets(cases, place.form) {
                        if values != [case] {
                            add(Way::Static, InterventionAction::Set(case));
                        }
                    }
                }
                PlaceKind::Store | PlaceKind::Value => {
                    let mut tried = value::usual(place.form);
                    tried.extend(values.iter().take(LASTING_VALUES));
                    let pool = self.pool(place);
                    tried.extend(pool.into_iter().flatten().take(LASTING_VALUES));
                    let mut seen: Vec<u64> = Vec::new();
                    for value in tried {
                        if values != [value] && !seen.contains(&value) {
                            seen.push(value);
                            add(Way::Static, InterventionAction::Set(value));
                        }
                    }
                    if place.kind == PlaceKind::Store {
                        add(Way::Static, InterventionAction::Skip);
                    }
                }
                PlaceKind::Call => add(Way::Static, InterventionAction::Skip),
                PlaceKind::Datum | PlaceKind::Operator | PlaceKind::Gap(_) | PlaceKind::Exit(_) => {
                }
            }
        }
        // Other operators are the strongest evidence.
        found.sort_by_key(|intervention| (intervention.way, self.is_unlikely[intervention.place]));
        found
    }

    /// Interventions with one execution of each place.
    fn once(&self, way: Way, round: usize, rounds: usize) -> Vec<Intervention> {
        let mut found = Vec::new();
        for (index, place) in self.profile.places.iter().enumerate() {
            let executions = &self.executions[index];
            let Some(time) = chosen(executions.len(), round, rounds) else {
                continue;
            };
            let (value, moment) = executions[time];
            let actions: Vec<InterventionAction> = match (way, &place.kind) {
                (Way::Branch, PlaceKind::Branch) => vec![InterventionAction::Flip],
                (Way::Branch, PlaceKind::Switch(cases)) => {
                    let others = targets(cases, place.form).into_iter();
                    let others = others.filter(|case| *case != value);
                    others.map(InterventionAction::Set).collect()
                }
                (Way::Value, PlaceKind::Store | PlaceKind::Value | PlaceKind::Datum) => {
                    let own = distinct(executions);
                    let pool = self.pool(place);
                    let pool = pool.map_or(&[][..], Vec::as_slice);
                    let values = value::instead(place.form, value, &own, pool);
                    values.into_iter().map(InterventionAction::Set).collect()
                }
                (Way::Skip, PlaceKind::Store | PlaceKind::Call) => vec![InterventionAction::Skip],
                _ => Vec::new(),
            };
            found.extend(actions.into_iter().map(|action| Intervention {
                process: self.profile.process,
                place: index,
                instances: vec![time as u64 + 1],
                action,
                way,
                moment,
            }));
        }
        found.sort_by_key(|intervention| self.is_unlikely[intervention.place]);
        found
    }
}

/// The values that a place had, in the order in which they came.
fn distinct(executions: &Executions) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    for (value, _) in executions {
        if values.len() < 16 && !values.contains(value) {
            values.push(*value);
        }
    }
    values
}

/// Where a switch can be sent: to each case, and to the default.
fn targets(cases: &[i64], form: ValueForm) -> Vec<u64> {
    let bits = match form {
        ValueForm::Integer { bits, .. } => bits,
        _ => 64,
    };
    let mask = u64::MAX >> (64 - bits);
    let other = (0..).find(|one| !cases.contains(one));
    let all = cases.iter().copied().chain(other);
    all.map(|case| case.cast_unsigned() & mask).collect()
}

/// The execution that a round is about: the last, the first, then others that are spread evenly. None if the place has no more.
pub(super) fn chosen(count: usize, round: usize, rounds: usize) -> Option<usize> {
    match (count, round) {
        (0, _) => None,
        (_, 0) => Some(count - 1),
        (1, _) => None,
        (_, 1) => Some(0),
        _ => {
            let between = count - 2;
            let wanted = rounds.saturating_sub(2).min(between);
            let index = round - 2;
            (index < wanted).then(|| 1 + index * between / wanted)
        }
    }
}

/// Which executions of a place that is reached so often to add something at: all of them, then the last, the first and others, at most so
/// many on their own. A place that the failing run reaches once may be reached more often by one that is right, so that all come first there
/// too.
pub(super) fn rounds(count: usize, most: usize) -> Vec<Vec<u64>> {
    if count == 0 {
        return Vec::new();
    }
    let single = (0..most).filter_map(|round| chosen(count, round, most));
    let single = single.map(|time| vec![time as u64 + 1]);
    std::iter::once(Vec::new())
        .chain(single.filter(|_| count > 1))
        .collect()
}

/// So many executions are tried beside those that were found to help.
const MOST_NEXT: usize = 24;

/// The same with one execution more, each of the next ones in turn: a fault that shows several times needs as many.
pub fn extended(profile: &Profile, intervention: &Intervention) -> Vec<Intervention> {
    let Some(last) = intervention.instances.last().copied() else {
        return Vec::new();
    };
    let count = profile.counts.get(intervention.place).copied().unwrap_or(0);
    if intervention.instances.len() == MOST_NUMBERS {
        return Vec::new();
    }
    let next = (last + 1..=count).take(MOST_NEXT);
    next.map(|instance| {
        let mut longer = intervention.clone();
        longer.instances.push(instance);
        longer
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_are_likely_to_matter_come_first_within_their_kind() {
        let place = |kind, line| InterventionPlace {
            module: 1,
            number: u64::from(line),
            kind,
            form: ValueForm::Integer {
                bits: 32,
                is_unsigned: false,
            },
            file: "a.c".to_owned(),
            line,
            column: 1,
            function: "f".to_owned(),
            text: format!("x{line}"),
        };
        let kinds = [
            PlaceKind::Branch,
            PlaceKind::Store,
            PlaceKind::Branch,
            PlaceKind::Store,
        ];
        let places = kinds.into_iter().zip(1..);
        let profile = Profile {
            functions: Vec::new(),
            process: 1,
            places: places.map(|(kind, line)| place(kind, line)).collect(),
            counts: vec![1; 4],
            relations: vec![0; 4],
            operands: vec![Vec::new(); 4],
            log: vec![(0, 1), (1, 7), (2, 0), (3, 9)],
        };
        let effort = Effort {
            interventions: usize::MAX,
            branch_instances: 1,
            value_instances: 1,
            is_scarce: false,
        };
        let all = |is_likely: &dyn Fn(&InterventionPlace) -> bool| {
            let (all, left) = interventions(&profile, &effort, is_likely);
            assert_eq!(left, 0);
            all
        };
        let order = |all: &[Intervention], way| {
            let mut places: Vec<usize> = all
                .iter()
                .filter(|one| one.way == way && one.instances.len() == 1)
                .map(|one| one.place)
                .collect();
            places.dedup();
            places
        };
        let (plain, sliced) = (all(&|_| true), all(&|place| place.line > 2));
        assert_eq!(order(&plain, Way::Branch), [0, 2]);
        assert_eq!(order(&sliced, Way::Branch), [2, 0]);
        assert_eq!(order(&plain, Way::Value), [1, 3]);
        assert_eq!(order(&sliced, Way::Value), [3, 1]);
        // Branches still come before values, and nothing gets lost.
        let last_branch = sliced.iter().rposition(|one| one.way == Way::Branch);
        let first_skip = sliced.iter().position(|one| one.way == Way::Skip);
        assert!(last_branch < first_skip, "{sliced:?}");
        assert_eq!(sliced.len(), plain.len());
        assert!(plain.iter().all(|one| sliced.contains(one)));
    }

    #[test]
    fn the_last_execution_comes_first_and_none_twice() {
        for count in 0..40 {
            for rounds in 0..20 {
                let all: Vec<usize> = (0..rounds)
                    .filter_map(|round| chosen(count, round, rounds))
                    .collect();
                assert_eq!(all.len(), count.min(rounds), "{count} {rounds}");
                let mut sorted = all.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), all.len(), "{count} {rounds}: {all:?}");
                assert!(all.iter().all(|time| *time < count));
                if let Some(first) = all.first() {
                    assert_eq!(*first, count - 1);
                }
            }
        }
    }
}
