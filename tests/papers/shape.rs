//! Simulated change sets of the size and structure of the paper's case studies.

use yester_core::{Answer, Grouping, Lesson, Outcome, Stop, Subset, Tester, first_in_order};

/// SplitMix64: a seed gives the same numbers everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn chance(&mut self, percent: f64) -> bool {
        (self.next() as f64 / u64::MAX as f64) * 100.0 < percent
    }

    pub fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for place in (1..count).rev() {
            order.swap(place, self.below(place + 1));
        }
        order
    }
}

/// Changes in the order of the diff, with what nobody who searches them knows: the culprit and the true needs.
pub struct Shape {
    culprit: usize,
    needs: Vec<(usize, usize)>,
    /// What a diff shows of each change: its directory and its file.
    pub place: Vec<[usize; 2]>,
    /// What an archive shows of each change: when its logical change was made.
    pub date: Vec<usize>,
}

impl Shape {
    pub fn len(&self) -> usize {
        self.place.len()
    }

    pub fn outcome(&self, subset: &Subset) -> Outcome {
        if self.lacking(subset).next().is_some() {
            Outcome::Unresolved
        } else if subset.contains(self.culprit) {
            Outcome::Fail
        } else {
            Outcome::Pass
        }
    }

    pub fn is_found(&self, subset: &Subset) -> bool {
        subset.iter().eq([self.culprit])
    }

    fn lacking(&self, subset: &Subset) -> impl Iterator<Item = (usize, usize)> {
        let lacks =
            |(one, other): &(usize, usize)| subset.contains(*one) && !subset.contains(*other);
        self.needs.iter().copied().filter(lacks)
    }

    /// What a compiler that stops after five errors tells of an unresolved subset: names that are missing. Each stands in
    /// the change that is needed and in one more change of the same file.
    pub fn messages(&self, subset: &Subset) -> Lesson {
        let named = self.lacking(subset).take(5);
        let add = named.flat_map(|(_, needed)| {
            let beside = (needed + 1).min(self.len() - 1);
            let same_file = self.place[beside] == self.place[needed];
            [Some(needed), same_file.then_some(beside)]
        });
        Lesson {
            needs: Vec::new(),
            add: add.flatten().collect(),
        }
    }

    /// How many of a hundred random subsets of this size cannot be resolved.
    pub fn unresolved_percent(&self, size: usize, random: &mut Random) -> usize {
        (0..100)
            .filter(|_| {
                let deltas = random.shuffled(self.len()).into_iter().take(size);
                let subset = Subset::of(self.len(), deltas);
                self.outcome(&subset) == Outcome::Unresolved
            })
            .count()
    }

    /// The order of the paper's first attempts: none at all.
    pub fn at_random(&self, random: &mut Random) -> Grouping {
        let order = random.shuffled(self.len());
        Grouping::by(self.len(), |change| vec![order[change]])
    }
}

/// 344 textual changes of 116 logical changes. A logical change mostly stays within the two files of one of 30 modules.
/// A textual change may need another one of its logical change, less often an earlier one in the same file, rarely
/// any earlier one.
pub fn ddd(seed: u64) -> Shape {
    let mut random = Random::new(seed);
    let modules: Vec<usize> = (0..116).map(|_| random.below(30)).collect();
    let mut changes: Vec<([usize; 2], usize)> = (0..344)
        .map(|change| {
            let date = if change < 116 {
                change
            } else {
                random.below(116)
            };
            let near = random.chance(85.0);
            let module = if near {
                modules[date]
            } else {
                random.below(30)
            };
            ([module, random.below(2)], date)
        })
        .collect();
    changes.sort();
    let (place, date): (Vec<[usize; 2]>, Vec<usize>) = changes.into_iter().unzip();
    let culprit = random.below(344);
    let needs = needs(&mut random, 344, DDD_NEEDS, |near, change, other| {
        let together = date[other] == date[change] && other < change;
        let earlier = date[other] < date[change];
        match near {
            0..60 => together,
            60..85 => earlier && place[other] == place[change],
            _ => earlier,
        }
    });
    Shape {
        culprit,
        needs,
        place,
        date,
    }
}

/// 8,721 changes in 20 directories, one of which has 2,547 of them, and files of about 15 changes. The culprit is a change
/// of a string constant that needs nothing. Other changes may need one in the same file, less often in the same
/// directory, rarely anywhere.
pub fn gdb(seed: u64) -> Shape {
    let mut random = Random::new(seed);
    let mut place: Vec<[usize; 2]> = (0..8721)
        .map(|change| {
            let directory = if change < 2547 { 7 } else { random.below(20) };
            [
                directory,
                directory * 1000 + random.below(if change < 2547 { 170 } else { 22 }),
            ]
        })
        .collect();
    place.sort_unstable();
    let culprit = (0..)
        .map(|_| random.below(8721))
        .find(|change| place[*change][0] == 7);
    let culprit = culprit.expect("the search does not end before it finds one");
    let needs = needs(&mut random, 8721, GDB_NEEDS, |near, change, other| {
        change != culprit
            && match near {
                0..60 => place[other] == place[change],
                60..85 => place[other][0] == place[change][0],
                _ => true,
            }
    });
    Shape {
        culprit,
        needs,
        date: vec![0; 8721],
        place,
    }
}

/// How many of a hundred changes need another one. With these, dd+ on changes in random order, as in the paper's first
/// attempts, takes about as many tests as the paper reports; nothing else is tuned.
const DDD_NEEDS: f64 = 4.0;
const GDB_NEEDS: f64 = 1.8;

/// Picks for some changes another one that fits, by a number below 100 that says how near it has to be.
fn needs(
    random: &mut Random,
    count: usize,
    percent: f64,
    fits: impl Fn(usize, usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut needs = Vec::new();
    for change in 0..count {
        if random.chance(percent) {
            let near = random.below(100);
            let needed = (0..10_000)
                .map(|_| random.below(count))
                .find(|other| *other != change && fits(near, change, *other));
            needs.extend(needed.map(|needed| (change, needed)));
        }
    }
    needs
}

/// Counts the tests that a search makes in a shape.
pub struct Counted<'a> {
    pub shape: &'a Shape,
    pub tests: usize,
}

impl<'a> Counted<'a> {
    pub fn new(shape: &'a Shape) -> Self {
        Counted { shape, tests: 0 }
    }
}

impl Tester for Counted<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        self.tests += 1;
        Ok(Answer::known(self.shape.outcome(subset)))
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        first_in_order(self, candidates, wanted)
    }

    fn foresee(&mut self, _: &mut dyn Iterator<Item = Subset>) {}
}
