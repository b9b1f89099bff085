use std::collections::HashMap;

use crate::{Answer, Hash, Outcome, Stop, Subset, Tester, sieve};

/// What an outcome can still be: one bit for each of the three.
///
/// [`Tester::first`] tells of a refused candidate only what it is not.
#[derive(Clone, Copy, PartialEq)]
struct Possible(u8);

impl Possible {
    const ANY: Possible = Possible(0b111);

    fn only(outcome: Outcome) -> Self {
        Possible(1 << outcome as u8)
    }

    fn without(self, outcome: Outcome) -> Self {
        Possible(self.0 & !Self::only(outcome).0)
    }

    /// Whether it is `wanted`, if that is decided.
    fn is(self, wanted: Outcome) -> Option<bool> {
        if self == Self::only(wanted) {
            Some(true)
        } else {
            (self == self.without(wanted)).then_some(false)
        }
    }

    fn outcome(self) -> Option<Outcome> {
        [Outcome::Pass, Outcome::Fail, Outcome::Unresolved]
            .into_iter()
            .find(|outcome| self.is(*outcome) == Some(true))
    }
}

/// Remembers what a tester said of each subset, so that it is not asked again.
///
/// `first` says of a candidate it went past only that it is not the wanted outcome. A later question that this answers
/// is not asked again; only when the other two outcomes must be told apart the inner tester hears of it twice.
pub struct Cached<T> {
    inner: T,
    known: HashMap<Hash, Possible>,
    answers: HashMap<Hash, Answer>,
}

impl<T: Tester> Cached<T> {
    /// A tester that knows nothing yet.
    pub fn new(inner: T) -> Self {
        Cached {
            inner,
            known: HashMap::new(),
            answers: HashMap::new(),
        }
    }

    /// The outcome of this subset is known without a test.
    pub fn learn(&mut self, subset: &Subset, outcome: Outcome) {
        self.known.insert(subset.key(), Possible::only(outcome));
    }

    fn possible(&self, key: &Hash) -> Possible {
        self.known.get(key).copied().unwrap_or(Possible::ANY)
    }
}

impl<T: Tester> Tester for Cached<T> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        let key = subset.key();
        if let Some(answer) = self.answers.get(&key) {
            return Ok(answer.clone());
        }
        if let Some(outcome) = self.possible(&key).outcome() {
            return Ok(Answer::known(outcome));
        }
        let answer = self.inner.test(subset)?;
        self.known.insert(key, Possible::only(answer.outcome));
        self.answers.insert(key, answer.clone());
        Ok(answer)
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        let mut asked = Vec::new();
        let mut twins = std::collections::HashSet::new();
        let known = &self.known;
        let sieved = sieve::first(&mut self.inner, candidates, wanted, |candidate| {
            let key = candidate.key();
            let possible = known.get(&key).copied().unwrap_or(Possible::ANY);
            possible.is(wanted).or_else(|| {
                // If the first of two equal candidates fitted, the second would not be reached.
                if !twins.insert(key) {
                    return Some(false);
                }
                asked.push(key);
                None
            })
        })?;
        for (place, key) in asked.into_iter().take(sieved.answered).enumerate() {
            let possible = if sieved.hit && place + 1 == sieved.answered {
                Possible::only(wanted)
            } else {
                self.possible(&key).without(wanted)
            };
            self.known.insert(key, possible);
        }
        Ok(sieved.index)
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        let known = &self.known;
        self.inner
            .foresee(&mut subsets.filter(|subset| !known.contains_key(&subset.key())));
    }
}
