use crate::{Cached, Grouping, Outcome, Partition, Stop, Subset, Tester};

/// Zeller's Algorithm 2: as [`dd`](crate::dd), for spaces where tests may be unresolved.
///
/// The deltas of the answer induce the failure together with others that stayed applied during the search; the answer
/// alone need not even build. All deltas that are safe (can be added to nothing, or left out of everything, without
/// an unresolved outcome) and do not matter are left out.
///
/// Where the paper is not precise, this is how it was read:
///
/// - Its formula keeps a passing part both applied and in the search, its prose excludes it from the search; Table 6
///   does both with 5 and 6. Here a passing part stays applied and leaves the search.
/// - A part whose complement fails leaves the search and, unless it passed, is not applied any more. If there are
///   several, all of them can be left out only when the failure has a single cause, so this is asked; if it does not
///   hold, only the first of them goes. The search thus always is in a subset that is known to fail.
/// - Several passing parts can fail together, which would break the invariant that what stays applied does not fail.
///   This is asked too, and if they do, the search goes on among them.
/// - An interference anywhere comes before a preference, as in the formula; otherwise the first complement that passes
///   decides and no further test is made.
///
/// The parts are asked for one by one, since their exact outcomes matter; the others are foreseen meanwhile, so a
/// tester with several jobs tests them at once.
pub fn dd_plus<T: Tester + ?Sized>(
    tester: &mut T,
    grouping: &Grouping,
    subset: &Subset,
) -> Result<Subset, Stop> {
    let mut search = DdPlus {
        tester: Cached::new(tester),
        grouping,
    };
    search.tester.learn(subset, Outcome::Fail);
    search.search(subset.clone(), Subset::empty(subset.universe()))
}

struct DdPlus<'a, T: ?Sized> {
    tester: Cached<&'a mut T>,
    grouping: &'a Grouping,
}

impl<T: Tester + ?Sized> DdPlus<'_, T> {
    /// Searches `c` while `r` remains applied; together they fail.
    fn search(&mut self, mut c: Subset, mut r: Subset) -> Result<Subset, Stop> {
        let nothing = Subset::empty(c.universe());
        let mut found = nothing.clone();
        let mut n = 2;
        while c.len() > 1 {
            let parts = self.grouping.partition(&c, n);
            let alone = self.outcomes(n, Outcome::Fail, |i| r.with(parts.part(i)))?;
            if alone.last() == Some(&Outcome::Fail) {
                c = nothing.with(parts.part(alone.len() - 1));
                n = 2;
                continue;
            }
            let all = c.union(&r);
            let others = self.outcomes(n, Outcome::Pass, |i| all.without(parts.part(i)))?;
            if others.last() == Some(&Outcome::Pass) {
                let i = self.interference(&all, &parts, &alone, others.len() - 1)?;
                let (part, rest) = (nothing.with(parts.part(i)), c.without(parts.part(i)));
                if alone[i] == Outcome::Pass {
                    found = found.union(&self.search(part.clone(), r.union(&rest))?);
                    (c, r) = (rest, r.union(&part));
                } else {
                    (c, r) = (part, r.union(&rest));
                }
                n = 2;
                continue;
            }
            let nothing_left = n == c.len();
            if self.narrow(&mut c, &mut r, &parts, &alone, &others)? {
                n = 2;
            } else if nothing_left {
                break;
            } else {
                n = c.len().min(2 * n);
            }
        }
        Ok(found.union(&c))
    }

    /// The outcomes of `n` subsets, up to the first that is `decisive`.
    fn outcomes(
        &mut self,
        n: usize,
        decisive: Outcome,
        make: impl Fn(usize) -> Subset,
    ) -> Result<Vec<Outcome>, Stop> {
        let mut outcomes = Vec::with_capacity(n);
        while outcomes.len() < n && outcomes.last() != Some(&decisive) {
            let i = outcomes.len();
            self.tester.foresee(&mut (i + 1..n).map(&make));
            outcomes.push(self.tester.test(&make(i))?.outcome);
        }
        Ok(outcomes)
    }

    /// The first part that passes and whose complement passes too; `preferred` when there is none.
    fn interference(
        &mut self,
        all: &Subset,
        parts: &Partition,
        alone: &[Outcome],
        preferred: usize,
    ) -> Result<usize, Stop> {
        let passing: Vec<usize> = (preferred..parts.count())
            .filter(|i| alone[*i] == Outcome::Pass)
            .collect();
        let others = self.outcomes(passing.len(), Outcome::Pass, |k| {
            all.without(parts.part(passing[k]))
        })?;
        if others.last() == Some(&Outcome::Pass) {
            return Ok(passing[others.len() - 1]);
        }
        Ok(preferred)
    }

    /// Leaves in `c` and `r` what is to be tried again. True when the passing parts fail together, so that the search
    /// starts anew among them.
    fn narrow(
        &mut self,
        c: &mut Subset,
        r: &mut Subset,
        parts: &Partition,
        alone: &[Outcome],
        others: &[Outcome],
    ) -> Result<bool, Stop> {
        let n = parts.count();
        let needless = |i: &usize| others[*i] == Outcome::Fail && alone[*i] != Outcome::Pass;
        let needless: Vec<usize> = (0..n).filter(needless).collect();
        let members = |i: &usize| parts.part(*i);
        if let Some(first) = needless.first() {
            let all = c.union(r);
            let dropped: Vec<usize> = needless.iter().flat_map(members).copied().collect();
            let outcome = self.tester.test(&all.without(&dropped))?.outcome;
            *c = if outcome == Outcome::Fail {
                c.without(&dropped)
            } else {
                c.without(members(first))
            };
        }
        let passing: Vec<usize> = (0..n)
            .filter(|i| alone[*i] == Outcome::Pass)
            .flat_map(|i| parts.part(i))
            .copied()
            .collect();
        let applied = Subset::of(c.universe(), passing);
        if applied.is_empty() {
            return Ok(false);
        }
        let together = self.tester.test(&r.union(&applied))?.outcome == Outcome::Fail;
        if !together {
            *c = c.difference(&applied);
            *r = r.union(&applied);
            return Ok(false);
        }
        let smaller = applied != *c;
        *c = applied;
        Ok(smaller)
    }
}
