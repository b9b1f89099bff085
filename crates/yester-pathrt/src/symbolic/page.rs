//! A two-level table from memory pages to small numbers, in which only used parts take room.

use super::memory::Region;

/// Bits of an address within a page.
pub const PAGE_BITS: u32 = 12;
const LEAF_BITS: u32 = 17;
const TOP_BITS: u32 = 18;
const MOST_LEAVES: usize = 1 << 12;
const LEAF: usize = 1 << LEAF_BITS;

/// A number for each page of the address space, 0 at first.
pub struct PageTable {
    top: Region<u32>,
    leaves: Region<u32>,
    used: usize,
}

impl PageTable {
    /// A table without entries.
    pub fn new() -> PageTable {
        PageTable {
            top: Region::reserve(1 << TOP_BITS),
            leaves: Region::reserve(MOST_LEAVES * LEAF),
            used: 1,
        }
    }

    /// The number of a page.
    #[inline]
    pub fn get(&self, page: u64) -> u32 {
        let top = (page >> LEAF_BITS) as usize;
        if top >= self.top.capacity() {
            return 0;
        }
        match self.top.get(top) {
            0 => 0,
            leaf => self.leaves.get(leaf as usize * LEAF + page as usize % LEAF),
        }
    }

    /// Gives a page a number; false if there is no room.
    pub fn set(&mut self, page: u64, number: u32) -> bool {
        let top = (page >> LEAF_BITS) as usize;
        if top >= self.top.capacity() {
            return false;
        }
        if self.top.get(top) == 0 {
            if (self.used + 1) * LEAF > self.leaves.capacity() {
                return false;
            }
            self.top.set(top, self.used as u32);
            self.used += 1;
        }
        let leaf = self.top.get(top) as usize;
        self.leaves.set(leaf * LEAF + page as usize % LEAF, number);
        true
    }
}

impl Default for PageTable {
    fn default() -> PageTable {
        PageTable::new()
    }
}
