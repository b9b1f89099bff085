//! What other runs of the same program did, to tell what only the failing one does.

use std::collections::BTreeSet;

use super::profile::{InterventionPlace, PlaceKind, Profile};

/// What runs that were right have done: places by their modules and numbers, and the ways that branches took there.
#[derive(Debug, Default)]
pub struct Spectrum {
    reached: BTreeSet<(u64, u64)>,
    outcomes: BTreeSet<(u64, u64, u64)>,
}

impl Spectrum {
    /// Of several runs.
    pub fn of(profiles: &[Profile]) -> Spectrum {
        let mut spectrum = Spectrum::default();
        for profile in profiles {
            spectrum.reached.extend(reached(profile));
            spectrum.outcomes.extend(outcomes(profile));
        }
        spectrum
    }

    /// The places that only another run reaches, or whose branches only it takes, by their modules and numbers.
    pub fn only_in(&self, profile: &Profile) -> BTreeSet<(u64, u64)> {
        let reached = reached(profile).filter(|place| !self.reached.contains(place));
        let outcomes = outcomes(profile).filter(|outcome| !self.outcomes.contains(outcome));
        let outcomes = outcomes.map(|(module, number, _)| (module, number));
        reached.chain(outcomes).collect()
    }
}

fn reached(profile: &Profile) -> impl Iterator<Item = (u64, u64)> {
    let places = profile.places.iter().zip(&profile.counts);
    let reached = places.filter(|(_, count)| **count > 0);
    reached.map(|(InterventionPlace { module, number, .. }, _)| (*module, *number))
}

fn outcomes(profile: &Profile) -> impl Iterator<Item = (u64, u64, u64)> {
    profile.log.iter().filter_map(|(place, value)| {
        let place = &profile.places[*place];
        let is_branch = matches!(place.kind, PlaceKind::Branch | PlaceKind::Switch(_));
        is_branch.then_some((place.module, place.number, *value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(counts: [u64; 3], log: &[(usize, u64)]) -> Profile {
        let kinds = [PlaceKind::Branch, PlaceKind::Store, PlaceKind::Operator];
        let places = kinds
            .into_iter()
            .zip(0..)
            .map(|(kind, number)| InterventionPlace {
                number,
                ..InterventionPlace::example(kind, "f", "")
            });
        Profile {
            places: places.collect(),
            counts: counts.to_vec(),
            log: log.to_vec(),
            ..Profile::default()
        }
    }

    #[test]
    fn another_way_at_a_branch_and_a_place_that_nobody_else_reached_are_told() {
        let right = profile([2, 1, 0], &[(0, 0), (1, 5), (0, 0)]);
        let wrong = profile([2, 1, 1], &[(0, 0), (1, 6), (0, 1)]);
        let spectrum = Spectrum::of(&[right]);
        assert_eq!(spectrum.only_in(&wrong), BTreeSet::from([(1, 0), (1, 2)]));
        let same = profile([1, 1, 0], &[(0, 0), (1, 9)]);
        assert_eq!(spectrum.only_in(&same), BTreeSet::new());
    }
}
