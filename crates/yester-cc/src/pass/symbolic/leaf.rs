//! The leaves of a type: each integer, pointer or floating point number inside a structure, array or vector has a shadow of its own.

use crate::emitter::Emitter;
use crate::ir::{Type, TypeKind};

/// A value with more leaves than this has no shadow.
const MOST_LEAVES: usize = 16;

/// One integer, pointer or other scalar of a value.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its indices, from the outside in.
    pub path: Vec<u32>,
    /// In bits; 0 if it is never symbolic, such as a `long double`.
    pub width: u32,
    /// Its offset in memory, in bytes.
    pub offset: u64,
    /// Its size in memory, in bytes.
    pub size: u64,
}

/// The leaves of a type. A type with too many of them has one leaf of width 0.
#[must_use]
pub fn leaves(emitter: &Emitter<'_>, kind: Type) -> Vec<Leaf> {
    let mut found = Vec::new();
    if kind.kind() == TypeKind::LLVMVoidTypeKind || !kind.is_sized() {
        return found;
    }
    if !collect(emitter, kind, &mut Vec::new(), 0, &mut found) || found.len() > MOST_LEAVES {
        return vec![Leaf {
            path: Vec::new(),
            width: 0,
            offset: 0,
            size: emitter.size(kind),
        }];
    }
    found
}

fn collect(
    emitter: &Emitter<'_>,
    kind: Type,
    path: &mut Vec<u32>,
    offset: u64,
    found: &mut Vec<Leaf>,
) -> bool {
    let width = match kind.kind() {
        TypeKind::LLVMIntegerTypeKind if kind.bits() <= 64 => kind.bits(),
        TypeKind::LLVMPointerTypeKind | TypeKind::LLVMDoubleTypeKind => 64,
        TypeKind::LLVMFloatTypeKind => 32,
        sort @ (TypeKind::LLVMStructTypeKind
        | TypeKind::LLVMArrayTypeKind
        | TypeKind::LLVMVectorTypeKind) => {
            let Some(parts) = kind.parts(MOST_LEAVES) else {
                return false;
            };
            for (index, part) in parts.iter().enumerate() {
                let place = match sort {
                    TypeKind::LLVMStructTypeKind => emitter.offset(kind, index as u32),
                    // Vectors pack such elements, so they have no offset in bytes.
                    TypeKind::LLVMVectorTypeKind
                        if part.kind() == TypeKind::LLVMIntegerTypeKind && part.bits() % 8 != 0 =>
                    {
                        return false;
                    }
                    _ => index as u64 * emitter.stride(*part),
                };
                path.push(index as u32);
                if !collect(emitter, *part, path, offset + place, found) {
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
        size: emitter.size(kind),
    });
    true
}
