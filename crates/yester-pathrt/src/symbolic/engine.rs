//! All that the symbolic half knows, and the lock around it.

use super::condition::Conditions;
use super::graph::Graph;
use super::input::{Inputs, MOST_SOURCES};
use super::memory::Region;
use super::model::file::Files;
use super::object::Objects;
use super::shadow::Shadow;
use crate::ground::Ground;
use crate::system;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

unsafe extern "C" {
    pub(super) fn __errno_location() -> *mut i32;
    fn malloc_usable_size(chunk: *const u8) -> usize;
}

/// The state of the symbolic half.
pub struct Engine {
    /// All expressions.
    pub graph: Graph,
    /// Those in memory.
    pub shadow: Shadow,
    /// What was decided.
    pub conditions: Conditions,
    /// What is symbolic at all.
    pub inputs: Inputs,
    /// What belongs together in memory.
    pub objects: Objects,
    /// How far open files were read.
    pub files: Files,
    /// Where the rest of the recording is.
    pub ground: Ground,
    losses: [u64; MOST_LOSSES],
    lost: usize,
}

/// More kinds of losses are not told apart from those that were recorded already.
const MOST_LOSSES: usize = 1024;

impl Engine {
    /// A new state over a recording.
    pub fn new(ground: Ground) -> Engine {
        let mut engine = Engine {
            graph: Graph::new(
                ground.head,
                Region::borrowed(ground.nodes, ground.most_nodes),
            ),
            shadow: Shadow::new(),
            conditions: Conditions::new(
                ground.head,
                Region::borrowed(ground.constraints, ground.most_constraints),
            ),
            inputs: Inputs::new(
                ground.head,
                Region::borrowed(ground.input, ground.most_input),
                ground.sources,
            ),
            objects: Objects::new(chunk_size),
            files: Files::new(),
            ground,
            losses: [0; MOST_LOSSES],
            lost: 0,
        };
        for source in 0..engine.inputs.count.min(MOST_SOURCES) {
            engine.identify(source);
        }
        engine
    }

    /// Records a loss of precision, each one once, with the event before which it was first seen.
    pub fn lose(&mut self, what: &[&[u8]]) {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        for byte in what.iter().flat_map(|piece| piece.iter()) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        }
        if self.losses[..self.lost].contains(&hash) || self.lost == MOST_LOSSES {
            return;
        }
        self.losses[self.lost] = hash;
        self.lost += 1;
        let mut text = [0; 256];
        let mut length = 0;
        for byte in what.iter().flat_map(|piece| piece.iter()) {
            if length < text.len() {
                text[length] = *byte;
                length += 1;
            }
        }
        let (stream, offset) = (self.ground.position)();
        let mut place = [0; 48];
        let mut end = write_text(&mut place, 0, b"event ");
        end = write_number(&mut place, end, offset);
        if stream != 0 {
            end = write_text(&mut place, end, b" of stream ");
            end = write_number(&mut place, end, u64::from(stream));
        }
        (self.ground.lost)(&text[..length], &place[..end]);
    }

    /// A node for a value of the program: the one that it has, or a constant.
    pub fn operand(&mut self, node: u32, width: u32, value: u64) -> u32 {
        if node == 0 {
            self.graph.constant(width, value)
        } else {
            node
        }
    }

    /// What instrumented code gets to see of a result: nothing if it is a constant, nothing if it is wrong.
    pub fn result(&mut self, node: u32, value: u64) -> u32 {
        if node == 0 {
            if self.graph.full {
                self.lose(&[b"more expressions than fit, everything after is concrete"]);
            }
            return 0;
        }
        if self.graph.is_constant(node) {
            return 0;
        }
        if self.graph.value(node) != super::value::truncate(value, self.graph.width(node)) {
            self.lose(&[b"an operation whose result is not what SMT-LIB says"]);
            return 0;
        }
        node
    }
}

fn chunk_size(start: u64) -> u64 {
    // SAFETY: only asked for chunks that were given out and not given back.
    unsafe { malloc_usable_size(start as *const u8) as u64 }
}

fn write_text(buffer: &mut [u8], at: usize, text: &[u8]) -> usize {
    buffer[at..at + text.len()].copy_from_slice(text);
    at + text.len()
}

fn write_number(buffer: &mut [u8], at: usize, number: u64) -> usize {
    let mut digits = [0; 20];
    let mut count = 0;
    let mut rest = number;
    loop {
        digits[count] = b'0' + (rest % 10) as u8;
        count += 1;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    for index in 0..count {
        buffer[at + index] = digits[count - 1 - index];
    }
    at + count
}

struct Place(UnsafeCell<MaybeUninit<Engine>>);
// SAFETY: whoever looks inside holds the lock.
unsafe impl Sync for Place {}

static PLACE: Place = Place(UnsafeCell::new(MaybeUninit::uninit()));
static ACTIVE: AtomicBool = AtomicBool::new(false);
/// Which thread is inside, by the address of its control block; 0 for none.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// Starts the symbolic half.
pub fn begin(ground: Ground) {
    fn sparse<T>(start: *mut T, count: usize) {
        system::read_no_further(start.cast(), count * size_of::<T>());
    }
    sparse(ground.nodes, ground.most_nodes);
    sparse(ground.constraints, ground.most_constraints);
    sparse(ground.input, ground.most_input);
    // SAFETY: called once, before anything is active.
    unsafe { (*PLACE.0.get()).write(Engine::new(ground)) };
    ACTIVE.store(true, Ordering::Release);
}

/// In the child of a fork: whoever was inside is not there any more.
pub fn forked() {
    INSIDE.store(0, Ordering::Release);
}

/// Whether anything is symbolic in this process.
#[inline]
pub fn is_active() -> bool {
    ACTIVE.load(Ordering::Acquire)
}

/// The state, as long as it is held. `errno` is as before afterwards.
pub struct Inside {
    engine: *mut Engine,
    error: i32,
}

/// Waits for the state. None when nothing is symbolic, and in a handler of a signal that came while this thread was inside.
#[inline]
pub fn enter() -> Option<Inside> {
    if !is_active() {
        return None;
    }
    let thread = super::call::thread();
    if INSIDE.load(Ordering::Relaxed) == thread {
        return None;
    }
    while INSIDE
        .compare_exchange_weak(0, thread, Ordering::Acquire, Ordering::Relaxed)
        .is_err()
    {
        core::hint::spin_loop();
    }
    // SAFETY: active means written, and every thread has its own errno.
    unsafe {
        Some(Inside {
            engine: (*PLACE.0.get()).as_mut_ptr(),
            error: *__errno_location(),
        })
    }
}

impl Deref for Inside {
    type Target = Engine;
    fn deref(&self) -> &Engine {
        // SAFETY: the lock is held.
        unsafe { &*self.engine }
    }
}

impl DerefMut for Inside {
    fn deref_mut(&mut self) -> &mut Engine {
        // SAFETY: the lock is held.
        unsafe { &mut *self.engine }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        // SAFETY: as in `enter`.
        unsafe { *__errno_location() = self.error }
        INSIDE.store(0, Ordering::Release);
    }
}
