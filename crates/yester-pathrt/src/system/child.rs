//! What the server of interventions needs of the system: files, and children.

use core::arch::global_asm;

use super::{SystemResult, call, map, mapped, open, set_size};

const WRITE: usize = 1;
const POLL: usize = 7;
const SEEK: usize = 8;
const MMAP: usize = 9;
const READ_AT: usize = 17;
const DUPLICATE: usize = 33;
const FORK: usize = 57;
const EXIT_GROUP: usize = 231;
const WAIT: usize = 61;
const KILL: usize = 62;
const SET_SESSION: usize = 112;
const SET_PROCESS: usize = 157;
const SET_LIMIT: usize = 160;
const MEMORY_FILE: usize = 319;
const OPEN_PROCESS: usize = 434;

/// A path that ends with a zero.
fn terminated(path: &[u8]) -> Option<[u8; 4096]> {
    let mut text = [0; 4096];
    text.get_mut(..path.len())?.copy_from_slice(path);
    (path.len() < text.len()).then_some(text)
}

fn open_path(path: &[u8], flags: usize) -> SystemResult {
    const CLOSE_ON_EXEC: usize = 0o2_000_000;
    terminated(path).map_or(-1, |path| open(super::HERE, &path, flags | CLOSE_ON_EXEC))
}

/// The content of a file, which stays mapped.
pub fn content(path: &[u8]) -> Option<&'static [u8]> {
    let descriptor = open_path(path, 0) as i32;
    if descriptor < 0 {
        return None;
    }
    let size = call(SEEK, [descriptor as usize, 0, 2, 0, 0, 0]);
    let content = usize::try_from(size).ok().filter(|size| *size > 0);
    let content = content.and_then(|size| {
        const READ_ONLY: usize = 1;
        const PRIVATE: usize = 2;
        let arguments = [0, size, READ_ONLY, PRIVATE, descriptor as usize, 0];
        let place = mapped(call(MMAP, arguments))?;
        // SAFETY: so many bytes were mapped, and stay so.
        Some(unsafe { core::slice::from_raw_parts(place, size) })
    });
    super::close(descriptor);
    content
}

/// Opens a file to write at its end, and makes it if there is none.
pub fn open_for_appending(path: &[u8]) -> SystemResult {
    const WRITE_CREATE_APPEND: usize = 0o1 | 0o100 | 0o2000;
    open_path(path, WRITE_CREATE_APPEND)
}

/// Adds a byte to a file. Returns how many it has then.
pub fn append_byte(path: &[u8]) -> Option<u64> {
    let descriptor = open_for_appending(path) as i32;
    if descriptor < 0 {
        return None;
    }
    write_all(descriptor, b".");
    let count = position(descriptor);
    super::close(descriptor);
    count
}

/// Writes all bytes.
pub fn write_all(descriptor: i32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let arguments = [
            descriptor as usize,
            bytes.as_ptr() as usize,
            bytes.len(),
            0,
            0,
            0,
        ];
        match call(WRITE, arguments) {
            written @ 1.. => bytes = &bytes[written as usize..],
            -4 => {}
            _ => return,
        }
    }
}

/// Reads bytes at an offset of a file; 0 at its end.
pub fn read_at(descriptor: i32, buffer: &mut [u8], place: u64) -> usize {
    let arguments = [
        descriptor as usize,
        buffer.as_mut_ptr() as usize,
        buffer.len(),
        place as usize,
        0,
        0,
    ];
    call(READ_AT, arguments).max(0) as usize
}

/// Where a descriptor is in its file, if it is one that has places.
pub fn position(descriptor: i32) -> Option<u64> {
    let position = call(SEEK, [descriptor as usize, 0, 1, 0, 0, 0]);
    u64::try_from(position).ok()
}

/// Goes to a place of a file.
pub fn seek(descriptor: i32, place: u64) {
    call(SEEK, [descriptor as usize, place as usize, 0, 0, 0, 0]);
}

/// A file that is in memory only.
pub fn memory_file() -> i32 {
    const CLOSE_ON_EXEC: usize = 1;
    let name = c"yester".as_ptr() as usize;
    call(MEMORY_FILE, [name, CLOSE_ON_EXEC, 0, 0, 0, 0]) as i32
}

/// Memory that this process shares with its children.
pub fn map_shared_memory(bytes: usize) -> Option<*mut u8> {
    let descriptor = memory_file();
    let is_sized = set_size(descriptor, bytes) == 0;
    let place = is_sized
        .then(|| map(descriptor, bytes, core::ptr::null_mut()))
        .flatten();
    super::close(descriptor);
    place
}

// The C library keeps the number of the thread, and has to learn the new one. A program without it has nothing to keep.
global_asm!(
    ".section .data.rel.__yester_fork,\"aw\",@progbits",
    ".p2align 3",
    ".globl __yester_fork",
    ".hidden __yester_fork",
    ".weak _Fork",
    "__yester_fork:",
    ".quad _Fork",
    ".text",
);

unsafe extern "C" {
    static __yester_fork: usize;
}

/// Makes a child that goes on here. Returns 0 in it, and its number in the parent.
pub fn fork() -> SystemResult {
    // SAFETY: if the function is there, it has this type.
    unsafe {
        match __yester_fork {
            0 => call(FORK, [0; 6]),
            function => {
                let function: extern "C" fn() -> i32 = core::mem::transmute(function);
                function() as isize
            }
        }
    }
}

/// Waits until a child has ended, so many milliseconds at most, and ends whatever is left of its group. Says how it ended, and whether
/// it was late.
pub fn wait_for(child: i32, patience: u64) -> (u64, bool) {
    let descriptor = call(OPEN_PROCESS, [child as usize, 0, 0, 0, 0, 0]);
    let mut is_late = false;
    if descriptor >= 0 {
        const READABLE: u64 = 1;
        let mut polled = descriptor as u64 & 0xFFFF_FFFF | READABLE << 32;
        let place = (&raw mut polled) as usize;
        let patience = patience.min(i32::MAX as u64) as usize;
        loop {
            match call(POLL, [place, 1, patience, 0, 0, 0]) {
                0 => is_late = true,
                -4 => continue,
                _ => {}
            }
            break;
        }
        super::close(descriptor as i32);
    }
    let group = -(child as isize) as usize;
    if is_late {
        call(KILL, [child as usize, 9, 0, 0, 0, 0]);
    }
    let mut status = 0_u32;
    let place = (&raw mut status) as usize;
    while call(WAIT, [child as usize, place, 0, 0, 0, 0]) == -4 {}
    call(KILL, [group, 9, 0, 0, 0, 0]);
    (status.into(), is_late)
}

/// Orphans of this process's children become its own children.
pub fn adopt_orphans() {
    const SET_SUBREAPER: usize = 36;
    call(SET_PROCESS, [SET_SUBREAPER, 1, 0, 0, 0, 0]);
}

/// Takes in whatever has ended, so that its number is free again. Waits so many milliseconds before.
pub fn reap_others(milliseconds: usize) {
    const NO_WAIT: usize = 1;
    if milliseconds > 0 {
        call(POLL, [0, 0, milliseconds, 0, 0, 0]);
    }
    while call(WAIT, [usize::MAX, 0, NO_WAIT, 0, 0, 0]) > 0 {}
}

/// This process leads a group of its own, with whatever it starts.
pub fn lead_group() {
    call(SET_SESSION, [0; 6]);
}

/// This process ends when its parent does.
pub fn die_with_parent() {
    const SIGNAL_AT_PARENTS_DEATH: usize = 1;
    call(SET_PROCESS, [SIGNAL_AT_PARENTS_DEATH, 9, 0, 0, 0, 0]);
}

/// Limits the size of every file that is written, and leaves no images of crashes.
pub fn limit_files(bytes: u64) {
    const LIMIT_CORE: usize = 4;
    for (resource, limit) in [(super::LIMIT_FILE, bytes), (LIMIT_CORE, 0)] {
        let limits = [limit, limit];
        let place = limits.as_ptr() as usize;
        call(SET_LIMIT, [resource, place, 0, 0, 0, 0]);
    }
}

/// Makes a descriptor another one too.
pub fn duplicate_to(descriptor: i32, target: i32) {
    call(
        DUPLICATE,
        [descriptor as usize, target as usize, 0, 0, 0, 0],
    );
}

/// The signal that ends a run which has taken too many branches.
pub const SIGNAL_LIMIT: i32 = 24;

/// Ends this process by a signal, whatever the program does at signals.
pub fn end_by_signal(signal: i32) -> ! {
    const SET_ACTION: usize = 13;
    let default = [0_u64; 4];
    let place = default.as_ptr() as usize;
    call(SET_ACTION, [signal as usize, place, 0, 8, 0, 0]);
    call(
        KILL,
        [super::process() as usize, signal as usize, 0, 0, 0, 0],
    );
    exit(125)
}

/// Ends this process at once.
pub fn exit(status: i32) -> ! {
    loop {
        call(EXIT_GROUP, [status as usize, 0, 0, 0, 0, 0]);
    }
}
