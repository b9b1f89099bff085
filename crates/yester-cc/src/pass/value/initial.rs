//! Local variables whose initial value is constant: clang copies the whole of it at once.

use super::name::Namer;
use crate::emitter::Emitter;
use crate::ir::{Type, TypeKind, Value};
use crate::llvm;

/// So many numbers at most are recorded of one variable.
const MOST_NUMBERS: usize = 64;

/// A number of an initial value.
pub struct InitialNumber {
    pub name: String,
    pub is_unsigned: bool,
    pub value: Value,
}

/// The numbers that a copy of this constant gives to a variable, the first of many. Texts are left out.
pub fn numbers(
    namer: &Namer<'_>,
    emitter: &Emitter<'_>,
    variable: Value,
    constant: Value,
) -> Vec<InitialNumber> {
    let mut found = Vec::new();
    let (Some(name), Some(content)) = (namer.variable(variable), llvm::constant_content(constant))
    else {
        return found;
    };
    let is_unsigned = namer.is_unsigned(variable, None);
    // The last is the next one.
    let mut pending = vec![(name.to_owned(), is_unsigned, content, true)];
    while let Some((name, is_unsigned, value, is_variable)) = pending.pop() {
        let kind = value.type_of();
        match kind.kind() {
            TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind => {
                let mut parts = Vec::new();
                for (index, part) in parts_of(value).enumerate().take(MOST_NUMBERS) {
                    parts.push(match kind.kind() {
                        TypeKind::LLVMStructTypeKind => {
                            let offset = emitter.offset(kind, index as u32);
                            // With padding, clang gives a structure a type without a name.
                            let member = match kind.name() {
                                structure if !structure.is_empty() => {
                                    namer.member_at(&structure, offset)
                                }
                                _ if is_variable => namer.member_of_variable(variable, offset),
                                _ => None,
                            };
                            // Several bit fields are one number.
                            let size = 8 * emitter.stride(part.type_of());
                            let Some(member) = member.filter(|member| member.bits >= size) else {
                                continue;
                            };
                            let name = format!("{name}.{}", member.text);
                            (name, member.is_unsigned, part, false)
                        }
                        _ if is_text(kind) => continue,
                        _ => (format!("{name}[{index}]"), is_unsigned, part, is_variable),
                    });
                }
                pending.extend(parts.into_iter().rev());
            }
            _ => found.push(InitialNumber {
                name,
                is_unsigned,
                value,
            }),
        }
        if found.len() >= MOST_NUMBERS {
            break;
        }
    }
    found
}

fn parts_of(value: Value) -> impl Iterator<Item = Value> {
    (0..).map_while(move |index| llvm::part_of_constant(value, index))
}

fn is_text(array: Type) -> bool {
    let element = array.element();
    element.kind() == TypeKind::LLVMIntegerTypeKind && element.bits() == 8
}
