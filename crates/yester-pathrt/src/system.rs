//! System calls, without libc: it would set `errno`, and a program may have its own `write` or `open`.

mod child;
mod shield;

use core::arch::asm;

pub use child::*;
pub use shield::shield;

/// The result of a system call; negative numbers are errors.
pub type SystemResult = isize;

/// The error `EEXIST`.
pub const EXISTS: SystemResult = -17;

const WRITE: usize = 1;
const CLOSE: usize = 3;
const FSTAT: usize = 5;
const MMAP: usize = 9;
const PWRITE: usize = 18;
const MADVISE: usize = 28;
const GETPID: usize = 39;
const FCNTL: usize = 72;
const FTRUNCATE: usize = 77;
const GETCWD: usize = 79;
const GETRLIMIT: usize = 97;
const SETRLIMIT: usize = 160;
const EXIT_GROUP: usize = 231;
const OPENAT: usize = 257;
const MKDIRAT: usize = 258;
const KILL: usize = 62;

#[inline]
fn call(number: usize, arguments: [usize; 6]) -> SystemResult {
    let answer: isize;
    // SAFETY: every caller below passes what the kernel expects for this number.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => answer,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer
}

/// The current directory, for [`open`] and [`make_directory`].
pub const HERE: i32 = -100;

/// Makes a directory below `directory`. `path` ends with a zero byte.
pub fn make_directory(directory: i32, path: &[u8]) -> SystemResult {
    debug_assert_eq!(path.last(), Some(&0));
    call(
        MKDIRAT,
        [
            directory as isize as usize,
            path.as_ptr() as usize,
            0o777,
            0,
            0,
            0,
        ],
    )
}

/// Opens a directory, to refer to it only.
pub fn open_directory(directory: i32, path: &[u8]) -> SystemResult {
    const PATH: usize = 0o10_000_000;
    const DIRECTORY: usize = 0o200_000;
    const CLOSE_ON_EXEC: usize = 0o2_000_000;
    open(directory, path, PATH | DIRECTORY | CLOSE_ON_EXEC)
}

/// Makes a file, which must not exist, for reading and writing.
pub fn make_file(directory: i32, path: &[u8]) -> SystemResult {
    const READ_WRITE_CREATE_EXCLUSIVE_CLOSE: usize = 0o2 | 0o100 | 0o200 | 0o2_000_000;
    open(directory, path, READ_WRITE_CREATE_EXCLUSIVE_CLOSE)
}

fn open(directory: i32, path: &[u8], flags: usize) -> SystemResult {
    debug_assert_eq!(path.last(), Some(&0));
    call(
        OPENAT,
        [
            directory as isize as usize,
            path.as_ptr() as usize,
            flags,
            0o666,
            0,
            0,
        ],
    )
}

/// Closes a descriptor.
pub fn close(descriptor: i32) {
    call(CLOSE, [descriptor as usize, 0, 0, 0, 0, 0]);
}

/// Moves a descriptor to a high number, which programs do not expect to get.
pub fn move_up(descriptor: i32) -> i32 {
    const DUPLICATE_CLOSE_ON_EXEC: usize = 1030;
    let most = limit(LIMIT_DESCRIPTORS).min(1 << 16);
    let wanted = most.saturating_sub(24) as usize;
    let moved = call(
        FCNTL,
        [
            descriptor as usize,
            DUPLICATE_CLOSE_ON_EXEC,
            wanted,
            0,
            0,
            0,
        ],
    );
    if moved < 0 {
        return descriptor;
    }
    close(descriptor);
    moved as i32
}

/// The device and inode of a descriptor's file.
pub fn identity(descriptor: i32) -> Option<(u64, u64)> {
    let mut status = [0_u64; 18];
    let answer = call(
        FSTAT,
        [
            descriptor as isize as usize,
            status.as_mut_ptr() as usize,
            0,
            0,
            0,
            0,
        ],
    );
    (answer == 0).then_some((status[0], status[1]))
}

/// Resource: the size of a file.
pub const LIMIT_FILE: usize = 1;
/// Resource: open descriptors.
pub const LIMIT_DESCRIPTORS: usize = 7;

/// How much of a resource the process may use.
pub fn limit(resource: usize) -> u64 {
    let mut limits = [u64::MAX; 2];
    call(
        GETRLIMIT,
        [resource, limits.as_mut_ptr() as usize, 0, 0, 0, 0],
    );
    limits[0]
}

/// Allows the program a stack of up to four times the size, if the system does. Instrumented functions take more of it.
pub fn allow_bigger_stack() {
    const LIMIT_STACK: usize = 3;
    // The kernel leaves at least twice as much room below the stack, whatever the limit was when the program started.
    const MOST: u64 = 64 << 20;
    let mut limits = [u64::MAX; 2];
    let place = limits.as_mut_ptr() as usize;
    call(GETRLIMIT, [LIMIT_STACK, place, 0, 0, 0, 0]);
    let wanted = limits[0].saturating_mul(4).min(MOST).min(limits[1]);
    if wanted > limits[0] {
        limits[0] = wanted;
        let place = limits.as_ptr() as usize;
        call(SETRLIMIT, [LIMIT_STACK, place, 0, 0, 0, 0]);
    }
}

/// Sets the size of a file.
pub fn set_size(descriptor: i32, bytes: usize) -> SystemResult {
    call(FTRUNCATE, [descriptor as usize, bytes, 0, 0, 0, 0])
}

/// Writes all bytes at an offset of a file.
pub fn write_at(descriptor: i32, mut bytes: &[u8], mut place: usize) -> bool {
    while !bytes.is_empty() {
        let written = call(
            PWRITE,
            [
                descriptor as usize,
                bytes.as_ptr() as usize,
                bytes.len(),
                place,
                0,
                0,
            ],
        );
        match written {
            1.. => {
                bytes = &bytes[written as usize..];
                place += written as usize;
            }
            -4 => {}
            _ => return false,
        }
    }
    true
}

/// Writes to standard error.
pub fn complain(text: &[u8]) {
    call(WRITE, [2, text.as_ptr() as usize, text.len(), 0, 0, 0]);
}

const READ_WRITE: usize = 3;
const SHARED: usize = 0x01;
const PRIVATE: usize = 0x02;
const FIXED: usize = 0x10;
const ANONYMOUS: usize = 0x20;
const NO_RESERVE: usize = 0x4000;

/// Maps a file, shared. If `place` is not null, the mapping replaces whatever is there.
pub fn map(descriptor: i32, bytes: usize, place: *mut u8) -> Option<*mut u8> {
    let fixed = if place.is_null() { 0 } else { FIXED };
    mapped(call(
        MMAP,
        [
            place as usize,
            bytes,
            READ_WRITE,
            SHARED | NO_RESERVE | fixed,
            descriptor as usize,
            0,
        ],
    ))
}

/// Maps new, zeroed memory.
pub fn map_memory(bytes: usize) -> Option<*mut u8> {
    let flags = PRIVATE | ANONYMOUS | NO_RESERVE;
    mapped(call(MMAP, [0, bytes, READ_WRITE, flags, usize::MAX, 0]))
}

/// Moves a mapping, and replaces whatever is at its new place.
pub fn move_mapping(from: *mut u8, bytes: usize, to: *mut u8) {
    const MREMAP: usize = 25;
    const MAY_MOVE_FIXED: usize = 3;
    call(
        MREMAP,
        [from as usize, bytes, bytes, MAY_MOVE_FIXED, to as usize, 0],
    );
}

fn mapped(answer: SystemResult) -> Option<*mut u8> {
    (!(-4095..0).contains(&answer)).then_some(answer as *mut u8)
}

/// Faults in pages at once, which is cheaper than one by one. Returns false if the disk is full, so that writing there would kill
/// the program. On kernels without this call it returns true.
pub fn populate(place: *mut u8, bytes: usize) -> bool {
    const FOR_WRITING: usize = 23;
    const INVALID: SystemResult = -22;
    let start = place as usize & !4095;
    let end = (place as usize + bytes + 4095) & !4095;
    let answer = call(MADVISE, [start, end - start, FOR_WRITING, 0, 0, 0]);
    answer == 0 || answer == INVALID
}

/// Asks for small pages: for sparse memory, clearing huge pages costs more than everything else.
pub fn keep_pages_small(place: *mut u8, bytes: usize) {
    const NO_HUGE_PAGES: usize = 15;
    call(MADVISE, [place as usize, bytes, NO_HUGE_PAGES, 0, 0, 0]);
}

/// Asks not to read ahead in a mapped file: the rest of it is holes, and filling them takes time.
pub fn read_no_further(place: *mut u8, bytes: usize) {
    const RANDOM: usize = 1;
    call(MADVISE, [place as usize, bytes, RANDOM, 0, 0, 0]);
}

/// The number of this process.
pub fn process() -> u32 {
    call(GETPID, [0; 6]) as u32
}

/// Whether this is a setuid or setgid program.
pub fn privileged() -> bool {
    let [user, group, acting_user, acting_group] =
        [102, 104, 107, 108].map(|number| call(number, [0; 6]));
    user != acting_user || group != acting_group
}

/// Writes the path of the current directory and a zero; returns how many bytes these are.
pub fn current_directory(path: &mut [u8]) -> usize {
    let answer = call(GETCWD, [path.as_mut_ptr() as usize, path.len(), 0, 0, 0, 0]);
    usize::try_from(answer).unwrap_or(0)
}

/// Aborts the program after a bug in the runtime.
pub fn stop() -> ! {
    complain(b"yester: internal error in the runtime of an instrumented program\n");
    loop {
        call(KILL, [process() as usize, 6, 0, 0, 0, 0]);
        call(EXIT_GROUP, [134, 0, 0, 0, 0, 0]);
    }
}
