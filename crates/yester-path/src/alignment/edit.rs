//! Aligns two sequences with the fewest gaps, in linear space.
//!
//! A gap costs 1, and a mismatch costs 2, like a gap on either side. So this is the longest common subsequence, found by the
//! divide and conquer of Myers (1986): search the path with the fewest gaps from both ends at once, furthest points first, until
//! the two meet; then solve the parts before and after the meeting point in the same way.

/// What two sequences have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// The equal stretches, in order.
    pub common: Vec<Common>,
    /// How many elements are in one sequence only; a mismatch counts twice.
    pub gaps: usize,
    /// Whether no better alignment exists. False if the search was cut short.
    pub is_best: bool,
}

/// A stretch that is equal in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Common {
    /// Where it begins in the left one.
    pub left: usize,
    /// Where it begins in the right one.
    pub right: usize,
    /// How long it is.
    pub length: usize,
}

impl Alignment {
    /// The places that correspond.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.common
            .iter()
            .flat_map(|run| (0..run.length).map(|index| (run.left + index, run.right + index)))
    }

    fn push(&mut self, left: usize, right: usize, length: usize) {
        match self.common.last_mut() {
            _ if length == 0 => {}
            Some(last) if last.left + last.length == left && last.right + last.length == right => {
                last.length += length;
            }
            _ => self.common.push(Common {
                left,
                right,
                length,
            }),
        }
    }
}

/// Bounds the work on sequences with little in common: their length, times the gaps that are searched at one place before the
/// search takes the path that got furthest.
const EFFORT: usize = 1 << 31;

/// Aligns two sequences. Where they have little in common, the search is cut short.
pub fn align<T: Eq>(left: &[T], right: &[T]) -> Alignment {
    let length = (left.len() + right.len()).max(1);
    align_with_effort(left, right, (EFFORT / length).clamp(64, 4_096))
}

/// Like [`align`], with another bound for the gaps that are searched at one place.
pub fn align_with_effort<T: Eq>(left: &[T], right: &[T], effort: usize) -> Alignment {
    let mut work = EditSearch {
        left,
        right,
        forward: Vec::new(),
        backward: Vec::new(),
        effort: effort.max(1),
        alignment: Alignment {
            is_best: true,
            ..Alignment::default()
        },
    };
    // The ranges that are still to be aligned, the first one on top.
    let mut open = vec![EditRange {
        left: (0, left.len()),
        right: (0, right.len()),
    }];
    while let Some(part) = open.pop() {
        work.solve(part, &mut open);
    }
    let matched: usize = work.alignment.common.iter().map(|run| run.length).sum();
    work.alignment.gaps = left.len() + right.len() - 2 * matched;
    work.alignment
}

/// A range of each sequence: start, and end (exclusive).
#[derive(Clone, Copy)]
struct EditRange {
    left: (usize, usize),
    right: (usize, usize),
}

struct EditSearch<'a, T> {
    left: &'a [T],
    right: &'a [T],
    /// How far a path from the start gets on each diagonal.
    forward: Vec<i64>,
    /// How far a path from the end gets.
    backward: Vec<i64>,
    effort: usize,
    alignment: Alignment,
}

impl<T: Eq> EditSearch<'_, T> {
    fn solve(&mut self, part: EditRange, open: &mut Vec<EditRange>) {
        let ((mut a, mut b), (mut c, mut d)) = (part.left, part.right);
        let before = self.left[a..b].iter().zip(&self.right[c..d]);
        let before = before.take_while(|(left, right)| left == right).count();
        self.alignment.push(a, c, before);
        (a, c) = (a + before, c + before);
        let after = self.left[a..b]
            .iter()
            .rev()
            .zip(self.right[c..d].iter().rev());
        let after = after.take_while(|(left, right)| left == right).count();
        (b, d) = (b - after, d - after);
        // The common end comes after everything before it is aligned.
        if after > 0 && a < b && c < d {
            open.push(EditRange {
                left: (b, b + after),
                right: (d, d + after),
            });
        } else {
            self.alignment.push(b, d, after);
        }
        if a < b && c < d {
            let (x, y) = self.middle((a, b), (c, d));
            // A split at a corner would leave the same problem.
            if (x, y) != (a, c) && (x, y) != (b, d) {
                open.push(EditRange {
                    left: (x, b),
                    right: (y, d),
                });
                open.push(EditRange {
                    left: (a, x),
                    right: (c, y),
                });
            }
        }
    }

    /// A point on a best path. The first elements differ, and so do the last.
    fn middle(&mut self, (a, b): (usize, usize), (c, d): (usize, usize)) -> (usize, usize) {
        let (left, right) = (&self.left[a..b], &self.right[c..d]);
        let (n, m) = (left.len() as i64, right.len() as i64);
        let delta = n - m;
        // The two paths meet at the latest after half of all gaps.
        let bound = ((n + m + 1) / 2).min(self.effort as i64);
        let size = (2 * bound + 3) as usize;
        for ways in [&mut self.forward, &mut self.backward] {
            ways.resize(size.max(ways.len()), NOWHERE);
            ways[(bound + 1) as usize] = NOWHERE;
        }
        let at = |diagonal: i64| (diagonal + bound + 1) as usize;
        for gaps in 0..=bound {
            for ways in [&mut self.forward, &mut self.backward] {
                ways[at(-gaps - 1)] = NOWHERE;
                ways[at(gaps + 1)] = NOWHERE;
            }
            // Skip diagonals outside of the rectangle.
            let first = -gaps + 2 * (gaps - m).max(0);
            let last = gaps - 2 * (gaps - n).max(0);
            for diagonal in (first..=last).step_by(2) {
                let ways = &mut self.forward;
                let Some(mut x) = furthest(ways, at(diagonal), diagonal, gaps, (n, m)) else {
                    continue;
                };
                while x < n
                    && x - diagonal < m
                    && left[x as usize] == right[(x - diagonal) as usize]
                {
                    x += 1;
                }
                ways[at(diagonal)] = x;
                let other = delta - diagonal;
                if delta % 2 != 0 && other.abs() < gaps && meets(&self.backward, at(other), x, n) {
                    return (a + x as usize, c + (x - diagonal) as usize);
                }
            }
            for diagonal in (first..=last).step_by(2) {
                let ways = &mut self.backward;
                let Some(mut x) = furthest(ways, at(diagonal), diagonal, gaps, (n, m)) else {
                    continue;
                };
                while x < n
                    && x - diagonal < m
                    && left[(n - 1 - x) as usize] == right[(m - 1 - x + diagonal) as usize]
                {
                    x += 1;
                }
                ways[at(diagonal)] = x;
                let other = delta - diagonal;
                if delta % 2 == 0 && other.abs() <= gaps && meets(&self.forward, at(other), x, n) {
                    return (a + (n - x) as usize, c + (m - x + diagonal) as usize);
                }
            }
        }
        // Too many gaps: take the path from the start that got furthest.
        self.alignment.is_best = false;
        let reached = (-bound..=bound).step_by(2).filter_map(|diagonal| {
            let x = self.forward[at(diagonal)];
            (x != NOWHERE).then_some((x, x - diagonal))
        });
        let (x, y) = reached
            .max_by_key(|(x, y)| (x + y, -(x - y).abs()))
            .expect("a way of no gaps");
        (a + x as usize, c + y as usize)
    }
}

/// A diagonal that no path has reached.
const NOWHERE: i64 = -1;

/// How far a path with one more gap gets on a diagonal, before it follows equal elements.
fn furthest(ways: &[i64], at: usize, diagonal: i64, gaps: i64, (n, m): (i64, i64)) -> Option<i64> {
    if gaps == 0 {
        return Some(0);
    }
    let leave_out_left = Some(ways[at - 1] + 1).filter(|x| *x > 0 && *x <= n);
    let leave_out_right = Some(ways[at + 1]).filter(|x| *x != NOWHERE && x - diagonal <= m);
    leave_out_left.max(leave_out_right)
}

/// Whether a path from one end that has reached `x` has met the path from the other end.
fn meets(ways: &[i64], at: usize, x: i64, n: i64) -> bool {
    ways[at] != NOWHERE && x + ways[at] >= n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sequences_are_one_stretch() {
        let alignment = align(b"abc", b"abc");
        assert_eq!(
            alignment.common,
            [Common {
                left: 0,
                right: 0,
                length: 3
            }]
        );
        assert_eq!((alignment.gaps, alignment.is_best), (0, true));
        assert_eq!(align::<u8>(b"", b"").gaps, 0);
        assert_eq!(align(b"", b"ab").gaps, 2);
    }

    #[test]
    fn a_mismatch_is_two_gaps() {
        let alignment = align(b"axc", b"ayc");
        assert_eq!(alignment.gaps, 2);
        assert_eq!(alignment.pairs().collect::<Vec<_>>(), [(0, 0), (2, 2)]);
    }

    #[test]
    fn with_little_effort_it_is_right_but_says_that_it_may_not_be_the_best() {
        let left: Vec<u32> = (0..4_000).map(|index| index * 7 % 1_009).collect();
        let right: Vec<u32> = (0..4_000).map(|index| index * 11 % 1_013).collect();
        let quick = align_with_effort(&left, &right, 10);
        assert!(!quick.is_best);
        assert!(quick.pairs().all(|(one, other)| left[one] == right[other]));
        let thorough = align(&left, &right);
        assert!(thorough.is_best && thorough.gaps <= quick.gaps);
    }
}
