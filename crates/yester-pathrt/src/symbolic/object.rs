//! The objects in memory: globals, tables, arguments, and chunks of the heap.
//!
//! A symbolic address may point anywhere within its object, and an unknown function may write to the objects that it has pointers
//! to.

use super::memory::Region;
use super::page::{PAGE_BITS, PageTable};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Globals of at most this many modules are known.
const MOST_MODULES: usize = 4096;
static MODULES: [AtomicPtr<[u64; 2]>; MOST_MODULES] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; MOST_MODULES];
static MODULE_SIZES: [AtomicUsize; MOST_MODULES] = [const { AtomicUsize::new(0) }; MOST_MODULES];
static MODULE_COUNT: AtomicUsize = AtomicUsize::new(0);

/// Registers the globals of a module, as pairs of start and size. Called possibly before the recording starts.
pub fn register(objects: *const [u64; 2], count: usize) {
    let module = MODULE_COUNT.fetch_add(1, Ordering::Relaxed);
    if module == 0 {
        crate::system::allow_bigger_stack();
    }
    if module < MOST_MODULES {
        MODULE_SIZES[module].store(count, Ordering::Relaxed);
        MODULES[module].store(objects.cast_mut(), Ordering::Release);
    }
}

const GRANULE_BITS: u32 = 4;
const MOST_RANGES: usize = 1 << 20;
const MOST_CHUNK_PAGES: usize = 1 << 20;
/// Only the first pages of a chunk, up to this many, lead back to its start.
const MOST_COVERED: u64 = 1 << 14;

/// Where an object begins, and how many bytes it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its first byte.
    pub start: u64,
    /// In bytes.
    pub size: u64,
}

impl Object {
    /// Whether `size` bytes from `address` on are inside.
    pub fn holds(&self, address: u64, size: u64) -> bool {
        address >= self.start
            && address.wrapping_sub(self.start) <= self.size
            && size <= self.size - (address - self.start)
    }
}

/// The chunks of one page of the heap.
#[derive(Clone, Copy)]
struct ChunkPage {
    /// A bit for each sixteen bytes, set if a chunk starts there.
    starts: [u64; 4],
    /// The chunk that reaches into this page from an earlier one.
    covering: u64,
}

/// All known objects.
pub struct ObjectTable {
    ranges: Region<Object>,
    used_ranges: usize,
    sorted: bool,
    table: PageTable,
    pages: Region<ChunkPage>,
    used_pages: usize,
    size_of: fn(u64) -> u64,
    seen_modules: usize,
}

impl ObjectTable {
    /// An empty table. `size_of` returns the size of a heap chunk.
    pub fn new(size_of: fn(u64) -> u64) -> ObjectTable {
        ObjectTable {
            ranges: Region::reserve(MOST_RANGES),
            used_ranges: 0,
            sorted: true,
            table: PageTable::new(),
            pages: Region::reserve(MOST_CHUNK_PAGES),
            used_pages: 1,
            size_of,
            seen_modules: 0,
        }
    }

    /// Adds an object that is never freed.
    pub fn add(&mut self, start: u64, size: u64) {
        if size == 0 || self.used_ranges >= self.ranges.capacity() {
            return;
        }
        self.ranges.set(self.used_ranges, Object { start, size });
        self.used_ranges += 1;
        self.sorted = false;
    }

    /// Adds a heap chunk that was allocated.
    pub fn allocated(&mut self, start: u64, size: u64) {
        let first = start >> PAGE_BITS;
        if let Some(page) = self.page(first) {
            let granule = (start >> GRANULE_BITS) as usize % 256;
            // SAFETY: pages that are in use, and nobody else has a reference to them.
            unsafe { (*page).starts[granule / 64] |= 1 << (granule % 64) }
        }
        let last = (start + size.max(1) - 1) >> PAGE_BITS;
        for number in first + 1..=last.min(first + MOST_COVERED) {
            match self.page(number) {
                // SAFETY: as above.
                Some(page) => unsafe { (*page).covering = start },
                None => return,
            }
        }
    }

    /// Removes a heap chunk that was freed.
    pub fn freed(&mut self, start: u64) {
        let entry = self.table.get(start >> PAGE_BITS);
        if entry != 0 {
            let granule = (start >> GRANULE_BITS) as usize % 256;
            // SAFETY: as in `allocated`.
            unsafe {
                (*self.pages.at(entry as usize)).starts[granule / 64] &= !(1 << (granule % 64));
            }
        }
    }

    fn page(&mut self, number: u64) -> Option<*mut ChunkPage> {
        let entry = self.table.get(number);
        if entry != 0 {
            return Some(self.pages.at(entry as usize));
        }
        if self.used_pages >= self.pages.capacity()
            || !self.table.set(number, self.used_pages as u32)
        {
            return None;
        }
        self.used_pages += 1;
        Some(self.pages.at(self.used_pages - 1))
    }

    /// The object around an address.
    pub fn find(&mut self, address: u64) -> Option<Object> {
        self.chunk(address).or_else(|| self.range(address))
    }

    fn see_modules(&mut self) {
        while self.seen_modules < MODULE_COUNT.load(Ordering::Acquire).min(MOST_MODULES) {
            let objects = MODULES[self.seen_modules].load(Ordering::Acquire);
            if objects.is_null() {
                return;
            }
            for index in 0..MODULE_SIZES[self.seen_modules].load(Ordering::Relaxed) {
                // SAFETY: `register` was told that there are so many.
                let [start, size] = unsafe { *objects.add(index) };
                self.add(start, size);
            }
            self.seen_modules += 1;
        }
    }

    fn range(&mut self, address: u64) -> Option<Object> {
        self.see_modules();
        if self.used_ranges == 0 {
            return None;
        }
        // SAFETY: so many were written, and the region has no other reference.
        let ranges =
            unsafe { core::slice::from_raw_parts_mut(self.ranges.at(0), self.used_ranges) };
        if !self.sorted {
            ranges.sort_unstable_by_key(|object| (object.start, object.size));
            self.sorted = true;
        }
        let after = ranges.partition_point(|object| object.start <= address);
        ranges[..after]
            .last()
            .copied()
            .filter(|object| object.holds(address, 1))
    }

    fn chunk(&self, address: u64) -> Option<Object> {
        let number = address >> PAGE_BITS;
        let entry = self.table.get(number);
        if entry == 0 {
            return None;
        }
        let page = self.pages.get(entry as usize);
        let granule = (address >> GRANULE_BITS) as usize % 256;
        let start = (0..=granule)
            .rev()
            .find(|&granule| page.starts[granule / 64] >> (granule % 64) & 1 == 1)
            .map(|granule| (number << PAGE_BITS) + ((granule as u64) << GRANULE_BITS))
            .or_else(|| {
                let first = self.table.get(page.covering >> PAGE_BITS);
                let granule = (page.covering >> GRANULE_BITS) as usize % 256;
                let starts = self.pages.get(first as usize).starts;
                (page.covering != 0 && starts[granule / 64] >> (granule % 64) & 1 == 1)
                    .then_some(page.covering)
            })?;
        let object = Object {
            start,
            size: (self.size_of)(start),
        };
        object.holds(address, 1).then_some(object)
    }
}
