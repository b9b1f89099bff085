//! Loads at symbolic addresses: a choice over what the address may point to, if that is known and not much.

use super::engine::Engine;
use super::memory;
use super::object::Object;
use super::page::PAGE_BITS;
use super::value::{signed, truncate};
use crate::format::Operation;

/// The most entries of a choice.
pub const MOST_ENTRIES: usize = 256;
/// How many places a load chooses from if the object around its address is unknown.
const NEAR_ENTRIES: u64 = 64;
/// The most pointers of a choice (such as the result of `strchr`) that a load follows.
const MOST_POINTERS: u8 = 16;

/// One possible place: the value of the deciding expression, and the node that is loaded then (0 if outside).
#[derive(Clone, Copy)]
struct LoadEntry {
    key: u64,
    node: u32,
}

/// `offset + scale * x`, modulo 2^64, with x extended from its width.
struct Affine {
    node: u32,
    is_signed: bool,
    scale: u64,
    offset: u64,
}

/// Memory around an address that certainly exists: at most [`NEAR_ENTRIES`] strides, and in the same page.
fn near(address: u64, size: u64, stride: u64) -> Object {
    let page = address >> PAGE_BITS << PAGE_BITS;
    let reach = NEAR_ENTRIES / 2 * stride;
    let start = address.saturating_sub(reach).max(page);
    let end = (address + reach + size).min(page + (1 << PAGE_BITS));
    // An access may itself reach into the next page.
    let end = end.max(address + size);
    Object {
        start,
        size: end - start,
    }
}

impl Engine {
    /// The node of a value of `size` bytes that was loaded from `address`, which has the node `pointer`. `known` is the object
    /// if the compiler knew it.
    pub fn load_at(
        &mut self,
        address: u64,
        size: u64,
        concrete: u64,
        pointer: u32,
        known: Option<Object>,
    ) -> u32 {
        let object = known
            .filter(|object| object.holds(address, size))
            .or_else(|| self.objects.find(address))
            .filter(|object| object.holds(address, size));
        let affine = self.affine(pointer);
        let stride = affine.scale.max(1);
        // A load may choose from any readable memory, so without a known object take the neighbourhood in the same page.
        let object = object.unwrap_or_else(|| near(address, size, stride));
        if (2..=MOST_POINTERS).contains(&self.graph.leaves(pointer)) {
            let (node, inside) = self.through(pointer, size, object);
            self.assume(inside);
            return node;
        }
        if self.graph.width(affine.node) <= 8 {
            return self.by_index(&affine, size, object);
        }
        if object.size / stride > MOST_ENTRIES as u64 {
            return self.load_concretised(address, size, concrete, pointer);
        }
        if stride as i64 <= 0 {
            return self.load_concretised(address, size, concrete, pointer);
        }
        match self.by_wide_index(address, size, &affine, object) {
            0 => self.load_concretised(address, size, concrete, pointer),
            node => node,
        }
    }

    fn load_concretised(&mut self, address: u64, size: u64, concrete: u64, pointer: u32) -> u32 {
        self.lose(&[b"memory read at an address that depends on the input, address concretised"]);
        self.concretise(pointer);
        self.load_plain(address, size, concrete)
    }

    /// The node that the shadow has for a load; 0 if none.
    pub fn load_plain(&mut self, address: u64, size: u64, concrete: u64) -> u32 {
        let loaded = self.shadow.load(&mut self.graph, address, size, concrete);
        if loaded.stale {
            self.lose(&[b"memory that was written to by code that is not known"]);
        }
        self.undecided(loaded.node)
    }

    /// The current value at an address, as a node.
    fn content(&mut self, address: u64, size: u64) -> u32 {
        let concrete = memory::value(address, size as usize);
        // The program did not read this, so a stale shadow is not reported as a loss.
        let loaded = self.shadow.load(&mut self.graph, address, size, concrete);
        match loaded.node {
            0 => self.graph.constant(8 * size as u32, concrete),
            node => node,
        }
    }

    /// Follows a choice of constant pointers. Also returns the condition that the pointer is inside the object.
    fn through(&mut self, pointer: u32, size: u64, object: Object) -> (u32, u32) {
        if let Some(address) = self.graph.constant_value(pointer) {
            let inside = object.holds(address, size);
            let node = if inside {
                self.content(address, size)
            } else {
                self.graph.constant(8 * size as u32, 0)
            };
            let truth = self.graph.truth(inside);
            return (node, truth);
        }
        let parts = self.graph.node(pointer);
        let (first, first_inside) = self.through(parts.b, size, object);
        let (second, second_inside) = self.through(parts.c, size, object);
        (
            self.graph.choose(parts.a, first, second),
            self.graph.choose(parts.a, first_inside, second_inside),
        )
    }

    fn by_index(&mut self, affine: &Affine, size: u64, object: Object) -> u32 {
        let width = self.graph.width(affine.node);
        let mut entries = [LoadEntry { key: 0, node: 0 }; MOST_ENTRIES];
        let count = 1_usize << width;
        for (key, entry) in entries[..count].iter_mut().enumerate() {
            let index = if affine.is_signed {
                signed(key as u64, width) as u64
            } else {
                key as u64
            };
            let address = affine.offset.wrapping_add(affine.scale.wrapping_mul(index));
            entry.key = key as u64;
            if object.holds(address, size) {
                entry.node = self.content(address, size);
            }
        }
        self.decide(affine.node, &mut entries[..count], size)
    }

    /// Chooses by the index, assuming its sign in this run, so that the expression contains no address.
    fn by_wide_index(&mut self, address: u64, size: u64, affine: &Affine, object: Object) -> u32 {
        let width = self.graph.width(affine.node);
        let stride = affine.scale;
        let index_of = |place: u64| place.wrapping_sub(affine.offset) as i64 / stride as i64;
        let is_negative = index_of(address) < 0;
        let mut entries = [LoadEntry { key: 0, node: 0 }; MOST_ENTRIES];
        let mut count = 0;
        let mut place = object.start + (address - object.start) % stride;
        while count < MOST_ENTRIES && object.holds(place, size) {
            let index = index_of(place);
            let key = truncate(index as u64, width);
            let reachable = if affine.is_signed {
                signed(key, width) == index
            } else {
                key as i64 == index
            };
            if reachable && (index < 0) == is_negative {
                let node = self.content(place, size);
                entries[count] = LoadEntry { key, node };
                count += 1;
            }
            place += stride;
        }
        if count == 0 {
            return 0;
        }
        let inside = self
            .graph
            .within(affine.node, entries[0].key, entries[count - 1].key);
        self.assume(inside);
        self.decide(affine.node, &mut entries[..count], size)
    }

    /// A tree of comparisons over entries, ordered by key. Entries outside the object are assumed not to happen.
    fn decide(&mut self, index: u32, entries: &mut [LoadEntry], size: u64) -> u32 {
        if entries.iter().any(|entry| entry.node == 0) {
            let mut inside = [LoadEntry { key: 0, node: 0 }; MOST_ENTRIES];
            for (flag, entry) in inside.iter_mut().zip(entries.iter()) {
                *flag = LoadEntry {
                    key: entry.key,
                    node: self.graph.truth(entry.node != 0),
                };
            }
            let condition = self.tree(index, &inside[..entries.len()]);
            self.assume(condition);
            // An entry outside does not matter, so it may equal its neighbour, which makes the tree smaller.
            let mut last = entries
                .iter()
                .map(|entry| entry.node)
                .find(|&node| node != 0)
                .unwrap_or_else(|| self.graph.constant(8 * size as u32, 0));
            for entry in entries.iter_mut() {
                if entry.node == 0 {
                    entry.node = last;
                }
                last = entry.node;
            }
        }
        self.tree(index, entries)
    }

    fn tree(&mut self, index: u32, entries: &[LoadEntry]) -> u32 {
        let first = entries[0].node;
        if entries.iter().all(|entry| entry.node == first) {
            return first;
        }
        // Split between two different neighbours, as near to the middle as possible.
        let middle = entries.len() / 2;
        let border = (1..entries.len())
            .filter(|&at| entries[at].node != entries[at - 1].node)
            .min_by_key(|&at| at.abs_diff(middle))
            .unwrap_or(middle);
        let width = self.graph.width(index);
        let key = self.graph.constant(width, entries[border].key);
        let below = self.graph.binary(Operation::LessUnsigned, index, key);
        let low = self.tree(index, &entries[..border]);
        let high = self.tree(index, &entries[border..]);
        self.graph.choose(below, low, high)
    }

    fn affine(&self, node: u32) -> Affine {
        let mut affine = Affine {
            node,
            is_signed: false,
            scale: 1,
            offset: 0,
        };
        loop {
            let parts = self.graph.node(affine.node);
            match self.graph.operation(affine.node) {
                Operation::Add => match self.graph.constant_value(parts.b) {
                    Some(constant) if self.graph.width(affine.node) == 64 => {
                        affine.offset = affine
                            .offset
                            .wrapping_add(affine.scale.wrapping_mul(constant));
                    }
                    _ => return affine,
                },
                Operation::Multiply => match self.graph.constant_value(parts.b) {
                    Some(constant) if self.graph.width(affine.node) == 64 => {
                        affine.scale = affine.scale.wrapping_mul(constant);
                    }
                    _ => return affine,
                },
                Operation::Concatenate => match self.graph.constant_value(parts.b) {
                    Some(0) if self.graph.width(affine.node) == 64 => {
                        affine.scale <<= self.graph.width(parts.b);
                    }
                    _ => return affine,
                },
                // Arithmetic below an extension wraps at another width, so the extended value decides.
                operation @ (Operation::ZeroExtend | Operation::SignExtend) => {
                    affine.is_signed = operation == Operation::SignExtend;
                    affine.node = parts.a;
                    return affine;
                }
                _ => return affine,
            }
            affine.node = parts.a;
        }
    }
}
