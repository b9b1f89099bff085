//! Numbers in variables and tables outside of functions, which have a value before the program begins. The runtime can give them
//! another one; they cost nothing while the program runs.

mod line;

use self::line::{Shape, lines};
use crate::debug::DebugNames;
use crate::emitter::Emitter;
use crate::ir::{Linkage, Type, TypeKind, Value};
use crate::llvm::{self, SourceLocation};
use crate::pass::value::is_own;

/// A table with more numbers is not taken apart.
const MOST_NUMBERS: usize = 256;

/// A number.
pub struct Datum {
    pub variable: Value,
    /// Where it is in the variable, in bytes.
    pub offset: u64,
    pub bytes: u64,
    /// As the table of places has it: `i32`, `u8`, `f64`.
    pub form: String,
    /// The line that its value is written in, or that of the variable.
    pub location: SourceLocation,
    /// As in the source: `limits[2]`; the elements of a table that is made of others are counted through.
    pub name: String,
}

/// The numbers of a module. From now on nothing may assume that they stay.
pub fn data(emitter: &Emitter<'_>, names: &DebugNames) -> Vec<Datum> {
    let mut found = Vec::new();
    for variable in emitter.module.globals() {
        let Some(name) = names
            .variable(variable)
            .filter(|name| !name.text.is_empty())
        else {
            continue;
        };
        let has_linkage = matches!(
            variable.linkage(),
            Linkage::LLVMInternalLinkage | Linkage::LLVMExternalLinkage
        );
        let location = llvm::location_of_variable(variable);
        if !has_linkage || !is_own(&location) || !llvm::is_filled(variable) {
            continue;
        }
        let mut numbers = Numbers {
            emitter,
            is_unsigned: name.is_unsigned,
            found: Vec::new(),
        };
        let Some(shape) = numbers.shape(variable.value_type(), 0) else {
            continue;
        };
        let source = std::fs::read(&location.file).unwrap_or_default();
        let source = String::from_utf8_lossy(&source);
        let lines = lines(&source, location.line, &name.text, &shape);
        let is_single = matches!(shape, Shape::Number);
        for (index, (offset, bytes, form)) in numbers.found.into_iter().enumerate() {
            let line = lines.as_ref().map_or(location.line, |lines| lines[index]);
            found.push(Datum {
                variable,
                offset,
                bytes,
                form,
                location: SourceLocation {
                    line,
                    ..location.clone()
                },
                name: if is_single {
                    name.text.clone()
                } else {
                    format!("{}[{index}]", name.text)
                },
            });
        }
        llvm::forget_constant(variable);
    }
    found
}

/// Collects the numbers of a type.
struct Numbers<'a> {
    emitter: &'a Emitter<'a>,
    is_unsigned: bool,
    /// Offset, size and form of each.
    found: Vec<(u64, u64, String)>,
}

impl Numbers<'_> {
    /// What a type is made of. None if that is too much.
    fn shape(&mut self, kind: Type, offset: u64) -> Option<Shape> {
        let form = match kind.kind() {
            TypeKind::LLVMIntegerTypeKind if [8, 16, 32, 64].contains(&kind.bits()) => {
                let sign = if self.is_unsigned { 'u' } else { 'i' };
                format!("{sign}{}", kind.bits())
            }
            TypeKind::LLVMFloatTypeKind => "f32".to_owned(),
            TypeKind::LLVMDoubleTypeKind => "f64".to_owned(),
            TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind => {
                let is_array = kind.kind() == TypeKind::LLVMArrayTypeKind;
                let mut shapes = Vec::new();
                for (index, part) in kind.parts(MOST_NUMBERS)?.into_iter().enumerate() {
                    let inside = if is_array {
                        index as u64 * self.emitter.stride(part)
                    } else {
                        self.emitter.offset(kind, index as u32)
                    };
                    shapes.push(self.shape(part, offset + inside)?);
                }
                return Some(Shape::Group(shapes));
            }
            _ => return Some(Shape::Other),
        };
        if self.found.len() == MOST_NUMBERS {
            return None;
        }
        self.found.push((offset, self.emitter.size(kind), form));
        Some(Shape::Number)
    }
}
