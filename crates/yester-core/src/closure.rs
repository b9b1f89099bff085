use crate::{Answer, Cached, Grouping, Knowledge, Outcome, Stop, Subset, Tester, minimise};

/// What can be learned from an unresolved test, for example from the messages of a compiler.
#[derive(Clone, Debug, Default)]
pub struct Lesson {
    /// The first cannot be applied without the second.
    pub needs: Vec<(usize, usize)>,
    /// Deltas that may help, when it is not known which one needs them.
    pub add: Vec<usize>,
}

/// A small failing subset that holds with each delta all that it needs. `subset` fails and has all it needs.
///
/// This is Kalhauge and Palsberg's binary reduction. Only subsets closed under the known needs are asked for. The
/// shortest failing prefix of the deltas is found by bisection; its last delta and what it needs must stay, the deltas
/// behind it go, and so on until what must stay fails. With k deltas in the result that takes about k·log n tests.
///
/// `mass` says how likely each delta is to be part of the answer, compared with the others: a bisection cuts where it
/// is as likely on either side.
///
/// After an unresolved test `learn` is asked for a lesson, and given what the test has printed; its needs are kept in
/// `knowledge`, and the subset is tested again with what was missing, until it is resolved or nothing new is learned
/// (Zeller's failure resolution loop). Where that does not help, the subset is tested once more *without* what the lesson
/// says lacks something, and without all that needs it. What stays unresolved counts as not failing. That may make the bisection miss
/// the best place but never makes the result wrong: it is known to fail. It ends early where a prefix fails and the one
/// before is unresolved: what is last is then needed by something, and more prefixes would not tell by what.
///
/// # Panics
/// When `subset` lacks something that its members are known to need.
pub fn binary_reduction<T: Tester + ?Sized>(
    tester: &mut T,
    grouping: &Grouping,
    mass: &dyn Fn(usize) -> f64,
    knowledge: &mut Knowledge,
    subset: &Subset,
    learn: &mut dyn FnMut(&Subset, &Answer) -> Lesson,
) -> Result<Subset, Stop> {
    assert_eq!(
        &knowledge.closure(subset),
        subset,
        "the failing subset lacks something it is known to need"
    );
    let mut search = BinaryReduction {
        tester: Cached::new(tester),
        grouping,
        mass,
        knowledge,
        learn,
        failing: subset.clone(),
        staying: Subset::empty(subset.universe()),
        in_vain: 0,
    };
    search.tester.learn(subset, Outcome::Fail);
    search.reduce()?;
    Ok(search.failing)
}

/// A minimal failing subset that holds with each delta all that it needs: no delta can be left out together with all
/// that need it. It is found by [`binary_reduction`], and [`minimise`](crate::minimise()) has the last word.
///
/// # Panics
/// When `subset` lacks something that its members are known to need.
pub fn minimise_closed<T: Tester + ?Sized>(
    tester: &mut T,
    grouping: &Grouping,
    mass: &dyn Fn(usize) -> f64,
    knowledge: &mut Knowledge,
    subset: &Subset,
    learn: &mut dyn FnMut(&Subset, &Answer) -> Lesson,
) -> Result<Subset, Stop> {
    let mut cached = Cached::new(tester);
    let failing = binary_reduction(&mut cached, grouping, mass, knowledge, subset, learn)?;
    minimise(&mut Closed::new(cached, knowledge), &failing, |_| 1)
}

struct BinaryReduction<'a, T: ?Sized> {
    tester: Cached<&'a mut T>,
    grouping: &'a Grouping,
    mass: &'a dyn Fn(usize) -> f64,
    knowledge: &'a mut Knowledge,
    learn: &'a mut dyn FnMut(&Subset, &Answer) -> Lesson,
    failing: Subset,
    staying: Subset,
    /// How often leaving out what lacked something did not help.
    in_vain: usize,
}

/// After so many times in vain, nothing more is left out because it lacks something.
const MOST_IN_VAIN: usize = 3;

impl<T: Tester + ?Sized> BinaryReduction<'_, T> {
    /// Shrinks `failing` until it is what must stay, or until a delta seems to be there only so that others resolve.
    fn reduce(&mut self) -> Result<(), Stop> {
        while self.staying != self.failing {
            let Some((last, below)) = self.shortest_prefix()? else {
                // What is left may lack some of what had to stay.
                let staying = self.staying.intersection(&self.failing);
                self.staying = self.knowledge.interior(&staying);
                continue;
            };
            if below == Outcome::Unresolved {
                return Ok(());
            }
            let with_last = self.staying.with(&[last]);
            self.staying = self.knowledge.closure(&with_last);
            if self.staying != self.failing && self.ask(self.staying.clone())? == Outcome::Fail {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Cuts `failing` to its shortest failing prefix. Gives the last delta of that, and the outcome without it, or nothing
    /// if something else that fails was found on the way.
    fn shortest_prefix(&mut self) -> Result<Option<(usize, Outcome)>, Stop> {
        let row = self
            .grouping
            .row(&self.failing.difference(&self.staying))
            .members;
        let (mut low, mut high) = (0, row.len());
        let mut below = Outcome::Pass;
        while high - low > 1 {
            let prefix = |end: usize| self.knowledge.closure(&self.staying.with(&row[..end]));
            // A short prefix may need nearly everything, so it is the mass of all that counts.
            let mass = |end: usize| prefix(end).iter().map(self.mass).sum::<f64>();
            let middle_of = |low: usize, high: usize| {
                let half = mass(low).midpoint(mass(high));
                let (mut under, mut over) = (low, high);
                while over - under > 1 {
                    let end = under.midpoint(over);
                    if mass(end) < half {
                        under = end;
                    } else {
                        over = end;
                    }
                }
                over.min(high - 1).max(low + 1).min(high)
            };
            let middle = middle_of(low, high);
            let ahead = [middle_of(low, middle), middle_of(middle, high)];
            self.tester.foresee(&mut ahead.into_iter().map(prefix));
            let outcome = self.ask(prefix(middle))?;
            if outcome == Outcome::Fail {
                if !row[..middle]
                    .iter()
                    .all(|delta| self.failing.contains(*delta))
                {
                    return Ok(None);
                }
                high = middle;
            } else {
                (low, below) = (middle, outcome);
            }
        }
        Ok(Some((row[high - 1], below)))
    }

    /// The outcome of a subset, or of what can be made of it that is resolved. The smallest failing one so far is kept.
    fn ask(&mut self, subset: Subset) -> Result<Outcome, Stop> {
        let mut lacking = Subset::empty(subset.universe());
        let outcome = self.ask_with_needs(subset.clone(), &mut lacking)?;
        let rest = subset.difference(&lacking);
        if outcome != Outcome::Unresolved || rest == subset || self.in_vain == MOST_IN_VAIN {
            return Ok(outcome);
        }
        let rest = self.knowledge.interior(&rest);
        if rest.is_empty() || self.tester.test(&rest)?.outcome != Outcome::Fail {
            self.in_vain += 1;
            return Ok(Outcome::Unresolved);
        }
        self.failing = rest;
        Ok(Outcome::Fail)
    }

    /// The outcome of a subset, or of the smallest one around it that is known to make it resolved. Notes which of its
    /// deltas lack something.
    fn ask_with_needs(
        &mut self,
        mut subset: Subset,
        lacking: &mut Subset,
    ) -> Result<Outcome, Stop> {
        loop {
            let answer = self.tester.test(&subset)?;
            match answer.outcome {
                Outcome::Fail => {
                    self.failing = subset;
                    return Ok(Outcome::Fail);
                }
                Outcome::Pass => return Ok(Outcome::Pass),
                Outcome::Unresolved => {}
            }
            let lesson = (self.learn)(&subset, &answer);
            // A failing subset without it shows that it is not needed.
            let possible = |delta: &usize| self.failing.contains(*delta);
            for (delta, needed) in &lesson.needs {
                if possible(delta) && possible(needed) {
                    self.knowledge.need(*delta, *needed);
                    lacking.insert(*delta);
                }
            }
            let add: Vec<usize> = lesson.add.iter().copied().filter(possible).collect();
            let larger = self.knowledge.closure(&subset.with(&add));
            if larger == subset || larger == self.failing {
                return Ok(Outcome::Unresolved);
            }
            subset = larger;
        }
    }
}

/// Asks, in place of a subset, for the largest part of it that has all it needs.
pub struct Closed<'a, T> {
    inner: T,
    knowledge: &'a Knowledge,
}

impl<'a, T: Tester> Closed<'a, T> {
    /// Asks the inner tester for what has all it needs.
    pub fn new(inner: T, knowledge: &'a Knowledge) -> Self {
        Closed { inner, knowledge }
    }
}

impl<T: Tester> Tester for Closed<'_, T> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        self.inner.test(&self.knowledge.interior(subset))
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        let knowledge = self.knowledge;
        self.inner.first(
            &mut candidates.map(|candidate| knowledge.interior(&candidate)),
            wanted,
        )
    }

    fn foresee(&mut self, subsets: &mut dyn Iterator<Item = Subset>) {
        let knowledge = self.knowledge;
        self.inner
            .foresee(&mut subsets.map(|subset| knowledge.interior(&subset)));
    }
}
