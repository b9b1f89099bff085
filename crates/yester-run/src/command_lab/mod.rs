mod best;
mod confirmation;
mod inquiry;
mod known;
mod product;
mod question;
mod tester;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use yester_core::{Answer, Candidate, Evidence, Hash, Limit, Outcome, Space, Stop, Subset};

pub use self::best::{BestSoFar, Failing};
pub use self::confirmation::Confirmation;
use self::inquiry::{Inquiry, Rest};
use self::known::Known;
use self::product::{ProductAnswer, Products};
use self::question::{Hint, NextCandidates, Question};
use crate::runner::Freshness;
use crate::session::{RETRIES, RunError, carry_out};
use crate::{
    Counts, Ending, Event, Events, Judge, Observation, Output, Repeat, Runner, Signature, Trial,
    Why,
};

/// Answers the questions of a search by running the user's command.
pub struct CommandLab<B> {
    runner: Runner,
    settings: LabSettings,
    best: B,
    known: HashMap<Hash, Known>,
    /// The candidate that each worker is busy with.
    busy: Vec<Option<WorkerTask>>,
    /// What the search will probably ask for next, the likeliest first.
    hints: Vec<Hint>,
    /// How many trials count against the limit.
    answered: u64,
    others: HashMap<Signature, OtherFailure>,
    products: Products,
    /// Whether to keep what trials with an outcome print, too.
    keeps_all_outputs: bool,
    /// What the unreduced candidate made the command print.
    messages: String,
    /// What the search does now.
    pass: &'static str,
}

/// How a lab runs and reads the command.
#[derive(Clone, Debug)]
pub struct LabSettings {
    /// Turns what a run showed into an outcome.
    pub judge: Judge,
    /// How many runs an outcome takes.
    pub repeat: Repeat,
    /// How many trials there may be.
    pub max_trials: Option<u64>,
    /// How many of them the baseline has used up.
    pub spent_trials: u64,
    /// Whether every trial gets a clean tree with a clean build, for tests that do not bear the traces of others.
    pub always_clean: bool,
    /// Whether to keep what trials without an outcome print, also for a later session of this run.
    pub keep_outputs: bool,
}

/// A failure that is not the one that is looked for.
#[derive(Clone, Debug)]
pub struct OtherFailure {
    /// How many candidates showed it.
    pub seen: u64,
    /// The smallest of them.
    pub smallest: Candidate,
}

/// How many other failures are remembered.
const OTHER_FAILURES: usize = 20;

/// A long replay waits for no run, where a stop would be noticed. So it looks for one after this many answers.
const ANSWERS_BETWEEN_CHECKS: u64 = 256;

struct WorkerTask {
    trial: u64,
    hash: Hash,
    bytes: u64,
    /// In which way it differs from the others, in words.
    difference: String,
    pass: &'static str,
    cancelled: bool,
    /// What it has built, and what the test would say of that.
    recognised: Option<(String, ProductAnswer)>,
}

/// In which way a candidate differs from the others, in words. One of another space says nothing.
fn described(space: &dyn Space, subset: &Subset) -> String {
    if subset.universe() == space.len() {
        space.describe(subset)
    } else {
        String::new()
    }
}

impl<B: BestSoFar> CommandLab<B> {
    /// A lab that runs and reads the command like this. `best` is shown everything that fails.
    pub fn new(runner: Runner, settings: LabSettings, best: B) -> CommandLab<B> {
        let workers = runner.session.workers();
        CommandLab {
            busy: (0..workers).map(|_| None).collect(),
            products: Products::recall(&runner.session.journal, &settings.repeat),
            known: HashMap::new(),
            hints: Vec::new(),
            answered: settings.spent_trials,
            others: HashMap::new(),
            keeps_all_outputs: false,
            messages: String::new(),
            pass: "",
            runner,
            settings,
            best,
        }
    }

    /// Tells what is known about a candidate already.
    pub fn remember(&mut self, candidate: &Candidate, outcome: Outcome) {
        let known = Known {
            outcome: Some(outcome),
            used: true,
            ..Known::default()
        };
        self.known.insert(candidate.hash(), known);
    }

    /// Tells what the unreduced candidate made the command print.
    pub fn remember_messages(&mut self, messages: &str) {
        messages.clone_into(&mut self.messages);
    }

    /// Tells what is known about all candidates of which this is built: the outcome of a trial with this ending.
    pub fn remember_product(&mut self, product: &str, ending: Ending, outcome: Outcome) {
        self.products.remember(product, ending, outcome);
    }

    /// How runs are read.
    pub fn judge(&self) -> &Judge {
        &self.settings.judge
    }

    /// Reads runs like this from now on. What is known stays known.
    pub fn read_by(&mut self, judge: Judge) {
        self.settings.judge = judge;
    }

    /// From now on, keeps also what trials with an outcome print, or no longer.
    pub fn keep_all_outputs(&mut self, keeps: bool) {
        self.keeps_all_outputs = keeps;
    }

    /// Judges again what was run once and whose output was kept, by the judge of now.
    pub fn reconsider(&mut self) {
        for known in self.known.values_mut() {
            if let ([_], Some(output), Some(ending)) =
                (&known.runs[..], &known.output, &known.ending)
                && let Some(outcome) = self.settings.judge.judge_again(ending, output)
            {
                known.runs = vec![outcome];
                known.outcome = Some(outcome);
            }
        }
    }

    /// What a trial of a candidate has printed, if that was kept.
    pub fn output_of(&self, candidate: &Candidate) -> Option<Arc<Output>> {
        self.known.get(&candidate.hash())?.output.clone()
    }

    /// Gives back what it worked with.
    pub fn into_runner(self) -> Runner {
        self.runner
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        let known = self.known.values();
        let unused = known.filter(|known| !known.used && !known.replayed);
        Counts {
            unused: unused.map(|known| known.runs.len() as u64).sum(),
            ..self.runner.session.counts
        }
    }

    /// How many candidates the search has asked for, each once, with those of the baseline. What was tested ahead and never
    /// used does not count, and what an earlier session has run does, so that it is the same with any number of jobs.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Where it tells what happens.
    pub fn events(&self) -> &Events {
        &self.runner.session.events
    }

    /// The best answer so far.
    pub fn best(&self) -> &B {
        &self.best
    }

    /// The best answer so far, for a search that starts over with less.
    pub fn best_mut(&mut self) -> &mut B {
        &mut self.best
    }

    /// How outcomes are repeated.
    pub fn repeat(&self) -> &Repeat {
        &self.settings.repeat
    }

    /// Other failures that were seen, the most frequent first.
    pub fn others(&self) -> Vec<(&Signature, &OtherFailure)> {
        let mut others: Vec<_> = self.others.iter().collect();
        others.sort_by_key(|(signature, other)| (u64::MAX - other.seen, signature.to_string()));
        others
    }

    /// Goes through the candidates in order until one has an outcome that fits.
    fn find(
        &mut self,
        space: &dyn Space,
        next: &mut NextCandidates<'_>,
        candidates: &mut dyn Iterator<Item = Subset>,
        fits: &dyn Fn(Outcome) -> bool,
    ) -> Result<Option<(usize, Answer)>, Stop> {
        let mut inquiry = Inquiry {
            lab: self,
            space,
            next,
            candidates,
            fits,
            questions: VecDeque::new(),
            index: 0,
            has_more: true,
            found: None,
        };
        carry_out(&mut inquiry)?;
        let found = inquiry.found.take();
        self.hints.clear();
        Ok(found)
    }

    fn is_open(&self, question: &Question) -> bool {
        match &question.rendered {
            Ok((hash, _)) => self.is_unknown(*hash),
            Err(_) => false,
        }
    }

    fn is_unknown(&self, hash: Hash) -> bool {
        self.known
            .get(&hash)
            .is_none_or(|known| known.outcome.is_none())
    }

    /// The outcome, if it is known from this session, from an earlier one, or without any trial.
    fn recall(&mut self, question: &Question) -> Option<Outcome> {
        let Ok((hash, _)) = &question.rendered else {
            return Some(Outcome::Unresolved);
        };
        let known = self.known.entry(*hash).or_default();
        while known.outcome.is_none() {
            let trial = self.runner.session.journal.recall(*hash, Why::Search)?;
            known.add(&trial, &self.settings.repeat);
            self.products.learn(&trial, known);
        }
        known.outcome
    }

    /// The outcome with what it rests on.
    fn answer(&self, question: &Question, outcome: Outcome) -> Answer {
        let evidence = match &question.rendered {
            Err(infeasible) => Evidence::Infeasible(infeasible.clone()),
            Ok((hash, _)) => match self.known.get(hash) {
                Some(known) if !known.runs.is_empty() => {
                    let output = known.output.as_ref();
                    Evidence::Ran(output.map(|output| output.text().into()))
                }
                _ => Evidence::Known,
            },
        };
        Answer { outcome, evidence }
    }

    /// Hands an outcome to the search, which may build on it from now on.
    fn give(
        &mut self,
        space: &dyn Space,
        question: &Question,
        outcome: Outcome,
    ) -> Result<(), Stop> {
        let (hash, candidate) = match &question.rendered {
            Ok(rendered) => rendered,
            Err(infeasible) => {
                self.runner.session.counts.predicted += 1;
                let reason = Event::Infeasible(&infeasible.reason);
                self.runner.session.events.emit(&reason);
                return Ok(());
            }
        };
        let known = &self.known[hash];
        if known.used || known.replayed {
            self.runner.session.counts.cached += 1;
        }
        if !known.used {
            // What was tested ahead must not carry the search beyond its limit. What an earlier session has paid for may.
            if !known.replayed {
                self.check_limit()?;
            }
            self.known.entry(*hash).or_default().used = true;
            self.answered += 1;
            if self.answered.is_multiple_of(ANSWERS_BETWEEN_CHECKS)
                && self.busy.iter().all(Option::is_none)
            {
                self.runner.session.check_stop()?;
            }
            self.count_other(*hash, candidate);
            self.runner.session.events.emit(&Event::Answered(outcome));
        }
        if outcome == Outcome::Fail {
            let failing = Failing {
                candidate,
                space,
                subset: &question.subset,
            };
            let left = self.best.consider(&failing).map_err(RunError::Best)?;
            if let Some(left) = left {
                self.runner
                    .session
                    .events
                    .emit(&Event::Improved { left, candidate });
            }
        }
        Ok(())
    }

    /// Remembers a failure that is not the one that is looked for.
    fn count_other(&mut self, hash: Hash, candidate: &Candidate) {
        if let Some(signature) = &self.known[&hash].other
            && (self.others.len() < OTHER_FAILURES || self.others.contains_key(signature))
        {
            let other = self.others.entry(signature.clone());
            let other = other.or_insert_with(|| OtherFailure {
                seen: 0,
                smallest: candidate.clone(),
            });
            other.seen += 1;
            if candidate.bytes() < other.smallest.bytes() {
                other.smallest = candidate.clone();
            }
        }
    }

    /// Only answers count, not what was tested ahead, so that a limit stops at the same place with any number of jobs.
    fn check_limit(&self) -> Result<(), Stop> {
        match self.settings.max_trials {
            Some(most) if self.answered >= most => Err(Stop::Limit(Limit::Trials)),
            _ => Ok(()),
        }
    }

    /// Keeps every worker busy with what is most useful now: the question that the search waits for, then what it will
    /// probably ask, then the other questions, then what comes after them. What is no longer useful makes room.
    fn schedule(
        &mut self,
        space: &dyn Space,
        next: &mut NextCandidates<'_>,
        questions: &VecDeque<Question>,
    ) -> Result<(), Stop> {
        let allowed = self
            .settings
            .max_trials
            .map_or(u64::MAX, |most| most - self.answered);
        let workers = if questions.front().is_some_and(Question::is_big) {
            1
        } else {
            self.busy.len()
        };
        let room = workers.min(usize::try_from(allowed).unwrap_or(usize::MAX));
        let mut wanted: Vec<(Hash, Candidate, Subset)> = Vec::with_capacity(room);
        let mut want = |lab: &Self, question: &Question| {
            if let Ok((hash, candidate)) = &question.rendered
                && wanted.len() < room
                && lab.is_unknown(*hash)
                && wanted.iter().all(|(other, ..)| other != hash)
            {
                wanted.push((*hash, candidate.clone(), question.subset.clone()));
            }
            wanted.len() < room
        };
        let mut asked = questions.iter();
        // It need not wait until the others are made.
        if let Some(Question { rendered, subset }) = questions.front()
            && let Ok((hash, candidate)) = rendered
            && let Some(idle) = self.busy.iter().position(Option::is_none)
            && room > 0
            && self.is_unknown(*hash)
            && !self.is_running(*hash)
        {
            self.start(idle, *hash, candidate, described(space, subset))?;
        }
        let mut is_room = asked.next().is_none_or(|question| want(self, question));
        let mut hints = std::mem::take(&mut self.hints);
        for hint in &mut hints {
            if !is_room {
                break;
            }
            if let Hint::Subset(subset) = hint {
                let question = Question::new(space, subset.clone());
                self.recall(&question);
                *hint = Hint::Question(question);
            }
            if let Hint::Question(question) = hint {
                is_room = want(self, question);
            }
        }
        self.hints = hints;
        for question in asked {
            is_room = want(self, question);
        }
        let mut drawn = 0;
        while is_room && let Some(question) = next.get(drawn, self.busy.len()) {
            self.recall(question);
            is_room = want(self, question);
            drawn += 1;
        }

        let mut waiting: VecDeque<_> = wanted
            .iter()
            .filter(|(hash, ..)| !self.is_running(*hash))
            .collect();
        for worker in 0..self.busy.len() {
            match &mut self.busy[worker] {
                None => {
                    let Some((hash, candidate, subset)) = waiting.pop_front() else {
                        continue;
                    };
                    self.start(worker, *hash, candidate, described(space, subset))?;
                }
                Some(task)
                    if !task.cancelled && wanted.iter().all(|(hash, ..)| *hash != task.hash) =>
                {
                    // Another candidate waits for this worker.
                    if waiting.pop_front().is_some() {
                        task.cancelled = true;
                        self.runner.session.cancel(worker);
                    }
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn is_running(&self, hash: Hash) -> bool {
        self.busy.iter().flatten().any(|task| task.hash == hash)
    }

    fn start(
        &mut self,
        worker: usize,
        hash: Hash,
        candidate: &Candidate,
        difference: String,
    ) -> Result<(), Stop> {
        let freshness = if self.settings.always_clean {
            Freshness::Clean
        } else {
            Freshness::Reused
        };
        let trial = self
            .runner
            .start(worker, candidate, Why::Search, freshness)?;
        self.busy[worker] = Some(WorkerTask {
            trial,
            hash,
            bytes: candidate.bytes(),
            difference,
            pass: self.pass,
            cancelled: false,
            recognised: None,
        });
        Ok(())
    }

    /// Has a product tested that was not tested before. Of two workers with the same one, both test it: that one of
    /// them waits for the other would be of no use, since nobody else could use its worker.
    fn recognise(&mut self, worker: usize, product: String) {
        let task = self.busy[worker]
            .as_mut()
            .expect("only busy workers report");
        if task.cancelled {
            return;
        }
        match self.products.get(&product) {
            Some(answer) => {
                task.recognised = Some((product, answer.clone()));
                self.runner.session.cancel(worker);
            }
            None => self.runner.session.go_on(worker),
        }
    }

    fn write_down(&mut self, worker: usize, observation: &Observation) -> Result<(), Stop> {
        let task = self.busy[worker].take().expect("only busy workers report");
        if let Ending::NotStarted(why) = &observation.ending {
            return Err(RunError::Command(why.clone()).into());
        }
        let known = self.known.entry(task.hash).or_default();
        if observation.ending == Ending::Lost && known.lost < RETRIES {
            known.lost += 1;
            self.runner.session.events.emit(&Event::Dropped(task.trial));
            return Ok(());
        }
        let mut trial = Trial::of(
            task.trial,
            Why::Search,
            (task.hash, task.bytes),
            observation,
            None,
        );
        trial.difference = task.difference;
        trial.pass = task.pass.into();
        if observation.ending != Ending::Cancelled {
            let verdict = self.settings.judge.judge(observation);
            let is_kept = verdict.outcome == Outcome::Unresolved || self.keeps_all_outputs;
            if self.settings.keep_outputs && is_kept {
                trial.output = Some(Arc::new(Output::of(observation)));
            }
            trial.outcome = Some(verdict.outcome);
            trial.other = verdict.other;
        } else if let Some((product, answer)) = task.recognised {
            trial.same_product = true;
            trial.product = Some(product);
            trial.ending = answer.ending;
            trial.outcome = Some(answer.outcome);
            trial.other = answer.other;
            trial.output = answer.output;
        } else {
            self.runner.session.counts.cancelled += 1;
            self.runner.session.events.emit(&Event::Dropped(task.trial));
            return Ok(());
        }
        self.runner.session.record(&mut trial)?;
        let known = self.known.entry(task.hash).or_default();
        known.add(&trial, &self.settings.repeat);
        self.products.learn(&trial, known);
        Ok(())
    }

    /// Ends what was tested ahead.
    fn stop_all(&mut self) -> Result<(), Stop> {
        for (worker, task) in self.busy.iter().enumerate() {
            if task.is_some() {
                self.runner.session.cancel(worker);
            }
        }
        carry_out(&mut Rest(self))
    }
}
