use std::collections::BinaryHeap;
use std::ops::Range;

use crate::Subset;

/// Which deltas belong together: one tree of groups, whatever the criteria it was made from (a common date, directory,
/// file, function, identifier).
///
/// The tree is kept as the order of its leaves and, for each pair of neighbours, how many groups they share. A border
/// between two groups is then a place where few are shared, and cutting along borders needs no tree walk.
#[derive(Clone, Debug)]
pub struct Grouping {
    layout: Vec<usize>,
    /// `shared[p]` groups hold both `layout[p]` and the delta before it.
    shared: Vec<u32>,
}

impl Grouping {
    /// No two deltas belong together more than any other two.
    pub fn flat(universe: usize) -> Self {
        Grouping {
            layout: (0..universe).collect(),
            shared: vec![0; universe],
        }
    }

    /// Groups deltas by the names of the groups that hold them, outermost first. Groups are laid out in the order of
    /// their names (give them dates or numbers if their order means something), the deltas of one group in their own.
    pub fn by<K: Ord>(universe: usize, path: impl Fn(usize) -> Vec<K>) -> Self {
        let mut paths: Vec<(Vec<K>, usize)> =
            (0..universe).map(|delta| (path(delta), delta)).collect();
        paths.sort();
        let shared = std::iter::once(0)
            .chain(paths.windows(2).map(|pair| {
                let equal = pair[0].0.iter().zip(&pair[1].0);
                equal.take_while(|(one, next)| one == next).count() as u32
            }))
            .take(universe)
            .collect();
        Grouping {
            layout: paths.into_iter().map(|(_, delta)| delta).collect(),
            shared,
        }
    }

    /// Cuts a subset into `parts` parts of about equal size, none of them empty. A group is cut only when there are
    /// not enough borders between the groups around it.
    ///
    /// # Panics
    /// When there are fewer deltas than parts, or no parts.
    pub fn partition(&self, subset: &Subset, parts: usize) -> Partition {
        let row = self.row(subset);
        let cuts = row.cut(0..row.members.len(), parts);
        Partition {
            members: row.members,
            cuts,
        }
    }

    /// The members of a subset as they are laid out.
    pub(crate) fn row(&self, subset: &Subset) -> DeltaRow {
        let mut members = Vec::new();
        let mut shared = Vec::new();
        let mut least = u32::MAX;
        for (delta, with_previous) in self.layout.iter().zip(&self.shared) {
            least = least.min(*with_previous);
            if subset.contains(*delta) {
                members.push(*delta);
                shared.push(least);
                least = u32::MAX;
            }
        }
        DeltaRow { members, shared }
    }
}

/// Deltas as they are laid out.
pub(crate) struct DeltaRow {
    pub members: Vec<usize>,
    /// How many groups each shares with the member before it.
    shared: Vec<u32>,
}

impl DeltaRow {
    /// Where the parts of this range start, and its end.
    pub fn cut(&self, range: Range<usize>, parts: usize) -> Vec<usize> {
        assert!(
            0 < parts && parts <= range.len(),
            "{parts} parts of {} deltas",
            range.len()
        );
        let depth = cutting_depth(&self.shared[range.clone()], parts);
        let mut blocks: Vec<Block> = Vec::new();
        let mut start = range.start;
        for end in range.start + 1..=range.end {
            if end == range.end || self.shared[end] < depth {
                blocks.push(Block::new(start, end, &self.shared, depth));
                start = end;
            }
        }
        share_out(blocks, parts)
            .into_iter()
            .flat_map(|block| block.starts())
            .chain([range.end])
            .collect()
    }
}

/// The least number of shared groups such that cutting wherever at most so many are shared gives enough parts.
fn cutting_depth(shared: &[u32], parts: usize) -> u32 {
    let mut depths = shared[1..].to_vec();
    if parts == 1 {
        return 0;
    }
    *depths.select_nth_unstable(parts - 2).1
}

/// Consecutive places that are cut from what is around them in any case.
#[derive(PartialEq, Eq)]
struct Block {
    start: usize,
    end: usize,
    /// Where it may be cut further.
    borders: Vec<usize>,
    pieces: usize,
}

impl Block {
    fn new(start: usize, end: usize, shared: &[u32], depth: u32) -> Self {
        Block {
            start,
            end,
            borders: (start + 1..end)
                .filter(|place| shared[*place] == depth)
                .collect(),
            pieces: 1,
        }
    }

    fn can_be_cut(&self) -> bool {
        self.pieces <= self.borders.len()
    }

    /// Where its pieces start: at the borders nearest to where equal pieces would.
    fn starts(&self) -> Vec<usize> {
        let mut starts = vec![self.start];
        let mut next = 0;
        for piece in 1..self.pieces {
            let ideal = self.start + piece * (self.end - self.start) / self.pieces;
            // Each piece to come needs a border too.
            let last = self.borders.len() - (self.pieces - piece);
            next += self.borders[next..=last].partition_point(|border| *border < ideal);
            next = next.min(last);
            let before = next.checked_sub(1).map(|index| self.borders[index]);
            let taken = *starts.last().expect("a block starts somewhere");
            if let Some(border) = before.filter(|border| {
                *border > taken && border.abs_diff(ideal) < self.borders[next].abs_diff(ideal)
            }) {
                starts.push(border);
            } else {
                starts.push(self.borders[next]);
                next += 1;
            }
        }
        starts
    }
}

/// By the size of their pieces, so that the block that is cut least finely comes first, and by place.
impl Ord for Block {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let (mine, theirs) = (self.end - self.start, other.end - other.start);
        (self.can_be_cut().cmp(&other.can_be_cut()))
            .then((mine * other.pieces).cmp(&(theirs * self.pieces)))
            .then(other.start.cmp(&self.start))
    }
}

impl PartialOrd for Block {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Decides into how many pieces each block is cut.
fn share_out(blocks: Vec<Block>, parts: usize) -> Vec<Block> {
    let spare = parts - blocks.len();
    let mut queue = BinaryHeap::from(blocks);
    for _ in 0..spare {
        let mut block = queue.peek_mut().expect("there is a block");
        block.pieces += 1;
    }
    let mut blocks = queue.into_vec();
    blocks.sort_by_key(|block| block.start);
    blocks
}

/// A subset cut into parts.
pub struct Partition {
    members: Vec<usize>,
    cuts: Vec<usize>,
}

impl Partition {
    /// How many parts there are.
    pub fn count(&self) -> usize {
        self.cuts.len() - 1
    }

    /// The deltas of one part.
    pub fn part(&self, index: usize) -> &[usize] {
        &self.members[self.cuts[index]..self.cuts[index + 1]]
    }

    /// The parts in order.
    pub fn iter(&self) -> impl Iterator<Item = &[usize]> {
        (0..self.count()).map(|index| self.part(index))
    }
}
