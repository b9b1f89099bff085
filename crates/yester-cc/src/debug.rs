//! What the debug information says about names: of local and global variables, and of the members of structures. `ir.rs` says what
//! keeps the calls of LLVM sound.

use std::collections::{BTreeMap, HashMap, HashSet};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMMetadataKind as NodeKind;
use inkwell::llvm_sys::debuginfo::{
    LLVMDIGlobalVariableExpressionGetVariable, LLVMDITypeGetName, LLVMDITypeGetOffsetInBits,
    LLVMGetDINodeTag, LLVMGetMetadataKind, LLVMGetSubprogram,
};
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef, LLVMModuleRef, LLVMValueRef};
use inkwell::module::Module;

use crate::ir::{Opcode, Value};

// The tags of DWARF.
const CLASS: u16 = 0x02;
const MEMBER: u16 = 0x0d;
const REFERENCE: u16 = 0x10;
const STRUCTURE: u16 = 0x13;
const TYPEDEF: u16 = 0x16;
const UNION: u16 = 0x17;
const RVALUE_REFERENCE: u16 = 0x42;

/// Where nodes have what is needed, by the index of the operand.
const NAME_OF_VARIABLE: usize = 1;
const TYPE_OF_VARIABLE: usize = 3;
const TYPE_OF_FUNCTION: usize = 4;
const BASE_TYPE: usize = 3;
const TYPES_OF_SIGNATURE: usize = 3;
const ELEMENTS: usize = 4;
/// So many types at most are between a type and the number that it is made of.
const MOST_TYPES: usize = 16;

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
}

/// The members that structures of one name have at one offset, and whether their numbers have no sign.
type Members = HashMap<(String, u64), BTreeMap<String, bool>>;

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
    /// Reads the names, and removes the declarations of variables: when they become values, nobody needs them.
    pub fn take(module: &Module<'_>) -> DebugNames {
        let module = module.as_mut_ptr();
        // SAFETY: the module is alive, and so is its context. Declarations become calls, which can be read.
        let reader = unsafe {
            LLVMSetIsNewDbgInfoFormat(module, 0);
            MetadataReader {
                context: LLVMGetModuleContext(module),
            }
        };
        let mut names = DebugNames::default();
        let mut roots = reader.units(module);
        let mut declarations = Vec::new();
        for function in functions(module) {
            // SAFETY: the value is a function; it may have no subprogram.
            if let Some(subprogram) = unsafe { some_node(LLVMGetSubprogram(function.0)) } {
                roots.push(subprogram);
                names
                    .signatures
                    .insert(function, reader.signature(subprogram));
            }
            for block in function.all_blocks() {
                declarations.extend(block.instructions().into_iter().filter(|instruction| {
                    instruction.opcode() == Opcode::LLVMCall
                        && instruction.callee().is_function()
                        && instruction.callee().name().starts_with("llvm.dbg.")
                }));
            }
        }
        for call in declarations {
            if call.callee().name() == "llvm.dbg.declare" {
                let place = reader.value_of(call.operand(0));
                let variable = reader.node_of(call.operand(1));
                roots.push(variable);
                if let (Some(place), Some(name)) = (place, reader.variable(variable)) {
                    names.variables.insert(place, name);
                }
            }
            call.erase();
        }
        for global in globals(module) {
            if let Some(variable) = reader.variable_of_global(global) {
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
        let is_meant = |(name, _): &(&String, &bool)| {
            let rest = hint.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let meant = candidates.iter().filter(is_meant);
        let meant = meant.max_by_key(|(name, _)| name.len());
        let only = candidates.iter().next().filter(|_| candidates.len() == 1);
        let (name, &is_unsigned) = meant.or(only)?;
        let text = name.clone();
        Some(MemberName { text, is_unsigned })
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

fn some_node(node: LLVMMetadataRef) -> Option<LLVMMetadataRef> {
    (!node.is_null()).then_some(node)
}

fn functions(module: LLVMModuleRef) -> impl Iterator<Item = Value> {
    // SAFETY: the module is alive, and so are the functions in its list, which ends with null.
    unsafe {
        let first = crate::ir::some(LLVMGetFirstFunction(module));
        std::iter::successors(first, |function| {
            crate::ir::some(LLVMGetNextFunction(function.0))
        })
    }
}

fn globals(module: LLVMModuleRef) -> impl Iterator<Item = Value> {
    // SAFETY: as for functions.
    unsafe {
        let first = crate::ir::some(LLVMGetFirstGlobal(module));
        std::iter::successors(first, |global| crate::ir::some(LLVMGetNextGlobal(global.0)))
    }
}

/// Reads nodes of metadata, all of one module.
struct MetadataReader {
    context: LLVMContextRef,
}

impl MetadataReader {
    fn kind(&self, node: LLVMMetadataRef) -> NodeKind {
        // SAFETY: the node is alive, and llvm-sys knows all kinds that this version of LLVM has.
        unsafe { LLVMGetMetadataKind(node) }
    }

    /// The compile units.
    fn units(&self, module: LLVMModuleRef) -> Vec<LLVMMetadataRef> {
        let name = c"llvm.dbg.cu".as_ptr();
        // SAFETY: LLVM fills an array that is as long as there are operands, and each is a node.
        unsafe {
            let count = LLVMGetNamedMetadataNumOperands(module, name);
            let mut units: Vec<LLVMValueRef> = vec![std::ptr::null_mut(); count as usize];
            LLVMGetNamedMetadataOperands(module, name, units.as_mut_ptr());
            units
                .into_iter()
                .map(|unit| LLVMValueAsMetadata(unit))
                .collect()
        }
    }

    /// The metadata that an operand of a call is.
    fn node_of(&self, operand: Value) -> LLVMMetadataRef {
        // SAFETY: any value can be metadata, and metadata that is an operand is taken out of its wrapping.
        unsafe { LLVMValueAsMetadata(operand.0) }
    }

    /// The address that an operand of a call stands for, if there still is one.
    fn value_of(&self, operand: Value) -> Option<Value> {
        let node = self.node_of(operand);
        if !self.is(node, NodeKind::LLVMLocalAsMetadataMetadataKind)
            && !self.is(node, NodeKind::LLVMConstantAsMetadataMetadataKind)
        {
            return None;
        }
        let mut value = std::ptr::null_mut();
        // SAFETY: such metadata has exactly one operand, which is the value.
        unsafe { LLVMGetMDNodeOperands(operand.0, &raw mut value) };
        crate::ir::some(value)
    }

    /// The operands of a node; nothing for metadata that is not one.
    fn operands(&self, node: LLVMMetadataRef) -> Vec<Option<LLVMMetadataRef>> {
        let kind = self.kind(node) as u32;
        if kind < NodeKind::LLVMMDTupleMetadataKind as u32
            || kind == NodeKind::LLVMDIArgListMetadataKind as u32
        {
            return Vec::new();
        }
        // SAFETY: the metadata is a node. LLVM fills an array that is as long as there are operands; missing ones are null.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, node);
            let count = LLVMGetMDNodeNumOperands(value);
            let mut operands: Vec<LLVMValueRef> = vec![std::ptr::null_mut(); count as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            let node =
                |operand: LLVMValueRef| (!operand.is_null()).then(|| LLVMValueAsMetadata(operand));
            operands.into_iter().map(node).collect()
        }
    }

    fn operand(&self, node: LLVMMetadataRef, index: usize) -> Option<LLVMMetadataRef> {
        self.operands(node).get(index).copied().flatten()
    }

    fn text(&self, node: LLVMMetadataRef) -> Option<String> {
        if self.kind(node) as u32 != NodeKind::LLVMMDStringMetadataKind as u32 {
            return None;
        }
        // SAFETY: the metadata is a string, whose bytes are copied at once.
        unsafe {
            let mut length = 0;
            let text = LLVMGetMDString(LLVMMetadataAsValue(self.context, node), &raw mut length);
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }

    fn is(&self, node: LLVMMetadataRef, kind: NodeKind) -> bool {
        self.kind(node) as u32 == kind as u32
    }

    /// The tag of a type; 0 for everything else.
    fn tag(&self, node: LLVMMetadataRef) -> u16 {
        if !self.is(node, NodeKind::LLVMDIDerivedTypeMetadataKind)
            && !self.is(node, NodeKind::LLVMDICompositeTypeMetadataKind)
        {
            return 0;
        }
        // SAFETY: the node is a type, which has a tag.
        unsafe { LLVMGetDINodeTag(node) }
    }

    fn name_of_type(&self, node: LLVMMetadataRef) -> String {
        let is_basic = self.is(node, NodeKind::LLVMDIBasicTypeMetadataKind);
        assert!(is_basic || self.tag(node) != 0, "only types have a name");
        // SAFETY: the node is a type. Its name, which may be missing, is copied at once.
        unsafe {
            let mut length = 0;
            let text = LLVMDITypeGetName(node, &raw mut length);
            if text.is_null() {
                return String::new();
            }
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length);
            String::from_utf8_lossy(bytes).into_owned()
        }
    }

    fn variable(&self, variable: LLVMMetadataRef) -> Option<VariableName> {
        let is_variable = self.is(variable, NodeKind::LLVMDILocalVariableMetadataKind)
            || self.is(variable, NodeKind::LLVMDIGlobalVariableMetadataKind);
        if !is_variable {
            return None;
        }
        let kind = self.operand(variable, TYPE_OF_VARIABLE);
        let tag = kind.map_or(0, |kind| self.tag(kind));
        Some(VariableName {
            text: self.text(self.operand(variable, NAME_OF_VARIABLE)?)?,
            is_reference: tag == REFERENCE || tag == RVALUE_REFERENCE,
            is_unsigned: self.is_unsigned(kind),
            structure: self.structure(kind),
        })
    }

    /// The name of the structure that a type is, or points to.
    fn structure(&self, kind: Option<LLVMMetadataRef>) -> Option<String> {
        let mut kind = kind?;
        let mut name = String::new();
        for _ in 0..MOST_TYPES {
            match self.tag(kind) {
                0 => return None,
                CLASS | STRUCTURE | UNION => {
                    let own = self.name_of_type(kind);
                    let name = if own.is_empty() { name } else { own };
                    return (!name.is_empty()).then(|| plain_of_source(&name));
                }
                TYPEDEF => name = self.name_of_type(kind),
                _ => {}
            }
            kind = self.operand(kind, BASE_TYPE)?;
        }
        None
    }

    /// Whether the numbers that a type is made of have no sign.
    fn is_unsigned(&self, kind: Option<LLVMMetadataRef>) -> bool {
        let mut kind = kind;
        for _ in 0..MOST_TYPES {
            let Some(node) = kind else {
                return false;
            };
            if self.is(node, NodeKind::LLVMDIBasicTypeMetadataKind) {
                let name = self.name_of_type(node);
                return name.contains("unsigned") || name.ends_with("ool") || name.ends_with("_t");
            }
            kind = match self.tag(node) {
                0 | CLASS | STRUCTURE | UNION => None,
                _ => self.operand(node, BASE_TYPE),
            };
        }
        false
    }

    /// Whether the result and the parameters of a function have no sign.
    fn signature(&self, subprogram: LLVMMetadataRef) -> Vec<bool> {
        let signature = self.operand(subprogram, TYPE_OF_FUNCTION);
        let types = signature.and_then(|signature| self.operand(signature, TYPES_OF_SIGNATURE));
        let types = types.map_or(Vec::new(), |types| self.operands(types));
        types
            .into_iter()
            .map(|kind| self.is_unsigned(kind))
            .collect()
    }

    fn variable_of_global(&self, global: Value) -> Option<LLVMMetadataRef> {
        // SAFETY: the value is a global variable. LLVM makes a list of its metadata, which is given back.
        unsafe {
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(global.0, &raw mut count);
            let nodes: Vec<LLVMMetadataRef> = (0..count as u32)
                .map(|index| LLVMValueMetadataEntriesGetMetadata(entries, index))
                .collect();
            LLVMDisposeValueMetadataEntries(entries);
            let is_description = |node: &LLVMMetadataRef| {
                self.is(*node, NodeKind::LLVMDIGlobalVariableExpressionMetadataKind)
            };
            let description = nodes.into_iter().find(is_description)?;
            some_node(LLVMDIGlobalVariableExpressionGetVariable(description))
        }
    }

    /// The members of all structures that can be reached from these nodes.
    fn members(&self, roots: Vec<LLVMMetadataRef>) -> Members {
        let mut found = Members::new();
        let mut seen: HashSet<LLVMMetadataRef> = roots.iter().copied().collect();
        let mut pending = roots;
        while let Some(node) = pending.pop() {
            let operands = self.operands(node);
            match self.tag(node) {
                CLASS | STRUCTURE | UNION => {
                    let name = match self.name_of_type(node) {
                        name if name.is_empty() => ANONYMOUS.to_owned(),
                        name => plain_of_source(&name),
                    };
                    self.add_members(node, &name, &mut found);
                }
                // LLVM calls a structure without a name by its typedef.
                TYPEDEF => {
                    if let Some(base) = operands.get(BASE_TYPE).copied().flatten()
                        && matches!(self.tag(base), CLASS | STRUCTURE | UNION)
                    {
                        self.add_members(base, &self.name_of_type(node), &mut found);
                    }
                }
                _ => {}
            }
            let new = operands.into_iter().flatten();
            pending.extend(new.filter(|operand| seen.insert(*operand)));
        }
        found
    }

    fn add_members(&self, structure: LLVMMetadataRef, name: &str, found: &mut Members) {
        let elements = self.operand(structure, ELEMENTS);
        let elements = elements.map_or(Vec::new(), |elements| self.operands(elements));
        for member in elements.into_iter().flatten() {
            if self.tag(member) == MEMBER {
                // SAFETY: the node is a member, which is a type to LLVM.
                let offset = unsafe { LLVMDITypeGetOffsetInBits(member) };
                let text = self.name_of_type(member);
                if !text.is_empty() {
                    let is_unsigned = self.is_unsigned(Some(member));
                    let names = found.entry((name.to_owned(), offset)).or_default();
                    names.insert(text, is_unsigned);
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
