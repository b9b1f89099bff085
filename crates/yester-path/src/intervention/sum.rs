//! Several failing tests: what speaks for a line in each of them is summed.

use std::collections::BTreeMap;

use super::profile::Profile;
use super::rank::{Effect, RankedLine};

/// What one test says.
#[derive(Clone, Copy)]
pub struct RankedTest<'a> {
    /// Of the run with the intervention.
    pub profile: &'a Profile,
    /// Its lines, the best first.
    pub lines: &'a [&'a RankedLine],
}

/// A line with what speaks for it in all tests.
#[derive(Clone, Debug, PartialEq)]
pub struct SummedLine {
    /// The best that was reached there in any test.
    pub effect: Effect,
    /// The tests in which it was reached, from 0, each with the place of the line in the list of that test.
    pub reached: Vec<(usize, usize)>,
    /// Whether it is code of the test itself.
    pub is_of_test: bool,
    /// How good the line is in these tests together.
    pub score: f64,
    /// How many bytes at the beginning of their outputs were as they should be.
    pub common: u64,
}

/// The lines of all tests, the best first: those that make all tests right, then those that make some right, then those that only make some nearer. Within
/// these, the sum over the tests counts; ties are in the order of the tests and their lists. The list of a single test stays as it is.
pub fn sum(tests: &[RankedTest<'_>]) -> Vec<SummedLine> {
    let mut summed: Vec<SummedLine> = Vec::new();
    let mut known: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    for (number, test) in tests.iter().enumerate() {
        for (index, line) in test.lines.iter().enumerate() {
            let place = &test.profile.places[line.right[0].place];
            let at = *known
                .entry((place.file.as_str(), place.line))
                .or_insert_with(|| {
                    summed.push(SummedLine {
                        effect: Effect::None,
                        reached: Vec::new(),
                        is_of_test: line.is_of_test,
                        score: 0.0,
                        common: 0,
                    });
                    summed.len() - 1
                });
            summed[at].add(number, index, line);
        }
    }
    summed.sort_by(|one, other| {
        let is_all =
            |line: &SummedLine| line.effect == Effect::Right && line.reached.len() == tests.len();
        // Of runs that are wrong, those that are right for longest.
        let nearness = |line: &SummedLine| match line.effect {
            Effect::Right => (line.effect, 0),
            effect => (effect, line.common),
        };
        is_all(other)
            .cmp(&is_all(one))
            .then_with(|| (other.effect == Effect::Right).cmp(&(one.effect == Effect::Right)))
            .then(one.is_of_test.cmp(&other.is_of_test))
            .then_with(|| nearness(other).cmp(&nearness(one)))
            .then_with(|| other.score.total_cmp(&one.score))
    });
    summed
}

impl SummedLine {
    /// Adds what a test says. Tests that are only nearer say nothing where another one is right.
    fn add(&mut self, test: usize, index: usize, line: &RankedLine) {
        if line.effect < self.effect {
            return;
        }
        if line.effect > self.effect {
            *self = SummedLine {
                effect: line.effect,
                reached: Vec::new(),
                is_of_test: line.is_of_test,
                score: 0.0,
                common: 0,
            };
        }
        self.reached.push((test, index));
        self.score += line.features.score();
        self.common += line.common;
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalog::{Intervention, InterventionAction, Way};
    use super::super::feature::Features;
    use super::super::profile::{InterventionPlace, PlaceKind};
    use super::*;
    use crate::value::ValueForm;

    fn profile(lines: &[u32]) -> Profile {
        let place = |line: &u32| InterventionPlace {
            module: 1,
            number: 0,
            kind: PlaceKind::Branch,
            form: ValueForm::Pointer,
            file: "a.c".to_owned(),
            line: *line,
            column: 1,
            function: "f".to_owned(),
            text: String::new(),
        };
        Profile {
            places: lines.iter().map(place).collect(),
            ..Profile::default()
        }
    }

    fn line(place: usize, effect: Effect, score: f64) -> RankedLine {
        RankedLine {
            effect,
            common: 3,
            right: vec![Intervention {
                process: 1,
                place,
                instances: vec![1],
                action: InterventionAction::Flip,
                way: Way::Branch,
                moment: 0,
            }],
            features: Features::scoring(score),
            tried: 1,
            critical: 1,
            is_of_test: false,
            tried_near: None,
            near: None,
        }
    }

    /// The lines of the source, in order, each with the tests that it is reached in.
    fn summed(tests: &[(&Profile, Vec<RankedLine>)]) -> Vec<(u32, Vec<usize>)> {
        let lines: Vec<Vec<&RankedLine>> = tests
            .iter()
            .map(|(_, lines)| lines.iter().collect())
            .collect();
        let ranked: Vec<RankedTest<'_>> = tests
            .iter()
            .zip(&lines)
            .map(|((profile, _), lines)| RankedTest { profile, lines })
            .collect();
        let told = sum(&ranked).into_iter().map(|one| {
            let (test, index) = one.reached[0];
            let place = lines[test][index].right[0].place;
            let reached = one.reached.iter().map(|(test, _)| *test);
            (tests[test].0.places[place].line, reached.collect())
        });
        told.collect()
    }

    #[test]
    fn a_line_that_cures_all_tests_comes_before_a_better_one_that_cures_some() {
        // The places of the second test have other numbers.
        let (first, second) = (profile(&[3, 4, 5, 6]), profile(&[9, 5, 4]));
        let tests = [
            (
                &first,
                vec![
                    line(0, Effect::Right, 7.0),
                    line(1, Effect::Right, 2.0),
                    line(2, Effect::Right, 1.0),
                    line(3, Effect::Nearer, 9.0),
                ],
            ),
            (
                &second,
                vec![
                    line(1, Effect::Right, 3.0),
                    line(0, Effect::Right, 2.5),
                    line(2, Effect::Right, 1.0),
                ],
            ),
        ];
        // Line 5 has 1 and 3, line 4 has 2 and 1.
        let expected = [
            (5, vec![0, 1]),
            (4, vec![0, 1]),
            (3, vec![0]),
            (9, vec![1]),
            (6, vec![0]),
        ];
        assert_eq!(summed(&tests), expected);
    }

    #[test]
    fn a_test_that_is_only_nearer_adds_nothing_to_one_that_is_right() {
        let own = profile(&[3, 4]);
        let tests = [
            (
                &own,
                vec![line(0, Effect::Nearer, 9.0), line(1, Effect::Nearer, 1.0)],
            ),
            (
                &own,
                vec![line(1, Effect::Right, 1.0), line(0, Effect::Nearer, 1.0)],
            ),
        ];
        assert_eq!(summed(&tests), [(4, vec![1]), (3, vec![0, 1])]);
    }

    #[test]
    fn the_list_of_one_test_stays_as_it_is() {
        let own = profile(&[3, 4, 5]);
        let lines = vec![
            line(2, Effect::Right, 2.0),
            line(0, Effect::Right, 2.0),
            line(1, Effect::Nearer, 5.0),
        ];
        let order: Vec<u32> = summed(&[(&own, lines)])
            .into_iter()
            .map(|(line, _)| line)
            .collect();
        assert_eq!(order, [5, 3, 4]);
    }
}
