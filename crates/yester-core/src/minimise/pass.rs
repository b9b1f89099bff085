use std::collections::HashMap;
use std::rc::Rc;

use super::line::DeltaLine;
use crate::Subset;

/// How many removals of a pair may be refused before they have to earn their keep.
const CREDIT: usize = 16;

/// How likely it is that a pair can go, at a guess.
const LIKELIHOOD_OF_A_PAIR: f64 = 0.1;
/// How likely it is that everything can go, when that is tried at first.
const LIKELIHOOD_OF_EVERYTHING: f64 = 0.25;

/// One way along the line, at one question. It says what it wants to know and is told, so that it can also be followed with
/// answers that are only assumed.
#[derive(Clone)]
pub(super) struct Pass {
    pub current: Subset,
    /// How often something could go, in all passes.
    pub successes: usize,
    at: usize,
    /// The weight of the run that is tried next, or 0 for single deltas.
    reach: u64,
    kept: Vec<usize>,
    gaps: Gaps,
    credit: usize,
    step: Step,
}

/// What is asked for now.
#[derive(Clone, Copy)]
enum Step {
    /// Whether a delta can go alone.
    Single(usize),
    /// Whether a run that can go up to `low` can go up to `high`.
    Longer {
        from: usize,
        low: usize,
        high: usize,
    },
    /// Where between them it ends.
    Bisection {
        from: usize,
        low: usize,
        high: usize,
    },
    /// Whether two kept deltas can go together, now that what was between them is gone.
    Pair { previous: usize, next: usize },
    /// Nothing: the end of the line was reached.
    Done,
}

/// After how many successes a delta was refused last.
pub(super) type Refused = HashMap<usize, usize>;

impl Pass {
    /// Begins a way along the line, trying first a run of weight `reach`, or single deltas when it is 0.
    pub fn new(
        line: &DeltaLine,
        refused: &Refused,
        current: Subset,
        successes: usize,
        reach: u64,
    ) -> Pass {
        let mut pass = Pass {
            current,
            successes,
            at: 0,
            reach,
            kept: Vec::new(),
            gaps: match reach {
                0 => Gaps::SHORT_AT_FIRST,
                _ => Gaps::LONG_AT_FIRST,
            },
            credit: CREDIT,
            step: Step::Done,
        };
        pass.go_on(line, refused);
        pass
    }

    /// What has to be tested, unless the end of the line was reached.
    pub fn question(&self, line: &DeltaLine) -> Option<Subset> {
        let without = |from, to| line.without(&self.current, from, to);
        match self.step {
            Step::Single(place) => Some(without(place, place + 1)),
            Step::Longer { from, high, .. } => Some(without(from, high)),
            Step::Bisection { from, low, high } => Some(without(from, line.middle(low, high))),
            Step::Pair { previous, next } => {
                let pair = [line.deltas[previous], line.deltas[next]];
                Some(self.current.without(&pair))
            }
            Step::Done => None,
        }
    }

    /// Goes on with the answer. Gives the delta that is known to be needed now, if one is.
    pub fn answer(&mut self, line: &DeltaLine, refused: &Refused, fails: bool) -> Option<usize> {
        let end = line.len();
        match self.step {
            Step::Single(place) if fails => {
                let single = line.weight(place, place + 1);
                self.reach = if self.gaps.are_short() {
                    single
                } else {
                    2 * single
                };
                self.lengthen(line, refused, place, place + 1)
            }
            Step::Single(place) => {
                self.gaps.add(0);
                self.kept.push(place);
                self.at = place + 1;
                self.go_on(line, refused);
                Some(line.deltas[place])
            }
            Step::Longer { from, high, .. } if fails => self.lengthen(line, refused, from, high),
            Step::Longer { from, low, high } => self.bisect(line, refused, from, low, high),
            Step::Bisection { from, low, high } => {
                let middle = line.middle(low, high);
                if fails {
                    self.bisect(line, refused, from, middle, high)
                } else {
                    self.bisect(line, refused, from, low, middle)
                }
            }
            Step::Pair { previous, next } => {
                if fails {
                    let pair = [line.deltas[previous], line.deltas[next]];
                    self.accept(self.current.without(&pair));
                    self.credit = CREDIT;
                    self.kept.pop();
                    self.reach = line.weight(previous, self.at.min(end));
                } else {
                    self.credit -= 1;
                    self.kept.push(next);
                }
                self.go_on(line, refused);
                None
            }
            Step::Done => None,
        }
    }

    /// Begins with what is left of the line.
    fn go_on(&mut self, line: &DeltaLine, refused: &Refused) {
        let end = line.len();
        if self.at >= end {
            self.step = Step::Done;
        } else if self.reach > 0 {
            self.step = Step::Longer {
                from: self.at,
                low: self.at,
                high: line.after(self.at, self.reach),
            };
            self.reach = self.reach.saturating_mul(2);
        } else {
            let is_open = |place: &usize| {
                let last = refused.get(&line.deltas[*place]);
                last != Some(&self.successes)
            };
            let next = (self.at..end).find(is_open);
            self.step = next.map_or(Step::Done, Step::Single);
            self.kept.extend(self.at..next.unwrap_or(end));
        }
    }

    /// A run can go up to `low`: tries a longer one.
    fn lengthen(
        &mut self,
        line: &DeltaLine,
        refused: &Refused,
        from: usize,
        low: usize,
    ) -> Option<usize> {
        if low == line.len() {
            return self.end_run(line, refused, from, low);
        }
        let high = line.after(low, self.reach);
        self.reach = self.reach.saturating_mul(2);
        self.step = Step::Longer { from, low, high };
        None
    }

    /// A run can go up to `low` and not up to `high`.
    fn bisect(
        &mut self,
        line: &DeltaLine,
        refused: &Refused,
        from: usize,
        low: usize,
        high: usize,
    ) -> Option<usize> {
        if high - low == 1 {
            return self.end_run(line, refused, from, low);
        }
        self.step = Step::Bisection { from, low, high };
        None
    }

    /// The longest run that can go ends before the delta at `run`, which is needed.
    fn end_run(
        &mut self,
        line: &DeltaLine,
        refused: &Refused,
        from: usize,
        run: usize,
    ) -> Option<usize> {
        if run > from {
            self.accept(line.without(&self.current, from, run));
        }
        self.at = run + 1;
        if run == line.len() {
            self.step = Step::Done;
            return None;
        }
        self.gaps.add(run - from);
        self.reach = if run > from && !self.gaps.are_short() {
            line.weight(from, self.at)
        } else {
            0
        };
        match self.kept.last() {
            Some(previous) if previous + 1 < run && self.credit > 0 => {
                self.step = Step::Pair {
                    previous: *previous,
                    next: run,
                };
            }
            _ => {
                self.kept.push(run);
                self.go_on(line, refused);
            }
        }
        Some(line.deltas[run])
    }

    fn accept(&mut self, smaller: Subset) {
        self.current = smaller;
        self.successes += 1;
    }

    /// How likely it is that the answer is Fail, from what went lately.
    fn likelihood(&self, line: &DeltaLine) -> f64 {
        let all_go = |deltas: usize| self.gaps.likelihood().powf(deltas as f64);
        match self.step {
            Step::Single(_) => all_go(1),
            Step::Longer { low: 0, high, .. } if high == line.len() => LIKELIHOOD_OF_EVERYTHING,
            Step::Longer { low, high, .. } => all_go(high - low),
            Step::Bisection { low, high, .. } => {
                // One of them is needed, and it may be in either half.
                let (half, whole) = (line.middle(low, high) - low, high - low);
                (all_go(half) - all_go(whole)) / (1.0 - all_go(whole))
            }
            Step::Pair { .. } => LIKELIHOOD_OF_A_PAIR,
            Step::Done => 0.0,
        }
    }

    /// What will be asked after this question, the likeliest first, until it is likelier that nothing will.
    pub fn prospects<'a>(
        &self,
        line: &'a DeltaLine,
        refused: &'a Refused,
    ) -> impl Iterator<Item = Subset> + use<'a> {
        let mut open = Vec::new();
        let branch = |open: &mut Vec<(f64, Rc<Pass>, bool)>, pass: Pass, likelihood: f64| {
            let fails = pass.likelihood(line);
            let pass = Rc::new(pass);
            open.push((likelihood * fails, Rc::clone(&pass), true));
            open.push((likelihood * (1.0 - fails), pass, false));
        };
        branch(&mut open, self.clone(), 1.0);
        std::iter::from_fn(move || {
            let likelihoods = open.iter().enumerate();
            let likeliest =
                likelihoods.max_by(|(_, (one, ..)), (_, (other, ..))| one.total_cmp(other));
            let (likeliest, _) = likeliest?;
            let (likelihood, before, fails) = open.swap_remove(likeliest);
            let mut pass = Pass::clone(&before);
            pass.answer(line, refused, fails);
            let question = pass.question(line)?;
            branch(&mut open, pass, likelihood);
            Some(question)
        })
    }
}

/// How many deltas went between one that is kept and the next, on average. The last ones count most.
#[derive(Clone, Copy)]
struct Gaps {
    mean: f64,
}

impl Gaps {
    /// How much the last gap counts.
    const LAST: f64 = 0.25;
    /// Below this mean, one by one is cheaper than runs: a run that is refused has to be bisected.
    const SHORT: f64 = 1.5;
    /// What is expected as long as nothing is known.
    const SHORT_AT_FIRST: Gaps = Gaps { mean: 0.5 };
    const LONG_AT_FIRST: Gaps = Gaps { mean: 4.0 };

    fn add(&mut self, deltas: usize) {
        self.mean += Gaps::LAST * (deltas as f64 - self.mean);
    }

    fn are_short(&self) -> bool {
        self.mean < Gaps::SHORT
    }

    /// How likely it is that a delta can go.
    fn likelihood(&self) -> f64 {
        self.mean / (1.0 + self.mean)
    }
}
