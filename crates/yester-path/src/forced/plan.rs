//! Experiments as the runtime of a program reads them.

use super::call::CallArgument;
use super::exit;
use super::experiment::{Experiment, ForcedAction};
use super::profile::{PlaceKind, Profile};
use super::variable;

/// The plan that the runtime of a program reads: the most branches and milliseconds that a run may take, and experiments.
pub fn plan_text(
    profile: &Profile,
    experiments: &[Experiment],
    branches: u64,
    milliseconds: u64,
) -> String {
    let mut text = format!("{branches} {milliseconds}\n");
    for experiment in experiments {
        let place = &profile.places[experiment.place];
        let (action, operand) = match experiment.action {
            ForcedAction::Set(value) => (0, value),
            ForcedAction::Flip => (1, 0),
            ForcedAction::Skip => (2, 0),
            ForcedAction::Operator { code, .. } => (3, code),
            ForcedAction::Add(more) => (4, more),
            ForcedAction::Variable(other) => (5, variable::code(profile.places[other].form)),
            ForcedAction::FlipWhere(value) => (6, value),
            ForcedAction::Assign {
                number,
                value,
                is_added,
            } => match &place.kind {
                PlaceKind::Exit(exits) => (
                    0,
                    exit::assign_code(&exits.numbers[number], value, is_added),
                ),
                _ => (7 + u64::from(is_added), value),
            },
            ForcedAction::Leave { way, value } => (0, exit::leave_code(place.form, way, value)),
            ForcedAction::Call { function, .. } => (9, profile.functions[function].number),
        };
        let rest: Vec<u64> = match experiment.action {
            ForcedAction::Variable(other) => {
                let places = variable::places_of(profile, other);
                places.map(|place| place + 1).collect()
            }
            ForcedAction::Assign { number, .. } if let PlaceKind::Gap(gap) = &place.kind => {
                let number = &gap.numbers[number];
                let mut all = vec![number.structure, number.offset, number.bytes()];
                all.extend(&experiment.instances);
                all
            }
            ForcedAction::Call {
                function,
                arguments,
            } => {
                let count = profile.functions[function].parameters.len();
                let words = arguments[..count]
                    .iter()
                    .flat_map(|argument| match argument {
                        CallArgument::Variable(number) => [1, *number],
                        CallArgument::Number(value) => [0, *value],
                    });
                let mut all = vec![count as u64];
                all.extend(words);
                all.extend(&experiment.instances);
                all
            }
            _ => experiment.instances.clone(),
        };
        let numbers = [
            place.module,
            place.number,
            experiment.process,
            action,
            operand,
        ];
        let numbers = numbers.iter().chain(&rest);
        let numbers: Vec<String> = numbers.map(u64::to_string).collect();
        text.push_str(&numbers.join(" "));
        text.push('\n');
    }
    text
}
