//! The hash of strings in C++: `std::_Hash_bytes` of libstdc++, which is Murmur's 64-bit hash. The runtime cannot call the library's,
//! since programs in C have none.

use super::super::engine::Engine;
use super::super::memory;
use super::start;
use crate::format::Operation;
use core::ffi::c_void;

const FACTOR: u64 = 0xC6A4_A793_5BD1_E995;
const SHIFT: u64 = 47;
/// The hash of more bytes is not followed.
const MOST_HASHED: u64 = 64;

fn mixed(value: u64) -> u64 {
    value ^ value >> SHIFT
}

/// The bytes of the hash's words: eight each, and fewer at the end.
fn words(start: u64, size: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..size)
        .step_by(8)
        .map(move |offset| (start + offset, (size - offset).min(8)))
}

fn hash(start: u64, size: u64, seed: u64) -> u64 {
    let mut hash = seed ^ size.wrapping_mul(FACTOR);
    for (place, count) in words(start, size) {
        let word = memory::value(place, count as usize);
        let word = match count {
            8 => mixed(word.wrapping_mul(FACTOR)).wrapping_mul(FACTOR),
            _ => word,
        };
        hash = (hash ^ word).wrapping_mul(FACTOR);
    }
    mixed(mixed(hash).wrapping_mul(FACTOR))
}

impl Engine {
    fn times_factor(&mut self, node: u32) -> u32 {
        let factor = self.graph.constant(64, FACTOR);
        self.graph.binary(Operation::Multiply, node, factor)
    }

    fn mixed(&mut self, node: u32) -> u32 {
        let shift = self.graph.constant(64, SHIFT);
        let high = self.graph.binary(Operation::ShiftRightLogical, node, shift);
        self.graph.binary(Operation::ExclusiveOr, node, high)
    }

    fn hash_node(&mut self, start: u64, size: u64, seed: u64) -> u32 {
        let mut node = self.graph.constant(64, seed ^ size.wrapping_mul(FACTOR));
        for (place, count) in words(start, size) {
            let mut word = self.byte(place);
            for index in 1..count {
                let byte = self.byte(place + index);
                word = self.graph.concatenate(byte, word);
            }
            word = self.graph.extend(Operation::ZeroExtend, word, 64);
            if count == 8 {
                word = self.times_factor(word);
                word = self.mixed(word);
                word = self.times_factor(word);
            }
            node = self.graph.binary(Operation::ExclusiveOr, node, word);
            node = self.times_factor(node);
        }
        node = self.mixed(node);
        node = self.times_factor(node);
        self.mixed(node)
    }
}

models! {
    /// `std::_Hash_bytes(void const*, unsigned long, unsigned long)`.
    fn __yester_model__ZSt11_Hash_bytesPKvmm(from: *const c_void, size: usize, seed: usize) -> usize {
        let callee = __yester_model__ZSt11_Hash_bytesPKvmm as *const () as usize;
        let (from, size, seed) = (from as u64, size as u64, seed as u64);
        let result = hash(from, size, seed);
        if let Some((mut engine, nodes)) = start(callee, [(from, 64), (size, 64), (seed, 64)]) {
            engine.concretise_all(&nodes);
            if size > 0 && engine.is_symbolic(from, size - 1) {
                if size > MOST_HASHED {
                    engine.lose(&[b"the hash of a long string"]);
                } else {
                    let node = engine.hash_node(from, size, seed);
                    engine.give(callee as u64, node, result);
                }
            }
        }
        result as usize
    }
}
