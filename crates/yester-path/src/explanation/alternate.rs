//! Alternate inputs: close to the user's, made by the solver, and run in both versions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use super::{NEW, OLD, Relevant, Versions};
use crate::comparison::{DifferentBranch, evaluated_differently, same_path};
use crate::darwin::{Asking, deviations, open_constraints};
use crate::input::ProgramInput;
use crate::joint::Joint;
use crate::matching::Matching;
use crate::program::{Recorded, RunEnd, Shown};
use crate::recording::{InputSource, Recording, RecordingError};
use crate::version_comparison::{StepPlace, step_differences};

/// So many branches are turned without regard to the other version.
const MOST_TURNED: usize = 40;

/// So many parts of the user's input are tried.
const MOST_PARTS: usize = 14;

/// What an alternate input does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Keeps the path of the old version, and leaves that of the new one: DARWIN's first question.
    LeavesNew,
    /// Keeps the path of the new version, and leaves that of the old one: what it asks when there is no answer.
    LeavesOld,
    /// Leaves the path of the new version, whatever the old one does, and both agree: the nearest input that is treated right.
    Turns,
}

impl Direction {
    /// The version whose path is left.
    pub fn left(self) -> usize {
        match self {
            Direction::LeavesNew | Direction::Turns => NEW,
            Direction::LeavesOld => OLD,
        }
    }

    /// The version whose path is kept.
    fn kept(self) -> Option<usize> {
        match self {
            Direction::LeavesNew => Some(OLD),
            Direction::LeavesOld => Some(NEW),
            Direction::Turns => None,
        }
    }
}

/// An input that was made, run in both versions, and seen to go where it should.
pub struct Alternate<B> {
    /// What it does.
    pub direction: Direction,
    /// The input.
    pub input: ProgramInput,
    /// How many bytes of it differ from the user's.
    pub bytes: usize,
    /// What both versions do on it.
    pub behaviours: [B; 2],
    /// Whether that is the same.
    pub agrees: bool,
    /// The branches that the version whose path it leaves evaluates differently on the user's input (left) and on this one (right).
    pub different: Vec<DifferentBranch>,
    /// Where the versions differ on this input, if they agree all the same.
    pub harmless: Differing,
}

/// Steps at which the versions differ, as pairs of places in the old and the new version.
pub type Differing = HashSet<(Option<StepPlace>, Option<StepPlace>)>;

/// Finds alternate inputs.
pub struct Alternates<'a, V: Versions> {
    /// Runs them.
    pub versions: &'a mut V,
    /// The user's input.
    pub input: &'a ProgramInput,
    /// What of it varies.
    pub symbolic: &'a [InputSource],
    /// How the solver is asked.
    pub asking: Asking,
    /// How many alternates to ask for, in each version.
    pub most_inputs: usize,
    /// How long a run on the user's input may take.
    pub timeout: Duration,
    /// What both versions computed on the user's input.
    pub joint: &'a Joint,
    /// Which functions and sites of the versions correspond.
    pub matching: &'a Matching,
    /// Both versions on the user's input.
    pub given: &'a [Recorded<V::Shown>; 2],
    /// What can matter for the first difference in the output.
    pub relevant: &'a Relevant,
    /// How many questions were not asked because there are too many.
    pub left_out: usize,
}

impl<V: Versions> Alternates<'_, V> {
    /// The alternates of one direction, the best first.
    pub fn find(&mut self, direction: Direction) -> Result<Vec<Alternate<V::Behaviour>>, V::Stop> {
        let inputs = self.inputs(direction)?;
        let timeout = self.patience();
        let old = self.versions.run_all(OLD, &inputs, timeout)?;
        let new = self.versions.run_all(NEW, &inputs, timeout)?;
        let mut found = Vec::new();
        for (input, pair) in inputs.into_iter().zip(old.into_iter().zip(new)) {
            if let (Some(old), Some(new)) = pair {
                let alternate = self.alternate(direction, input, [old, new]);
                found.extend(alternate?);
            }
        }
        // On an input where both versions agree, what differs explains why they do not on the user's. Of these, and of the others,
        // the fewest different branches say most.
        found.sort_by_key(|one| (!one.agrees, one.different.len(), one.bytes));
        Ok(found)
    }

    /// How long a run on an alternate input may take: ten times as long as the slower version that ended. Longer runs take another path.
    fn patience(&self) -> Duration {
        let ended = self.given.iter().map(|one| &one.observation);
        let ended = ended.filter(|one| one.end() != RunEnd::Timeout);
        let slowest = ended.map(|one| one.elapsed()).max().unwrap_or_default();
        let patience = slowest * 10 + Duration::from_millis(500);
        patience.min(self.timeout)
    }

    /// Where the versions differ on parts of the user's input on which they agree all the same: differences that do no harm.
    pub fn harmless(&mut self) -> Result<Vec<Differing>, V::Stop> {
        let inputs = parts(self.input, self.symbolic);
        let timeout = self.patience();
        let old = self.versions.run_all(OLD, &inputs, timeout)?;
        let new = self.versions.run_all(NEW, &inputs, timeout)?;
        let mut found = Vec::new();
        for pair in old.into_iter().zip(new) {
            let (Some(old), Some(new)) = pair else {
                continue;
            };
            let behaviour = |one: &Recorded<V::Shown>| self.versions.behaviour(&one.observation);
            if self.versions.agree(&behaviour(&old), &behaviour(&new)) {
                let differences = step_differences(&old.recording, &new.recording, self.matching);
                let differences = differences?;
                found.push(differences.iter().map(|one| (one.old, one.new)).collect());
            }
        }
        Ok(found)
    }

    /// The solver's answers, as inputs.
    fn inputs(&mut self, direction: Direction) -> Result<Vec<ProgramInput>, V::Stop> {
        let (left, kept) = (direction.left(), direction.kept());
        let (constraints, most) = match kept {
            Some(kept) => {
                let open = open_constraints(self.joint, kept, left);
                (open, self.most_inputs)
            }
            None => {
                let last = last_of_each_site(&self.given[left].recording);
                let last = last?;
                (last, self.most_inputs.min(MOST_TURNED))
            }
        };
        let constraints: Vec<usize> = constraints
            .into_iter()
            .filter(|constraint| self.relevant.contains(left, *constraint))
            .collect();
        self.left_out += constraints.len().saturating_sub(most);
        let constraints = &constraints[..constraints.len().min(most)];
        let deviations = deviations(self.joint, kept, left, constraints, &self.asking)?;
        let lengths = self.joint.lengths();
        let mut inputs: Vec<ProgramInput> = Vec::new();
        for deviation in &deviations {
            let (sources, known) = (&self.joint.sources, &self.joint.input);
            let input = self
                .input
                .changed(sources, known, &lengths, &deviation.model);
            if input != *self.input && !inputs.contains(&input) {
                inputs.push(input);
            }
        }
        Ok(inputs)
    }

    /// Checks by its runs that an input goes where it should.
    fn alternate(
        &self,
        direction: Direction,
        input: ProgramInput,
        pair: [Recorded<V::Shown>; 2],
    ) -> Result<Option<Alternate<V::Behaviour>>, RecordingError> {
        let recordings = |version: usize| -> (&Recording, &Recording) {
            (&self.given[version].recording, &pair[version].recording)
        };
        if let Some(kept) = direction.kept() {
            let (was, is) = recordings(kept);
            if !same_path(was, is)? {
                return Ok(None);
            }
        }
        let behaviours = [OLD, NEW].map(|version| {
            let observation = &pair[version].observation;
            self.versions.behaviour(observation)
        });
        let agrees = self.versions.agree(&behaviours[OLD], &behaviours[NEW]);
        if direction == Direction::Turns && !agrees {
            return Ok(None);
        }
        let (was, is) = recordings(direction.left());
        let different = evaluated_differently(was, is)?;
        if different.is_empty() {
            return Ok(None);
        }
        let harmless = if agrees {
            let [old, new] = &pair;
            let found = step_differences(&old.recording, &new.recording, self.matching)?;
            found.iter().map(|one| (one.old, one.new)).collect()
        } else {
            Differing::new()
        };
        Ok(Some(Alternate {
            direction,
            bytes: self.input.differing_bytes(&input),
            input,
            behaviours,
            agrees,
            different,
            harmless,
        }))
    }
}

/// The constraints of the last time that each branch was decided, the last ones first, and then those of the first time.
fn last_of_each_site(recording: &Recording) -> Result<Vec<usize>, RecordingError> {
    let mut times: BTreeMap<(u32, u32), (usize, usize)> = BTreeMap::new();
    for branch in recording.branches() {
        let branch = branch?;
        if let Some(constraint) = branch.constraint {
            let place = (branch.function, branch.site);
            let known = times.entry(place).or_insert((constraint, constraint));
            known.1 = constraint;
        }
    }
    let mut last: Vec<usize> = times.values().map(|(_, last)| *last).collect();
    last.sort_unstable_by_key(|constraint| Reverse(*constraint));
    let known: BTreeSet<usize> = last.iter().copied().collect();
    let mut first: Vec<usize> = times.values().map(|(first, _)| *first).collect();
    first.retain(|constraint| !known.contains(constraint));
    first.sort_unstable_by_key(|constraint| Reverse(*constraint));
    last.extend(first);
    Ok(last)
}

/// The input without a half or a quarter of what it reads, with one quarter only, and with nothing. The shorter ones show least of the
/// fault, the longer ones most of the program.
fn parts(input: &ProgramInput, sources: &[InputSource]) -> Vec<ProgramInput> {
    let mut found: Vec<ProgramInput> = Vec::new();
    for source in sources {
        let Some(length) = input.content(source).map(<[u8]>::len) else {
            continue;
        };
        let quarter = |number: usize| length * number / 4;
        // What is left out, from the end to the beginning.
        let left_out = [(0, 2), (2, 4), (0, 1), (1, 2), (2, 3), (3, 4)];
        let left_out = left_out.map(|(begin, end)| [quarter(begin)..quarter(end), 0..0]);
        let kept = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 0)];
        let kept = kept.map(|(begin, end)| [quarter(end)..length, 0..quarter(begin)]);
        for removed in left_out.into_iter().chain(kept) {
            let mut part = input.clone();
            let mut is_changed = false;
            for range in removed {
                is_changed |= part.remove(source, range);
            }
            if is_changed && !found.contains(&part) {
                found.push(part);
            }
        }
    }
    found.truncate(MOST_PARTS);
    found
}
