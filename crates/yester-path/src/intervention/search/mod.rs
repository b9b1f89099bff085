//! Runs on the user's input with an intervention. `flip` and `explain` use them.

mod control;
mod limit;
mod near;
mod right;
mod several;
mod solved;
mod target;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use yester_core::Outcome;

use self::limit::Limits;
pub use self::limit::TimeLimit;
pub use self::near::{NearInput, NearSearch};
pub use self::right::{Right, RightExit, RightOutput};
pub use self::several::{Confirmation, InterventionLine, lines_of_tests};
pub use self::solved::Solving;
pub use self::target::{BatchRun, InterventionTarget};
use crate::intervention::{
    Blame, Effect, Effort, Intervention, InterventionAction, InterventionPlace, Profile,
    RankedLine, ResultRecord, Spectrum, Tried, assignments, calls, exits, extended, interventions,
    local_assignments, rank,
};

/// So many interventions go into one run of the server. The number has nothing to do with the number of jobs, so that neither have
/// the results.
const BATCH: usize = 250;
/// So many places are confirmed, the best ones.
const MOST_CONFIRMED: usize = 12;
/// So many interventions of a place are tried until one holds.
const MOST_ATTEMPTS: usize = 4;

/// What interventions do, in words.
const INTERVENTIONS: &str = "trying single interventions";

/// So many places are tried with several executions.
const MOST_EXTENDED: usize = 16;

/// What the interventions have shown.
#[derive(Default)]
pub struct InterventionFindings {
    /// How many processes of the test take interventions.
    pub processes: usize,
    /// Of the process that had the interventions.
    pub profile: Profile,
    /// Lines at which an intervention makes the run right, the best first, each with the one that was confirmed.
    pub lines: Vec<ConfirmedLine>,
    /// Lines behind these, whose interventions were not carried out again.
    pub unconfirmed: Vec<RankedLine>,
    /// How many more there are.
    pub left: usize,
    /// How many runs there were, with those that confirm.
    pub runs: u64,
    /// Reasons to look twice.
    pub notes: Vec<String>,
}

impl InterventionFindings {
    /// What speaks for each line, as it is written down.
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        let confirmed = self.lines.iter().map(|confirmed| &confirmed.line);
        let all = confirmed.chain(&self.unconfirmed);
        all.map(|line| format!("what speaks for {}", line.told(&self.profile)))
            .collect()
    }
}

/// A line whose best intervention was seen to be right in a clean tree.
#[derive(Clone)]
pub struct ConfirmedLine {
    /// The line.
    pub line: RankedLine,
    /// The intervention that was seen.
    pub intervention: Intervention,
}

/// Lines of files, as the compiler knows them.
pub type SliceLines = HashSet<(String, u32)>;

/// Carries out interventions.
pub struct InterventionSearch<'f, P: InterventionTarget> {
    /// Makes the runs.
    pub program: &'f mut P,
    /// Whether the program itself carries out many interventions in one run. Otherwise each is a run of the test.
    pub in_batches: bool,
    /// Whether values are guessed, branches turned and so on.
    pub guesses: bool,
    /// How values are computed, if what is expected is known.
    pub solving: Option<Solving<'f>>,
    /// The run as it is.
    pub failing: &'f P::Shown,
    /// What a right run looks like.
    pub right: &'f Right,
    /// The lines that what is wrong depends on, if that can be told. They come first, so that others are left out.
    pub slice: Option<&'f dyn Fn() -> Option<SliceLines>>,
    /// How much of its output has to be right for a run to be nearer than the failing one.
    pub nearer: Option<u64>,
    /// How much of the output of the failing run is right.
    pub common: u64,
    /// Whether the failing run does not end: then it says nothing about how many branches a right one takes.
    pub is_endless: bool,
    /// How long one run may take.
    pub timeout: Duration,
    /// How long all of it may take.
    pub time_limit: TimeLimit,
    /// Whether an intervention has changed the tree that those after it run in.
    pub has_changed_tree: bool,
    /// How many interventions there may be, if somebody says so.
    pub most: Option<usize>,
    /// Which code may be to blame.
    pub blame: Blame,
    /// What was done on inputs near the user's so far.
    pub near: NearSearch,
}

/// How long the runs of a test may take together if nobody says otherwise.
pub const PATIENCE_WITH_TRIALS: Duration = Duration::from_secs(120);

/// How many interventions there are if nobody says otherwise.
const MOST_IN_BATCHES: usize = 4000;
const MOST_IN_TRIALS: usize = 300;

/// So many interventions are about assignments that may be missing.
const MOST_IN_GAPS: usize = 800;
/// So many are about calls that may be missing.
const MOST_CALLS: usize = 1200;
/// So many are about ways to leave that may be missing.
const MOST_EXITS: usize = 1000;
/// So many are about assignments to local variables that may be missing.
const MOST_LOCALS: usize = 800;
/// Of runs with more branches than this, so many times fewer of these are tried.
const LONG_RUN: u64 = 50_000;
const SHARE_OF_LONG_RUNS: usize = 2;
/// Where so many lines make the run right, nothing is looked for that would come behind them.
const ENOUGH_LINES: usize = 7;

impl<P: InterventionTarget> InterventionSearch<'_, P> {
    /// Carries out as many as the effort allows, in one process of the test after the other, until one of them has lines to show. The last
    /// comes first: a test ends where it fails.
    pub fn carry_out(
        &mut self,
        mut profiles: Vec<Profile>,
    ) -> Result<InterventionFindings, P::Stop> {
        let processes = profiles.len();
        let mut found = InterventionFindings::default();
        while let Some(profile) = profiles.pop() {
            let before = std::mem::take(&mut found);
            // A test that goes on has found nothing wrong with what it started before.
            let spectrum = Spectrum::of(&profiles);
            found = self.in_process(profile, &spectrum)?;
            found.processes = processes;
            let spent = found.runs as usize;
            found.runs += before.runs;
            found.notes.extend(before.notes);
            found.left += before.left;
            self.most = self.most.map(|most| most.saturating_sub(spent));
            if !found.lines.is_empty() || self.most == Some(0) || !self.time_limit.goes_on() {
                break;
            }
        }
        if found.left > 0 && !self.time_limit.goes_on() {
            found.notes.push(format!(
                "the time was over after {} with an intervention",
                runs(found.runs)
            ));
        }
        Ok(found)
    }

    fn in_process(
        &mut self,
        mut profile: Profile,
        spectrum: &Spectrum,
    ) -> Result<InterventionFindings, P::Stop> {
        profile.leave_out(|place| !self.blame.covers(place));
        let effort = if self.in_batches {
            Effort {
                interventions: self.most.unwrap_or(MOST_IN_BATCHES),
                branch_instances: 24,
                value_instances: 6,
                is_scarce: false,
            }
        } else {
            Effort {
                interventions: self.most.unwrap_or(MOST_IN_TRIALS),
                branch_instances: 1,
                value_instances: 1,
                is_scarce: true,
            }
        };
        let (mut all, left) = if self.guesses {
            self.planned(&profile, spectrum, &effort)
        } else {
            (Vec::new(), 0)
        };
        let mut planned = all.len() + left;
        let limits = Limits::of(&profile, self.timeout, self.is_endless);
        let mut tried: Vec<Tried> = Vec::new();
        let mut runs = 0;
        let mut notes = Vec::new();
        notes.extend(self.effect_of_guard(&profile, &limits)?);
        if self.in_batches && !self.leaves_no_traces(&profile, &limits)? {
            notes.push(
                "a second run in the same tree does something else, so every intervention gets a tree of its own: few are carried out"
                    .to_owned(),
            );
            all.truncate(self.most.unwrap_or(MOST_IN_TRIALS));
            runs += self.one_by_one(&profile, &all, &limits, &mut tried)?;
        } else if self.in_batches {
            self.in_batches(&profile, &all, &limits, &mut tried)?;
            self.several_times(&profile, &limits, &mut tried, 0)?;
            if self.guesses {
                planned += self.in_gaps(&profile, &limits, &mut tried)?;
            }
            runs += tried.len() as u64 + self.solve(&profile, &limits, &mut tried)?;
        } else {
            runs += self.one_by_one(&profile, &all, &limits, &mut tried)?;
        }
        if std::mem::take(&mut self.has_changed_tree) {
            notes.push(
                "some interventions changed files of the tree that others ran in, which may have kept those from passing"
                    .to_owned(),
            );
        }
        let left = planned.saturating_sub(tried.len());
        let mut ranked = rank(&profile, &tried, &self.blame);
        if self.in_batches {
            self.on_near_inputs(&profile, &limits, &mut ranked)?;
            runs += self.near.runs;
        }
        let (lines, unconfirmed) = self.confirm(&profile, ranked, &mut runs)?;
        Ok(InterventionFindings {
            notes,
            processes: 1,
            profile,
            lines,
            unconfirmed,
            left,
            runs,
        })
    }

    /// The interventions to try. Only where not all of them can be tried, it matters what comes first: what the wrong output depends on,
    /// or what no earlier process of the test has done.
    fn planned(
        &self,
        profile: &Profile,
        spectrum: &Spectrum,
        effort: &Effort,
    ) -> (Vec<Intervention>, usize) {
        let (all, left) = interventions(profile, effort, &|_| true);
        if left == 0 && !self.time_limit.is_set() {
            return (all, left);
        }
        let of_test = self.blame.test_functions(profile);
        let is_product =
            |place: &InterventionPlace| !of_test.contains(&(&place.file, &place.function));
        if let Some(slice) = self.slice.and_then(|slice| slice()) {
            return interventions(profile, effort, &|place| {
                is_product(place) && slice.contains(&(place.file.clone(), place.line))
            });
        }
        let only_here = spectrum.only_in(profile);
        interventions(profile, effort, &|place| {
            is_product(place) && only_here.contains(&(place.module, place.number))
        })
    }

    /// How many interventions may still be carried out, where somebody has said how many.
    fn left(&self, tried: &[Tried]) -> usize {
        self.most
            .map_or(usize::MAX, |most| most.saturating_sub(tried.len()))
    }

    /// The program itself carries them out, many in each run.
    fn in_batches(
        &mut self,
        profile: &Profile,
        all: &[Intervention],
        limits: &Limits,
        tried: &mut Vec<Tried>,
    ) -> Result<(), P::Stop> {
        let (right, nearer) = (self.right, self.nearer);
        let from = tried.len();
        let records = self.records(profile, all, limits)?;
        tried.extend(all.iter().zip(records).map(|(intervention, record)| Tried {
            intervention: intervention.clone(),
            effect: record.map_or(Effect::None, |record| right.effect(&record, nearer)),
            common: record.map_or(0, |record| record.common),
        }));
        for one in &tried[from..] {
            self.program.judged(outcome(one.effect));
        }
        Ok(())
    }

    /// The records of interventions that the program itself carries out, up to where the time ended. Those without one made the program end.
    fn records(
        &mut self,
        profile: &Profile,
        all: &[Intervention],
        limits: &Limits,
    ) -> Result<Vec<Option<ResultRecord>>, P::Stop> {
        let batches: Vec<&[Intervention]> = all.chunks(BATCH).collect();
        let text = |batch: &&[Intervention]| limits.plan(profile, batch);
        let plans: Vec<String> = batches.iter().map(text).collect();
        let longest = self.timeout * BATCH as u32 + Duration::from_secs(10);
        let mut results: Vec<Option<ResultRecord>> = vec![None; all.len()];
        self.program.begin(INTERVENTIONS, all.len());
        // As many at once as there may be between two looks at the clock.
        let wave = 4;
        for first in (0..batches.len()).step_by(wave) {
            let patience = self
                .time_limit
                .time_for(longest)
                .filter(|_| self.time_limit.goes_on());
            let Some(patience) = patience else {
                results.truncate(first * BATCH);
                break;
            };
            // The first intervention that the end of the time has kept from being carried out.
            let mut cut = all.len();
            let mut has_changed_tree = false;
            let end = (first + wave).min(batches.len());
            let expected = self.right.expected();
            let runs = self
                .program
                .run_batches(&plans[first..end], expected, patience)?;
            for (index, run) in runs.into_iter().enumerate() {
                let begin = (first + index) * BATCH;
                if patience < longest && run.is_late {
                    cut = cut.min(begin + run.results.len());
                }
                has_changed_tree |= run.changed_tree;
                for record in run.results {
                    if let Some(place) = results.get_mut(begin + record.index as usize) {
                        *place = Some(record);
                    }
                }
            }
            self.has_changed_tree |= has_changed_tree;
            if cut < all.len() {
                results.truncate(cut);
                break;
            }
        }
        Ok(results)
    }

    /// A fault that shows several times takes an intervention at as many executions: those that helped are tried with one execution more, as long as more
    /// of the output becomes right.
    fn several_times(
        &mut self,
        profile: &Profile,
        limits: &Limits,
        tried: &mut Vec<Tried>,
        from: usize,
    ) -> Result<(), P::Stop> {
        let start = self.common;
        let mut best: BTreeMap<(usize, bool), Tried> = BTreeMap::new();
        for one in &tried[from..] {
            let is_single = one.intervention.instances.len() == 1
                && matches!(
                    one.intervention.action,
                    InterventionAction::Flip
                        | InterventionAction::Skip
                        | InterventionAction::Leave { .. }
                        | InterventionAction::Call { .. }
                );
            if is_single && one.effect != Effect::Right && one.common > start {
                let key = (
                    one.intervention.place,
                    one.intervention.action == InterventionAction::Skip,
                );
                let known = best.entry(key).or_insert_with(|| one.clone());
                if one.common > known.common {
                    *known = one.clone();
                }
            }
        }
        let mut open: Vec<Tried> = best.into_values().collect();
        open.sort_by_key(|one| Reverse(one.common));
        open.truncate(MOST_EXTENDED);
        while !open.is_empty() && self.time_limit.goes_on() && self.left(tried) > 0 {
            let next: Vec<Vec<Intervention>> = open
                .iter()
                .map(|one| extended(profile, &one.intervention))
                .collect();
            let all: Vec<Intervention> = next.iter().flatten().cloned().collect();
            let first = tried.len();
            self.in_batches(profile, &all, limits, tried)?;
            let mut results = tried[first..].iter();
            let mut better = Vec::new();
            for (one, next) in open.iter().zip(&next) {
                let results: Vec<&Tried> = results.by_ref().take(next.len()).collect();
                let is_right = results.iter().any(|one| one.effect == Effect::Right);
                let best = results
                    .iter()
                    .max_by_key(|one| (one.common, Reverse(&one.intervention.instances)));
                let best = best.filter(|best| !is_right && best.common > one.common);
                better.extend(best.map(|best| (*best).clone()));
            }
            open = better;
        }
        Ok(())
    }

    /// Something may be missing between statements: calls are added, and where few lines make the run right also assignments and ways
    /// to leave. Says how many were planned.
    fn in_gaps(
        &mut self,
        profile: &Profile,
        limits: &Limits,
        tried: &mut Vec<Tried>,
    ) -> Result<usize, P::Stop> {
        let share = if profile.branches() > LONG_RUN {
            SHARE_OF_LONG_RUNS
        } else {
            1
        };
        let has_enough = self.has_enough(profile, limits, tried)?;
        let most = |known: &[Intervention], most: usize| {
            let left = self.left(tried).saturating_sub(known.len());
            left.min(most / share)
        };
        let mut all = calls(profile, most(&[], MOST_CALLS));
        if !has_enough {
            all.extend(assignments(profile, most(&all, MOST_IN_GAPS)));
            all.extend(exits(profile, most(&all, MOST_EXITS)));
            all.extend(local_assignments(profile, most(&all, MOST_LOCALS)));
        }
        let from = tried.len();
        self.in_batches(profile, &all, limits, tried)?;
        self.several_times(profile, limits, tried, from)?;
        Ok(all.len())
    }

    /// Each intervention is a run of the test.
    fn one_by_one(
        &mut self,
        profile: &Profile,
        all: &[Intervention],
        limits: &Limits,
        tried: &mut Vec<Tried>,
    ) -> Result<u64, P::Stop> {
        // What an earlier call has seen is no run of this one.
        let before = self.program.runs();
        self.program.begin(INTERVENTIONS, all.len());
        // So many between two looks at the clock.
        let wave = 8;
        for batch in all.chunks(wave) {
            if !self.time_limit.goes_on() {
                break;
            }
            let plans: Vec<String> = batch
                .iter()
                .map(|one| limits.plan(profile, std::slice::from_ref(one)))
                .collect();
            let answers = self.program.run_each(&plans, self.right, self.timeout)?;
            let pairs = batch.iter().zip(answers);
            tried.extend(pairs.map(|(intervention, answer)| Tried {
                intervention: intervention.clone(),
                effect: if answer { Effect::Right } else { Effect::None },
                common: 0,
            }));
        }
        Ok(self.program.runs() - before)
    }

    /// Runs the best interventions of the best lines again, each in a clean tree. What is not right again is left out. Gives the lines behind them too.
    fn confirm(
        &mut self,
        profile: &Profile,
        lines: Vec<RankedLine>,
        runs: &mut u64,
    ) -> Result<(Vec<ConfirmedLine>, Vec<RankedLine>), P::Stop> {
        let mut confirmed = Vec::new();
        let mut lines = lines.into_iter();
        while confirmed.len() < MOST_CONFIRMED
            && let Some(line) = lines.next()
        {
            confirmed.extend(self.confirm_line(profile, line, runs)?);
        }
        Ok((confirmed, lines.collect()))
    }

    /// Runs the best interventions of a line again, each in a clean tree, until one is as good as it was.
    pub fn confirm_line(
        &mut self,
        profile: &Profile,
        line: RankedLine,
        runs: &mut u64,
    ) -> Result<Option<ConfirmedLine>, P::Stop> {
        let limits = Limits::of(profile, self.timeout, self.is_endless);
        for intervention in line.right.iter().take(MOST_ATTEMPTS) {
            let plan = limits.plan(profile, std::slice::from_ref(intervention));
            let Some(patience) = self.time_limit.time_for(self.timeout) else {
                break;
            };
            let shown = self.program.run(&plan, patience)?;
            *runs += 1;
            let is_seen = match line.effect {
                Effect::Right => self.program.is_right(&shown, self.right)?,
                _ => self.right.is_nearer(&shown, self.nearer),
            };
            if is_seen {
                let intervention = intervention.clone();
                return Ok(Some(ConfirmedLine { line, intervention }));
            }
        }
        Ok(None)
    }
}

/// A number of runs, in words.
fn runs(count: u64) -> String {
    match count {
        1 => "1 run".to_owned(),
        count => format!("{count} runs"),
    }
}

/// What an intervention is counted as.
fn outcome(effect: Effect) -> Outcome {
    match effect {
        Effect::Right => Outcome::Pass,
        Effect::Nearer | Effect::None => Outcome::Fail,
    }
}

/// Whether so many lines make the run right that others, for which less speaks, would not be shown.
fn has_enough(profile: &Profile, tried: &[Tried]) -> bool {
    let right = tried.iter().filter(|one| one.effect == Effect::Right);
    let lines: BTreeSet<(&str, u32)> = right
        .map(|one| &profile.places[one.intervention.place])
        .map(|place| (place.file.as_str(), place.line))
        .collect();
    lines.len() >= ENOUGH_LINES
}
