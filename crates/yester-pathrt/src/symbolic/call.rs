//! Passes nodes along with calls: through a thread-local block, together with the address of the function that they are
//! for. Code that is not instrumented does not touch the block, and one function never takes nodes that were meant for another.

use super::engine::Engine;
use crate::format::{NO_STREAM, OriginRecord};
use core::arch::{asm, global_asm};

/// How many parameters can have nodes. `yester-cc` has the same limit.
pub const MOST_PARAMETERS: usize = 64;
/// How many parts of a result can have nodes. `yester-cc` has the same limit.
pub const MOST_RESULTS: usize = 4;

/// The block `__yester_call`. Instrumented code knows its layout.
#[repr(C)]
pub struct CallBlock {
    /// The function that `parameters` are for, 0 if they are for none.
    pub callee: u64,
    /// The function that `results` are from.
    pub returned: u64,
    /// Nodes of the parts of the result; the first is 0 unless set by an instrumented function.
    pub results: [u32; MOST_RESULTS],
    /// Nodes of the parameters.
    pub parameters: [u32; MOST_PARAMETERS],
    /// The addresses of arguments that are passed by copying memory (`byval`).
    pub originals: [u64; MOST_PARAMETERS],
    /// The place in the source that the program is at, as far as the runtime has to know it.
    pub place: u32,
    /// The class of that place; with [`OUTER`], it is the place that a function of a system header was called from.
    pub class: u32,
    /// Functions that did not take what was passed to them, and called back into the program.
    unknown: [u64; MOST_UNKNOWN],
    /// Where the next one goes.
    next_unknown: u64,
    /// The place and the class of the last call from the program's own code into code of system headers, with [`OUTER`]. Functions
    /// of those headers copy it to `place` before they write.
    outer: u64,
}

const _: () = assert!(size_of::<CallBlock>() == 952);

/// Marks a class in `CallBlock::class`. `yester-cc` knows it.
const OUTER: u32 = 1 << 31;

/// How many functions that are not instrumented and call back are remembered at once, one below the other.
const MOST_UNKNOWN: usize = 16;

impl CallBlock {
    /// Before nodes are passed to another function: if those for the last one are still there, it is not instrumented, and has
    /// called back.
    pub fn interrupt(&mut self) {
        // Models that follow none of their parameters leave theirs too, which does no harm.
        if self.callee != 0 && !self.unknown.contains(&self.callee) {
            self.unknown[self.next_unknown as usize % MOST_UNKNOWN] = self.callee;
            self.next_unknown = self.next_unknown.wrapping_add(1);
        }
        self.callee = 0;
    }

    /// Whether a function that has returned is not instrumented. It is asked once for each call.
    pub fn is_unknown(&mut self, callee: u64) -> bool {
        if self.callee == callee {
            self.callee = 0;
            return true;
        }
        match self.unknown.iter().position(|unknown| *unknown == callee) {
            Some(place) => {
                self.unknown[place] = 0;
                true
            }
            None => false,
        }
    }
}

global_asm!(
    ".section .tbss.__yester_call,\"awT\",@nobits",
    ".globl __yester_call",
    ".type __yester_call, @object",
    ".size __yester_call, 952",
    ".p2align 4",
    "__yester_call:",
    ".zero 952",
    ".text",
);

/// The block of this thread.
#[inline]
pub fn current() -> &'static mut CallBlock {
    let call: *mut CallBlock;
    // SAFETY: this computes the address of a thread-local variable in the initial-exec model; only this thread uses it, and
    // no two references live at the same time.
    unsafe {
        asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + __yester_call@GOTTPOFF]",
            out(reg) call,
            options(pure, nomem, nostack),
        );
        &mut *call
    }
}

/// Where this thread is, for what is made or written now.
pub fn here() -> OriginRecord {
    let (stream, event) = crate::stream::position();
    let call = current();
    OriginRecord {
        event,
        place: call.place,
        stream: u16::try_from(stream).unwrap_or(NO_STREAM),
        class: u16::try_from(call.class & !OUTER).unwrap_or(0),
    }
}

/// Whether the place of [`here`] is that of a call into system headers.
pub fn is_outer() -> bool {
    current().class & OUTER != 0
}

/// A number that identifies this thread.
#[inline]
pub fn thread() -> usize {
    let thread: usize;
    // SAFETY: the word at fs:0 is the address of the thread's control block.
    unsafe {
        asm!("mov {0}, qword ptr fs:[0]", out(reg) thread, options(pure, nomem, nostack));
    }
    thread
}

impl Engine {
    /// Nodes of the parameters of the function at `callee`, each checked against its value and width.
    pub fn take<const COUNT: usize>(
        &mut self,
        callee: u64,
        values: [(u64, u32); COUNT],
    ) -> [u32; COUNT] {
        let call = current();
        if call.callee != callee {
            return [0; COUNT];
        }
        call.callee = 0;
        let mut nodes = [0; COUNT];
        for (index, (value, width)) in values.into_iter().enumerate() {
            nodes[index] = self.checked(call.parameters[index], value, width);
        }
        nodes
    }

    /// The node if it has this value and width; otherwise 0, and a loss is recorded. Without a prototype a pointer may be taken as
    /// an `int`, which is its lower half.
    pub fn checked(&mut self, node: u32, value: u64, width: u32) -> u32 {
        if node == 0 {
            return 0;
        }
        let node = if self.graph.width(node) > width {
            self.graph.extract(node, 0, width)
        } else {
            self.resolved(node)
        };
        if node == 0 || self.graph.is_constant(node) {
            return 0;
        }
        if self.graph.width(node) != width
            || self.graph.value(node) != super::value::truncate(value, width)
        {
            self.lose(&[b"a value that was passed on in a way that is not known"]);
            return 0;
        }
        node
    }

    /// Gives the result of the function at `callee` a node.
    pub fn give(&mut self, callee: u64, node: u32, value: u64) {
        let node = self.result(node, value);
        let call = current();
        call.results[0] = node;
        call.returned = callee;
    }
}
