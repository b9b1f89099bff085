use std::collections::HashMap;

use crate::{Cached, Outcome, Stop, Subset, Tester};

/// How many removals of a pair may be refused before they have to earn their keep.
const CREDIT: usize = 16;

/// A 1-minimal failing subset of `start`, which is known to fail and is not asked for.
///
/// For each delta of the result the tester was asked for the result without it and did not say Fail. This holds for
/// any tester, also when more deltas make the failure go away.
///
/// One pass goes through the deltas from the back (definitions stand before uses, so uses go first) and looks for the
/// longest run that can go: it first tries a run as long as the last one was, then doubles it until it is refused, then
/// bisects by weight for the delta that is to be kept. Group testing calls this generalised binary splitting: k deltas
/// to be kept out of n cost about k·log(n/k), and where all are kept each is asked for once. When a run went away
/// between two kept deltas, these two are tried as a pair: brackets around nothing go only together. Passes are
/// repeated over what is left until one removes nothing; a delta that was refused since the last success is not asked
/// for again. Then blocks of neighbours are tried, which are needed one by one but not together; that costs about as
/// much again as the proof of minimality, and on real text it halves the result.
///
/// Chosen by simulation over halving (DRDD), CDD's and ProbDD's sizes, splitting by 2 to 4 depth first and breadth first,
/// and runs that start at one delta (Shrink Ray), each with the same last passes: it asked the fewest or nearly the
/// fewest questions on each shape of survivors.
pub fn minimise<T: Tester + ?Sized>(
    tester: &mut T,
    start: &Subset,
    weight: impl Fn(usize) -> u64,
) -> Result<Subset, Stop> {
    let mut search = Minimisation::new(tester, start);
    let mut line = DeltaLine::new(start, &weight);
    let everything = line.weight(0, line.deltas.len());
    search.pass(&line, everything)?;
    loop {
        let successes = search.successes;
        line = DeltaLine::new(&search.current, &weight);
        search.pass(&line, 0)?;
        if search.successes == successes {
            search.blocks(&line)?;
        }
        if search.successes == successes {
            return Ok(search.current);
        }
    }
}

/// How much a [`sweep`] tries to leave out at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All of it: most is expected to go.
    Everything,
    /// One delta: most is expected to stay.
    Single,
}

/// One pass of [`minimise`], from the back: smaller than `start` where it can be, but what was refused once is not asked
/// for again after later successes. For a search that comes back to it with what else it knows.
pub fn sweep<T: Tester + ?Sized>(
    tester: &mut T,
    start: &Subset,
    weight: impl Fn(usize) -> u64,
    reach: Reach,
) -> Result<Subset, Stop> {
    let mut search = Minimisation::new(tester, start);
    let line = DeltaLine::new(start, &weight);
    let reach = match reach {
        Reach::Everything => line.weight(0, line.deltas.len()),
        Reach::Single => 0,
    };
    search.pass(&line, reach)?;
    Ok(search.current)
}

/// The deltas in the order of a pass, with the weight before each.
struct DeltaLine {
    deltas: Vec<usize>,
    before: Vec<u64>,
}

impl DeltaLine {
    fn new(subset: &Subset, weight: impl Fn(usize) -> u64) -> Self {
        let mut deltas: Vec<usize> = subset.iter().collect();
        deltas.reverse();
        let mut before = Vec::with_capacity(deltas.len() + 1);
        before.push(0);
        before.extend(deltas.iter().scan(0u64, |sum, delta| {
            // A delta without weight still is a delta to be cut around.
            *sum += weight(*delta).max(1);
            Some(*sum)
        }));
        DeltaLine { deltas, before }
    }

    fn weight(&self, from: usize, to: usize) -> u64 {
        self.before[to] - self.before[from]
    }

    fn without(&self, subset: &Subset, from: usize, to: usize) -> Subset {
        subset.without(&self.deltas[from..to])
    }

    /// Where a run from `from` of about this weight ends; it has at least one delta.
    fn after(&self, from: usize, weight: u64) -> usize {
        let end = self.before[from].saturating_add(weight);
        let run = self.before[from + 1..self.deltas.len()].partition_point(|sum| *sum < end);
        from + 1 + run
    }

    /// The cut that comes nearest to equal weights on both sides.
    fn middle(&self, low: usize, high: usize) -> usize {
        let half = self.before[low] + self.weight(low, high) / 2;
        let next = low + 1 + self.before[low + 1..high - 1].partition_point(|sum| *sum < half);
        let nearer = self.before[next - 1].abs_diff(half) < self.before[next].abs_diff(half);
        if nearer && next - 1 > low {
            next - 1
        } else {
            next
        }
    }

    /// The cuts that a bisection between `low` and `high` may ask for, the next one first.
    fn cuts(&self, low: usize, high: usize) -> impl Iterator<Item = usize> {
        let mut open = std::collections::VecDeque::from([(low, high)]);
        std::iter::from_fn(move || {
            let (low, high) = open.pop_front()?;
            let middle = (high - low > 1).then(|| self.middle(low, high))?;
            open.extend(
                [(low, middle), (middle, high)]
                    .iter()
                    .filter(|(low, high)| high - low > 1),
            );
            Some(middle)
        })
    }
}

struct Minimisation<'a, T: ?Sized> {
    tester: Cached<&'a mut T>,
    current: Subset,
    successes: usize,
    /// After how many successes a delta was refused last.
    refused: HashMap<usize, usize>,
    credit: usize,
}

impl<'a, T: Tester + ?Sized> Minimisation<'a, T> {
    fn new(tester: &'a mut T, start: &Subset) -> Self {
        Minimisation {
            tester: Cached::new(tester),
            current: start.clone(),
            successes: 0,
            refused: HashMap::new(),
            credit: CREDIT,
        }
    }

    /// Goes once along the line, trying first a run of weight `reach`, or single deltas when it is 0.
    fn pass(&mut self, line: &DeltaLine, mut reach: u64) -> Result<(), Stop> {
        self.credit = CREDIT;
        let end = line.deltas.len();
        let mut kept: Vec<usize> = Vec::new();
        let mut at = 0;
        while at < end {
            let (mut from, mut run) = (at, at);
            if reach == 0 {
                let Some(single) = self.first_single(line, at)? else {
                    break;
                };
                kept.extend(at..single);
                (from, run) = (single, single + 1);
                reach = 2 * line.weight(from, run);
            }
            run = self.longest_run(line, from, run, reach)?;
            if run > from {
                self.accept(line.without(&self.current, from, run));
            }
            at = run + 1;
            if run < end {
                self.refused.insert(line.deltas[run], self.successes);
                reach = if run > from { line.weight(from, at) } else { 0 };
                match kept.last().copied() {
                    Some(previous) if self.pair(line, previous, run)? => {
                        kept.pop();
                        reach = line.weight(previous, at);
                    }
                    _ => kept.push(run),
                }
            }
        }
        Ok(())
    }

    /// Tries to leave out blocks of neighbours that go only together, from half of the line down to two.
    fn blocks(&mut self, line: &DeltaLine) -> Result<(), Stop> {
        let end = line.deltas.len();
        let mut size = end / 2;
        while size > 1 {
            let mut at = 0;
            while at < end {
                let starts = || (at..end).step_by(size);
                let current = &self.current;
                let mut candidates =
                    starts().map(|start| line.without(current, start, end.min(start + size)));
                let Some(index) = self.tester.first(&mut candidates, Outcome::Fail)? else {
                    break;
                };
                let start = at + index * size;
                self.accept(line.without(&self.current, start, end.min(start + size)));
                at = start + size;
            }
            size /= 2;
        }
        Ok(())
    }

    fn accept(&mut self, smaller: Subset) {
        self.current = smaller;
        self.successes += 1;
    }

    fn fails(&mut self, candidate: Subset) -> Result<bool, Stop> {
        let index = self
            .tester
            .first(&mut std::iter::once(candidate), Outcome::Fail)?;
        Ok(index.is_some())
    }

    /// The first place at or after `at` whose delta can go alone.
    fn first_single(&mut self, line: &DeltaLine, at: usize) -> Result<Option<usize>, Stop> {
        let end = line.deltas.len();
        let (refused, successes, current) = (&self.refused, self.successes, &self.current);
        let open = |place: &usize| refused.get(&line.deltas[*place]) != Some(&successes);
        let places = (at..end).filter(open);
        let likely = places.clone().take(1).filter(|place| place + 1 < end);
        self.tester.foresee(&mut likely.map(|place| {
            let next = line.after(place + 1, 2 * line.weight(place, place + 1));
            line.without(current, place, next)
        }));
        let mut candidates = (places.clone()).map(|place| line.without(current, place, place + 1));
        if let Some(index) = self.tester.first(&mut candidates, Outcome::Fail)? {
            return Ok(places.clone().nth(index));
        }
        let places: Vec<usize> = places.collect();
        for place in places {
            self.refused.insert(line.deltas[place], self.successes);
        }
        Ok(None)
    }

    /// Where the longest run from `from` ends that can go, when it is known that it can go up to `low`: found by
    /// doubling, then by bisection.
    fn longest_run(
        &mut self,
        line: &DeltaLine,
        from: usize,
        mut low: usize,
        mut reach: u64,
    ) -> Result<usize, Stop> {
        let end = line.deltas.len();
        let mut high = end;
        while low < end {
            high = line.after(low, reach);
            reach = reach.saturating_mul(2);
            // It is less likely that a run is much longer than the last one than that it is not.
            let longer = (high < end).then(|| line.after(high, reach));
            let likely = line.cuts(low, high).take(1).chain(longer);
            self.foresee(line, from, likely.chain(line.cuts(low, high).skip(1)));
            if !self.fails(line.without(&self.current, from, high))? {
                break;
            }
            low = high;
        }
        while high - low > 1 {
            let middle = line.middle(low, high);
            self.foresee(line, from, line.cuts(low, high).skip(1));
            if self.fails(line.without(&self.current, from, middle))? {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    fn foresee(&mut self, line: &DeltaLine, from: usize, ends: impl Iterator<Item = usize>) {
        let current = &self.current;
        self.tester
            .foresee(&mut ends.map(|end| line.without(current, from, end)));
    }

    /// Whether two kept deltas can go together, now that what was between them is gone.
    fn pair(&mut self, line: &DeltaLine, previous: usize, next: usize) -> Result<bool, Stop> {
        if previous + 1 == next || self.credit == 0 {
            return Ok(false);
        }
        let pair = [line.deltas[previous], line.deltas[next]];
        let candidate = self.current.without(&pair);
        if self.fails(candidate.clone())? {
            self.accept(candidate);
            self.credit = CREDIT;
            return Ok(true);
        }
        self.credit -= 1;
        Ok(false)
    }
}
