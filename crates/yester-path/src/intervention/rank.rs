//! From interventions that made the run right to lines of the source, the best first.
//!
//! What speaks for a line is in `feature.rs`. Ties go to what happened first.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use yester_core::Outcome;

use super::blame::Blame;
use super::catalog::{Intervention, InterventionAction, Way};
use super::feature::{Feature, Features};
use super::profile::{InterventionPlace, PlaceKind, Profile};

/// How much each kind of evidence tells, for the order of the interventions of a line.
fn worth(way: Way) -> f64 {
    match way {
        Way::Operator => 3.0,
        Way::Branch | Way::Call => 2.0,
        Way::Operand | Way::Value | Way::Static | Way::Assignment | Way::Exit => 1.0,
        Way::Skip => 0.7,
        // Nearly any value can be bent until the output is right.
        Way::Solved => 0.5,
    }
}

/// Functions of the library that read and write.
const INPUT_OUTPUT: [&str; 30] = [
    "printf",
    "fprintf",
    "puts",
    "fputs",
    "putchar",
    "putc",
    "fputc",
    "fwrite",
    "write",
    "vprintf",
    "vfprintf",
    "perror",
    "scanf",
    "fscanf",
    "fgets",
    "getchar",
    "getc",
    "fgetc",
    "fread",
    "read",
    "getline",
    "fflush",
    "fopen",
    "fclose",
    "gets",
    "ungetc",
    "dprintf",
    "sscanf",
    "putchar_unlocked",
    "getdelim",
];

/// What a run with an intervention was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Not better.
    None,
    /// Wrong, but right for longer: more of its output is as it should be.
    Nearer,
    /// Right.
    Right,
}

/// An intervention that was carried out.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The intervention.
    pub intervention: Intervention,
    /// What the run was then.
    pub effect: Effect,
    /// How many bytes at the beginning of its output were as they should be.
    pub common: u64,
}

/// A line of the source with what speaks for it.
#[derive(Clone, Debug)]
pub struct RankedLine {
    /// The best that was reached there.
    pub effect: Effect,
    /// How many bytes at the beginning of the output were as they should be, at best.
    pub common: u64,
    /// The interventions that reached it, the most telling first.
    pub right: Vec<Intervention>,
    /// What speaks for it.
    pub features: Features,
    /// How many executions were tried.
    pub tried: usize,
    /// How many of them are critical.
    pub critical: usize,
    /// Whether it is the test's own code.
    pub is_of_test: bool,
    /// The intervention that did best on other inputs, as it was tried there.
    pub tried_near: Option<Intervention>,
    /// What it did there.
    pub near: Option<NearEvidence>,
}

impl RankedLine {
    /// The variable that is assigned there, if an intervention is about that.
    #[must_use]
    pub fn stored(&self, profile: &Profile) -> Option<String> {
        let mut places = self.right.iter().map(|one| &profile.places[one.place]);
        let stored = places.find(|one| one.kind == PlaceKind::Store)?;
        Some(stored.text.clone())
    }

    /// What speaks for it, as it is written down.
    #[must_use]
    pub fn told(&self, profile: &Profile) -> String {
        let place = &profile.places[self.right[0].place];
        let values = self.features.values().filter(|(_, value)| *value != 0.0);
        let values: Vec<String> = values
            .map(|(name, value)| format!("{name}={value:.3}"))
            .collect();
        let effect = match self.effect {
            Effect::Right => "right",
            _ => "nearer",
        };
        format!(
            "{}:{}, {effect}: {}",
            place.file,
            place.line,
            values.join(" ")
        )
    }
}

/// What an intervention did on inputs near the user's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NearEvidence {
    /// On how many inputs the program as it is passes.
    pub passing: usize,
    /// On how many of these it passes with the intervention, too.
    pub kept: usize,
    /// On how many inputs the program as it is fails.
    pub failing: usize,
    /// On how many of these it passes with the intervention.
    pub cured: usize,
    /// On how many inputs nobody knows what is right.
    pub unknown: usize,
    /// On how many of these the intervention changes nothing.
    pub unchanged: usize,
}

impl NearEvidence {
    /// Counts one more input, with what the program as it is does there.
    pub fn add(&mut self, outcome: Outcome, passes_now: bool) {
        let (all, right) = match outcome {
            Outcome::Fail => (&mut self.failing, &mut self.cured),
            Outcome::Pass => (&mut self.passing, &mut self.kept),
            Outcome::Unresolved => (&mut self.unknown, &mut self.unchanged),
        };
        *all += 1;
        *right += usize::from(passes_now);
    }

    /// What was seen on these inputs and on others.
    #[must_use]
    pub fn with(self, other: NearEvidence) -> NearEvidence {
        NearEvidence {
            passing: self.passing + other.passing,
            kept: self.kept + other.kept,
            failing: self.failing + other.failing,
            cured: self.cured + other.cured,
            unknown: self.unknown + other.unknown,
            unchanged: self.unchanged + other.unchanged,
        }
    }

    /// Whether it is right on all inputs of which that is known.
    #[must_use]
    pub fn is_all_right(&self) -> bool {
        (self.kept, self.cured) == (self.passing, self.failing) && self.passing + self.failing > 0
    }

    /// The share of inputs that pass with the intervention. Failing and passing ones count the same, however many there are.
    pub fn share(&self) -> f64 {
        let share = |right: usize, all: usize| (right as f64 + 0.5) / (all as f64 + 1.0);
        let shares = [
            share(self.kept, self.passing),
            share(self.cured, self.failing),
            share(self.unchanged, self.unknown),
        ];
        shares.iter().sum()
    }
}

/// The lines at which an intervention makes the run right, the best first; behind them those at which it becomes nearer.
pub fn rank(profile: &Profile, tried: &[Tried], blame: &Blame) -> Vec<RankedLine> {
    let of_test = blame.test_functions(profile);
    let line_of = |index: usize| {
        let place = &profile.places[index];
        (place.file.as_str(), place.line)
    };
    let only_input_output = lines_of_input_and_output(profile);
    let mut lines: BTreeMap<(&str, u32), Vec<&Tried>> = BTreeMap::new();
    for one in tried {
        let known = lines.entry(line_of(one.intervention.place)).or_default();
        known.push(one);
    }
    let mut ranked = Vec::new();
    for (line, tried) in lines {
        let effects = tried.iter().map(|one| one.effect);
        let effect = effects.max().unwrap_or(Effect::None);
        if effect == Effect::None {
            continue;
        }
        let common = tried.iter().map(|one| one.common).max().unwrap_or(0);
        let is_best = |one: &&&Tried| {
            one.effect == effect && (effect == Effect::Right || one.common == common)
        };
        let reached = tried.iter().filter(is_best);
        let mut right: Vec<Intervention> = reached.map(|one| one.intervention.clone()).collect();
        let executions = |interventions: &mut dyn Iterator<Item = &Intervention>| -> usize {
            let single =
                interventions.filter(|one| !one.instances.is_empty() && is_of_line(one.way));
            let single: BTreeSet<(usize, u64)> =
                single.map(|one| (one.place, one.instances[0])).collect();
            single.len()
        };
        let all = executions(&mut tried.iter().map(|one| &one.intervention));
        let critical = executions(&mut right.iter());
        let share = if all > 0 {
            critical as f64 / all as f64
        } else {
            0.0
        };
        let mut features = Features::of(profile, &right, share);
        if only_input_output.contains(&line) {
            features.set(Feature::InputOutput, 1.0);
        }
        right.sort_by(|one, other| {
            let by_worth = worth(other.way).total_cmp(&worth(one.way));
            // Another comparison is more often what was meant than another computation.
            let computes = |one: &Intervention| !is_comparison(&profile.places[one.place].text);
            // What happens once has a value; that another variable has it too says little.
            let is_chance = |one: &Intervention| {
                matches!(one.action, InterventionAction::Variable(_))
                    && profile.counts[one.place] == 1
            };
            let is_once = |one: &Intervention| is_missing(one.way) && !one.instances.is_empty();
            is_chance(one)
                .cmp(&is_chance(other))
                .then(by_worth)
                .then_with(|| is_missing(one.way).cmp(&is_missing(other.way)))
                .then_with(|| is_once(one).cmp(&is_once(other)))
                .then_with(|| computes(one).cmp(&computes(other)))
                .then(one.moment.cmp(&other.moment))
        });
        let place = &profile.places[right[0].place];
        ranked.push(RankedLine {
            is_of_test: of_test.contains(&(place.file.as_str(), place.function.as_str())),
            effect,
            common,
            right,
            features,
            tried: all,
            critical,
            tried_near: None,
            near: None,
        });
    }
    ranked = without_repetitions(profile, ranked);
    ranked.sort_by(in_best_order);
    ranked
}

/// The better one of two lines comes first.
pub fn in_best_order(one: &RankedLine, other: &RankedLine) -> Ordering {
    // Of runs that are wrong, the one that is right for longest.
    let nearness = |line: &RankedLine| match line.effect {
        Effect::Right => (line.effect, 0),
        effect => (effect, line.common),
    };
    let score = |line: &RankedLine| line.features.score();
    // The most telling intervention comes first in each line.
    let best = |line: &RankedLine| worth(line.right[0].way);
    let begin = |line: &RankedLine| line.right.iter().map(|one| one.moment).min();
    let is_right = |line: &RankedLine| line.effect == Effect::Right;
    is_right(other)
        .cmp(&is_right(one))
        .then(one.is_of_test.cmp(&other.is_of_test))
        .then_with(|| nearness(other).cmp(&nearness(one)))
        .then_with(|| score(other).total_cmp(&score(one)))
        .then_with(|| best(other).total_cmp(&best(one)))
        .then_with(|| begin(one).cmp(&begin(other)))
}

/// Whether an intervention adds something that may be missing.
fn is_missing(way: Way) -> bool {
    matches!(way, Way::Assignment | Way::Call | Way::Exit)
}

/// Whether an execution that an intervention makes right is a critical one of its line.
fn is_of_line(way: Way) -> bool {
    way != Way::Solved && !is_missing(way)
}

/// Of lines that only the same missing statement speaks for, the first and the last of each function. Those at which it helps for good come
/// before those at which it helps once.
fn without_repetitions(profile: &Profile, ranked: Vec<RankedLine>) -> Vec<RankedLine> {
    let key = |line: &RankedLine| {
        let intervention = &line.right[0];
        let place = &profile.places[intervention.place];
        let missing = missing(profile, intervention)?;
        let is_only = line.right.iter().all(|one| is_missing(one.way));
        is_only.then(|| (place.file.clone(), place.function.clone(), missing))
    };
    let line_of = |line: &RankedLine| profile.places[line.right[0].place].line;
    let is_once = |line: &RankedLine| !line.right[0].instances.is_empty();
    let mut lines: BTreeMap<(String, String, String), BTreeSet<(bool, u32)>> = BTreeMap::new();
    for line in &ranked {
        if let Some(key) = key(line) {
            let known = lines.entry(key).or_default();
            known.insert((is_once(line), line_of(line)));
        }
    }
    let is_shown = |line: &RankedLine| {
        let Some(lines) = key(line).and_then(|key| lines.get(&key)) else {
            return true;
        };
        let first = lines.first();
        let mut alike = lines
            .iter()
            .filter(|one| first.is_some_and(|first| first.0 == one.0));
        let own = (is_once(line), line_of(line));
        first == Some(&own) || alike.next_back() == Some(&own)
    };
    ranked.into_iter().filter(is_shown).collect()
}

/// What an intervention adds: the variable that it assigns, the function that it calls, or that something is left.
fn missing(profile: &Profile, intervention: &Intervention) -> Option<String> {
    match (
        &profile.places[intervention.place].kind,
        intervention.action,
    ) {
        (PlaceKind::Gap(gap), InterventionAction::Assign { number, .. }) => {
            Some(gap.numbers[number].name.clone())
        }
        (PlaceKind::Exit(exits), InterventionAction::Assign { number, .. }) => {
            Some(exits.numbers[number].name.clone())
        }
        (_, InterventionAction::Call { function, .. }) => {
            Some(format!("{}()", profile.functions[function].name))
        }
        (_, InterventionAction::Leave { .. }) => Some(String::new()),
        _ => None,
    }
}

fn is_comparison(sign: &str) -> bool {
    ["<", "<=", ">", ">=", "==", "!="].contains(&sign)
}

/// The lines that do nothing but read or write.
fn lines_of_input_and_output(profile: &Profile) -> BTreeSet<(&str, u32)> {
    let mut only: BTreeMap<(&str, u32), bool> = BTreeMap::new();
    for place in &profile.places {
        // What may be missing before a line says nothing of the line.
        if matches!(place.kind, PlaceKind::Gap(_) | PlaceKind::Exit(_)) {
            continue;
        }
        let is = is_input_or_output(place);
        let known = only.entry((&place.file, place.line)).or_insert(true);
        *known &= is;
    }
    let lines = only.into_iter().filter(|(_, is)| *is);
    lines.map(|(line, _)| line).collect()
}

fn is_input_or_output(place: &InterventionPlace) -> bool {
    let name = match place.kind {
        PlaceKind::Call => place.text.as_str(),
        PlaceKind::Value => place.text.rsplit(" of ").next().unwrap_or_default(),
        _ => return false,
    };
    // The streams of C++ have operators for it, whose names are those of the library.
    INPUT_OUTPUT.contains(&name)
        || name.starts_with("_ZNSo")
        || name.starts_with("_ZStls")
        || name.starts_with("_ZNSi")
        || name.starts_with("_ZStrs")
}

#[cfg(test)]
mod tests {
    use super::super::{Gap, GapNumber};
    use super::*;
    use crate::value::ValueForm;

    fn place(kind: PlaceKind, line: u32, text: &str) -> InterventionPlace {
        InterventionPlace {
            module: 1,
            number: 0,
            kind,
            form: ValueForm::Pointer,
            file: "a.c".to_owned(),
            line,
            column: 1,
            function: "f".to_owned(),
            text: text.to_owned(),
        }
    }

    fn tried(place: usize, instance: u64, way: Way, moment: usize, effect: Effect) -> Tried {
        Tried {
            intervention: Intervention {
                process: 1,
                place,
                instances: vec![instance],
                action: InterventionAction::Flip,
                way,
                moment,
            },
            effect,
            common: 0,
        }
    }

    #[test]
    fn a_branch_comes_before_a_value_and_both_before_what_is_printed() {
        let profile = Profile {
            places: vec![
                place(PlaceKind::Value, 9, "argument 2 of printf"),
                place(PlaceKind::Store, 5, "x"),
                place(PlaceKind::Branch, 3, ""),
                place(PlaceKind::Branch, 4, ""),
            ],
            ..Profile::default()
        };
        let all = [
            tried(0, 1, Way::Value, 9, Effect::Right),
            tried(1, 1, Way::Value, 5, Effect::Right),
            tried(2, 1, Way::Branch, 3, Effect::Right),
            tried(2, 2, Way::Branch, 6, Effect::None),
            tried(3, 1, Way::Branch, 4, Effect::Nearer),
        ];
        let ranked = rank(&profile, &all, &Blame::default());
        let places: Vec<usize> = ranked.iter().map(|line| line.right[0].place).collect();
        assert_eq!(places, [2, 1, 0, 3]);
        assert_eq!((ranked[0].tried, ranked[0].critical), (2, 1));
    }

    #[test]
    fn a_missing_assignment_is_told_at_the_first_and_the_last_line_of_a_function() {
        let gap = |line| {
            let number = GapNumber {
                structure: 0,
                offset: 0,
                form: ValueForm::Pointer,
                name: "p->x".to_owned(),
            };
            let gap = Gap {
                numbers: vec![number],
                ..Gap::default()
            };
            place(PlaceKind::Gap(gap), line, "")
        };
        let profile = Profile {
            places: [3, 4, 5, 6].map(gap).to_vec(),
            ..Profile::default()
        };
        let all: Vec<Tried> = (0..4)
            .map(|index| {
                let effect = if index == 0 {
                    Effect::None
                } else {
                    Effect::Right
                };
                let mut one = tried(index, 1, Way::Assignment, index, effect);
                one.intervention.action = InterventionAction::Assign {
                    number: 0,
                    value: 1,
                    is_added: false,
                };
                one
            })
            .collect();
        let ranked = rank(&profile, &all, &Blame::default());
        let places: Vec<usize> = ranked.iter().map(|line| line.right[0].place).collect();
        assert_eq!(places, [1, 3]);
    }
}
