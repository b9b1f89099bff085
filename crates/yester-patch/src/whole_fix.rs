//! More than the fewest lines: taking back all that a commit did where the culprit is.
//!
//! A fix of the fewest lines often does no more than hide the failure. Nobody has checked what it leaves of a change that
//! was made as a whole.

use yester_core::{Candidate, Outcome, ProvingLab, Space, Stop};

use crate::removal::with_all_of_created;
use crate::{AtomSet, ChangeSpace, DeltaLevel};

/// So many ways are run.
const WAYS: usize = 2;

/// What came of taking back all that the culprit's commit did where the culprit is.
pub enum WholeFix<T> {
    /// There is no single commit whose changes could be taken back.
    Unknown,
    /// It is the smallest fix.
    Same,
    /// The version that fails passes then.
    Passes(T),
    /// It does not.
    Refuted(Outcome),
    /// Later changes touch the same lines.
    Conflict,
}

impl<T> WholeFix<T> {
    /// The same with the fix in another form.
    pub fn try_map<U, E>(self, form: impl FnOnce(T) -> Result<U, E>) -> Result<WholeFix<U>, E> {
        Ok(match self {
            WholeFix::Unknown => WholeFix::Unknown,
            WholeFix::Same => WholeFix::Same,
            WholeFix::Passes(fix) => WholeFix::Passes(form(fix)?),
            WholeFix::Refuted(outcome) => WholeFix::Refuted(outcome),
            WholeFix::Conflict => WholeFix::Conflict,
        })
    }

    /// The fix, if it passes.
    pub fn passing(&self) -> Option<&T> {
        match self {
            WholeFix::Passes(fix) => Some(fix),
            _ => None,
        }
    }
}

/// All changes of the functions and other definitions that some changes are in, then those of their hunks, where these are more
/// than the changes and comments.
pub(crate) fn around(space: &ChangeSpace, atoms: &AtomSet) -> Vec<AtomSet> {
    let levels = [DeltaLevel::Entity, DeltaLevel::Hunk].into_iter();
    let sets = levels.map(|level| {
        let whole = space.of(&space.all(), level);
        with_all_of_created(space, &whole.atoms(&whole.deltas_of(atoms)))
    });
    let is_more = |set: &AtomSet| {
        let more = space.of(&set.difference(atoms), DeltaLevel::Line);
        (0..more.len()).any(|delta| !more.is_insignificant(delta))
    };
    sets.filter(is_more).collect()
}

/// Runs versions with different fixes in clean places until one passes. A fix that cannot be made has no version.
pub(crate) fn first_that_passes<L: ProvingLab, T>(
    lab: &mut L,
    ways: impl IntoIterator<Item = Option<(T, Candidate)>>,
) -> Result<WholeFix<T>, Stop> {
    let mut whole = WholeFix::Same;
    let mut runs = 0;
    for way in ways {
        let Some((fix, candidate)) = way else {
            if matches!(whole, WholeFix::Same) {
                whole = WholeFix::Conflict;
            }
            continue;
        };
        if runs == WAYS {
            break;
        }
        runs += 1;
        match lab.test_clean(&[&candidate])?.pop() {
            Some((Outcome::Pass, _)) => return Ok(WholeFix::Passes(fix)),
            Some((outcome, _)) if !matches!(whole, WholeFix::Refuted(_)) => {
                whole = WholeFix::Refuted(outcome);
            }
            _ => {}
        }
    }
    Ok(whole)
}
