//! What speaks for a line, as numbers, and what each is worth.
//!
//! The worths are learned: `bench/flip --fit` computes them from the programs to tune on, so that lines with the fault come before
//! others. A line's score is the sum of its features, each times its worth.

use yester_pathrt::protocol::Sign;

use super::catalog::{Intervention, InterventionAction, Way};
use super::profile::{PlaceKind, Profile};
use super::rank::NearEvidence;

/// Defines the features in the order of their numbers, each with its worth.
macro_rules! features {
    ($($(#[$doc:meta])+ $name:ident $worth:literal)+) => {
        /// Something that speaks for a line, or against it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature {
            $($(#[$doc])+ $name,)+
        }

        impl Feature {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Feature] = &[$(Feature::$name),+];

            /// What it is worth.
            const WORTH: &[f64] = &[$($worth),+];

            /// What it is called where features are written down.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Feature::$name => stringify!($name),)+
                }
            }
        }
    };
}

features! {
    /// An operator that looks much like the one that is written makes the run right.
    LikeOperator 1.7
    /// Another operator does.
    OtherOperator -0.3
    /// A right operand that is one more or one less does.
    Operand -0.6
    /// A branch that goes the other way once does.
    Branch 0.5
    /// A branch or a comparison that is always another does.
    LastingBranch 0.1
    /// The value of another variable does.
    Variable 2.2
    /// A value that is always one more or one less does.
    NearValue 0.3
    /// A value that is always the same does.
    LastingValue 0.8
    /// A value that is another once does.
    Value -0.3
    /// A statement that is skipped does.
    Skip -0.1
    /// Something more that is assigned does, whenever the line is reached.
    LastingAssignment -0.3
    /// Something more that is assigned once does.
    Assignment -0.6
    /// A return, a break or a continue does, whenever the line is reached.
    LastingExit 0.6
    /// A return, a break or a continue does once.
    Exit -0.3
    /// A call does, whenever the line is reached.
    LastingCall 0.4
    /// A call does once.
    Call 0.0
    /// A value that was computed from the right output does.
    Solved 0.0
    /// The share of the executions that were tried that are critical.
    Share 1.3
    /// The line only reads or writes. Whoever prints the right text is right, whatever went wrong before.
    InputOutput -1.5
    /// How early in the run it helps, from 1 down to 0.
    Early 0.6
    /// How often the line is executed, as a logarithm.
    Executions 0.1
    /// An intervention was tried on inputs near the user's.
    Near 0.1
    /// The share of inputs that pass, and pass with it.
    Kept 1.5
    /// The share of inputs that fail, and pass with it.
    Cured 1.0
    /// It is right on all of these.
    AllRight 2.1
    /// The share of inputs on which nobody knows what is right, and it changes nothing.
    Unchanged 1.1
}

/// The features of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Features([f64; Feature::ALL.len()]);

impl Default for Features {
    fn default() -> Features {
        Features([0.0; Feature::ALL.len()])
    }
}

impl Features {
    /// Of these interventions, which make the run right or nearer. `share` is that of critical executions.
    #[must_use]
    pub fn of(profile: &Profile, right: &[Intervention], share: f64) -> Features {
        let mut features = Features::default();
        for intervention in right {
            features.add(profile, intervention);
        }
        features.set(Feature::Share, share);
        let first = right.iter().map(|one| one.moment).min().unwrap_or(0);
        let all = profile.log.len().max(1);
        features.set(Feature::Early, 1.0 - first.min(all) as f64 / all as f64);
        let counts = right.iter().filter_map(|one| profile.counts.get(one.place));
        let most = counts.max().copied().unwrap_or(0);
        features.set(Feature::Executions, (1.0 + most as f64).ln() / 10.0);
        features
    }

    /// Adds one more intervention that makes the run right.
    pub fn add(&mut self, profile: &Profile, intervention: &Intervention) {
        if let Some(feature) = evidence(profile, intervention) {
            self.set(feature, 1.0);
        }
    }

    /// Sets one of them.
    pub fn set(&mut self, feature: Feature, value: f64) {
        self.0[feature as usize] = value;
    }

    /// Adds what the best intervention did on other inputs.
    pub fn set_near(&mut self, near: &NearEvidence) {
        // Few inputs say little: the share of none is a half.
        let share = |right: usize, all: usize| (right as f64 + 0.5) / (all as f64 + 1.0) - 0.5;
        self.set(Feature::Near, 1.0);
        self.set(Feature::Kept, share(near.kept, near.passing));
        self.set(Feature::Cured, share(near.cured, near.failing));
        let unchanged = near.unchanged as f64 / near.unknown.max(1) as f64;
        self.set(Feature::Unchanged, unchanged);
        self.set(Feature::AllRight, f64::from(near.is_all_right()));
    }

    /// How much they speak for the line.
    #[must_use]
    pub fn score(&self) -> f64 {
        let pairs = self.0.iter().zip(Feature::WORTH);
        pairs.map(|(value, worth)| value * worth).sum()
    }

    /// Those of a line with this score.
    #[cfg(test)]
    pub fn scoring(score: f64) -> Features {
        let mut features = Features::default();
        let feature = Feature::Share;
        features.set(feature, score / Feature::WORTH[feature as usize]);
        features
    }

    /// All of them, as they are written down.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let values = Feature::ALL.iter().zip(self.0);
        values.map(|(feature, value)| (feature.name(), value))
    }
}

/// What kind of evidence a right run with an intervention is.
fn evidence(profile: &Profile, intervention: &Intervention) -> Option<Feature> {
    let place = &profile.places[intervention.place];
    let is_lasting = intervention.instances.is_empty();
    let is_turned = matches!(place.kind, PlaceKind::Branch | PlaceKind::Switch(_));
    let lasting = |lasting, once| if is_lasting { lasting } else { once };
    Some(match (intervention.way, intervention.action) {
        (Way::Operator, InterventionAction::Operator(other)) => {
            let written = Sign::parse(&place.text);
            if written.is_some_and(|written| is_like(written, other.sign)) {
                Feature::LikeOperator
            } else {
                Feature::OtherOperator
            }
        }
        (Way::Operator | Way::Operand, _) => Feature::Operand,
        (Way::Branch, _) => Feature::Branch,
        (Way::Solved, _) => Feature::Solved,
        (Way::Assignment, _) => lasting(Feature::LastingAssignment, Feature::Assignment),
        (Way::Exit, _) => lasting(Feature::LastingExit, Feature::Exit),
        (Way::Call, _) => lasting(Feature::LastingCall, Feature::Call),
        (_, InterventionAction::Skip) => Feature::Skip,
        (_, InterventionAction::Variable(_)) => Feature::Variable,
        (_, InterventionAction::Add(_)) => Feature::NearValue,
        (_, InterventionAction::FlipWhere(_)) => Feature::LastingBranch,
        (Way::Static, _) if is_turned => Feature::LastingBranch,
        (Way::Static, _) => Feature::LastingValue,
        (Way::Value | Way::Skip, _) => Feature::Value,
    })
}

/// Whether one operator is easily written for another.
fn is_like(one: Sign, other: Sign) -> bool {
    use Sign::{
        Add, And, Divide, Equal, Exclusive, Greater, GreaterOrEqual, Less, LessOrEqual, Multiply,
        NotEqual, Or, Remainder, ShiftLeft, ShiftRight, Subtract,
    };
    const PAIRS: [(Sign, Sign); 9] = [
        (Less, LessOrEqual),
        (Greater, GreaterOrEqual),
        (Equal, NotEqual),
        (Add, Subtract),
        (Multiply, Divide),
        (Divide, Remainder),
        (And, Or),
        (Or, Exclusive),
        (ShiftLeft, ShiftRight),
    ];
    PAIRS.contains(&(one, other)) || PAIRS.contains(&(other, one))
}
