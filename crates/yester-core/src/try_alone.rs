use crate::{Knowledge, Outcome, Stop, Subset, Tester};

/// The first of some small candidates that fails, or else `failing`, which is known to fail and has all it needs.
///
/// The candidates need not have what their members are known to need: needs are guessed from names and messages, and
/// a guess that is wrong hides every small answer. One that fails proves the guesses about it wrong, which `knowledge`
/// then forgets. So what is returned has all it needs. Candidates that are not smaller than `failing` are not asked for,
/// nor is one twice.
pub fn try_alone<T: Tester + ?Sized>(
    tester: &mut T,
    knowledge: &mut Knowledge,
    failing: &Subset,
    candidates: impl IntoIterator<Item = Subset>,
) -> Result<Subset, Stop> {
    let mut small: Vec<Subset> = Vec::new();
    for candidate in candidates {
        let is_smaller = candidate.is_subset(failing) && candidate != *failing;
        if is_smaller && !candidate.is_empty() && !small.contains(&candidate) {
            small.push(candidate);
        }
    }
    let Some(first) = tester.first(&mut small.iter().cloned(), Outcome::Fail)? else {
        return Ok(failing.clone());
    };
    let found = small.swap_remove(first);
    knowledge.refute(&found);
    Ok(found)
}
