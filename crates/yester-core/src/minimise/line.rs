use crate::Subset;

/// The deltas in the order of a pass, with the weight before each.
pub(super) struct DeltaLine {
    pub deltas: Vec<usize>,
    before: Vec<u64>,
}

impl DeltaLine {
    pub fn new(subset: &Subset, weight: impl Fn(usize) -> u64) -> Self {
        let mut deltas: Vec<usize> = subset.iter().collect();
        deltas.reverse();
        let mut before = Vec::with_capacity(deltas.len() + 1);
        before.push(0);
        before.extend(deltas.iter().scan(0u64, |sum, delta| {
            // A delta without weight still is a delta to be cut around.
            *sum += weight(*delta).max(1);
            Some(*sum)
        }));
        DeltaLine { deltas, before }
    }

    pub fn len(&self) -> usize {
        self.deltas.len()
    }

    pub fn weight(&self, from: usize, to: usize) -> u64 {
        self.before[to] - self.before[from]
    }

    pub fn without(&self, subset: &Subset, from: usize, to: usize) -> Subset {
        subset.without(&self.deltas[from..to])
    }

    /// Where a run from `from` of about this weight ends; it has at least one delta.
    pub fn after(&self, from: usize, weight: u64) -> usize {
        let end = self.before[from].saturating_add(weight);
        let run = self.before[from + 1..self.deltas.len()].partition_point(|sum| *sum < end);
        from + 1 + run
    }

    /// The cut that comes nearest to equal weights on both sides.
    pub fn middle(&self, low: usize, high: usize) -> usize {
        let half = self.before[low] + self.weight(low, high) / 2;
        let next = low + 1 + self.before[low + 1..high - 1].partition_point(|sum| *sum < half);
        let nearer = self.before[next - 1].abs_diff(half) < self.before[next].abs_diff(half);
        if nearer && next - 1 > low {
            next - 1
        } else {
            next
        }
    }
}
