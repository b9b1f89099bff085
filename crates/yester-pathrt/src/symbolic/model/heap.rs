//! The heap: tracks chunks, and clears the shadow of new ones.

use super::super::shadow::range_may_have;
use core::ffi::{c_int, c_void};

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(chunk: *mut c_void, size: usize) -> *mut c_void;
    fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void;
    fn posix_memalign(place: *mut *mut c_void, alignment: usize, size: usize) -> c_int;
    fn free(chunk: *mut c_void);
    fn malloc_usable_size(chunk: *const u8) -> usize;
}

/// A chunk was allocated.
pub fn allocated(chunk: *mut c_void, size: usize) {
    if chunk.is_null() {
        return;
    }
    if let Some(mut engine) = super::super::enter() {
        engine.objects.allocated(chunk as u64, size as u64);
        if range_may_have(chunk as u64, size as u64) {
            engine.shadow.clear(chunk as u64, size as u64);
        }
        // A symbolic size is fixed: memory of another size cannot be predicted.
        let call = super::super::call::current();
        call.callee = 0;
    }
}

/// A chunk is about to be freed.
fn freed(chunk: *mut c_void) {
    if chunk.is_null() {
        return;
    }
    if let Some(mut engine) = super::super::enter() {
        // SAFETY: the program is about to give it back, so it has it.
        let size = unsafe { malloc_usable_size(chunk.cast()) };
        engine.objects.freed(chunk as u64);
        if range_may_have(chunk as u64, size as u64) {
            engine.shadow.clear(chunk as u64, size as u64);
        }
    }
}

models! {
    /// `malloc`.
    fn __yester_model_malloc(size: usize) -> *mut c_void {
        let chunk = malloc(size);
        allocated(chunk, size);
        chunk
    }

    /// `calloc`.
    fn __yester_model_calloc(count: usize, size: usize) -> *mut c_void {
        let chunk = calloc(count, size);
        allocated(chunk, count.wrapping_mul(size));
        chunk
    }

    /// `aligned_alloc`.
    fn __yester_model_aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
        let chunk = aligned_alloc(alignment, size);
        allocated(chunk, size);
        chunk
    }

    /// `posix_memalign`.
    fn __yester_model_posix_memalign(
        place: *mut *mut c_void,
        alignment: usize,
        size: usize,
    ) -> c_int {
        let result = posix_memalign(place, alignment, size);
        if result == 0 {
            super::super::hook::__yester_fill(place as u64, 0, 8);
            allocated(*place, size);
        }
        result
    }

    /// `realloc`.
    fn __yester_model_realloc(chunk: *mut c_void, size: usize) -> *mut c_void {
        if !super::super::is_active() || chunk.is_null() {
            let result = realloc(chunk, size);
            allocated(result, size);
            return result;
        }
        let old = malloc_usable_size(chunk.cast());
        let result = realloc(chunk, size);
        if result.is_null() && size != 0 {
            return result;
        }
        if let Some(mut engine) = super::super::enter() {
            super::super::call::current().callee = 0;
            let (from, to) = (chunk as u64, result as u64);
            let kept = old.min(size) as u64;
            if from != to {
                engine.objects.freed(from);
                if to != 0 {
                    engine.shadow.copy(to, from, kept);
                }
                engine.shadow.clear(from, old as u64);
            }
            if to != 0 {
                engine.objects.allocated(to, size as u64);
                if size as u64 > kept {
                    engine.shadow.clear(to + kept, size as u64 - kept);
                }
            }
        }
        result
    }

    /// `free`.
    fn __yester_model_free(chunk: *mut c_void) {
        freed(chunk);
        free(chunk);
    }
}

/// Another allocator (`new` of C++) has allocated a chunk.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_allocated(chunk: u64, size: u64) {
    allocated(chunk as *mut c_void, size as usize);
}
