//! The state of the symbolic half, and its lock.

use super::condition::Conditions;
use super::graph::NodeGraph;
use super::input::{Inputs, MOST_SOURCES};
use super::memory::Region;
use super::model::file::OpenStreams;
use super::model::length::Lengths;
use super::model::round::RoundTrips;
use super::object::ObjectTable;
use super::output::Outputs;
use super::shadow::Shadow;
use crate::format::Operation;
use crate::symbolic_output::SymbolicOutput;
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
    /// The expressions.
    pub graph: NodeGraph,
    /// The shadow of memory.
    pub shadow: Shadow,
    /// The recorded conditions.
    pub conditions: Conditions,
    /// The symbolic input.
    pub inputs: Inputs,
    /// The known objects in memory.
    pub objects: ObjectTable,
    /// How far open files were read.
    pub files: OpenStreams,
    /// How long the sources are.
    pub lengths: Lengths,
    /// What the program writes and may read again.
    pub round_trips: RoundTrips,
    /// What the program wrote.
    pub outputs: Outputs,
    /// While what a text looks like is supposed rather than assumed: the conditions so far, a node or 0.
    pub supposed: Option<u32>,
    /// Where the rest of the recording is.
    pub symbolic_output: SymbolicOutput,
    losses: [u64; MOST_LOSSES],
    lost: usize,
}

/// The most different losses that are recorded.
const MOST_LOSSES: usize = 1024;

impl Engine {
    /// The state at the start of a recording.
    pub fn new(symbolic_output: SymbolicOutput) -> Engine {
        let mut engine = Engine {
            graph: NodeGraph::new(
                symbolic_output.head,
                Region::borrowed(symbolic_output.nodes, symbolic_output.most_nodes),
                Region::borrowed(symbolic_output.origins, symbolic_output.most_origins),
                super::call::here,
            ),
            shadow: Shadow::new(),
            conditions: Conditions::new(
                symbolic_output.head,
                Region::borrowed(
                    symbolic_output.constraints,
                    symbolic_output.most_constraints,
                ),
            ),
            inputs: Inputs::new(
                symbolic_output.head,
                Region::borrowed(symbolic_output.input, symbolic_output.most_input),
                symbolic_output.sources,
            ),
            objects: ObjectTable::new(chunk_size),
            files: OpenStreams::new(),
            lengths: Lengths::new(),
            round_trips: RoundTrips::new(),
            outputs: Outputs::new(&symbolic_output),
            supposed: None,
            symbolic_output,
            losses: [0; MOST_LOSSES],
            lost: 0,
        };
        for source in 0..engine.inputs.count.min(MOST_SOURCES) {
            engine.identify(source);
        }
        engine
    }

    /// Records a loss of precision once, with the event before which it first happened.
    pub fn lose(&mut self, what: &[&[u8]]) {
        if self.supposed.is_some() {
            // Nothing that the program computes with is lost, only a part of what is told about its output.
            return;
        }
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
        let (stream, offset) = (self.symbolic_output.position)();
        let mut place = [0; 48];
        let mut end = write_text(&mut place, 0, b"event ");
        end = write_number(&mut place, end, offset);
        if stream != 0 {
            end = write_text(&mut place, end, b" of stream ");
            end = write_number(&mut place, end, u64::from(stream));
        }
        (self.symbolic_output.lost)(&text[..length], &place[..end]);
    }

    /// The node of a value, or a constant if it has none.
    pub fn operand(&mut self, node: u32, width: u32, value: u64) -> u32 {
        if node == 0 {
            self.graph.constant(width, value)
        } else {
            self.resolved(node)
        }
    }

    /// The same value without choices that the program has branched on: a character is a byte as soon as the program knows that it
    /// is not the end. What was only assumed stays: nobody may conclude that it cannot be otherwise.
    pub fn resolved(&mut self, node: u32) -> u32 {
        let choice = self.graph.node(node);
        if choice.operation != Operation::Choose as u8 {
            return node;
        }
        if self.graph.value(choice.a) == 1 {
            return if self.graph.is_decided(choice.a) {
                choice.b
            } else {
                node
            };
        }
        let otherwise = self.graph.not(choice.a);
        if otherwise != 0 && self.graph.is_decided(otherwise) {
            choice.c
        } else {
            node
        }
    }

    /// The same; 0 if nothing is left to depend on the input.
    pub fn undecided(&mut self, node: u32) -> u32 {
        match self.resolved(node) {
            node if self.graph.is_constant(node) => 0,
            node => node,
        }
    }

    /// The node that instrumented code gets for a result: 0 if it is constant or wrong.
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

struct EngineCell(UnsafeCell<MaybeUninit<Engine>>);
// SAFETY: whoever looks inside holds the lock.
unsafe impl Sync for EngineCell {}

static ENGINE: EngineCell = EngineCell(UnsafeCell::new(MaybeUninit::uninit()));
static ACTIVE: AtomicBool = AtomicBool::new(false);
/// Whether output is recorded though nothing is symbolic.
static WRITING: AtomicBool = AtomicBool::new(false);
/// The thread that holds the state, by the address of its control block; 0 for none.
static HOLDER: AtomicUsize = AtomicUsize::new(0);

/// Starts the symbolic half.
pub fn begin(symbolic_output: SymbolicOutput) {
    fn sparse<T>(start: *mut T, count: usize) {
        system::read_no_further(start.cast(), count * size_of::<T>());
    }
    sparse(symbolic_output.nodes, symbolic_output.most_nodes);
    sparse(
        symbolic_output.constraints,
        symbolic_output.most_constraints,
    );
    sparse(symbolic_output.input, symbolic_output.most_input);
    sparse(symbolic_output.origins, symbolic_output.most_origins);
    sparse(symbolic_output.output, symbolic_output.most_output);
    sparse(
        symbolic_output.written_nodes,
        symbolic_output.most_written_nodes,
    );
    // SAFETY: called once, before anything is active.
    unsafe { (*ENGINE.0.get()).write(Engine::new(symbolic_output)) };
    ACTIVE.store(true, Ordering::Release);
}

/// Starts the symbolic half only for what the program writes: nothing is followed.
pub fn begin_output(symbolic_output: SymbolicOutput) {
    begin(symbolic_output);
    WRITING.store(true, Ordering::Release);
    ACTIVE.store(false, Ordering::Release);
}

/// In the child of a fork: the thread that held the state does not exist there.
pub fn forked() {
    HOLDER.store(0, Ordering::Release);
}

/// Whether anything is symbolic in this process.
#[inline]
pub fn is_active() -> bool {
    ACTIVE.load(Ordering::Acquire)
}

/// Access to the state. Dropping it releases the lock and restores `errno`.
pub struct EngineGuard {
    engine: *mut Engine,
    error: i32,
}

/// Waits for the state. None if nothing is symbolic, or in a signal handler that interrupted a holder of the state.
#[inline]
pub fn enter() -> Option<EngineGuard> {
    if !is_active() {
        return None;
    }
    hold()
}

/// Whether what the program writes is recorded.
#[inline]
pub fn records_output() -> bool {
    is_active() || WRITING.load(Ordering::Acquire)
}

/// Like [`enter`], also if nothing is symbolic but output is recorded.
#[inline]
pub fn enter_for_output() -> Option<EngineGuard> {
    if !records_output() {
        return None;
    }
    hold()
}

fn hold() -> Option<EngineGuard> {
    let thread = super::call::thread();
    if HOLDER.load(Ordering::Relaxed) == thread {
        return None;
    }
    while HOLDER
        .compare_exchange_weak(0, thread, Ordering::Acquire, Ordering::Relaxed)
        .is_err()
    {
        core::hint::spin_loop();
    }
    // SAFETY: active means written, and every thread has its own errno.
    unsafe {
        Some(EngineGuard {
            engine: (*ENGINE.0.get()).as_mut_ptr(),
            error: *__errno_location(),
        })
    }
}

impl Deref for EngineGuard {
    type Target = Engine;
    fn deref(&self) -> &Engine {
        // SAFETY: the lock is held.
        unsafe { &*self.engine }
    }
}

impl DerefMut for EngineGuard {
    fn deref_mut(&mut self) -> &mut Engine {
        // SAFETY: the lock is held.
        unsafe { &mut *self.engine }
    }
}

impl Drop for EngineGuard {
    fn drop(&mut self) {
        // SAFETY: as in `enter`.
        unsafe { *__errno_location() = self.error }
        HOLDER.store(0, Ordering::Release);
    }
}
