use crate::{Cached, Grouping, Outcome, Stop, Subset, Tester};

/// Artho's delta debugging by bisection: a small subset of `subset` that still has the desired outcome, which `subset`
/// has.
///
/// Artho calls the desired outcome "pass" (what an older revision did is still done). Here it is [`Outcome::Fail`], the
/// outcome that every search looks for; Pass and Unresolved both count as not desired. That is what bounds it by 2n − 1
/// tests for n deltas, where ddmin may need n². It tries to leave a range of deltas out, and goes into the two halves
/// of a range that is needed, the back one first. With a hierarchical grouping the halves follow the borders of the
/// groups: files, then hunks, then lines.
///
/// The result is 1-minimal when no delta becomes superfluous by leaving out one that comes before it; the paper runs
/// the search again to a fixpoint where this matters, and [`minimise`](crate::minimise) always does.
pub fn bisection<T: Tester + ?Sized>(
    tester: &mut T,
    grouping: &Grouping,
    subset: &Subset,
) -> Result<Subset, Stop> {
    let mut tester = Cached::new(tester);
    let row = grouping.row(subset);
    let mut current = subset.clone();
    let everything = 0..row.members.len();
    let mut open: Vec<_> = (!everything.is_empty())
        .then_some(everything)
        .into_iter()
        .collect();
    while let Some(range) = open.pop() {
        let smaller = current.without(&row.members[range.clone()]);
        let halves = (range.len() > 1).then(|| {
            let cuts = row.cut(range, 2);
            [cuts[0]..cuts[1], cuts[1]..cuts[2]]
        });
        let refused = halves.iter().map(|[_, back]| (&current, back));
        let removed = open.last().into_iter().map(|next| (&smaller, next));
        tester.foresee(&mut refused.chain(removed).map(|(subset, range)| {
            let next = &row.members[range.clone()];
            subset.without(next)
        }));
        let mut question = std::iter::once(smaller.clone());
        if tester.first(&mut question, Outcome::Fail)?.is_some() {
            current = smaller;
        } else {
            open.extend(halves.into_iter().flatten());
        }
    }
    Ok(current)
}
