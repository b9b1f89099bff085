mod line;
mod pass;

use self::line::DeltaLine;
use self::pass::{Pass, Refused};
use crate::{Cached, Outcome, Stop, Subset, Tester};

/// Of blocks of one size, so many are tried before all of them are.
const SAMPLE: usize = 32;

/// A 1-minimal failing subset of `start`, which is known to fail and is not asked for.
///
/// For each delta of the result the tester was asked for the result without it and did not say Fail. This holds for
/// any tester, also when more deltas make the failure go away.
///
/// One pass goes through the deltas from the back (definitions stand before uses, so uses go first) and looks for the
/// longest run that can go: it first tries a run as long as the last one was, then doubles it until it is refused, then
/// bisects by weight for the delta that is to be kept. Group testing calls this generalised binary splitting: k deltas
/// to be kept out of n cost about k·log(n/k), and where all are kept each is asked for once. Where nearly all were kept
/// lately, it goes on one by one after a delta that went, too. When a run went away
/// between two kept deltas, these two are tried as a pair: brackets around nothing go only together. Passes are
/// repeated over what is left until one removes nothing; a delta that was refused since the last success is not asked
/// for again. Then blocks of neighbours are tried, which are needed one by one but not together; on real text that halves
/// the result. Of a long line a sample of each size is tried first, so that it costs far less than the proof of
/// minimality where nothing comes of it.
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
    let everything = line.weight(0, line.len());
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
    search.pass(&line, reach.weight(&line))?;
    Ok(search.current)
}

/// What a [`sweep`] will ask for at first, the likeliest first. For a search that knows already what it will sweep next.
pub fn first_questions(
    start: &Subset,
    weight: impl Fn(usize) -> u64,
    reach: Reach,
    most: usize,
) -> Vec<Subset> {
    let line = DeltaLine::new(start, &weight);
    let refused = Refused::new();
    let pass = Pass::new(&line, &refused, start.clone(), 0, reach.weight(&line));
    let later = pass.prospects(&line, &refused);
    pass.question(&line)
        .into_iter()
        .chain(later)
        .take(most)
        .collect()
}

impl Reach {
    fn weight(self, line: &DeltaLine) -> u64 {
        match self {
            Reach::Everything => line.weight(0, line.len()),
            Reach::Single => 0,
        }
    }
}

struct Minimisation<'a, T: ?Sized> {
    tester: Cached<&'a mut T>,
    current: Subset,
    successes: usize,
    refused: Refused,
}

impl<'a, T: Tester + ?Sized> Minimisation<'a, T> {
    fn new(tester: &'a mut T, start: &Subset) -> Self {
        Minimisation {
            tester: Cached::new(tester),
            current: start.clone(),
            successes: 0,
            refused: Refused::new(),
        }
    }

    /// Goes once along the line, trying first a run of weight `reach`, or single deltas when it is 0.
    fn pass(&mut self, line: &DeltaLine, reach: u64) -> Result<(), Stop> {
        let mut pass = Pass::new(
            line,
            &self.refused,
            self.current.clone(),
            self.successes,
            reach,
        );
        while let Some(question) = pass.question(line) {
            let prospects = pass.prospects(line, &self.refused);
            self.tester.foresee(&mut { prospects });
            let mut candidate = std::iter::once(question);
            let fails = self.tester.first(&mut candidate, Outcome::Fail)?.is_some();
            if let Some(needed) = pass.answer(line, &self.refused, fails) {
                self.refused.insert(needed, pass.successes);
            }
        }
        self.current = pass.current;
        self.successes = pass.successes;
        Ok(())
    }

    /// Tries to leave out blocks of neighbours that go only together, from half of the line down to two: of each size some
    /// that are spread over the line, and all of them if one of these can go.
    fn blocks(&mut self, line: &DeltaLine) -> Result<(), Stop> {
        let end = line.len();
        let mut biggest = end / 2;
        loop {
            let sizes = std::iter::successors(Some(biggest), |size| Some(size / 2));
            let sample = sizes.take_while(|size| *size > 1).flat_map(|size| {
                let step = size * end.div_ceil(size).div_ceil(SAMPLE);
                (0..end).step_by(step).map(move |start| (start, size))
            });
            let Some((_, size)) = self.first_block(line, sample)? else {
                return Ok(());
            };
            let mut at = 0;
            let all = |at| (at..end).step_by(size).map(move |start| (start, size));
            while let Some((start, _)) = self.first_block(line, all(at))? {
                at = start + size;
                self.accept(line.without(&self.current, start, end.min(at)));
            }
            biggest = size / 2;
        }
    }

    /// The first of these blocks, each a place and a size, that can go.
    fn first_block(
        &mut self,
        line: &DeltaLine,
        blocks: impl Iterator<Item = (usize, usize)> + Clone,
    ) -> Result<Option<(usize, usize)>, Stop> {
        let current = &self.current;
        let mut candidates = (blocks.clone())
            .map(|(start, size)| line.without(current, start, line.len().min(start + size)));
        let index = self.tester.first(&mut candidates, Outcome::Fail)?;
        Ok(index.and_then(|index| { blocks }.nth(index)))
    }

    fn accept(&mut self, smaller: Subset) {
        self.current = smaller;
        self.successes += 1;
    }
}
