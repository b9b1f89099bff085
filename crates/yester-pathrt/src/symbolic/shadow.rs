//! Which bytes of memory depend on the input, and how.
//!
//! The first symbolic store to a page of memory allocates a page of shadow. A slot of a shadow page has the number of a node in
//! its low 24 bits, and above it which byte of that node is there. So a stored value is not split, and a load of the same
//! bytes finds it whole.
//!
//! Instrumented code checks [`FILTER`] before it calls the runtime. The filter may have false positives, but no false negatives.

use super::graph::NodeGraph;
use super::memory::{self, Region};
use super::page::{PAGE_BITS, PageTable};
use super::value::truncate;
use core::sync::atomic::{AtomicU8, Ordering};

const PAGE: u64 = 1 << PAGE_BITS;
const MOST_PAGES: usize = 1 << 19;
const NODE_MASK: u32 = (1 << 24) - 1;

/// How many entries the filter has.
pub const FILTER_SIZE: usize = 1 << 16;
/// Indexed by the low bits of a page number: 0 if no such page, nor the page after it, has a shadow.
#[cfg_attr(yester_runtime, unsafe(export_name = "__yester_filter"))]
pub static FILTER: [AtomicU8; FILTER_SIZE] = [const { AtomicU8::new(0) }; FILTER_SIZE];

/// Whether memory from `address` on, no more than a page of it, may have a shadow.
#[inline]
pub fn may_have(address: u64) -> bool {
    FILTER[(address >> PAGE_BITS) as usize % FILTER_SIZE].load(Ordering::Relaxed) != 0
}

/// Whether any of `size` bytes from `address` on may have a shadow.
pub fn range_may_have(address: u64, size: u64) -> bool {
    if size == 0 {
        return false;
    }
    let first = address >> PAGE_BITS;
    let last = (address.wrapping_add(size - 1)) >> PAGE_BITS;
    if last.wrapping_sub(first) >= FILTER_SIZE as u64 {
        return true;
    }
    (first..=last).any(|page| may_have(page << PAGE_BITS))
}

/// What a load found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The node; 0 if the value does not depend on the input.
    pub node: u32,
    /// Whether code that is not instrumented has written here, so that the shadow was dropped.
    pub stale: bool,
}

/// The shadow of all memory.
pub struct Shadow {
    table: PageTable,
    pages: Region<[u32; PAGE as usize]>,
    used_pages: usize,
    /// Set once when no more pages fit.
    pub full: bool,
}

impl Shadow {
    /// An empty shadow.
    pub fn new() -> Shadow {
        Shadow {
            table: PageTable::new(),
            pages: Region::reserve(MOST_PAGES),
            used_pages: 1,
            full: false,
        }
    }

    fn slot_page(&self, address: u64) -> *mut [u32; PAGE as usize] {
        match self.table.get(address >> PAGE_BITS) {
            0 => core::ptr::null_mut(),
            entry => self.pages.at(entry as usize),
        }
    }

    fn make_page(&mut self, address: u64) -> *mut [u32; PAGE as usize] {
        let existing = self.slot_page(address);
        if !existing.is_null() {
            return existing;
        }
        let page = address >> PAGE_BITS;
        let entry = self.used_pages;
        if entry >= self.pages.capacity() || !self.table.set(page, entry as u32) {
            self.full = true;
            return core::ptr::null_mut();
        }
        self.used_pages += 1;
        // Mark the page before too, for accesses that reach from it into this one.
        for marked in [page, page.wrapping_sub(1)] {
            FILTER[marked as usize % FILTER_SIZE].store(1, Ordering::Relaxed);
        }
        self.pages.at(entry)
    }

    #[inline]
    fn slot(&self, address: u64) -> u32 {
        let page = self.slot_page(address);
        if page.is_null() {
            return 0;
        }
        // SAFETY: a page of shadow, and an index below its size.
        unsafe { (*page)[(address % PAGE) as usize] }
    }

    fn set_slot(&mut self, address: u64, slot: u32) {
        let page = if slot == 0 {
            self.slot_page(address)
        } else {
            self.make_page(address)
        };
        if !page.is_null() {
            // SAFETY: as in `slot`.
            unsafe { (*page)[(address % PAGE) as usize] = slot }
        }
    }

    /// Sets the node of `size` bytes; its width is a multiple of eight bits. 0 clears it.
    pub fn store(&mut self, address: u64, size: u64, node: u32) {
        if node == 0 {
            return self.clear(address, size);
        }
        for index in 0..size {
            self.set_slot(address.wrapping_add(index), node | (index as u32) << 24);
        }
    }

    /// Clears the shadow of `size` bytes.
    pub fn clear(&mut self, address: u64, size: u64) {
        let mut address = address;
        let end = address.saturating_add(size);
        while address < end {
            let next = ((address >> PAGE_BITS) + 1) << PAGE_BITS;
            let stop = next.min(end);
            let page = self.slot_page(address);
            if !page.is_null() {
                for place in address..stop {
                    // SAFETY: as in `slot`.
                    unsafe { (*page)[(place % PAGE) as usize] = 0 }
                }
            }
            address = stop;
        }
    }

    /// Whether any of `size` bytes depends on the input.
    pub fn any(&self, address: u64, size: u64) -> bool {
        let mut address = address;
        let end = address.saturating_add(size);
        while address < end {
            let next = ((address >> PAGE_BITS) + 1) << PAGE_BITS;
            let stop = next.min(end);
            let page = self.slot_page(address);
            let is_set = |place: u64| {
                // SAFETY: as in `slot`; the page is not null where this is called.
                unsafe { (*page)[(place % PAGE) as usize] != 0 }
            };
            if !page.is_null() && (address..stop).any(is_set) {
                return true;
            }
            address = stop;
        }
        false
    }

    /// What the shadow says about `size` bytes (8 at most) that hold `concrete`.
    pub fn load(
        &mut self,
        graph: &mut NodeGraph,
        address: u64,
        size: u64,
        concrete: u64,
    ) -> Loaded {
        let nothing = Loaded {
            node: 0,
            stale: false,
        };
        let first = self.slot(address);
        let node = first & NODE_MASK;
        let whole = first != 0
            && first >> 24 == 0
            && u64::from(graph.width(node)) == 8 * size
            && (1..size).all(|index| {
                self.slot(address.wrapping_add(index)) == first | (index as u32) << 24
            });
        if whole && graph.value(node) == truncate(concrete, 8 * size as u32) {
            return Loaded { node, stale: false };
        }
        let mut slots = [0; 8];
        let mut any = 0;
        for index in 0..size {
            slots[index as usize] = self.slot(address.wrapping_add(index));
            any |= slots[index as usize];
        }
        if any == 0 {
            return nothing;
        }
        let mut stale = false;
        for index in 0..size {
            let slot = slots[index as usize];
            let byte = (concrete >> (8 * index)) as u8;
            let shift = 8 * (slot >> 24);
            if slot != 0 && (graph.value(slot & NODE_MASK) >> shift) as u8 != byte {
                stale = true;
                slots[index as usize] = 0;
                self.set_slot(address.wrapping_add(index), 0);
            }
        }
        let node = join(graph, &slots[..size as usize], concrete);
        let node = if node != 0 && graph.is_constant(node) {
            0
        } else {
            node
        };
        Loaded { node, stale }
    }

    /// The node of one byte as it was stored, whatever is in memory now; 0 if it does not depend on the input.
    pub fn unchecked_byte(&self, graph: &mut NodeGraph, address: u64) -> u32 {
        match self.slot(address) {
            0 => 0,
            slot => graph.extract(slot & NODE_MASK, 8 * (slot >> 24), 8),
        }
    }

    /// The node of one byte, a constant where it does not depend on the input.
    pub fn byte(&mut self, graph: &mut NodeGraph, address: u64) -> u32 {
        let concrete = memory::byte(address);
        match self.load(graph, address, 1, u64::from(concrete)).node {
            0 => graph.constant(8, u64::from(concrete)),
            node => node,
        }
    }

    /// Copies the shadow of bytes that were copied. The ranges may overlap.
    pub fn copy(&mut self, to: u64, from: u64, size: u64) {
        if to == from || size == 0 {
            return;
        }
        if !self.any(from, size) {
            return self.clear(to, size);
        }
        if to < from || to >= from.saturating_add(size) {
            for index in 0..size {
                let slot = self.slot(from + index);
                self.set_slot(to + index, slot);
            }
        } else {
            for index in (0..size).rev() {
                let slot = self.slot(from + index);
                self.set_slot(to + index, slot);
            }
        }
    }
}

impl Default for Shadow {
    fn default() -> Shadow {
        Shadow::new()
    }
}

/// Concatenates bytes; neighbours of one node are taken together.
fn join(graph: &mut NodeGraph, slots: &[u32], concrete: u64) -> u32 {
    let mut joined = 0;
    let mut index = 0;
    while index < slots.len() {
        let slot = slots[index];
        let mut length = 1;
        if slot == 0 {
            while index + length < slots.len() && slots[index + length] == 0 {
                length += 1;
            }
        } else {
            while index + length < slots.len()
                && slots[index + length] == slot + ((length as u32) << 24)
            {
                length += 1;
            }
        }
        let bits = 8 * length as u32;
        let piece = if slot == 0 {
            graph.constant(bits, concrete >> (8 * index))
        } else {
            graph.extract(slot & NODE_MASK, 8 * (slot >> 24), bits)
        };
        joined = if index == 0 {
            piece
        } else {
            graph.concatenate(piece, joined)
        };
        if joined == 0 {
            return 0;
        }
        index += length;
    }
    joined
}
