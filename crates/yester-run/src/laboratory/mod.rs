mod confirmation;
mod product;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;

use yester_core::{Candidate, Hash, Infeasible, Lab, Outcome, Space, Stop, Subset, Tester};

use self::product::{Answer, Products};
use crate::workbench::{Condition, RETRIES, Step};
use crate::{
    Counts, Ending, Event, Judge, LabError, Observation, Output, Repeat, Signature, Trial, Why,
    Workbench,
};

/// Answers the questions of a search by running the user's command.
pub struct Laboratory {
    workbench: Workbench,
    judge: Judge,
    repeat: Repeat,
    max_trials: Option<u64>,
    known: HashMap<Hash, Known>,
    /// The candidate that each worker is busy with.
    busy: Vec<Option<Task>>,
    /// What the search will probably ask for next, the likeliest first.
    foreseen: Vec<Foreseen>,
    answered: u64,
    best: Best,
    others: HashMap<Signature, OtherFailure>,
    products: Products,
    /// In what place the search tests.
    condition: Condition,
    keeps_outputs: bool,
    /// How many questions are looked at at once.
    width: usize,
}

/// The smallest failing candidate that the search has accepted.
pub struct Best {
    /// The candidate, at first the unreduced input.
    pub candidate: Candidate,
    /// How big a candidate is; the smallest is the best.
    pub size: Measure,
    /// Puts it on disk.
    pub save: Save,
}

/// How big a candidate is: first this, then that.
pub type Measure = fn(&Candidate) -> (u64, u64);

/// Puts a candidate on disk.
pub type Save = Box<dyn FnMut(&Candidate) -> io::Result<()>>;

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

#[derive(Default)]
struct Known {
    runs: Vec<Outcome>,
    outcome: Option<Outcome>,
    other: Option<Signature>,
    /// Whether the search was given this answer before.
    used: bool,
    /// Whether an earlier session has run it.
    replayed: bool,
    /// How often its worker was lost in the middle of it.
    lost: u8,
    output: Option<Arc<Output>>,
}

struct Task {
    trial: u64,
    hash: Hash,
    bytes: u64,
    cancelled: bool,
    /// What it has built, and what the test would say of that.
    recognised: Option<(String, Answer)>,
}

/// A hint of the search. Most are never used, so that they are made into questions only when a worker is idle.
enum Foreseen {
    Hint(Subset),
    Question(Question),
}

/// One question of the search.
type Question = Result<(Hash, Candidate), Infeasible>;

impl Laboratory {
    /// A lab that runs, judges and repeats like this. `answered` trials have been used up by the baseline.
    pub fn new(
        workbench: Workbench,
        judge: Judge,
        repeat: Repeat,
        max_trials: Option<u64>,
        answered: u64,
        best: Best,
    ) -> Laboratory {
        let width = workbench.executor.workers();
        let busy = (0..width).map(|_| None).collect();
        let products = Products::recall(&workbench.journal, &repeat);
        Laboratory {
            workbench,
            judge,
            repeat,
            max_trials,
            known: HashMap::new(),
            busy,
            foreseen: Vec::new(),
            answered,
            best,
            others: HashMap::new(),
            products,
            condition: Condition::Warm,
            keeps_outputs: false,
            width,
        }
    }

    /// Makes a new tree with a new build for every trial, for tests that do not bear the traces of others.
    pub fn always_fresh(&mut self) {
        self.condition = Condition::Fresh;
    }

    /// Runs nothing that may turn out not to be needed: for tests so short that it is not worth the noise.
    pub fn look_no_further(&mut self) {
        self.width = 1;
    }

    /// Keeps what trials without an answer print, also for a later session of this run.
    pub fn keep_outputs(&mut self) {
        self.keeps_outputs = true;
    }

    /// What the trial of a candidate that had no answer has printed, in this session or an earlier one.
    pub fn output_of(&self, candidate: &Candidate) -> Option<&Output> {
        self.known.get(&candidate.hash())?.output.as_deref()
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

    /// Tells what is known about all candidates of which this is built: the outcome of a trial with this ending.
    pub fn remember_product(&mut self, product: &str, ending: Ending, outcome: Outcome) {
        self.products.remember(product, ending, outcome);
    }

    /// Gives back what it worked with.
    pub fn into_workbench(self) -> Workbench {
        self.workbench
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        self.workbench.counts
    }

    /// The smallest accepted candidate.
    pub fn best(&self) -> &Candidate {
        &self.best.candidate
    }

    /// How outcomes are repeated.
    pub fn repeat(&self) -> &Repeat {
        &self.repeat
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
        candidates: &mut dyn Iterator<Item = Subset>,
        fits: &dyn Fn(Outcome) -> bool,
    ) -> Result<Option<(usize, Outcome)>, Stop> {
        let mut questions: VecDeque<Question> = VecDeque::new();
        let mut index = 0;
        let mut more = true;
        loop {
            while let Some(question) = questions.front() {
                let Some(outcome) = self.recall(question) else {
                    break;
                };
                self.give(question, outcome)?;
                if fits(outcome) {
                    self.foreseen.clear();
                    return Ok(Some((index, outcome)));
                }
                index += 1;
                questions.pop_front();
            }
            let open = questions
                .iter()
                .filter(|question| self.is_open(question))
                .count();
            if more && open < self.width {
                match candidates.next() {
                    Some(subset) => {
                        let question = ask(space, &subset);
                        self.recall(&question);
                        questions.push_back(question);
                    }
                    None => more = false,
                }
            } else if questions.is_empty() {
                self.foreseen.clear();
                return Ok(None);
            } else {
                check_limit(self.max_trials, self.answered)?;
                self.schedule(space, &questions)?;
                self.take_in()?;
            }
        }
    }

    fn is_open(&self, question: &Question) -> bool {
        match question {
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
        let Ok((hash, _)) = question else {
            return Some(Outcome::Unresolved);
        };
        let known = self.known.entry(*hash).or_default();
        while known.outcome.is_none() {
            let trial = self.workbench.journal.recall(*hash, Why::Search)?;
            known.add(&trial, &self.repeat);
            self.products.learn(&trial, known);
        }
        known.outcome
    }

    /// Hands an outcome to the search, which may build on it from now on.
    fn give(&mut self, question: &Question, outcome: Outcome) -> Result<(), Stop> {
        let Ok((hash, candidate)) = question else {
            self.workbench.counts.predicted += 1;
            return Ok(());
        };
        let known = self.known.get_mut(hash).expect("it was recalled just now");
        if known.used || known.replayed {
            self.workbench.counts.cached += 1;
        }
        if known.used {
            return Ok(());
        }
        // What was tested ahead must not carry the search beyond its limit.
        check_limit(self.max_trials, self.answered)?;
        known.used = true;
        self.answered += 1;
        if self.answered.is_multiple_of(256) && self.busy.iter().all(Option::is_none) {
            // A long replay waits for no run, where a stop would be noticed.
            self.workbench.check_stop()?;
        }
        let known = &self.known[hash];
        let bytes = candidate.bytes();
        if let Some(signature) = &known.other
            && (self.others.len() < OTHER_FAILURES || self.others.contains_key(signature))
        {
            let other = self.others.entry(signature.clone());
            let other = other.or_insert_with(|| OtherFailure {
                seen: 0,
                smallest: candidate.clone(),
            });
            other.seen += 1;
            if bytes < other.smallest.bytes() {
                other.smallest = candidate.clone();
            }
        }
        if outcome == Outcome::Fail
            && (self.best.size)(candidate) < (self.best.size)(&self.best.candidate)
        {
            (self.best.save)(candidate).map_err(LabError::Best)?;
            self.best.candidate = candidate.clone();
            (self.workbench.observer)(&Event::Improved { bytes });
        }
        Ok(())
    }

    /// Keeps every worker busy with what is most useful now: the question that the search waits for, then what it will
    /// probably ask, then the other questions. What is no longer useful makes room.
    fn schedule(&mut self, space: &dyn Space, questions: &VecDeque<Question>) -> Result<(), Stop> {
        let allowed = self
            .max_trials
            .map_or(u64::MAX, |most| most - self.answered);
        let room = self
            .busy
            .len()
            .min(usize::try_from(allowed).unwrap_or(usize::MAX));
        let mut wanted: Vec<(Hash, Candidate)> = Vec::with_capacity(room);
        let mut want = |laboratory: &Laboratory, question: &Question| {
            if let Ok((hash, candidate)) = question
                && wanted.len() < room
                && laboratory.is_unknown(*hash)
                && wanted.iter().all(|(other, _)| other != hash)
            {
                wanted.push((*hash, candidate.clone()));
            }
            wanted.len() < room
        };
        let mut asked = questions.iter();
        let mut is_room = asked.next().is_none_or(|question| want(self, question));
        let mut foreseen = std::mem::take(&mut self.foreseen);
        for hint in &mut foreseen {
            if !is_room {
                break;
            }
            if let Foreseen::Hint(subset) = hint {
                let question = ask(space, subset);
                self.recall(&question);
                *hint = Foreseen::Question(question);
            }
            if let Foreseen::Question(question) = hint {
                is_room = want(self, question);
            }
        }
        self.foreseen = foreseen;
        for question in asked {
            want(self, question);
        }

        let is_running =
            |busy: &[Option<Task>], hash| busy.iter().flatten().any(|task| task.hash == hash);
        let mut waiting: VecDeque<_> = wanted
            .iter()
            .filter(|(hash, _)| !is_running(&self.busy, *hash))
            .collect();
        for worker in 0..self.busy.len() {
            match &mut self.busy[worker] {
                None => {
                    let Some((hash, candidate)) = waiting.pop_front() else {
                        continue;
                    };
                    let trial = self.workbench.start(worker, candidate, self.condition)?;
                    self.busy[worker] = Some(Task {
                        trial,
                        hash: *hash,
                        bytes: candidate.bytes(),
                        cancelled: false,
                        recognised: None,
                    });
                }
                Some(task)
                    if !task.cancelled && wanted.iter().all(|(hash, _)| *hash != task.hash) =>
                {
                    // Another candidate waits for this worker.
                    if waiting.pop_front().is_some() {
                        task.cancelled = true;
                        self.workbench.executor.cancel(worker);
                    }
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Waits for a run to end and writes down what it showed.
    fn take_in(&mut self) -> Result<(), Stop> {
        match self.workbench.wait_for_step()? {
            Step::Built(worker, product) => {
                self.recognise(worker, product);
                Ok(())
            }
            Step::Done(worker, observation) => self.write_down(worker, &observation),
        }
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
                self.workbench.executor.cancel(worker);
            }
            None => self.workbench.executor.go_on(worker),
        }
    }

    fn write_down(&mut self, worker: usize, observation: &Observation) -> Result<(), Stop> {
        let task = self.busy[worker].take().expect("only busy workers report");
        let known = self.known.entry(task.hash).or_default();
        if observation.ending == Ending::Lost && known.lost < RETRIES {
            known.lost += 1;
            return Ok(());
        }
        let mut trial = Trial::of(
            task.trial,
            Why::Search,
            (task.hash, task.bytes),
            observation,
            None,
        );
        if observation.ending != Ending::Cancelled {
            let verdict = self.judge.judge(observation);
            if self.keeps_outputs && verdict.outcome == Outcome::Unresolved {
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
            self.workbench.counts.cancelled += 1;
            return Ok(());
        }
        self.workbench.record(&trial)?;
        let known = self.known.entry(task.hash).or_default();
        known.add(&trial, &self.repeat);
        self.products.learn(&trial, known);
        Ok(())
    }

    /// Ends what was tested ahead.
    fn stop_all(&mut self) -> Result<(), Stop> {
        for (worker, task) in self.busy.iter().enumerate() {
            if task.is_some() {
                self.workbench.executor.cancel(worker);
            }
        }
        while self.busy.iter().any(Option::is_some) {
            self.take_in()?;
        }
        Ok(())
    }
}

impl Known {
    fn add(&mut self, trial: &Trial, repeat: &Repeat) {
        self.runs.push(trial.outcome.unwrap_or(Outcome::Unresolved));
        self.replayed |= trial.replayed;
        if self.other.is_none() {
            self.other.clone_from(&trial.other);
        }
        if self.output.is_none() {
            self.output.clone_from(&trial.output);
        }
        self.outcome = self.outcome.or_else(|| match trial.outcome {
            // As many runs as it takes were made of the product.
            Some(outcome) if trial.same_product => Some(outcome),
            _ => repeat.decide(&self.runs),
        });
    }
}

/// Only answers count, not what was tested ahead, so that a limit stops at the same place with any number of jobs.
fn check_limit(max_trials: Option<u64>, answered: u64) -> Result<(), Stop> {
    match max_trials {
        Some(most) if answered >= most => Err(Stop::Limit("trials")),
        _ => Ok(()),
    }
}

fn ask(space: &dyn Space, subset: &Subset) -> Question {
    space
        .render(subset)
        .map(|candidate| (candidate.hash(), candidate))
}

/// A search of one space in the lab.
struct Search<'a> {
    laboratory: &'a mut Laboratory,
    space: &'a dyn Space,
}

impl Lab for Laboratory {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        Box::new(Search {
            laboratory: self,
            space,
        })
    }
}

impl Tester for Search<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Outcome, Stop> {
        let found =
            self.laboratory
                .find(self.space, &mut std::iter::once(subset.clone()), &|_| true)?;
        let (_, outcome) = found.expect("any outcome fits");
        Ok(outcome)
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        let found = self
            .laboratory
            .find(self.space, candidates, &|outcome| outcome == wanted)?;
        Ok(found.map(|(index, _)| index))
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        // Enough to keep the other workers busy while one question takes long.
        let ahead = 3 * (self.laboratory.width - 1);
        self.laboratory.foreseen = subsets.take(ahead).map(Foreseen::Hint).collect();
    }

    fn output_of(&mut self, subset: &Subset) -> Option<String> {
        let candidate = self.space.render(subset).ok()?;
        Some(self.laboratory.output_of(&candidate)?.text())
    }
}
