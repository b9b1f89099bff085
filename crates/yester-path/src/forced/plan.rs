//! Experiments as the runtime of a program reads them.

use std::fmt::Write;

use yester_pathrt::protocol::{self, Action, Assignment, Call, Limits};

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
    let limits = Limits {
        branches,
        milliseconds,
    };
    let mut text = format!("{limits}\n");
    for experiment in experiments {
        let place = &profile.places[experiment.place];
        let planned = protocol::Experiment {
            module: place.module,
            place: place.number,
            process: experiment.process,
            instances: experiment.instances.iter().copied().collect(),
            action: action(profile, experiment),
        };
        writeln!(text, "{planned}").expect("a text has room");
    }
    text
}

/// What an experiment does, with places, functions and variables as the runtime knows them.
fn action(profile: &Profile, experiment: &Experiment) -> Action {
    let place = &profile.places[experiment.place];
    match experiment.action {
        ForcedAction::Set(value) => Action::Set(value),
        ForcedAction::Add(more) => Action::Add(more),
        ForcedAction::Flip => Action::Flip,
        ForcedAction::Skip => Action::Skip,
        ForcedAction::Operator(operator) => Action::Operator(operator),
        ForcedAction::Variable(other) => Action::Latest(protocol::Variable {
            form: variable::number_form(profile.places[other].form),
            places: variable::places_of(profile, other).collect(),
        }),
        ForcedAction::FlipWhere(value) => Action::FlipWhere(value),
        ForcedAction::Assign {
            number,
            value,
            is_added,
        } => match &place.kind {
            PlaceKind::Gap(gap) => {
                let number = &gap.numbers[number];
                Action::Assign(Assignment {
                    structure: number.structure,
                    offset: number.offset,
                    bytes: number.bytes(),
                    value,
                    is_added,
                })
            }
            PlaceKind::Exit(exits) => {
                Action::Exit(exit::assign(&exits.numbers[number], value, is_added))
            }
            other => unreachable!("nothing is assigned at {other:?}"),
        },
        ForcedAction::Leave { way, value } => Action::Exit(exit::leave(place.form, way, value)),
        ForcedAction::Call {
            function,
            arguments,
        } => Action::Call(Call {
            function: profile.functions[function].number,
            arguments,
        }),
    }
}
