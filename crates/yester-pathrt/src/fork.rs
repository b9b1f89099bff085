//! After `fork` the child copies its parent's recording into a directory of its own and continues there.

use core::arch::global_asm;
use core::ffi::c_void;
use core::sync::atomic::Ordering;

use crate::file::{File, SharedCell, Used};
use crate::format::{HEAD_BYTES, end_of_events, event, head};
use crate::pack::WINDOW_HEAD;
use crate::recording::{LOCK, ON, RECORDING};
use crate::system;
use crate::thread::{ThreadState, current};

type Hook = extern "C" fn();
type Register = extern "C" fn(Option<Hook>, Option<Hook>, Option<Hook>, *const c_void) -> i32;

// Both symbols are weak, since a program without a C library has neither. With the handle the C library removes the hooks
// when it unloads the shared object that has them.
global_asm!(
    ".section .data.rel.__yester_weak,\"aw\",@progbits",
    ".p2align 3",
    ".globl __yester_weak",
    ".hidden __yester_weak",
    ".weak __register_atfork",
    ".weak __dso_handle",
    ".hidden __dso_handle",
    "__yester_weak:",
    ".quad __register_atfork",
    ".quad __dso_handle",
    ".text",
);

unsafe extern "C" {
    static __yester_weak: [usize; 2];
}

/// `head` as it was at the fork; the parent changes its own while the child copies.
static SNAPSHOT: SharedCell<[u64; HEAD_BYTES / 8]> = SharedCell::new([0; HEAD_BYTES / 8]);

/// Registers the hooks that run around `fork`.
pub fn watch() {
    // SAFETY: if the function is there, it has this type.
    unsafe {
        let [register, handle] = __yester_weak;
        if register != 0 {
            let register: Register = core::mem::transmute(register);
            register(
                Some(before),
                Some(parent),
                Some(child),
                handle as *const c_void,
            );
        }
    }
}

extern "C" fn before() {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    LOCK.acquire();
    // SAFETY: under the lock; `head` is mapped.
    unsafe {
        let recording = &*RECORDING.get();
        core::ptr::copy_nonoverlapping(recording.head, SNAPSHOT.get().cast(), HEAD_BYTES / 8);
    }
}

extern "C" fn parent() {
    if ON.load(Ordering::Relaxed) {
        LOCK.release();
    }
}

extern "C" fn child() {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: the child has one thread, and everything is mapped as in the parent.
    unsafe {
        let recording = &mut *RECORDING.get();
        let snapshot = &mut *SNAPSHOT.get();
        snapshot[head::PARENT] = snapshot[head::PROCESS];
        snapshot[head::PROCESS] = u64::from(system::process());
        let directory = recording.open_child();
        for file in recording.files.iter().flatten() {
            let used = used(file, snapshot);
            let bytes = if file.used == Used::All {
                core::slice::from_raw_parts(SNAPSHOT.get().cast(), HEAD_BYTES)
            } else {
                core::slice::from_raw_parts(file.place, used)
            };
            if !directory.is_some_and(|directory| copy(directory, file, bytes)) {
                detach(file, bytes);
            }
            if let Used::Window(stream) = file.used {
                // The parent may have written events before the copy was made.
                file.place.cast::<u64>().write((*stream).packed);
                if used < file.capacity {
                    file.place.add(used).write(event::END);
                }
            }
        }
        let thread = current();
        if (*thread).state == ThreadState::Recorded {
            (*(*thread).stream).values.forked();
        }
    }
    crate::symbolic::forked();
    LOCK.release();
}

fn used(file: &File, head: &[u64; HEAD_BYTES / 8]) -> usize {
    match file.used {
        Used::All => file.capacity,
        Used::Text { bytes } => bytes,
        Used::Counted { word, unit } => head[word] as usize * unit,
        // SAFETY: the child has its own copy of each stream as it was when the parent forked, and streams are never unmapped.
        Used::Blocks(stream) => unsafe { (*stream).used },
        // SAFETY: as above; the window is mapped with its capacity, and the thread's block belongs to this thread.
        Used::Window(stream) => unsafe {
            let thread = current();
            if (*thread).state == ThreadState::Recorded && core::ptr::eq((*thread).stream, stream) {
                return (*thread).cursor.offset_from(file.place) as usize;
            }
            let window = core::slice::from_raw_parts(file.place, file.capacity);
            let stale = file.place.cast::<u64>().read() != (*stream).packed;
            WINDOW_HEAD
                + if stale {
                    0
                } else {
                    end_of_events(&window[WINDOW_HEAD..], 0)
                }
        },
    }
}

fn size(file: &File) -> usize {
    match file.used {
        Used::Text { bytes } => bytes,
        _ => file.capacity,
    }
}

fn copy(directory: i32, file: &File, bytes: &[u8]) -> bool {
    let descriptor = system::make_file(directory, &file.name);
    if descriptor < 0 {
        return false;
    }
    let descriptor = descriptor as i32;
    let copied = system::write_at(descriptor, bytes, 0)
        && system::set_size(descriptor, size(file)) == 0
        && system::map(descriptor, file.capacity, file.place).is_some();
    system::close(descriptor);
    copied
}

/// Replaces the mapping of a file by memory, so that the child does not write to its parent's file.
fn detach(file: &File, bytes: &[u8]) {
    let Some(memory) = system::map_memory(file.capacity) else {
        system::stop();
    };
    // SAFETY: the memory is as big as the file.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
    system::move_mapping(memory, file.capacity, file.place);
}
