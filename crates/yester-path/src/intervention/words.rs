//! Interventions in words.

use super::{
    CallArgument, CallArguments, CallableFunction, ExitWay, Intervention, InterventionAction,
    Parameter, PlaceKind, Profile, Way,
};
use crate::site::readable;

/// What an intervention changes: `branch`, `value`, `statement` or `operator`.
pub fn kind(profile: &Profile, intervention: &Intervention) -> &'static str {
    match (
        &profile.places[intervention.place].kind,
        intervention.action,
    ) {
        (PlaceKind::Operator, _) => "operator",
        (
            _,
            InterventionAction::Skip
            | InterventionAction::Leave { .. }
            | InterventionAction::Call { .. },
        ) => "statement",
        (PlaceKind::Branch | PlaceKind::Switch(_), _) => "branch",
        _ => "value",
    }
}

/// What a place is about: a variable, a function that is called, an operator.
pub fn name(profile: &Profile, intervention: &Intervention) -> String {
    let place = &profile.places[intervention.place];
    match (&place.kind, intervention.action) {
        (PlaceKind::Gap(gap), InterventionAction::Assign { number, .. }) => {
            gap.numbers[number].name.clone()
        }
        (PlaceKind::Exit(exits), InterventionAction::Assign { number, .. }) => {
            exits.numbers[number].name.clone()
        }
        (_, InterventionAction::Call { function, .. }) => profile.functions[function].name.clone(),
        (PlaceKind::Exit(_), _) => String::new(),
        _ => place.text.clone(),
    }
}

/// What a place was, and what it becomes, in words.
pub fn in_words(profile: &Profile, intervention: &Intervention) -> (String, String) {
    let place = &profile.places[intervention.place];
    let log = &profile.log;
    let value = log
        .get(intervention.moment)
        .filter(|(at, _)| *at == intervention.place)
        .map(|(_, value)| *value);
    let is_branch = place.kind == PlaceKind::Branch;
    let shown = |value: u64| {
        if is_branch {
            if value & 1 == 1 { "true" } else { "false" }.to_owned()
        } else {
            place.form.text(value)
        }
    };
    let is_always = intervention.instances.is_empty();
    let was = match (is_always, value) {
        (true, _) if is_branch => "as written".to_owned(),
        (false, Some(value)) => shown(value),
        _ => "as computed".to_owned(),
    };
    let side = match &place.kind {
        PlaceKind::Gap(gap) if gap.is_behind => "behind this line",
        PlaceKind::Exit(exits) if exits.is_behind => "behind this line",
        _ => "before this line",
    };
    match intervention.action {
        InterventionAction::Operator(operator) if operator.more != 0 => {
            let relation = if operator.more < 0 { "less" } else { "more" };
            let more = operator.more.unsigned_abs();
            (
                place.text.clone(),
                format!("{more} {relation} on its right"),
            )
        }
        InterventionAction::Operator(operator) => {
            (place.text.clone(), operator.sign.text().to_owned())
        }
        InterventionAction::Skip => ("executed".to_owned(), "skipped".to_owned()),
        InterventionAction::Flip if intervention.way == Way::Static => (was, "negated".to_owned()),
        InterventionAction::Flip if intervention.instances.len() > 1 => {
            ("as written".to_owned(), "the other way".to_owned())
        }
        InterventionAction::Flip => {
            let becomes = value.map_or("the other way".to_owned(), |value| shown(value ^ 1));
            (was, becomes)
        }
        InterventionAction::FlipWhere(value) => {
            let becomes = format!(
                "the other outcome for {} on its left",
                place.form.text(value)
            );
            ("as written".to_owned(), becomes)
        }
        InterventionAction::Assign {
            number,
            value,
            is_added,
        } => {
            let form = match &place.kind {
                PlaceKind::Gap(gap) => gap.numbers[number].form,
                PlaceKind::Exit(exits) => exits.numbers[number].form,
                _ => place.form,
            };
            let becomes = match (is_added, value) {
                (true, 1) => format!("increased by 1 {side}"),
                (true, _) => format!("decreased by 1 {side}"),
                (false, value) => format!("set to {} {side}", form.text(value)),
            };
            ("left as it is".to_owned(), becomes)
        }
        InterventionAction::Call {
            function,
            arguments,
        } => {
            let callee = &profile.functions[function];
            let call = call_in_words(callee, &arguments, &place.kind);
            ("nothing".to_owned(), format!("{call} called {side}"))
        }
        InterventionAction::Leave { way, value } => {
            let becomes = match (way, &place.kind) {
                (ExitWay::Return, PlaceKind::Exit(exits)) if exits.has_value => {
                    format!("a return of {} {side}", place.form.text(value))
                }
                (ExitWay::Return, _) => format!("a return {side}"),
                (ExitWay::Next, _) => format!("a continue {side}"),
                (ExitWay::Break, _) => format!("a break {side}"),
            };
            ("nothing".to_owned(), becomes)
        }
        InterventionAction::Variable(other) => {
            let becomes = format!("always {}", profile.places[other].text);
            ("as computed".to_owned(), becomes)
        }
        InterventionAction::Add(more) if is_always => {
            let more = more.cast_signed();
            let relation = if more < 0 { "less" } else { "more" };
            (was, format!("{} {relation}", more.unsigned_abs()))
        }
        // What a value is that was followed is known; it becomes another one.
        InterventionAction::Add(more) => {
            let sum = value.map(|value| shown(value.wrapping_add(more)));
            (was, sum.unwrap_or_default())
        }
        InterventionAction::Set(value) if is_always => (was, format!("always {}", shown(value))),
        InterventionAction::Set(value) => (was, shown(value)),
    }
}

/// A call as in the source.
fn call_in_words(
    callee: &CallableFunction,
    arguments: &CallArguments,
    place: &PlaceKind,
) -> String {
    let name_of = |number: u64| match place {
        PlaceKind::Gap(gap) => gap.variables.iter().find(|one| one.number == number),
        _ => None,
    };
    let words = callee.parameters.iter().zip(arguments);
    let words = words.map(|(parameter, argument)| match (parameter, argument) {
        (_, CallArgument::Variable(number)) => {
            name_of(*number).map_or(String::new(), |variable| variable.name.clone())
        }
        (Parameter::Number(form), CallArgument::Number(value)) => form.text(*value),
        (Parameter::Pointer(_), CallArgument::Number(value)) => value.to_string(),
    });
    let words: Vec<String> = words.collect();
    format!("{}({})", plain_name(&callee.name), words.join(", "))
}

/// The name of a function without what it takes.
fn plain_name(name: &str) -> String {
    let name = readable(name);
    name.split('(').next().unwrap_or_default().to_owned()
}
