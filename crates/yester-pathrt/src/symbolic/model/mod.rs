//! Models of library functions. Each has the signature of the function that it replaces and calls it. It describes the result as
//! an expression rather than by branches inside the library, so that the program's own branch gets the constraint.

/// Functions with the signature and the duties of those of the library, and exported names in a runtime.
macro_rules! models {
    ($($(#[$attribute:meta])* fn $name:ident($($parameter:ident: $kind:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => {$(
        $(#[$attribute])*
        ///
        /// # Safety
        /// As for the library function.
        #[cfg_attr(yester_runtime, unsafe(no_mangle))]
        #[allow(non_snake_case, unused_unsafe)]
        pub unsafe extern "C" fn $name($($parameter: $kind),*) $(-> $result)? {
            // SAFETY: the caller promises what the function of the library needs, which is all that is called here.
            unsafe { $body }
        }
    )*};
}

pub mod argument;
pub mod character;
pub mod compare;
pub mod conversion;
pub mod decimal;
pub mod directive;
pub mod file;
pub mod hash;
pub mod heap;
pub mod length;
pub mod line;
pub mod memory;
pub mod number;
pub mod print;
pub mod printer;
pub mod read;
pub mod round;
pub mod scan;
pub mod scanner;
pub mod search;
pub mod seek;
pub mod sort;
pub mod text;
pub mod token;

use super::engine::{Engine, EngineGuard, enter};

/// Longer strings are not followed.
pub const MOST_TEXT: u64 = 4096;

/// Enters the state and takes the nodes of the parameters of the model at `callee`.
#[inline]
pub fn start<const COUNT: usize>(
    callee: usize,
    values: [(u64, u32); COUNT],
) -> Option<(EngineGuard, [u32; COUNT])> {
    let mut engine = enter()?;
    let nodes = engine.take(callee as u64, values);
    Some((engine, nodes))
}

/// The part of a string that matters: up to the first zero that is one in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringSpan {
    /// Its first byte.
    pub start: u64,
    /// How many bytes stand before that zero.
    pub length: u64,
}

impl Engine {
    /// One byte of memory as a node of eight bits.
    pub fn byte(&mut self, address: u64) -> u32 {
        let node = self.shadow.byte(&mut self.graph, address);
        self.resolved(node)
    }

    /// How far a string with `length` bytes before its zero may reach. If the zero depends on the input and none follows that
    /// does not, the zero is assumed. None for strings that are too long.
    pub fn text(&mut self, start: u64, length: u64) -> Option<StringSpan> {
        self.bounded_text(start, length, u64::MAX)
    }

    /// The same for a function that looks at no more than `limit` bytes, which bound the string as a zero does.
    pub fn bounded_text(&mut self, start: u64, length: u64, limit: u64) -> Option<StringSpan> {
        if length > MOST_TEXT {
            self.lose(&[b"a string longer than 4096 bytes"]);
            return None;
        }
        let zero = self.byte(start + length);
        if zero == 0 {
            return None;
        }
        if self.graph.is_constant(zero) {
            return Some(StringSpan { start, length });
        }
        // Without a known object the string goes on as far as there is anything to read.
        let reach = limit.min(length + MOST_TEXT / 8);
        let most = match self.objects.find(start) {
            Some(object) => reach.min(object.start + object.size - start),
            None => super::memory::readable(start, reach),
        };
        for longer in length + 1..most {
            let node = self.byte(start + longer);
            if self.graph.constant_value(node) == Some(0) {
                return Some(StringSpan {
                    start,
                    length: longer,
                });
            }
        }
        if most == limit {
            return Some(StringSpan {
                start,
                length: limit,
            });
        }
        self.lose(&[b"where a string ends, which no zero behind it bounds"]);
        self.concretise(zero);
        Some(StringSpan { start, length })
    }

    /// Whether any byte of a string, its zero included, depends on the input.
    pub fn is_symbolic(&self, start: u64, length: u64) -> bool {
        super::shadow::range_may_have(start, length + 1) && self.shadow.any(start, length + 1)
    }
}
