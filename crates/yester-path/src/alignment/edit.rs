//! The alignment of two sequences with the fewest gaps, in space that grows with the sequences and not with their product.
//!
//! A gap costs 1 and a mismatch 2, as much as a gap on either side: so what is sought is the longest common subsequence,
//! by the divide and conquer of Myers (1986). The way with the fewest gaps is searched from both ends at once, furthest
//! points first, until the two meet; what lies before and behind is solved in the same way.

/// What two sequences have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// Stretches that are equal, in order.
    pub common: Vec<Common>,
    /// What is in one of them only: gaps, of which a mismatch has two.
    pub gaps: usize,
    /// Whether it was shown that there is no better one.
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

/// How much is spent on sequences that have next to nothing in common: their length times the gaps that are looked for in
/// one place before the way that looks best is taken.
const EFFORT: usize = 1 << 31;

/// Aligns two sequences. Where they have next to nothing in common, not every possibility is tried.
pub fn align<T: Eq>(left: &[T], right: &[T]) -> Alignment {
    let length = (left.len() + right.len()).max(1);
    align_with_effort(left, right, (EFFORT / length).clamp(64, 4_096))
}

/// The same with another bound for the gaps in one place.
pub fn align_with_effort<T: Eq>(left: &[T], right: &[T], effort: usize) -> Alignment {
    let mut work = Work {
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
    // What is still to be solved, the first on top. A stack instead of calls, though it is never deeper than a logarithm.
    let mut open = vec![Part {
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

/// A part of both sequences, from here to before there.
#[derive(Clone, Copy)]
struct Part {
    left: (usize, usize),
    right: (usize, usize),
}

struct Work<'a, T> {
    left: &'a [T],
    right: &'a [T],
    /// How far a way from the beginning gets on each diagonal.
    forward: Vec<i64>,
    /// The same from the end.
    backward: Vec<i64>,
    effort: usize,
    alignment: Alignment,
}

impl<T: Eq> Work<'_, T> {
    fn solve(&mut self, part: Part, open: &mut Vec<Part>) {
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
        // The common end has its turn when everything before it is solved.
        if after > 0 && a < b && c < d {
            open.push(Part {
                left: (b, b + after),
                right: (d, d + after),
            });
        } else {
            self.alignment.push(b, d, after);
        }
        if a < b && c < d {
            let (x, y) = self.middle((a, b), (c, d));
            // A split at a corner would leave the same question.
            if (x, y) != (a, c) && (x, y) != (b, d) {
                open.push(Part {
                    left: (x, b),
                    right: (y, d),
                });
                open.push(Part {
                    left: (a, x),
                    right: (c, y),
                });
            }
        }
    }

    /// A point on a best way, where the first and the last elements differ.
    fn middle(&mut self, (a, b): (usize, usize), (c, d): (usize, usize)) -> (usize, usize) {
        let (left, right) = (&self.left[a..b], &self.right[c..d]);
        let (n, m) = (left.len() as i64, right.len() as i64);
        let delta = n - m;
        // Both ways meet at the latest after half of all gaps.
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
            // Diagonals outside of the rectangle lead nowhere.
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
        // Too much to try: go with the way from the beginning that got furthest.
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

/// A diagonal that no way has come to.
const NOWHERE: i64 = -1;

/// How far a way with one more gap gets on a diagonal, before what is common there.
fn furthest(ways: &[i64], at: usize, diagonal: i64, gaps: i64, (n, m): (i64, i64)) -> Option<i64> {
    if gaps == 0 {
        return Some(0);
    }
    let leave_out_left = Some(ways[at - 1] + 1).filter(|x| *x > 0 && *x <= n);
    let leave_out_right = Some(ways[at + 1]).filter(|x| *x != NOWHERE && x - diagonal <= m);
    leave_out_left.max(leave_out_right)
}

/// Whether a way from one end that has come to `x` has met the way from the other end.
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
