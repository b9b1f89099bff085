//! Interventions: each is one change applied while the program runs on its own input, and a judge says whether the run is then right.
//!
//! A [`Profile`] says what every place of the run did. [`interventions`] turns it into a list of them, in a stated order.
//! [`rank`] turns those that were right into lines of the source, the best first, and [`sum`] adds up what several tests say. [`grouped`] makes one
//! entry of places that have the same cause, by what a [`FailingRecord`] knows. Nothing here runs a program.

mod blame;
mod call;
mod catalog;
mod cause;
mod exit;
mod failing_record;
mod feature;
mod gap;
mod inversion;
mod operator;
mod plan;
mod printed;
mod profile;
mod rank;
pub mod search;
mod solution;
mod spectrum;
mod sum;
mod value;
mod variable;
mod words;

pub use self::blame::Blame;
pub use self::call::{CallArgument, CallArguments, CallableFunction, Parameter, calls};
pub use self::catalog::{Effort, Intervention, InterventionAction, Way, extended, interventions};
pub use self::cause::{Cause, FoundPlace, Knowledge, grouped, in_order, variable};
pub use self::exit::{ExitWay, Exits, LocalNumber, exits, local_assignments};
pub use self::failing_record::{FailingRecord, ToldChains, ToldLink};
pub use self::feature::{Feature, Features};
pub use self::gap::{Gap, GapNumber, GapVariable, assignments};
pub use self::plan::plan_text;
pub use self::profile::{InterventionPlace, PlaceKind, Profile};
pub use self::rank::{Effect, NearEvidence, RankedLine, Tried, in_best_order, rank};
pub use self::solution::{
    SolverBudget, Step, StepError, by_printed_numbers, differing_numbers, followed, probes, steps,
    with_sum,
};
pub use self::spectrum::Spectrum;
pub use self::sum::{RankedTest, SummedLine, sum};
pub use self::words::{in_words, kind, name};
pub use yester_pathrt::format::intervention::{Fnv, ResultRecord, flag};
