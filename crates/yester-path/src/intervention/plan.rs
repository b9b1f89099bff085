//! Interventions as the runtime of a program reads them.

use std::fmt::Write;

use yester_pathrt::protocol::{self, Action, Assignment, Call, Limits};

use super::catalog::{Intervention, InterventionAction};
use super::exit;
use super::profile::{PlaceKind, Profile};
use super::variable;

/// The plan that the runtime of a program reads: the most branches and milliseconds that a run may take, and interventions.
pub fn plan_text(
    profile: &Profile,
    interventions: &[Intervention],
    branches: u64,
    milliseconds: u64,
) -> String {
    let limits = Limits {
        branches,
        milliseconds,
    };
    let mut text = format!("{limits}\n");
    for intervention in interventions {
        let place = &profile.places[intervention.place];
        let planned = protocol::Intervention {
            module: place.module,
            place: place.number,
            process: intervention.process,
            instances: intervention.instances.iter().copied().collect(),
            action: action(profile, intervention),
        };
        writeln!(text, "{planned}").expect("a text has room");
    }
    text
}

/// What an intervention does, with places, functions and variables as the runtime knows them.
fn action(profile: &Profile, intervention: &Intervention) -> Action {
    let place = &profile.places[intervention.place];
    match intervention.action {
        InterventionAction::Set(value) => Action::Set(value),
        InterventionAction::Add(more) => Action::Add(more),
        InterventionAction::Flip => Action::Flip,
        InterventionAction::Skip => Action::Skip,
        InterventionAction::Operator(operator) => Action::Operator(operator),
        InterventionAction::Variable(other) => Action::Latest(protocol::Variable {
            form: variable::number_form(profile.places[other].form),
            places: variable::places_of(profile, other).collect(),
        }),
        InterventionAction::FlipWhere(value) => Action::FlipWhere(value),
        InterventionAction::Assign {
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
        InterventionAction::Leave { way, value } => {
            Action::Exit(exit::leave(place.form, way, value))
        }
        InterventionAction::Call {
            function,
            arguments,
        } => Action::Call(Call {
            function: profile.functions[function].number,
            arguments,
        }),
    }
}
