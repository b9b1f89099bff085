use crate::{Cached, Grouping, Knowledge, Outcome, Stop, Subset, Tester, minimise};

/// What can be learned from an unresolved test, for example from the messages of a compiler.
#[derive(Clone, Debug, Default)]
pub struct Lesson {
    /// The first cannot be applied without the second.
    pub needs: Vec<(usize, usize)>,
    /// Deltas that may help, when it is not known which one needs them.
    pub add: Vec<usize>,
}

/// A minimal failing subset that holds with each delta all that it needs: no delta can be left out together with all
/// that need it. `subset` fails and has all it needs.
///
/// This is Kalhauge and Palsberg's binary reduction. Only subsets closed under the known needs are asked for. The
/// shortest failing prefix of the deltas is found by bisection; its last delta and what it needs must stay, the deltas
/// behind it go, and so on until what must stay fails. With k deltas in the result that takes about k·log n tests.
///
/// After an unresolved test `learn` is asked for a lesson; its needs are kept in `knowledge`, and the subset is tested
/// again with what was missing, until it is resolved or nothing new is learned (Zeller's failure resolution loop). What
/// stays unresolved counts as not failing. That may make the bisection miss the best place but never makes the result
/// wrong: it is known to fail, and [`minimise`](crate::minimise()) has the last word.
///
/// # Panics
/// When `subset` lacks something that its members are known to need.
pub fn minimise_closed<T: Tester + ?Sized>(
    tester: &mut T,
    grouping: &Grouping,
    knowledge: &mut Knowledge,
    subset: &Subset,
    learn: &mut dyn FnMut(&Subset) -> Lesson,
) -> Result<Subset, Stop> {
    assert_eq!(
        &knowledge.closure(subset),
        subset,
        "the failing subset lacks something it is known to need"
    );
    let mut search = Search {
        tester: Cached::new(tester),
        grouping,
        knowledge,
        learn,
        failing: subset.clone(),
        staying: Subset::empty(subset.universe()),
    };
    search.tester.learn(subset, Outcome::Fail);
    search.reduce()?;
    let mut closed = Closed {
        inner: search.tester,
        knowledge: search.knowledge,
    };
    minimise(&mut closed, &search.failing, |_| 1)
}

struct Search<'a, T: ?Sized> {
    tester: Cached<&'a mut T>,
    grouping: &'a Grouping,
    knowledge: &'a mut Knowledge,
    learn: &'a mut dyn FnMut(&Subset) -> Lesson,
    failing: Subset,
    staying: Subset,
}

impl<T: Tester + ?Sized> Search<'_, T> {
    /// Shrinks `failing` until it is what must stay.
    fn reduce(&mut self) -> Result<(), Stop> {
        while self.staying != self.failing {
            let last = self.shortest_prefix()?;
            let with_last = self.staying.with(&[last]);
            self.staying = self.knowledge.closure(&with_last);
            if self.staying != self.failing && self.ask(self.staying.clone())? == Outcome::Fail {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Cuts `failing` to its shortest failing prefix and gives the last delta of that.
    fn shortest_prefix(&mut self) -> Result<usize, Stop> {
        let row = self
            .grouping
            .row(&self.failing.difference(&self.staying))
            .members;
        let (mut low, mut high) = (0, row.len());
        while high - low > 1 {
            let middle = low.midpoint(high);
            let ahead = [low.midpoint(middle), middle.midpoint(high)];
            let prefix = |end: usize| self.knowledge.closure(&self.staying.with(&row[..end]));
            self.tester.foresee(&mut ahead.into_iter().map(prefix));
            if self.ask(prefix(middle))? == Outcome::Fail {
                high = middle;
            } else {
                low = middle;
            }
        }
        Ok(row[high - 1])
    }

    /// The outcome of a subset, or of the smallest one around it that is known to make it resolved. The smallest
    /// failing one so far is kept.
    fn ask(&mut self, mut subset: Subset) -> Result<Outcome, Stop> {
        loop {
            let outcome = self.tester.test(&subset)?;
            if outcome == Outcome::Fail {
                self.failing = subset;
                return Ok(outcome);
            }
            if outcome == Outcome::Pass {
                return Ok(outcome);
            }
            let lesson = (self.learn)(&subset);
            // A failing subset without it shows that it is not needed.
            let possible = |delta: &usize| self.failing.contains(*delta);
            for (delta, needed) in &lesson.needs {
                if possible(delta) && possible(needed) {
                    self.knowledge.need(*delta, *needed);
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
struct Closed<'a, T> {
    inner: T,
    knowledge: &'a Knowledge,
}

impl<T: Tester> Tester for Closed<'_, T> {
    fn test(&mut self, subset: &Subset) -> Result<Outcome, Stop> {
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
