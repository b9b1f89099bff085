//! The names that the debug information of a module has: of local and global variables, and of the members of structures.

use std::collections::{BTreeMap, HashMap, HashSet};

use llvm_sys::debuginfo::LLVMMetadataKind as Kind;

use crate::ir::Value;
use crate::metadata::{
    BASE_OF_TYPE, DebugInformation, Metadata, NAME_OF_VARIABLE, TYPE_OF_FUNCTION, TYPE_OF_VARIABLE,
    TYPEDEF, TYPES_OF_SIGNATURE,
};
use crate::module::Module;

// The tags of DWARF.
const ARRAY: u16 = 0x01;
const CLASS: u16 = 0x02;
const ENUMERATION: u16 = 0x04;
const MEMBER: u16 = 0x0d;
const POINTER: u16 = 0x0f;
const REFERENCE: u16 = 0x10;
const STRUCTURE: u16 = 0x13;
const UNION: u16 = 0x17;
const CONSTANT: u16 = 0x26;
const VOLATILE: u16 = 0x35;
const RVALUE_REFERENCE: u16 = 0x42;

/// Where a structure has its members, by the index of the operand.
const ELEMENTS: usize = 4;
/// So many types at most are between a type and the number that it is made of.
const MOST_TYPES: usize = 16;

/// So many numbers of a structure are known, and so many structures may be inside of each other.
const MOST_NUMBERS: usize = 8;
const MOST_NESTED: usize = 3;

/// How LLVM calls structures without a name.
const ANONYMOUS: &str = "anon";

/// A variable of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableName {
    /// As in the source.
    pub text: String,
    /// Whether it is a reference, which the program uses like what it refers to.
    pub is_reference: bool,
    /// Whether its numbers have no sign: its own, those of its elements, those that it points to.
    pub is_unsigned: bool,
    /// The name of the structure that it is, or points to.
    pub structure: Option<String>,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberName {
    /// As in the source.
    pub text: String,
    /// As of a variable.
    pub is_unsigned: bool,
    /// How many bits it has.
    pub bits: u64,
}

/// A structure or array that a local variable is, or points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalStructure {
    /// Of the variable.
    pub name: String,
    /// The name of its type, or of that of its elements.
    pub kind: String,
    /// Whether the variable points to it.
    pub is_pointer: bool,
    /// The first of its numbers and pointers that can be assigned.
    pub numbers: Vec<StructureNumber>,
}

/// What a function takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A pointer or reference to something with this name.
    Pointer(String),
    /// A number or an enumeration.
    Number,
    /// Something else.
    Other,
}

/// A number or pointer in a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureNumber {
    /// As in the source: `list->count`.
    pub name: String,
    /// In bytes.
    pub offset: u64,
    /// Its form, as the table has it: `i32`, `f64`, `p`.
    pub form: String,
}

/// The structures of all local variables of a module, by the addresses of the variables.
pub fn local_structures(module: &Module<'_>) -> HashMap<Value, LocalStructure> {
    let reader = NameReader {
        information: DebugInformation::new(module),
    };
    let mut found = HashMap::new();
    for call in reader.information.declarations(module) {
        if call.callee().name() == "llvm.dbg.declare" {
            let place = reader.information.wrapped(call.operand(0));
            let structure = reader.local_structure(reader.information.node(call.operand(1)));
            found.extend(place.zip(structure));
        }
    }
    found
}

/// What the functions of a module take.
pub fn parameter_kinds(module: &Module<'_>) -> HashMap<Value, Vec<ParameterKind>> {
    let reader = NameReader {
        information: DebugInformation::new(module),
    };
    let functions = module.functions().filter_map(|function| {
        let subprogram = reader.information.subprogram(function)?;
        Some((function, reader.parameter_kinds(subprogram)))
    });
    functions.collect()
}

fn is_address(tag: u16) -> bool {
    matches!(tag, POINTER | REFERENCE | RVALUE_REFERENCE)
}

/// The members that structures of one name have at one offset, by their names.
type Members = HashMap<(String, u64), BTreeMap<String, MemberName>>;

/// The names of a module.
#[derive(Debug, Default)]
pub struct DebugNames {
    variables: HashMap<Value, VariableName>,
    /// By the name of the structure and the offset in bits.
    members: Members,
    /// Whether the result and the parameters of functions have no sign.
    signatures: HashMap<Value, Vec<bool>>,
}

impl DebugNames {
    /// Reads the names of a module.
    pub fn read(module: &Module<'_>) -> DebugNames {
        let information = DebugInformation::new(module);
        let reader = NameReader { information };
        let mut names = DebugNames::default();
        let mut roots = reader.information.units(module);
        for function in module.functions() {
            if let Some(subprogram) = reader.information.subprogram(function) {
                roots.push(subprogram);
                let signature = reader.signature(subprogram);
                names.signatures.insert(function, signature);
            }
        }
        for call in reader.information.declarations(module) {
            if call.callee().name() == "llvm.dbg.declare" {
                let place = reader.information.wrapped(call.operand(0));
                let variable = reader.information.node(call.operand(1));
                roots.push(variable);
                if let (Some(place), Some(name)) = (place, reader.variable(variable)) {
                    names.variables.insert(place, name);
                }
            }
        }
        for global in module.globals() {
            if let Some(variable) = reader.information.variable_of_global(global) {
                roots.push(variable);
                if let Some(name) = reader.variable(variable) {
                    names.variables.insert(global, name);
                }
            }
        }
        names.members = reader.members(roots);
        names
    }

    /// The variable at an address.
    pub fn variable(&self, address: Value) -> Option<&VariableName> {
        self.variables.get(&address)
    }

    /// The member of a structure, which LLVM calls `structure`, at an offset in bits. If several structures have that name, `hint`
    /// decides: the name of the member, which LLVM may have made unique by a number.
    pub fn member(&self, structure: &str, offset: u64, hint: &str) -> Option<MemberName> {
        self.member_of(plain(structure), offset, hint)
    }

    /// The member of the structure that a variable is, or points to.
    pub fn member_of_variable(&self, variable: &VariableName, offset: u64) -> Option<MemberName> {
        self.member_of(variable.structure.clone()?, offset, "")
    }

    fn member_of(&self, structure: String, offset: u64, hint: &str) -> Option<MemberName> {
        let candidates = self.members.get(&(structure, offset))?;
        let is_meant = |(name, _): &(&String, &MemberName)| {
            let rest = hint.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let meant = candidates.iter().filter(is_meant);
        let meant = meant.max_by_key(|(name, _)| name.len());
        let only = candidates.iter().next().filter(|_| candidates.len() == 1);
        meant.or(only).map(|(_, member)| member.clone())
    }

    /// Whether a parameter of a function has no sign; number 0 is the result.
    pub fn is_unsigned(&self, function: Value, number: usize) -> bool {
        let signature = self.signatures.get(&function);
        signature.and_then(|signature| signature.get(number)) == Some(&true)
    }
}

/// The name of a structure without the kind, the namespace, the arguments of templates, and the number that LLVM adds.
fn plain(structure: &str) -> String {
    let name = structure
        .split_once('.')
        .map_or(structure, |(_, name)| name);
    let name = name.split_once('<').map_or(name, |(name, _)| name);
    let name = name.rsplit_once("::").map_or(name, |(_, name)| name);
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    name.to_owned()
}

/// Reads names from nodes, all of one module.
struct NameReader<'a> {
    information: DebugInformation<'a>,
}

impl NameReader<'_> {
    /// The tag of a type that is made of others; 0 for everything else.
    fn tag(&self, node: Metadata) -> u16 {
        let is_made = self
            .information
            .is(node, Kind::LLVMDIDerivedTypeMetadataKind)
            || self
                .information
                .is(node, Kind::LLVMDICompositeTypeMetadataKind);
        if is_made {
            self.information.tag(node)
        } else {
            0
        }
    }

    fn variable(&self, variable: Metadata) -> Option<VariableName> {
        let is_variable = self
            .information
            .is(variable, Kind::LLVMDILocalVariableMetadataKind)
            || self
                .information
                .is(variable, Kind::LLVMDIGlobalVariableMetadataKind);
        if !is_variable {
            return None;
        }
        let kind = self.information.operand(variable, TYPE_OF_VARIABLE);
        let tag = kind.map_or(0, |kind| self.tag(kind));
        Some(VariableName {
            text: self
                .information
                .text(self.information.operand(variable, NAME_OF_VARIABLE)?)?,
            is_reference: tag == REFERENCE || tag == RVALUE_REFERENCE,
            is_unsigned: self.is_unsigned(kind),
            structure: self.structure(kind),
        })
    }

    /// The name of the structure that a type is, or points to.
    fn structure(&self, kind: Option<Metadata>) -> Option<String> {
        let mut kind = kind?;
        let mut name = String::new();
        for _ in 0..MOST_TYPES {
            match self.tag(kind) {
                0 => return None,
                CLASS | STRUCTURE | UNION => {
                    let own = self.information.name_of_type(kind);
                    let name = if own.is_empty() { name } else { own };
                    return (!name.is_empty()).then(|| plain_of_source(&name));
                }
                TYPEDEF => name = self.information.name_of_type(kind),
                _ => {}
            }
            kind = self.information.operand(kind, BASE_OF_TYPE)?;
        }
        None
    }

    /// Whether the numbers that a type is made of have no sign.
    fn is_unsigned(&self, kind: Option<Metadata>) -> bool {
        let mut kind = kind;
        for _ in 0..MOST_TYPES {
            let Some(node) = kind else {
                return false;
            };
            if self.information.is(node, Kind::LLVMDIBasicTypeMetadataKind) {
                let name = self.information.name_of_type(node);
                return name.contains("unsigned") || name.ends_with("ool") || name.ends_with("_t");
            }
            kind = match self.tag(node) {
                0 | CLASS | STRUCTURE | UNION => None,
                _ => self.information.operand(node, BASE_OF_TYPE),
            };
        }
        false
    }

    /// A type without its qualifiers and other names, and whether it is constant.
    fn unqualified(&self, kind: Option<Metadata>) -> Option<(Metadata, bool)> {
        let (mut kind, mut is_constant) = (kind?, false);
        for _ in 0..MOST_TYPES {
            let tag = self.tag(kind);
            if !matches!(tag, TYPEDEF | CONSTANT | VOLATILE) {
                return Some((kind, is_constant));
            }
            is_constant |= tag == CONSTANT;
            kind = self.information.operand(kind, BASE_OF_TYPE)?;
        }
        None
    }

    fn local_structure(&self, variable: Metadata) -> Option<LocalStructure> {
        let name = self.information.operand(variable, NAME_OF_VARIABLE)?;
        let name = self.information.text(name)?;
        let kind = self.information.operand(variable, TYPE_OF_VARIABLE);
        let (mut kind, mut is_constant) = self.unqualified(kind)?;
        let is_pointer = is_address(self.tag(kind));
        let is_array = self.tag(kind) == ARRAY;
        if is_pointer || is_array {
            let base = self.information.operand(kind, BASE_OF_TYPE);
            (kind, is_constant) = self.unqualified(base)?;
        }
        let is_structure = matches!(self.tag(kind), CLASS | STRUCTURE);
        if !(is_structure || is_pointer || is_array) {
            return None;
        }
        let mut numbers = Vec::new();
        if is_structure && !is_array && !is_constant {
            let name = format!("{name}{}", if is_pointer { "->" } else { "." });
            self.add_numbers(kind, &name, 0, MOST_NESTED, &mut numbers);
            numbers.truncate(MOST_NUMBERS);
        }
        Some(LocalStructure {
            name,
            kind: self.name_of_kind(kind)?,
            is_pointer,
            numbers,
        })
    }

    /// The name of a type, as one word.
    fn name_of_kind(&self, kind: Metadata) -> Option<String> {
        let name = self.information.name_of_type(kind);
        (!name.is_empty()).then(|| name.replace([' ', ';'], "_"))
    }

    /// What a function takes.
    fn parameter_kinds(&self, subprogram: Metadata) -> Vec<ParameterKind> {
        let types = self.types_of_signature(subprogram).into_iter();
        // The first one is that of the result.
        types
            .skip(1)
            .map(|kind| self.parameter_kind(kind))
            .collect()
    }

    fn parameter_kind(&self, kind: Option<Metadata>) -> ParameterKind {
        let Some((kind, _)) = self.unqualified(kind) else {
            return ParameterKind::Other;
        };
        let is_basic = self.information.is(kind, Kind::LLVMDIBasicTypeMetadataKind);
        match self.tag(kind) {
            tag if is_address(tag) => {
                let base = self.information.operand(kind, BASE_OF_TYPE);
                let base = self.unqualified(base);
                let name = base.and_then(|(base, _)| self.name_of_kind(base));
                name.map_or(ParameterKind::Other, ParameterKind::Pointer)
            }
            ENUMERATION => ParameterKind::Number,
            0 if is_basic => ParameterKind::Number,
            _ => ParameterKind::Other,
        }
    }

    /// The types of the result and of the parameters of a function; none for nothing.
    fn types_of_signature(&self, subprogram: Metadata) -> Vec<Option<Metadata>> {
        let signature = self.information.operand(subprogram, TYPE_OF_FUNCTION);
        let types =
            signature.and_then(|signature| self.information.operand(signature, TYPES_OF_SIGNATURE));
        types.map_or(Vec::new(), |types| self.information.operands(types))
    }

    /// Adds the numbers of a structure at an offset in bits.
    fn add_numbers(
        &self,
        structure: Metadata,
        name: &str,
        start: u64,
        depth: usize,
        found: &mut Vec<StructureNumber>,
    ) {
        let elements = self.information.operand(structure, ELEMENTS);
        let elements = elements.map_or(Vec::new(), |elements| self.information.operands(elements));
        for member in elements.into_iter().flatten() {
            let base = match self.tag(member) {
                MEMBER => self.information.operand(member, BASE_OF_TYPE),
                _ => None,
            };
            let Some((kind, false)) = self.unqualified(base) else {
                continue;
            };
            let offset = start + self.information.offset_of_member(member);
            let bits = self.information.bits_of_member(member);
            let name = format!("{name}{}", self.information.name_of_type(member));
            let is_basic = self.information.is(kind, Kind::LLVMDIBasicTypeMetadataKind);
            let form = match self.tag(kind) {
                CLASS | STRUCTURE if depth > 0 && found.len() < MOST_NUMBERS => {
                    self.add_numbers(kind, &format!("{name}."), offset, depth - 1, found);
                    continue;
                }
                POINTER => "p".to_owned(),
                ENUMERATION => format!("i{bits}"),
                0 if is_basic => match self.information.name_of_type(kind).as_str() {
                    "float" => "f32".to_owned(),
                    "double" => "f64".to_owned(),
                    _ if self.is_unsigned(Some(kind)) => format!("u{bits}"),
                    _ => format!("i{bits}"),
                },
                _ => continue,
            };
            // Bit fields have other widths, or are not at bytes.
            if matches!(bits, 8 | 16 | 32 | 64) && offset.is_multiple_of(bits) {
                found.push(StructureNumber {
                    name,
                    offset: offset / 8,
                    form,
                });
            }
        }
    }

    /// Whether the result and the parameters of a function have no sign.
    fn signature(&self, subprogram: Metadata) -> Vec<bool> {
        let types = self.types_of_signature(subprogram).into_iter();
        types.map(|kind| self.is_unsigned(kind)).collect()
    }

    /// The members of all structures that can be reached from these nodes.
    fn members(&self, roots: Vec<Metadata>) -> Members {
        let mut found = Members::new();
        let mut seen: HashSet<Metadata> = roots.iter().copied().collect();
        let mut pending = roots;
        while let Some(node) = pending.pop() {
            let operands = self.information.operands(node);
            match self.tag(node) {
                CLASS | STRUCTURE | UNION => {
                    let name = match self.information.name_of_type(node) {
                        name if name.is_empty() => ANONYMOUS.to_owned(),
                        name => plain_of_source(&name),
                    };
                    self.add_members(node, &name, &mut found);
                }
                // LLVM calls a structure without a name by its typedef.
                TYPEDEF => {
                    if let Some(base) = operands.get(BASE_OF_TYPE).copied().flatten()
                        && matches!(self.tag(base), CLASS | STRUCTURE | UNION)
                    {
                        self.add_members(base, &self.information.name_of_type(node), &mut found);
                    }
                }
                _ => {}
            }
            let new = operands.into_iter().flatten();
            pending.extend(new.filter(|operand| seen.insert(*operand)));
        }
        found
    }

    fn add_members(&self, structure: Metadata, name: &str, found: &mut Members) {
        let elements = self.information.operand(structure, ELEMENTS);
        let elements = elements.map_or(Vec::new(), |elements| self.information.operands(elements));
        for member in elements.into_iter().flatten() {
            if self.tag(member) == MEMBER {
                let offset = self.information.offset_of_member(member);
                let text = self.information.name_of_type(member);
                if !text.is_empty() {
                    let name_of_member = MemberName {
                        text: text.clone(),
                        is_unsigned: self.is_unsigned(Some(member)),
                        bits: self.information.bits_of_member(member),
                    };
                    let names = found.entry((name.to_owned(), offset)).or_default();
                    names.insert(text, name_of_member);
                }
            }
        }
    }
}

/// The name of a structure in the source without the arguments of templates.
fn plain_of_source(name: &str) -> String {
    name.split_once('<')
        .map_or(name, |(name, _)| name)
        .to_owned()
}
