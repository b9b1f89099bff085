//! The runtime's own memory: reserved address space that costs nothing until it is written to.
//!
//! The runtime never calls the program's allocator, which it observes and may have interrupted.

use crate::system;

/// An array in reserved address space, initially zero.
pub struct Region<T> {
    start: *mut T,
    capacity: usize,
}

impl<T: Copy> Region<T> {
    /// Reserves room for `capacity` items, or for fewer where the system forbids so many (`ulimit -v`).
    pub fn reserve(capacity: usize) -> Region<T> {
        let mut capacity = capacity;
        while capacity > 0 {
            let bytes = capacity * size_of::<T>();
            if let Some(start) = system::map_memory(bytes) {
                system::keep_pages_small(start, bytes);
                return Region {
                    start: start.cast(),
                    capacity,
                };
            }
            capacity /= 2;
        }
        Region::empty()
    }

    /// An array that is mapped elsewhere.
    pub const fn borrowed(start: *mut T, capacity: usize) -> Region<T> {
        Region { start, capacity }
    }

    /// An array without room.
    pub const fn empty() -> Region<T> {
        Region {
            start: core::ptr::null_mut(),
            capacity: 0,
        }
    }

    /// How many items there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Where the item at `index` is.
    #[inline]
    pub fn at(&self, index: usize) -> *mut T {
        debug_assert!(index < self.capacity);
        // SAFETY: within the mapping.
        unsafe { self.start.add(index) }
    }

    /// The item at `index`, which has to be below the capacity.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        debug_assert!(index < self.capacity);
        // SAFETY: within the mapping, which is never given back; zero is a value of every `T` used here.
        unsafe { *self.start.add(index) }
    }

    /// Changes the item at `index`, which has to be below the capacity.
    #[inline]
    pub fn set(&mut self, index: usize, item: T) {
        debug_assert!(index < self.capacity);
        // SAFETY: as in `get`.
        unsafe { *self.start.add(index) = item }
    }
}

/// The byte of the program's memory at `address`.
#[inline]
pub fn byte(address: u64) -> u8 {
    // SAFETY: callers only look at what the program itself has just read, written or passed to the library.
    unsafe { (address as *const u8).read_volatile() }
}

/// A little-endian value of `size` bytes of the program's memory.
#[inline]
pub fn value(address: u64, size: usize) -> u64 {
    let mut value = 0;
    for index in 0..size.min(8) {
        value |= u64::from(byte(address + index as u64)) << (8 * index);
    }
    value
}

unsafe extern "C" {
    fn syscall(number: core::ffi::c_long, ...) -> core::ffi::c_long;
}

/// How many of `size` bytes from `start` on can be read. `errno` may change.
pub fn readable(start: u64, size: u64) -> u64 {
    const PAGE: u64 = 4096;
    const CHANGE_SIGNAL_MASK: core::ffi::c_long = 14;
    let mut known = 0;
    while known < size {
        let page = start.wrapping_add(known) / PAGE * PAGE;
        // The kernel reads the mask before it rejects the operation, so this only tests whether it can read there.
        // SAFETY: nothing is changed, and the kernel looks itself whether it can read there.
        let answer = unsafe {
            syscall(
                CHANGE_SIGNAL_MASK,
                -1 as core::ffi::c_long,
                page,
                core::ptr::null_mut::<u8>(),
                8_u64,
            )
        };
        const INVALID: i32 = 22;
        // SAFETY: every thread has its own.
        let is_there = answer < 0 && unsafe { *super::engine::__errno_location() } == INVALID;
        if !is_there {
            break;
        }
        known = page.wrapping_add(PAGE).wrapping_sub(start);
    }
    known.min(size)
}
