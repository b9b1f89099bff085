//! Inserts the code that writes events: calls of small functions, which clang inlines later. No block is split, but each
//! case of a switch gets a block for its event.

use std::collections::HashMap;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue,
    IntValue,
};
use yester_pathrt::format::event;

use super::choice;
use super::site::{EventSite, EventSiteKind, FunctionPlan};
use crate::llvm;

const EXITS: [&str; 4] = ["exit", "_exit", "_Exit", "quick_exit"];
/// Functions of the runtime that write an event.
const REMOTE_WRITERS: [&str; 4] = [
    "__yester_event_byte",
    "__yester_event_wide",
    "__yester_event_wider",
    "__yester_event_enter",
];
const ABORTS: [&str; 2] = ["abort", "__assert_fail"];

/// Inserts events into the functions of a module, into which `event.ll` is already linked.
pub struct EventInserter<'a, 'ctx> {
    module: &'a Module<'ctx>,
    context: ContextRef<'ctx>,
    builder: Builder<'ctx>,
    returns_twice: u32,
    /// Whether the runtime writes the frequent events, instead of code in the program.
    is_remote: bool,
}

impl<'a, 'ctx> EventInserter<'a, 'ctx> {
    /// For a module, whose frequent events the runtime writes or the program itself.
    #[must_use]
    pub fn new(module: &'a Module<'ctx>, is_remote: bool) -> Self {
        let context = module.get_context();
        if is_remote {
            let kind = context
                .void_type()
                .fn_type(&[context.i32_type().into()], false);
            for name in REMOTE_WRITERS {
                module.add_function(name, kind, None);
            }
        }
        EventInserter {
            module,
            context,
            builder: context.create_builder(),
            returns_twice: Attribute::get_named_enum_kind_id("returns_twice"),
            is_remote,
        }
    }

    /// Inserts the events of one function.
    pub fn instrument(&self, plan: &FunctionPlan<'ctx>) -> Result<(), BuilderError> {
        let instructions: Vec<InstructionValue<'ctx>> = plan
            .function
            .get_basic_block_iter()
            .flat_map(BasicBlock::get_instructions)
            .collect();
        let serial = self.enter(plan, &instructions)?;
        for instruction in instructions {
            match instruction.get_opcode() {
                InstructionOpcode::Return => self.leave(instruction)?,
                InstructionOpcode::LandingPad => {
                    if let (Some(serial), Some(next)) = (serial, instruction.get_next_instruction())
                    {
                        self.builder.position_before(&next);
                        self.call("yester.land", &[serial.into()])?;
                    }
                }
                InstructionOpcode::Call | InstructionOpcode::Invoke => {
                    self.called(instruction, serial)?;
                }
                _ => {}
            }
        }
        for site in &plan.sites {
            match site.kind {
                EventSiteKind::Branch | EventSiteKind::Predicate(_) => self.branch(site)?,
                EventSiteKind::Switch(_) => self.switch(plan, site)?,
                EventSiteKind::Call => {
                    self.builder.position_before(&site.instruction);
                    let code = self.number(site.first_code);
                    self.call(self.writer(site), &[code.into()])?;
                }
                EventSiteKind::Value { .. } => {}
            }
        }
        Ok(())
    }

    fn number(&self, number: u32) -> IntValue<'ctx> {
        self.context.i32_type().const_int(u64::from(number), false)
    }

    fn call(
        &self,
        name: &str,
        arguments: &[BasicMetadataValueEnum<'ctx>],
    ) -> Result<Option<IntValue<'ctx>>, BuilderError> {
        let function = self
            .module
            .get_function(name)
            .expect("event.ll is linked in");
        let call = self.builder.build_call(function, arguments, "")?;
        Ok(call
            .try_as_basic_value()
            .basic()
            .filter(|value| value.is_int_value())
            .map(BasicValueEnum::into_int_value))
    }

    /// Inserts the entry event. Returns the serial number of the frame if an exception or longjmp can land in it.
    fn enter(
        &self,
        plan: &FunctionPlan<'ctx>,
        instructions: &[InstructionValue<'ctx>],
    ) -> Result<Option<IntValue<'ctx>>, BuilderError> {
        let Some(first) = instructions
            .iter()
            .find(|instruction| instruction.get_opcode() != InstructionOpcode::Alloca)
        else {
            return Ok(None);
        };
        self.builder.position_before(first);
        if llvm::may_handle_signals(plan.function) {
            self.call("yester.interrupt", &[])?;
        }
        let at_first = self
            .module
            .get_global("yester.first")
            .expect("event.ll is linked in");
        if self.is_remote {
            let first = at_first.as_pointer_value();
            let first = self
                .builder
                .build_load(self.context.i32_type(), first, "")?
                .into_int_value();
            let number = self
                .builder
                .build_int_add(first, self.number(plan.number), "")?;
            self.call("__yester_event_enter", &[number.into()])?;
        } else {
            self.call(
                "yester.enter",
                &[
                    at_first.as_pointer_value().into(),
                    self.number(plan.number).into(),
                ],
            )?;
        }
        let landing = instructions.iter().any(|instruction| {
            instruction.get_opcode() == InstructionOpcode::LandingPad
                || self.is_returning_twice(*instruction)
        });
        if landing {
            return self.call("yester.frame", &[]);
        }
        Ok(None)
    }

    fn is_returning_twice(&self, instruction: InstructionValue<'ctx>) -> bool {
        instruction.get_opcode() == InstructionOpcode::Call
            && (llvm::call_has_attribute(instruction, self.returns_twice)
                || llvm::callee(instruction).is_some_and(|callee| {
                    callee
                        .get_enum_attribute(AttributeLoc::Function, self.returns_twice)
                        .is_some()
                }))
    }

    fn leave(&self, instruction: InstructionValue<'ctx>) -> Result<(), BuilderError> {
        // Nothing may stand between a `musttail` call and the return.
        let mut place = instruction;
        let mut before = instruction.get_previous_instruction();
        while let Some(candidate) = before {
            match candidate.get_opcode() {
                InstructionOpcode::BitCast => before = candidate.get_previous_instruction(),
                InstructionOpcode::Call if llvm::is_must_tail(candidate) => {
                    place = candidate;
                    break;
                }
                _ => break,
            }
        }
        self.builder.position_before(&place);
        self.call(
            self.byte_writer(),
            &[self.number(u32::from(event::RETURN)).into()],
        )?;
        Ok(())
    }

    fn called(
        &self,
        call: InstructionValue<'ctx>,
        serial: Option<IntValue<'ctx>>,
    ) -> Result<(), BuilderError> {
        let callee = llvm::callee(call);
        let name = callee.map(|callee| callee.get_name().to_string_lossy().into_owned());
        let name = name.as_deref().unwrap_or_default();
        if EXITS.contains(&name)
            && let Some(status) = call.get_operand(0).and_then(|operand| operand.value())
            && status.is_int_value()
            && status.into_int_value().get_type().get_bit_width() == 32
        {
            self.builder.position_before(&call);
            self.call("yester.exit", &[status.into_int_value().into()])?;
        }
        if ABORTS.contains(&name) {
            self.builder.position_before(&call);
            self.call(
                self.byte_writer(),
                &[self.number(u32::from(event::ABORT)).into()],
            )?;
        }
        if self.is_returning_twice(call)
            && let Some(serial) = serial
            && let Some(next) = call.get_next_instruction()
            && let Some(result) = llvm::as_integer(call)
            && result.get_type().get_bit_width() == 32
        {
            if name == "vfork" {
                self.builder.position_before(&call);
                if let Some(mark) = self.call("yester.mark", &[])? {
                    self.builder.position_before(&next);
                    let arguments = [mark.into(), serial.into(), result.into()];
                    self.call("yester.vforked", &arguments)?;
                }
            } else {
                self.builder.position_before(&next);
                self.call("yester.jumped", &[serial.into(), result.into()])?;
            }
        }
        Ok(())
    }

    /// The function that writes a site's codes, which all have the same width.
    fn writer(&self, site: &EventSite<'_>) -> &'static str {
        match (site.first_code + site.kind.outcomes() - 1, self.is_remote) {
            (..240, _) => self.byte_writer(),
            (240..0x1_0000, false) => "yester.wide",
            (240..0x1_0000, true) => "__yester_event_wide",
            (_, false) => "yester.wider",
            (_, true) => "__yester_event_wider",
        }
    }

    fn byte_writer(&self) -> &'static str {
        if self.is_remote {
            "__yester_event_byte"
        } else {
            "yester.byte"
        }
    }

    fn branch(&self, site: &EventSite<'ctx>) -> Result<(), BuilderError> {
        let Some(condition) = site
            .instruction
            .get_operand(0)
            .and_then(|operand| operand.value())
        else {
            return Ok(());
        };
        self.builder.position_before(&site.instruction);
        let taken = self.builder.build_int_z_extend(
            condition.into_int_value(),
            self.context.i32_type(),
            "",
        )?;
        let code = self
            .builder
            .build_int_add(taken, self.number(site.first_code), "")?;
        self.call(self.writer(site), &[code.into()])?;
        Ok(())
    }

    fn switch(
        &self,
        plan: &FunctionPlan<'ctx>,
        site: &EventSite<'ctx>,
    ) -> Result<(), BuilderError> {
        let Some(from) = site.instruction.get_parent() else {
            return Ok(());
        };
        let location = site.instruction.get_debug_location();
        let mut ways: HashMap<BasicBlock<'ctx>, Vec<BasicBlock<'ctx>>> = HashMap::new();
        let mut targets = Vec::new();
        for (outcome, target) in llvm::successors(site.instruction).into_iter().enumerate() {
            let block = self.context.append_basic_block(plan.function, "");
            self.builder.position_at_end(block);
            match location {
                Some(location) => self.builder.set_current_debug_location(location),
                None => self.builder.unset_current_debug_location(),
            }
            let code = self.number(site.first_code + outcome as u32);
            self.call(self.writer(site), &[code.into()])?;
            self.builder.build_unconditional_branch(target)?;
            llvm::set_successor(site.instruction, outcome as u32, block);
            if !ways.contains_key(&target) {
                targets.push(target);
            }
            ways.entry(target).or_default().push(block);
        }
        for target in targets {
            choice::redirect(&self.builder, target, from, &ways[&target])?;
        }
        Ok(())
    }
}

/// Whether a function can have events: it needs an ordinary entry and ordinary returns.
#[must_use]
pub fn is_traceable(function: FunctionValue<'_>) -> bool {
    let location = AttributeLoc::Function;
    function.get_first_basic_block().is_some()
        && ["naked", "presplitcoroutine"].iter().all(|name| {
            let kind = Attribute::get_named_enum_kind_id(name);
            function.get_enum_attribute(location, kind).is_none()
        })
}
