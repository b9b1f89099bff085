//! Lines that can only go together, since the file does not parse with some of them.

use yester_core::{Space, Subset};

/// No block has more deltas than this.
const LONGEST_BLOCK: usize = 8;

/// What is left without a block of neighbouring deltas of which no part can go alone, the longest blocks first. A condition
/// that was only wrapped in another way is such a block. It takes no trial to find them.
pub(super) fn without_blocks(space: &dyn Space, left: &Subset) -> Vec<Subset> {
    let deltas: Vec<usize> = left.iter().collect();
    let can_go = |block: &[usize]| space.render(&left.without(block)).is_ok();
    let alone: Vec<bool> = deltas.iter().map(|delta| can_go(&[*delta])).collect();
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    for length in 2..deltas.len().min(LONGEST_BLOCK + 1) {
        for start in 0..=deltas.len() - length {
            let end = start + length;
            let has_part = blocks.iter().any(|part| start <= part.0 && part.1 <= end);
            if !has_part && !alone[start..end].contains(&true) && can_go(&deltas[start..end]) {
                blocks.push((start, end));
            }
        }
    }
    blocks.reverse();
    let rest = |(start, end): (usize, usize)| left.without(&deltas[start..end]);
    blocks.into_iter().map(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use yester_core::{Candidate, Infeasible};

    /// Deltas 1 to 3 wrap a condition in another way, 5 and 6 open and close a bracket, 0 and 4 are free.
    struct Wrapped;

    impl Space for Wrapped {
        fn len(&self) -> usize {
            7
        }

        fn label(&self, delta: usize) -> String {
            delta.to_string()
        }

        fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible> {
            let all_or_none = |deltas: &[usize]| {
                let count = deltas
                    .iter()
                    .filter(|delta| subset.contains(**delta))
                    .count();
                count == 0 || count == deltas.len()
            };
            if all_or_none(&[1, 2, 3]) && all_or_none(&[5, 6]) {
                Ok(Candidate::Tree(Default::default()))
            } else {
                Err(Infeasible {
                    reason: "does not parse".to_owned(),
                })
            }
        }
    }

    #[test]
    fn blocks_are_the_shortest_runs_that_can_go() {
        let all = Subset::full(7);
        let without = |deltas: &[usize]| all.without(deltas);
        assert_eq!(
            without_blocks(&Wrapped, &all),
            [without(&[1, 2, 3]), without(&[5, 6])]
        );
    }
}
