//! Debug information: which variables a module has, of which types, and where they are in scope. `ir.rs` says what keeps the calls
//! of LLVM sound. LLVM's C interface knows most of it only as nodes with numbered operands, which have the same order in all
//! nodes of a kind.

use std::collections::HashMap;
use std::ffi::c_uint;

use crate::ir::{Opcode, Value};
use crate::llvm::DebugPlace;
use crate::module::Module;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDILocationGetScope, LLVMDITypeGetOffsetInBits, LLVMDITypeGetSizeInBits, LLVMGetDINodeTag,
    LLVMGetMetadataKind, LLVMGetSubprogram, LLVMMetadataKind as Kind,
};
use llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef, LLVMValueRef};

/// A node of the debug information. The same type of a module is always the same node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Metadata(pub(crate) LLVMMetadataRef);

/// The type of an integer variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerType {
    /// Which type it is, without qualifiers and other names of it.
    identity: Metadata,
    /// Whether it has negative values.
    pub is_signed: bool,
}

/// An integer variable of the source.
#[derive(Clone, Debug)]
pub struct DeclaredVariable {
    /// Its name in the source.
    pub name: String,
    /// Its type.
    pub kind: IntegerType,
    /// Where it is in scope; everywhere if it is a global variable.
    pub scope: Option<Metadata>,
    /// Its number, in order of declaration.
    pub number: usize,
}

/// The names of a type, and of a variable: their places among the operands.
const NAME_OF_TYPE: usize = 2;
pub(crate) const BASE_OF_TYPE: usize = 3;
pub(crate) const NAME_OF_VARIABLE: usize = 1;
pub(crate) const TYPE_OF_VARIABLE: usize = 3;
const NAME_OF_FUNCTION: usize = 2;
pub(crate) const TYPE_OF_FUNCTION: usize = 4;
pub(crate) const TYPES_OF_SIGNATURE: usize = 3;
const SCOPE: usize = 1;
/// The longest chain of names of a type, or of scopes, that is followed.
const LONGEST_CHAIN: usize = 1000;

/// Tags of types that are another type, with another name or a qualifier that changes nothing here.
const SAME_TYPE: [u16; 2] = [TYPEDEF, CONST];
pub(crate) const TYPEDEF: u16 = 0x16;
const CONST: u16 = 0x26;
const ENUMERATION: u16 = 0x04;

/// The debug information of one module.
pub struct DebugInformation<'a> {
    context: LLVMContextRef,
    /// The module must outlive the nodes.
    borrowed: std::marker::PhantomData<&'a ()>,
}

impl<'a> DebugInformation<'a> {
    /// That of a module.
    pub fn new(module: &'a Module<'_>) -> Self {
        DebugInformation {
            context: module.context,
            borrowed: std::marker::PhantomData,
        }
    }

    /// Finds all integer variables by their addresses, and removes what declares local ones: nothing else needs it.
    pub fn take_variables(&self, module: &Module<'_>) -> HashMap<Value, DeclaredVariable> {
        let mut found = HashMap::new();
        for call in self.declarations(module) {
            if call.callee().name() == "llvm.dbg.declare" {
                self.declare(call, &mut found);
            }
        }
        self.forget_variables(module);
        for global in module.globals() {
            if let Some(node) = self.variable_of_global(global)
                && let Some(variable) = self.variable(node, None, found.len())
            {
                found.insert(global, variable);
            }
        }
        found
    }

    /// Removes what declares local variables.
    pub fn forget_variables(&self, module: &Module<'_>) {
        for call in self.declarations(module) {
            call.erase();
        }
        // SAFETY: the module is alive. What is left of declarations is turned back.
        unsafe { LLVMSetIsNewDbgInfoFormat(module.raw, 1) };
    }

    /// What declares local variables, as calls that everybody can read.
    pub(crate) fn declarations(&self, module: &Module<'_>) -> Vec<Value> {
        // SAFETY: the module is alive.
        unsafe { LLVMSetIsNewDbgInfoFormat(module.raw, 0) };
        let blocks = module.functions().flat_map(Value::all_blocks);
        let instructions = blocks.flat_map(|block| block.instructions());
        let is_declaration = |instruction: &Value| {
            instruction.opcode() == Opcode::LLVMCall
                && instruction.callee().is_function()
                && instruction.callee().name().starts_with("llvm.dbg.")
        };
        instructions.filter(is_declaration).collect()
    }

    /// Notes the variable of a call of `llvm.dbg.declare`.
    fn declare(&self, call: Value, found: &mut HashMap<Value, DeclaredVariable>) {
        let arguments = call.arguments();
        let (Some(address), Some(node)) = (arguments.first(), arguments.get(1)) else {
            return;
        };
        let Some(address) = self.wrapped(*address) else {
            return;
        };
        let node = self.node(*node);
        if !address.is_alloca() || !self.is(node, Kind::LLVMDILocalVariableMetadataKind) {
            return;
        }
        // A variable is in scope where its declaration's own scope is.
        let scope = self.operand(node, 0);
        if let Some(variable) = self.variable(node, scope, found.len()) {
            found.entry(address).or_insert(variable);
        }
    }

    /// The node that an argument of an intrinsic is.
    pub(crate) fn node(&self, argument: Value) -> Metadata {
        // SAFETY: any value can be metadata; what is metadata already is taken out of its wrapping.
        unsafe { Metadata(LLVMValueAsMetadata(argument.0)) }
    }

    /// The value that metadata stands for.
    pub(crate) fn wrapped(&self, metadata: Value) -> Option<Value> {
        // SAFETY: the value is an argument of an intrinsic that takes metadata. Metadata for a value of the function has that
        // value as its only operand.
        unsafe {
            let node = LLVMValueAsMetadata(metadata.0);
            if !self.is(Metadata(node), Kind::LLVMLocalAsMetadataMetadataKind) {
                return None;
            }
            let mut value = std::ptr::null_mut();
            LLVMGetMDNodeOperands(metadata.0, &raw mut value);
            crate::ir::some(value)
        }
    }

    pub(crate) fn variable_of_global(&self, global: Value) -> Option<Metadata> {
        if !global.is_global() {
            return None;
        }
        let mut count = 0;
        // SAFETY: the value is a global variable. LLVM makes an array of so many entries, which is given back.
        let nodes: Vec<Metadata> = unsafe {
            let entries = LLVMGlobalCopyAllMetadata(global.0, &raw mut count);
            let nodes = (0..count as c_uint)
                .map(|index| Metadata(LLVMValueMetadataEntriesGetMetadata(entries, index)))
                .collect();
            LLVMDisposeValueMetadataEntries(entries);
            nodes
        };
        let is_wanted =
            |node: &Metadata| self.is(*node, Kind::LLVMDIGlobalVariableExpressionMetadataKind);
        let node = nodes.into_iter().find(is_wanted)?;
        self.operand(node, 0)
            .filter(|node| self.is(*node, Kind::LLVMDIGlobalVariableMetadataKind))
    }

    fn variable(
        &self,
        node: Metadata,
        scope: Option<Metadata>,
        number: usize,
    ) -> Option<DeclaredVariable> {
        Some(DeclaredVariable {
            name: self.text(self.operand(node, NAME_OF_VARIABLE)?)?,
            kind: self.integer(self.operand(node, TYPE_OF_VARIABLE)?)?,
            scope,
            number,
        })
    }

    /// The integer type that a node describes; `None` for other types, and for volatile and atomic ones, whose reading is an effect.
    fn integer(&self, node: Metadata) -> Option<IntegerType> {
        let mut node = node;
        for _ in 0..LONGEST_CHAIN {
            match self.kind(node) {
                Kind::LLVMDIBasicTypeMetadataKind => {
                    let name = self.text(self.operand(node, NAME_OF_TYPE)?)?;
                    let has_sign =
                        !name.contains("unsigned") && !name.to_lowercase().contains("bool");
                    return Some(IntegerType {
                        identity: node,
                        is_signed: has_sign,
                    });
                }
                Kind::LLVMDIDerivedTypeMetadataKind if SAME_TYPE.contains(&self.tag(node)) => {
                    node = self.operand(node, BASE_OF_TYPE)?;
                }
                Kind::LLVMDICompositeTypeMetadataKind if self.tag(node) == ENUMERATION => {
                    let base = self.operand(node, BASE_OF_TYPE);
                    let base = base.and_then(|base| self.integer(base));
                    return Some(IntegerType {
                        identity: node,
                        is_signed: base.is_some_and(|base| base.is_signed),
                    });
                }
                _ => return None,
            }
        }
        None
    }

    /// The type of a function's result, if it is an integer and the module tells it.
    pub fn result_type(&self, function: Value) -> Option<IntegerType> {
        let node = self.subprogram(function)?;
        let signature = self.operand(node, TYPE_OF_FUNCTION)?;
        if !self.is(signature, Kind::LLVMDISubroutineTypeMetadataKind) {
            return None;
        }
        let types = self.operand(signature, TYPES_OF_SIGNATURE)?;
        if !self.is(types, Kind::LLVMMDTupleMetadataKind) {
            return None;
        }
        self.integer(self.operand(types, 0)?)
    }

    /// The name of a function in the source, without namespaces and classes.
    pub fn name_of_function(&self, function: Value) -> Option<String> {
        self.text(self.operand(self.subprogram(function)?, NAME_OF_FUNCTION)?)
    }

    pub(crate) fn subprogram(&self, function: Value) -> Option<Metadata> {
        // SAFETY: the value is a function; one without debug information has none.
        let node = unsafe { LLVMGetSubprogram(function.as_function()) };
        (!node.is_null()).then_some(Metadata(node))
    }

    /// The compile units of a module.
    pub(crate) fn units(&self, module: &Module<'_>) -> Vec<Metadata> {
        let (module, name) = (module.raw, c"llvm.dbg.cu".as_ptr());
        // SAFETY: LLVM fills an array that is as long as there are operands, and each is a node.
        unsafe {
            let count = LLVMGetNamedMetadataNumOperands(module, name);
            let mut units: Vec<LLVMValueRef> = vec![std::ptr::null_mut(); count as usize];
            LLVMGetNamedMetadataOperands(module, name, units.as_mut_ptr());
            let units = units.into_iter();
            units
                .map(|unit| Metadata(LLVMValueAsMetadata(unit)))
                .collect()
        }
    }

    /// The name of a type, empty if it has none.
    pub(crate) fn name_of_type(&self, node: Metadata) -> String {
        let name = self.operand(node, NAME_OF_TYPE);
        name.and_then(|name| self.text(name)).unwrap_or_default()
    }

    /// Where a member is in its structure, in bits.
    pub(crate) fn offset_of_member(&self, member: Metadata) -> u64 {
        let is_type = self.is(member, Kind::LLVMDIDerivedTypeMetadataKind);
        assert!(is_type, "a member is a type to LLVM");
        // SAFETY: the node is of a type that has an offset.
        unsafe { LLVMDITypeGetOffsetInBits(member.0) }
    }

    /// How many bits a member has.
    pub(crate) fn bits_of_member(&self, node: Metadata) -> u64 {
        let is_type = self.is(node, Kind::LLVMDIDerivedTypeMetadataKind);
        assert!(is_type, "a member is a type to LLVM");
        // SAFETY: the node is of a type that has a size.
        unsafe { LLVMDITypeGetSizeInBits(node.0) }
    }

    /// The scopes that a place is in, the innermost first.
    pub fn scopes(&self, place: DebugPlace) -> Vec<Metadata> {
        // SAFETY: every place is in a scope.
        let innermost = unsafe { Metadata(LLVMDILocationGetScope(place.0)) };
        let scopes = std::iter::successors(Some(innermost), |scope| match self.kind(*scope) {
            Kind::LLVMDILexicalBlockMetadataKind | Kind::LLVMDILexicalBlockFileMetadataKind => {
                self.operand(*scope, SCOPE)
            }
            _ => None,
        });
        scopes.take(LONGEST_CHAIN).collect()
    }

    fn kind(&self, node: Metadata) -> Kind {
        // SAFETY: the node is alive, and llvm-sys knows all kinds that this version of LLVM has.
        unsafe { LLVMGetMetadataKind(node.0) }
    }

    pub(crate) fn is(&self, node: Metadata, kind: Kind) -> bool {
        self.kind(node) as u32 == kind as u32
    }

    pub(crate) fn tag(&self, node: Metadata) -> u16 {
        // SAFETY: LLVM answers for any node, with 0 for those without a tag.
        unsafe { LLVMGetDINodeTag(node.0) }
    }

    /// An operand of a node.
    pub(crate) fn operand(&self, node: Metadata, index: usize) -> Option<Metadata> {
        self.operands(node).get(index).copied().flatten()
    }

    /// The operands of a node. What is no node has none.
    pub(crate) fn operands(&self, node: Metadata) -> Vec<Option<Metadata>> {
        if matches!(
            self.kind(node),
            Kind::LLVMMDStringMetadataKind
                | Kind::LLVMConstantAsMetadataMetadataKind
                | Kind::LLVMLocalAsMetadataMetadataKind
                | Kind::LLVMDIArgListMetadataKind
        ) {
            return Vec::new();
        }
        // SAFETY: all other kinds are nodes. LLVM fills an array that is as long as there are operands; missing ones are null.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, node.0);
            let count = LLVMGetMDNodeNumOperands(value) as usize;
            let mut operands: Vec<LLVMValueRef> = vec![std::ptr::null_mut(); count];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            let node = |operand: LLVMValueRef| {
                (!operand.is_null()).then(|| Metadata(LLVMValueAsMetadata(operand)))
            };
            operands.into_iter().map(node).collect()
        }
    }

    pub(crate) fn text(&self, node: Metadata) -> Option<String> {
        if !self.is(node, Kind::LLVMMDStringMetadataKind) {
            return None;
        }
        let mut length = 0;
        // SAFETY: the node is a string, whose bytes are copied at once.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, node.0);
            let text = LLVMGetMDString(value, &raw mut length);
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}
