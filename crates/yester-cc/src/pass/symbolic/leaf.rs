//! The parts of values: each integer and each pointer in a value has a shadow of its own.

use crate::ir::{Kind, Type};
use crate::maker::Maker;

/// A value with more parts than this is not followed.
const MOST_LEAVES: usize = 16;

/// One part of a value.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// How to get there.
    pub path: Vec<u32>,
    /// In bits; 0 for what is never symbolic.
    pub width: u32,
    /// Where it is in memory.
    pub offset: u64,
    /// How many bytes it takes there.
    pub size: u64,
}

/// The parts of a type. One that is not followed is one part without width.
#[must_use]
pub fn leaves(maker: &Maker, kind: Type) -> Vec<Leaf> {
    let mut found = Vec::new();
    if kind.sort() == Kind::LLVMVoidTypeKind || !kind.is_sized() {
        return found;
    }
    if !collect(maker, kind, &mut Vec::new(), 0, &mut found) || found.len() > MOST_LEAVES {
        return vec![Leaf {
            path: Vec::new(),
            width: 0,
            offset: 0,
            size: maker.size(kind),
        }];
    }
    found
}

fn collect(
    maker: &Maker,
    kind: Type,
    path: &mut Vec<u32>,
    offset: u64,
    found: &mut Vec<Leaf>,
) -> bool {
    let width = match kind.sort() {
        Kind::LLVMIntegerTypeKind if kind.bits() <= 64 => kind.bits(),
        Kind::LLVMPointerTypeKind => 64,
        sort @ (Kind::LLVMStructTypeKind | Kind::LLVMArrayTypeKind | Kind::LLVMVectorTypeKind) => {
            let Some(parts) = kind.parts(MOST_LEAVES) else {
                return false;
            };
            for (index, part) in parts.iter().enumerate() {
                let place = match sort {
                    Kind::LLVMStructTypeKind => maker.offset(kind, index as u32),
                    // Bits of vectors are packed.
                    Kind::LLVMVectorTypeKind
                        if part.sort() == Kind::LLVMIntegerTypeKind && part.bits() % 8 != 0 =>
                    {
                        return false;
                    }
                    _ => index as u64 * maker.stride(*part),
                };
                path.push(index as u32);
                if !collect(maker, *part, path, offset + place, found) {
                    return false;
                }
                path.pop();
            }
            return true;
        }
        _ => 0,
    };
    found.push(Leaf {
        path: path.clone(),
        width,
        offset,
        size: maker.size(kind),
    });
    true
}
